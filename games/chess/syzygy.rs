//! Syzygy tablebases: who wins, with the rule of 50 moves, where few pieces are left.

use std::fmt;

use shakmaty::{Color, Position as _};
use shakmaty_syzygy::{Tablebase, Wdl};

use crate::Tables;

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
    pub fn open(from: &Tables) -> Result<Syzygy, String> {
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
}
