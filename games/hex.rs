//! Hex: the kernel of `hex.py`.

mod bridges;
pub mod cells;
mod circuit;
pub mod connections;
mod cutset;
mod features;
mod fill;
pub mod inferior;
mod insight;
#[cfg(test)]
mod knowledge_tests;
pub mod lattice;
pub mod look;
mod openings;
mod planes;
mod playout;
#[cfg(test)]
mod proof_tests;
mod study;
#[cfg(test)]
mod tests;
mod text;

use bridges::Grid;
use cells::Cells;
use fill::Edges;
use insight::CircuitView;
use study::Ground;

use crate::{
    Action, Cells as BoardCells, Game, Grid as Board, Input, Judged, MoveFeatures, NetShape, Params, Planes, Player,
    Proof, Rng, Style, Trace,
    support::board_text::{places, push_board},
    zobrist,
};

/// Words of a set that has room for the largest board.
const WORDS: usize = 11;
const MAX_SIZE: u32 = 26;
/// The preference for preventing the opponent's win before other moves, and for a win at once before that.
const DECIDES: f32 = 10.0;
/// The least share of the current that a cell must have to be examined for a win.
const DECISIVE_SHARE: f32 = 0.1;
/// Preference of the swap over the best cell, or of that over the swap.
const SWAPS: f32 = 4.0;
const NO_CELL: u16 = u16::MAX;
const SWAP_TEXT: &str = "swap-pieces";

/// The rules of Hex on a board of some size, with or without the swap.
#[derive(Clone, Debug)]
pub struct Hex {
    size: u32,
    swap: bool,
    board: Edges<WORDS>,
    grid: Grid,
    sites: Vec<Site>,
    ground: Ground,
}

/// The surroundings of a cell.
#[derive(Clone, Debug)]
struct Site {
    /// The cells that touch it; where there are fewer than six, the cell itself fills the list.
    neighbours: [u16; 6],
    /// Whether it lies on the edge from which Black's (the top), White's (the left) stones are linked.
    start: [bool; 2],
    /// Whether it lies on the edge to which they are to be linked.
    goal: [bool; 2],
}

/// Stones of Black (who moves first) and White as bits `row * size + column`, row 0 at the top.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    stones: [Cells<WORDS>; 2],
    /// The stones of either colour that are joined to the edge from which that colour starts.
    linked: Cells<WORDS>,
    keys: [u64; 2],
    result: Option<f32>,
    /// The cell of the latest stone, for replies to it; `NO_CELL` if it is not known.
    last: u16,
    second: bool,
    /// Black's first stone stands alone, and White, when on move, may take it over.
    swap: bool,
}

const START: Position = Position {
    stones: [Cells::EMPTY; 2],
    linked: Cells::EMPTY,
    keys: [0; 2],
    result: None,
    last: NO_CELL,
    second: false,
    swap: false,
};

impl Site {
    fn new(size: u32, cell: u32) -> Site {
        let (row, column) = (cell / size, cell % size);
        let neighbours = [(0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)].map(|(down, right)| {
            match (row.checked_add_signed(down), column.checked_add_signed(right)) {
                (Some(row), Some(column)) if row < size && column < size => (row * size + column) as u16,
                _ => cell as u16,
            }
        });
        Site { neighbours, start: [row == 0, column == 0], goal: [row == size - 1, column == size - 1] }
    }
}

impl Hex {
    /// # Errors
    ///
    /// One line that names the parameter and its range.
    pub fn new(params: &Params) -> Result<Hex, String> {
        let size: u32 = params.get("size", 11)?;
        let swap = params.get("swap", false)?;
        if !(1..=MAX_SIZE).contains(&size) {
            return Err(format!("hex: size={size} is not in 1 to {MAX_SIZE}"));
        }
        let sites = (0..size * size).map(|cell| Site::new(size, cell)).collect();
        Ok(Hex { size, swap, board: Edges::new(size), grid: Grid::new(size), sites, ground: Ground::new(size) })
    }

    /// The number of rows and of columns.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Black's and White's stones, in sets of `V` words, enough for the board.
    pub fn stones<const V: usize>(&self, p: &Position) -> [Cells<V>; 2] {
        p.stones.each_ref().map(Cells::narrow)
    }

    /// Replaces `out` by the preferences for a player's stones on `cells`, where the board holds these stones.
    pub fn promise<const V: usize>(&self, stones: &[Cells<V>; 2], mover: usize, cells: &[Action], out: &mut Vec<f32>) {
        out.clear();
        let grid = self.grid.with(stones);
        CircuitView::new(&grid).preferences(mover == 1, None, cells.iter().copied(), out);
    }

    /// Whether the pieces may still be swapped, at `p` or after its next move.
    pub fn may_swap(&self, p: &Position) -> bool {
        self.swap && (self.opens(p) || self.swap_is_open(p))
    }

    /// The action that follows those of the cells.
    fn swap_action(&self) -> Action {
        self.size * self.size
    }

    /// The swap, where it may be played at `p`.
    pub fn swap_action_at(&self, p: &Position) -> Option<Action> {
        self.swap_is_open(p).then(|| self.swap_action())
    }

    /// Whether Black is to place the first stone of the game.
    fn opens(&self, p: &Position) -> bool {
        !p.second && p.stones.iter().all(Cells::is_empty)
    }

    fn swap_is_open(&self, p: &Position) -> bool {
        p.swap && p.second && p.result.is_none()
    }

    /// The place of the latest stone on the grid.
    fn last_place(&self, p: &Position) -> Option<u32> {
        (p.last != NO_CELL).then(|| self.grid.place_of(p.last.into()))
    }

    /// Whether a stone on an empty cell would join the player's borders.
    fn wins(&self, p: &Position, player: usize, cell: u32) -> bool {
        let site = &self.sites[cell as usize];
        let linked = |&cell: &u16| p.linked.has(cell.into()) && p.stones[player].has(cell.into());
        (site.start[player] || site.neighbours.iter().any(linked)) && {
            let mut after = *p;
            self.place(&mut after, player, cell);
            after.result.is_some()
        }
    }

    /// 2 if a stone on an empty cell wins, 1 if it keeps the opponent from winning there, else 0.
    fn decides(&self, p: &Position, view: &CircuitView<'_>, cell: u32) -> u64 {
        let mover = usize::from(p.second);
        let decides = |player| view.share(player, cell) > DECISIVE_SHARE && self.wins(p, player, cell);
        if decides(mover) { 2 } else { u64::from(decides(1 - mover)) }
    }

    /// Whether Black's first stone is better for Black than for White.
    fn swap_is_good(&self, p: &Position) -> bool {
        openings::is_good(self.size, p.stones[0].first())
    }

    fn empty(&self, p: &Position) -> Cells<WORDS> {
        self.board.all.minus(&p.stones[0]).minus(&p.stones[1])
    }

    fn place(&self, p: &mut Position, player: usize, cell: u32) {
        p.stones[player].insert(cell);
        p.last = cell as u16;
        for (frame, key) in p.keys.iter_mut().enumerate() {
            *key ^= zobrist::key(1 + player as u64, u64::from(self.to_frame(frame as u8, cell)));
        }
        let site = &self.sites[cell as usize];
        let joins = |&cell: &u16| p.linked.has(cell.into()) && p.stones[player].has(cell.into());
        if site.start[player] || site.neighbours.iter().any(joins) {
            self.link(p, player, cell);
        }
    }

    /// Marks a stone, and every stone that it joins to the edge, as linked. Each stone is marked once in a game.
    fn link(&self, p: &mut Position, player: usize, cell: u32) {
        let site = &self.sites[cell as usize];
        p.linked.insert(cell);
        if site.goal[player] {
            p.result = Some([1.0, -1.0][player]);
        }
        for next in site.neighbours.map(u32::from) {
            if p.stones[player].has(next) && !p.linked.has(next) {
                self.link(p, player, next);
            }
        }
    }
}

impl Game for Hex {
    type Position = Position;

    fn initial(&self) -> Position {
        START
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
            self.empty(p).for_each(|cell| out.push(cell));
            if self.swap_is_open(p) {
                out.push(self.swap_action());
            }
        }
    }

    fn play(&self, p: &mut Position, a: Action) {
        if a == self.swap_action() {
            let first = p.stones[0].first();
            *p = START;
            self.place(p, 1, first % self.size * self.size + first / self.size);
        } else {
            p.swap = self.swap && self.opens(p);
            self.place(p, usize::from(p.second), a);
            p.second = !p.second;
        }
    }

    fn frames(&self) -> u8 {
        2
    }

    fn frame_key(&self, p: &Position, frame: u8) -> u64 {
        let mover = if p.second { zobrist::key(0, 1) } else { 0 };
        let swap = if p.swap { zobrist::key(0, 2) } else { 0 };
        p.keys[frame as usize] ^ mover ^ swap
    }

    /// Frame 1 is the half turn.
    fn to_frame(&self, frame: u8, a: Action) -> Action {
        if frame == 0 || a == self.swap_action() { a } else { self.swap_action() - 1 - a }
    }

    fn book_text(&self, p: &Position, frame: u8, out: &mut String) {
        let words = |player: usize| (0..WORDS).map(move |i| (64 * i as u32, p.stones[player].word(i)));
        let stones = |player: usize, mark| {
            words(player).flat_map(move |(start, word)| places(word).map(move |bit| (start + bit, mark)))
        };
        let images = stones(0, b'b').chain(stones(1, b'w')).map(|(cell, mark)| (self.to_frame(frame, cell), mark));
        push_board(out, self.swap_action(), images);
        out.push_str(if p.second { " 1" } else { " 0" });
        out.push_str(if p.swap { " True" } else { " False" });
    }

    fn undo_frame(&self, frame: u8, a: Action) -> Action {
        self.to_frame(frame, a)
    }

    fn grid(&self) -> Option<Board> {
        Some(Board::by_rows(self.size, self.size))
    }

    fn cells(&self, p: &Position) -> BoardCells {
        let [men @ .., empty] =
            [p.stones[0], p.stones[1], self.empty(p)].map(|set| std::array::from_fn(|i| set.word(i)));
        BoardCells { men, empty }
    }

    fn cell_of(&self, _: &Position, a: Action) -> Option<u32> {
        (a != self.swap_action()).then_some(a)
    }

    fn action_on(&self, p: &Position, cell: u32) -> Option<Action> {
        (p.result.is_none() && self.empty(p).has(cell)).then_some(cell)
    }

    fn prove(&self, p: &Position) -> Option<Proof> {
        if self.swap_is_open(p) && openings::wins(self.size, p.stones[0].first()) == Some(true) {
            return Some(Proof::Win(Some(self.swap_action())));
        }
        self.study(p)
    }

    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        let value = CircuitView::new(&self.grid.with(&p.stones)).value(p.second);
        // The swap leaves White the better side.
        Some(if self.swap_is_open(p) { value.abs() } else { value })
    }

    fn preferences(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        out.clear();
        if self.swap && self.opens(p) {
            out.extend(actions.iter().map(|&cell| openings::preference(self.size, cell)));
            return true;
        }
        let grid = self.grid.with(&p.stones);
        let view = CircuitView::new(&grid);
        let cells = actions.iter().copied().filter(|&a| a != self.swap_action());
        view.preferences(p.second, self.last_place(p), cells, out);
        for (preference, &cell) in out.iter_mut().zip(actions).filter(|(_, a)| **a != self.swap_action()) {
            *preference += DECIDES * self.decides(p, &view, cell) as f32;
        }
        if let Some(at) = actions.iter().position(|&a| a == self.swap_action()) {
            let best = out.iter().copied().reduce(f32::max).unwrap_or(0.0);
            out.insert(at, best + if self.swap_is_good(p) { SWAPS } else { -SWAPS });
        }
        true
    }

    fn net_shape(&self) -> Option<NetShape> {
        let (size, cells) = (self.size as usize, self.swap_action() as usize);
        let board = Planes { columns: size, rows: size, count: planes::COUNT };
        let plain = format!("hex-{size}-1");
        let (name, served_by) = if self.swap { (format!("hex-{size}-swap-1"), Some(plain)) } else { (plain, None) };
        let shape = NetShape::of_planes(name, board, cells + usize::from(self.swap));
        let any_size = Some("hex-any-1".to_owned());
        Some(NetShape { results: vec![1.0, -1.0], served_by, any_size, ..shape })
    }

    fn inputs(&self, p: &Position, _: u8, out: &mut Vec<Input>) -> Option<Judged> {
        self.add_planes(p, out);
        Some(Judged { phase: 0, player: self.player(p) })
    }

    fn slots(&self, p: &Position, a: Action, out: &mut Vec<u32>) {
        out.push(self.slot(p, a));
    }

    fn features_name(&self) -> Option<&'static str> {
        Some(features::NAME)
    }

    fn features(&self, p: &Position, actions: &[Action], out: &mut MoveFeatures) {
        self.features_of(p, actions, out);
    }

    fn playout_action(&self, p: &Position, style: Style, rng: &mut Rng, _: &mut Vec<Action>) -> Action {
        if self.swap_is_open(p) && self.swaps(p, style, rng) {
            return self.swap_action();
        }
        if let (Style::Knowledge | Style::Tactics, Some(last)) = (style, self.last_place(p)) {
            let grid = self.grid.with(&p.stones);
            if let Some(reply) = grid.reply(last, p.second, rng) {
                return grid.cell_at(reply);
            }
        }
        fill::random_member(&self.empty(p), rng)
    }

    /// The board is filled, beyond the end of the game too. The trace holds each cell once, with the one who gets it:
    /// the result depends on that alone, so a uniform playout lists the cells in no order of play.
    fn playout(&self, p: &mut Position, style: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        self.play_out(p, style, rng, trace)
    }

    fn add_owners(&self, p: &mut Position, rng: &mut Rng, owners: &mut Vec<i32>) {
        self.add_stones(p, rng, owners);
    }

    fn set_player(&self, p: &mut Position, player: Player) -> bool {
        p.second = player == Player::Second;
        true
    }

    fn action_text(&self, _: &Position, a: Action) -> String {
        if a == self.swap_action() {
            return SWAP_TEXT.to_owned();
        }
        format!("{}{}", char::from(b'a' + (a % self.size) as u8), a / self.size + 1)
    }

    fn parse_position(&self, text: &str) -> Result<Position, String> {
        self.read_position(text)
    }
}
