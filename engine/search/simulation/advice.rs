//! Hints: what the guide knows of the moves of the position at hand, and how a simulation follows it.
//!
//! A hint of weight w among hints of the weights W together has the share w / (1 + W) of the position's simulations; all
//! moves without a hint have 1 / (1 + W) together, as their priors have it. The prior by which tree policies compare moves is
//! the mean of the game's own and of these shares, so that no hint silences the other moves. Under every tree policy a hinted
//! move is taken as long as it has had fewer simulations than its share of N k / (N + k), where N counts the node's
//! simulations and k is `hint_visits`: of the first ones most of its share, and never more than k in all. It is left to
//! the tree policy earlier if its value falls behind the node's by more than the standard error that it can have. The
//! hint's observations are visits of its edge from the start on.

use std::{
    cell::Cell,
    rc::Rc,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use playout_games::{Action, Game, Player};

use super::{Next, Shared, Worker};
use crate::{
    graph::{
        node::{ASKED, Edge, GUIDED, Node, OVER, RESTRICTED, SETTLED},
        view::{child_of, view},
    },
    guide::{hint::Hint, macros::Line},
    meta::MetaEdge,
    sync::add,
};

/// Weight of all moves without a hint together.
const UNHINTED: f32 = 1.0;

/// The hints of a position, the heaviest first; their actions name edges of its node.
pub struct Advice {
    hints: Vec<Hint>,
    /// Weight of all moves together, those without a hint included.
    total: f32,
    /// The slot of each hint's edge, once it was seen; else 0.
    slots: Box<[Cell<u32>]>,
    /// Trees that begin here, the heaviest first.
    metas: Vec<Arc<MetaEdge>>,
}

impl Advice {
    fn new(hints: Vec<Hint>) -> Advice {
        let total = UNHINTED + hints.iter().map(Hint::pull).sum::<f32>();
        let slots = hints.iter().map(|_| Cell::new(0)).collect();
        Advice { hints, total, slots, metas: Vec::new() }
    }

    pub fn metas(&self) -> &[Arc<MetaEdge>] {
        &self.metas
    }

    /// Where nothing is known.
    pub fn none() -> Advice {
        Advice::new(Vec::new())
    }

    fn of(&self, action: Action) -> Option<(usize, &Hint)> {
        self.hints.iter().enumerate().find(|(_, hint)| hint.action == action)
    }

    pub fn bans(&self, action: Action) -> bool {
        self.of(action).is_some_and(|(_, hint)| hint.banned)
    }

    /// Whether one of the hinted moves is `open`.
    pub fn leads(&self, open: impl Fn(Action) -> bool) -> bool {
        self.hints.iter().any(|hint| !hint.banned && open(hint.action))
    }

    pub fn bans_any(&self) -> bool {
        self.hints.iter().any(|hint| hint.banned)
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

/// Nodes whose advice a thread remembers.
const REMEMBERED: usize = 4096;

/// The advice that was last asked for, by the key of its node and by whether books were asked.
#[derive(Default)]
pub struct AdviceCache(Vec<Option<(u64, bool, Rc<Advice>)>>);

impl AdviceCache {
    fn place(key: u64) -> usize {
        key as usize % REMEMBERED
    }

    fn get(&self, key: u64, asked: bool) -> Option<Rc<Advice>> {
        let known = self.0.get(AdviceCache::place(key))?.as_ref();
        known.filter(|known| (known.0, known.1) == (key, asked)).map(|known| Rc::clone(&known.2))
    }

    fn put(&mut self, key: u64, asked: bool, advice: &Rc<Advice>) {
        self.0.resize(REMEMBERED, None);
        self.0[AdviceCache::place(key)] = Some((key, asked, Rc::clone(advice)));
    }

    /// Forgets the advice of a node.
    pub fn forget(&mut self, key: u64) {
        if let Some(known) = self.0.get_mut(AdviceCache::place(key)) {
            *known = None;
        }
    }
}

impl<G: Game> Worker<'_, G> {
    /// Whether books are asked this number of plies below the current node.
    pub(super) fn asks_books(&self, below: u32) -> bool {
        self.path.len() as u32 + below < self.shared.book_plies
    }

    /// Asks books and macros about the current position, once.
    #[cold]
    pub(super) fn ask(&mut self, node: &Node) {
        let Shared { game, guide, .. } = self.shared;
        let open = !node.has(RESTRICTED) && node.mover() != Player::Chance;
        let booked = open && self.asks_books(0) && guide.is_booked(*game, &self.position);
        let matched = open && guide.is_matched(*game, &self.position);
        node.flags.fetch_or(if booked || matched { ASKED | GUIDED } else { ASKED }, Relaxed);
    }

    /// Takes note of lines of macros that have led to the current position.
    #[cold]
    pub(super) fn note(&mut self, node: &Node, lines: &[Line]) {
        let Shared { game, guide, .. } = self.shared;
        if !node.has(OVER | RESTRICTED) && node.mover() != Player::Chance && guide.note(*game, &self.position, lines) {
            node.flags.fetch_or(GUIDED, Relaxed);
            node.flags.fetch_and(!SETTLED, Relaxed);
            self.advised.forget(node.key.load(Relaxed));
        }
    }

    /// The lines of macros that go on after `action`, which is about to be played out of `node`.
    pub(super) fn lines_after(&self, node: &Node, action: Action) -> Vec<Line> {
        let Shared { game, guide, .. } = self.shared;
        if guide.is_empty() || node.has(RESTRICTED) || node.mover() == Player::Chance {
            return Vec::new();
        }
        guide.lines_after(*game, &self.position, node.has(GUIDED), action)
    }

    /// The guide's hints for the current position, whose node is guided.
    pub(super) fn advice(&mut self, node: &Node) -> Rc<Advice> {
        let (key, asked) = (node.key.load(Relaxed), self.asks_books(0));
        if let Some(known) = self.advised.get(key, asked) {
            return known;
        }
        let Shared { game, guide, .. } = self.shared;
        // What macros knew may have been forgotten.
        guide.is_matched(*game, &self.position);
        let (hints, frame) = guide.hints(*game, &self.position, asked).unwrap_or_default();
        let hint = |hint: Hint| Hint { action: self.edge_action(game.undo_frame(frame, hint.action)), ..hint };
        let advice = Advice::new(hints.into_iter().map(hint).collect());
        let metas = self.metas(node, |action| advice.bans(action));
        let advice = Rc::new(Advice { metas, ..advice });
        self.advised.put(key, asked, &advice);
        advice
    }

    /// The step to the hinted move that is furthest behind its share of the node's simulations, with the move; None leaves
    /// the choice to the tree policy. `full` says that all moves have edges.
    pub(super) fn follow_hint(
        &self,
        node: &Node,
        advice: &Advice,
        full: bool,
        allowed: Option<&[Action]>,
    ) -> Option<(Next, Action)> {
        let Shared { store, config, .. } = self.shared;
        if config.hint_visits == 0 || config.is_flat() {
            return None;
        }
        let Advice { hints, total, slots, .. } = advice;
        let observed = hints.iter().map(|hint| hint.visits).fold(0, u32::saturating_add);
        let simulations = node.visits.load(Relaxed).saturating_sub(observed) as f32 + 1.0;
        let most = config.hint_visits as f32;
        let claim = simulations * most / (simulations + most);
        let mut next = None;
        let mut behind = 0.0;
        let mut all_settled = true;
        for (hint, slot) in hints.iter().zip(slots).filter(|(hint, _)| hint.pull() > 0.0) {
            let share = claim * hint.pull() / total;
            let Some(edge) = self.hinted_edge(node, hint, slot) else {
                all_settled = false;
                let due = if full { 0.0 } else { share };
                if due > behind && allowed.is_none_or(|some| some.contains(&hint.action)) {
                    (behind, next) = (due, Some((Next::Untried, hint.action)));
                }
                continue;
            };
            let pending = child_of(&store.nodes, edge).map_or(0, |child| child.pending.load(Relaxed));
            let taken = (edge.visits.load(Relaxed) + pending).saturating_sub(hint.visits) as f32;
            all_settled &= taken >= most * hint.pull() / total;
            let due = share - taken;
            if due > behind && allowed.is_none_or(|some| some.contains(&hint.action)) && self.holds(node, edge) {
                (behind, next) = (due, Some((Next::Edge(slot.get(), None), hint.action)));
            }
        }
        if all_settled && !advice.bans_any() && advice.metas.is_empty() {
            node.flags.fetch_or(SETTLED, Relaxed);
        }
        next
    }

    /// The edge of a hint, whose slot is remembered.
    fn hinted_edge(&self, node: &Node, hint: &Hint, slot: &Cell<u32>) -> Option<&Edge> {
        let store = self.shared.store;
        if slot.get() == 0 {
            let (found, _) = store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == hint.action)?;
            slot.set(found);
        }
        Some(store.edge(slot.get()))
    }

    /// Whether what is known of a hinted move does not speak against it.
    pub(super) fn holds(&self, node: &Node, edge: &Edge) -> bool {
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
