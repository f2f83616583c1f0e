//! Playouts by knowledge: replies to the last move, else a random move that is no blunder.
//!
//! The order of the rules is that of MoGo (Gelly, Wang, Munos and Teytaud 2006): a chain in atari near the last move, a
//! vital point, a shape near the last move, a capture anywhere, any move. Each rule is passed over now and then, so
//! that no line of play is certain. With `Style::Tactics` chains of few liberties come after those in atari (`fights`).

use super::{
    Go, Position,
    blunder::{escapes, is_blunder, is_self_atari},
    board::{BLACK, Board, EMPTY, NONE, OFF, Point, WHITE},
    candidates::{Candidates, Turn},
    fights::few_liberties,
    outcome,
    patterns::Shapes,
    rollout::{choose, is_sensible},
};
use crate::{Action, Rng, Style, support::draw::chance};

/// Chances of the rules, in 256ths.
const LOCAL_ATARI: u8 = 230;
const VITAL: u8 = 205;
const SHAPE: u8 = 243;
const ANY_ATARI: u8 = 102;

/// Chains that were seen in atari, by one of their stones; the oldest are forgotten first.
pub(super) struct Ataris {
    stones: [Point; 16],
    len: usize,
}

impl Ataris {
    /// All chains in atari, as far as there is room.
    pub(super) fn of(board: &Board) -> Ataris {
        let mut ataris = Ataris { stones: [NONE; 16], len: 0 };
        for i in 0..board.empties() {
            let p = board.empty(i);
            let smothered = board.smothered(p);
            for (d, side) in board.sides(p).into_iter().enumerate() {
                if smothered >> d & 1 != 0 && board.colour(side) < EMPTY {
                    ataris.note(board, side);
                }
            }
        }
        ataris
    }

    fn note(&mut self, board: &Board, stone: Point) {
        if self.stones[..self.len].iter().any(|&other| board.head(other) == board.head(stone)) {
            return;
        }
        if self.len == self.stones.len() {
            self.stones.copy_within(1.., 0);
            self.len -= 1;
        }
        self.stones[self.len] = stone;
        self.len += 1;
    }
}

impl Go {
    /// Plays to the end by knowledge, calls `record` with each stone and its colour (`NONE` for a pass), and returns
    /// who wins, from Black's point of view. What is legal, the end and the count are as in `play_out`.
    pub(super) fn play_out_by_knowledge(
        &self,
        p: &mut Position,
        style: Style,
        rng: &mut Rng,
        mut record: impl FnMut(Point, u8),
    ) -> f32 {
        let played = self.stones_already_played(p);
        let mut turn = p.turn();
        let mut passes = p.passes;
        let board = &mut p.board;
        let mut ataris = Ataris::of(board);
        for _ in p.plies..self.max_plies {
            let reply = reply(board, &self.shapes, (turn, style), &mut ataris, rng);
            let mover = turn.mover;
            if let Some(point) = reply.or_else(|| choose_carefully(board, turn, rng)) {
                turn.ko = board.place(point, mover).1;
                turn.last = point;
                record(point, mover);
                passes = 0;
            } else {
                record(NONE, mover);
                turn.ko = NONE;
                turn.last = NONE;
                passes += 1;
            }
            turn.mover ^= BLACK ^ WHITE;
            if passes == 2 {
                break;
            }
        }
        let lead = f64::from(board.stone_lead() + board.territory_lead() - played) - self.komi;
        p.lead = lead as f32;
        outcome(lead)
    }
}

/// A random move that is no blunder; in a space that has a vital point, that one.
fn choose_carefully(board: &mut Board, turn: Turn, rng: &mut Rng) -> Option<Point> {
    let point = choose::<true>(board, turn.mover, turn.ko, rng)?;
    Some(vital_point(board, turn, point).unwrap_or(point))
}

impl Go {
    /// A move of a playout at `p`.
    pub(super) fn choose_action(&self, p: &Position, style: Style, rng: &mut Rng, buffer: &mut Vec<Action>) -> Action {
        let board = &p.board;
        if style != Style::Uniform {
            let reply = reply(board, &self.shapes, (p.turn(), style), &mut Ataris::of(board), rng);
            if let Some(point) = reply.filter(|&point| !self.is_superko(p, point)) {
                return board.action(point).into();
            }
        }
        buffer.clear();
        buffer.extend((0..board.empties()).map(|i| Action::from(board.empty(i))));
        while !buffer.is_empty() {
            let point = buffer.swap_remove(rng.usize(..buffer.len())) as Point;
            if is_sensible(board, point, p.mover, p.ko)
                && !self.is_superko(p, point)
                && !(style != Style::Uniform && is_blunder(board, point, p.mover, rng))
            {
                let vital = if style != Style::Uniform { vital_point(board, p.turn(), point) } else { None };
                return board.action(vital.filter(|&vital| !self.is_superko(p, vital)).unwrap_or(point)).into();
            }
        }
        self.pass()
    }
}

impl Position {
    pub(super) fn turn(&self) -> Turn {
        Turn { mover: self.mover, ko: self.ko, last: self.recent[0] }
    }
}

/// The reply that knowledge suggests, if any. Never suicide, nor an immediate retake of a ko.
pub(super) fn reply(
    board: &Board,
    shapes: &Shapes,
    (turn, style): (Turn, Style),
    ataris: &mut Ataris,
    rng: &mut Rng,
) -> Option<Point> {
    let last = turn.last;
    if last != NONE {
        let mut choice = Candidates::default();
        let heed = chance(rng, LOCAL_ATARI);
        for stone in [last].into_iter().chain(board.sides(last)) {
            if board.colour(stone) < EMPTY {
                let liberty = board.last_liberty(stone);
                if liberty != NONE {
                    ataris.note(board, stone);
                    if heed {
                        answer_atari(board, turn, stone, liberty, &mut choice);
                    }
                }
            }
        }
        if let Some(point) = choice.take(rng) {
            return Some(point);
        }
        if style == Style::Tactics {
            few_liberties(board, turn, rng, &mut choice);
            if let Some(point) = choice.take(rng) {
                return Some(point);
            }
        }
        let mut beside = board.sides(last).into_iter().filter(|&p| board.colour(p) == EMPTY);
        if let Some(point) = beside.find_map(|p| vital_point(board, turn, p)).filter(|_| chance(rng, VITAL)) {
            return Some(point);
        }
    }
    if last != NONE && chance(rng, SHAPE) {
        let mut choice = Candidates::default();
        for p in board.sides(last).into_iter().chain(board.diagonals(last)) {
            if board.colour(p) == EMPTY && shapes.fit(board, p) {
                choice.add(p);
            }
        }
        while let Some(point) = choice.take(rng) {
            if is_sensible(board, point, turn.mover, turn.ko) && !is_self_atari(board, point, turn.mover) {
                return Some(point);
            }
        }
    }
    if chance(rng, ANY_ATARI) {
        let mut choice = Candidates::default();
        let mut i = 0;
        while i < ataris.len {
            let stone = ataris.stones[i];
            let liberty = if board.colour(stone) < EMPTY { board.last_liberty(stone) } else { NONE };
            if liberty == NONE {
                ataris.len -= 1;
                ataris.stones[i] = ataris.stones[ataris.len];
            } else {
                answer_atari(board, turn, stone, liberty, &mut choice);
                i += 1;
            }
        }
        return choice.take(rng);
    }
    None
}

/// Adds the moves that take the chain of `stone`, which has one liberty, or that save it, if it is the mover's.
fn answer_atari(board: &Board, turn: Turn, stone: Point, liberty: Point, choice: &mut Candidates) {
    if board.colour(stone) != turn.mover {
        if liberty != turn.ko {
            choice.add(liberty);
        }
        return;
    }
    if escapes(board, liberty, turn.mover) {
        choice.add(liberty);
    }
    board.for_each_attacker_in_atari(stone, |_, taking| {
        if taking != turn.ko && taking != liberty {
            choice.add(taking);
        }
    });
}

/// The point that makes two eyes or prevents them in the region of the empty point `p`, if that has three to five
/// points and only one colour reaches it: the one that has the most of the others beside it, if no other has as many.
fn vital_point(board: &Board, turn: Turn, p: Point) -> Option<Point> {
    let mut region = [p; 5];
    let (mut len, mut next, mut reached) = (1, 0, 0);
    while next < len {
        for q in board.sides(region[next]) {
            match board.colour(q) {
                EMPTY if region[..len].contains(&q) => {}
                EMPTY if len == region.len() => return None,
                EMPTY => {
                    region[len] = q;
                    len += 1;
                }
                OFF => {}
                colour => {
                    reached |= 1 << colour;
                    if reached == 3 {
                        return None;
                    }
                }
            }
        }
        next += 1;
    }
    if len < 3 {
        return None;
    }
    let beside = |p: &Point| board.empty_sides(*p).count_ones() as usize;
    let most = region[..len].iter().map(beside).max()?;
    let mut best = region[..len].iter().copied().filter(|p| beside(p) == most);
    let vital = best.next().filter(|_| best.next().is_none() && most + 2 >= len)?;
    is_sensible(board, vital, turn.mover, turn.ko).then_some(vital)
}
