//! Hints: what the guide knows of the moves of the position at hand, and how a simulation follows it.
//!
//! A hint of weight w among hints of the weights W together has the share w / (1 + W) of the position's simulations; all
//! moves without a hint have 1 / (1 + W) together, as their priors have it. The prior by which tree policies compare moves is
//! the mean of the game's own and of these shares, so that no hint silences the other moves. Under every tree policy a hinted
//! move is taken as long as it has had fewer simulations than its share of N k / (N + k), where N counts the node's
//! simulations and k is `hint_visits`: of the first ones most of its share, and never more than k in all. It is left to
//! the tree policy earlier if its value falls behind the node's by more than the standard error that it can have. The
//! hint's observations are visits of its edge from the start on.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player};

use super::{Next, Shared, Worker};
use crate::{
    graph::{
        keys::representative,
        node::{ASKED, Edge, GUIDED, Node, RESTRICTED, add},
        view::{child_of, view},
    },
    guide::Hint,
};

/// Weight of all moves without a hint together.
const UNHINTED: f32 = 1.0;

/// The hints of a position, the heaviest first; their actions name edges of its node.
pub struct Advice {
    hints: Vec<Hint>,
    /// Weight of all moves together, those without a hint included.
    total: f32,
}

impl Advice {
    /// Where nothing is known.
    pub fn none() -> Advice {
        Advice { hints: Vec::new(), total: UNHINTED }
    }

    fn of(&self, action: Action) -> Option<(usize, &Hint)> {
        self.hints.iter().enumerate().find(|(_, hint)| hint.action == action)
    }

    pub fn bans(&self, action: Action) -> bool {
        self.of(action).is_some_and(|(_, hint)| hint.banned)
    }

    /// The place of the action among the hinted ones, and the observations of its results: their number and mean.
    pub fn place(&self, action: Action) -> Option<(usize, u32, f32)> {
        self.of(action).filter(|(_, hint)| !hint.banned).map(|(place, hint)| (place, hint.visits, hint.value))
    }

    /// The action's prior, where without hints it has `prior`.
    pub fn prior(&self, action: Action, prior: f32) -> f32 {
        let hinted = self.of(action).map_or(0.0, |(_, hint)| hint.pull());
        let share = (prior * UNHINTED + hinted) / self.total;
        (prior + share) / 2.0
    }
}

impl<G: Game> Worker<'_, G> {
    /// Whether books are asked this number of plies below the current node.
    pub(super) fn asks_books(&self, below: u32) -> bool {
        self.path.len() as u32 + below < self.shared.book_plies
    }

    /// Asks the books about the current position, once.
    #[cold]
    pub(super) fn ask_books(&self, node: &Node) {
        let Shared { game, guide, .. } = self.shared;
        let booked = !node.has(RESTRICTED)
            && node.mover() != Player::Chance
            && self.asks_books(0)
            && guide.is_booked(*game, &self.position);
        node.flags.fetch_or(if booked { ASKED | GUIDED } else { ASKED }, Relaxed);
    }

    /// The guide's hints for the current position.
    pub(super) fn advice(&self) -> Advice {
        let Shared { game, config, guide, .. } = self.shared;
        let Some((hints, frame)) = guide.hints(*game, &self.position, self.asks_books(0)) else {
            return Advice::none();
        };
        let hints: Vec<Hint> = hints
            .into_iter()
            .map(|hint| {
                let action = game.undo_frame(frame, hint.action);
                Hint { action: representative(*game, config, &self.position, self.frame, action), ..hint }
            })
            .collect();
        let total = UNHINTED + hints.iter().map(Hint::pull).sum::<f32>();
        Advice { hints, total }
    }

    /// The step to the hinted move that is furthest behind its share of the node's simulations; None leaves the choice to
    /// the tree policy. `full` says that all moves have edges.
    #[cold]
    pub(super) fn follow_hint(&self, node: &Node, full: bool, allowed: Option<&[Action]>) -> Option<Next> {
        let Shared { store, config, .. } = self.shared;
        if config.hint_visits == 0 || config.is_flat() {
            return None;
        }
        let Advice { hints, total } = self.advice();
        let observed = hints.iter().map(|hint| hint.visits).fold(0, u32::saturating_add);
        let simulations = node.visits.load(Relaxed).saturating_sub(observed) as f32 + 1.0;
        let most = config.hint_visits as f32;
        let claim = simulations * most / (simulations + most);
        let mut next = None;
        let mut behind = 0.0;
        for hint in hints.iter().filter(|hint| allowed.is_none_or(|some| some.contains(&hint.action))) {
            let share = claim * hint.pull() / total;
            let edge = store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == hint.action);
            let (due, step) = match edge {
                None => (if full { 0.0 } else { share }, Next::Untried),
                Some((slot, edge)) if self.holds(node, edge) => {
                    let pending = child_of(&store.nodes, edge).map_or(0, |child| child.pending.load(Relaxed));
                    let taken = (edge.visits.load(Relaxed) + pending).saturating_sub(hint.visits);
                    (share - taken as f32, Next::Edge(slot, None))
                }
                Some(_) => continue,
            };
            if due > behind {
                (behind, next) = (due, Some(step));
            }
        }
        next
    }

    /// Whether what is known of a hinted move does not speak against it.
    fn holds(&self, node: &Node, edge: &Edge) -> bool {
        let Shared { store, game, .. } = self.shared;
        let seen = view(store, node.mover(), edge);
        let error = 1.0 / seen.visits.max(1.0).sqrt();
        let beaten = self.leaves_out_proven() && seen.upper <= node.lower.get();
        let action = game.undo_frame(self.frame, edge.action.load(Relaxed));
        !beaten && seen.value >= node.mean() - error && game.still_legal(&self.position, action)
    }

    /// Enters a hint's observations in a new edge of the node, as if simulations had made them.
    pub(super) fn enter_observations(&self, node: &Node, slot: u32, visits: u32, value: f32) {
        let edge = self.shared.store.edge(slot);
        edge.extra.set(value);
        add(&edge.visits, visits, self.parallel);
        add(&node.visits, visits, self.parallel);
        add(&node.wins, (visits as f32 * (1.0 + value) / 2.0) as u32, self.parallel);
    }
}
