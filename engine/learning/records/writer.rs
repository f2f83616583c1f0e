//! Writes games to the end of a file.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use playout_games::{Action, Game};

use super::{
    Label,
    frames::{MAGIC, frame},
    games::{GameRecord, write, write_text},
    reader::Reader,
};

/// Appends games to a file, which is whole after each call of `append`, and after a process that was killed in it once it is
/// opened again.
pub struct Writer {
    path: PathBuf,
    file: File,
    /// Length of the file.
    end: u64,
    /// The file's numbers of actions, where the game numbers them as they appear.
    numbers: HashMap<Action, u32>,
    has_ledger: bool,
    games: u64,
}

impl Writer {
    /// Opens or makes a file of games of `game`; cuts off what is damaged at its end. The game learns the numbers of the
    /// actions in the file in their order there.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn open<G: Game>(path: &Path, game: &G, label: &Label) -> Result<Writer, String> {
        let named = |error: std::io::Error| format!("{}: {error}", path.display());
        let has_ledger = game.ledger().is_some();
        let head = [MAGIC.as_slice(), &frame(label.text().as_bytes())].concat();
        let length = std::fs::metadata(path).map_or(0, |found| found.len());
        // A shorter one is of a process that was killed as it made the file.
        if length >= head.len() as u64 || length > 0 && !head.starts_with(&std::fs::read(path).map_err(named)?) {
            let mut reader = Reader::open(path, game, label)?;
            while reader.next(game)?.is_some() {}
            let mut file = OpenOptions::new().write(true).open(path).map_err(named)?;
            let end = reader.end() as u64;
            file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(named)?;
            let numbers = reader.actions().iter().copied().zip(0..).collect();
            return Ok(Writer { path: path.to_owned(), file, end, numbers, has_ledger, games: reader.games() });
        }
        let file = File::create(path).map_err(named)?;
        let mut writer = Writer { path: path.to_owned(), file, end: 0, numbers: HashMap::new(), has_ledger, games: 0 };
        writer.put(&head)?;
        Ok(writer)
    }

    /// Number of games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Appends games as one frame.
    ///
    /// # Errors
    ///
    /// One line that names the file; it then has what it had before.
    pub fn append<G: Game>(&mut self, game: &G, games: &[GameRecord]) -> Result<(), String> {
        let (mut new, mut known) = (Vec::new(), self.numbers.clone());
        if self.has_ledger {
            for ply in games.iter().flat_map(|game| &game.plies) {
                for action in ply.searched.visits().iter().map(|&(action, _)| action).chain([ply.action]) {
                    let next = known.len() as u32;
                    known.entry(action).or_insert_with(|| {
                        new.push(action);
                        next
                    });
                }
            }
        }
        let texts = match game.ledger().filter(|_| !new.is_empty()) {
            Some(texts) => texts.map_err(|what| format!("{}: {what}", self.path.display()))?,
            None => Vec::new(),
        };
        let mut contents = Vec::new();
        contents.extend((new.len() as u32).to_le_bytes());
        new.iter().for_each(|&action| write_text(&texts[action as usize], &mut contents));
        contents.extend((games.len() as u32).to_le_bytes());
        let number = |action| known.get(&action).copied().unwrap_or(action);
        games.iter().for_each(|game| write(game, number, &mut contents));
        self.put(&frame(&contents))?;
        self.numbers = known;
        self.games += games.len() as u64;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), String> {
        match self.file.write_all(bytes).and_then(|()| self.file.sync_data()) {
            Ok(()) => {
                self.end += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Best effort: the next who opens the file cuts the damaged frame off.
                let _ = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::End(0)));
                Err(format!("{}: record {}: {error}", self.path.display(), self.games + 1))
            }
        }
    }
}
