//! Knowledge of positions from before the search: books and partial decision trees, through one hook.
//!
//! In select, a hint is a share of the prior and a number of prior observations, as `simulation/advice.rs` has it; a banned
//! action is not taken while there is another. In rollout, hinted actions are followed as long as the line of play stays known.
//!
//! Some hints are told before the search. Books are asked, and macros matched, about each position at which the search chooses
//! between moves, and books at each ply of a playout that is still known; what they answer is kept. Macros are followed
//! through their trees, in the graph and in playouts (`macros.rs`).

pub mod hint;
pub mod macros;

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use playout_games::{Action, Game, Rng, draw};

use self::{
    hint::{Hint, join},
    macros::{Known, Line, MacroHints, Macros},
};
use crate::meta::{Offer, TreeId, offer};

/// Positions whose answers are kept; at the next one that a book knows all are forgotten, and asked for anew.
const MOST_KEPT: usize = 100_000;

/// Books that are asked while the search goes on.
pub trait Library<G: Game>: Send + Sync {
    /// The hints for `position`, in whose own frame their actions are; none where nothing is known. Any thread.
    fn ask(&self, game: &G, position: &G::Position) -> Vec<Hint>;
}

/// A move that the tree of a macro names at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeStep {
    /// The number of the macro among those that are told.
    pub tree: u32,
    pub action: Action,
    pub weight: f32,
    /// Whether the move is one of the macro's player; else it is a reply that the macro answers.
    pub ours: bool,
}

/// Knowledge that was told of positions, by canonical key; actions in the canonical frame.
#[derive(Default)]
struct Told {
    hints: HashMap<u64, Vec<Hint>>,
    trees: HashMap<u64, Vec<TreeStep>>,
}

/// Hints by position. One entry serves all symmetric images.
pub struct Guide<G: Game> {
    told: Told,
    /// As `told`, and kept when other hints are told.
    lasting: Told,
    library: Option<Box<dyn Library<G>>>,
    /// Answers of the library, as `told`.
    asked: RwLock<HashMap<u64, Vec<Hint>>>,
    macros: Option<Macros>,
    known: Known,
}

impl<G: Game> Default for Guide<G> {
    fn default() -> Guide<G> {
        Guide {
            told: Told::default(),
            lasting: Told::default(),
            library: None,
            asked: RwLock::default(),
            macros: None,
            known: Known::default(),
        }
    }
}

impl<G: Game> Guide<G> {
    pub fn is_empty(&self) -> bool {
        self.told.hints.is_empty() && self.lasting.hints.is_empty() && self.library.is_none() && self.macros.is_none()
    }

    /// Takes other macros, or none.
    pub fn set_macros(&mut self, macros: Option<Macros>) {
        self.macros = macros;
        self.known.forget();
    }

    /// Forgets where macros have begun.
    pub fn forget(&mut self) {
        self.known.forget();
    }

    /// Takes the hints that `other` was told in place of its own; the books and macros stay.
    pub fn tell(&mut self, other: Guide<G>) {
        self.told = other.told;
    }

    /// As `tell`, for hints that last.
    pub fn tell_lasting(&mut self, other: Guide<G>) {
        self.lasting = other.told;
    }

    /// Takes other books, or none.
    pub fn set_library(&mut self, library: Option<Box<dyn Library<G>>>) {
        self.library = library;
        self.asked = RwLock::default();
    }

    /// Adds a hint for `position`, in whose own frame its action is, to what else is told of the action.
    pub fn add(&mut self, game: &G, position: &G::Position, hint: Hint) {
        let (key, frame) = game.canonical(position);
        let hint = hint.bounded(game, frame);
        let hints = self.told.hints.entry(key).or_default();
        join(hints, hint);
        sort(hints);
    }

    /// Adds a move that the tree of a macro names at `position`, in whose own frame it is. The move has a hint, too.
    pub fn add_step(&mut self, game: &G, position: &G::Position, step: TreeStep) {
        let (key, frame) = game.canonical(position);
        let step = TreeStep { action: game.to_frame(frame, step.action), ..step };
        let steps = self.told.trees.entry(key).or_default();
        if !steps.contains(&step) {
            steps.push(step);
        }
    }

    /// Whether hints were told for `position`.
    pub fn was_told(&self, game: &G, position: &G::Position) -> bool {
        let told =
            |hints: &HashMap<u64, Vec<Hint>>| !hints.is_empty() && hints.contains_key(&game.canonical(position).0);
        told(&self.told.hints) || told(&self.lasting.hints)
    }

    /// Whether the books have hints for `position`.
    pub fn is_booked(&self, game: &G, position: &G::Position) -> bool {
        self.library.is_some() && self.with_answer(game, position, game.canonical(position), |hints| !hints.is_empty())
    }

    /// Whether macros have hints for `position`, or lines that have led there.
    pub fn is_matched(&self, game: &G, position: &G::Position) -> bool {
        self.macros.as_ref().is_some_and(|macros| self.known.match_at(macros, game, position))
    }

    /// Takes note of lines that have led to `position`. Says whether macros know anything there.
    pub fn note(&self, game: &G, position: &G::Position, lines: &[Line]) -> bool {
        self.macros.as_ref().is_some_and(|macros| self.known.note(macros, game, position, lines))
    }

    /// The lines of macros that go on after `action`: those that it begins and, at a position that is `known`, those that
    /// have led there. Their cells are those of `position`, which is the one before the action.
    pub fn lines_after(&self, game: &G, position: &G::Position, known: bool, action: Action) -> Vec<Line> {
        let Some(macros) = self.macros.as_ref().filter(|macros| macros.has_trees()) else {
            return Vec::new();
        };
        let lines = if known { self.lines_at(game, position) } else { Vec::new() };
        let mut after = macros.after(game, position, (&lines, known), action);
        if known {
            after.extend(self.begun_by(game, position, action));
        }
        after
    }

    /// The lines that macros with relations begin at `position` with `action`.
    fn begun_by(&self, game: &G, position: &G::Position, action: Action) -> Vec<Line> {
        let (key, frame) = game.canonical(position);
        let action = game.to_frame(frame, action);
        let begun = |hints: &MacroHints| {
            let fit = hints.begun.iter().filter(|(begins, _)| *begins == action);
            fit.map(|(_, line)| line.map(|cell| game.undo_cell_frame(frame, cell))).collect()
        };
        self.known.with(key, begun).unwrap_or_default()
    }

    /// As `lines_after`, in a playout, where `lines` have led to `position`. `begun` says whether macros were matched there.
    pub fn lines_on(
        &self,
        game: &G,
        position: &G::Position,
        (lines, begun): (&[Line], bool),
        action: Action,
    ) -> Vec<Line> {
        let Some(macros) = self.macros.as_ref().filter(|macros| macros.has_trees()) else {
            return Vec::new();
        };
        let known = self.known.with(game.canonical(position).0, |_| ()).is_some();
        let mut all = if known { self.lines_at(game, position) } else { Vec::new() };
        all.extend_from_slice(lines);
        let mut after = macros.after(game, position, (&all, known || begun), action);
        if begun {
            macros.begin(game, position, |hint, _, line| after.extend(line.filter(|_| hint.action == action)));
        } else if known {
            after.extend(self.begun_by(game, position, action));
        }
        after
    }

    /// The lines that have led to `position`, in all images under its own symmetries.
    fn lines_at(&self, game: &G, position: &G::Position) -> Vec<Line> {
        let (key, frame) = game.canonical(position);
        let there = self.known.with(key, |hints| hints.lines.clone()).unwrap_or_default();
        images(game, position, there.iter().map(|line| line.map(|cell| game.undo_cell_frame(frame, cell))).collect())
    }

    /// The trees that begin with a move of the player to move at `position` and go on after it, in its own frame.
    pub fn offers(&self, game: &G, position: &G::Position) -> Vec<Offer> {
        let (key, frame) = game.canonical(position);
        let mut offers = self.known.with(key, |known| known.offers.clone()).unwrap_or_default();
        for step in self.steps_at(key).filter(|step| step.ours) {
            let own = game.undo_frame(frame, step.action);
            if !game.still_legal(position, own) {
                continue;
            }
            let mut after = position.clone();
            game.play(&mut after, own);
            if self.names_move(game, &after, step.tree) {
                let TreeStep { tree, action, weight, .. } = *step;
                offer(&mut offers, Offer { tree: TreeId::Told(tree), action, weight });
            }
        }
        offers.iter().map(|offer| Offer { action: game.undo_frame(frame, offer.action), ..*offer }).collect()
    }

    /// The moves that told trees name at the position with this canonical key.
    fn steps_at(&self, key: u64) -> impl Iterator<Item = &TreeStep> {
        [&self.told, &self.lasting].into_iter().filter_map(move |told| told.trees.get(&key)).flatten()
    }

    /// Whether a told tree names a move at `position`.
    pub fn names_move(&self, game: &G, position: &G::Position, tree: u32) -> bool {
        self.steps_at(game.canonical(position).0).any(|step| step.tree == tree)
    }

    /// The move that a tree has for the player to move at `position`, in its own frame. `lines` of the tree have led there,
    /// if it has drawings.
    pub fn answer(&self, game: &G, position: &G::Position, tree: TreeId, lines: &[Line]) -> Option<Action> {
        match tree {
            TreeId::Drawn(_) => {
                let macros = self.macros.as_ref()?;
                lines.iter().find_map(|line| macros.move_of(game, position, line)).map(|hint| hint.action)
            }
            TreeId::Told(number) => {
                let (key, frame) = game.canonical(position);
                let own = self.steps_at(key).find(|step| step.tree == number && step.ours);
                own.map(|step| game.undo_frame(frame, step.action))
            }
        }
    }

    /// The lines of `lines` that go on after `action`, which is about to be played at `position`.
    pub fn steps_of(&self, game: &G, position: &G::Position, lines: &[Line], action: Action) -> Vec<Line> {
        let Some(macros) = self.macros.as_ref() else { return Vec::new() };
        let lines = images(game, position, lines.to_vec());
        lines.iter().filter_map(|line| macros.step(game, position, line, action)).collect()
    }

    /// The hints for `position`, the heaviest first, and the frame in which their actions are. `ask` says whether the
    /// books are asked.
    pub fn hints(&self, game: &G, position: &G::Position, ask: bool) -> Option<(Vec<Hint>, u8)> {
        if self.is_empty() {
            return None;
        }
        let (key, frame) = game.canonical(position);
        let told = [&self.told, &self.lasting].into_iter().filter_map(|told| told.hints.get(&key)).flatten();
        let mut hints = if ask { self.with_answer(game, position, (key, frame), <[Hint]>::to_vec) } else { Vec::new() };
        told.for_each(|&hint| join(&mut hints, hint));
        if self.macros.is_some() {
            self.known.with(key, |known| known.add_to(&mut hints));
        }
        sort(&mut hints);
        (!hints.is_empty()).then_some((hints, frame))
    }

    /// The answer of `read` to the books' hints for `position`, which has this canonical key and frame.
    fn with_answer<T>(
        &self,
        game: &G,
        position: &G::Position,
        (key, frame): (u64, u8),
        read: impl FnOnce(&[Hint]) -> T,
    ) -> T {
        let Some(library) = &self.library else {
            return read(&[]);
        };
        if let Some(hints) = self.asked.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return read(hints);
        }
        let mut hints: Vec<Hint> =
            library.ask(game, position).into_iter().map(|hint| hint.bounded(game, frame)).collect();
        if hints.is_empty() {
            return read(&[]);
        }
        sort(&mut hints);
        let answer = read(&hints);
        let mut asked = self.asked.write().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= MOST_KEPT {
            asked.clear();
        }
        asked.insert(key, hints);
        answer
    }

    /// An action that a rollout takes at `position`, to which `lines` have led, drawn by weight; None where no action has
    /// one. `ask` says whether the books are asked, `begin` whether macros are matched.
    pub fn draw(
        &self,
        game: &G,
        position: &G::Position,
        (ask, begin): (bool, bool),
        lines: &[Line],
        rng: &mut Rng,
    ) -> Option<Action> {
        let (mut hints, frame) = match self.hints(game, position, ask) {
            Some(known) => known,
            None if lines.is_empty() && !(begin && self.macros.is_some()) => return None,
            None => (Vec::new(), game.canonical(position).1),
        };
        if let Some(macros) = self.macros.as_ref() {
            if begin {
                macros.begin(game, position, |hint, _, _| join(&mut hints, hint.bounded(game, frame)));
            }
            if !lines.is_empty() {
                MacroHints::of_lines(macros, game, position, frame, lines).add_to(&mut hints);
            }
        }
        let weights = hints.iter().map(Hint::pull);
        let action = game.undo_frame(frame, hints[draw::weighted(weights, rng)?].action);
        game.still_legal(position, action).then_some(action)
    }
}

/// `lines` at `position` with their images under its own symmetries.
fn images<G: Game>(game: &G, position: &G::Position, mut lines: Vec<Line>) -> Vec<Line> {
    if !lines.is_empty() {
        let own: Vec<Line> = lines.clone();
        let key = game.frame_key(position, 0);
        for f in (1..game.frames()).filter(|&f| game.frame_key(position, f) == key) {
            lines.extend(own.iter().map(|line| line.map(|cell| game.cell_to_frame(f, cell))));
        }
    }
    lines
}

/// Puts the heaviest first. Equal weights stay in their order.
fn sort(hints: &mut [Hint]) {
    hints.sort_by(|a, b| b.weight.total_cmp(&a.weight));
}
