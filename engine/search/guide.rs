//! Knowledge of positions from before the search: books and partial decision trees, through one hook.
//!
//! In select, a hinted action is tried first and brings its results along as prior observations; a banned one is not
//! taken while there is another. In rollout, hinted actions are followed as long as the line of play stays known.

use std::collections::HashMap;

use playout_games::{Action, Game, Rng, draw};

/// Knowledge of one action at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hint {
    pub action: Action,
    /// Weight with which a rollout draws it among the hints of the position.
    pub weight: f32,
    /// Games or simulations that the hint stands for.
    pub visits: u32,
    /// Their mean result for the player to move, in [-1, 1].
    pub value: f32,
    /// Known to lose: never taken while there is an alternative.
    pub banned: bool,
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

    /// Adds a hint for `position`, in whose own frame its action is; it replaces an earlier one for the same action.
    pub fn add<G: Game>(&mut self, game: &G, position: &G::Position, hint: Hint) {
        let (key, frame) = game.canonical(position);
        let hint = Hint { action: game.to_frame(frame, hint.action), ..hint };
        let hints = self.positions.entry(key).or_default();
        hints.retain(|old| old.action != hint.action);
        hints.push(hint);
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
        let weights = hints.iter().map(|hint| if hint.banned { 0.0 } else { hint.weight.max(0.0) });
        let action = game.undo_frame(frame, hints[draw::weighted(weights, rng)?].action);
        game.still_legal(position, action).then_some(action)
    }
}
