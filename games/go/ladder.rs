//! Reading ladders.

use super::{
    board::{Board, NONE, Point},
    tactics::MANY,
};

/// Moves that are read before a ladder counts as broken.
const MOVES: u32 = 120;

/// Whether the chain of `stone`, which has one liberty, is taken even if it runs from now on. A chain that can take one
/// of those around it counts as safe.
pub fn is_lost(board: &Board, stone: Point) -> bool {
    let mut moves = MOVES;
    is_lost_within(board, stone, &mut moves)
}

fn is_lost_within(board: &Board, stone: Point, moves: &mut u32) -> bool {
    let (liberty, colour) = (board.last_liberty(stone), board.colour(stone));
    let mut helped = false;
    board.for_each_attacker_in_atari(stone, |_, _| helped = true);
    let liberties = board.prospect(liberty, colour).liberties;
    if helped || liberties.len() == MANY || *moves == 0 {
        return false;
    }
    if liberties.len() < 2 {
        return true;
    }
    *moves -= 1;
    let mut longer = board.clone();
    longer.place(liberty, colour);
    liberties.points().iter().any(|&p| {
        let mut chased = longer.clone();
        chased.prospect(p, 1 - colour).liberties.len() > 0 && {
            chased.place(p, 1 - colour);
            chased.last_liberty(stone) != NONE && is_lost_within(&chased, stone, moves)
        }
    })
}

/// Whether the chain of `stone`, of two liberties, is taken in a ladder if its opponent plays on `p`, one of them.
pub fn catches(board: &Board, p: Point, stone: Point) -> bool {
    let mut chased = board.clone();
    chased.place(p, 1 - board.colour(stone));
    is_lost(&chased, stone)
}
