//! A search: the graph, the root, and the threads that run simulations until something ends it.

use std::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use playout_games::{Action, Game, Rng};

use crate::{
    choice::{Candidate, draw, is_max_robust, ranked},
    config::{Config, RootChoice},
    control::{Control, Limits, Reason},
    guide::Guide,
    keys::{Facts, child_key, find_or_make, representative},
    node::Index,
    policy::gamma,
    reclaim::reclaim,
    report::Report,
    simulation::{Root, Shared, Worker},
    store::{Full, Line, Store},
};

/// Visits of the root after which a search ends, before its counters run over.
const MOST_VISITS: u32 = u32::MAX - (1 << 24);

/// How often the calling thread looks at the clock, about.
const GLANCE: Duration = Duration::from_micros(200);

/// The searcher of one game: keeps its graph from search to search.
pub struct Search<G: Game> {
    game: G,
    config: Config,
    guide: Guide,
    store: Store,
    position: G::Position,
    root: Index,
    frame: u8,
    /// Root edges that may be taken, and the action of the user's that each stands for; None is all.
    allowed: Option<Vec<(Action, Action)>>,
    searches: u64,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub reason: Reason,
    pub report: Report,
}

/// What the threads of one search tell each other. What they look at in every simulation lies apart from what they
/// write.
struct Progress {
    signals: Line<Signals>,
    counts: Line<Counts>,
}

#[derive(Default)]
struct Signals {
    full: AtomicBool,
    halt: AtomicBool,
}

struct Counts {
    /// Simulations that no thread has undertaken yet.
    to_do: AtomicU64,
    simulations: AtomicU64,
    depth: AtomicU64,
    longest: AtomicU32,
}

impl Progress {
    fn new(nodes: Option<u64>) -> Progress {
        let counts = Counts {
            to_do: AtomicU64::new(nodes.unwrap_or(u64::MAX)),
            simulations: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            longest: AtomicU32::new(0),
        };
        Progress { signals: Line(Signals::default()), counts: Line(counts) }
    }

    fn full(&self) -> &AtomicBool {
        &self.signals.0.full
    }

    fn halt(&self) -> &AtomicBool {
        &self.signals.0.halt
    }

    fn simulations(&self) -> u64 {
        self.counts.0.simulations.load(Relaxed)
    }

    /// Undertakes up to `wanted` simulations and runs them, until it is `enough`; false if there is nothing left to do,
    /// or no memory.
    fn batch<G: Game>(&self, wanted: u64, game: &G, worker: &mut Worker<G>, enough: impl Fn() -> bool) -> bool {
        let counts = &self.counts.0;
        let take = |left: u64| (left > 0).then(|| left - left.min(wanted));
        let Ok(left) = counts.to_do.fetch_update(Relaxed, Relaxed, take) else { return false };
        let count = left.min(wanted);
        let (mut done, mut depth, mut longest) = (0, 0, 0);
        while done < count && !self.full().load(Relaxed) && !game.faulty() {
            let Ok(length) = game.simulation(|| worker.simulate()) else {
                self.full().store(true, Relaxed);
                break;
            };
            done += 1;
            depth += u64::from(length);
            longest = longest.max(length);
            if enough() {
                break;
            }
        }
        if count > done {
            counts.to_do.fetch_add(count - done, Relaxed);
        }
        counts.simulations.fetch_add(done, Relaxed);
        counts.depth.fetch_add(depth, Relaxed);
        counts.longest.fetch_max(longest, Relaxed);
        done > 0
    }
}

impl<G: Game> Search<G> {
    /// A search of `game` that stands at its initial position.
    pub fn new(game: G, config: Config) -> Search<G> {
        let position = game.initial();
        let store = new_store(&config);
        let mut search = Search {
            game,
            config,
            guide: Guide::default(),
            store,
            position,
            root: 0,
            frame: 0,
            allowed: None,
            searches: 0,
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

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Bytes of the graph in use.
    pub fn used(&self) -> usize {
        self.store.used()
    }

    pub(crate) fn root(&self) -> Index {
        self.root
    }

    pub(crate) fn frame(&self) -> u8 {
        self.frame
    }

    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// Takes a new configuration; the graph is kept unless the change makes it meaningless.
    pub fn configure(&mut self, config: Config) {
        let old = std::mem::replace(&mut self.config, config);
        if self.config.needs_other_graph(&old) {
            self.clear();
        }
    }

    /// Takes what is known of positions before the search. The graph starts anew.
    pub fn set_guide(&mut self, guide: Guide) {
        self.guide = guide;
        self.clear();
    }

    /// Forgets everything that earlier searches learned.
    pub fn clear(&mut self) {
        // In a plain tree the key belongs to the moves that led here: the start's would make this position the start.
        let key = if self.config.transpositions { self.start_key() } else { self.root_key() };
        self.store = new_store(&self.config);
        self.searches = 0;
        self.enter_root(key);
    }

    fn root_key(&self) -> u64 {
        self.store.node(self.root).key.load(Relaxed)
    }

    /// Makes `start` followed by `moves` the root; what the graph knows of it is kept. In a plain tree all starts have
    /// one key: before another start, `clear`.
    pub fn set_position(&mut self, start: G::Position, moves: impl IntoIterator<Item = Step>) {
        self.position = start;
        self.allowed = None;
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

    /// The action, in the canonical frame, whose edge at the root stands for `action`.
    pub(crate) fn canonical_action(&self, action: Action) -> Action {
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
        child_key(&self.game, &self.config, &self.position, 0, 0).0
    }

    fn enter_root(&mut self, key: u64) {
        self.frame = child_key(&self.game, &self.config, &self.position, key, 0).1;
        let facts = Facts::of(&self.game, &self.config, &self.guide, &mut self.position);
        let mut stock = self.store.take_stock();
        loop {
            match find_or_make(&self.game, &self.store, &self.position, key, &mut stock, |root| facts.note(root)) {
                Ok(root) => {
                    self.root = root;
                    break;
                }
                Err(Full) => {
                    self.store.park(std::mem::take(&mut stock));
                    self.make_room();
                }
            }
        }
        self.store.park(stock);
    }

    fn make_room(&mut self) {
        if self.store.table_is_full() {
            self.store.grow_table();
        } else {
            self.root = reclaim(&mut self.store, self.root);
        }
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
        if self.config.look_ahead > 0 {
            return self.run_full_width(self.config.look_ahead, limits, control);
        }
        let began = Instant::now();
        let nodes = limits.nodes.into_iter().chain(self.flat_simulations()).min();
        let limits = Limits { nodes, ..limits };
        let mut next_report = began + interval;
        let progress = Progress::new(limits.nodes);
        let mut ended = None;
        let allowed: Option<Vec<Action>> =
            self.allowed.as_ref().map(|allowed| allowed.iter().map(|&(canonical, _)| canonical).collect());
        self.searches += 1;
        let seed = self.config.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ self.searches;
        let noise = self.root_noise(seed);
        let mut round = 0;
        let reason = loop {
            round += 1;
            progress.halt().store(false, Relaxed);
            progress.full().store(false, Relaxed);
            let shared = Shared {
                game: &self.game,
                store: &self.store,
                config: &self.config,
                guide: &self.guide,
                root: Root {
                    position: &self.position,
                    node: self.root,
                    frame: self.frame,
                    allowed: allowed.as_deref(),
                    noise: &noise,
                },
                parallel: self.config.threads > 1,
            };
            let seed_of = |thread: usize| Rng::with_seed(seed ^ (round << 32) ^ ((thread as u64) << 48));
            thread::scope(|scope| {
                for thread in 1..self.config.threads {
                    let (shared, progress, rng) = (&shared, &progress, seed_of(thread));
                    scope.spawn(move || help(shared, progress, rng));
                }
                let mut glance = |progress: &Progress| {
                    let reason = self.ending(limits, control, progress, began);
                    if let Some(reason) = reason {
                        ended.get_or_insert(reason);
                    } else if Instant::now() >= next_report {
                        next_report = Instant::now() + interval;
                        on_report(&self.game, &self.position, self.complete(self.report(lines), progress, began));
                    }
                    reason.is_some()
                };
                lead(&shared, &progress, seed_of(0), control, &mut glance);
            });
            if let Some(reason) = ended {
                break reason;
            }
            if progress.full().load(Relaxed) {
                let left = control.time_left().filter(|&left| left < self.store.room_cost().as_secs_f64());
                match left {
                    Some(left) if left < began.elapsed().as_secs_f64() => break Reason::Deadline,
                    Some(_) => self.clear(),
                    None => self.make_room(),
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

    fn complete(&self, report: Report, progress: &Progress, began: Instant) -> Report {
        let simulations = progress.simulations();
        Report {
            seconds: began.elapsed().as_secs_f64(),
            simulations,
            mean_depth: progress.counts.0.depth.load(Relaxed) as f32 / simulations.max(1) as f32,
            longest: progress.counts.0.longest.load(Relaxed),
            ..report
        }
    }

    /// The first bound that is reached now, if any.
    fn ending(&self, limits: Limits, control: &Control, progress: &Progress, began: Instant) -> Option<Reason> {
        let simulations = progress.simulations();
        let root = self.store.node(self.root);
        if self.game.faulty() {
            Some(Reason::Fault)
        } else if control.stopped() {
            Some(Reason::Stop)
        } else if limits.nodes.is_some_and(|nodes| simulations >= nodes) || root.visits.load(Relaxed) > MOST_VISITS {
            Some(Reason::Nodes)
        } else if control.late() && !(control.only_soft() && self.wants_max_robust()) {
            Some(Reason::Deadline)
        } else if !limits.past_proof && self.allowed.is_none() && root.proven() {
            Some(Reason::Proven)
        } else if limits.mate.is_some_and(|moves| {
            root.proven() && root.lower.get() > 0.0 && root.plies.load(Relaxed) < moves.saturating_mul(2)
        }) {
            Some(Reason::Mate)
        } else if limits
            .depth
            .is_some_and(|depth| self.report(1).moves.first().is_some_and(|best| best.line.len() >= depth as usize))
        {
            Some(Reason::Depth)
        } else if control.soft_left().is_some_and(|left| self.decided(simulations, left, began)) {
            Some(Reason::Decided)
        } else {
            None
        }
    }

    /// Whether the most visited root move would stay so even if another got all simulations of the `left` seconds.
    fn decided(&self, simulations: u64, left: f64, began: Instant) -> bool {
        let elapsed = began.elapsed().as_secs_f64();
        if elapsed < 0.02 {
            return false;
        }
        let choice = self.config.root_choice;
        if choice != RootChoice::Visits || self.config.is_flat() || self.config.temperature > 0.0 {
            return false;
        }
        let to_come = simulations as f64 / elapsed * left;
        match self.ranked_root().as_slice() {
            [best, second, ..] => f64::from(best.visits) - f64::from(second.visits) > to_come,
            _ => false,
        }
    }
}

impl<G: Game> Search<G> {
    /// The root moves that have been tried, best first.
    pub(crate) fn ranked_root(&self) -> Vec<Candidate> {
        let root = self.store.node(self.root);
        ranked(&self.store, root, self.config.final_choice(), |action| self.output_action(action).is_some())
    }

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

/// An empty graph of the size and kind that `config` asks for.
fn new_store(config: &Config) -> Store {
    Store::new(config.hash_bytes, config.compares_unvisited())
}

/// A move to replay: an action, or the other player's being made the one to move.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Action(Action),
    Player(playout_games::Player),
}

/// Up to so many simulations at a time the leading thread looks at the clock after each.
const SLOW: u64 = 8;
/// The most simulations that a thread undertakes at a time.
const MOST: u64 = 1 << 16;

/// How many simulations a thread undertakes at a time: as many as take about as long as a glance may wait.
struct Stride(u64);

impl Stride {
    fn adapt(&mut self, took: Duration) {
        if took < GLANCE / 2 && self.0 < MOST {
            self.0 *= 2;
        } else if took > GLANCE * 2 && self.0 > 1 {
            self.0 /= 2;
        }
    }
}

/// Runs simulations until the leading thread says halt.
fn help<G: Game>(shared: &Shared<G>, progress: &Progress, rng: Rng) {
    let mut worker = Worker::new(shared, rng);
    let mut stride = Stride(1);
    let halt = || progress.halt().load(Relaxed);
    loop {
        let start = Instant::now();
        let some_done = progress.batch(stride.0, shared.game, &mut worker, halt);
        if !some_done || halt() {
            break;
        }
        stride.adapt(start.elapsed());
    }
    shared.store.park(worker.stock);
}

/// Runs simulations and calls `glance` now and then, until it returns true or memory is full.
fn lead<G: Game>(
    shared: &Shared<G>,
    progress: &Progress,
    rng: Rng,
    control: &Control,
    glance: &mut impl FnMut(&Progress) -> bool,
) {
    let mut worker = Worker::new(shared, rng);
    let mut stride = Stride(1);
    loop {
        let start = Instant::now();
        // Slow simulations, as a user's game may have, differ so much that each one is looked at.
        let enough = || control.stopped() || stride.0 <= SLOW && start.elapsed() > GLANCE * 2;
        let some_done = progress.batch(stride.0, shared.game, &mut worker, enough);
        if glance(progress) || progress.full().load(Relaxed) {
            break;
        }
        if some_done {
            stride.adapt(start.elapsed());
        } else {
            // What is left was undertaken by others.
            thread::yield_now();
        }
    }
    progress.halt().store(true, Relaxed);
    shared.store.park(worker.stock);
}
