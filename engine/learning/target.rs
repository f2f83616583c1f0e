//! What the outcomes of the positions of a game should have been, as later positions of the game tell.

use crate::{outcomes::Outcomes, self_play::Record};

/// How far a target looks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Horizon {
    /// The lambda-return: later positions count with weights that fall by this factor, in [0, 1] (Sutton 1988). 0 is the next
    /// position alone, 1 the end of the game.
    Lambda(f32),
    /// The position that many positions later, at least 1, or the end of the game.
    Steps(usize),
}

/// The targets of all positions of a game, a row of chances each, for the player whose point of view the position has.
/// Positions known exactly are their own targets.
pub fn targets(record: &Record, horizon: Horizon, outcomes: &Outcomes) -> Vec<f32> {
    let width = outcomes.len();
    let samples = &record.samples;
    let mut all = vec![0.0; samples.len() * width];
    let mut end = vec![0.0; width];
    // The return from the first player's point of view, and the chances at the end.
    outcomes.known(record.result, &mut end);
    let mut later = end.clone();
    let as_first = |chances: &mut [f32], sign: f32| {
        if sign < 0.0 {
            outcomes.turn(chances);
        }
    };
    for (number, sample) in samples.iter().enumerate().rev() {
        let sign = sample.judged.player.sign();
        let target = &mut all[number * width..][..width];
        if sample.exact {
            target.copy_from_slice(&sample.chances);
            later.copy_from_slice(target);
            as_first(&mut later, sign);
            continue;
        }
        match horizon {
            Horizon::Lambda(lambda) => {
                target.copy_from_slice(&later);
                let mut here = sample.chances.clone();
                as_first(&mut here, sign);
                for (later, here) in later.iter_mut().zip(&here) {
                    *later = lambda * *later + (1.0 - lambda) * here;
                }
            }
            Horizon::Steps(steps) => match samples.get(number + steps) {
                Some(next) => {
                    target.copy_from_slice(&next.chances);
                    as_first(target, next.judged.player.sign());
                }
                None => target.copy_from_slice(&end),
            },
        }
        as_first(target, sign);
    }
    all
}

#[cfg(test)]
mod tests {
    use playout_games::{Judged, Player};

    use super::*;
    use crate::self_play::Sample;

    fn record() -> Record {
        let sample = |player, wins: f32, exact| Sample {
            inputs: Vec::new(),
            judged: Judged { phase: 0, player },
            chances: vec![wins, 1.0 - wins],
            exact,
        };
        let samples = [(Player::First, 0.5), (Player::Second, 0.4), (Player::First, 0.7), (Player::Second, 0.2)]
            .map(|(player, wins)| sample(player, wins, false));
        Record { samples: samples.into(), result: 1.0 }
    }

    fn wins(record: &Record, horizon: Horizon) -> Vec<f32> {
        targets(record, horizon, &Outcomes::new(&[1.0, -1.0])).chunks(2).map(|row| row[0]).collect()
    }

    fn near(found: &[f32], expected: &[f32]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, {expected:?}");
    }

    #[test]
    fn one_step_looks_at_the_next_position_from_the_other_side() {
        near(&wins(&record(), Horizon::Steps(1)), &[0.6, 0.3, 0.8, 0.0]);
        near(&wins(&record(), Horizon::Lambda(0.0)), &[0.6, 0.3, 0.8, 0.0]);
        near(&wins(&record(), Horizon::Steps(2)), &[0.7, 0.2, 1.0, 0.0]);
    }

    #[test]
    fn the_end_of_the_game_is_the_other_end_of_the_scale() {
        near(&wins(&record(), Horizon::Steps(9)), &[1.0, 0.0, 1.0, 0.0]);
        near(&wins(&record(), Horizon::Lambda(1.0)), &[1.0, 0.0, 1.0, 0.0]);
        // For the first player: 0.6, 0.7, 0.8, then the end.
        let half = [0.5 * 0.6 + 0.25 * 0.7 + 0.125 * 0.8 + 0.125, 0.0, 0.5 * 0.8 + 0.5, 0.0];
        near(&wins(&record(), Horizon::Lambda(0.5)), &[half[0], 1.0 - (0.5 * 0.7 + 0.25 * 0.8 + 0.25), half[2], 0.0]);
    }

    #[test]
    fn exact_positions_end_the_return() {
        let mut record = record();
        record.samples[2].exact = true;
        near(&wins(&record, Horizon::Lambda(1.0)), &[0.7, 0.3, 0.7, 0.0]);
    }
}
