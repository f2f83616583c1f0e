//! The players of a game.

/// The player who decides at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The player who moves first in the game (Black in Go and Hex, White in chess).
    First,
    Second,
    /// Dice or cards.
    Chance,
}

impl Player {
    /// The opponent; `Chance` has none and stays itself.
    pub fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
            Player::Chance => Player::Chance,
        }
    }

    /// +1.0 for `First` and `Chance`, -1.0 for `Second`: turns a value from the first player's point of view into
    /// one from this player's, and back.
    pub fn sign(self) -> f32 {
        if self == Player::Second { -1.0 } else { 1.0 }
    }
}
