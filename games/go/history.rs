//! The memory of a position: its keys in every frame, the boards that went before and where stones were removed.

use super::board::{Board, Point};
use crate::{Action, zobrist};

/// Most points of a board on which the key of a position holds every earlier board.
pub const SMALL: u16 = 16;

/// One key for each frame.
pub type Keys = [u64; 8];

/// Tables of `zobrist::key`.
const BOARD: u64 = 0x60;
const KO: u64 = BOARD + 2;
const MOVER: u64 = BOARD + 3;
const END: u64 = BOARD + 4;
const LEAD: u64 = BOARD + 5;
const EARLIER: u64 = BOARD + 6;
const CYCLE: u64 = BOARD + 7;

/// The keys of all that a position's key is made of, in every frame.
#[derive(Debug)]
pub struct KeyTable {
    stones: [Vec<Keys>; 2],
    ko: Vec<Keys>,
    cycle: Vec<Keys>,
}

impl KeyTable {
    /// `image` is where a frame takes an action; frames from `frames` on have no keys.
    pub fn new(board: &Board, frames: u8, image: impl Fn(u8, Action) -> Action) -> KeyTable {
        let keys = |table: u64| {
            let mut keys = vec![[0; 8]; board.cells()];
            for (action, p) in (0..).zip(board.points()) {
                for frame in 0..frames {
                    keys[usize::from(p)][usize::from(frame)] = zobrist::key(table, image(frame, action).into());
                }
            }
            keys
        };
        KeyTable { stones: [keys(BOARD), keys(BOARD + 1)], ko: keys(KO), cycle: keys(CYCLE) }
    }

    pub fn stone(&self, p: Point, colour: u8) -> &Keys {
        &self.stones[usize::from(colour)][usize::from(p)]
    }

    pub fn ko(&self, p: Point) -> &Keys {
        &self.ko[usize::from(p)]
    }

    /// Keys of a point where a stone would recreate an earlier board.
    pub fn cycle(&self, p: Point) -> &Keys {
        &self.cycle[usize::from(p)]
    }
}

/// The key of White to move.
pub fn mover_key(second: bool) -> u64 {
    if second { zobrist::key(MOVER, 0) } else { 0 }
}

/// The key of what has ended the game or may end it soon.
pub fn end_key(passes: u8, repeated: bool, late: bool) -> u64 {
    let index = u64::from(passes) | u64::from(repeated) << 2 | u64::from(late) << 3;
    if index == 0 { 0 } else { zobrist::key(END, index) }
}

/// The key of a lead in captures.
pub fn lead_key(lead: i32) -> u64 {
    if lead == 0 { 0 } else { zobrist::key(LEAD, lead as u64) }
}

pub fn toggle(keys: &mut Keys, part: &Keys) {
    for (key, part) in keys.iter_mut().zip(part) {
        *key ^= part;
    }
}

/// The boards before the present one (with their movers, under situational superko).
#[derive(Debug, Default)]
pub struct History {
    /// Identity keys, oldest first.
    boards: Vec<u64>,
    /// On a small board, what stands for all of them in the position's key, frame by frame.
    sum: Keys,
    small: bool,
    /// Bit c of a point: a stone of colour c has been removed there.
    removed: Vec<u8>,
    any_removed: bool,
}

impl Clone for History {
    fn clone(&self) -> History {
        History { boards: self.boards.clone(), removed: self.removed.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &History) {
        self.boards.clone_from(&other.boards);
        self.removed.clone_from(&other.removed);
        (self.sum, self.small, self.any_removed) = (other.sum, other.small, other.any_removed);
    }
}

impl History {
    pub fn new(board: &Board) -> History {
        History { removed: vec![0; board.cells()], small: board.area() <= SMALL, ..History::default() }
    }

    /// Appends a board, given by its keys.
    pub fn push(&mut self, keys: &Keys) {
        self.boards.push(keys[0]);
        if self.small {
            for (sum, &key) in self.sum.iter_mut().zip(keys) {
                *sum = sum.wrapping_add(zobrist::key(EARLIER, key));
            }
        }
    }

    pub fn contains(&self, board: u64) -> bool {
        self.boards.contains(&board)
    }

    /// Whether the key of a position holds all of its history.
    pub fn is_small(&self) -> bool {
        self.small
    }

    /// The part that all boards have in the position's key, 0 unless it is small.
    pub fn key(&self, frame: u8) -> u64 {
        self.sum[usize::from(frame)]
    }

    pub fn note_removal(&mut self, p: Point, colour: u8) {
        self.removed[usize::from(p)] |= 1 << colour;
        self.any_removed = true;
    }

    pub fn any_removed(&self) -> bool {
        self.any_removed
    }

    /// Whether a stone of `colour` has been removed at `p`. Only there can a stone that removes none of its own
    /// recreate a board, for that board had it.
    pub fn was_removed(&self, p: Point, colour: u8) -> bool {
        self.removed[usize::from(p)] >> colour & 1 != 0
    }
}
