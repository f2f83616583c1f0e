//! Meta-edges in a simulation: the tree of a macro is followed as one choice.
//!
//! The simulation goes down ordinary edges. It takes the tree's first move and then, at each node of the tree's player, the
//! tree's answer without a choice. The opponent chooses as ever, among all legal replies: after one that the tree does not
//! name the tree is left, and the simulation goes on like any other. It does not end at the new nodes that it makes on the way,
//! so that its sample is of the position at the tree's end. An answer is taken without a choice as long as a hint of all weight
//! would claim simulations for it; then the tree policy chooses, and the tree goes on if that chooses the answer. The tree is
//! interrupted where its answer is proven to be inferior, or its value has fallen behind its node's by more than the
//! standard error.
//!
//! All nodes on the way are backed up as usual, so values and proofs are those of ordinary edges. The meta-edge counts the
//! simulation besides.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use playout_games::{Action, Game, Player};

use super::{Next, Worker, advice::Advice};
use crate::{
    graph::{
        keys::representative,
        node::{GUIDED, Node},
        view::view,
    },
    guide::macros::Line,
    meta::{MetaEdge, Offer, TreeId},
    sync::add,
};

/// A tree that the simulation follows for one of the players.
struct Followed {
    tree: TreeId,
    /// Where it stands on the board, if it has drawings.
    lines: Vec<Line>,
}

/// The trees of one simulation.
#[derive(Default)]
pub struct Trees {
    /// The meta-edges taken, each with its node's mover.
    taken: Vec<(Arc<MetaEdge>, Player)>,
    /// By player.
    followed: [Option<Followed>; 2],
    /// The tree that begins with the next step.
    begins: Option<TreeId>,
    /// The next step of a tree, where it has no edge yet; in the frame of the node.
    wanted: Option<Action>,
}

impl Trees {
    /// Whether a tree is followed or begins.
    #[inline]
    pub fn act(&self) -> bool {
        self.begins.is_some() || self.are_followed()
    }

    /// Whether a tree is followed.
    #[inline]
    pub fn are_followed(&self) -> bool {
        self.followed[0].is_some() || self.followed[1].is_some()
    }

    /// The action whose edge is to be appended next.
    pub fn wanted(&self) -> Option<Action> {
        self.wanted
    }

    /// Whether a tree begins with the next step.
    pub fn begin(&self) -> bool {
        self.begins.is_some()
    }
}

impl<G: Game> Worker<'_, G> {
    /// The meta-edges of the current node, which is guided, with their moves as its edges have them.
    pub(super) fn metas(&self, node: &Node, bans: impl Fn(Action) -> bool) -> Vec<Arc<MetaEdge>> {
        let config = self.shared.config;
        if !config.meta_actions || config.is_flat() {
            return Vec::new();
        }
        let edge_of = |offer: Offer| Offer { action: self.edge_action(offer.action), ..offer };
        let offers = self.shared.guide.offers(self.shared.game, &self.position).into_iter().map(edge_of);
        let offers: Vec<Offer> = offers.filter(|offer| !bans(offer.action)).collect();
        self.shared.metas.of(node.key.load(Relaxed), &offers)
    }

    /// The action, in the frame of the current node, whose edge stands for `action`.
    pub(super) fn edge_action(&self, action: Action) -> Action {
        representative(self.shared.game, self.shared.config, &self.position, self.frame, action)
    }

    /// The step at a node whose player follows a tree: the tree's answer. None if no tree is followed there, or if it is
    /// interrupted.
    #[cold]
    pub(super) fn follow_tree(&mut self, node: &Node, full: bool) -> Option<Next> {
        let place = node.mover() as usize;
        let followed = self.trees.followed.get(place)?.as_ref()?;
        let answer = self.shared.guide.answer(self.shared.game, &self.position, followed.tree, &followed.lines);
        let answer = answer.map(|answer| self.edge_action(answer));
        if answer.is_some_and(|answer| self.is_claimed(node, answer)) {
            // The tree policy may still choose the answer, and the tree goes on.
            return None;
        }
        let step = answer.and_then(|answer| self.step_to(node, answer, full));
        if step.is_none() {
            self.trees.followed[place] = None;
        }
        step
    }

    /// Whether an answer has had the simulations of its node that it has without a choice: of N the first N k / (N + k), k
    /// being `hint_visits`, and one at least.
    fn is_claimed(&self, node: &Node, answer: Action) -> bool {
        let store = self.shared.store;
        let Some((_, edge)) = store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == answer) else {
            return false;
        };
        let (all, most) = (node.visits.load(Relaxed) as f32 + 1.0, self.shared.config.hint_visits as f32);
        edge.visits.load(Relaxed) as f32 >= (all * most / (all + most)).max(1.0)
    }

    /// The step to `action`, in the frame of the node; None if the search knows better.
    fn step_to(&mut self, node: &Node, action: Action, full: bool) -> Option<Next> {
        if node.has(GUIDED) && self.advice(node).bans(action) {
            return None;
        }
        let store = self.shared.store;
        match store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == action) {
            Some((slot, edge)) => self.holds(node, edge).then_some(Next::Edge(slot, None)),
            None if !full && node.edge_count.load(Relaxed) < self.most_edges(node) && self.is_legal(action) => {
                self.trees.wanted = Some(action);
                Some(Next::Untried)
            }
            None => None,
        }
    }

    fn is_legal(&self, action: Action) -> bool {
        self.shared.game.still_legal(&self.position, self.shared.game.undo_frame(self.frame, action))
    }

    /// The step into a tree that no simulation has taken yet: each is tried once before it is compared, with no more than every
    /// second simulation of the node.
    #[cold]
    pub(super) fn try_tree(
        &mut self,
        node: &Node,
        advice: &Advice,
        full: bool,
        allowed: Option<&[Action]>,
    ) -> Option<Next> {
        let tried = advice.metas().iter().filter(|meta| !meta.is_new()).count() as u32;
        if 2 * tried > node.visits.load(Relaxed) {
            return None;
        }
        for meta in advice.metas().iter().filter(|meta| meta.is_new()) {
            if allowed.is_none_or(|some| some.contains(&meta.action))
                && let Some(next) = self.step_to(node, meta.action, full)
            {
                self.begin_tree(node, meta);
                return Some(next);
            }
        }
        None
    }

    /// Has a simulation that a hint claims for `action` follow the best tree that begins with it, unless the tree's value
    /// has fallen behind the move's by more than the standard error. `next` is the step to the action.
    #[cold]
    pub(super) fn claim_tree(&mut self, node: &Node, advice: &Advice, next: &Next, action: Action) {
        let store = self.shared.store;
        let edge = store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == action);
        let value = edge.map_or(f32::NEG_INFINITY, |(_, edge)| view(store, node.mover(), edge).value);
        let worth = |meta: &MetaEdge| if meta.is_new() { f32::INFINITY } else { meta.value.get() };
        let begun = advice.metas().iter().filter(|meta| meta.action == action);
        let Some(best) = begun.max_by(|a, b| worth(a).total_cmp(&worth(b))) else { return };
        let error = 1.0 / (best.visits.load(Relaxed).max(1) as f32).sqrt();
        if worth(best) >= value - error {
            // Another thread may have made the edge since the step was chosen.
            if matches!(next, Next::Untried) {
                self.trees.wanted = Some(action);
            }
            self.begin_tree(node, best);
        }
    }

    /// Begins with the tree of `meta` at the current node; its first move is the next step.
    pub(super) fn begin_tree(&mut self, node: &Node, meta: &Arc<MetaEdge>) {
        if self.parallel {
            add(&meta.pending, 1, true);
        }
        self.trees.begins = Some(meta.tree);
        self.trees.taken.push((Arc::clone(meta), node.mover()));
    }

    /// The edge that was wanted at the node, now that edges were appended. None gives the tree up that wanted it.
    #[cold]
    pub(super) fn wanted_edge(&mut self, node: &Node, wanted: Action) -> Option<u32> {
        self.trees.wanted = None;
        let edge = self.shared.store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == wanted);
        if edge.is_none() {
            if self.trees.begins.take().is_some() {
                if let Some((meta, _)) = self.trees.taken.pop() {
                    self.release(&meta);
                }
            } else if let Some(followed) = self.trees.followed.get_mut(node.mover() as usize) {
                *followed = None;
            }
        }
        edge.map(|(slot, _)| slot)
    }

    /// Follows the trees past `action`, which is about to be played out of `node`. `lines` are those that go on after it,
    /// where a tree begins.
    #[cold]
    pub(super) fn advance_trees(&mut self, node: &Node, action: Action, lines: &[Line]) {
        let (game, guide) = (self.shared.game, self.shared.guide);
        for followed in &mut self.trees.followed {
            if let Some(Followed { tree: TreeId::Drawn(_), lines }) = followed {
                *lines = guide.steps_of(game, &self.position, lines, action);
                if lines.is_empty() {
                    *followed = None;
                }
            }
        }
        if let (Some(tree), Some(followed)) =
            (self.trees.begins.take(), self.trees.followed.get_mut(node.mover() as usize))
        {
            let own = match tree {
                TreeId::Drawn(number) => lines.iter().filter(|line| line.awaits_reply(number)).cloned().collect(),
                TreeId::Told(_) => Vec::new(),
            };
            let goes_on = matches!(tree, TreeId::Told(_)) || !own.is_empty();
            *followed = goes_on.then_some(Followed { tree, lines: own });
        }
    }

    /// Whether a tree goes on at the current position; those that end there are left.
    #[cold]
    pub(super) fn trees_go_on(&mut self) -> bool {
        let (game, guide) = (self.shared.game, self.shared.guide);
        for followed in &mut self.trees.followed {
            if let Some(Followed { tree: TreeId::Told(number), .. }) = *followed
                && !guide.names_move(game, &self.position, number)
            {
                *followed = None;
            }
        }
        self.trees.are_followed()
    }

    /// Makes ready for a simulation.
    pub(super) fn forget_trees(&mut self) {
        if self.trees.act() {
            self.trees.followed = [None, None];
            self.trees.begins = None;
        }
    }

    /// Counts the simulation, which is worth `value` for the first player, at the meta-edges that it took.
    pub(super) fn count_trees(&mut self, value: f32) {
        while let Some((meta, mover)) = self.trees.taken.pop() {
            meta.add(value * mover.sign(), self.parallel);
            self.release(&meta);
        }
    }

    /// Takes this simulation back from the meta-edges that it took.
    pub(super) fn leave_trees(&mut self) {
        while let Some((meta, _)) = self.trees.taken.pop() {
            self.release(&meta);
        }
        self.trees.wanted = None;
    }

    fn release(&self, meta: &MetaEdge) {
        if self.parallel {
            meta.pending.fetch_sub(1, Relaxed);
        }
    }
}
