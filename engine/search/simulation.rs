//! One simulation: select, expand, rollout, backup.

use std::sync::atomic::{
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

use playout_games::{Action, Game, Player, Rng, zobrist};

use crate::{
    config::{Config, Leaf, SharedVisits},
    node::{FULL, Index, LOCKED, Node, OVER, PATH_DEPENDENT, UNORDERED, add},
    store::{Full, Stock, Store},
    tree_policy::{Choice, best_edge, view},
};

/// What all threads of a search share.
pub struct Shared<'a, G: Game> {
    pub game: &'a G,
    pub store: &'a Store,
    pub config: &'a Config,
    pub root: Root<'a, G>,
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

/// By how much sums of probabilities may be off.
const ROUNDING: f32 = 4e-6;

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
}

impl<'a, G: Game> Worker<'a, G> {
    pub fn new(shared: &'a Shared<'a, G>, rng: Rng) -> Worker<'a, G> {
        Worker {
            shared,
            stock: Stock::default(),
            rng,
            position: shared.root.position.clone(),
            node: shared.root.node,
            frame: shared.root.frame,
            path: Vec::with_capacity(256),
            actions: Vec::with_capacity(512),
            parallel: shared.config.threads > 1,
        }
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
        let result = descent.map(|()| {
            let sample = self.rollout();
            self.backup(sample);
            self.path.len() as u32
        });
        self.leave();
        result
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
            && allowed
                .map_or_else(|| node.has(FULL), |actions| actions.iter().all(|&action| self.has_edge(node, action)));
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
    /// rolled. None if all are there already or the node turns out to be a leaf.
    fn expand(&mut self) -> Result<Option<u32>, Full> {
        let Shared { store, game, root, .. } = self.shared;
        let node = store.node(self.node);
        if node.mover() == Player::Chance {
            let outcome = game.sample(&self.position, &mut self.rng);
            let action = game.to_frame(self.frame, outcome);
            let probability = game.probability(&self.position, outcome);
            return self.edge_for(node, action, probability).map(Some);
        }
        self.distinct_actions();
        if let Some(allowed) = root.allowed.filter(|_| self.path.is_empty()) {
            node.flags.fetch_or(UNORDERED, Relaxed);
            self.actions.retain(|action| allowed.contains(action));
        }
        self.lock(node);
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

    /// Fills `actions` with the legal actions in the canonical frame, one of each set that the position's own
    /// symmetries make equivalent.
    fn distinct_actions(&mut self) {
        let Shared { game, config, .. } = self.shared;
        let (position, frame) = (&self.position, self.frame);
        game.actions(position, &mut self.actions);
        if config.symmetries && game.frames() > 1 {
            let key = game.frame_key(position, 0);
            let own: Vec<u8> = (1..game.frames()).filter(|&f| game.frame_key(position, f) == key).collect();
            if !own.is_empty() {
                self.actions.retain(|&action| {
                    let image = game.to_frame(frame, action);
                    own.iter().all(|&f| image <= game.to_frame(frame, game.to_frame(f, action)))
                });
            }
        }
        for action in &mut self.actions {
            *action = game.to_frame(frame, *action);
        }
    }

    /// Appends the edge of the untried one of `actions` that comes first in the node's own random order.
    fn append_untried(&mut self, node: &Node) -> Result<Option<u32>, Full> {
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
            node.flags.fetch_or(FULL | hidden, Relaxed);
        }
        Ok(slot)
    }

    fn has_edge(&self, node: &Node, action: Action) -> bool {
        self.shared.store.edges_of(node).any(|(_, edge)| edge.action.load(Relaxed) == action)
    }

    /// The edge of `action` at a chance node, appended if need be.
    fn edge_for(&mut self, node: &Node, action: Action, probability: f32) -> Result<u32, Full> {
        let store = self.shared.store;
        let find = || store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == action).map(|(slot, _)| slot);
        if let Some(slot) = find() {
            return Ok(slot);
        }
        self.lock(node);
        let slot = match find() {
            Some(slot) => Ok(slot),
            None => store.append_edge(node, action, probability, 21, &mut self.stock),
        };
        node.flags.fetch_and(!LOCKED, Release);
        slot
    }

    fn lock(&self, node: &Node) {
        while node.flags.fetch_or(LOCKED, Acquire) & LOCKED != 0 {
            std::hint::spin_loop();
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
        if node.has(OVER) || node.visits.load(Relaxed) > 0 {
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

    /// Q(s) = (own samples + sum of n(s,a) Q(child)) / N(s), kept within what is proven. At a chance node the mean by
    /// probability over the outcomes seen so far.
    fn recompute(&self, node: &Node) {
        if node.has(OVER) {
            return;
        }
        let store = self.shared.store;
        let mover = node.mover();
        if mover != Player::Chance || node.edge_count.load(Relaxed) == 0 {
            let terms = store.edges_of(node).map(|(_, edge)| view(store, mover, edge));
            self.set_value(node, node.own.get() + terms.map(|seen| seen.visits * seen.value).sum::<f32>());
            return;
        }
        let (mut sum, mut mass) = (0.0, 0.0);
        for (_, edge) in store.edges_of(node).filter(|(_, edge)| edge.visits.load(Relaxed) > 0) {
            sum += edge.extra.get() * view(store, mover, edge).value;
            mass += edge.extra.get();
        }
        if mass > 0.0 {
            Self::set_mean(node, sum / mass);
        }
    }

    /// Makes `sum` over the visits the node's value.
    #[inline]
    fn set_value(&self, node: &Node, sum: f32) {
        Self::set_mean(node, sum / node.visits.load(Relaxed).max(1) as f32);
    }

    #[inline]
    fn set_mean(node: &Node, mean: f32) {
        let (lower, upper) = (node.lower.get(), node.upper.get());
        node.value.set(if mean < lower {
            lower
        } else if mean > upper {
            upper
        } else {
            mean
        });
    }

    /// Score-bounded MCTS-Solver (Winands, Bjornsson and Saito 2008; Cazenave and Saffidine 2010): a node is worth at
    /// least the best lower bound of its children and, once all moves are tried, at most the best upper bound; a
    /// chance node is worth the mean of its outcomes' bounds.
    fn update_bounds(&self, node: &Node) {
        if node.has(OVER) || node.proven() {
            return;
        }
        let store = self.shared.store;
        let mover = node.mover();
        let (mut lower, mut upper) = (-1.0_f32, -1.0_f32);
        let (mut mean_lower, mut mean_upper, mut mass) = (0.0, 0.0, 0.0);
        for (_, edge) in store.edges_of(node) {
            let seen = view(store, mover, edge);
            if mover == Player::Chance {
                let p = edge.extra.get();
                mean_lower += p * seen.lower;
                mean_upper += p * seen.upper;
                mass += p;
            }
            lower = lower.max(seen.lower);
            upper = upper.max(seen.upper);
        }
        if mover == Player::Chance {
            // All outcomes were seen if their probabilities add up to 1, but for rounding.
            let unseen = 1.0 - mass;
            (lower, upper) = if unseen.abs() < ROUNDING {
                (mean_lower / mass, mean_upper / mass)
            } else {
                (mean_lower - unseen, mean_upper + unseen)
            };
            if upper - lower < ROUNDING {
                upper = lower;
            }
        } else if !node.has(FULL) || node.has(PATH_DEPENDENT) {
            upper = 1.0;
        }
        lower = lower.max(node.lower.get());
        upper = upper.min(node.upper.get());
        if lower >= upper {
            // Other threads count on from here as soon as the bounds meet.
            upper = lower;
            node.value.set(lower);
            node.plies.store(self.proof_length(node, lower), Relaxed);
            fence(Release);
        }
        if lower > node.lower.get() {
            node.lower.set(lower);
        }
        if upper < node.upper.get() || lower >= upper {
            node.upper.set(upper);
        }
    }

    /// Plies to the end of a node that is proven to be worth `value`: the winner hurries, the loser delays.
    fn proof_length(&self, node: &Node, value: f32) -> u32 {
        let (store, mover) = (self.shared.store, node.mover());
        let lengths = store.edges_of(node).filter_map(|(_, edge)| {
            let seen = view(store, mover, edge);
            let exact = seen.lower >= seen.upper && (mover == Player::Chance || seen.lower >= value);
            exact.then(|| {
                fence(Acquire);
                store.node(edge.child.load(Relaxed)).plies.load(Relaxed) + 1
            })
        });
        (if value > 0.0 && mover != Player::Chance { lengths.min() } else { lengths.max() }).unwrap_or(0)
    }

    /// Takes this simulation's virtual losses back.
    fn leave(&mut self) {
        if self.parallel {
            let store = self.shared.store;
            let below = self.path.iter().skip(1).map(|step| step.node).chain(Some(self.node));
            for index in below.take(self.path.len()) {
                store.node(index).pending.fetch_sub(1, Relaxed);
            }
        }
    }
}

/// The rank of an action in the random order in which a node tries its actions.
#[inline]
fn priority(salt: u64, action: Action) -> u64 {
    let mut z = salt ^ u64::from(action).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ u64::from(action)
}

/// The key and the canonical frame of a position that `action` (canonical) led to from the node with key `parent`.
/// In a plain tree every path has a key of its own.
pub fn child_key<G: Game>(game: &G, config: &Config, position: &G::Position, parent: u64, action: Action) -> (u64, u8) {
    let (key, frame) = if config.symmetries && game.frames() > 1 {
        game.canonical(position)
    } else {
        (if config.transpositions { game.frame_key(position, 0) } else { 0 }, 0)
    };
    if config.transpositions { (key, frame) } else { (zobrist::key(parent, u64::from(action) + 1), frame) }
}

/// The node of `position` under `key`. A new one of a finished game gets its result; `make` has the last word on any
/// other that is new.
///
/// # Errors
///
/// `Full` if the memory bound is reached.
pub fn find_or_make<G: Game>(
    game: &G,
    store: &Store,
    position: &G::Position,
    key: u64,
    stock: &mut Stock,
    make: impl Fn(&Node),
) -> Result<Index, Full> {
    if let Some(index) = store.find(key) {
        return Ok(index);
    }
    let result = game.result(position);
    let mover = if result.is_some() { Player::First } else { game.player(position) };
    // Once it is in the table, other threads build on what they find in it.
    store.find_or_insert(key, stock, |node| {
        node.reset(key, mover);
        match result {
            Some(value) => node.set_result(value, !game.path_dependent(position)),
            None => make(node),
        }
    })
}
