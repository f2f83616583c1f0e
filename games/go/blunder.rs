//! Moves that put their own chain at risk, which playouts pass over.

use super::{
    board::{Board, NONE, Point},
    tactics::Prospect,
};
use crate::{Rng, support::draw::chance};

/// Chances that a random move is passed over which leaves its chain, of one stone or of more, in atari.
const LONE_SELF_ATARI: u8 = 128;
const SELF_ATARI: u8 = 250;
/// The largest chain whose loss can still leave the opponent with one eye only.
pub const LARGEST_NAKADE: u16 = 5;

/// Whether a stone of `colour` at `p` leads to a chain that is not taken at once.
pub fn escapes(board: &Board, p: Point, colour: u8) -> bool {
    let liberties = board.prospect(p, colour).liberties;
    // With two liberties on the edge the ladder goes on to the corner.
    liberties.len() > 2 || liberties.len() == 2 && !liberties.points().iter().all(|&q| board.on_edge(q))
}

pub fn is_self_atari(board: &Board, p: Point, colour: u8) -> bool {
    board.empty_sides(p).count_ones() < 2 && board.prospect(p, colour).liberties.len() < 2
}

/// Whether a random move is to be passed over: it leaves its chain in atari, takes no more than that chain, and is no
/// nakade.
pub fn is_blunder(board: &Board, p: Point, colour: u8, rng: &mut Rng) -> bool {
    if board.empty_sides(p).count_ones() >= 2 {
        return false;
    }
    let Prospect { liberties, stones, taken } = board.prospect(p, colour);
    liberties.len() < 2
        && taken < stones
        && !is_nakade(board, p, colour, stones)
        && chance(rng, if stones == 1 { LONE_SELF_ATARI } else { SELF_ATARI })
}

/// Whether a chain of `stones` stones, made by a stone at `p`, puts a chain around it in atari and leaves, when it is
/// taken, a space in which only one eye can be made.
fn is_nakade(board: &Board, p: Point, colour: u8, stones: u16) -> bool {
    if stones > LARGEST_NAKADE {
        return false;
    }
    let ours = |q: Point| {
        q == p || board.colour(q) == colour && board.sides(p).into_iter().any(|side| board.head(side) == board.head(q))
    };
    let (mut links, mut most) = (0, 0);
    let mut count = |stone: Point| {
        let beside = board.sides(stone).into_iter().filter(|&q| ours(q)).count();
        links += beside;
        most = most.max(beside);
    };
    count(p);
    let mut counted = [NONE; 4];
    for (d, side) in board.sides(p).into_iter().enumerate() {
        if board.colour(side) == colour && !counted.contains(&board.head(side)) {
            counted[d] = board.head(side);
            board.for_each_stone(side, &mut count);
        }
    }
    let dead_shape = match stones {
        1..=3 => true,
        4 => links == 8 || most == 3,
        _ => links == 10 || most == 4,
    };
    let squeezes = |side: Point| {
        board.colour(side) == 1 - colour && {
            let liberties = board.liberties(side);
            liberties.len() <= 2 && liberties.points().contains(&p)
        }
    };
    dead_shape && board.sides(p).into_iter().any(squeezes)
}
