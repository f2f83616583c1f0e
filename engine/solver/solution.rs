//! The answer of a solver.

use std::fmt;

use playout_games::Action;

/// Reason for which a game or a position cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Dice or cards decide, and the method knows only players.
    Chance,
    /// A line of play came back to a position that it had passed.
    Cycle,
    /// A line of play is longer than this many plies.
    Length(u32),
    /// A result is neither a win, a draw nor a loss, and the method knows only these.
    Result,
    /// The value depends on history that the game's key leaves out.
    History,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Chance => write!(f, "proof-number search cannot solve a game with dice: use method alpha-beta"),
            Refusal::Cycle => {
                write!(f, "a line of play comes back to a position that it has passed: no exact value is defined")
            }
            Refusal::Length(plies) => write!(f, "a line of play is longer than {plies} plies"),
            Refusal::Result => {
                write!(f, "proof-number search knows win, draw and loss, not results between: use method alpha-beta")
            }
            Refusal::History => write!(
                f,
                "the value depends on the game's history, which proof-number search ignores: use method alpha-beta"
            ),
        }
    }
}

/// The solution of one move of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveSolution {
    pub action: Action,
    /// Bounds of the value for the player to move at the root; equal where it is known.
    pub lower: f32,
    pub upper: f32,
    /// Plies from the root, this move included, to the end of the game: the winner hurries, the loser delays. None for
    /// draws, for expectations, and where the method finds no lengths.
    pub plies: Option<u32>,
}

impl MoveSolution {
    /// A move of which nothing is known.
    pub fn unknown(action: Action) -> MoveSolution {
        MoveSolution { action, lower: -1.0, upper: 1.0, plies: None }
    }

    /// The order from the best move to the worst: by value, then by length, last those whose length is not known.
    pub fn rank(&self) -> (f32, f32, i64) {
        let winner = self.lower > 0.0;
        let rank = |plies| if winner { -i64::from(plies) } else { i64::from(plies) };
        (self.lower, self.upper, self.plies.map_or(i64::MIN, rank))
    }
}

/// The solution of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Bounds of the value for the player to move (at a chance position: the first player); equal where it is known.
    pub lower: f32,
    pub upper: f32,
    /// Plies to the end, as in `MoveSolution`.
    pub plies: Option<u32>,
    /// Best play from here, as far as it is known.
    pub line: Vec<Action>,
    /// Every legal move, best first, where all were asked for; else empty.
    pub moves: Vec<MoveSolution>,
    /// The method that was used.
    pub method: &'static str,
}

impl Solution {
    pub fn unknown(method: &'static str) -> Solution {
        Solution { lower: -1.0, upper: 1.0, plies: None, line: Vec::new(), moves: Vec::new(), method }
    }

    pub fn is_solved(&self) -> bool {
        self.lower == self.upper
    }

    /// Takes what is known of every move, puts them in order and draws the position's value from them.
    pub fn take_moves(&mut self, mut moves: Vec<MoveSolution>) {
        moves.sort_by(|a, b| b.rank().partial_cmp(&a.rank()).expect("values are numbers"));
        self.lower = moves.iter().fold(-1.0, |best, m| best.max(m.lower));
        self.upper = moves.iter().fold(-1.0, |best, m| best.max(m.upper));
        self.plies = moves.first().filter(|_| self.is_solved()).and_then(|best| best.plies);
        self.moves = moves;
    }
}
