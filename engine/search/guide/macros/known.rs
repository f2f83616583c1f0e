//! Knowledge of macros about the positions of a search: hints, and the lines that go on from there.

use std::{
    collections::HashMap,
    hash::BuildHasherDefault,
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

use playout_games::{Action, Game};

use super::{Macros, follow::Line};
use crate::{
    guide::hint::{Hint, join},
    key_hasher::KeyHasher,
    meta::{Offer, offer},
};

/// Hints and lines that are kept; at the next one all are forgotten.
const MOST_KEPT: usize = 1 << 20;
/// Count of a position beside its hints and lines.
const POSITION_COUNT: usize = 4;

/// Knowledge of macros about one position, in the canonical frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MacroHints {
    /// For the player to move.
    pub moves: Vec<Hint>,
    /// Replies that lines answer: they count where the position has no other hints.
    pub replies: Vec<Hint>,
    pub lines: Vec<Line>,
    /// Lines that begin with a move of the player to move and cannot be found again from it: the move, and the line after it.
    pub begun: Vec<(Action, Line)>,
    /// Trees that begin here.
    pub offers: Vec<Offer>,
    /// Whether macros that begin here have been looked for.
    matched: bool,
}

impl MacroHints {
    /// The hints of lines at `position`, whose canonical frame is `frame`. The cells of the lines are its own.
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
            hints.add_offer(game, frame, macros.offer_of(game, position, line));
            macros.add_replies(game, position, line, &mut replies);
            hints.lines.push(to_frame(game, frame, line));
        }
        for action in replies {
            let hint = Hint { action, weight: 1.0, visits: 0, value: 0.0, banned: false };
            join(&mut hints.replies, hint.bounded(game, frame));
        }
        hints
    }

    /// Adds the tree, if there is one; its move is in the position's own frame.
    fn add_offer<G: Game>(&mut self, game: &G, frame: u8, new: Option<Offer>) {
        if let Some(new) = new {
            offer(&mut self.offers, Offer { action: game.to_frame(frame, new.action), ..new });
        }
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

/// Knowledge of macros by canonical key. All threads share it.
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

    /// The answer of `read` to the position's hints; None where nothing is known.
    pub fn with<T>(&self, key: u64, read: impl FnOnce(&MacroHints) -> T) -> Option<T> {
        self.read().0.get(&key).map(read)
    }

    /// Matches the macros at `position`, once. Says whether they know anything there.
    pub fn match_at<G: Game>(&self, macros: &Macros, game: &G, position: &G::Position) -> bool {
        let (key, frame) = game.canonical(position);
        match self.with(key, |hints| hints.matched) {
            Some(true) => return true,
            // What nobody has begun is most often nothing.
            None if !macros.has_plays() => return false,
            _ => {}
        }
        let mut begun = MacroHints { matched: true, ..MacroHints::default() };
        let only = macros.begin(game, position, |hint, tree, line| {
            join(&mut begun.moves, hint.bounded(game, frame));
            begun.add_offer(game, frame, tree);
            let line = line.map(|line| (game.to_frame(frame, hint.action), to_frame(game, frame, &line)));
            if let Some(line) = line.filter(|line| !begun.begun.contains(line)) {
                begun.begun.push(line);
            }
        });
        if begun.moves.is_empty() && self.with(key, |_| ()).is_none() {
            return false;
        }
        self.add(game, position, (key, frame), begun, only);
        true
    }

    /// Takes note of `lines` that have led to `position`; their cells are its own. Says whether macros know anything there.
    pub fn note<G: Game>(&self, macros: &Macros, game: &G, position: &G::Position, lines: &[Line]) -> bool {
        let (key, frame) = game.canonical(position);
        let known = self.with(key, |hints| hints.lines.clone()).unwrap_or_default();
        let new: Vec<Line> =
            lines.iter().filter(|line| !known.contains(&to_frame(game, frame, line))).cloned().collect();
        let more = MacroHints::of_lines(macros, game, position, frame, &new);
        let only = new.iter().any(|line| macros.is_only(line) && macros.move_of(game, position, line).is_some());
        if !new.is_empty() {
            self.add(game, position, (key, frame), more, only);
        }
        true
    }

    /// Adds to what is known of a position. With `only`, moves without a hint are banned.
    fn add<G: Game>(&self, game: &G, position: &G::Position, (key, frame): (u64, u8), more: MacroHints, only: bool) {
        let mut legal = Vec::new();
        if only {
            game.actions(position, &mut legal);
        }
        let size = |hints: &MacroHints| {
            let hinted = hints.moves.len() + hints.replies.len();
            POSITION_COUNT + hinted + hints.lines.len() + hints.begun.len() + hints.offers.len()
        };
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let (positions, count) = &mut *kept;
        let before = positions.get(&key).map_or(0, size);
        let hints = positions.entry(key).or_default();
        more.moves.into_iter().for_each(|hint| join(&mut hints.moves, hint));
        more.replies.into_iter().for_each(|hint| join(&mut hints.replies, hint));
        hints.lines.extend(more.lines);
        hints.begun.extend(more.begun);
        more.offers.into_iter().for_each(|new| offer(&mut hints.offers, new));
        hints.matched |= more.matched;
        for action in legal.into_iter().map(|action| game.to_frame(frame, action)) {
            if hints.moves.iter().all(|hint| hint.action != action) {
                hints.moves.push(Hint { action, weight: 0.0, visits: 0, value: 0.0, banned: true });
            }
        }
        *count += size(hints) - before;
        if *count > MOST_KEPT {
            positions.clear();
            *count = 0;
        }
    }
}

/// The line with its cells in the canonical frame.
fn to_frame<G: Game>(game: &G, frame: u8, line: &Line) -> Line {
    line.map(|cell| game.cell_to_frame(frame, cell))
}
