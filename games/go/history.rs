//! What a position remembers: its keys in every frame, the boards that went before and where stones were removed.

use super::board::{Board, Point};
use crate::{symmetry::square, zobrist};

/// Of how many earlier boards the key takes account where the board is larger than `SMALL`.
pub const RECENT: usize = 12;
/// On boards up to this size the key takes account of all.
const SMALL: u16 = 4;

/// One key for each frame.
pub type Keys = [u64; 8];

/// Tables of `zobrist::key`.
const BOARD: u64 = 0x60;
const KO: u64 = BOARD + 2;
const MOVER: u64 = BOARD + 3;
const END: u64 = BOARD + 4;
const LEAD: u64 = BOARD + 5;
const EARLIER: u64 = BOARD + 6;

/// The keys of all that a position's key is made of, in every frame.
#[derive(Debug)]
pub struct KeyTable {
    stones: [Vec<Keys>; 2],
    ko: Vec<Keys>,
}

impl KeyTable {
    pub fn new(board: &Board, size: u16) -> KeyTable {
        let keys = |table: u64| {
            let mut keys = vec![[0; 8]; board.cells()];
            for action in 0..size * size {
                keys[usize::from(board.point(action))] = std::array::from_fn(|frame| {
                    zobrist::key(table, square(size.into(), frame as u8, action.into()).into())
                });
            }
            keys
        };
        KeyTable { stones: [keys(BOARD), keys(BOARD + 1)], ko: keys(KO) }
    }

    pub fn stone(&self, p: Point, colour: u8) -> &Keys {
        &self.stones[usize::from(colour)][usize::from(p)]
    }

    pub fn ko(&self, p: Point) -> &Keys {
        &self.ko[usize::from(p)]
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
    /// The last boards in all frames: board number i stands at i % RECENT.
    recent: [Keys; RECENT],
    /// Sum over the boards of which the position's key may take account.
    past: Keys,
    /// How many boards went before the last removal of stones, the one it was played on included; 0 if none was.
    last_removal: usize,
    /// Bit c of a point: a stone of colour c has been removed there.
    removed: Vec<u8>,
    small: bool,
}

impl Clone for History {
    fn clone(&self) -> History {
        History { boards: self.boards.clone(), removed: self.removed.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &History) {
        self.boards.clone_from(&other.boards);
        self.removed.clone_from(&other.removed);
        (self.recent, self.past) = (other.recent, other.past);
        (self.last_removal, self.small) = (other.last_removal, other.small);
    }
}

impl History {
    pub fn new(board: &Board, size: u16) -> History {
        History { removed: vec![0; board.cells()], small: size <= SMALL, ..History::default() }
    }

    /// Appends a board, given by its keys.
    pub fn push(&mut self, keys: &Keys) {
        let recent = &mut self.recent[self.boards.len() % RECENT];
        for frame in 0..8 {
            let part = zobrist::key(EARLIER, keys[frame]);
            self.past[frame] = self.past[frame].wrapping_add(part);
            if !self.small {
                self.past[frame] = self.past[frame].wrapping_sub(recent[frame]);
                recent[frame] = part;
            }
        }
        self.boards.push(keys[0]);
    }

    /// Notes that the move on the last board pushed removed a stone.
    pub fn note_removal(&mut self, p: Point, colour: u8) {
        self.removed[usize::from(p)] |= 1 << colour;
        self.last_removal = self.boards.len();
    }

    /// Whether a stone of `colour` has been removed at `p`. A stone that removes none of its own recreates a board
    /// only where this holds: that board had it.
    pub fn was_removed(&self, p: Point, colour: u8) -> bool {
        self.removed[usize::from(p)] >> colour & 1 != 0
    }

    /// Whether the board with this identity key is an earlier one.
    pub fn contains(&self, key: u64) -> bool {
        self.boards.contains(&key)
    }

    /// The same of boards of which the position's key takes no account.
    pub fn forgets(&self, key: u64) -> bool {
        self.boards[..self.boards.len() - self.remembered()].contains(&key)
    }

    /// How many of the last boards the position's key takes account of.
    fn remembered(&self) -> usize {
        let window = self.boards.len().min(RECENT);
        if self.small {
            self.boards.len()
        } else if self.last_removal + window > self.boards.len() {
            window
        } else {
            0
        }
    }

    /// The part of the position's key in `frame` that stands for earlier boards.
    pub fn key(&self, frame: u8) -> u64 {
        if self.remembered() > 0 { self.past[usize::from(frame)] } else { 0 }
    }
}
