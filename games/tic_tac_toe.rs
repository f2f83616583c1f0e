//! Tic-tac-toe: the kernel of `tic_tac_toe.py`.

use crate::{
    Action, Game, Params, Player, Rng,
    symmetry::{square, square_inverse},
    zobrist,
};

const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];
const FULL: u16 = 0x1ff;
/// `WINS[stones]`: whether the set of stones holds a line.
const WINS: [bool; 512] = {
    let mut wins = [false; 512];
    let mut stones = 0;
    while stones < 512 {
        let mut line = 0;
        while line < 8 {
            if stones as u16 & LINES[line] == LINES[line] {
                wins[stones] = true;
            }
            line += 1;
        }
        stones += 1;
    }
    wins
};
/// `KEYS[player][cell][frame]`.
const KEYS: [[[u64; 8]; 9]; 2] = {
    let mut keys = [[[0; 8]; 9]; 2];
    let mut i = 0;
    while i < 2 * 9 * 8 {
        let (player, cell, frame) = (i / 72, i / 8 % 9, i % 8);
        keys[player][cell][frame] = zobrist::key(1 + player as u64, square(3, frame as u8, cell as u32) as u64);
        i += 1;
    }
    keys
};

/// `IMAGES[frame][cell]`: where the symmetry takes the cell.
const IMAGES: [[u8; 9]; 8] = {
    let mut images = [[0; 9]; 8];
    let mut i = 0;
    while i < 8 * 9 {
        images[i / 9][i % 9] = square(3, (i / 9) as u8, i as u32 % 9) as u8;
        i += 1;
    }
    images
};

/// The rules of tic-tac-toe.
#[derive(Clone, Copy, Debug, Default)]
pub struct TicTacToe;

/// Stones of X (who moves first) and O as bits `row * 3 + column`, row 0 at the bottom.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    stones: [u16; 2],
    second: bool,
    keys: [u64; 8],
}

impl Position {
    fn place(&mut self, player: usize, cell: u32) {
        self.stones[player] |= 1 << cell;
        for (key, part) in self.keys.iter_mut().zip(KEYS[player][cell as usize]) {
            *key ^= part;
        }
    }
}

impl TicTacToe {
    /// # Errors
    ///
    /// None: the game has no parameters.
    pub fn new(_: &Params) -> Result<TicTacToe, String> {
        Ok(TicTacToe)
    }
}

impl Game for TicTacToe {
    type Position = Position;

    fn initial(&self) -> Position {
        Position::default()
    }

    fn player(&self, p: &Position) -> Player {
        if p.second { Player::Second } else { Player::First }
    }

    fn result(&self, p: &Position) -> Option<f32> {
        if WINS[p.stones[0] as usize] {
            Some(1.0)
        } else if WINS[p.stones[1] as usize] {
            Some(-1.0)
        } else if p.stones[0] | p.stones[1] == FULL {
            Some(0.0)
        } else {
            None
        }
    }

    fn actions(&self, p: &Position, out: &mut Vec<Action>) {
        out.clear();
        if self.result(p).is_none() {
            let taken = p.stones[0] | p.stones[1];
            out.extend((0..9).filter(|cell| taken & 1 << cell == 0));
        }
    }

    fn play(&self, p: &mut Position, a: Action) {
        p.place(usize::from(p.second), a);
        p.second = !p.second;
    }

    fn frames(&self) -> u8 {
        8
    }

    fn frame_key(&self, p: &Position, frame: u8) -> u64 {
        p.keys[frame as usize] ^ if p.second { zobrist::key(0, 1) } else { 0 }
    }

    fn to_frame(&self, frame: u8, a: Action) -> Action {
        u32::from(IMAGES[usize::from(frame)][a as usize])
    }

    fn from_frame(&self, frame: u8, a: Action) -> Action {
        u32::from(IMAGES[usize::from(square_inverse(frame))][a as usize])
    }

    fn rollout(&self, p: &mut Position, rng: &mut Rng) -> f32 {
        if let Some(result) = self.result(p) {
            return result;
        }
        let mut stones = p.stones;
        let mut player = usize::from(p.second);
        let mut empty = FULL & !(stones[0] | stones[1]);
        while empty != 0 {
            let mut rest = empty;
            for _ in 0..rng.u32(..empty.count_ones()) {
                rest &= rest - 1;
            }
            let cell = rest & rest.wrapping_neg();
            stones[player] |= cell;
            if WINS[stones[player] as usize] {
                return 1.0 - 2.0 * player as f32;
            }
            empty ^= cell;
            player ^= 1;
        }
        0.0
    }

    fn set_player(&self, p: &mut Position, player: Player) -> bool {
        p.second = player == Player::Second;
        true
    }

    fn action_text(&self, _: &Position, a: Action) -> String {
        format!("{}{}", (b'a' + (a % 3) as u8) as char, a / 3 + 1)
    }

    fn parse_position(&self, text: &str) -> Result<Position, String> {
        let bad = || format!("not a tic-tac-toe position: {text:?}");
        let (board, mover) = text.trim().split_once(' ').ok_or_else(bad)?;
        let mut p = Position { second: mover.trim() == "o", ..Position::default() };
        let mut cell = 0;
        for c in board.chars() {
            match c {
                '1'..='3' => cell += c as u32 - '0' as u32,
                'x' | 'o' if cell < 9 => {
                    p.place(usize::from(c == 'o'), (2 - cell / 3) * 3 + cell % 3);
                    cell += 1;
                }
                '/' if cell % 3 == 0 => {}
                _ => return Err(bad()),
            }
        }
        if cell == 9 && matches!(mover.trim(), "x" | "o") { Ok(p) } else { Err(bad()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::perft;

    #[test]
    fn perft_counts_every_line_of_play() {
        let counts: Vec<u64> = (1..=9).map(|depth| perft(&TicTacToe, &Position::default(), depth)).collect();
        assert_eq!(counts, [9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872]);
    }
}
