//! H(s) and H(s, a) of connect four.
//!
//! A threat is an empty cell that makes a four. The weights of H(s) and of the quieter terms of H(s, a) were fitted to
//! exact values of positions with 12 to 35 discs on the standard board.

use super::{ConnectFour, Position};

/// H(s) is the hyperbolic tangent of half the sum of these, each times the mover's number less the opponent's: lines
/// with one and with two discs and no opponent's, threats that a player gets in the end, other threats; and the move.
const ONES: f32 = 0.09;
const TWOS: f32 = 0.38;
const GOOD_THREATS: f32 = 1.4;
const THREATS: f32 = 0.67;
const TEMPO: f32 = 1.35;
/// H(s) where the mover wins at once, and less where he cannot prevent a loss.
const DECIDED: f32 = 0.99;

/// Logits.
const WINS: f32 = 10.0;
const BLOCKS: f32 = 7.0;
/// The opponent wins on the cell above.
const ENABLES: f32 = -4.0;
/// Two threats that can be carried out at the next turn, of the mover and prevented.
const FORKS: f32 = 3.0;
const PREVENTS_FORK: f32 = 1.0;
/// One threat that can be.
const FORCES: f32 = 0.5;
/// Each threat made or prevented.
const PER_THREAT: f32 = 0.33;
const PER_LINE: f32 = 0.06;

/// A position from the view of the player to move.
pub struct MoverView<'a> {
    game: &'a ConnectFour,
    second: bool,
    /// The discs of the mover and of the opponent, as all that follows.
    discs: [u64; 2],
    threats: [u64; 2],
    landings: u64,
}

impl MoverView<'_> {
    pub fn new<'a>(game: &'a ConnectFour, p: &Position) -> MoverView<'a> {
        let discs = game.discs_by_turn(p);
        let empty = game.lines.board & !(discs[0] | discs[1]);
        let threats = discs.map(|discs| game.lines.completing(discs) & empty);
        MoverView { game, second: p.second, discs, threats, landings: game.landings(p) }
    }

    /// The cells that a player gets if each move is answered in its column: on boards with an even number of rows the
    /// first, third, ... from the bottom for the first player, the others for the second one (Allis 1988).
    fn follow_up(&self, second: bool) -> u64 {
        let board = self.game.lines.board;
        let odd = (0..self.game.rows).step_by(2).fold(0, |cells, row| cells | self.game.bottom << row);
        match (self.game.rows % 2, second) {
            (0, false) => odd,
            (0, true) => board & !odd,
            _ => board,
        }
    }

    /// H(s).
    pub fn value(&self) -> f32 {
        let [mine, theirs] = self.threats;
        let urgent = theirs & self.landings;
        if mine & self.landings != 0 {
            return DECIDED;
        }
        if urgent & urgent.wrapping_sub(1) != 0 || urgent << 1 & theirs != 0 {
            return -DECIDED;
        }
        let score = |who: usize| {
            let [ones, twos] = self.game.lines.live(self.discs[who], self.discs[1 - who]);
            let threats = self.threats[who];
            let good = threats & self.follow_up(self.second ^ (who == 1));
            ONES * ones as f32
                + TWOS * twos as f32
                + GOOD_THREATS * good.count_ones() as f32
                + THREATS * (threats & !good).count_ones() as f32
        };
        ((score(0) - score(1) + TEMPO) / 2.0).tanh()
    }

    /// H(s, a) of a disc that falls into a column, given by its cells.
    pub fn preference(&self, column: u64) -> f32 {
        let cell = self.landings & column;
        let lines = self.game.lines;
        let [mine, theirs] = self.threats;
        let empty = lines.board & !(self.discs[0] | self.discs[1] | cell);
        let above = cell << 1 & lines.board;
        let next = self.landings & !cell | above;
        let made = self.discs.map(|discs| lines.completing(discs | cell) & empty);
        let fresh = [made[0] & !mine, made[1] & !theirs];
        let live = |who: usize| lines.live(cell, self.discs[1 - who])[0];
        let if_so = |so: bool, weight: f32| if so { weight } else { 0.0 };
        if_so(cell & mine != 0, WINS)
            + if_so(cell & theirs != 0, BLOCKS)
            + if_so(above & theirs != 0, ENABLES)
            + if_so((made[0] & next).count_ones() > 1, FORKS)
            + if_so((made[1] & next).count_ones() > 1, PREVENTS_FORK)
            + if_so(fresh[0] & next != 0, FORCES)
            + PER_THREAT * (fresh[0].count_ones() + fresh[1].count_ones()) as f32
            + PER_LINE * (live(0) + live(1)) as f32
    }
}
