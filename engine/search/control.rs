//! When a search ends: bounds set before it starts, and switches that any thread may flip while it runs.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

/// Reason for which a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Stop,
    Deadline,
    Nodes,
    Depth,
    Mate,
    /// The root's exact value is known.
    Proven,
    /// No other move is likely to overtake the best one before the deadline.
    Decided,
    /// A callback into user code failed.
    Fault,
}

impl Reason {
    /// The word for it that `SearchResult.reason` uses.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Stop => "stop",
            Reason::Deadline => "deadline",
            Reason::Nodes => "nodes",
            Reason::Depth => "depth",
            Reason::Mate => "mate",
            Reason::Proven => "proven",
            Reason::Decided => "decided",
            Reason::Fault => "fault",
        }
    }
}

/// Bounds of one search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    pub nodes: Option<u64>,
    /// Ends when the principal variation has this many plies.
    pub depth: Option<u32>,
    /// Ends when a win within this many moves of the root's mover is proven.
    pub mate: Option<u32>,
    /// Goes on although the root is proven.
    pub past_proof: bool,
}

/// Switches of a running search. Any thread may flip them; none blocks.
#[derive(Debug)]
pub struct Control {
    epoch: Instant,
    stop: AtomicBool,
    /// Nanoseconds after `epoch`; `u64::MAX` is never.
    soft: AtomicU64,
    hard: AtomicU64,
    /// When the deadlines were set.
    set: AtomicU64,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            epoch: Instant::now(),
            stop: AtomicBool::new(false),
            soft: AtomicU64::new(u64::MAX),
            hard: AtomicU64::new(u64::MAX),
            set: AtomicU64::new(0),
        }
    }
}

impl Control {
    /// Ends the search as soon as each thread has finished its simulation.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Makes ready for the next search: no stop, no deadline.
    pub fn reset(&self) {
        self.stop.store(false, Relaxed);
        self.soft.store(u64::MAX, Relaxed);
        self.hard.store(u64::MAX, Relaxed);
    }

    /// Sets deadlines counted from now; None is never. With a `soft` one the search ends before it once its move is
    /// decided, and after it, up to the `hard` one, while its move is unsettled.
    pub fn set_deadline(&self, soft: Option<Duration>, hard: Option<Duration>) {
        let at = |time: Option<Duration>| match time {
            Some(time) => (self.epoch.elapsed() + time).as_nanos().min(u128::from(u64::MAX - 1)) as u64,
            None => u64::MAX,
        };
        self.set.store(at(Some(Duration::ZERO)), Relaxed);
        self.hard.store(at(hard), Relaxed);
        self.soft.store(at(soft), Relaxed);
    }

    /// The soft deadline, and what has passed, in seconds since the deadlines were set.
    pub fn plan(&self) -> (f64, f64) {
        let (set, soft) = (self.set.load(Relaxed) as f64, self.soft.load(Relaxed) as f64);
        ((soft - set) / 1e9, (self.epoch.elapsed().as_nanos() as f64 - set) / 1e9)
    }

    /// The share of the time from `begun` to the hard deadline that has passed: 1 or more when it is over and after a stop, 0
    /// without a deadline.
    pub fn spent_since(&self, begun: Instant) -> f32 {
        if self.stopped() {
            return 1.0;
        }
        let passed = begun.elapsed().as_secs_f64();
        self.left(&self.hard).map_or(0.0, |left| (passed / (passed + left).max(1e-9)) as f32)
    }

    fn left(&self, deadline: &AtomicU64) -> Option<f64> {
        let at = deadline.load(Relaxed);
        (at != u64::MAX).then(|| (at as f64 - self.epoch.elapsed().as_nanos() as f64) / 1e9)
    }

    /// Seconds to the soft deadline, if there is one.
    pub fn soft_left(&self) -> Option<f64> {
        self.left(&self.soft)
    }

    /// Seconds to the next deadline, if there is one.
    pub fn time_left(&self) -> Option<f64> {
        let (soft, hard) = (self.soft_left(), self.left(&self.hard));
        soft.into_iter().chain(hard).reduce(f64::min)
    }

    /// Whether the hard deadline is yet to come, if there is one besides a soft one.
    pub fn only_soft(&self) -> bool {
        self.left(&self.hard).is_some_and(|left| left > 0.0)
    }

    /// Whether a deadline has passed.
    pub fn late(&self) -> bool {
        self.time_left().is_some_and(|left| left <= 0.0)
    }
}
