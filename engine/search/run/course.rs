//! Time management from the course of a search. A search with a soft deadline ends early once its move is decided. It goes
//! on beyond the soft deadline, up to the hard one, while its move is unsettled.
//!
//! The criteria are those of Baier and Winands, "Time Management for Monte Carlo Tree Search" (IEEE TCIAIG 8(3), 2016):
//! STOP ends early; CLOSE, UNST and BEHIND extend.

use std::time::Duration;

use playout_games::Game;

use crate::{config::RootChoice, control::Control, report::choice::Candidate, search::Search};

/// Seconds before which nothing is decided, because the visits of a short search say little.
const EARLIEST: f64 = 0.02;
/// The share of the simulations to come that the second move may get at most.
const CATCH_UP: f64 = 0.5;
/// Visits of the second move over those of the first from which they are close.
const CLOSE: f64 = 0.75;
/// Share of the best move's visits from which the value of another move counts.
const KNOWN: f64 = 0.1;
/// Least drop of a value in [-1, 1] that counts as a fall.
const FALL: f32 = 0.06;
/// Visits of the root from which its value is one that may fall.
const FEWEST: u32 = 200;
/// A best move that is younger than this part of the search is new.
const RECENT: f64 = 0.3;

/// Events at the root so far.
#[derive(Debug, Default)]
pub struct Course {
    /// The root's value when it was first known.
    value: Option<f32>,
    /// Tree and slot of the best move.
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
        let left = planned * stretch(&moves, course, self.known_value(), elapsed) - passed;
        leads_for_good(best, second, simulations as f64 / elapsed * left)
    }

    /// Whether the move is to be thought about beyond the soft deadline.
    pub(crate) fn unsettled(&self, elapsed: Duration, control: &Control, course: &Course) -> bool {
        let (planned, passed) = control.plan();
        let moves = self.ranked_root();
        let worth = stretch(&moves, course, self.known_value(), elapsed.as_secs_f64());
        self.chooses_by_visits() && passed < planned * worth
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

/// Whether the second move is not likely to catch up in the simulations `to_come`.
fn leads_for_good(best: &Candidate, second: &Candidate, to_come: f64) -> bool {
    f64::from(best.visits) - f64::from(second.visits) > CATCH_UP * to_come
}

/// Factor on the planned time that the move is worth, `elapsed` seconds after the start of a search whose root has this
/// value.
fn stretch(moves: &[Candidate], course: &Course, value: Option<f32>, elapsed: f64) -> f64 {
    let [best, second, ..] = moves else { return 1.0 };
    let share = |candidate: &Candidate| f64::from(candidate.visits) / f64::from(best.visits.max(1));
    let behind = moves.iter().any(|other| other.value > best.value && share(other) > KNOWN);
    let fallen = course.value.zip(value).is_some_and(|(first, now)| now < first - FALL);
    let close = share(second) > CLOSE;
    let new = elapsed - course.changed < RECENT * elapsed;
    1.0 + [behind, fallen, close, new].into_iter().map(|sign| 0.5 * f64::from(u8::from(sign))).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(slot: u32, visits: u32, value: f32) -> Candidate {
        Candidate { slot, visits, value, lower: -1.0, upper: 1.0, plies: 0, tree: 0 }
    }

    /// The first move has been the best one from the start, in a search that began with the value 0.
    fn calm() -> Course {
        let mut course = Course::default();
        course.see(&candidate(1, 10, 0.0), Some(0.0), 0.1);
        course
    }

    #[test]
    fn each_sign_of_doubt_is_worth_half_a_plan() {
        let clear = [candidate(1, 1000, 0.1), candidate(2, 200, 0.0)];
        assert!((stretch(&clear, &calm(), Some(0.0), 1.0) - 1.0).abs() < 1e-9);
        let behind = [candidate(1, 1000, 0.1), candidate(2, 200, 0.2)];
        let close = [candidate(1, 1000, 0.1), candidate(2, 800, 0.0)];
        let unknown = [candidate(1, 1000, 0.1), candidate(2, 90, 0.9)];
        let mut changed = calm();
        changed.see(&candidate(2, 20, 0.0), Some(0.0), 0.8);
        for (moves, course, value, expected) in [
            (&behind, calm(), 0.0, 1.5),
            (&close, calm(), 0.0, 1.5),
            (&unknown, calm(), 0.0, 1.0),
            (&clear, calm(), -0.1, 1.5),
            (&clear, changed, 0.0, 1.5),
            (&[candidate(1, 1000, 0.1), candidate(2, 900, 0.2)], calm(), -0.1, 2.5),
        ] {
            assert!((stretch(moves, &course, Some(value), 1.0) - expected).abs() < 1e-9, "{moves:?} {value}");
        }
    }

    #[test]
    fn a_best_move_that_stays_is_not_new() {
        let mut course = calm();
        course.see(&candidate(2, 20, 0.0), Some(0.5), 0.5);
        course.see(&candidate(2, 90, 0.0), Some(0.5), 0.9);
        assert_eq!((course.best, course.changed, course.value), (Some((0, 2)), 0.5, Some(0.0)));
    }

    #[test]
    fn a_lead_is_for_good_if_half_of_what_comes_cannot_make_up_for_it() {
        let (best, second) = (candidate(1, 1000, 0.0), candidate(2, 400, 0.0));
        assert!(leads_for_good(&best, &second, 1199.0));
        assert!(!leads_for_good(&best, &second, 1200.0));
    }
}
