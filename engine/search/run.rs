//! Searching: threads run simulations until something ends the search.

use std::{
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};

use playout_games::{Action, Game, Rng};

use crate::{
    config::{Parallelism, PolicyKind, RootChoice},
    control::{Control, Limits, Reason},
    graph::tree::Tree,
    policy::gamma,
    report::{SearchReport, SearchResult, choice::is_max_robust, temperature::draw},
    search::Search,
    simulation::{Criticality, History, Root, Shared},
};

mod course;
mod full_width;
#[cfg(test)]
mod models;
mod threads;

use course::Course;
use threads::{RunState, help, lead};

impl<G: Game> Search<G> {
    /// Searches until a bound is reached, calling `on_report` every `interval`. Blocks.
    pub fn run(
        &mut self,
        limits: Limits,
        control: &Control,
        interval: Duration,
        lines: usize,
        on_report: &mut dyn FnMut(&G, &G::Position, SearchReport),
    ) -> SearchResult {
        if self.config.tree_policy == PolicyKind::Minimax {
            return self.run_full_width(self.config.search_depth, limits, control);
        }
        let began = Instant::now();
        let nodes = limits.nodes.into_iter().chain(self.flat_simulations()).min();
        let limits = Limits { nodes, ..limits };
        let mut next_report = began + interval;
        let state = RunState::new(limits.nodes, self.trees.len());
        let threads = match self.config.parallelism {
            Parallelism::Tree => self.config.threads,
            Parallelism::Root => self.trees.len(),
        };
        let mut ended = None;
        let mut course = Course::default();
        let allowed: Option<Vec<Action>> =
            self.allowed.as_ref().map(|allowed| allowed.iter().map(|&(canonical, _)| canonical).collect());
        self.searches += 1;
        self.history = (self.config.history_weight > 0.0).then(History::new);
        let critical = self.config.uses_amaf() && self.config.rave_criticality > 0.0;
        self.criticality = critical.then(|| {
            let points = self.game.grid().map_or(0, |grid| 64 * grid.words());
            Criticality::new(points)
        });
        let seed = (self.config.seed ^ self.variation).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ self.searches;
        let noise = self.root_noise(seed);
        let until_proven = !limits.past_proof && self.allowed.is_none();
        let mut round = 0;
        let reason = loop {
            round += 1;
            state.halt().store(false, Relaxed);
            state.pause().store(false, Relaxed);
            let done_before = state.simulations();
            let shared: Vec<Shared<G>> =
                self.trees.iter().map(|tree| self.shared(tree, allowed.as_deref(), &noise)).collect();
            let seed_of = |thread: usize| Rng::with_seed(seed ^ (round << 32) ^ ((thread as u64) << 48));
            thread::scope(|scope| {
                for thread in 1..threads {
                    let (tree, state, rng) = (thread % shared.len(), &state, seed_of(thread));
                    let shared = &shared[tree];
                    scope.spawn(move || help(shared, tree, state, rng));
                }
                let mut glance = |state: &RunState| {
                    let reason = self.ending(limits, control, state, (began, &mut course));
                    if let Some(reason) = reason {
                        ended.get_or_insert(reason);
                    } else if Instant::now() >= next_report {
                        next_report = Instant::now() + interval;
                        on_report(&self.game, &self.position, self.complete(self.report(lines), state, began));
                    } else if self.nears_most_visits(state.simulations() - done_before) {
                        state.pause().store(true, Relaxed);
                    }
                    reason.is_some()
                };
                let first = self.trees[0].store.node(self.trees[0].root);
                let proven = || until_proven && self.proof_ends(first.lower.get(), first.upper.get());
                lead(&shared[0], &state, seed_of(0), (control, &proven), &mut glance);
            });
            for tree in &mut self.trees {
                tree.count(state.simulations() - done_before, self.most_visits, &mut self.upkeep);
            }
            let full = state.take_full();
            if let Some(reason) = ended {
                break reason;
            }
            let cost: Duration =
                self.trees.iter().zip(&full).filter(|(_, full)| **full).map(|(tree, _)| tree.store.room_cost()).sum();
            match control.time_left().filter(|&left| left < cost.as_secs_f64()) {
                Some(left) if left < began.elapsed().as_secs_f64() => break Reason::Deadline,
                Some(_) => self.clear(),
                None => {
                    for (tree, _) in self.trees.iter_mut().zip(full).filter(|(_, full)| *full) {
                        tree.make_room(&mut self.upkeep);
                    }
                }
            }
        };
        let lines = if self.config.temperature > 0.0 { usize::MAX } else { lines };
        let mut report = self.complete(self.report(lines), &state, began);
        if self.config.temperature > 0.0 {
            draw(&mut report.moves, self.config.temperature, &mut Rng::with_seed(!seed));
        }
        SearchResult { reason, report }
    }

    /// Dirichlet noise for the root's actions, in the canonical frame: Gamma numbers over their sum.
    fn root_noise(&self, seed: u64) -> Vec<(Action, f32)> {
        if self.config.root_noise <= 0.0 {
            return Vec::new();
        }
        let actions = self.root_actions();
        let mut rng = Rng::with_seed(seed ^ 0x6E01_5E00);
        let draws: Vec<f32> = actions.iter().map(|_| gamma(self.config.root_noise_alpha, &mut rng)).collect();
        let sum = draws.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        actions.into_iter().zip(draws).map(|(action, draw)| (action, draw / sum)).collect()
    }

    /// Inputs of the simulations in `tree`.
    fn shared<'a>(
        &'a self,
        tree: &'a Tree,
        allowed: Option<&'a [Action]>,
        noise: &'a [(Action, f32)],
    ) -> Shared<'a, G> {
        Shared {
            game: &self.game,
            evaluator: self.evaluator(),
            store: &tree.store,
            metas: &tree.metas,
            config: &tree.config,
            guide: &self.guide,
            studies: &self.studies,
            history: self.history.as_ref(),
            criticality: self.criticality.as_ref(),
            restriction: self.restriction.as_ref(),
            table_depth: self.table_depth,
            book_plies: self.book_plies,
            root: Root { position: &self.position, node: tree.root, frame: self.frame, allowed, noise },
            parallel: self.config.threads > 1 && self.config.parallelism == Parallelism::Tree,
        }
    }

    fn nears_most_visits(&self, simulations: u64) -> bool {
        self.trees.iter().any(|tree| tree.nears(self.most_visits, simulations))
    }

    fn complete(&self, report: SearchReport, state: &RunState, began: Instant) -> SearchReport {
        let simulations = state.simulations();
        let (depth, longest) = state.depths();
        let mover = self.trees[0].store.node(self.trees[0].root).mover();
        let sum = state.results() * f64::from(mover.sign());
        SearchReport {
            seconds: began.elapsed().as_secs_f64(),
            simulations,
            mean_depth: depth as f32 / simulations.max(1) as f32,
            longest,
            simulated: (simulations > 0).then(|| (sum / simulations as f64) as f32),
            ..report
        }
    }

    /// The first bound that is reached now, if any.
    fn ending(
        &self,
        limits: Limits,
        control: &Control,
        state: &RunState,
        (began, course): (Instant, &mut Course),
    ) -> Option<Reason> {
        let simulations = state.simulations();
        let root = self.root_state();
        if self.game.faulty() {
            Some(Reason::Fault)
        } else if control.stopped() {
            Some(Reason::Stop)
        } else if limits.nodes.is_some_and(|nodes| simulations >= nodes) {
            Some(Reason::Nodes)
        } else if control.late()
            && !(control.only_soft() && (self.wants_max_robust() || self.unsettled(began.elapsed(), control, course)))
        {
            Some(Reason::Deadline)
        } else if !limits.past_proof && self.allowed.is_none() && self.proof_ends(root.lower, root.upper) {
            Some(Reason::Proven)
        } else if limits
            .mate
            .is_some_and(|moves| root.proven() && root.lower > 0.0 && root.plies < moves.saturating_mul(2))
        {
            Some(Reason::Mate)
        } else if limits
            .depth
            .is_some_and(|depth| self.report(1).moves.first().is_some_and(|best| best.line.len() >= depth as usize))
        {
            Some(Reason::Depth)
        } else if control.soft_left().is_some() && self.decided(simulations, began.elapsed(), control, course) {
            Some(Reason::Decided)
        } else {
            None
        }
    }

    /// Whether these bounds of the root end a search for proofs. A game that is lost goes on for its points.
    fn proof_ends(&self, lower: f32, upper: f32) -> bool {
        let for_points = self.config.points_weight > 0.0 && self.game.is_scored();
        lower >= upper && !(for_points && upper <= -1.0)
    }

    /// Number of simulations of a flat search: `flat_playouts` for each root move. None is no bound.
    fn flat_simulations(&self) -> Option<u64> {
        if !self.config.is_flat() || self.config.flat_playouts == 0 {
            return None;
        }
        let moves = self.allowed.as_ref().map_or_else(|| self.root_actions().len(), Vec::len);
        Some(moves as u64 * u64::from(self.config.flat_playouts))
    }

    /// Whether the final choice waits for a move that has both the most visits and the greatest value.
    fn wants_max_robust(&self) -> bool {
        self.config.root_choice == RootChoice::MaxRobust && !is_max_robust(&self.ranked_root())
    }
}
