//! An alpha-beta search of its own, with a table, that sees what a tree of mean values sees late: threats, sacrifices,
//! long forced lines.
//!
//! It is a principal variation search (Marsland and Campbell 1982) with null moves (Donninger 1993), late move
//! reductions, and pruning by the static evaluation near its leaves, which are searched on by captures. What it says of
//! mates is exact but for the distance: nothing is pruned where a side would be mated.

mod order;
mod root;
mod table;

use shakmaty::{
    Chess, EnPassantMode, Position as _, Setup,
    zobrist::{Zobrist64, ZobristValue as _},
};

use self::{
    order::{FIRST, LOSES, Order, REFUTES},
    table::{Bound, Table},
};
use super::{
    FIFTY_MOVES, encode,
    eval::score,
    exchange::gain,
    key_after,
    quiesce::{self, MATE},
};

/// Most plies of a line.
const PLIES: usize = 64;
/// Scores of mates begin here.
const MATES: i32 = MATE - 200;
/// Positions between two looks at the clock.
const GLANCE: u64 = 1024;
/// Most depth at which the static score, with this margin above the window for each ply, ends a search.
const REVERSE_FUTILITY: (i32, i32) = (4, 90);
/// Most depth at which quiet moves are left out where the static score, with this margin and another one for each ply,
/// stays below the window.
const FUTILITY: (i32, i32, i32) = (3, 80, 100);
/// Most depth at which late quiet moves are left out: those after the first six and four more for each ply.
const LATE: (i32, usize, usize) = (4, 6, 4);
/// Most depth at which captures that lose material are left out.
const LOSING: i32 = 2;
/// Plies that a null move saves, and one more for each group of this number of plies of depth.
const NULL_MOVE: (i32, i32) = (3, 4);
/// Quiet moves that are remembered as having failed.
const TRIED: usize = 32;
/// More moves than any position has.
const MOST_MOVES: usize = 256;

/// The time is over.
struct Over;

type Found = Result<i32, Over>;

/// The search, with what it remembers.
pub struct Lookahead {
    table: Table,
    order: Box<Order>,
    /// Keys of the positions before the present one that could be repeated.
    path: Vec<u64>,
    nodes: u64,
}

/// The scores that matter: one between `alpha` and `beta` is exact, any other one a bound.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }

    /// The window of the opponent.
    fn turned(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Asks whether a move is better than `alpha`.
    fn null(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }
}

/// A position of a line.
#[derive(Clone, Copy)]
struct Node<'a> {
    chess: &'a Chess,
    key: u64,
    ply: usize,
    /// Whether the player to move may pass: not after a pass.
    may_pass: bool,
}

impl Lookahead {
    /// With a table of at most `bytes`.
    pub fn new(bytes: usize) -> Lookahead {
        Lookahead { table: Table::new(bytes), order: Box::new(Order::new()), path: Vec::new(), nodes: 0 }
    }

    /// The score of a position for the player to move: exact inside the window, else a bound.
    fn search(&mut self, node: Node<'_>, window: Window, depth: i32, stop: &mut dyn FnMut() -> bool) -> Found {
        let Node { chess, key, ply, .. } = node;
        self.nodes += 1;
        if self.nodes.is_multiple_of(GLANCE) && stop() {
            return Err(Over);
        }
        if self.is_drawn(chess, key) {
            return Ok(0);
        }
        let alpha = window.alpha.max(ply as i32 - MATE);
        let window = Window { alpha, beta: window.beta.min(MATE - ply as i32) };
        if alpha >= window.beta {
            return Ok(alpha);
        }
        let check = chess.is_check();
        let depth = depth + i32::from(check);
        if depth <= 0 || ply >= PLIES {
            return Ok(quiesce::search(chess, alpha, window.beta, quiesce::DEPTH, &mut ()));
        }
        let known = self.table.get(key);
        if let Some(entry) = known.filter(|entry| i32::from(entry.depth) >= depth) {
            let score = entry.score(ply as i32);
            if entry.settles(score, alpha, window.beta) {
                return Ok(score);
            }
        }
        let worth = if check { -MATE } else { score(chess) };
        if !check && !window.is_open() {
            let (most, each) = REVERSE_FUTILITY;
            if depth <= most && worth - each * depth >= window.beta && window.beta.abs() < MATES {
                return Ok(worth);
            }
            if let Some(found) = self.by_passing(node, window.beta, worth, depth, stop)? {
                return Ok(found);
            }
        }
        let best_before = known.map_or(0, |entry| entry.action);
        self.path.push(key);
        let found = self.by_moves(node, window, depth, worth, best_before, stop);
        self.path.pop();
        found
    }

    /// Whether the rules, or a repetition of any earlier position, make a draw.
    fn is_drawn(&self, chess: &Chess, key: u64) -> bool {
        let reach = chess.halfmoves() as usize;
        chess.halfmoves() >= FIFTY_MOVES
            || chess.is_insufficient_material()
            || self.path.iter().rev().take(reach).skip(1).step_by(2).any(|&earlier| earlier == key)
    }

    /// The score that a player reaches who passes, if it is at least `beta`: then a move would do so too.
    fn by_passing(
        &mut self,
        node: Node<'_>,
        beta: i32,
        worth: i32,
        depth: i32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<i32>, Over> {
        let (saves, each) = NULL_MOVE;
        if !node.may_pass || depth < saves || worth < beta || !has_pieces(node.chess) {
            return Ok(None);
        }
        let Some((chess, key)) = passed(node.chess, node.key) else { return Ok(None) };
        self.path.push(node.key);
        let child = Node { chess: &chess, key, ply: node.ply + 1, may_pass: false };
        let found = self.search(child, Window::null(beta - 1).turned(), depth - 1 - saves - depth / each, stop);
        self.path.pop();
        let found = -found?;
        Ok((found >= beta).then_some(if found >= MATES { beta } else { found }))
    }

    fn by_moves(
        &mut self,
        node: Node<'_>,
        mut window: Window,
        depth: i32,
        worth: i32,
        best_before: u16,
        stop: &mut dyn FnMut() -> bool,
    ) -> Found {
        let Node { chess, key, ply, .. } = node;
        let (moves, us, check) = (chess.legal_moves(), chess.turn(), chess.is_check());
        if moves.is_empty() {
            return Ok(if check { ply as i32 - MATE } else { 0 });
        }
        let mut order = [(0, 0_u8); MOST_MOVES];
        for (place, (number, &m)) in order.iter_mut().zip(moves.iter().enumerate()) {
            let first = encode(m) as u16 == best_before;
            let rank = if first { FIRST } else { self.order.rank(chess.board(), us, m, ply) };
            *place = (rank, number as u8);
        }
        let order = &mut order[..moves.len()];
        let (begun, open) = (window.alpha, window.is_open());
        let (most, base, each) = FUTILITY;
        let hopeless = !check && depth <= most && worth + base + each * depth <= begun;
        let (mut best, mut best_action) = (-MATE, 0);
        let (mut tried, mut quiets) = ([None; TRIED], 0);
        for number in 0..order.len() {
            let next_best = (number..order.len()).max_by_key(|&place| order[place].0).expect("a move is left");
            order.swap(number, next_best);
            let (rank, index) = order[number];
            let m = moves[usize::from(index)];
            let quiet = gain(m) == 0;
            let mut next = chess.clone();
            next.play_unchecked(m);
            let checks = next.is_check();
            if best > -MATES && !(open || check || checks) {
                let late = depth <= LATE.0 && number > LATE.1 + LATE.2 * depth as usize;
                if quiet && (hopeless || late) || rank <= LOSES && depth <= LOSING {
                    continue;
                }
            }
            let child = Node { chess: &next, key: key_after(chess, key, m, &next), ply: ply + 1, may_pass: true };
            let plain = quiet && !check && !checks;
            let less = if plain { reduction(depth, number, open, rank >= REFUTES) } else { 0 };
            let found = self.by_move(child, window, depth - 1, less, number == 0, stop)?;
            if found > best {
                best = found;
                if found > window.alpha {
                    best_action = encode(m) as u16;
                    window.alpha = found;
                }
            }
            if best >= window.beta {
                if quiet {
                    self.order.refuted(us, m, tried.iter().take(quiets).flatten().copied(), depth, ply);
                }
                break;
            }
            if quiet && quiets < TRIED {
                tried[quiets] = Some(m);
                quiets += 1;
            }
        }
        let bound = if best >= window.beta {
            Bound::AtLeast
        } else if best > begun {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        self.table.put(key, ply as i32, best, best_action, depth, bound);
        Ok(best)
    }

    /// The score of a move to `child` for the player who makes it. Moves but the first are asked first whether they are better
    /// than `alpha`, by a search that is `less` plies shallower.
    fn by_move(
        &mut self,
        child: Node<'_>,
        window: Window,
        depth: i32,
        less: i32,
        first: bool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Found {
        if !first {
            let asked = Window::null(window.alpha).turned();
            let mut found = -self.search(child, asked, depth - less, stop)?;
            if found > window.alpha && less > 0 {
                found = -self.search(child, asked, depth, stop)?;
            }
            if found <= window.alpha || found >= window.beta || !window.is_open() {
                return Ok(found);
            }
        }
        Ok(-self.search(child, window.turned(), depth, stop)?)
    }
}

/// Plies that are saved at a late quiet move.
fn reduction(depth: i32, number: usize, open: bool, refutes: bool) -> i32 {
    if depth < 3 || number < 3 {
        return 0;
    }
    let bits = |n: usize| (usize::BITS - n.leading_zeros()) as i32;
    let less = bits(depth as usize) * bits(number) / 5 - i32::from(open) - i32::from(refutes);
    less.clamp(0, depth - 2)
}

/// Whether the player to move has more than pawns: else to pass could be better than any move.
fn has_pieces(chess: &Chess) -> bool {
    let board = chess.board();
    (board.by_color(chess.turn()) & !board.pawns() & !board.kings()).any()
}

/// The position, and its key, if the player to move passes.
fn passed(chess: &Chess, key: u64) -> Option<(Chess, u64)> {
    let mut setup: Setup = chess.to_setup(EnPassantMode::Legal);
    let Zobrist64(mut key) = Zobrist64(key) ^ Zobrist64::zobrist_for_white_turn();
    if let Some(square) = setup.ep_square.take() {
        key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
    }
    setup.swap_turn();
    Some((setup.position(chess.castles().mode()).ok()?, key))
}

#[cfg(test)]
mod tests;
