//! Select: the step that a simulation takes at a node of its descent.

use std::{
    rc::Rc,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use playout_games::{Action, Game, Player};

use super::{DescentEnd, Next, Shared, Worker, advice::Advice};
use crate::{
    graph::node::{ASKED, Amaf, GUIDED, KNOWN, Node, OVER, SETTLED},
    meta::MetaEdge,
    policy::{ChosenEdge, Scan},
};

/// One of this many simulations takes the pass, at the root and after a pass there, where points count.
const PASS_SHARE: u32 = 32;

/// Allows all edges. It is a function because the type of a closure here would depend on the game, and each game would have
/// tree policies of its own.
#[inline(always)]
fn any(_: u32, _: Action) -> bool {
    true
}

impl<G: Game> Worker<'_, G> {
    /// Select: the tree policy's choice at the current node. Not inlined: it and the rest of a simulation would compete
    /// for registers.
    #[inline(never)]
    pub(super) fn select(&mut self) -> Next {
        let store = self.shared.store;
        let node = store.node(self.node);
        if node.has(OVER | KNOWN) {
            return Next::Leaf(DescentEnd::Known);
        }
        let at_root = self.path.is_empty();
        if !at_root && self.stays_a_leaf(node) && !self.trees.are_followed() {
            return Next::Leaf(DescentEnd::Sample);
        }
        if self.is_due(node) && self.study(node) {
            return Next::Leaf(DescentEnd::Known);
        }
        if !node.has(ASKED) {
            self.ask(node);
        }
        let allowed = self.shared.root.allowed.filter(|_| at_root);
        let full = node.mover() != Player::Chance
            && allowed.map_or_else(|| node.full(), |actions| actions.iter().all(|&action| self.has_edge(node, action)));
        let solver = self.leaves_out_proven();
        let inner = solver && !at_root;
        let mut plain = allowed.is_none();
        let mut advised = None;
        if self.trees.are_followed() {
            if inner && self.newly_proven(node) {
                return Next::Leaf(DescentEnd::Known);
            }
            if let Some(next) = self.follow_tree(node, full) {
                return next;
            }
        }
        if node.has(GUIDED) && !node.has(SETTLED) {
            if inner && self.newly_proven(node) {
                return Next::Leaf(DescentEnd::Known);
            }
            let advice = self.advice(node);
            if let Some((next, action)) = self.follow_hint(node, &advice, full, allowed) {
                if !advice.metas().is_empty() {
                    self.claim_tree(node, &advice, &next, action);
                }
                return next;
            }
            plain &= !advice.bans_any();
            if !advice.metas().is_empty() {
                if let Some(next) = self.try_tree(node, &advice, full, allowed) {
                    return next;
                }
                advised = Some(advice);
            }
        }
        let metas = advised.as_ref().map_or(&[][..], |advice| advice.metas());
        if !full {
            if inner && self.newly_proven(node) {
                return Next::Leaf(DescentEnd::Known);
            }
            if node.mover() == Player::Chance || self.wants_edge(node) {
                return Next::Untried;
            }
        }
        if plain && let Some(pass) = self.pass_due(node) {
            return Next::Edge(pass, None);
        }
        let choice = if plain { self.choose(node, metas, solver, any) } else { None };
        if !full && plain && !choice.as_ref().is_some_and(|choice| choice.fresh) && self.reveals_more(node) {
            return Next::Untried;
        }
        let unmoved = |choice: &ChosenEdge| choice.lower <= node.lower.get() && choice.upper >= node.upper.get();
        if inner && !choice.as_ref().is_some_and(unmoved) && self.newly_proven(node) {
            return Next::Leaf(DescentEnd::Known);
        }
        match choice.filter(|choice| self.may_take(choice)) {
            Some(choice) => self.take(node, &choice, metas),
            None => match self.select_among(node, allowed) {
                Next::Leaf(_) if !full => Next::Untried,
                next => next,
            },
        }
    }

    /// The step to the tree policy's choice.
    #[inline]
    fn take(&mut self, node: &Node, choice: &ChosenEdge, metas: &[Arc<MetaEdge>]) -> Next {
        match choice.meta {
            None => Next::Edge(choice.slot, Some(choice.others)),
            Some(place) => {
                self.begin_tree(node, &metas[place]);
                Next::Edge(choice.slot, None)
            }
        }
    }

    /// The tree policy's choice among the edges that are `allowed`, and the meta-edges that begin with them.
    #[inline]
    fn choose(
        &mut self,
        node: &Node,
        metas: &[Arc<MetaEdge>],
        solver: bool,
        allowed: impl Fn(u32, u32) -> bool,
    ) -> Option<ChosenEdge> {
        let Shared { store, config, root, .. } = self.shared;
        let at_root = self.path.is_empty();
        let scan = Scan {
            store,
            node,
            index: self.node,
            config,
            virtual_loss: if self.parallel { config.virtual_loss as f32 } else { 0.0 },
            solver,
            at_root,
            noise: if at_root { root.noise } else { &[] },
            amaf: None,
            wins: None,
            points: self.points,
            metas,
        };
        if config.uses_amaf() && (config.grave_visits > 0 || self.shared.criticality.is_some()) {
            return self.choose_by_amaf(node, &scan, allowed);
        }
        config.tree_policy.choose(&scan, &mut self.rng, allowed)
    }

    /// As `choose`, with AMAF statistics on loan from an ancestor, or with the wins that criticality adds.
    #[inline(never)]
    fn choose_by_amaf(&mut self, node: &Node, scan: &Scan, allowed: impl Fn(u32, u32) -> bool) -> Option<ChosenEdge> {
        let Shared { game, config, criticality, .. } = *self.shared;
        let borrows = config.grave_visits > 0 && self.refer(node);
        let (frame, statistics) = (self.frame, &self.amaf);
        let amaf = |action| statistics.reference(game.undo_frame(frame, action));
        let wins = |action| {
            let critical = criticality.map_or(0.0, |counts| counts.of(game.undo_frame(frame, action)));
            config.rave_criticality * critical
        };
        let scan = Scan {
            amaf: borrows.then_some(&amaf as &dyn Fn(Action) -> Amaf),
            wins: criticality.is_some().then_some(&wins as &dyn Fn(Action) -> f32),
            ..*scan
        };
        config.tree_policy.choose(&scan, &mut self.rng, allowed)
    }

    /// The edge of the pass at the root, or of the pass that answers it, if points count and it has less than its share:
    /// priors and AMAF see no reason to look at it, and in the end other moves are to be compared with it.
    fn pass_due(&self, node: &Node) -> Option<u32> {
        let Shared { store, game, .. } = self.shared;
        let pass = if self.points.acts() { game.pass_action()? } else { return None };
        if self.path.len() > 1 || self.path.iter().any(|step| step.action != pass) {
            return None;
        }
        let (slot, edge) = store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == pass)?;
        (edge.visits.load(Relaxed) <= node.visits.load(Relaxed) / PASS_SHARE).then_some(slot)
    }

    /// Whether simulations pass by what is proven. Not where points count: between results that are the same they decide.
    pub(super) fn leaves_out_proven(&self) -> bool {
        self.shared.config.solver && !self.points.acts()
    }

    /// Whether the node is proven now: a child may have been proven by way of another parent.
    fn newly_proven(&self, node: &Node) -> bool {
        self.update_bounds(node);
        node.proven()
    }

    /// Whether the edge's action is legal here, whatever it was where the edge was made.
    fn may_take(&self, choice: &ChosenEdge) -> bool {
        let Shared { store, game, .. } = self.shared;
        let action = store.edge(choice.slot).action.load(Relaxed);
        game.still_legal(&self.position, game.undo_frame(self.frame, action))
    }

    /// The tree policy's choice where some edges are out of the question: not allowed at the root, banned by the guide
    /// while there are others, or not legal here.
    #[cold]
    pub(super) fn select_among(&mut self, node: &Node, allowed: Option<&[Action]>) -> Next {
        let solver = self.leaves_out_proven();
        let at_root = self.path.is_empty();
        let told = if node.has(GUIDED) { self.advice(node) } else { Rc::new(Advice::none()) };
        let mut banned = Vec::new();
        loop {
            let permitted =
                |slot: u32, action: u32| !banned.contains(&slot) && allowed.is_none_or(|some| some.contains(&action));
            let mut choice = None;
            for (proofs, advice) in [(solver, true), (solver, false), (false, false)] {
                if choice.is_none() && (proofs || at_root || !solver) {
                    let open = |slot, action| permitted(slot, action) && !(advice && told.bans(action));
                    choice = self.choose(node, told.metas(), proofs, &open as &dyn Fn(u32, Action) -> bool);
                }
            }
            let Some(choice) = choice else {
                return Next::Leaf(DescentEnd::Known);
            };
            if self.may_take(&choice) {
                return self.take(node, &choice, told.metas());
            }
            banned.push(choice.slot);
        }
    }
}
