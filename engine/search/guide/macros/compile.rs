//! Stamps: the symmetry images of drawings as conditions on the cells around a place.

use std::collections::HashSet;

use playout_games::Grid;

use super::{
    Macros,
    drawn::{Drawing, DrawnCell, Images, Matrix, Move, NAMES, PatternMacro, Symbol, Turn},
};

/// Cells to each side of a place that count as near, and the length of a side of that square.
pub const NEAR: i32 = 3;
pub const NEAR_SIDE: i32 = 2 * NEAR + 1;

/// The men that a condition looks for, relative to the macro's player: one of these, or after them a set of kinds.
pub const OURS: u8 = 0;
pub const THEIRS: u8 = 1;
pub const TAKEN: u8 = 2;
pub const EMPTY: u8 = 3;
pub const KINDS: u8 = 4;
pub const ANY: u8 = 254;
pub const NOWHERE: u8 = 255;

/// A set of places, in as many words as the board has.
pub type Places = Box<[u64]>;

/// A condition of a stamp.
#[derive(Clone, Debug)]
pub struct Condition {
    /// `OURS` and so on or, from `KINDS` on, a place in `Macros::kinds`.
    pub class: u8,
    /// Number of the cell less that of the place.
    pub offset: i32,
    /// Places at which the cell lies beyond an edge that fulfils the condition.
    pub free: Option<Places>,
}

/// A drawing in one image, laid on the board by one of its letters.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// Conditions, the rarest men first.
    pub conditions: Vec<Condition>,
    /// Places where nothing of it that has to be on the board, or beyond an edge, is elsewhere.
    pub places: Places,
    /// Letters with their offsets.
    pub letters: Box<[(u8, i32)]>,
    /// Men of ours that it asks for near the place, as `View::near` has them.
    pub near: u64,
}

/// The stamps by which a macro gives a move to the player to move; those of a plain macro are laid by that move.
pub struct Play {
    pub number: u32,
    pub is_plain: bool,
    /// Men that conditions find, by name and class.
    pub men: Vec<(u8, u8)>,
    pub stamps: Vec<Stamp>,
}

/// Where a line stands in its macro's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The macro's player is to make the move of this turn.
    Ours(u32),
    /// The opponent is to reply to the move of this turn.
    Theirs(u32),
}

/// A way into a macro's tree.
pub struct Start {
    pub number: u32,
    /// Laid by the letter of the move that leads into the tree or, where any other move does, by any letter.
    pub stamp: Stamp,
    /// Letters whose moves lead elsewhere.
    pub except: Box<[u8]>,
    /// Where the tree stands after the move.
    pub then: Stage,
}

impl Macros {
    /// Compiles the macros for a game with this board. One with relations is left out if it has more than `NAMES` names or the
    /// board more than 64 cells.
    pub fn new(grid: Grid, images: &Images, list: Vec<PatternMacro>) -> Macros {
        let one_word = grid.words() == 1;
        let fit = |one: PatternMacro| if one.is_plain() { Some(one) } else { one.compact(NAMES).filter(|_| one_word) };
        let list: Vec<PatternMacro> = list.into_iter().filter_map(fit).collect();
        let mut macros = Macros {
            grid,
            list: Vec::new(),
            letters: Vec::new(),
            kinds: kinds_of(&list),
            owned_edges: images.owned_edges,
            plays: Default::default(),
            starts: Default::default(),
            others: Default::default(),
        };
        for (number, one) in (0..).zip(&list) {
            macros.letters.push(letters_from(&one.turns));
            for we in 0..2 {
                macros.add(number, one, we, images);
            }
        }
        macros.list = list;
        macros
    }

    /// Adds the stamps of a macro whose player is `we`.
    fn add(&mut self, number: u32, one: &PatternMacro, we: usize, images: &Images) {
        let Some(top) = one.turns.first() else { return };
        if !one.is_plain() {
            let stamps = self.laid(one, we, images, |drawing| anchor(drawing, top));
            let men = one.men.iter().map(|&(name, symbol)| (name, self.class(symbol).unwrap_or(NOWHERE))).collect();
            self.plays[we].push(Play { number, is_plain: false, men, stamps });
            return;
        }
        let laid = |by: u8| self.laid(one, we, images, |_| Some(by));
        if let Some(play) = top.play.as_ref().and_then(Move::taken) {
            let stamps = laid(play);
            if !top.replies.is_empty() || top.others.is_some() {
                let start = |stamp| Start { number, stamp, except: Box::default(), then: Stage::Theirs(0) };
                self.starts[we][0].extend(stamps.iter().cloned().map(start));
            }
            let mut seen = HashSet::new();
            let places = stamps.into_iter().filter(|made| seen.insert(conditions(made))).collect();
            self.plays[we].push(Play { number, is_plain: true, men: Vec::new(), stamps: places });
            return;
        }
        let mut seen = HashSet::new();
        let mut starts = Vec::new();
        for (letter, answer) in replies(top) {
            for stamp in laid(letter) {
                if seen.insert((conditions(&stamp), subtree(&one.turns, answer, &stamp.letters))) {
                    let then = Stage::Ours(answer);
                    starts.push(Start { number, stamp, except: Box::default(), then });
                }
            }
        }
        let answer =
            top.others.and_then(|answer| Some((answer, one.turns.get(answer as usize)?.play.as_ref()?.taken()?)));
        let mut others = Vec::new();
        if let Some((answer, letter)) = answer {
            let except: Box<[u8]> = replies(top).map(|(letter, _)| letter).collect();
            let start = |stamp| Start { number, stamp, except: except.clone(), then: Stage::Ours(answer) };
            others.extend(laid(letter).into_iter().map(start));
        }
        self.starts[1 - we][1].extend(starts);
        self.others[1 - we].extend(others);
    }

    /// The class of the cells that a symbol asks for; None for places beyond the edge.
    fn class(&self, symbol: Symbol) -> Option<u8> {
        Some(match symbol {
            Symbol::Ours => OURS,
            Symbol::Theirs => THEIRS,
            Symbol::Taken => TAKEN,
            Symbol::Empty => EMPTY,
            Symbol::Any => ANY,
            Symbol::Kinds(kinds) => KINDS + self.kinds.binary_search(&kinds).ok()? as u8,
            Symbol::Edge => return None,
        })
    }

    /// The different stamps of a macro whose player is `we`, each laid by the cell whose letter `by` gives.
    fn laid(&self, one: &PatternMacro, we: usize, images: &Images, by: impl Fn(&Drawing) -> Option<u8>) -> Vec<Stamp> {
        let mut seen = HashSet::new();
        let mut stamps = Vec::new();
        for drawing in &one.drawings {
            let Some(letter) = by(drawing) else { continue };
            for &matrix in if drawing.directed { &images.directed } else { &images.matrices } {
                let matrix = images.second.filter(|_| we == 1).map_or(matrix, |second| product(second, matrix));
                let made = self.stamp(drawing, matrix, we, letter);
                stamps.extend(made.filter(|made| seen.insert(identity(made))));
            }
        }
        stamps
    }

    /// The image of a drawing, laid by the cell of the letter `by`; None if the drawing lacks the letter or fits nowhere.
    fn stamp(&self, drawing: &Drawing, (a, b, c, d): Matrix, we: usize, by: u8) -> Option<Stamp> {
        let grid = &self.grid;
        let image = |cell: &DrawnCell| DrawnCell {
            column: a * cell.column + b * cell.row,
            row: c * cell.column + d * cell.row,
            ..*cell
        };
        let cells: Vec<DrawnCell> = drawing.cells.iter().map(image).collect();
        let &DrawnCell { column, row, .. } = cells.iter().find(|cell| cell.name == Some(by))?;
        let mut places: Places = vec![0; grid.words()].into();
        let mut free: Vec<Places> = vec![places.clone(); cells.len()];
        let mut somewhere = false;
        for (at_column, at_row) in
            (0..grid.columns as i32).flat_map(|at| (0..grid.rows as i32).map(move |row| (at, row)))
        {
            let place = grid.cell(at_column, at_row).expect("a cell of the board");
            let beyond = |cell: &DrawnCell| {
                let (c, r) = (at_column + cell.column - column, at_row + cell.row - row);
                (grid.cell(c, r).is_none()).then(|| meets_edge(grid, c, r, cell.symbol, we, self.owned_edges))
            };
            let outside: Vec<Option<bool>> = cells.iter().map(beyond).collect();
            let fits = |(cell, outside): (&DrawnCell, &Option<bool>)| match outside {
                Some(met) => *met,
                None => cell.symbol != Symbol::Edge,
            };
            if cells.iter().zip(&outside).all(fits) {
                somewhere = true;
                set(&mut places, place);
                free.iter_mut().zip(&outside).filter(|(_, met)| met.is_some()).for_each(|(free, _)| set(free, place));
            }
        }
        let offset = |cell: &DrawnCell| (cell.column - column) * grid.across as i32 + (cell.row - row) * grid.up as i32;
        let mut conditions = Vec::new();
        let mut letters = Vec::new();
        for (cell, free) in cells.iter().zip(free) {
            letters.extend(cell.name.map(|name| (name, offset(cell))));
            let Some(class) = self.class(cell.symbol).filter(|&class| class != ANY) else { continue };
            if free != places {
                let free = free.iter().any(|&word| word != 0).then_some(free);
                conditions.push((cell.symbol, Condition { class, offset: offset(cell), free }));
            }
        }
        let ours = cells.iter().filter(|cell| cell.symbol == Symbol::Ours);
        let near = ours.filter_map(|cell| near_bit(grid, cell.column - column, cell.row - row));
        let near = near.fold(0, |near, bit| near | 1 << bit);
        conditions.sort_by_key(|(symbol, one)| (rarity(*symbol), one.free.is_some(), one.offset));
        letters.sort_unstable();
        let conditions = conditions.into_iter().map(|(_, one)| one).collect();
        somewhere.then(|| Stamp { conditions, places, letters: letters.into(), near })
    }
}

/// The sets of kinds that the macros ask for.
fn kinds_of(list: &[PatternMacro]) -> Vec<u32> {
    let drawn = |one: &PatternMacro| {
        one.drawings.iter().flat_map(|drawing| &drawing.cells).map(|cell| cell.symbol).collect::<Vec<_>>()
    };
    let symbols = list.iter().flat_map(|one| drawn(one).into_iter().chain(one.men.iter().map(|&(_, symbol)| symbol)));
    let mut kinds: Vec<u32> =
        symbols.filter_map(|symbol| if let Symbol::Kinds(kinds) = symbol { Some(kinds) } else { None }).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Symbols in the order of how rare their men are.
fn rarity(symbol: Symbol) -> (u32, Symbol) {
    (if let Symbol::Kinds(kinds) = symbol { kinds.count_ones() } else { u32::BITS }, symbol)
}

/// The letter by which a drawing is laid: one of the first move or, if it has none of them, any.
fn anchor(drawing: &Drawing, top: &Turn) -> Option<u8> {
    let drawn = |name: u8| drawing.cells.iter().any(|cell| cell.name == Some(name));
    let of_move = top.play.iter().flat_map(Move::names).find(|&name| drawn(name));
    of_move.or_else(|| drawing.cells.iter().find_map(|cell| cell.name))
}

/// The replies of a turn whose moves take cells.
fn replies(turn: &Turn) -> impl Iterator<Item = (u8, u32)> {
    turn.replies.iter().filter_map(|(reply, answer)| Some((reply.taken()?, *answer)))
}

/// The map that does `first` first.
fn product((a, b, c, d): Matrix, first: Matrix) -> Matrix {
    let (e, f, g, h) = first;
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
}

/// The letters that are used from each turn on, as bits: with the turn's own move, and after it.
fn letters_from(turns: &[Turn]) -> Vec<[u32; 2]> {
    let bits = |names: &mut dyn Iterator<Item = u8>| names.fold(0, |bits, name| bits | 1 << (name - b'a'));
    let mut from = vec![[0; 2]; turns.len()];
    // Answers, and turns instead, come after the turns that they belong to.
    for (at, turn) in turns.iter().enumerate().rev() {
        let mut after = turn.others.map_or(0, |answer| from[answer as usize][0]);
        for (reply, answer) in &turn.replies {
            after |= bits(&mut reply.names()) | from[*answer as usize][0];
        }
        let own = bits(&mut turn.play.iter().flat_map(Move::names));
        let asked = bits(&mut turn.conditions.iter().flat_map(|one| one.names.iter().copied()));
        from[at] = [after | own | asked | turn.instead.map_or(0, |other| from[other as usize][0]), after];
    }
    from
}

/// The bit in `View::near` of the cell at a distance from a place; None if it is not near.
fn near_bit(grid: &Grid, columns: i32, rows: i32) -> Option<u32> {
    let (along, over) = if grid.across == 1 { (columns, rows) } else { (rows, columns) };
    let near = (-NEAR..=NEAR).contains(&along) && (-NEAR..=NEAR).contains(&over);
    near.then(|| ((over + NEAR) * NEAR_SIDE + along + NEAR) as u32)
}

/// Whether a place beyond the edge is what the symbol asks for.
fn meets_edge(grid: &Grid, column: i32, row: i32, symbol: Symbol, we: usize, owned: bool) -> bool {
    let aside = !(0..grid.columns as i32).contains(&column);
    let above = !(0..grid.rows as i32).contains(&row);
    let owner = (owned && aside != above).then_some(usize::from(aside));
    match symbol {
        Symbol::Edge | Symbol::Taken => true,
        Symbol::Ours => owner == Some(we),
        Symbol::Theirs => owner == Some(1 - we),
        Symbol::Empty | Symbol::Kinds(_) | Symbol::Any => false,
    }
}

fn set(places: &mut Places, place: u32) {
    places[place as usize / 64] |= 1 << (place % 64);
}

/// Conditions of a stamp and the places where it fits: all that its matches depend on.
type Conditions = (Places, Vec<(u8, i32, Option<Places>)>);

fn conditions(stamp: &Stamp) -> Conditions {
    let all = stamp.conditions.iter().map(|one| (one.class, one.offset, one.free.clone()));
    (stamp.places.clone(), all.collect())
}

fn identity(stamp: &Stamp) -> (Conditions, Box<[(u8, i32)]>) {
    (conditions(stamp), stamp.letters.clone())
}

/// Turns of a tree up to which equal ones are looked for.
const MOST_COMPARED: usize = 64;

/// The tree of a plain macro from a turn of ours on, with offsets in place of letters: equal for trees that say the same. A
/// large tree is equal to itself only.
fn subtree(turns: &[Turn], from: u32, letters: &[(u8, i32)]) -> Vec<i32> {
    fn write(turns: &[Turn], at: u32, offset: &dyn Fn(u8) -> i32, out: &mut Vec<i32>) {
        let turn = &turns[at as usize];
        out.push(turn.play.as_ref().and_then(Move::taken).map_or(i32::MIN, offset));
        let mut replies: Vec<(i32, u32)> = replies(turn).map(|(letter, then)| (offset(letter), then)).collect();
        replies.sort_unstable();
        out.extend([replies.len() as i32, i32::from(turn.others.is_some())]);
        for (reply, then) in replies {
            out.push(reply);
            write(turns, then, offset, out);
        }
        if let Some(then) = turn.others {
            write(turns, then, offset, out);
        }
    }
    let offset = |letter: u8| letters.iter().find(|&&(one, _)| one == letter).map_or(i32::MAX, |&(_, offset)| offset);
    let mut out = Vec::new();
    if turns.len() > MOST_COMPARED {
        out.push(from as i32);
        out.extend(letters.iter().flat_map(|&(letter, offset)| [i32::from(letter), offset]));
    } else {
        write(turns, from, &offset, &mut out);
    }
    out
}
