//! What the course of a search says about its time: one with a soft deadline ends early once its move is decided, and goes
//! on beyond the deadline, up to the hard one, while its move is unsettled.
//!
//! The criteria are those of Baier and Winands, "Time Management for Monte Carlo Tree Search" (IEEE TCIAIG 8(3), 2016):
//! STOP ends early; CLOSE, UNST and BEHIND extend.

use std::time::Duration;

use playout_games::Game;

use crate::{choice::Candidate, config::RootChoice, control::Control, search::Search};

/// Before so many seconds nothing is decided: the visits of a short search say little.
const EARLIEST: f64 = 0.02;
/// The share of the simulations to come that the second move may get at most.
const CATCH_UP: f64 = 0.5;
/// Visits of the second move over those of the first from which they are close.
const CLOSE: f64 = 0.75;
/// A move with so large a share of the best one's visits has a value that counts.
const KNOWN: f64 = 0.1;
/// By how much a value, in [-1, 1], has to fall.
const FALL: f32 = 0.06;
/// Visits of the root from which its value is one that may fall.
const FEWEST: u32 = 200;
/// A best move that is younger than this part of the search is new.
const RECENT: f64 = 0.3;

/// What happened at the root so far.
#[derive(Debug, Default)]
pub struct Course {
    /// The root's value when it was first known.
    value: Option<f32>,
    /// Which tree and slot the best move has.
    best: Option<(usize, u32)>,
    /// Seconds after the start of the search at which the best move became that.
    changed: f64,
}

impl Course {
    /// `elapsed` is in seconds.
    fn see(&mut self, best: &Candidate, value: Option<f32>, elapsed: f64) {
        let best = (best.tree, best.slot);
        self.value = self.value.or(value);
        if self.best != Some(best) {
            self.changed = if self.best.is_some() { elapsed } else { 0.0 };
            self.best = Some(best);
        }
    }
}

impl<G: Game> Search<G> {
    /// Whether the most visited root move is likely to stay so for all of the time that the move is worth.
    pub(crate) fn decided(&self, simulations: u64, elapsed: Duration, control: &Control, course: &mut Course) -> bool {
        let elapsed = elapsed.as_secs_f64();
        if elapsed < EARLIEST || !self.chooses_by_visits() {
            return false;
        }
        let moves = self.ranked_root();
        let [best, second, ..] = moves.as_slice() else { return false };
        course.see(best, self.known_value(), elapsed);
        let (planned, passed) = control.plan();
        let to_come = simulations as f64 / elapsed * (planned * self.stretch(&moves, course, elapsed) - passed);
        f64::from(best.visits) - f64::from(second.visits) > CATCH_UP * to_come
    }

    /// Whether the move is to be thought about beyond the soft deadline.
    pub(crate) fn unsettled(&self, elapsed: Duration, control: &Control, course: &Course) -> bool {
        let (planned, passed) = control.plan();
        let moves = self.ranked_root();
        self.chooses_by_visits() && passed < planned * self.stretch(&moves, course, elapsed.as_secs_f64())
    }

    /// How many times its planned time the move is worth.
    fn stretch(&self, moves: &[Candidate], course: &Course, elapsed: f64) -> f64 {
        let [best, second, ..] = moves else { return 1.0 };
        let share = |candidate: &Candidate| f64::from(candidate.visits) / f64::from(best.visits.max(1));
        let behind = moves.iter().any(|other| other.value > best.value && share(other) > KNOWN);
        let fallen = course.value.zip(self.known_value()).is_some_and(|(first, now)| now < first - FALL);
        let close = share(second) > CLOSE;
        let new = elapsed - course.changed < RECENT * elapsed;
        1.0 + [behind, fallen, close, new].into_iter().map(|sign| 0.5 * f64::from(u8::from(sign))).sum::<f64>()
    }

    fn chooses_by_visits(&self) -> bool {
        let config = self.config();
        config.root_choice == RootChoice::Visits && !config.is_flat() && config.temperature <= 0.0
    }

    /// The root's value for its mover, once it is more than a guess.
    fn known_value(&self) -> Option<f32> {
        let root = self.root_state();
        (root.visits >= FEWEST).then_some(root.value)
    }
}
