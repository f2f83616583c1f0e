//! The chances that positions of a game should have had, by later positions of the game.

use playout_games::Player;

use crate::{
    outcomes::Outcomes,
    self_play::{Foresight, Record, Sample},
};

/// Distance that a target looks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Horizon {
    /// The lambda-return: later positions count with weights that fall by this factor, in [0, 1] (Sutton 1988). 0 is the next
    /// position alone, 1 the end of the game.
    Lambda(f32),
    /// The position that many positions later, at least 1, or the end of the game.
    Steps(usize),
    /// The best action, in the mean over the outcomes of the dice: an update without the luck of one throw, of this part of
    /// the positions.
    Ahead(f32),
    /// The ends of rollouts, at this part of the positions: of games that go on for some actions by the net's best play.
    Rollouts(f32),
}

impl Horizon {
    /// The look ahead that such targets need from the judge of games, and the part of the positions that need it.
    pub fn foresight(self) -> Option<(Foresight, f32)> {
        match self {
            Horizon::Ahead(part) => Some((Foresight::Action, part)),
            Horizon::Rollouts(part) => Some((Foresight::Rollouts, part)),
            Horizon::Lambda(_) | Horizon::Steps(_) => None,
        }
    }
}

/// A position and what its chances should have been, for the same player.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    pub sample: &'a Sample,
    pub chances: Vec<f32>,
}

/// The targets of the positions of a game, the last first. Positions known exactly are their own targets.
pub fn targets<'a>(record: &'a Record, horizon: Horizon, outcomes: &Outcomes) -> Vec<Target<'a>> {
    let samples = &record.samples;
    let mut end = vec![0.0; outcomes.len()];
    outcomes.known(record.result, &mut end);
    // From the first player's point of view.
    let mut later = end.clone();
    let turned = |chances: &[f32], player: Player| {
        let mut chances = chances.to_vec();
        if player == Player::Second {
            outcomes.turn(&mut chances);
        }
        chances
    };
    let mut found = Vec::with_capacity(samples.len());
    for (number, sample) in samples.iter().enumerate().rev() {
        let player = sample.judged.player;
        let chances = match horizon {
            _ if sample.exact => {
                later = turned(&sample.chances, player);
                sample.chances.clone()
            }
            Horizon::Lambda(lambda) => {
                let chances = turned(&later, player);
                for (later, here) in later.iter_mut().zip(turned(&sample.chances, player)) {
                    *later = lambda * *later + (1.0 - lambda) * here;
                }
                chances
            }
            Horizon::Steps(steps) => match samples.get(number + steps) {
                Some(next) if next.judged.player == player => next.chances.clone(),
                Some(next) => turned(&next.chances, Player::Second),
                None => turned(&end, player),
            },
            Horizon::Ahead(_) | Horizon::Rollouts(_) => sample.ahead.clone(),
        };
        found.push(Target { sample, chances });
    }
    found
}

#[cfg(test)]
mod tests {
    use playout_games::Judged;

    use super::*;

    fn record() -> Record {
        let sample = |player, wins: f32, exact| Sample {
            inputs: Vec::new(),
            judged: Judged { phase: 0, player },
            chances: vec![wins, 1.0 - wins],
            exact,
            ahead: Vec::new(),
        };
        let samples = [(Player::First, 0.5), (Player::Second, 0.4), (Player::First, 0.7), (Player::Second, 0.2)]
            .map(|(player, wins)| sample(player, wins, false));
        Record { samples: samples.into(), result: 1.0 }
    }

    fn wins(record: &Record, horizon: Horizon) -> Vec<f32> {
        let found = targets(record, horizon, &Outcomes::new(&[1.0, -1.0]));
        found.iter().rev().map(|target| target.chances[0]).collect()
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

    #[test]
    fn targets_ahead_are_what_was_seen_there() {
        let mut record = record();
        record.samples.truncate(1);
        record.samples[0].ahead = vec![0.9, 0.1];
        near(&wins(&record, Horizon::Ahead(0.1)), &[0.9]);
    }
}
