//! What macros know of the positions of a search: hints, and the lines that go on from there.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

use playout_games::{Action, Game};

use super::{Macros, follow::Line};
use crate::guide::{Hint, join};

/// Hints and lines that are kept; at the next one all are forgotten.
const MOST_KEPT: usize = 1 << 20;
/// What a position counts for beside its hints and lines.
const POSITION_COUNT: usize = 4;

/// A canonical key as its own hash: it is one already.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// What macros know of one position, in the canonical frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MacroHints {
    /// For the player to move.
    pub moves: Vec<Hint>,
    /// Replies that lines answer: they count where the position has no other hints.
    pub replies: Vec<Hint>,
    pub lines: Vec<Line>,
}

impl MacroHints {
    /// What lines know of `position`, whose canonical frame is `frame`. The cells of the lines are its own.
    pub fn of_lines<G: Game>(
        macros: &Macros,
        game: &G,
        position: &G::Position,
        frame: u8,
        lines: &[Line],
    ) -> MacroHints {
        let mut hints = MacroHints::default();
        let mut replies = Vec::new();
        for line in lines {
            if let Some(hint) = macros.move_of(game, position, line) {
                join(&mut hints.moves, hint.bounded(game, frame));
            }
            macros.add_replies(game, position, line, &mut replies);
            hints.lines.push(to_frame(game, frame, line));
        }
        for action in replies {
            let hint = Hint { action, weight: 1.0, visits: 0, value: 0.0, banned: false };
            join(&mut hints.replies, hint.bounded(game, frame));
        }
        hints
    }

    /// Adds the hints to what else is known of the position.
    pub fn add_to(&self, hints: &mut Vec<Hint>) {
        self.moves.iter().for_each(|&hint| join(hints, hint));
        if hints.is_empty() {
            hints.extend_from_slice(&self.replies);
        }
    }
}

type Positions = HashMap<u64, MacroHints, BuildHasherDefault<KeyHasher>>;

/// What macros know, by canonical key. All threads share it.
#[derive(Default)]
pub struct Known {
    kept: RwLock<(Positions, usize)>,
}

impl Known {
    fn read(&self) -> RwLockReadGuard<'_, (Positions, usize)> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn forget(&mut self) {
        *self = Known::default();
    }

    /// What `read` makes of the position's hints; None where nothing is known.
    pub fn with<T>(&self, key: u64, read: impl FnOnce(&MacroHints) -> T) -> Option<T> {
        self.read().0.get(&key).map(read)
    }

    /// Takes note of what macros know of `position`, which `lines` have led to; their cells are its own. Says whether they
    /// know anything.
    pub fn note<G: Game>(&self, macros: &Macros, game: &G, position: &G::Position, lines: &[Line]) -> bool {
        let (key, frame) = game.canonical(position);
        let known = self.with(key, |hints| lines.iter().all(|line| hints.lines.contains(&to_frame(game, frame, line))));
        if known == Some(true) {
            return true;
        }
        let mut hints = self.with(key, MacroHints::clone).unwrap_or_default();
        let mut only = false;
        if known.is_none() {
            only |= macros.begin(game, position, |hint| join(&mut hints.moves, hint.bounded(game, frame)));
        }
        let new = lines.iter().filter(|line| !hints.lines.contains(&to_frame(game, frame, line)));
        let new: Vec<Line> = new.cloned().collect();
        let more = MacroHints::of_lines(macros, game, position, frame, &new);
        more.moves.into_iter().for_each(|hint| join(&mut hints.moves, hint));
        more.replies.into_iter().for_each(|hint| join(&mut hints.replies, hint));
        hints.lines.extend(more.lines);
        only |= new.iter().any(|line| macros.is_only(line) && macros.move_of(game, position, line).is_some());
        if only {
            ban_others(game, position, frame, &mut hints.moves);
        }
        if hints == MacroHints::default() {
            return false;
        }
        let size = |hints: &MacroHints| POSITION_COUNT + hints.moves.len() + hints.replies.len() + hints.lines.len();
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let (positions, count) = &mut *kept;
        if *count + size(&hints) > MOST_KEPT {
            positions.clear();
            *count = 0;
        }
        *count += size(&hints);
        if let Some(old) = positions.insert(key, hints) {
            *count -= size(&old);
        }
        true
    }
}

/// The line with its cells in the canonical frame.
fn to_frame<G: Game>(game: &G, frame: u8, line: &Line) -> Line {
    line.map(|cell| game.cell_to_frame(frame, cell))
}

/// Bans all legal actions without a hint.
fn ban_others<G: Game>(game: &G, position: &G::Position, frame: u8, hints: &mut Vec<Hint>) {
    let mut legal: Vec<Action> = Vec::new();
    game.actions(position, &mut legal);
    for action in legal.into_iter().map(|action| game.to_frame(frame, action)) {
        if hints.iter().all(|hint| hint.action != action) {
            hints.push(Hint { action, weight: 0.0, visits: 0, value: 0.0, banned: true });
        }
    }
}
