//! Files of games that were played for learning: `frames` has the layout of a file, `games` that of a game. docs/learning.md
//! describes both.

mod frames;
mod games;
mod given;
mod reader;
mod writer;

pub use games::{GameRecord, Ply, Searched};
pub use given::{Given, Lesson, given};
pub use reader::Reader;
pub use writer::Writer;

use playout_games::zobrist;

/// The game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The game with its parameters.
    pub game: String,
    /// The name of the nets' inputs (`NetShape::name`) when the file was begun. Games are read whatever it is.
    pub inputs: String,
}

const VERSION: &str = "1";
/// One game in this many is held out.
const HELD_OUT: u64 = 20;

/// Whether nothing is learned from a game, and the loss is measured on it.
pub fn is_held_out(record: &GameRecord) -> bool {
    zobrist::key(record.seed, 1).is_multiple_of(HELD_OUT)
}

impl Label {
    fn text(&self) -> String {
        format!("version {VERSION}\ngame {}\ninputs {}\n", self.game, self.inputs)
    }

    fn of_text(text: &str) -> Result<Label, String> {
        let said = |name: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            found.map(str::to_owned).ok_or_else(|| format!("its label has no {name}"))
        };
        let version = said("version")?;
        if version != VERSION {
            return Err(format!("its version is {version:?} instead of {VERSION:?}"));
        }
        Ok(Label { game: said("game")?, inputs: said("inputs")? })
    }

    /// # Errors
    ///
    /// One line if `other` is not this.
    fn expect(&self, other: &Label) -> Result<(), String> {
        match self.game == other.game {
            true => Ok(()),
            false => Err(format!("its game is {:?} instead of {:?}", other.game, self.game)),
        }
    }
}

#[cfg(test)]
mod tests;
