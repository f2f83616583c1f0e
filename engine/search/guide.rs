//! Knowledge of positions from before the search: books and partial decision trees, through one hook.
//!
//! In select, a hint is a share of the prior and a number of prior observations, as `simulation/advice.rs` has it; a banned
//! action is not taken while there is another. In rollout, hinted actions are followed as long as the line of play stays known.

use std::collections::HashMap;

use playout_games::{Action, Game, Rng, draw};

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
}

/// Hints by position. One entry serves all symmetric images.
#[derive(Debug, Default)]
pub struct Guide {
    /// By canonical key; actions in the canonical frame.
    positions: HashMap<u64, Vec<Hint>>,
}

impl Guide {
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a hint for `position`, in whose own frame its action is; it replaces an earlier one for the same action. Weights
    /// below 0 are 0; weights and observations above a million are a million.
    pub fn add<G: Game>(&mut self, game: &G, position: &G::Position, hint: Hint) {
        let (key, frame) = game.canonical(position);
        let hint = Hint {
            action: game.to_frame(frame, hint.action),
            // A weight that is no number is 0.
            weight: hint.weight.max(0.0).min(MOST as f32),
            visits: hint.visits.min(MOST),
            value: hint.value.clamp(-1.0, 1.0),
            ..hint
        };
        let hints = self.positions.entry(key).or_default();
        hints.retain(|old| old.action != hint.action);
        hints.push(hint);
        hints.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    }

    /// The hints for `position`, the heaviest first, and the frame in which their actions are.
    pub fn hints<G: Game>(&self, game: &G, position: &G::Position) -> Option<(&[Hint], u8)> {
        if self.is_empty() {
            return None;
        }
        let (key, frame) = game.canonical(position);
        self.positions.get(&key).map(|hints| (hints.as_slice(), frame))
    }

    /// An action that a rollout takes at `position`, drawn by weight; None where no action has one.
    pub fn draw<G: Game>(&self, game: &G, position: &G::Position, rng: &mut Rng) -> Option<Action> {
        let (hints, frame) = self.hints(game, position)?;
        let weights = hints.iter().map(Hint::pull);
        let action = game.undo_frame(frame, hints[draw::weighted(weights, rng)?].action);
        game.still_legal(position, action).then_some(action)
    }
}
