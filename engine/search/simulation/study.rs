//! Proofs at nodes that many simulations came to: the game looks at the position for once, and what it proves stands.
//!
//! A node that is won or lost becomes one with a known value. Elsewhere moves that lose, or that others are as good as, get
//! no edge any more, and those that have one no prior.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::Ordering::{Relaxed, Release},
    },
};

use playout_games::{Action, Game, Player, Proof};

use super::{Shared, Worker};
use crate::graph::{
    keys::{child_key, own_symmetries},
    node::{Node, OVER, RESTRICTED, STUDIED, UNORDERED},
    store::Full,
};

/// Positions whose moves are kept; at the next one all are forgotten, and those nodes get edges for all moves again.
const MOST_KEPT: usize = 100_000;

/// The moves that proofs leave out, by the key of their node; actions in the canonical frame.
#[derive(Default)]
pub struct Studies(RwLock<HashMap<u64, Arc<[Action]>>>);

impl Studies {
    fn put(&self, key: u64, actions: Vec<Action>) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, actions.into());
    }

    /// The moves of a node that are left out.
    pub fn left_out(&self, key: u64) -> Option<Arc<[Action]>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }
}

impl<G: Game> Worker<'_, G> {
    /// Whether the node is due to be studied.
    #[inline]
    pub(super) fn is_due(&self, node: &Node) -> bool {
        let config = self.shared.config;
        config.proof_visits > 0
            && node.visits.load(Relaxed) >= config.proof_visits
            && !node.has(STUDIED)
            && self.leaves_out_proven()
    }

    /// Studies the current position. True if its value is known now, and the simulation ends here.
    #[cold]
    pub(super) fn study(&mut self, node: &Node) -> bool {
        if node.flags.fetch_or(STUDIED, Relaxed) & STUDIED != 0
            || node.has(RESTRICTED)
            || node.mover() == Player::Chance
        {
            return false;
        }
        let game = self.shared.game;
        let at_root = self.path.is_empty();
        match game.prove(&self.position) {
            None => {}
            // The root is searched whatever is known of it: a move is wanted.
            Some(Proof::Win(action)) if at_root => {
                if let Some(action) = action
                    && self.settle(node, action).is_err()
                {
                    node.flags.fetch_and(!STUDIED, Relaxed);
                }
            }
            Some(Proof::Loss) if at_root => {}
            Some(Proof::Win(_)) => node.set_known(1.0),
            Some(Proof::Loss) => node.set_known(-1.0),
            Some(Proof::Open { mut losing, inferior }) => {
                losing.extend(inferior);
                self.leave_out(node, losing);
            }
        }
        !at_root && node.proven()
    }

    /// Leaves moves out, unless the position is an image of itself: of moves that are images another one may have been kept.
    fn leave_out(&self, node: &Node, mut actions: Vec<Action>) {
        let Shared { game, store, config, studies, .. } = self.shared;
        if !own_symmetries(*game, config, &self.position).is_empty() {
            return;
        }
        for action in &mut actions {
            *action = game.to_frame(self.frame, *action);
        }
        if config.compares_unvisited() {
            let edges = store.edges_of(node);
            edges.filter(|(_, edge)| actions.contains(&edge.action.load(Relaxed))).for_each(|(slot, _)| {
                store.tally(slot).prior.set(0.0);
            });
        }
        studies.put(node.key.load(Relaxed), actions);
    }

    /// Makes the child that a winning action of the root leads to one that is lost.
    fn settle(&mut self, node: &Node, action: Action) -> Result<(), Full> {
        let Shared { game, store, config, .. } = self.shared;
        let canonical = game.to_frame(self.frame, action);
        node.flags.fetch_or(UNORDERED, Relaxed);
        let Some(slot) = self.edge_for(node, canonical, 0.0)? else { return Ok(()) };
        let root = self.position.clone();
        game.play(&mut self.position, action);
        let (key, _) = child_key(*game, config, &self.position, node.key.load(Relaxed), canonical);
        let index = self.child(node, slot, key);
        self.position = root;
        let index = index?;
        store.edge(slot).child.store(index, Release);
        let child = store.node(index);
        if !child.has(OVER) {
            child.set_known(-1.0);
        }
        self.update_bounds(node);
        Ok(())
    }
}
