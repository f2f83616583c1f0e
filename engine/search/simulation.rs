//! One simulation: select, expand, rollout, backup.

use std::sync::atomic::Ordering::{Relaxed, Release};

use playout_games::{Action, Game, Player, Rng};

use crate::{
    config::{Config, Leaf, SharedVisits},
    keys::{child_key, find_or_make},
    node::{Index, LOCKED, Node, OVER, UNORDERED, add},
    store::{Full, Stock, Store},
    tree_policy::{Choice, best_edge, view},
};

mod untried;
mod values;

/// What all threads of a search share.
pub struct Shared<'a, G: Game> {
    pub game: &'a G,
    pub store: &'a Store,
    pub config: &'a Config,
    pub root: Root<'a, G>,
    /// Whether several threads search this graph.
    pub parallel: bool,
}

/// Where simulations begin.
pub struct Root<'a, G: Game> {
    pub position: &'a G::Position,
    pub node: Index,
    /// The frame that makes the position canonical.
    pub frame: u8,
    /// Only these edges' actions, in the canonical frame; None is all.
    pub allowed: Option<&'a [Action]>,
}

/// A step of the path: the edge taken out of a node.
#[derive(Clone, Copy)]
struct Step {
    node: Index,
    edge: u32,
    /// Sum of n(s,a) Q(child) over the node's other edges, where the tree policy worked it out.
    others: Option<f32>,
}

/// How the descent goes on.
enum Next {
    /// Down this edge.
    Edge(Choice),
    /// A legal action has no edge yet.
    Untried,
    /// Nothing below: the game is over here, or its value is proven.
    Leaf,
}

/// What a leaf is worth.
struct Sample {
    /// For the first player.
    value: f32,
    /// Whether the leaf keeps it as a sample of its own.
    own: bool,
}

/// A thread's own state.
pub struct Worker<'a, G: Game> {
    shared: &'a Shared<'a, G>,
    pub stock: Stock,
    pub rng: Rng,
    position: G::Position,
    node: Index,
    frame: u8,
    path: Vec<Step>,
    actions: Vec<Action>,
    parallel: bool,
    /// Another thread expands the current node: a simulation that ends here is one more sample of the node's own.
    beaten: bool,
}

impl<'a, G: Game> Worker<'a, G> {
    pub fn new(shared: &'a Shared<'a, G>, rng: Rng) -> Worker<'a, G> {
        Worker {
            shared,
            stock: shared.store.take_stock(),
            rng,
            position: shared.root.position.clone(),
            node: shared.root.node,
            frame: shared.root.frame,
            path: Vec::with_capacity(256),
            actions: Vec::with_capacity(512),
            parallel: shared.parallel,
            beaten: false,
        }
    }

    pub fn game(&self) -> &'a G {
        self.shared.game
    }

    /// Runs one simulation and returns the length of its path in the graph.
    ///
    /// # Errors
    ///
    /// `Full` if the memory bound was reached; the graph is as before.
    pub fn simulate(&mut self) -> Result<u32, Full> {
        self.position.clone_from(self.shared.root.position);
        (self.node, self.frame) = (self.shared.root.node, self.shared.root.frame);
        self.path.clear();
        self.beaten = false;
        let descent = loop {
            let next = self.select();
            let step = match next {
                Next::Edge(choice) => Ok(Some((choice.slot, Some(choice.others)))),
                Next::Untried => self.expand().map(|edge| edge.map(|slot| (slot, None))),
                Next::Leaf => break Ok(()),
            };
            match step.and_then(|step| step.map_or(Ok(false), |(slot, others)| self.descend(slot, others))) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(full) => break Err(full),
            }
        };
        match descent {
            Ok(()) => {
                let sample = self.rollout();
                self.backup(sample);
                Ok(self.path.len() as u32)
            }
            Err(full) => {
                self.give_up();
                Err(full)
            }
        }
    }

    /// Select: the tree policy's choice at the current node.
    fn select(&mut self) -> Next {
        let Shared { store, config, .. } = self.shared;
        let node = store.node(self.node);
        if node.has(OVER) {
            return Next::Leaf;
        }
        let at_root = self.path.is_empty();
        let allowed = self.shared.root.allowed.filter(|_| at_root);
        let full = node.mover() != Player::Chance
            && allowed.map_or_else(|| node.full(), |actions| actions.iter().all(|&action| self.has_edge(node, action)));
        let inner = config.solver && !at_root;
        if !full {
            return if inner && self.newly_proven(node) { Next::Leaf } else { Next::Untried };
        }
        let virtual_loss = if self.parallel { config.virtual_loss } else { 0.0 };
        let choice = match allowed {
            None => best_edge(store, node, config.exploration, virtual_loss, config.solver, |_, _| true),
            Some(_) => None,
        };
        let unmoved = |choice: &Choice| choice.lower <= node.lower.get() && choice.upper >= node.upper.get();
        if inner && !choice.as_ref().is_some_and(unmoved) && self.newly_proven(node) {
            return Next::Leaf;
        }
        match choice.filter(|choice| self.may_take(choice)) {
            Some(choice) => Next::Edge(choice),
            None => self.select_among(node, allowed, virtual_loss),
        }
    }

    /// Whether the node is proven now: a child may have been proven by way of another parent.
    fn newly_proven(&self, node: &Node) -> bool {
        self.update_bounds(node);
        node.proven()
    }

    /// Whether the edge's action is legal here, whatever it was where the edge was made.
    fn may_take(&self, choice: &Choice) -> bool {
        let Shared { store, game, .. } = self.shared;
        let action = store.edge(choice.slot).action.load(Relaxed);
        game.still_legal(&self.position, game.from_frame(self.frame, action))
    }

    /// The tree policy's choice where some edges are out of the question: not allowed at the root, or not legal here.
    #[cold]
    fn select_among(&self, node: &Node, allowed: Option<&[Action]>, virtual_loss: f32) -> Next {
        let Shared { store, config, .. } = self.shared;
        let at_root = self.path.is_empty();
        let mut banned = Vec::new();
        loop {
            let pass = |solver| {
                best_edge(store, node, config.exploration, virtual_loss, solver, |slot, action| {
                    !banned.contains(&slot) && allowed.is_none_or(|actions| actions.contains(&action))
                })
            };
            let Some(choice) = pass(config.solver).or_else(|| if at_root { pass(false) } else { None }) else {
                return Next::Leaf;
            };
            if self.may_take(&choice) {
                return Next::Edge(choice);
            }
            banned.push(choice.slot);
        }
    }

    /// Expand: gives the current node the edge of an action that has none; at a chance node, of the outcome that is
    /// rolled. None if the node turns out to be a leaf, or another thread is expanding it and it has no edge to take yet.
    fn expand(&mut self) -> Result<Option<u32>, Full> {
        let Shared { store, game, root, .. } = self.shared;
        let node = store.node(self.node);
        if node.mover() == Player::Chance {
            let outcome = game.sample(&self.position, &mut self.rng);
            let action = game.to_frame(self.frame, outcome);
            let probability = game.probability(&self.position, outcome);
            return self.edge_for(node, action, probability);
        }
        self.distinct_actions();
        if let Some(allowed) = root.allowed.filter(|_| self.path.is_empty()) {
            node.flags.fetch_or(UNORDERED, Relaxed);
            self.actions.retain(|action| allowed.contains(action));
        }
        if !Self::try_lock(node) {
            return Ok(self.select_tried(node));
        }
        let appended = self.append_untried(node);
        node.flags.fetch_and(!LOCKED, Release);
        match appended? {
            Some(slot) => Ok(Some(slot)),
            None => Ok(match self.select() {
                Next::Edge(choice) => Some(choice.slot),
                _ => None,
            }),
        }
    }

    /// Plays the edge's action and moves to its child. False if the simulation ends there: a new node, a cycle, or a
    /// shared node whose visit is only counted.
    fn descend(&mut self, slot: u32, others: Option<f32>) -> Result<bool, Full> {
        let Shared { store, game, config, .. } = self.shared;
        let parent = store.node(self.node);
        let edge = store.edge(slot);
        let canonical = edge.action.load(Relaxed);
        let action = game.from_frame(self.frame, canonical);
        game.play(&mut self.position, action);
        let (key, frame) = child_key(*game, config, &self.position, parent.key.load(Relaxed), canonical);
        let mut index = edge.child.load(Relaxed);
        if index == 0 || store.node(index).key.load(Relaxed) != key {
            let gone = index == 0 && parent.mover() != Player::Chance;
            let taken = if gone { edge.visits.load(Relaxed) } else { 0 };
            index = find_or_make(*game, store, &self.position, key, &mut self.stock, |child| {
                if taken > 0 {
                    child.revive(edge.extra.get() * child.sign_for(parent.mover()), taken);
                }
            })?;
            // Who follows the link finds the node ready.
            edge.child.store(index, Release);
        }
        self.path.push(Step { node: self.node, edge: slot, others });
        (self.node, self.frame) = (index, frame);
        let child = store.node(index);
        if self.parallel {
            add(&child.pending, 1, true);
        }
        let visits = child.visits.load(Relaxed);
        if visits == 0 {
            return Ok(false);
        }
        if !game.acyclic() && self.path.iter().any(|step| step.node == index) {
            return Ok(false);
        }
        Ok(config.shared_visits == SharedVisits::Descend || visits <= edge.visits.load(Relaxed))
    }

    /// Rollout: what the leaf is worth.
    fn rollout(&mut self) -> Sample {
        let Shared { store, game, config, .. } = self.shared;
        let node = store.node(self.node);
        let sign = node.mover().sign();
        if node.has(OVER) || node.visits.load(Relaxed) > 0 && !self.beaten {
            return Sample { value: node.value.get() * sign, own: false };
        }
        let known = if config.leaf == Leaf::Static && node.mover() != Player::Chance {
            game.evaluate(&mut self.position).map(|value| value * sign)
        } else {
            None
        };
        let value = known.unwrap_or_else(|| game.rollout(&mut self.position, &mut self.rng));
        Sample { value, own: true }
    }

    /// Backup: counts the visit along the path and recomputes each value from the edges, leaf first.
    fn backup(&mut self, sample: Sample) {
        let Shared { store, config, .. } = self.shared;
        let outcome = self.outcome(sample.value);
        let leaf = store.node(self.node);
        if !self.path.is_empty() {
            self.leave(leaf);
        }
        if sample.own || leaf.has(OVER) {
            if sample.own {
                leaf.add_own(sample.value * leaf.mover().sign(), self.parallel);
            }
            self.count(leaf, outcome);
            self.recompute(leaf);
        } else if config.solver && leaf.proven() {
            self.count(leaf, outcome);
        }
        let mut bounds_moved = config.solver && (leaf.lower.get() > -1.0 || leaf.upper.get() < 1.0);
        for i in (0..self.path.len()).rev() {
            let Step { node, edge, others } = self.path[i];
            let node = store.node(node);
            let edge = store.edge(edge);
            add(&edge.visits, 1, self.parallel);
            if i > 0 {
                self.leave(node);
            }
            self.count(node, outcome);
            if bounds_moved {
                self.update_bounds(node);
            }
            match others {
                Some(others) => {
                    let taken = view(store, node.mover(), edge);
                    self.set_value(node, node.own.get() + others + taken.visits * taken.value);
                }
                None => self.recompute(node),
            }
            bounds_moved = config.solver && (node.lower.get() > -1.0 || node.upper.get() < 1.0);
        }
    }

    /// Who wins the simulation: +1 the first player, -1 the second, 0 nobody. An estimate between is drawn at random
    /// in its proportion.
    fn outcome(&mut self, value: f32) -> i8 {
        if self.shared.config.leaf == Leaf::Playout {
            return if value > 0.0 { 1 } else { -i8::from(value < 0.0) };
        }
        let sure = value.abs();
        if sure >= 1.0 || self.rng.f32() < sure { if value > 0.0 { 1 } else { -1 } } else { 0 }
    }

    fn count(&self, node: &Node, outcome: i8) {
        add(&node.visits, 1, self.parallel);
        if outcome == 0 {
            add(&node.draws, 1, self.parallel);
        } else if (outcome > 0) == (node.mover().sign() > 0.0) {
            add(&node.wins, 1, self.parallel);
        }
    }

    /// Takes this simulation's virtual loss at a node back.
    fn leave(&self, node: &Node) {
        if self.parallel {
            node.pending.fetch_sub(1, Relaxed);
        }
    }

    /// Takes all its virtual losses back.
    fn give_up(&self) {
        let below = self.path.iter().skip(1).map(|step| step.node).chain(Some(self.node));
        below.take(self.path.len()).for_each(|index| self.leave(self.shared.store.node(index)));
    }
}
