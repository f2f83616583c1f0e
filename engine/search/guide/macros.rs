//! Macros: drawings of cells with partial decision trees, matched at every node at which the search chooses between moves.
//!
//! `drawn` has them as their files do; `compile` turns each drawing into stamps, one for each symmetry image, with one
//! condition for each of its cells; `matcher` lays stamps on a board; `relate` asks for the relations between cells that
//! drawings cannot show; `follow` goes through the trees; `known` keeps what macros know of the positions of a search.
//!
//! A macro that begins with a move of ours gives a hint wherever one of its stamps fits, so its stamps are laid on all places
//! of the board at once. A tree is entered only by a move of its first letters, so the stamps for that are laid on the place of
//! the move that is played, when the node after it is made. Macros with relations or with moves from cell to cell begin with
//! a move of ours; where one applies, the line through its tree is kept together with its hint.

mod compile;
mod drawn;
mod follow;
mod known;
mod matcher;
mod relate;
#[cfg(test)]
mod tests;

pub use drawn::{Drawing, DrawnCell, Images, Matrix, Move, PatternMacro, Phrase, Symbol, Turn};
pub use follow::Line;
pub use known::{Known, MacroHints};

use compile::{Play, Start};
use playout_games::Grid;

/// The macros of one game, ready to be matched.
pub struct Macros {
    grid: Grid,
    list: Vec<PatternMacro>,
    /// Letters, for each macro, that are used from each turn on: with the turn's own move, and after it.
    letters: Vec<Vec<[u32; 2]>>,
    /// The sets of kinds of men that macros ask for.
    kinds: Vec<u32>,
    /// Whether the first player owns the edges at top and bottom, and the second those at the sides.
    owned_edges: bool,
    /// By the player to move: macros that give that player a move.
    plays: [Vec<Play>; 2],
    /// By the player to move: ways into a tree by a move of ours, and by a reply that it names.
    starts: [[Vec<Start>; 2]; 2],
    /// By the player to move: ways into a tree by any other reply.
    others: [Vec<Start>; 2],
}
