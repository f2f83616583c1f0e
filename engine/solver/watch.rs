//! Stopping a solver, and watching its progress.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use playout_search::Control;

/// Positions between two looks at the clock.
const INTERVAL: u64 = 256;

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
    count: u64,
    ended: bool,
}

impl<'a> Watch<'a> {
    pub fn new(control: &'a Control, progress: &'a Progress, halt: &'a AtomicBool) -> Watch<'a> {
        Watch { control, progress, halt, count: 0, ended: false }
    }

    pub fn progress(&self) -> &'a Progress {
        self.progress
    }

    /// Counts a position. False once the time is up or the solver was stopped: its answer is then not used.
    pub fn go_on(&mut self) -> bool {
        self.count += 1;
        if self.count.is_multiple_of(INTERVAL) {
            self.progress.nodes.fetch_add(INTERVAL, Relaxed);
            self.ended |= self.control.stopped() || self.control.late() || self.halt.load(Relaxed);
        }
        !self.ended
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
        self.progress.nodes.fetch_add(self.count % INTERVAL, Relaxed);
    }
}
