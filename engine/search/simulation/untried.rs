//! Edges that a node does not have yet: in which order actions are tried, and how an edge is appended.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use playout_games::{Action, Game};

use super::{Next, Shared, Worker};
use crate::{
    keys::own_symmetries,
    node::{FULL, LOCKED, Node, PATH_DEPENDENT, UNORDERED},
    store::Full,
};

impl<G: Game> Worker<'_, G> {
    /// Fills `actions` with the legal actions in the canonical frame, one of each set that the position's own
    /// symmetries make equivalent.
    pub(super) fn distinct_actions(&mut self) {
        let Shared { game, config, .. } = self.shared;
        let (position, frame) = (&self.position, self.frame);
        game.actions(position, &mut self.actions);
        let own = own_symmetries(*game, config, position);
        if !own.is_empty() {
            self.actions.retain(|&action| {
                let image = game.to_frame(frame, action);
                own.iter().all(|&f| image <= game.to_frame(frame, game.to_frame(f, action)))
            });
        }
        for action in &mut self.actions {
            *action = game.to_frame(frame, *action);
        }
    }

    /// Appends the edge of the untried one of `actions` that comes first in the node's own random order.
    pub(super) fn append_untried(&mut self, node: &Node) -> Result<Option<u32>, Full> {
        let Shared { store, config, game, .. } = self.shared;
        let salt = node.key.load(Relaxed) ^ config.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let last = store.last_edge(node).map(|edge| priority(salt, edge.action.load(Relaxed)));
        let ordered = !node.has(UNORDERED);
        let mut next: Option<(u64, Action)> = None;
        let mut untried = 0;
        for &action in &self.actions {
            let rank = priority(salt, action);
            let tried = if ordered { last.is_some_and(|last| rank <= last) } else { self.has_edge(node, action) };
            if !tried {
                untried += 1;
                if next.is_none_or(|next| rank < next.0) {
                    next = Some((rank, action));
                }
            }
        }
        let slot = match next {
            Some((_, action)) => Some(store.append_edge(node, action, 0.0, self.actions.len(), &mut self.stock)?),
            None => None,
        };
        if untried <= 1 && self.shared.root.allowed.filter(|_| self.path.is_empty()).is_none() {
            let hidden = if game.path_dependent(&self.position) { PATH_DEPENDENT } else { 0 };
            node.flags.fetch_or(FULL | hidden, Release);
        }
        Ok(slot)
    }

    pub(super) fn has_edge(&self, node: &Node, action: Action) -> bool {
        self.shared.store.edges_of(node).any(|(_, edge)| edge.action.load(Relaxed) == action)
    }

    /// The edge of `action` at a chance node, appended if need be; None if another thread is appending one.
    pub(super) fn edge_for(&mut self, node: &Node, action: Action, probability: f32) -> Result<Option<u32>, Full> {
        let store = self.shared.store;
        let find = || store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == action).map(|(slot, _)| slot);
        if let Some(slot) = find() {
            return Ok(Some(slot));
        }
        if !Self::try_lock(node) {
            self.beaten = true;
            return Ok(None);
        }
        let slot = match find() {
            Some(slot) => Ok(slot),
            None => store.append_edge(node, action, probability, 21, &mut self.stock),
        };
        node.flags.fetch_and(!LOCKED, Release);
        slot.map(Some)
    }

    /// Whether this thread may append to the node; if not, another one is at it.
    pub(super) fn try_lock(node: &Node) -> bool {
        node.flags.fetch_or(LOCKED, Acquire) & LOCKED == 0
    }

    /// For who may not append: the tree policy's choice among the edges that the node has, None if there is none.
    #[cold]
    pub(super) fn select_tried(&mut self, node: &Node) -> Option<u32> {
        let allowed = self.shared.root.allowed.filter(|_| self.path.is_empty());
        let next = self.select_among(node, allowed, self.shared.config.virtual_loss);
        let slot = if let Next::Edge(choice) = next { Some(choice.slot) } else { None };
        self.beaten = slot.is_none();
        slot
    }
}

/// The rank of an action in the random order in which a node tries its actions.
#[inline]
fn priority(salt: u64, action: Action) -> u64 {
    let mut z = salt ^ u64::from(action).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ u64::from(action)
}
