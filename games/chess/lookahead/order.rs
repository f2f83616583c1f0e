//! The order in which an alpha-beta search tries moves, and what it learns about it.

use shakmaty::{Board, Color, Move, Role};

use super::{
    super::{
        encode,
        exchange::{WORTH, gain, holds},
    },
    PLIES,
    tried::Tried,
};

/// Rank of the move that an earlier search found best.
pub const FIRST: i32 = i32::MAX;
/// Captures and promotions that hold their ground stand so far above zero, those that do not so far below.
const CAPTURE: i32 = 1_000_000;
/// Ranks of the quiet moves that refuted a move beside this one last.
const KILLERS: [i32; 2] = [900_000, 800_000];
/// Rank of the quiet move that refuted the same move last.
const ANSWER: i32 = 700_000;
/// The greatest weight, or its negative, of a move in each history.
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
/// Numbers of moves, with that of none.
pub const ALL_MOVES: usize = MOVES + 1;
/// Kinds of men that a capture takes; a promotion that takes none has the last one.
const TAKEN: usize = 6;

/// The last move that led to a position, and the one before it, as `index` counts them; `NO_MOVE` for a pass.
pub type Before = [usize; 2];

/// The moves that refuted others so far. Moves are as `encode` numbers them; 0 is none.
pub struct Order {
    killers: [[u16; 2]; PLIES + 1],
    history: [i16; MOVES],
    /// The same by the last move, and by the one before it.
    answers: [Vec<[i16; MOVES]>; 2],
    last_answers: [u16; ALL_MOVES],
    /// Weights of captures and promotions.
    captures: Vec<[i16; TAKEN]>,
}

impl Order {
    pub fn new() -> Order {
        Order {
            killers: [[0; 2]; PLIES + 1],
            history: [0; MOVES],
            answers: [vec![[0; MOVES]; ALL_MOVES], vec![[0; MOVES]; ALL_MOVES]],
            last_answers: [0; ALL_MOVES],
            captures: vec![[0; TAKEN]; MOVES],
        }
    }

    /// The rank of a move after the moves `before`; greater ones come first.
    pub fn rank(&self, board: &Board, us: Color, m: Move, ply: usize, before: Before) -> i32 {
        let wins = gain(m);
        if wins > 0 {
            let rank = 16 * wins - WORTH[m.role() as usize] + i32::from(self.captures[index(us, m)][taken(m)]);
            return if holds(board, us, m) { CAPTURE + rank } else { rank - CAPTURE };
        }
        let action = encode(m) as u16;
        if let Some(place) = self.killers[ply].iter().position(|&killer| killer == action) {
            return KILLERS[place];
        }
        if self.last_answers[before[0]] == action {
            return ANSWER;
        }
        let index = index(us, m);
        let answers = self.answers.iter().zip(before).map(|(answers, last)| i32::from(answers[last][index]));
        i32::from(self.history[index]) + answers.sum::<i32>()
    }

    /// Takes note that the move `m` was enough after the moves `before`, and that those `tried` before it were not; they win
    /// and lose this weight. Quiet moves lose it to a quiet one alone.
    pub fn refuted(&mut self, us: Color, m: Move, tried: &Tried, weight: i32, ply: usize, before: Before) {
        if gain(m) == 0 {
            let (killers, action) = (&mut self.killers[ply], encode(m) as u16);
            if killers[0] != action {
                *killers = [action, killers[0]];
            }
            self.last_answers[before[0]] = action;
            self.credit(index(us, m), before, weight);
            tried.quiets().for_each(|other| self.credit(index(us, other), before, -weight));
        } else {
            self.credit_capture(us, m, weight);
        }
        tried.captures().for_each(|other| self.credit_capture(us, other, -weight));
    }

    fn credit(&mut self, index: usize, before: Before, weight: i32) {
        add(&mut self.history[index], weight);
        for (answers, last) in self.answers.iter_mut().zip(before) {
            add(&mut answers[last][index], weight);
        }
    }

    fn credit_capture(&mut self, us: Color, m: Move, weight: i32) {
        add(&mut self.captures[index(us, m)][taken(m)], weight);
    }
}

/// Adds to a weight, the less the nearer it is to the greatest one.
fn add(weight: &mut i16, more: i32) {
    *weight += (more - i32::from(*weight) * more.abs() / HISTORY) as i16;
}

fn taken(m: Move) -> usize {
    m.capture().map_or(TAKEN - 1, |role| role as usize - Role::Pawn as usize)
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
