//! Butterfly history: what a move was worth wherever it was played in one search, whatever the position.

use playout_games::{Action, Player};

use crate::sync::{
    AtomicF32,
    atomic::{AtomicU32, Ordering::Relaxed},
};

/// Places for the moves of each player.
const PLACES: usize = 1 << 16;
/// Observations that the latest one is weighed against at most: older ones fade.
const MEMORY: u32 = 1 << 12;
/// Observations of no gain that each move begins with.
const DOUBT: f32 = 16.0;

/// Gains of the moves of both players. Threads share it; an observation may be lost where two come at once.
pub struct History {
    gains: Box<[Gain]>,
}

#[derive(Default)]
struct Gain {
    count: AtomicU32,
    mean: AtomicF32,
}

impl History {
    pub fn new() -> History {
        History { gains: (0..2 * PLACES).map(|_| Gain::default()).collect() }
    }

    fn gain(&self, mover: Player, action: Action) -> &Gain {
        let place = (action ^ action >> 16) as usize % PLACES;
        &self.gains[place + if mover == Player::Second { PLACES } else { 0 }]
    }

    /// Notes that a simulation in which `mover` played `action` came out this much better for him than his position was.
    pub fn add(&self, mover: Player, action: Action, gain: f32) {
        let known = self.gain(mover, action);
        let count = (known.count.load(Relaxed) + 1).min(MEMORY);
        let mean = known.mean.get();
        known.mean.set(mean + (gain - mean) / count as f32);
        known.count.store(count, Relaxed);
    }

    /// Mean gain of `action` for `mover`, nearer to 0 the less often it was seen.
    pub fn worth(&self, mover: Player, action: Action) -> f32 {
        let known = self.gain(mover, action);
        let count = known.count.load(Relaxed) as f32;
        known.mean.get() * count / (count + DOUBT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_worth_its_mean_gain_for_its_player_alone() {
        let history = History::new();
        for _ in 0..16 {
            history.add(Player::First, 7, 0.5);
            history.add(Player::First, 7, 0.1);
        }
        assert!((history.worth(Player::First, 7) - 0.3 * 32.0 / 48.0).abs() < 0.02);
        assert_eq!((history.worth(Player::Second, 7), history.worth(Player::First, 8)), (0.0, 0.0));
    }

    #[test]
    fn old_gains_fade() {
        let history = History::new();
        (0..100_000).for_each(|_| history.add(Player::Second, 3, 1.0));
        (0..20_000).for_each(|_| history.add(Player::Second, 3, -1.0));
        assert!(history.worth(Player::Second, 3) < -0.9);
    }
}
