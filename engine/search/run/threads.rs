//! The threads of one search run batches of simulations, until the leading one says halt.

use std::{
    thread,
    time::{Duration, Instant},
};

use playout_games::{Game, Rng};

use crate::{
    control::Control,
    graph::cache_line::CacheLine,
    simulation::{Shared, Worker},
    sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// Approximate time between two looks of the leading thread at the clock.
const GLANCE: Duration = Duration::from_micros(200);

/// State that the threads of one search share. The part that they read in every simulation lies apart from the part that
/// they write.
pub struct RunState {
    signals: CacheLine<Signals>,
    counts: CacheLine<Counts>,
    /// Whether each tree has no room left.
    full_trees: Vec<AtomicBool>,
}

#[derive(Default)]
struct Signals {
    /// The threads are to pause, because a tree needs care.
    pause: AtomicBool,
    halt: AtomicBool,
}

struct Counts {
    /// Simulations that no thread has undertaken yet.
    to_do: AtomicU64,
    simulations: AtomicU64,
    depth: AtomicU64,
    longest: AtomicU32,
    /// The results of all simulations for the first player, in units of `1 / UNITS`.
    results: AtomicI64,
}

impl RunState {
    pub fn new(nodes: Option<u64>, trees: usize) -> RunState {
        let counts = Counts {
            to_do: AtomicU64::new(nodes.unwrap_or(u64::MAX)),
            simulations: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            longest: AtomicU32::new(0),
            results: AtomicI64::new(0),
        };
        let full_trees = (0..trees).map(|_| AtomicBool::new(false)).collect();
        RunState { signals: CacheLine(Signals::default()), counts: CacheLine(counts), full_trees }
    }

    pub fn pause(&self) -> &AtomicBool {
        &self.signals.0.pause
    }

    pub fn halt(&self) -> &AtomicBool {
        &self.signals.0.halt
    }

    pub fn simulations(&self) -> u64 {
        self.counts.0.simulations.load(Relaxed)
    }

    /// Length of all paths together, and of the longest.
    pub fn depths(&self) -> (u64, u32) {
        (self.counts.0.depth.load(Relaxed), self.counts.0.longest.load(Relaxed))
    }

    /// The results of all simulations for the first player together.
    pub fn results(&self) -> f64 {
        self.counts.0.results.load(Relaxed) as f64 / UNITS
    }

    /// Whether each tree has no room left. Clears these flags.
    pub fn take_full(&self) -> Vec<bool> {
        self.full_trees.iter().map(|full| full.swap(false, Relaxed)).collect()
    }

    /// Undertakes up to `wanted` simulations and runs them, until it is `enough`; false if there is nothing left to do,
    /// or no memory.
    pub(super) fn batch<G: Game>(
        &self,
        wanted: u64,
        tree: usize,
        worker: &mut Worker<G>,
        enough: impl Fn() -> bool,
    ) -> bool {
        let game = worker.game();
        let counts = &self.counts.0;
        let take = |left: u64| (left > 0).then(|| left - left.min(wanted));
        let Ok(left) = counts.to_do.fetch_update(Relaxed, Relaxed, take) else { return false };
        let count = left.min(wanted);
        let (mut done, mut depth, mut longest, mut results) = (0, 0, 0, 0);
        while done < count && !self.pause().load(Relaxed) && !game.faulty() {
            let Ok((length, result)) = game.simulation(|| worker.simulate()) else {
                self.full_trees[tree].store(true, Relaxed);
                self.pause().store(true, Relaxed);
                break;
            };
            done += 1;
            depth += u64::from(length);
            longest = longest.max(length);
            // Whole numbers: the sum does not depend on how the simulations were divided.
            results += (f64::from(result) * UNITS) as i64;
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
        counts.results.fetch_add(results, Relaxed);
        done > 0
    }
}

/// Parts of a result that a sum of results counts.
const UNITS: f64 = (1 << 20) as f64;
/// Largest stride at which the leading thread looks at the clock after each simulation.
const SLOW: u64 = 8;
/// The most simulations that a thread undertakes at a time.
const MOST: u64 = 1 << 16;

/// Number of simulations that a thread undertakes at a time. They take about as long as a glance may wait.
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
pub fn help<G: Game>(shared: &Shared<G>, tree: usize, state: &RunState, rng: Rng) {
    let mut worker = Worker::new(shared, rng);
    let mut stride = Stride(1);
    let halt = || state.halt().load(Relaxed);
    loop {
        while shared.root_awaits_moves() && !halt() && !state.pause().load(Relaxed) {
            thread::yield_now();
        }
        let start = Instant::now();
        let some_done = state.batch(stride.0, tree, &mut worker, halt);
        if !some_done || halt() {
            break;
        }
        stride.adapt(start.elapsed());
    }
    shared.store.park(worker.stock);
}

/// Runs simulations in the first tree and calls `glance` now and then, until it returns true or a pause is due. Also at
/// once when `proven` says that the root is: alone, the thread then always ends after the same simulation.
pub fn lead<G: Game>(
    shared: &Shared<G>,
    state: &RunState,
    rng: Rng,
    (control, proven): (&Control, &dyn Fn() -> bool),
    glance: &mut impl FnMut(&RunState) -> bool,
) {
    let mut worker = Worker::new(shared, rng);
    let mut stride = Stride(1);
    loop {
        let start = Instant::now();
        // Slow simulations, as a user's game may have, differ so much that each one is looked at.
        let enough = || control.stopped() || proven() || stride.0 <= SLOW && start.elapsed() > GLANCE * 2;
        let some_done = !shared.root_awaits_moves() && state.batch(stride.0, 0, &mut worker, enough);
        if glance(state) || state.pause().load(Relaxed) {
            break;
        }
        if some_done {
            stride.adapt(start.elapsed());
        } else {
            // What is left was undertaken by others, or one of them is at the root.
            thread::yield_now();
        }
    }
    state.halt().store(true, Relaxed);
    shared.store.park(worker.stock);
}
