//! Stamps: the symmetry images of drawings as conditions on the cells around a place.

use std::collections::HashSet;

use playout_games::Grid;

use super::Macros;

/// A linear map of the grid: (a, b, c, d) takes (column, row) to (a column + b row, c column + d row).
pub type Matrix = (i32, i32, i32, i32);

/// The symmetry images in which drawings apply, and the players to whom edges of the board belong.
#[derive(Clone, Debug)]
pub struct Images {
    pub matrices: Vec<Matrix>,
    /// Whether a place beyond top or bottom counts as a man of the first player, and one beyond left or right as the second's.
    pub owned_edges: bool,
}

/// The demand of a drawing on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    Ours,
    Theirs,
    /// A man of either player, or a place beyond the edge.
    Taken,
    Empty,
    /// A place beyond the edge.
    Edge,
    /// An empty cell with a name.
    Letter(u8),
}

/// A cell of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct DrawnCell {
    pub column: i32,
    pub row: i32,
    pub symbol: Symbol,
}

pub type Drawing = Vec<DrawnCell>;

/// One turn of a macro: our move, if we are to move, and our answers to the replies.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The letter of our move. None only for the first turn, in a tree that begins with the opponent's replies.
    pub play: Option<u8>,
    /// Replies by their letters, and the turn that answers each.
    pub replies: Vec<(u8, u32)>,
    /// The turn that answers all other replies.
    pub others: Option<u32>,
}

/// A macro with drawings.
#[derive(Clone, Debug)]
pub struct PatternMacro {
    pub weight: f32,
    pub visits: u32,
    /// From the point of view of the macro's player, in [-1, 1].
    pub value: f32,
    /// Whether other moves are banned where the macro has one.
    pub only: bool,
    pub drawings: Vec<Drawing>,
    /// Turns of the tree, the first one at its root. All letters stand in every drawing.
    pub turns: Vec<Turn>,
}

/// Cells to each side of a place that count as near, and the length of a side of that square.
pub const NEAR: i32 = 3;
pub const NEAR_SIDE: i32 = 2 * NEAR + 1;

/// The men that a condition looks for, relative to the macro's player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    Ours,
    Theirs,
    Taken,
    Empty,
}

/// A set of places, in as many words as the board has.
pub type Places = Box<[u64]>;

/// A condition of a stamp.
#[derive(Clone, Debug)]
pub struct Condition {
    pub class: Class,
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

/// The stamps by which a macro gives a move to the player to move, laid by that move.
pub struct Play {
    pub number: u32,
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
    /// Compiles the macros for a game with this board.
    pub fn new(grid: Grid, images: &Images, list: Vec<PatternMacro>) -> Macros {
        let mut macros = Macros {
            grid,
            list: Vec::new(),
            letters: Vec::new(),
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
        let laid = |by: u8| {
            let mut seen = HashSet::new();
            let all =
                one.drawings.iter().flat_map(|drawing| images.matrices.iter().map(move |matrix| (drawing, matrix)));
            let stamps =
                all.filter_map(|(drawing, matrix)| stamp(&self.grid, drawing, matrix, we, images.owned_edges, by));
            stamps.filter(|made| seen.insert(identity(made))).collect::<Vec<Stamp>>()
        };
        let Some(top) = one.turns.first() else { return };
        if let Some(play) = top.play {
            let stamps = laid(play);
            if !top.replies.is_empty() || top.others.is_some() {
                let start = |stamp| Start { number, stamp, except: Box::default(), then: Stage::Theirs(0) };
                self.starts[we][0].extend(stamps.iter().cloned().map(start));
            }
            let mut seen = HashSet::new();
            let places = stamps.into_iter().filter(|made| seen.insert(conditions(made))).collect();
            self.plays[we].push(Play { number, stamps: places });
            return;
        }
        let mut seen = HashSet::new();
        for &(letter, answer) in &top.replies {
            for stamp in laid(letter) {
                if seen.insert((conditions(&stamp), subtree(&one.turns, answer, &stamp.letters))) {
                    let then = Stage::Ours(answer);
                    self.starts[1 - we][1].push(Start { number, stamp, except: Box::default(), then });
                }
            }
        }
        let answer = top.others.and_then(|answer| Some((answer, one.turns.get(answer as usize)?.play?)));
        if let Some((answer, letter)) = answer {
            let except: Box<[u8]> = top.replies.iter().map(|&(letter, _)| letter).collect();
            let start = |stamp| Start { number, stamp, except: except.clone(), then: Stage::Ours(answer) };
            self.others[1 - we].extend(laid(letter).into_iter().map(start));
        }
    }
}

/// The letters that are played from each turn on, as bits: with the turn's own move, and after it.
fn letters_from(turns: &[Turn]) -> Vec<[u32; 2]> {
    let bit = |letter: u8| 1 << (letter - b'a');
    let mut from = vec![[0; 2]; turns.len()];
    // Answers come after the turns that they belong to.
    for (at, turn) in turns.iter().enumerate().rev() {
        let mut after = turn.others.map_or(0, |answer| from[answer as usize][0]);
        for &(letter, answer) in &turn.replies {
            after |= bit(letter) | from[answer as usize][0];
        }
        from[at] = [after | turn.play.map_or(0, bit), after];
    }
    from
}

/// The image of a drawing, laid by the cell of the letter `by`; None if the drawing lacks the letter or fits nowhere.
fn stamp(
    grid: &Grid,
    drawing: &Drawing,
    &(a, b, c, d): &Matrix,
    we: usize,
    owned_edges: bool,
    by: u8,
) -> Option<Stamp> {
    let image = |cell: &DrawnCell| (a * cell.column + b * cell.row, c * cell.column + d * cell.row, cell.symbol);
    let cells: Vec<(i32, i32, Symbol)> = drawing.iter().map(image).collect();
    let &(column, row, _) = cells.iter().find(|&&(_, _, symbol)| symbol == Symbol::Letter(by))?;
    let mut places: Places = vec![0; grid.words()].into();
    let mut free: Vec<Places> = vec![places.clone(); cells.len()];
    let mut somewhere = false;
    for (at_column, at_row) in (0..grid.columns as i32).flat_map(|at| (0..grid.rows as i32).map(move |row| (at, row))) {
        let place = grid.cell(at_column, at_row).expect("a cell of the board");
        let beyond = |&(c, r, symbol): &(i32, i32, Symbol)| {
            let (c, r) = (at_column + c - column, at_row + r - row);
            (grid.cell(c, r).is_none()).then(|| meets_edge(grid, c, r, symbol, we, owned_edges))
        };
        let outside: Vec<Option<bool>> = cells.iter().map(beyond).collect();
        let fits = |(cell, outside): (&(i32, i32, Symbol), &Option<bool>)| match outside {
            Some(met) => *met,
            None => cell.2 != Symbol::Edge,
        };
        if cells.iter().zip(&outside).all(fits) {
            somewhere = true;
            set(&mut places, place);
            free.iter_mut().zip(&outside).filter(|(_, met)| met.is_some()).for_each(|(free, _)| set(free, place));
        }
    }
    let offset = |c: i32, r: i32| (c - column) * grid.across as i32 + (r - row) * grid.up as i32;
    let mut conditions = Vec::new();
    let mut letters = Vec::new();
    for (&(c, r, symbol), free) in cells.iter().zip(free) {
        let class = match symbol {
            Symbol::Ours => Class::Ours,
            Symbol::Theirs => Class::Theirs,
            Symbol::Taken => Class::Taken,
            Symbol::Empty | Symbol::Letter(_) => Class::Empty,
            Symbol::Edge => continue,
        };
        if let Symbol::Letter(letter) = symbol {
            letters.push((letter, offset(c, r)));
        }
        if free != places {
            let free = free.iter().any(|&word| word != 0).then_some(free);
            conditions.push(Condition { class, offset: offset(c, r), free });
        }
    }
    let ours = cells.iter().filter(|&&(_, _, symbol)| symbol == Symbol::Ours);
    let near = ours.filter_map(|&(c, r, _)| near_bit(grid, c - column, r - row)).fold(0, |near, bit| near | 1 << bit);
    conditions.sort_by_key(|condition| (condition.class, condition.free.is_some(), condition.offset));
    letters.sort_unstable();
    somewhere.then(|| Stamp { conditions, places, letters: letters.into(), near })
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
        Symbol::Empty | Symbol::Letter(_) => false,
    }
}

fn set(places: &mut Places, place: u32) {
    places[place as usize / 64] |= 1 << (place % 64);
}

/// Conditions of a stamp and the places where it fits: all that its matches depend on.
type Conditions = (Places, Vec<(Class, i32, Option<Places>)>);

fn conditions(stamp: &Stamp) -> Conditions {
    let all = stamp.conditions.iter().map(|one| (one.class, one.offset, one.free.clone()));
    (stamp.places.clone(), all.collect())
}

fn identity(stamp: &Stamp) -> (Conditions, Box<[(u8, i32)]>) {
    (conditions(stamp), stamp.letters.clone())
}

/// Turns of a tree up to which equal ones are looked for.
const MOST_COMPARED: usize = 64;

/// The tree from a turn of ours on, with offsets in place of letters: equal for trees that say the same. A large tree is equal
/// to itself only.
fn subtree(turns: &[Turn], from: u32, letters: &[(u8, i32)]) -> Vec<i32> {
    fn write(turns: &[Turn], at: u32, offset: &dyn Fn(u8) -> i32, out: &mut Vec<i32>) {
        let turn = &turns[at as usize];
        out.push(turn.play.map_or(i32::MIN, offset));
        let mut replies: Vec<(i32, u32)> = turn.replies.iter().map(|&(letter, then)| (offset(letter), then)).collect();
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
