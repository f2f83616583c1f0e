//! The order in which an alpha-beta search tries moves.

use shakmaty::{Board, Color, Move};

use super::{
    super::{
        encode,
        exchange::{WORTH, gain, holds},
    },
    PLIES,
};

/// Rank of the move that an earlier search found best.
pub const FIRST: i32 = i32::MAX;
/// Captures and promotions that hold their ground stand so far above zero, those that do not so far below.
const CAPTURE: i32 = 1_000_000;
/// Ranks of the quiet moves that refuted a move beside this one last.
const KILLERS: [i32; 2] = [900_000, 800_000];
/// Rank of the quiet move that refuted the same move last.
const ANSWER: i32 = 700_000;
/// The greatest weight, or its negative, of a quiet move in each history.
const HISTORY: i32 = 16_384;
/// A capture of this rank or less loses material.
pub const LOSES: i32 = -CAPTURE / 2;
/// A quiet move of this rank or more has refuted others here.
pub const REFUTES: i32 = ANSWER;

/// More moves than any position has.
const MOST_MOVES: usize = 256;
/// Men, by colour and role, times squares.
const MOVES: usize = 2 * 6 * 64;
/// Stands for the move before where there is none.
pub const NO_MOVE: usize = MOVES;

/// The moves that refuted others so far. Moves are as `encode` numbers them; 0 is none.
pub struct Order {
    killers: [[u16; 2]; PLIES + 1],
    history: [i16; MOVES],
    /// The same by the move before.
    answers: Vec<[i16; MOVES]>,
    last_answers: [u16; MOVES + 1],
}

impl Order {
    pub fn new() -> Order {
        Order {
            killers: [[0; 2]; PLIES + 1],
            history: [0; MOVES],
            answers: vec![[0; MOVES]; MOVES + 1],
            last_answers: [0; MOVES + 1],
        }
    }

    /// The rank of a move after the move `last`; greater ones come first.
    pub fn rank(&self, board: &Board, us: Color, m: Move, ply: usize, last: usize) -> i32 {
        let wins = gain(m);
        if wins > 0 {
            let rank = 16 * wins - WORTH[m.role() as usize];
            return if holds(board, us, m) { CAPTURE + rank } else { rank - CAPTURE };
        }
        let action = encode(m) as u16;
        if let Some(place) = self.killers[ply].iter().position(|&killer| killer == action) {
            return KILLERS[place];
        }
        if self.last_answers[last] == action {
            return ANSWER;
        }
        let index = index(us, m);
        i32::from(self.history[index]) + i32::from(self.answers[last][index])
    }

    /// Takes note that the quiet move `m` refuted the move `last`, and that those `tried` before it did not.
    pub fn refuted(
        &mut self,
        us: Color,
        m: Move,
        tried: impl Iterator<Item = Move>,
        depth: i32,
        ply: usize,
        last: usize,
    ) {
        let (killers, action) = (&mut self.killers[ply], encode(m) as u16);
        if killers[0] != action {
            *killers = [action, killers[0]];
        }
        self.last_answers[last] = action;
        let weight = (16 * depth * depth + 32 * depth).min(1600);
        self.credit(index(us, m), last, weight);
        for other in tried {
            self.credit(index(us, other), last, -weight);
        }
    }

    fn credit(&mut self, index: usize, last: usize, weight: i32) {
        for rank in [&mut self.history[index], &mut self.answers[last][index]] {
            *rank += (weight - i32::from(*rank) * weight.abs() / HISTORY) as i16;
        }
    }
}

/// The moves of a position, the best by their ranks first. They are ranked when the best one of an earlier search has been
/// taken: it often is enough.
pub struct Queue<'a> {
    moves: &'a [Move],
    /// Each move's rank and its place in `moves`, as one number, the rank above the last 8 bits; from `taken` on.
    order: [i32; MOST_MOVES],
    first: Option<usize>,
    taken: usize,
}

impl<'a> Queue<'a> {
    /// The move whose number is `first` comes first, if it is among these.
    pub fn new(moves: &'a [Move], first: u16) -> Queue<'a> {
        let place = moves.iter().position(|&m| encode(m) as u16 == first);
        Queue { moves, order: [0; MOST_MOVES], first: place, taken: 0 }
    }

    /// Takes the next move, with its rank.
    pub fn next(&mut self, rank: impl Fn(Move) -> i32) -> Option<(Move, i32)> {
        let begin = usize::from(self.first.is_some());
        let number = self.taken;
        self.taken += 1;
        if let Some(first) = self.first.filter(|_| number == 0) {
            return Some((self.moves[first], FIRST));
        }
        if number == begin {
            let others = (0..self.moves.len()).filter(|&place| Some(place) != self.first);
            for (slot, place) in self.order[begin..].iter_mut().zip(others) {
                *slot = rank(self.moves[place]) << 8 | place as i32;
            }
        }
        let left = self.order.get_mut(number..self.moves.len()).filter(|left| !left.is_empty())?;
        // Two passes without branches are quicker than one with.
        let best = left.iter().copied().fold(i32::MIN, i32::max);
        let place = left.iter().position(|&other| other == best)?;
        left.swap(0, place);
        Some((self.moves[usize::from(best as u8)], best >> 8))
    }
}

/// The number of a move among those of both players, by the man and where it goes.
pub fn index(us: Color, m: Move) -> usize {
    (us.fold_wb(0, 6) + m.role() as usize - 1) * 64 + m.to().to_usize()
}
