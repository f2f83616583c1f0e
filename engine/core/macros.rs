//! Macros as Python hands them over.

use playout_search::macros::{Drawing, DrawnCell, Images, Matrix, PatternMacro, Symbol, Turn};
use pyo3::FromPyObject;

/// The symmetry images in which drawings apply, and whether edges of the board belong to players.
pub type ImagesTuple = (Vec<Matrix>, bool);

/// (letter of our move, replies with the numbers of the turns that answer them, the turn that answers others)
type TurnTuple = (Option<char>, Vec<(char, u32)>, Option<u32>);

/// A macro: (weight, visits, value, only), drawings as cells (column, row, symbol), turns.
#[derive(FromPyObject)]
pub struct MacroTuple((f32, u32, f32, bool), Vec<Vec<(i32, i32, char)>>, Vec<TurnTuple>);

pub fn images((matrices, owned_edges): ImagesTuple) -> Images {
    Images { matrices, owned_edges }
}

impl MacroTuple {
    pub fn read(self) -> PatternMacro {
        let MacroTuple((weight, visits, value, only), drawings, turns) = self;
        PatternMacro {
            weight,
            visits,
            value,
            only,
            drawings: drawings.into_iter().map(drawing).collect(),
            turns: turns.into_iter().map(turn).collect(),
        }
    }
}

fn drawing(cells: Vec<(i32, i32, char)>) -> Drawing {
    let cell = |(column, row, symbol)| {
        let symbol = match symbol {
            'X' => Symbol::Ours,
            'O' => Symbol::Theirs,
            '*' => Symbol::Taken,
            '.' => Symbol::Empty,
            '#' => Symbol::Edge,
            'a'..='z' => Symbol::Letter(symbol as u8),
            _ => return None,
        };
        Some(DrawnCell { column, row, symbol })
    };
    cells.into_iter().filter_map(cell).collect()
}

fn turn((play, replies, others): TurnTuple) -> Turn {
    let replies = replies.into_iter().map(|(letter, answer)| (letter as u8, answer));
    Turn { play: play.map(|letter| letter as u8), replies: replies.collect(), others }
}
