//! Hints: knowledge of moves from before the search.

use playout_games::{Action, Game};

/// Knowledge of one action at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hint {
    pub action: Action,
    /// Weight against the other hints of the position, and against 1 for all moves without one: in the prior and, among
    /// the hints, in rollouts.
    pub weight: f32,
    /// Games or simulations that the hint stands for.
    pub visits: u32,
    /// Their mean result for the player to move, in [-1, 1].
    pub value: f32,
    /// Known to lose: never taken while there is an alternative.
    pub banned: bool,
}

/// Greatest weight, and greatest number of observations, of a hint.
const MOST: u32 = 1_000_000;

impl Hint {
    /// The weight, where the action is not banned.
    pub fn pull(&self) -> f32 {
        if self.banned { 0.0 } else { self.weight }
    }

    /// The hint in the canonical frame. Weights below 0 are 0; weights and observations above a million are a million.
    pub fn bounded<G: Game>(self, game: &G, frame: u8) -> Hint {
        Hint {
            action: game.to_frame(frame, self.action),
            // A weight that is no number is 0.
            weight: self.weight.max(0.0).min(MOST as f32),
            visits: self.visits.min(MOST),
            value: self.value.clamp(-1.0, 1.0),
            ..self
        }
    }

    /// The union of two sources on one action: the greater weight, and the results of the source that has more of them.
    pub fn joined(self, other: Hint) -> Hint {
        let more = if other.visits > self.visits { other } else { self };
        Hint { weight: self.weight.max(other.weight), banned: self.banned && other.banned, ..more }
    }
}

/// Adds a hint to those of a position.
pub fn join(hints: &mut Vec<Hint>, hint: Hint) {
    match hints.iter_mut().find(|other| other.action == hint.action) {
        Some(other) => *other = other.joined(hint),
        None => hints.push(hint),
    }
}
