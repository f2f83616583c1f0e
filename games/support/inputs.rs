//! The inputs and outputs of nets that judge positions.

use crate::player::Player;

/// An input of a net that is not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Number of the input, below `NetShape::inputs`.
    pub index: u32,
    pub value: f32,
}

/// The inputs of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Number of the phase in `NetShape::phases`, which has a net of its own.
    pub phase: usize,
    /// The player whose point of view inputs and outputs take.
    pub player: Player,
}

/// The inputs and outputs of the nets of a game. A file of weights names them, and is refused where they differ.
#[derive(Clone, Debug, PartialEq)]
pub struct NetShape {
    /// Name and version of the inputs: another meaning of an input has another name.
    pub name: String,
    /// Number of inputs of each point of view.
    pub inputs: usize,
    /// Points of view that a net reads: 1, the judged player's, or 2, the opponent's too.
    pub views: u8,
    /// The kinds of position, each with a net of its own.
    pub phases: &'static [&'static str],
    /// Results, in [-1, 1], of the outcomes whose chances a net gives: wins, draws and losses, or more kinds of them.
    pub results: Vec<f32>,
    /// Number of logits of a policy; 0 where it has none.
    pub slots: usize,
    /// Factor from the values of the positions after two actions to the difference of their preferences, in a game whose
    /// nets judge positions after a move. None where they judge positions in which a player moves.
    pub sharpness: Option<f32>,
    /// Number of slots that an action has; its logit is the sum of theirs.
    pub slots_each: usize,
    /// Whether the nets' logits are added to the game's own: those of actions to its preferences, those of outcomes to atanh(H(s))
    /// times their results. Else they take their place.
    pub over_own: bool,
    /// The board, where the inputs are planes of its cells.
    pub board: Option<Planes>,
    /// The name of inputs whose nets can play too, although their policy lacks the last slot: an action that has it gets the
    /// greatest logit of the others.
    pub served_by: Option<String>,
    /// The name of inputs whose nets play on boards of any size: the same planes, and a tower that says nothing of single cells
    /// but where to play. Where others serve, these lack the last slot as well.
    pub any_size: Option<String>,
    /// Number of inputs of each of the two points of view of a net that corrects the static evaluation of the game's
    /// look-ahead (`LookAhead::correct`); 0 where it takes none.
    pub correction: usize,
}

/// The most inputs of a point of view of a correction that stages tell apart.
const MEN: usize = 32;

/// The stage of a game for a net that corrects evaluations and has `stages`, by the number of inputs that are not 0: 0 is the
/// one of the fewest.
pub fn correction_stage(inputs: usize, stages: usize) -> usize {
    (inputs.clamp(1, MEN) - 1) * stages / MEN
}

/// A board of cells. Input `plane * cells + cell` is that of a cell in a plane, and the policy's first slots are those of the
/// cells, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planes {
    pub columns: usize,
    pub rows: usize,
    /// Number of planes.
    pub count: usize,
}

impl Planes {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// The plane and the cell of an input.
    pub fn place_of(&self, input: u32) -> (usize, usize) {
        (input as usize / self.cells(), input as usize % self.cells())
    }
}

impl NetShape {
    /// Nets that judge each position of a game of three results, from boards of men: one phase, one point of view.
    pub fn of_boards(name: String, inputs: usize, slots: usize) -> NetShape {
        let results = vec![1.0, 0.0, -1.0];
        NetShape {
            name,
            inputs,
            views: 1,
            phases: &["all"],
            results,
            slots,
            slots_each: 1,
            sharpness: None,
            over_own: false,
            board: None,
            served_by: None,
            any_size: None,
            correction: 0,
        }
    }

    /// As `of_boards`, with planes of a board's cells as inputs.
    pub fn of_planes(name: String, board: Planes, slots: usize) -> NetShape {
        NetShape { board: Some(board), ..NetShape::of_boards(name, board.count * board.cells(), slots) }
    }
}

/// Replaces `out` by an input of 1 for each bit of `boards`, numbered on from board to board of `size` cells.
pub fn of_boards(boards: &[u64], size: u32, out: &mut Vec<Input>) {
    out.clear();
    for (&board, first) in boards.iter().zip((0..).step_by(size as usize)) {
        let mut left = board;
        while left != 0 {
            out.push(Input { index: first + left.trailing_zeros(), value: 1.0 });
            left &= left - 1;
        }
    }
}
