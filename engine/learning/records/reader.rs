//! Reads games from a file.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use playout_games::{Action, Game};

use super::{
    Label,
    frames::{MAGIC, first},
    games::{Bytes, GameRecord},
};

/// Reads the frames of a file in order, up to the first one that is cut off or damaged.
pub struct Reader {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where the frames read so far end.
    end: usize,
    /// The actions of the file's numbers, where the game numbers them as they appear.
    actions: Vec<Action>,
    /// The texts of these actions.
    texts: Vec<String>,
    has_ledger: bool,
    games: u64,
}

impl Reader {
    /// Opens a file of games of `game`, and reads its label.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn open<G: Game>(path: &Path, game: &G, label: &Label) -> Result<Reader, String> {
        let wrong = |what: String| format!("{}: {what}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let found = label_of(&bytes).map_err(wrong)?;
        label.expect(&found.0).map_err(wrong)?;
        Ok(Reader {
            path: path.to_owned(),
            bytes,
            end: found.1,
            actions: Vec::new(),
            texts: Vec::new(),
            has_ledger: game.ledger().is_some(),
            games: 0,
        })
    }

    /// The games of the next frame; None at the end, or where the next frame is cut off or damaged.
    ///
    /// # Errors
    ///
    /// One line that names the file and the record whose contents are wrong.
    pub fn next<G: Game>(&mut self, game: &G) -> Result<Option<Vec<GameRecord>>, String> {
        let Some((contents, length)) = first(&self.bytes[self.end..]) else { return Ok(None) };
        let wrong = |number: u64, what: String| format!("{}: record {number}: {what}", self.path.display());
        let mut bytes = Bytes(&contents);
        let number = self.games + 1;
        let texts = bytes.count().and_then(|count| (0..count).map(|_| bytes.text()).collect::<Result<Vec<_>, _>>());
        let texts = texts.map_err(|what| wrong(number, what))?;
        if !texts.is_empty() {
            if !self.has_ledger {
                return Err(wrong(number, "it names actions, which this game numbers".to_owned()));
            }
            self.actions.extend(game.numbers_in(&texts).map_err(|what| wrong(number, what))?);
            self.texts.extend(texts);
        }
        let count = bytes.count().map_err(|what| wrong(number, what))?;
        let mut games = Vec::new();
        for number in (number..).take(count) {
            let action = |number: u32| match self.actions.get(number as usize) {
                Some(&action) => Ok(action),
                None if self.has_ledger => Err(format!("no action has the number {number}")),
                None => Ok(number),
            };
            games.push(bytes.game(action).map_err(|what| wrong(number, what))?);
        }
        if !bytes.0.is_empty() {
            return Err(wrong(number, "more follows its games".to_owned()));
        }
        self.end += length;
        self.games += games.len() as u64;
        Ok(Some(games))
    }

    /// Number of games read so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Where the frames read so far end.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The actions of the file's numbers.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The texts of the actions that have them.
    pub fn texts(&self) -> HashMap<Action, &str> {
        self.actions.iter().copied().zip(self.texts.iter().map(String::as_str)).collect()
    }

    /// After the last frame: one line if the file goes on with a frame that is cut off or damaged.
    pub fn damage(&self) -> Option<String> {
        (self.end < self.bytes.len()).then(|| {
            let (path, next, end) = (self.path.display(), self.games + 1, self.end);
            format!("{path}: record {next}, at byte {end}, is cut off or damaged; only what comes before it is used")
        })
    }
}

/// The label at the beginning of a file, and where it ends.
fn label_of(bytes: &[u8]) -> Result<(Label, usize), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a file of records")?;
    let (label, length) = first(rest).ok_or("its label is cut off or damaged")?;
    let text = String::from_utf8(label).map_err(|_| "its label is not UTF-8")?;
    Ok((Label::of_text(&text)?, MAGIC.len() + length))
}
