//! Connect four: the kernel of `connect_four.py`.

mod inputs;
mod insight;
#[cfg(test)]
mod knowledge_tests;
mod lines;
mod playout;
#[cfg(test)]
mod tests;

use inputs::{Tuple, tuples};
use insight::MoverView;
use lines::Lines;
use playout::PlayoutBoard;

use crate::{
    Action, CELL_WORDS, Cells, Game, Grid, Input, Judged, NetShape, Params, Played, Player, Rng, Style, Trace,
    support::board_text::{places, push_board},
    zobrist,
};

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
    lines: Lines,
    /// The cells of each column.
    masks: [u64; 16],
    /// `parts[player][cell]`: what a disc adds to the keys of both frames.
    parts: [[[u64; 2]; 64]; 2],
    tuples: Vec<Tuple>,
    /// Number of inputs of nets.
    inputs: usize,
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
        let lines = Lines { stride, board: bottom * ((1 << rows) - 1) };
        let mut masks = [0; 16];
        for (column, mask) in (0..columns).zip(&mut masks) {
            *mask = ((1 << rows) - 1) << (column * stride);
        }
        let (tuples, inputs) = tuples(columns, rows);
        Ok(ConnectFour { columns, rows, stride, bottom, lines, masks, parts, tuples, inputs })
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
        ((p.discs[0] | p.discs[1]) + self.bottom) & self.lines.board
    }

    /// The cells of one column.
    fn column(&self, column: u32) -> u64 {
        self.masks[column as usize]
    }

    /// The discs of the player to move and of the other one.
    fn discs_by_turn(&self, p: &Position) -> [u64; 2] {
        let [first, second] = p.discs;
        if p.second { [second, first] } else { [first, second] }
    }

    fn place(&self, p: &mut Position, player: usize, cell: u64) {
        p.discs[player] |= cell;
        for (key, part) in p.keys.iter_mut().zip(self.parts[player][cell.trailing_zeros() as usize]) {
            *key ^= part;
        }
    }

    /// The result on a board to which `player` has just added a disc.
    fn result_after(&self, p: &Position, player: usize) -> Option<f32> {
        if self.lines.has_four(p.discs[player]) {
            Some([1.0, -1.0][player])
        } else if p.discs[0] | p.discs[1] == self.lines.board {
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

    fn book_text(&self, p: &Position, frame: u8, out: &mut String) {
        let discs = |player: usize, mark| places(p.discs[player]).map(move |cell| (cell, mark));
        let images = discs(0, b'x').chain(discs(1, b'o')).map(|(cell, mark)| {
            let (column, row) = (cell / self.stride, cell % self.stride);
            (row * self.columns + self.to_frame(frame, column), mark)
        });
        push_board(out, self.columns * self.rows, images);
        out.push_str(if p.second { " 1" } else { " 0" });
    }

    fn undo_frame(&self, frame: u8, a: Action) -> Action {
        self.to_frame(frame, a)
    }

    fn grid(&self) -> Option<Grid> {
        Some(Grid { columns: self.columns, rows: self.rows, across: self.stride, up: 1 })
    }

    fn cells(&self, p: &Position) -> Cells {
        let set = |word| {
            let mut set = [0; CELL_WORDS];
            set[0] = word;
            set
        };
        Cells { men: p.discs.map(set), empty: set(self.lines.board & !(p.discs[0] | p.discs[1])) }
    }

    fn cell_of(&self, p: &Position, a: Action) -> Option<u32> {
        Some((self.landings(p) & self.column(a)).trailing_zeros())
    }

    fn action_on(&self, p: &Position, cell: u32) -> Option<Action> {
        (p.result.is_none() && self.landings(p) >> cell & 1 != 0).then_some(cell / self.stride)
    }

    fn cell_to_frame(&self, frame: u8, cell: u32) -> u32 {
        self.to_frame(frame, cell / self.stride) * self.stride + cell % self.stride
    }

    fn undo_cell_frame(&self, frame: u8, cell: u32) -> u32 {
        self.cell_to_frame(frame, cell)
    }

    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        Some(MoverView::new(self, p).value())
    }

    fn preferences(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        let view = MoverView::new(self, p);
        out.clear();
        out.extend(actions.iter().map(|&a| view.preference(self.column(a))));
        true
    }

    /// A net for each player: the cells that the one gets in the end are others than those of the other one.
    fn net_shape(&self) -> Option<NetShape> {
        let name = format!("connect-four-{}x{}-2", self.columns, self.rows);
        let shape = NetShape::of_boards(name, self.inputs, self.columns as usize);
        (self.inputs > 0).then_some(NetShape { phases: &["first", "second"], ..shape })
    }

    fn inputs(&self, p: &Position, _: u8, out: &mut Vec<Input>) -> Option<Judged> {
        self.add_tuples(self.discs_by_turn(p), self.landings(p), out);
        Some(Judged { phase: usize::from(p.second), player: self.player(p) })
    }

    fn playout_action(&self, p: &Position, style: Style, rng: &mut Rng, _: &mut Vec<Action>) -> Action {
        let landings = self.landings(p);
        let cells = match style {
            Style::Uniform => landings,
            Style::Knowledge | Style::Tactics => {
                let [mover, other] = self.discs_by_turn(p);
                PlayoutBoard::new(self, mover, other).sensible(landings)
            }
        };
        self.draw(cells, rng).trailing_zeros() / self.stride
    }

    fn playout(&self, p: &mut Position, style: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        if let Some(result) = p.result {
            return result;
        }
        let discs = self.discs_by_turn(p);
        let mut second = p.second;
        let mut record = |trace: &mut Trace, action| {
            trace.push(Played { action, second });
            second = !second;
        };
        let result =
            match (style, trace) {
                (Style::Uniform, None) => self.random_game(discs, rng, |_| ()),
                (Style::Uniform, Some(trace)) => self.random_game(discs, rng, |column| record(trace, column)),
                (Style::Knowledge | Style::Tactics, None) => {
                    PlayoutBoard::new(self, discs[0], discs[1]).play_out(self, rng, |_| ())
                }
                (Style::Knowledge | Style::Tactics, Some(trace)) => PlayoutBoard::new(self, discs[0], discs[1])
                    .play_out(self, rng, |cell| record(trace, cell.trailing_zeros() / self.stride)),
            };
        self.player(p).sign() * result
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
