//! Syzygy tablebases: who wins, with the rule of 50 moves, where few pieces are left.

use std::fmt;

use shakmaty::{CastlingMode, Color, Position as _, fen::Fen};
use shakmaty_syzygy::{Dtz, Tablebase, Wdl};

use crate::TablePaths;

/// The tables of some directories.
pub struct Syzygy {
    tables: Tablebase<shakmaty::Chess>,
    most_pieces: usize,
}

impl fmt::Debug for Syzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Syzygy tables of up to {} pieces", self.most_pieces)
    }
}

impl Syzygy {
    /// Finds the tables in the directories; a file is opened when it is first needed.
    ///
    /// # Errors
    ///
    /// One line that names the directory, if one cannot be read, has a file whose size is wrong, or has no tables.
    pub fn open(from: &TablePaths) -> Result<Syzygy, String> {
        let mut tables = Tablebase::new();
        for path in &from.paths {
            match tables.add_directory(path) {
                Ok(0) => return Err(format!("{}: no Syzygy tables there", path.display())),
                Ok(_) => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
            }
        }
        let most_pieces = tables.max_pieces().min(from.most_pieces as usize);
        Ok(Syzygy { tables, most_pieces })
    }

    /// Whether the tables may have the position.
    pub fn covers(&self, chess: &shakmaty::Chess) -> bool {
        chess.board().occupied().count() <= self.most_pieces && chess.castles().is_empty()
    }

    /// The value for White. Tables count the 50 moves from the position on, so that a win or a loss is sure only just
    /// after a capture or a pawn move; a draw, also where only the 50 moves save it, is one whatever the clock says. What
    /// cannot be read is not known.
    pub fn value(&self, chess: &shakmaty::Chess) -> Option<f32> {
        if !self.covers(chess) {
            return None;
        }
        let value = match self.tables.probe_wdl_after_zeroing(chess).ok()? {
            Wdl::Win => 1.0,
            Wdl::Loss => -1.0,
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => 0.0,
        };
        let sure = value == 0.0 || chess.halfmoves() == 0;
        sure.then_some(if chess.turn() == Color::White { value } else { -value })
    }

    /// The value for the player to move, from -2 for a loss by way of 0 to 2 for a win, -1 and 1 for one that the 50 moves
    /// make a draw; they count from here on. Not known: what is no position, what has no table, what cannot be read.
    pub fn wdl(&self, fen: &str) -> Option<i8> {
        let wdl = self.tables.probe_wdl_after_zeroing(&position(fen)?).ok()?;
        Some(match wdl {
            Wdl::Win => 2,
            Wdl::CursedWin => 1,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -1,
            Wdl::Loss => -2,
        })
    }

    /// Plies to the next capture or pawn move, negative for the loser, 0 for a draw; one off where the table rounds.
    pub fn dtz(&self, fen: &str) -> Option<i32> {
        let Dtz(plies) = self.tables.probe_dtz(&position(fen)?).ok()?.ignore_rounding();
        Some(plies)
    }
}

fn position(fen: &str) -> Option<shakmaty::Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960).ok()
}
