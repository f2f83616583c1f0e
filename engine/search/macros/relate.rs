//! Conditions that relate cells: asked where a drawing fits, they find the men that it leaves open.

use playout_games::{CELL_WORDS, CellSet, Game, insert_cell};

use super::{
    drawn::{Phrase, Symbol},
    matcher::{Board, members},
};

/// Relations that are asked for at one place of a drawing.
const MOST_ASKED: u32 = 1000;
const NAMES: usize = 26;
const OPEN: u16 = u16::MAX;

/// The cells of names.
#[derive(Clone, Copy)]
pub struct Bound([u16; NAMES]);

impl Bound {
    pub fn new(cells: impl Iterator<Item = (u8, u16)>) -> Bound {
        let mut bound = Bound([OPEN; NAMES]);
        cells.for_each(|(name, cell)| bound.0[place(name)] = cell);
        bound
    }

    /// The cell of a name, if it is known.
    pub fn cell(&self, name: u8) -> Option<u32> {
        Some(self.0[place(name)]).filter(|&cell| cell != OPEN).map(u32::from)
    }

    /// The names that are known, with their cells.
    pub fn cells(&self) -> impl Iterator<Item = (u8, u16)> {
        (b'a'..).zip(self.0).filter(|&(_, cell)| cell != OPEN)
    }

    fn with(&self, name: u8, cell: u32) -> Bound {
        let mut bound = *self;
        bound.0[place(name)] = cell as u16;
        bound
    }
}

fn place(name: u8) -> usize {
    usize::from(name - b'a')
}

/// A position about which conditions are asked.
pub struct Asked<'a, G: Game> {
    game: &'a G,
    position: &'a G::Position,
    /// For men without a cell yet: the board as the player to move sees it.
    board: Option<(&'a Board<'a>, usize)>,
    men: &'a [(u8, Symbol)],
    left: u32,
}

impl<'a, G: Game> Asked<'a, G> {
    /// Conditions may find `men` on the board, as the player `we`, who is to move, calls them.
    pub fn finding(
        game: &'a G,
        position: &'a G::Position,
        (board, we): (&'a Board<'a>, usize),
        men: &'a [(u8, Symbol)],
    ) -> Asked<'a, G> {
        Asked { game, position, board: Some((board, we)), men, left: MOST_ASKED }
    }

    /// Whether the conditions hold, all of whose names have cells.
    pub fn hold(game: &G, position: &G::Position, phrases: &[Phrase], bound: &Bound) -> bool {
        let mut asked = Asked { game, position, board: None, men: &[], left: MOST_ASKED };
        let mut holds = phrases.is_empty();
        if !holds {
            asked.solve(phrases, bound, &mut |_| holds = true);
        }
        holds
    }

    /// Gives the cells of all names for each way in which the conditions hold.
    pub fn solve(&mut self, phrases: &[Phrase], bound: &Bound, give: &mut dyn FnMut(&Bound)) {
        let Some((phrase, rest)) = phrases.split_first() else {
            return match self.men.iter().find(|(name, _)| bound.cell(*name).is_none()) {
                Some(&(name, _)) => self.each(name, bound, |asked, bound| asked.solve(phrases, bound, give)),
                None => give(bound),
            };
        };
        let (last, others) = match phrase.names.split_last() {
            Some((&last, others)) => (Some(last), others),
            None => (None, &phrase.names[..]),
        };
        if let Some(&open) = others.iter().find(|&&name| bound.cell(name).is_none()) {
            return self.each(open, bound, |asked, bound| asked.solve(phrases, bound, give));
        }
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let cells: Vec<u32> = others.iter().filter_map(|&name| bound.cell(name)).collect();
        let known = last.and_then(|name| bound.cell(name));
        let candidates = match (last, known) {
            (Some(name), None) => self.open_cells(name, bound),
            (_, known) => single(known.unwrap_or(0)),
        };
        let found = self.game.related(self.position, phrase.relation, &cells, candidates);
        match (last, known) {
            (Some(name), None) => members(&found).for_each(|cell| self.solve(rest, &bound.with(name, cell), give)),
            _ if (found != [0; CELL_WORDS]) != phrase.negated => self.solve(rest, bound, give),
            _ => {}
        }
    }

    /// Goes on with each cell on which the man `name` can be.
    fn each(&mut self, name: u8, bound: &Bound, mut go_on: impl FnMut(&mut Asked<'a, G>, &Bound)) {
        for cell in members(&self.open_cells(name, bound)) {
            go_on(self, &bound.with(name, cell));
        }
    }

    /// The cells on which a man can be that are not those of other names.
    fn open_cells(&self, name: u8, bound: &Bound) -> CellSet {
        let symbol = self.men.iter().find(|&&(one, _)| one == name).map(|&(_, symbol)| symbol);
        let (Some(symbol), Some((board, we))) = (symbol, self.board) else { return [0; CELL_WORDS] };
        let mut cells = board.cells_of(symbol, we);
        bound.cells().for_each(|(_, cell)| cells[usize::from(cell) / 64] &= !(1 << (cell % 64)));
        cells
    }
}

fn single(cell: u32) -> CellSet {
    let mut set = [0; CELL_WORDS];
    insert_cell(&mut set, cell);
    set
}
