//! Macros as Python hands them over.

use playout_search::macros::{Drawing, DrawnCell, Images, Matrix, Move, PatternMacro, Phrase, Symbol, Turn};
use pyo3::FromPyObject;

/// The symmetry images in which drawings apply, those of drawings with a direction, the map to the second player's view, and
/// whether edges of the board belong to players.
pub type ImagesTuple = (Vec<Matrix>, Vec<Matrix>, Option<Matrix>, bool);

/// The content of a cell: its sign in the file and, where that is `&`, the kinds of men.
type SymbolTuple = (char, u32);

/// A cell: (column, row, symbol, name).
type CellTuple = (i32, i32, SymbolTuple, Option<char>);

/// A move: steps from a cell, or from beyond the board, to a cell; the promotion.
type MoveTuple = (Vec<(Option<char>, char)>, u8);

/// A condition: (relation, names of cells, whether it must not hold).
type PhraseTuple = (String, Vec<char>, bool);

/// (our move, its conditions, replies with the numbers of the turns that answer them, the turn that answers others, the turn instead)
type TurnTuple = (Option<MoveTuple>, Vec<PhraseTuple>, Vec<(MoveTuple, u32)>, Option<u32>, Option<u32>);

/// A macro: (weight, visits, value, only), drawings as cells with whether they have a direction, men, turns.
#[derive(FromPyObject)]
pub struct MacroTuple((f32, u32, f32, bool), Vec<(Vec<CellTuple>, bool)>, Vec<(char, SymbolTuple)>, Vec<TurnTuple>);

pub fn images((matrices, directed, second, owned_edges): ImagesTuple) -> Images {
    Images { matrices, directed, second, owned_edges }
}

impl MacroTuple {
    /// # Errors
    ///
    /// One line that names a relation which is none of the game's `relations`.
    pub fn read(self, relations: &[&str]) -> Result<PatternMacro, String> {
        let MacroTuple((weight, visits, value, only), drawings, men, turns) = self;
        let men = men.into_iter().filter_map(|(name, what)| Some((name as u8, symbol(what)?)));
        Ok(PatternMacro {
            weight,
            visits,
            value,
            only,
            drawings: drawings.into_iter().map(drawing).collect(),
            men: men.collect(),
            turns: turns.into_iter().map(|one| turn(one, relations)).collect::<Result<_, _>>()?,
        })
    }
}

fn drawing((cells, directed): (Vec<CellTuple>, bool)) -> Drawing {
    let cell = |(column, row, what, name): CellTuple| {
        symbol(what).map(|symbol| DrawnCell { column, row, symbol, name: name.map(|name| name as u8) })
    };
    Drawing { cells: cells.into_iter().filter_map(cell).collect(), directed }
}

fn symbol((sign, kinds): SymbolTuple) -> Option<Symbol> {
    Some(match sign {
        '&' => Symbol::Kinds(kinds),
        'X' => Symbol::Ours,
        'O' => Symbol::Theirs,
        '*' => Symbol::Taken,
        '.' => Symbol::Empty,
        '?' => Symbol::Any,
        '#' => Symbol::Edge,
        _ => return None,
    })
}

fn turn((play, conditions, replies, others, instead): TurnTuple, relations: &[&str]) -> Result<Turn, String> {
    let phrase = |(relation, names, negated): PhraseTuple| {
        let number = relations.iter().position(|&one| one == relation);
        let number = number.ok_or_else(|| format!("this game has no relation {relation:?}"))?;
        Ok(Phrase { relation: number as u8, names: names.into_iter().map(|name| name as u8).collect(), negated })
    };
    Ok(Turn {
        play: play.map(read_move),
        conditions: conditions.into_iter().map(phrase).collect::<Result<_, String>>()?,
        replies: replies.into_iter().map(|(reply, answer)| (read_move(reply), answer)).collect(),
        others,
        instead,
    })
}

fn read_move((steps, promotion): MoveTuple) -> Move {
    let step = |(from, to): (Option<char>, char)| (from.map(|from| from as u8), to as u8);
    Move { steps: steps.into_iter().map(step).collect(), promotion }
}
