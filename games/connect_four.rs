//! Connect four: the kernel of `connect_four.py`.

use crate::{Action, Game, Params, Player, Rng, zobrist};

/// The rules of connect four on a board of some size.
///
/// Cells are bits: column `c` takes bits `c * stride` and up, the bottom cell first, and one bit above its top cell that
/// stays 0, so that no line of four runs on from one column into the next (after Tromp's Fhourstones).
#[derive(Clone, Debug)]
pub struct ConnectFour {
    columns: u32,
    rows: u32,
    stride: u32,
    /// The bottom cell of each column.
    bottom: u64,
    /// Every cell.
    board: u64,
    /// `parts[player][cell]`: what a disc adds to the keys of both frames.
    parts: [[[u64; 2]; 64]; 2],
}

/// Discs of X (who moves first) and O.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    discs: [u64; 2],
    keys: [u64; 2],
    second: bool,
    result: Option<f32>,
}

impl Position {
    /// The discs of X and of O, as bits laid out like the cells of `ConnectFour`.
    pub fn discs(&self) -> [u64; 2] {
        self.discs
    }
}

/// Whether the set of discs holds four in a row, in columns of `stride` bits.
fn has_four(discs: u64, stride: u32) -> bool {
    let line = |step: u32| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step)
    };
    line(1) | line(stride - 1) | line(stride) | line(stride + 1) != 0
}

impl ConnectFour {
    /// # Errors
    ///
    /// One line that names the parameter and its range.
    pub fn new(params: &Params) -> Result<ConnectFour, String> {
        let columns: u32 = params.get("columns", 7)?;
        let rows: u32 = params.get("rows", 6)?;
        for (name, count) in [("columns", columns), ("rows", rows)] {
            if !(1..=9).contains(&count) {
                return Err(format!("connect_four: {name}={count} is not in 1 to 9"));
            }
        }
        let stride = rows + 1;
        if columns * stride > 64 {
            return Err(format!(
                "connect_four: {columns} columns of {rows} rows are too many: columns * (rows + 1) <= 64"
            ));
        }
        let bottom = (0..columns).fold(0, |cells, column| cells | 1 << (column * stride));
        let mut parts = [[[0; 2]; 64]; 2];
        for (player, table) in parts.iter_mut().enumerate() {
            for (cell, part) in (0..columns * stride).zip(table) {
                let mirrored = (columns - 1 - cell / stride) * stride + cell % stride;
                *part = [cell, mirrored].map(|cell| zobrist::key(1 + player as u64, u64::from(cell)));
            }
        }
        Ok(ConnectFour { columns, rows, stride, bottom, board: bottom * ((1 << rows) - 1), parts })
    }

    /// The number of columns, 1 to 9.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The number of rows, 1 to 9.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The cells on which a disc can come to rest: one in each column that has room.
    fn landings(&self, p: &Position) -> u64 {
        ((p.discs[0] | p.discs[1]) + self.bottom) & self.board
    }

    /// The cells of one column.
    fn column(&self, column: u32) -> u64 {
        ((1 << self.rows) - 1) << (column * self.stride)
    }

    fn place(&self, p: &mut Position, player: usize, cell: u64) {
        p.discs[player] |= cell;
        for (key, part) in p.keys.iter_mut().zip(self.parts[player][cell.trailing_zeros() as usize]) {
            *key ^= part;
        }
    }

    /// The result on a board to which `player` has just added a disc.
    fn result_after(&self, p: &Position, player: usize) -> Option<f32> {
        if has_four(p.discs[player], self.stride) {
            Some([1.0, -1.0][player])
        } else if p.discs[0] | p.discs[1] == self.board {
            Some(0.0)
        } else {
            None
        }
    }
}

impl Game for ConnectFour {
    type Position = Position;

    fn initial(&self) -> Position {
        Position::default()
    }

    fn player(&self, p: &Position) -> Player {
        if p.second { Player::Second } else { Player::First }
    }

    fn result(&self, p: &Position) -> Option<f32> {
        p.result
    }

    fn actions(&self, p: &Position, out: &mut Vec<Action>) {
        out.clear();
        if p.result.is_none() {
            let landings = self.landings(p);
            out.extend((0..self.columns).filter(|&column| landings & self.column(column) != 0));
        }
    }

    fn play(&self, p: &mut Position, a: Action) {
        let player = usize::from(p.second);
        self.place(p, player, self.landings(p) & self.column(a));
        p.result = self.result_after(p, player);
        p.second = !p.second;
    }

    fn frames(&self) -> u8 {
        2
    }

    fn frame_key(&self, p: &Position, frame: u8) -> u64 {
        p.keys[frame as usize] ^ if p.second { zobrist::key(0, 1) } else { 0 }
    }

    fn to_frame(&self, frame: u8, a: Action) -> Action {
        if frame == 0 { a } else { self.columns - 1 - a }
    }

    fn from_frame(&self, frame: u8, a: Action) -> Action {
        self.to_frame(frame, a)
    }

    /// Keeps the next cell of each column that has room, so that a uniform choice needs no search for the n-th bit.
    fn rollout(&self, p: &mut Position, rng: &mut Rng) -> f32 {
        if let Some(result) = p.result {
            return result;
        }
        let landings = self.landings(p);
        let mut next = [0; 9];
        let mut open = 0;
        for cell in (0..self.columns).map(|column| landings & self.column(column)).filter(|&cell| cell != 0) {
            next[open] = cell;
            open += 1;
        }
        let (mut mover, mut other) = (p.discs[usize::from(p.second)], p.discs[usize::from(!p.second)]);
        let mut win = if p.second { -1.0 } else { 1.0 };
        loop {
            let column = rng.u32(..open as u32) as usize;
            let cell = next[column];
            mover |= cell;
            if has_four(mover, self.stride) {
                return win;
            }
            next[column] = cell << 1;
            if next[column] & self.board == 0 {
                open -= 1;
                next[column] = next[open];
                if open == 0 {
                    return 0.0;
                }
            }
            (mover, other) = (other, mover);
            win = -win;
        }
    }

    fn set_player(&self, p: &mut Position, player: Player) -> bool {
        p.second = player == Player::Second;
        true
    }

    fn action_text(&self, _: &Position, a: Action) -> String {
        char::from(b'a' + a as u8).to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Position, String> {
        let bad = |what: &str| format!("not a connect four position: {:?} ({what})", text.trim());
        let form = || bad("rows from the top and the mover, as in '7/7/7/7/3o3/2xx3 o'");
        let fields: Vec<&str> = text.split_whitespace().collect();
        let &[rows, mover] = fields.as_slice() else { return Err(form()) };
        let mut p = Position { second: mover == "o", ..Position::default() };
        if !matches!(mover, "x" | "o") || rows.split('/').count() != self.rows as usize {
            return Err(form());
        }
        for (row, cells) in rows.split('/').rev().enumerate() {
            let mut column = 0;
            for mark in cells.chars() {
                match mark {
                    '1'..='9' => column += mark as u32 - '0' as u32,
                    'x' | 'o' if column < self.columns => {
                        let cell = 1 << (column * self.stride + row as u32);
                        if self.landings(&p) & cell == 0 {
                            return Err(bad("nothing under a disc"));
                        }
                        self.place(&mut p, usize::from(mark == 'o'), cell);
                        column += 1;
                    }
                    _ => return Err(form()),
                }
            }
            if column != self.columns {
                return Err(form());
            }
        }
        p.result = match [0, 1].map(|player| self.result_after(&p, player)) {
            [Some(1.0), Some(-1.0)] => return Err(bad("both sides have four in a row")),
            [Some(1.0), _] => Some(1.0),
            [_, second] => second,
        };
        Ok(p)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::perft::perft;

    fn game(columns: u32, rows: u32) -> ConnectFour {
        let params = [("columns", columns), ("rows", rows)].map(|(name, n)| (name.to_owned(), n.to_string()));
        ConnectFour::new(&Params(params.into())).unwrap()
    }

    fn play(game: &ConnectFour, columns: &str) -> Position {
        let mut p = game.initial();
        for name in columns.chars() {
            let a = game.parse_action(&p, &name.to_string()).unwrap();
            game.play(&mut p, a);
        }
        p
    }

    #[test]
    fn perft_counts_every_line_of_play() {
        let standard = game(7, 6);
        let counts: Vec<u64> = (1..=8).map(|depth| perft(&standard, &standard.initial(), depth)).collect();
        assert_eq!(counts, [7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234]);
    }

    #[test]
    fn keys_tell_positions_apart_and_frames_join_mirror_images() {
        let game = game(7, 6);
        let mut level = vec![game.initial()];
        let (mut states, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..=6 {
            states.push(level.len());
            classes.push(level.iter().map(|p| game.canonical(p).0).collect::<HashSet<_>>().len());
            let mut next = HashMap::new();
            let mut actions = Vec::new();
            for p in &level {
                game.actions(p, &mut actions);
                for &a in &actions {
                    let mut child = *p;
                    game.play(&mut child, a);
                    next.insert(game.frame_key(&child, 0), child);
                }
            }
            level = next.into_values().collect();
        }
        assert_eq!(states, [1, 7, 49, 238, 1120, 4263, 16_422]);
        assert_eq!(classes, [1, 4, 25, 121, 568, 2144, 8231]);
    }

    /// The value of perfect play and the mean result of uniformly random play, both from X's point of view.
    fn solve(game: &ConnectFour, p: &Position, solved: &mut HashMap<u64, (f32, f64)>) -> (f32, f64) {
        if let Some(result) = game.result(p) {
            solved.insert(game.frame_key(p, 0), (result, f64::from(result)));
            return (result, f64::from(result));
        }
        if let Some(&known) = solved.get(&game.frame_key(p, 0)) {
            return known;
        }
        let mut actions = Vec::new();
        game.actions(p, &mut actions);
        let sign = game.player(p).sign();
        let (mut best, mut sum) = (-1.0_f32, 0.0);
        for &a in &actions {
            let mut child = *p;
            game.play(&mut child, a);
            let (value, mean) = solve(game, &child, solved);
            best = best.max(sign * value);
            sum += mean;
        }
        let found = (sign * best, sum / actions.len() as f64);
        solved.insert(game.frame_key(p, 0), found);
        found
    }

    /// The number of positions is Tromp's (tromp.github.io/c4/c4.html).
    #[test]
    fn four_by_four_is_a_draw_of_161029_positions_and_rollouts_are_uniform() {
        let game = game(4, 4);
        let mut solved = HashMap::new();
        let (value, mean) = solve(&game, &game.initial(), &mut solved);
        assert_eq!((value, solved.len()), (0.0, 161_029));
        let mut rng = Rng::with_seed(4);
        let games = 100_000;
        let sum: f32 = (0..games).map(|_| game.rollout(&mut game.initial(), &mut rng)).sum();
        let error = f64::from(sum) / f64::from(games) - mean;
        assert!(error.abs() < 4.0 / f64::from(games).sqrt(), "rollouts are off by {error}");
    }

    #[test]
    fn fours_in_each_direction_win_and_end_the_game() {
        let game = game(7, 6);
        for (columns, result) in
            [("aabbccd", 1.0), ("abababa", 1.0), ("gabbccdcddfd", -1.0), ("gdccbbabaafa", -1.0), ("gadadada", -1.0)]
        {
            let p = play(&game, columns);
            let mut actions = vec![0];
            game.actions(&p, &mut actions);
            assert_eq!((game.result(&p), actions.len()), (Some(result), 0), "{columns}");
            assert_eq!(game.rollout(&mut p.clone(), &mut Rng::with_seed(1)), result);
        }
    }

    #[test]
    fn no_four_runs_over_the_edge_of_the_board() {
        for (columns, rows) in [(9, 1), (8, 7), (7, 8), (9, 6), (4, 2)] {
            let game = game(columns, rows);
            let lines = (0..columns * rows).flat_map(|cell| [(1, 0), (0, 1), (1, 1), (1, -1)].map(|step| (cell, step)));
            for (cell, (across, up)) in lines {
                let cells = (0..4).map(|i| ((cell / rows) as i32 + i * across, (cell % rows) as i32 + i * up));
                let inside = |&(c, r): &(i32, i32)| c < columns as i32 && (0..rows as i32).contains(&r);
                let discs = cells.clone().filter(inside).fold(0, |d, (c, r)| d | 1 << (c * game.stride as i32 + r));
                assert_eq!(has_four(discs, game.stride), cells.clone().all(|cell| inside(&cell)));
            }
        }
    }

    #[test]
    fn position_text_gives_the_position_that_play_gives() {
        let game = game(7, 6);
        let (played, read) = (play(&game, "dced"), game.parse_position("7/7/7/7/3o3/2oxx2 x").unwrap());
        assert_eq!((played.discs, played.second, played.keys), (read.discs, read.second, read.keys));
        assert_eq!(game.result(&game.parse_position("7/7/7/7/7/2oooo1 x").unwrap()), Some(-1.0));
        for text in
            ["", "7/7/7/7/7/7", "7/7/7/7/7/7 w", "7/7/7/7/7 x", "7/7/7/7/7/8 x", "7/7/7/7/x6/7 x", "7/7/7/7/7/7x x"]
        {
            assert!(game.parse_position(text).is_err(), "{text}");
        }
        assert!(game.parse_position("7/7/7/7/xxxx3/oooo3 x").is_err());
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for (columns, rows) in [("0", "6"), ("7", "10"), ("9", "9"), ("x", "6")] {
            let params = [("columns", columns), ("rows", rows)].map(|(name, n)| (name.to_owned(), n.to_owned()));
            assert!(ConnectFour::new(&Params(params.into())).is_err());
        }
    }
}
