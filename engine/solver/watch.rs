//! Stopping a solver, and watching its progress.

use std::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

use playout_search::Control;

/// Most positions between two looks at the clock.
const MOST: u64 = 256;
/// Time between two looks, where a user's game takes long for a position.
const GLANCE: Duration = Duration::from_millis(1);

/// Progress of a solver. Any thread may read it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Positions looked at.
    pub nodes: AtomicU64,
    /// Depth of the iteration under way, in plies; 0 where there are no iterations.
    pub depth: AtomicU32,
    /// Moves of the root whose value is known.
    pub solved: AtomicU32,
}

impl Progress {
    /// Begins again.
    pub fn reset(&self) {
        self.nodes.store(0, Relaxed);
        self.depth.store(0, Relaxed);
        self.solved.store(0, Relaxed);
    }
}

/// Counts positions and says when to give up. One for each thread.
#[derive(Debug)]
pub struct Watch<'a> {
    control: &'a Control,
    progress: &'a Progress,
    /// Set by a thread that knows that the others need not go on.
    halt: &'a AtomicBool,
    /// Positions since the last look, which was at `looked`, and the number at which the next one is due.
    count: u64,
    due: u64,
    looked: Instant,
    ended: bool,
}

impl<'a> Watch<'a> {
    pub fn new(control: &'a Control, progress: &'a Progress, halt: &'a AtomicBool) -> Watch<'a> {
        Watch { control, progress, halt, count: 0, due: 1, looked: Instant::now(), ended: false }
    }

    pub fn progress(&self) -> &'a Progress {
        self.progress
    }

    /// Counts a position. False once the time is up or the solver was stopped: its answer is then not used.
    pub fn go_on(&mut self) -> bool {
        self.count += 1;
        if self.count >= self.due {
            self.look();
        }
        !self.ended
    }

    fn look(&mut self) {
        self.progress.nodes.fetch_add(std::mem::take(&mut self.count), Relaxed);
        self.ended |= self.control.stopped() || self.control.late() || self.halt.load(Relaxed);
        let now = Instant::now();
        self.due = if now - self.looked > GLANCE { self.due.div_ceil(2) } else { (2 * self.due).min(MOST) };
        self.looked = now;
    }

    /// Whether `go_on` has said no.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Gives up.
    pub fn end(&mut self) {
        self.ended = true;
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.progress.nodes.fetch_add(self.count, Relaxed);
    }
}
