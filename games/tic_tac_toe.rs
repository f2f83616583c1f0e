//! Tic-tac-toe: the kernel of `tic_tac_toe.py`.

use crate::{
    Action, CELL_WORDS, Cells, Game, Grid, Input, Judged, NetShape, Params, Player, Rng, Style,
    support::{
        board_text::{places, push_board},
        inputs::of_boards,
    },
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

/// Worth of an open line in H(s), by the stones that its one side has in it.
const OPEN_LINE: [f32; 3] = [0.0, 0.1, 0.2];
/// Worth of being on the move.
const TEMPO: f32 = 0.1;

/// Preferences: a win, a block, two threats at once, the place where the opponent would make two.
const WIN: f32 = 10.0;
const BLOCK: f32 = 5.0;
const FORK: f32 = 2.5;
const DENIED_FORK: f32 = 1.2;
/// And for each open line through the cell.
const LINE: f32 = 0.2;

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
    /// The mover's stones and the opponent's.
    fn sides(&self) -> (u16, u16) {
        let player = usize::from(self.second);
        (self.stones[player], self.stones[1 - player])
    }

    fn place(&mut self, player: usize, cell: u32) {
        self.stones[player] |= 1 << cell;
        for (key, part) in self.keys.iter_mut().zip(KEYS[player][cell as usize]) {
            *key ^= part;
        }
    }
}

/// The empty cells with which `own` completes a line.
fn completing(own: u16, other: u16) -> u16 {
    let lines = LINES.into_iter().filter(|&line| line & other == 0 && (line & own).count_ones() == 2);
    lines.fold(0, |cells, line| cells | line & !own)
}

/// Whether a stone of `own` on `cell` makes two threats.
fn is_fork(own: u16, other: u16, cell: u16) -> bool {
    completing(own | cell, other).count_ones() > 1
}

/// The lines that only `own` can still complete, each by the stones in it.
fn open_lines(own: u16, other: u16) -> f32 {
    let open = LINES.into_iter().filter(|&line| line & other == 0);
    open.map(|line| OPEN_LINE[(line & own).count_ones() as usize]).sum()
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

    fn book_text(&self, p: &Position, frame: u8, out: &mut String) {
        let stones = |player: usize, mark| places(p.stones[player].into()).map(move |cell| (cell, mark));
        let images = stones(0, b'x').chain(stones(1, b'o')).map(|(cell, mark)| (self.to_frame(frame, cell), mark));
        push_board(out, 9, images);
        out.push_str(if p.second { " 1" } else { " 0" });
    }

    fn undo_frame(&self, frame: u8, a: Action) -> Action {
        u32::from(IMAGES[usize::from(square_inverse(frame))][a as usize])
    }

    fn grid(&self) -> Option<Grid> {
        Some(Grid::by_rows(3, 3))
    }

    fn cells(&self, p: &Position) -> Cells {
        let set = |word: u16| {
            let mut set = [0; CELL_WORDS];
            set[0] = word.into();
            set
        };
        Cells { men: p.stones.map(set), empty: set(FULL & !(p.stones[0] | p.stones[1])) }
    }

    fn cell_of(&self, _: &Position, a: Action) -> Option<u32> {
        Some(a)
    }

    fn action_on(&self, p: &Position, cell: u32) -> Option<Action> {
        (self.result(p).is_none() && (p.stones[0] | p.stones[1]) >> cell & 1 == 0).then_some(cell)
    }

    /// Exact where the mover can win at once or cannot stop the opponent from doing so; else by open lines.
    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        let (own, other) = p.sides();
        if completing(own, other) != 0 {
            return Some(1.0);
        }
        if completing(other, own).count_ones() > 1 {
            return Some(-1.0);
        }
        Some((open_lines(own, other) - open_lines(other, own) + TEMPO).tanh())
    }

    fn preferences(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        let (own, other) = p.sides();
        let (wins, blocks) = (completing(own, other), completing(other, own));
        out.clear();
        out.extend(actions.iter().map(|&a| {
            let cell = 1 << a;
            let given = |applies: bool, worth: f32| if applies { worth } else { 0.0 };
            let lines = LINES.iter().filter(|&line| line & cell != 0 && (line & own == 0 || line & other == 0));
            given(wins & cell != 0, WIN)
                + given(blocks & cell != 0, BLOCK)
                + given(is_fork(own, other, cell), FORK)
                + given(is_fork(other, own, cell), DENIED_FORK)
                + LINE * lines.count() as f32
        }));
        true
    }

    /// The marks of the player to move, then those of the other one.
    fn net_shape(&self) -> Option<NetShape> {
        Some(NetShape::of_boards("tic-tac-toe-1".to_owned(), 18, 9))
    }

    fn inputs(&self, p: &Position, _: u8, out: &mut Vec<Input>) -> Option<Judged> {
        let (own, other) = p.sides();
        of_boards(&[own.into(), other.into()], 9, out);
        Some(Judged { phase: 0, player: self.player(p) })
    }

    /// By knowledge: completes a line, else blocks one, else plays at random.
    fn playout_action(&self, p: &Position, style: Style, rng: &mut Rng, buffer: &mut Vec<Action>) -> Action {
        self.actions(p, buffer);
        if style != Style::Uniform {
            let (own, other) = p.sides();
            let urgent = [completing(own, other), completing(other, own)].into_iter().find(|&cells| cells != 0);
            buffer.retain(|&a| urgent.is_none_or(|cells| cells >> a & 1 != 0));
        }
        buffer[rng.usize(..buffer.len())]
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
    /// The value of every position with perfect play, from the mover's point of view.
    fn solve(p: &Position) -> f32 {
        let mut actions = Vec::new();
        TicTacToe.actions(p, &mut actions);
        let after = |&a: &Action| {
            let mut next = *p;
            TicTacToe.play(&mut next, a);
            match TicTacToe.result(&next) {
                Some(result) => result * TicTacToe.player(p).sign(),
                None => -solve(&next),
            }
        };
        actions.iter().map(after).fold(-1.0, f32::max)
    }

    /// Calls `each` with every position of the game that is not over, by every way to it of at most `plies`.
    fn walk(p: &Position, plies: u32, each: &mut impl FnMut(&Position, &[Action])) {
        let mut actions = Vec::new();
        TicTacToe.actions(p, &mut actions);
        if actions.is_empty() {
            return;
        }
        each(p, &actions);
        for &a in actions.iter().filter(|_| plies > 0) {
            let mut next = *p;
            TicTacToe.play(&mut next, a);
            walk(&next, plies - 1, each);
        }
    }

    #[test]
    fn estimates_agree_with_perfect_play() {
        let (mut positions, mut wrong_sign) = (0, 0);
        walk(&Position::default(), 6, &mut |p, _| {
            let (estimate, value) = (TicTacToe.evaluate(&mut p.clone()).unwrap(), solve(p));
            assert!((-1.0..=1.0).contains(&estimate));
            // What it calls certain is.
            assert!(estimate.abs() < 1.0 || estimate == value);
            positions += 1;
            wrong_sign += u32::from(estimate * value < 0.0);
        });
        assert!(wrong_sign * 10 < positions, "{wrong_sign} of {positions}");
    }

    #[test]
    fn a_preferred_action_seldom_loses_value_and_wins_where_it_can() {
        let (mut positions, mut errors, mut preferences) = (0, 0, Vec::new());
        walk(&Position::default(), 6, &mut |p, actions| {
            assert!(TicTacToe.preferences(p, actions, &mut preferences));
            assert_eq!(preferences.len(), actions.len());
            let best = (0..actions.len()).max_by(|&i, &j| preferences[i].total_cmp(&preferences[j])).unwrap();
            let mut next = *p;
            TicTacToe.play(&mut next, actions[best]);
            let result = TicTacToe.result(&next).map(|result| result * TicTacToe.player(p).sign());
            let (own, other) = p.sides();
            assert_eq!(result == Some(1.0), completing(own, other) != 0);
            positions += 1;
            errors += u32::from(result.unwrap_or_else(|| -solve(&next)) < solve(p));
        });
        assert!(errors * 20 < positions, "{errors} of {positions}");
    }

    #[test]
    fn knowledge_looks_the_same_from_every_side_and_with_marks_exchanged() {
        let (mut preferences, mut theirs) = (Vec::new(), Vec::new());
        walk(&Position::default(), 4, &mut |p, actions| {
            let value = TicTacToe.evaluate(&mut p.clone());
            TicTacToe.preferences(p, actions, &mut preferences);
            let exchanged = Position { stones: [p.stones[1], p.stones[0]], second: !p.second, ..*p };
            assert_eq!(TicTacToe.evaluate(&mut exchanged.clone()), value);
            TicTacToe.preferences(&exchanged, actions, &mut theirs);
            assert_eq!(theirs, preferences);
            for frame in 0..8 {
                let image = |stones: u16| {
                    let cells = (0..9).filter(|cell| stones >> cell & 1 != 0);
                    cells.fold(0, |image, cell| image | 1 << TicTacToe.to_frame(frame, cell))
                };
                let mut there = Position { stones: p.stones.map(image), ..*p };
                let moved: Vec<Action> = actions.iter().map(|&a| TicTacToe.to_frame(frame, a)).collect();
                TicTacToe.preferences(&there, &moved, &mut theirs);
                assert_eq!(theirs, preferences);
                assert!((TicTacToe.evaluate(&mut there).unwrap() - value.unwrap()).abs() < 1e-6);
            }
        });
    }

    #[test]
    fn playouts_by_knowledge_take_a_win_and_stop_one() {
        // X wins at c1, or else O does at c3.
        let p = TicTacToe.parse_position("oo1/3/xx1 x").unwrap();
        let q = TicTacToe.parse_position("oo1/x2/x2 x").unwrap();
        for seed in 0..20 {
            let mut rng = Rng::with_seed(seed);
            assert_eq!(TicTacToe.playout_action(&p, Style::Knowledge, &mut rng, &mut Vec::new()), 2);
            assert_eq!(TicTacToe.playout_action(&q, Style::Knowledge, &mut rng, &mut Vec::new()), 8);
        }
    }
}
