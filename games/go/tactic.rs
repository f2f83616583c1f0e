//! Effects of a move on the chains beside it.

use super::{
    Position,
    board::{EMPTY, NONE, Point},
    ladder,
    tactics::Prospect,
};

/// An effect of a move, with the number of stones that it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tactic {
    /// It leaves its own chain in atari, which has this many stones with it, and takes fewer.
    SelfAtari(u16),
    /// It takes stones.
    Takes(u16),
    /// It saves a chain of ours from atari, by running or by joining another.
    Saves(u16),
    /// It runs with a chain of ours that is lost all the same.
    RunsInVain(u16),
    /// It puts a chain in atari.
    Ataris(u16),
    /// The chain that it puts in atari is caught in a ladder.
    Ladders(u16),
    /// It takes stones beside a chain of ours in atari, and so saves it.
    Rescues(u16),
}

impl Position {
    /// Calls `note` with each effect of a stone of the mover at `point`, of which `prospect` tells. Of a self-atari nothing
    /// else is said.
    pub(super) fn tactics(&self, point: Point, prospect: &Prospect, mut note: impl FnMut(Tactic)) {
        let (board, mover) = (&self.board, self.mover);
        if prospect.liberties.len() < 2 && prospect.taken < prospect.stones {
            note(Tactic::SelfAtari(prospect.stones));
            return;
        }
        if prospect.taken > 0 {
            note(Tactic::Takes(prospect.taken));
        }
        let (sides, smothered) = (board.sides(point), board.smothered(point));
        for (d, side) in sides.into_iter().enumerate() {
            let head = board.head(side);
            if board.colour(side) >= EMPTY || sides[..d].iter().any(|&other| board.head(other) == head) {
                continue;
            }
            let (ours, in_atari) = (board.colour(side) == mover, smothered >> d & 1 != 0);
            let stones = board.chain_size(side);
            if ours && in_atari {
                let saved = prospect.taken > 0 || prospect.stones > stones + 1 || !ladder::is_lost(board, side);
                note(if saved { Tactic::Saves(stones) } else { Tactic::RunsInVain(stones) });
            } else if !ours && !in_atari && board.liberties(side).len() == 2 {
                note(Tactic::Ataris(stones));
                if ladder::catches(board, point, side) {
                    note(Tactic::Ladders(stones));
                }
            }
        }
        let mut saved = 0;
        for (d, side) in sides.into_iter().enumerate() {
            if board.colour(side) == 1 - mover && smothered >> d & 1 != 0 {
                board.for_each_stone(side, |taken| {
                    for friend in board.sides(taken) {
                        let escapes = board.colour(friend) == mover && board.last_liberty(friend) != NONE;
                        saved = saved.max(if escapes { board.chain_size(friend) } else { 0 });
                    }
                });
            }
        }
        if saved > 0 {
            note(Tactic::Rescues(saved));
        }
    }
}
