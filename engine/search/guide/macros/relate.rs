//! Conditions that relate cells: asked where a drawing fits, they find the men that it leaves open.
//!
//! Each name has the set of cells on which it can be. A condition narrows the set of its last name; its other names are tried
//! cell by cell, once a condition needs them. Sets are words, so boards have at most 64 cells here.

use playout_games::Game;

use super::{
    drawn::{NAMES, Phrase},
    matcher::View,
};

/// Conditions that are asked at one place of a drawing.
const MOST_ASKED: u32 = 1000;
/// Cells besides the last one that a condition relates.
const MOST_OTHERS: usize = 2;

/// The cells on which names can be, a bit each.
#[derive(Clone)]
pub struct Candidates([u64; NAMES]);

fn index(name: u8) -> usize {
    usize::from(name - b'a')
}

impl Candidates {
    /// Names with one cell each.
    pub fn new(cells: impl Iterator<Item = (u8, u16)>) -> Candidates {
        let mut candidates = Candidates([0; NAMES]);
        cells.for_each(|(name, cell)| candidates.0[index(name)] = 1 << (cell & 63));
        candidates
    }

    /// The cells of the men that conditions look for, by name and class; None if one has nowhere to be.
    pub fn of_men(list: &[(u8, u8)], view: &View) -> Option<Candidates> {
        let mut candidates = Candidates([0; NAMES]);
        for &(name, class) in list {
            candidates.0[index(name)] = Some(view.word(class)).filter(|&cells| cells != 0)?;
        }
        Some(candidates)
    }

    /// These candidates, with the cells of a drawing's letters.
    pub fn drawn(&self, letters: impl Iterator<Item = (u8, u16)>) -> Candidates {
        let mut candidates = self.clone();
        letters.for_each(|(name, cell)| candidates.0[index(name)] = 1 << (cell & 63));
        candidates
    }

    /// The cell of a name, if it is the only one.
    pub fn cell(&self, name: u8) -> Option<u32> {
        let cells = self.0[index(name)];
        cells.is_power_of_two().then(|| cells.trailing_zeros())
    }

    /// The names that have one cell, with it.
    pub fn cells(&self) -> impl Iterator<Item = (u8, u16)> {
        (b'a'..)
            .zip(self.0)
            .filter(|(_, cells)| cells.is_power_of_two())
            .map(|(name, cells)| (name, cells.trailing_zeros() as u16))
    }

    /// A name that can be on several cells.
    fn open(&self) -> Option<u8> {
        (b'a'..).zip(self.0).find(|(_, cells)| !cells.is_power_of_two() && *cells != 0).map(|(name, _)| name)
    }

    /// Whether no two names, each of which has one cell, have the same.
    fn differ(&self) -> bool {
        self.0.iter().map(|cells| cells.count_ones()).sum::<u32>()
            == self.0.iter().fold(0, |all, cells| all | cells).count_ones()
    }

    fn with(&self, name: u8, cells: u64) -> Candidates {
        let mut candidates = self.clone();
        candidates.0[index(name)] = cells;
        candidates
    }
}

/// Conditions about a position.
pub struct Asked<'a, G: Game> {
    game: &'a G,
    position: &'a G::Position,
    left: u32,
}

impl<'a, G: Game> Asked<'a, G> {
    pub fn new(game: &'a G, position: &'a G::Position) -> Asked<'a, G> {
        Asked { game, position, left: MOST_ASKED }
    }

    /// Whether the conditions hold, all of whose names have cells.
    pub fn hold(game: &G, position: &G::Position, phrases: &[Phrase], cells: impl Iterator<Item = (u8, u16)>) -> bool {
        let mut holds = phrases.is_empty();
        if !holds {
            Asked::new(game, position).solve(phrases, &Candidates::new(cells), &mut |_| holds = true);
        }
        holds
    }

    /// Gives the cells of all names for each way in which the conditions hold.
    pub fn solve(&mut self, phrases: &[Phrase], candidates: &Candidates, give: &mut dyn FnMut(&Candidates)) {
        let Some((phrase, rest)) = phrases.split_first() else {
            return match candidates.open() {
                Some(name) => self.each(name, phrases, candidates, give),
                None if candidates.differ() => give(candidates),
                None => {}
            };
        };
        let (last, others) = match phrase.names.split_last() {
            Some((&last, others)) => (Some(last), others),
            None => (None, &phrase.names[..]),
        };
        let (mut cells, mut open) = ([0; MOST_OTHERS], None);
        for (i, (cell, &name)) in cells.iter_mut().zip(others).enumerate() {
            match (candidates.cell(name), open) {
                (Some(known), _) => *cell = known,
                (None, None) => open = Some((i, name)),
                (None, Some((_, name))) => return self.each(name, phrases, candidates, give),
            }
        }
        let cells = &mut cells[..others.len().min(MOST_OTHERS)];
        let Some((i, name)) = open else {
            if let Some(narrowed) = self.narrow(phrase, cells, last, candidates) {
                self.solve(rest, &narrowed, give);
            }
            return;
        };
        let mut free = candidates.0[index(name)];
        while free != 0 {
            cells[i] = free.trailing_zeros();
            free &= free - 1;
            if let Some(mut narrowed) = self.narrow(phrase, cells, last, candidates) {
                narrowed.0[index(name)] = 1 << cells[i];
                self.solve(rest, &narrowed, give);
            }
        }
    }

    /// The candidates where the last name of a condition, whose other names are on `cells`, is where it can be; None if it can be
    /// nowhere.
    fn narrow(
        &mut self,
        phrase: &Phrase,
        cells: &[u32],
        last: Option<u8>,
        candidates: &Candidates,
    ) -> Option<Candidates> {
        self.left = self.left.checked_sub(1)?;
        let free = last.map_or(1, |name| candidates.0[index(name)]);
        let related = self.game.related(self.position, phrase.relation, cells, free);
        let found = free & if phrase.negated { !related } else { related };
        (found != 0).then(|| match last {
            Some(name) => candidates.with(name, found),
            None => candidates.clone(),
        })
    }

    /// Goes on with each cell on which a name can be.
    fn each(&mut self, name: u8, phrases: &[Phrase], candidates: &Candidates, give: &mut dyn FnMut(&Candidates)) {
        let mut free = candidates.0[index(name)];
        while free != 0 {
            let cell = free & free.wrapping_neg();
            free ^= cell;
            self.solve(phrases, &candidates.with(name, cell), give);
        }
    }
}
