//! Playouts: at random, and by what every player sees.

use super::ConnectFour;
use super::lines::Lines;
use crate::Rng;

/// The stride of boards with six rows, for which loops are compiled apart: shifts by constants take half the time.
const STANDARD: u32 = 7;

/// A game in progress as a playout sees it.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutBoard {
    mover: u64,
    other: u64,
    /// The cells with which each makes a four, once he can play there.
    mover_wins: u64,
    other_wins: u64,
}

impl PlayoutBoard {
    pub fn new(game: &ConnectFour, mover: u64, other: u64) -> PlayoutBoard {
        let [mover_wins, other_wins] = [mover, other].map(|discs| game.lines.completing(discs));
        PlayoutBoard { mover, other, mover_wins, other_wins }
    }

    /// The cells worth playing, of those on which a disc can come to rest: the wins if there are any, else the blocks,
    /// else those that do not enable the opponent to win on the cell above, else all.
    pub fn sensible(&self, landings: u64) -> u64 {
        [self.mover_wins, self.other_wins, !(self.other_wins >> 1)]
            .into_iter()
            .map(|cells| cells & landings)
            .find(|&cells| cells != 0)
            .unwrap_or(landings)
    }

    /// Plays to the end and returns the result from the view of the one who is to move. `played` is told each cell.
    pub fn play_out(self, game: &ConnectFour, rng: &mut Rng, played: impl FnMut(u64)) -> f32 {
        match game.lines.stride {
            STANDARD => self.play_out_along(Lines { stride: STANDARD, ..game.lines }, game, rng, played),
            _ => self.play_out_along(game.lines, game, rng, played),
        }
    }

    #[inline(always)]
    fn play_out_along(mut self, lines: Lines, game: &ConnectFour, rng: &mut Rng, mut played: impl FnMut(u64)) -> f32 {
        let mut win = 1.0;
        loop {
            let landings = ((self.mover | self.other) + game.bottom) & lines.board;
            if landings == 0 {
                return 0.0;
            }
            let cell = game.draw(self.sensible(landings), rng);
            played(cell);
            if cell & self.mover_wins != 0 {
                return win;
            }
            let mover = self.mover | cell;
            self = PlayoutBoard {
                mover: self.other,
                other: mover,
                mover_wins: self.other_wins,
                other_wins: lines.completing(mover),
            };
            win = -win;
        }
    }
}

impl ConnectFour {
    /// One of the `cells`, of which there is at most one in a column, each with the same chance.
    pub fn draw(&self, cells: u64, rng: &mut Rng) -> u64 {
        if cells & (cells - 1) == 0 {
            return cells;
        }
        loop {
            // Two tries with one random word, whose halves are uniform but for parts in a billion.
            let word = rng.u64(..);
            let [first, second] = [word >> 32, word & 0xFFFF_FFFF]
                .map(|half| cells & self.masks[((half * u64::from(self.columns)) >> 32) as usize & 15]);
            let cell = if first != 0 { first } else { second };
            if cell != 0 {
                return cell;
            }
        }
    }

    /// Plays at random to the end and returns the result from the view of the `mover`. `played` is told each column.
    ///
    /// Keeps the next cell of each column that has room, so that a uniform choice needs no search for the n-th bit.
    pub fn random_game(&self, discs: [u64; 2], rng: &mut Rng, played: impl FnMut(u32)) -> f32 {
        match self.stride {
            STANDARD => self.random_game_along(Lines { stride: STANDARD, ..self.lines }, discs, rng, played),
            _ => self.random_game_along(self.lines, discs, rng, played),
        }
    }

    #[inline(always)]
    fn random_game_along(
        &self,
        lines: Lines,
        [mut mover, mut other]: [u64; 2],
        rng: &mut Rng,
        mut played: impl FnMut(u32),
    ) -> f32 {
        let landings = ((mover | other) + self.bottom) & lines.board;
        let mut next = [(0, 0); 9];
        let mut open = 0;
        for column in 0..self.columns {
            let cell = landings & self.column(column);
            if cell != 0 {
                next[open] = (cell, column);
                open += 1;
            }
        }
        let mut win = 1.0;
        loop {
            let chosen = rng.u32(..open as u32) as usize;
            let (cell, column) = next[chosen];
            mover |= cell;
            played(column);
            if lines.has_four(mover) {
                return win;
            }
            next[chosen].0 = cell << 1;
            if cell << 1 & lines.board == 0 {
                open -= 1;
                next[chosen] = next[open];
                if open == 0 {
                    return 0.0;
                }
            }
            (mover, other) = (other, mover);
            win = -win;
        }
    }
}
