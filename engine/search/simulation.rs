//! One simulation: select, expand, rollout, backup.

use std::sync::atomic::Ordering::{Relaxed, Release};

use playout_games::{Action, Game, Player, Rng, Trace};

use crate::{
    config::{Config, Leaf, SharedVisits},
    evaluator::Evaluator,
    graph::{
        keys::{NodeFinder, child_key},
        node::{Index, KNOWN, LOCKED, Node, OVER, RESTRICTED},
        store::{Full, Stock, Store},
        view::view,
    },
    guide::Guide,
    meta::MetaTable,
    policy::PointsTerm,
    restriction::Restriction,
    sync::add,
};

/// Nodes of a path, from the root on, that take note of the score: the root, its moves, and what may be that soon. Where
/// points count in the search, all do.
const SCORED: usize = 6;

mod advice;
mod amaf;
mod criticality;
mod history;
mod komi;
mod lookahead;
mod meta;
mod playout;
mod restricted;
mod select;
mod study;
mod untried;
mod values;

use advice::AdviceCache;
use amaf::Statistics;
pub use criticality::Criticality;
pub use history::History;
use meta::Trees;
use playout::Replies;
pub use study::Studies;

/// Inputs of all simulations in one tree, which its threads share.
pub struct Shared<'a, G: Game> {
    pub game: &'a G,
    pub evaluator: Evaluator<'a, G>,
    pub store: &'a Store,
    pub metas: &'a MetaTable,
    pub config: &'a Config,
    pub guide: &'a Guide<G>,
    pub studies: &'a Studies,
    /// Kept where moves are judged by it.
    pub history: Option<&'a History>,
    /// Kept where AMAF values grow by it.
    pub criticality: Option<&'a Criticality>,
    pub root: Root<'a, G>,
    /// Moves that are kept out of the first plies.
    pub restriction: Option<&'a Restriction>,
    /// Plies from the root from which on the game's tables are asked.
    pub table_depth: u32,
    /// Plies from the root up to which books are asked.
    pub book_plies: u32,
    /// Whether several threads search this graph.
    pub parallel: bool,
}

impl<G: Game> Shared<'_, G> {
    /// Whether another thread is giving the root its first moves. A simulation would end there, and a search of few
    /// simulations would spend them all.
    pub fn root_awaits_moves(&self) -> bool {
        let root = self.store.node(self.root.node);
        self.parallel && root.has(LOCKED) && root.edge_count.load(Relaxed) == 0
    }
}

/// The position at which simulations begin.
pub struct Root<'a, G: Game> {
    pub position: &'a G::Position,
    pub node: Index,
    /// The frame that makes the position canonical.
    pub frame: u8,
    /// Only these edges' actions, in the canonical frame; None is all.
    pub allowed: Option<&'a [Action]>,
    /// Dirichlet noise of the root's actions, in the canonical frame.
    pub noise: &'a [(Action, f32)],
}

/// A step of the path: the edge taken out of a node.
#[derive(Clone, Copy)]
struct PathStep {
    node: Index,
    edge: u32,
    /// Sum of n(s,a) Q(child) over the node's other edges, where the tree policy worked it out.
    others: Option<f32>,
    /// The action that was played, as the rules see it.
    action: Action,
    /// The node's frame.
    frame: u8,
}

/// The next step of a descent.
enum Next {
    /// Down this edge; with the sum of n(s,a) Q(child) over the node's others, if it is known.
    Edge(u32, Option<f32>),
    /// A legal action has no edge yet.
    Untried,
    /// No further.
    Leaf(DescentEnd),
}

/// The kind of node at the end of a descent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DescentEnd {
    /// A node whose value stands: the game is over, the value proven, the line a cycle, or the visit only counted.
    Known,
    /// A node that takes a sample of its own.
    Sample,
}

/// The value of a leaf.
#[derive(Clone, Copy)]
struct Sample {
    /// For the first player.
    value: f32,
    /// Whether it is the result of a game, not an estimate.
    result: bool,
    /// Whether the leaf keeps it as a sample of its own.
    own: bool,
    /// The first player's lead in points, where the game counts them and the simulation came to an end.
    score: Option<f32>,
}

/// A thread's own state.
pub struct Worker<'a, G: Game> {
    shared: &'a Shared<'a, G>,
    pub stock: Stock,
    pub rng: Rng,
    position: G::Position,
    node: Index,
    frame: u8,
    path: Vec<PathStep>,
    actions: Vec<Action>,
    preferences: Vec<f32>,
    priors: Vec<f32>,
    trace: Trace,
    owners: Vec<i8>,
    amaf: Statistics,
    replies: Replies,
    advised: AdviceCache,
    trees: Trees,
    /// Worth of leads in this simulation.
    points: PointsTerm,
    /// Lead that this simulation has to exceed.
    needed_lead: f32,
    parallel: bool,
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
            preferences: Vec::new(),
            priors: Vec::new(),
            trace: Trace::new(),
            owners: Vec::new(),
            amaf: Statistics::default(),
            replies: Replies::default(),
            advised: AdviceCache::default(),
            trees: Trees::default(),
            points: PointsTerm::default(),
            needed_lead: 0.0,
            parallel: shared.parallel,
        }
    }

    pub fn game(&self) -> &'a G {
        self.shared.game
    }

    /// Runs one simulation and returns the length of its path in the graph, and its result for the first player.
    ///
    /// # Errors
    ///
    /// `Full` if the memory bound was reached; no statistics have changed.
    pub fn simulate(&mut self) -> Result<(u32, f32), Full> {
        self.position.clone_from(self.shared.root.position);
        (self.node, self.frame) = (self.shared.root.node, self.shared.root.frame);
        self.path.clear();
        self.trace.clear();
        self.amaf.begin();
        self.forget_trees();
        self.points = PointsTerm::at(self.shared.config, self.shared.store, self.node);
        self.needed_lead = komi::needed_lead(self.shared.config, self.shared.store, self.node);
        let descent = loop {
            let next = match self.select() {
                Next::Untried => self.expand(),
                next => Ok(next),
            };
            let end = match next {
                Ok(Next::Edge(slot, others)) => self.descend(slot, others),
                Ok(Next::Untried) => Ok(Some(DescentEnd::Sample)),
                Ok(Next::Leaf(end)) => Ok(Some(end)),
                Err(full) => Err(full),
            };
            match end {
                Ok(None) => {}
                Ok(Some(end)) => break Ok(end),
                Err(full) => break Err(full),
            }
        };
        match descent {
            Ok(end) => {
                let sample = self.rollout(end);
                self.backup(sample);
                Ok((self.path.len() as u32, sample.value))
            }
            Err(full) => {
                self.give_up();
                Err(full)
            }
        }
    }

    /// Expand: gives the current node the edge of an action that has none, or several where the policy compares them
    /// unvisited; at a chance node, the edge of the outcome that is rolled. Says how the descent goes on.
    fn expand(&mut self) -> Result<Next, Full> {
        let Shared { store, game, .. } = self.shared;
        let node = store.node(self.node);
        if node.mover() == Player::Chance {
            let outcome = game.sample(&self.position, &mut self.rng);
            let action = game.to_frame(self.frame, outcome);
            let probability = game.probability(&self.position, outcome);
            return Ok(self.edge_for(node, action, probability)?.map_or(Next::Untried, |slot| Next::Edge(slot, None)));
        }
        let allowed = self.shared.root.allowed.filter(|_| self.path.is_empty());
        let appended = self.append(node)?;
        if let Some(wanted) = self.trees.wanted()
            && let Some(slot) = self.wanted_edge(node, wanted)
        {
            return Ok(Next::Edge(slot, None));
        }
        Ok(match appended {
            Some(slot) => Next::Edge(slot, None),
            None if node.edge_count.load(Relaxed) == 0 => Next::Untried,
            None => self.select_among(node, allowed),
        })
    }

    /// Plays the edge's action and moves to its child. The end of the descent if it is there: a new node, a cycle, or a
    /// shared node whose visit is only counted.
    fn descend(&mut self, slot: u32, others: Option<f32>) -> Result<Option<DescentEnd>, Full> {
        let Shared { store, game, config, .. } = self.shared;
        let parent = store.node(self.node);
        let edge = store.edge(slot);
        let canonical = edge.action.load(Relaxed);
        let action = game.undo_frame(self.frame, canonical);
        let first = edge.leads_to() == 0;
        let lines = if first || self.trees.begin() { self.lines_after(parent, action) } else { Vec::new() };
        let follows = self.trees.act();
        if follows {
            self.advance_trees(parent, action, &lines);
        }
        game.play(&mut self.position, action);
        let (key, frame) = if parent.has(RESTRICTED) {
            self.restricted_key(parent, canonical)
        } else {
            child_key(*game, config, &self.position, parent.key.load(Relaxed), canonical)
        };
        let mut index = edge.leads_to();
        if index == 0 || store.node(index).key.load(Relaxed) != key {
            index = self.child(parent, slot, key)?;
            edge.child.store(index, Release);
        }
        self.path.push(PathStep { node: self.node, edge: slot, others, action, frame: self.frame });
        (self.node, self.frame) = (index, frame);
        let child = store.node(index);
        if first && !lines.is_empty() {
            self.note(child, &lines);
        }
        if self.parallel {
            add(&child.pending, 1, true);
        }
        let visits = child.visits.load(Relaxed);
        let goes_on = follows && self.trees_go_on();
        if visits == 0 && (!goes_on || child.has(OVER | KNOWN)) {
            return Ok(Some(if child.has(OVER | KNOWN) { DescentEnd::Known } else { DescentEnd::Sample }));
        }
        if !game.acyclic() && self.path.iter().any(|step| step.node == index) {
            return Ok(Some(DescentEnd::Known));
        }
        let counted = config.shared_visits == SharedVisits::Count && visits > edge.visits.load(Relaxed);
        Ok(counted.then_some(DescentEnd::Known))
    }

    /// The node of the current position, to which the edge in `slot` leads. A new one starts with what the edge knows of
    /// it: the results of a child that was reclaimed, or the observations of a hint.
    fn child(&mut self, parent: &Node, slot: u32, key: u64) -> Result<Index, Full> {
        let Shared { store, evaluator, config, guide, table_depth, .. } = *self.shared;
        let edge = store.edge(slot);
        let new = edge.child.load(Relaxed) == 0 && parent.mover() != Player::Chance;
        let (taken, value) = if new { (edge.visits.load(Relaxed), edge.extra.get()) } else { (0, 0.0) };
        let ask_tables = self.path.len() as u32 + 1 >= table_depth;
        let graph =
            NodeFinder { evaluator, store, config, guide, ask_tables, restricted: self.restricts_below(parent) };
        graph.find_or_make(&mut self.position, key, &mut self.stock, |child| {
            if taken > 0 {
                child.revive(value * child.sign_for(parent.mover()), taken);
            }
        })
    }

    /// Rollout: what the leaf is worth.
    fn rollout(&mut self, end: DescentEnd) -> Sample {
        let Shared { store, config, .. } = self.shared;
        let node = store.node(self.node);
        let sign = node.mover().sign();
        if end == DescentEnd::Known {
            let result = node.has(OVER) || node.proven() && !node.has(KNOWN);
            let score = if !store.has_scores() {
                None
            } else if node.has(OVER) {
                Some(self.shared.game.score(&self.position))
            } else {
                store.score(self.node).lead()
            };
            return Sample { value: node.mean() * sign, result, own: false, score };
        }
        let known = if config.leaf_evaluation == Leaf::Static && node.mover() != Player::Chance {
            self.shared.evaluator.value(&mut self.position).map(|value| value * sign)
        } else {
            None
        };
        match known {
            Some(value) => Sample { value, result: false, own: true, score: self.lead_by_playout() },
            None => {
                let (mut value, result) = self.play_out();
                let score = (result && store.has_scores()).then(|| self.shared.game.score(&self.position));
                if let Some(lead) = score.filter(|_| self.needed_lead != 0.0) {
                    value = komi::result(lead, self.needed_lead);
                }
                if result && let Some(criticality) = self.shared.criticality {
                    self.shared.game.owners(&self.position, &mut self.owners);
                    criticality.add(value, &self.owners);
                }
                Sample { value, result, own: true, score }
            }
        }
    }

    /// Backup: counts the visit along the path and recomputes each value from the edges, leaf first.
    fn backup(&mut self, sample: Sample) {
        let Shared { store, config, .. } = self.shared;
        self.count_trees(sample.value);
        let outcome = self.outcome(sample);
        let leaf = store.node(self.node);
        if !self.path.is_empty() {
            self.leave(leaf);
        }
        if sample.own || leaf.has(OVER | KNOWN) {
            if sample.own {
                leaf.add_own(sample.value * leaf.mover().sign(), self.parallel);
            }
            self.count(leaf, outcome);
            self.recompute(leaf);
        } else if config.solver && leaf.proven() {
            self.count(leaf, outcome);
        }
        if let Some(history) = self.shared.history {
            self.add_history(history, sample.value);
        }
        let mut bounds_moved = config.solver && (leaf.lower.get() > -1.0 || leaf.upper.get() < 1.0);
        for i in (0..self.path.len()).rev() {
            let PathStep { node, edge, others, .. } = self.path[i];
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
        if config.uses_amaf() {
            let points = sample.score.map_or(0.0, |lead| self.points.worth(lead));
            self.add_amaf(sample.value + points);
        }
        if let Some(score) = sample.score {
            let leaf = (sample.own || leaf.has(OVER)).then_some(self.node);
            let scored = if config.points_weight > 0.0 { usize::MAX } else { SCORED };
            for index in self.path.iter().map(|step| step.node).chain(leaf).take(scored) {
                store.score(index).add(score);
            }
        }
    }

    /// Tells the history how much better than each position of the path the simulation came out for its mover.
    fn add_history(&self, history: &History, value: f32) {
        for step in &self.path {
            let node = self.shared.store.node(step.node);
            let mover = node.mover();
            if mover != Player::Chance {
                history.add(mover, step.action, value * mover.sign() - node.value.get());
            }
        }
    }

    /// Takes this simulation's virtual loss at a node back.
    fn leave(&self, node: &Node) {
        if self.parallel {
            node.pending.fetch_sub(1, Relaxed);
        }
    }

    /// Takes all its virtual losses back.
    fn give_up(&mut self) {
        self.leave_trees();
        let below = self.path.iter().skip(1).map(|step| step.node).chain(Some(self.node));
        below.take(self.path.len()).for_each(|index| self.leave(self.shared.store.node(index)));
    }
}
