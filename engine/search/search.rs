//! A search: the graph, the root, and the threads that run simulations until something ends it.

use std::{
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};

use playout_games::{Action, Game, Rng, Tables};

use crate::{
    choice::{draw, is_max_robust},
    config::{Config, Parallelism, PolicyKind, RootChoice},
    control::{Control, Limits, Reason},
    course::Course,
    guide::Guide,
    keys::{child_key, representative},
    policy::gamma,
    report::Report,
    restriction::{Restriction, Rule, key_below},
    simulation::{Root, Shared},
    threads::{Progress, help, lead},
    trees::{Tree, Upkeep, config_of, count, plant},
};

/// The greatest visit count that a node may have.
const MOST_VISITS: u32 = u32::MAX - (1 << 24);

/// The searcher of one game: keeps its graph from search to search.
pub struct Search<G: Game> {
    game: G,
    config: Config,
    guide: Guide,
    table_depth: u32,
    trees: Vec<Tree>,
    position: G::Position,
    frame: u8,
    /// Root edges that may be taken, and the action of the user's that each stands for; None is all.
    allowed: Option<Vec<(Action, Action)>>,
    restriction: Option<Restriction>,
    searches: u64,
    upkeep: Upkeep,
    /// A field, so that tests can come near it.
    pub(crate) most_visits: u32,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub reason: Reason,
    pub report: Report,
}

impl<G: Game> Search<G> {
    /// A search of `game` that stands at its initial position.
    pub fn new(game: G, config: Config) -> Search<G> {
        let position = game.initial();
        let trees = plant(&config);
        let mut search = Search {
            game,
            config,
            guide: Guide::default(),
            table_depth: 1,
            trees,
            position,
            frame: 0,
            allowed: None,
            restriction: None,
            searches: 0,
            upkeep: Upkeep::default(),
            most_visits: MOST_VISITS,
        };
        search.enter_root(search.start_key());
        search
    }

    pub fn game(&self) -> &G {
        &self.game
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn trees_mut(&mut self) -> &mut [Tree] {
        &mut self.trees
    }

    /// Takes other trees, none of which knows the root yet, and the number of searches that they have seen.
    pub(crate) fn replace_trees(&mut self, trees: Vec<Tree>, searches: u64) {
        self.trees = trees;
        self.searches = searches;
    }

    /// Searches that the graph has seen.
    pub(crate) fn searches(&self) -> u64 {
        self.searches
    }

    pub(crate) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Bytes of the graph in use.
    pub fn used(&self) -> usize {
        self.trees.iter().map(|tree| tree.store.used()).sum()
    }

    /// What making room has done since this searcher was made.
    pub fn upkeep(&self) -> Upkeep {
        self.upkeep
    }

    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// Takes a new configuration; the graph is kept unless the change makes it meaningless.
    pub fn configure(&mut self, config: Config) {
        let old = std::mem::replace(&mut self.config, config);
        let makes = |config: &Config| (config.hash_bytes(), config.graph_kind(), count(config));
        if makes(&old) != makes(&self.config) {
            self.clear();
        }
        for (number, tree) in self.trees.iter_mut().enumerate() {
            tree.config = config_of(&self.config, number);
        }
    }

    /// Takes what is known of positions before the search, for the root and for nodes that are made from here on. The
    /// graph is kept, and with it what an earlier guide told.
    pub fn set_guide(&mut self, guide: Guide) {
        self.guide = guide;
        let key = self.root_key();
        self.enter_root(key);
    }

    /// Takes tables of solved positions, or puts them away; positions so many plies below the root, or more, are looked up
    /// in them. The graph starts anew.
    ///
    /// # Errors
    ///
    /// One line that names the file, and nothing changes.
    pub fn set_tables(&mut self, tables: Option<&Tables>, depth: u32) -> Result<(), String> {
        self.game.set_tables(tables)?;
        self.table_depth = depth;
        self.clear();
        Ok(())
    }

    /// Forgets everything that earlier searches learned.
    pub fn clear(&mut self) {
        // In a plain tree the key belongs to the moves that led here: the start's would make this position the start.
        let key = if self.config.transpositions { self.start_key() } else { self.root_key() };
        self.trees = plant(&self.config);
        self.searches = 0;
        self.enter_root(key);
    }

    pub(crate) fn root_key(&self) -> u64 {
        let tree = &self.trees[0];
        tree.store.node(tree.root).key.load(Relaxed)
    }

    /// Makes `start` followed by `moves` the root; what the graph knows of it is kept. In a plain tree all starts have
    /// one key: before another start, `clear`.
    pub fn set_position(&mut self, start: G::Position, moves: impl IntoIterator<Item = Step>) {
        self.position = start;
        self.allowed = None;
        self.restriction = None;
        let mut key = self.start_key();
        for step in moves {
            match step {
                Step::Action(action) => {
                    let (_, frame) = child_key(&self.game, &self.config, &self.position, key, 0);
                    let canonical = self.game.to_frame(frame, action);
                    self.game.play(&mut self.position, action);
                    key = child_key(&self.game, &self.config, &self.position, key, canonical).0;
                }
                Step::Player(player) => {
                    self.game.set_player(&mut self.position, player);
                    key = child_key(&self.game, &self.config, &self.position, key, Action::MAX - player as u32).0;
                }
            }
        }
        self.enter_root(key);
    }

    /// Allows only these actions at the root; empty allows all.
    pub fn restrict(&mut self, actions: &[Action]) {
        let mut allowed: Vec<(Action, Action)> = Vec::new();
        for &action in actions {
            let image = self.canonical_action(action);
            if !allowed.iter().any(|&(canonical, _)| canonical == image) {
                allowed.push((image, action));
            }
        }
        self.allowed = (!allowed.is_empty()).then_some(allowed);
    }

    /// Keeps moves out of the first plies, until the next `set_position`, which comes before. `restrict` comes after.
    /// Returns how many moves are left at the root.
    pub fn keep_out(&mut self, rules: Vec<Rule>) -> usize {
        self.restriction = Restriction::new(rules);
        if self.restriction.is_some() {
            let key = self.root_key();
            self.enter_root(self.key_at(&self.position, (key, 0), 0).0);
        }
        self.root_actions().len()
    }

    pub(crate) fn restriction(&self) -> Option<&Restriction> {
        self.restriction.as_ref()
    }

    /// The key and the frame of a position `ply` plies below the root, after `before`: its parent's key and the action,
    /// in the parent's frame.
    pub(crate) fn key_at(&self, position: &G::Position, before: (u64, Action), ply: u32) -> (u64, u8) {
        key_below((&self.game, &self.config, self.restriction()), position, before, ply)
    }

    /// The action, in the canonical frame, whose edge at the root stands for `action`.
    pub(crate) fn canonical_action(&self, action: Action) -> Action {
        if self.restriction.is_some() {
            return action;
        }
        representative(&self.game, &self.config, &self.position, self.frame, action)
    }

    /// The user's action that a root edge stands for; None if the edge is not allowed.
    pub fn output_action(&self, canonical: Action) -> Option<Action> {
        match &self.allowed {
            None => Some(self.game.from_frame(self.frame, canonical)),
            Some(allowed) => allowed.iter().find(|&&(image, _)| image == canonical).map(|&(_, action)| action),
        }
    }

    fn start_key(&self) -> u64 {
        self.key_at(&self.position, (0, 0), 0).0
    }

    pub(crate) fn enter_root(&mut self, key: u64) {
        self.frame = self.key_at(&self.position, (key, 0), 0).1;
        let key = (key, self.restriction.is_some());
        for tree in &mut self.trees {
            tree.enter(&self.game, &self.guide, &mut self.position, key, &mut self.upkeep);
        }
    }

    /// Frees memory as the search does at its bound.
    #[cfg(test)]
    pub(crate) fn make_room(&mut self) {
        self.trees.iter_mut().for_each(|tree| tree.make_room(&mut self.upkeep));
    }

    /// Searches until a bound is reached, calling `on_report` every `interval`. Blocks.
    pub fn run(
        &mut self,
        limits: Limits,
        control: &Control,
        interval: Duration,
        lines: usize,
        on_report: &mut dyn FnMut(&G, &G::Position, Report),
    ) -> Outcome {
        if self.config.tree_policy == PolicyKind::Minimax {
            return self.run_full_width(self.config.search_depth, limits, control);
        }
        let began = Instant::now();
        let nodes = limits.nodes.into_iter().chain(self.flat_simulations()).min();
        let limits = Limits { nodes, ..limits };
        let mut next_report = began + interval;
        let progress = Progress::new(limits.nodes, self.trees.len());
        let threads = match self.config.parallelism {
            Parallelism::Tree => self.config.threads,
            Parallelism::Root => self.trees.len(),
        };
        let mut ended = None;
        let mut course = Course::default();
        let allowed: Option<Vec<Action>> =
            self.allowed.as_ref().map(|allowed| allowed.iter().map(|&(canonical, _)| canonical).collect());
        self.searches += 1;
        let seed = self.config.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ self.searches;
        let noise = self.root_noise(seed);
        let mut round = 0;
        let reason = loop {
            round += 1;
            progress.halt().store(false, Relaxed);
            progress.pause().store(false, Relaxed);
            let done_before = progress.simulations();
            let shared: Vec<Shared<G>> =
                self.trees.iter().map(|tree| self.shared(tree, allowed.as_deref(), &noise)).collect();
            let seed_of = |thread: usize| Rng::with_seed(seed ^ (round << 32) ^ ((thread as u64) << 48));
            thread::scope(|scope| {
                for thread in 1..threads {
                    let (tree, progress, rng) = (thread % shared.len(), &progress, seed_of(thread));
                    let shared = &shared[tree];
                    scope.spawn(move || help(shared, tree, progress, rng));
                }
                let mut glance = |progress: &Progress| {
                    let reason = self.ending(limits, control, progress, (began, &mut course));
                    if let Some(reason) = reason {
                        ended.get_or_insert(reason);
                    } else if Instant::now() >= next_report {
                        next_report = Instant::now() + interval;
                        on_report(&self.game, &self.position, self.complete(self.report(lines), progress, began));
                    } else if self.nears_most_visits(progress.simulations() - done_before) {
                        progress.pause().store(true, Relaxed);
                    }
                    reason.is_some()
                };
                let until_proven = !limits.past_proof && self.allowed.is_none();
                lead(&shared[0], &progress, seed_of(0), (control, until_proven), &mut glance);
            });
            for tree in &mut self.trees {
                tree.count(progress.simulations() - done_before, self.most_visits, &mut self.upkeep);
            }
            let full = progress.take_full();
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
        let mut report = self.complete(self.report(lines), &progress, began);
        if self.config.temperature > 0.0 {
            draw(&mut report.moves, self.config.temperature, &mut Rng::with_seed(!seed));
        }
        Outcome { reason, report }
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

    /// What threads that search `tree` share.
    fn shared<'a>(
        &'a self,
        tree: &'a Tree,
        allowed: Option<&'a [Action]>,
        noise: &'a [(Action, f32)],
    ) -> Shared<'a, G> {
        Shared {
            game: &self.game,
            store: &tree.store,
            config: &tree.config,
            guide: &self.guide,
            restriction: self.restriction(),
            table_depth: self.table_depth,
            root: Root { position: &self.position, node: tree.root, frame: self.frame, allowed, noise },
            parallel: self.config.threads > 1 && self.config.parallelism == Parallelism::Tree,
        }
    }

    fn nears_most_visits(&self, simulations: u64) -> bool {
        self.trees.iter().any(|tree| tree.nears(self.most_visits, simulations))
    }

    fn complete(&self, report: Report, progress: &Progress, began: Instant) -> Report {
        let simulations = progress.simulations();
        let (depth, longest) = progress.depths();
        Report {
            seconds: began.elapsed().as_secs_f64(),
            simulations,
            mean_depth: depth as f32 / simulations.max(1) as f32,
            longest,
            ..report
        }
    }

    /// The first bound that is reached now, if any.
    fn ending(
        &self,
        limits: Limits,
        control: &Control,
        progress: &Progress,
        (began, course): (Instant, &mut Course),
    ) -> Option<Reason> {
        let simulations = progress.simulations();
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
        } else if !limits.past_proof && self.allowed.is_none() && root.proven() {
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
}

impl<G: Game> Search<G> {
    /// The simulations that flat search makes: so many for each root move; None is no bound.
    fn flat_simulations(&self) -> Option<u64> {
        if !self.config.is_flat() || self.config.flat_playouts == 0 {
            return None;
        }
        let moves = self.allowed.as_ref().map_or_else(|| self.root_actions().len(), Vec::len);
        Some(moves as u64 * u64::from(self.config.flat_playouts))
    }

    /// The root's actions in the canonical frame, one for each edge that it may have.
    fn root_actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game.actions(&self.position, &mut actions);
        if let Some(restriction) = &self.restriction {
            restriction.retain(&self.game, &self.position, 0, &mut actions);
        }
        for action in &mut actions {
            *action = self.canonical_action(*action);
        }
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    /// Whether the final choice waits for a move that has both the most visits and the greatest value.
    fn wants_max_robust(&self) -> bool {
        self.config.root_choice == RootChoice::MaxRobust && !is_max_robust(&self.ranked_root())
    }
}

/// A move to replay: an action, or the other player's being made the one to move.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Action(Action),
    Player(playout_games::Player),
}
