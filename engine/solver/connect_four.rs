//! A solver of connect four: null-window alpha-beta on bitboards.
//!
//! The ideas are the field's: Allis 1988 and Tromp's Fhourstones for boards as words, Pons (2015-2019, "Solving Connect
//! 4") for the score, the moves that do not lose at once, the order by threats made, and the bisection of the score.
//!
//! A score is 0 for a draw; n for a win of the player to move with n - 1 discs of each player left to place on the
//! half-empty board (the sooner the higher); -n for a loss alike.

mod board;
mod table;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use playout_games::{
    Action, Game, Player,
    connect_four::{ConnectFour, Position},
};
use playout_search::Control;

use self::{
    board::{Discs, Geometry},
    table::ScoreTable,
};
use crate::{
    request::Request,
    solution::{MoveSolution, Solution},
    watch::{Progress, Watch},
};

/// Positions with fewer discs are looked up together with their mirror images.
const MIRRORED_DISCS: u32 = 14;
/// Added to a score to make it the byte of an upper bound; lower bounds follow above.
const OFFSET: i32 = 34;
const LOWER: i32 = 2 * OFFSET;

/// With fewer cells left than this, replies are searched without looking them up first.
const LATE_DISCS: u32 = 14;

pub struct ConnectFourSolver<'a> {
    board: Geometry,
    table: &'a ScoreTable,
    watch: Watch<'a>,
    /// Columns from the middle outwards.
    order: [u64; 9],
}

impl<'a> ConnectFourSolver<'a> {
    fn new(board: Geometry, table: &'a ScoreTable, watch: Watch<'a>) -> ConnectFourSolver<'a> {
        let mut columns: Vec<u32> = (0..board.columns).collect();
        columns.sort_by_key(|&column| (2 * column + 1).abs_diff(board.columns));
        let mut order = [0; 9];
        for (cells, &column) in order.iter_mut().zip(&columns) {
            *cells = board.column(column);
        }
        ConnectFourSolver { board, table, watch, order }
    }

    /// The score of winning with the disc that makes `discs` on the board.
    fn score_at(&self, discs: u32) -> i32 {
        (self.board.size() as i32 + 2 - discs as i32) / 2
    }

    /// The score of the player to move, who has no win at once: exact inside the window, else a bound on its side of
    /// it. Of no meaning once the watch has ended.
    fn search(&mut self, node: Discs, discs: u32, mut alpha: i32, mut beta: i32) -> i32 {
        if !self.watch.go_on() {
            return alpha;
        }
        let board = self.board;
        let key = self.key(node, discs);
        let look = self.table.look(key);
        let dangers = board.dangers(node);
        let mut moves = board.landings(node);
        let forced = moves & dangers;
        if forced != 0 {
            if forced & (forced - 1) != 0 {
                return -self.score_at(discs + 2);
            }
            moves = forced;
        }
        // Nor under a cell where the other player would win.
        moves &= !(dangers >> 1);
        if moves == 0 {
            return -self.score_at(discs + 2);
        }
        if discs + 2 >= board.size() {
            return 0;
        }
        // The other player cannot win with the next disc, nor this one with the present.
        let least = -self.score_at(discs + 4);
        let most = self.score_at(discs + 3);
        let (least, most) = self.follow_up(node, (least, most));
        alpha = alpha.max(least);
        beta = beta.min(most);
        if alpha >= beta {
            return if alpha == least { alpha } else { beta };
        }
        let known = i32::from(look.value());
        if known > LOWER {
            let lower = known - LOWER - OFFSET;
            if lower >= beta {
                return lower;
            }
            alpha = alpha.max(lower);
        } else if known > 0 {
            let upper = known - OFFSET;
            if upper <= alpha {
                return upper;
            }
            beta = beta.min(upper);
        }
        if alpha >= beta {
            return alpha;
        }
        let (ordered, count) = self.ordered(node, moves);
        if discs + LATE_DISCS < board.size() {
            // A reply's stored bound may cut off before anything is searched (Plaat et al. 1996).
            let mut looks = [None; 9];
            for (look, &cell) in looks.iter_mut().zip(&ordered[..count]) {
                *look = Some(self.table.look(self.key(board.play(node, cell), discs + 1)));
            }
            for look in looks.into_iter().flatten() {
                let known = i32::from(look.value());
                if (1..=LOWER).contains(&known) && OFFSET - known >= beta {
                    let score = OFFSET - known;
                    self.table.put(key, (score + OFFSET + LOWER) as u8);
                    return score;
                }
            }
        }
        for &cell in &ordered[..count] {
            let score = -self.search(board.play(node, cell), discs + 1, -beta, -alpha);
            if self.watch.ended() {
                return alpha;
            }
            if score >= beta {
                self.table.put(key, (score + OFFSET + LOWER) as u8);
                return score;
            }
            alpha = alpha.max(score);
        }
        self.table.put(key, (alpha + OFFSET) as u8);
        alpha
    }

    /// Tightens bounds of the score by the follow-up strategy (Allis 1988, claimeven in every column at once): a player
    /// who answers each disc with one in the same column gets every second cell, whatever the other does.
    fn follow_up(&self, node: Discs, (least, most): (i32, i32)) -> (i32, i32) {
        let board = self.board;
        let (empty, odd) = (board.cells & !node.all, board.landings(node) & !board.lower);
        if odd == 0 {
            // The other player follows from here on.
            let (own, other) = (node.own | empty & board.lower, node.own ^ node.all | empty & !board.lower);
            if !board.has_four(own) {
                return (least, if board.has_four(other) { -1 } else { most.min(0) });
            }
        } else if odd & (odd - 1) == 0 {
            // The player to move makes all columns even, and follows from then on.
            let (own, other) =
                (node.own | empty & !board.lower | odd, node.own ^ node.all | empty & board.lower & !odd);
            if !board.has_four(other) {
                return (if board.has_four(own) { 1 } else { least.max(0) }, most);
            }
        }
        (least, most)
    }

    fn key(&self, node: Discs, discs: u32) -> u64 {
        let key = self.board.key(node);
        if discs < MIRRORED_DISCS { key.min(self.board.key(self.board.mirrored(node))) } else { key }
    }

    /// The moves: those that make the most threats first, among equals those nearer the middle.
    fn ordered(&self, node: Discs, moves: u64) -> ([u64; 9], usize) {
        let (mut cells, mut ranks, mut count) = ([0; 9], [0; 9], 0);
        for column in &self.order[..self.board.columns as usize] {
            let cell = moves & column;
            if cell == 0 {
                continue;
            }
            let own = node.own | cell;
            let rank = self.board.threats(Discs { own, all: node.all | cell }).count_ones();
            let mut place = count;
            while place > 0 && ranks[place - 1] < rank {
                (cells[place], ranks[place]) = (cells[place - 1], ranks[place - 1]);
                place -= 1;
            }
            (cells[place], ranks[place]) = (cell, rank);
            count += 1;
        }
        (cells, count)
    }

    /// Whether the score of any position, won at once or not, is at least `bound`; None once the watch has ended.
    fn reaches(&mut self, node: Discs, bound: i32) -> Option<bool> {
        let discs = node.all.count_ones();
        if discs == self.board.size() {
            return Some(bound <= 0);
        }
        if self.board.threats(node) & self.board.landings(node) != 0 {
            return Some(self.score_at(discs + 1) >= bound);
        }
        let score = self.search(node, discs, bound - 1, bound);
        (!self.watch.ended()).then_some(score >= bound)
    }

    /// Narrows the bounds of a score until they are `enough` or the watch ends: first who wins, then how soon.
    fn narrow(&mut self, node: Discs, bounds: &mut Bounds, enough: impl Fn(&Bounds) -> bool) {
        while !enough(bounds) {
            let bound = match *bounds {
                Bounds { lower, upper } if lower < 0 && upper > 0 => 1,
                Bounds { lower, upper: 0 } if lower < 0 => 0,
                Bounds { lower, upper } => lower + (upper - lower + 1) / 2,
            };
            match self.reaches(node, bound) {
                Some(true) => bounds.lower = bound,
                Some(false) => bounds.upper = bound - 1,
                None => return,
            }
        }
    }

    /// Makes the bounds of the best of `moves`, of each of which it is known who wins, meet. Those of the others need not.
    fn best_lengths(&mut self, node: Discs, moves: &mut [(Action, Bounds)]) {
        let who = |bounds: &Bounds| bounds.upper.signum();
        if !moves.iter().all(|(_, after)| after.say_who()) {
            return;
        }
        // Scores after a move are the other player's.
        let best = moves.iter().map(|(_, after)| who(after)).min().unwrap_or(0);
        let mut most = i32::MAX;
        for (action, after) in moves.iter_mut().filter(|(_, after)| who(after) == best) {
            let child = self.board.play(node, self.board.landings(node) & self.board.column(*action));
            if !after.meet() && most < after.upper {
                // Worse than the best so far, or not.
                match self.reaches(child, most + 1) {
                    Some(true) => after.lower = most + 1,
                    Some(false) => after.upper = most,
                    None => return,
                }
            }
            if after.lower <= most {
                self.narrow(child, after, Bounds::meet);
                most = most.min(after.upper);
            }
        }
    }

    /// The bounds that need no search.
    fn bounds(&self, node: Discs) -> Bounds {
        let discs = node.all.count_ones();
        Bounds { lower: -self.score_at(discs + 2).max(0), upper: self.score_at(discs + 1).max(0) }
    }

    /// Plies to the end from `node`, whose exact score is given; None for a draw.
    fn plies(&self, node: Discs, score: i32) -> Option<u32> {
        let discs = node.all.count_ones();
        // Two lengths of the game have this score; the winner's discs end only one of them.
        let longest = self.board.size() + 2 - 2 * score.unsigned_abs();
        let plies = longest.checked_sub(discs)?;
        match score.signum() {
            0 => None,
            1 => Some(plies - (1 - plies % 2)),
            _ => Some(plies - plies % 2),
        }
    }

    fn cells(&self, node: Discs) -> impl Iterator<Item = u64> + use<> {
        let landings = self.board.landings(node);
        self.order.into_iter().map(move |column| landings & column).filter(|&cell| cell != 0)
    }

    /// Best play from `node`, whose exact score is given, as far as the time allows.
    fn line(&mut self, mut node: Discs, mut score: i32) -> Vec<Action> {
        let mut line = Vec::new();
        loop {
            let wins = self.board.threats(node) & self.board.landings(node);
            if wins != 0 {
                line.push(self.action(wins));
                return line;
            }
            let best = self.cells(node).find(|&cell| {
                let child = self.board.play(node, cell);
                self.reaches(child, 1 - score) == Some(false)
            });
            let Some(cell) = best else { return line };
            line.push(self.action(cell));
            node = self.board.play(node, cell);
            score = -score;
        }
    }

    /// The column of the lowest of `cells`.
    fn action(&self, cells: u64) -> Action {
        cells.trailing_zeros() / self.board.stride
    }

    /// The solution of a move, given the bounds of the position after it.
    fn move_solution(&self, node: Discs, action: Action, after: &Bounds) -> MoveSolution {
        let exact = (after.lower == after.upper).then_some(after.lower);
        let child = self.board.play(node, self.board.landings(node) & self.board.column(action));
        MoveSolution {
            action,
            lower: -after.upper.signum() as f32,
            upper: -after.lower.signum() as f32,
            plies: exact.and_then(|score| self.plies(child, score)).map(|plies| plies + 1),
        }
    }
}

/// Bounds of a score.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    lower: i32,
    upper: i32,
}

/// The table of solved boards. What it says of a position stays true, so that it serves all positions of one board.
#[derive(Debug, Default)]
pub struct ScoreMemory(Option<(Geometry, usize, ScoreTable)>);

impl ScoreMemory {
    /// The table of `board` with at most `hash_bytes`; an empty one if another was kept.
    fn table(&mut self, board: Geometry, hash_bytes: usize) -> &ScoreTable {
        self.0.take_if(|(known, bytes, _)| (*known, *bytes) != (board, hash_bytes));
        &self.0.get_or_insert_with(|| (board, hash_bytes, ScoreTable::new(hash_bytes, board.size()))).2
    }
}

impl Bounds {
    /// Whether the score is known.
    fn meet(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether it is known who wins, or that nobody does.
    fn say_who(&self) -> bool {
        self.lower.signum() == self.upper.signum()
    }
}

/// Solves `position`, which is not over, as `request` says.
pub fn solve(
    game: &ConnectFour,
    position: &Position,
    request: Request,
    (control, progress): (&Control, &Progress),
    memory: &mut ScoreMemory,
) -> Solution {
    let Request { all_moves, lengths, hash_bytes, threads, .. } = request;
    let board = Geometry::new(game.columns(), game.rows());
    let [first, second] = position.discs();
    let own = if game.player(position) == Player::Second { second } else { first };
    let node = Discs { own, all: first | second };
    let table = memory.table(board, hash_bytes);
    let halt = AtomicBool::new(false);
    let mut solver = ConnectFourSolver::new(board, table, Watch::new(control, progress, &halt));
    let mut solution = Solution::unknown("connect-four");
    let exact = if all_moves {
        let mut found = every_move(&solver, node, (threads, lengths), || {
            ConnectFourSolver::new(board, table, Watch::new(control, progress, &halt))
        });
        if !lengths {
            solver.best_lengths(node, &mut found);
        }
        let best = Bounds {
            lower: found.iter().map(|(_, after)| -after.upper).max().unwrap_or(0),
            upper: found.iter().map(|(_, after)| -after.lower).max().unwrap_or(0),
        };
        solution.take_moves(found.iter().map(|(action, after)| solver.move_solution(node, *action, after)).collect());
        (best.lower == best.upper).then_some(best.lower)
    } else {
        let mut bounds = solver.bounds(node);
        solver.narrow(node, &mut bounds, Bounds::meet);
        (solution.lower, solution.upper) = (bounds.lower.signum() as f32, bounds.upper.signum() as f32);
        (bounds.lower == bounds.upper).then_some(bounds.lower)
    };
    if let Some(score) = exact {
        solution.plies = solver.plies(node, score);
        if lengths || !all_moves {
            solution.line = solver.line(node, score);
        }
    }
    solution
}

/// The bounds of the score after each move, in the order of the columns; without `lengths` they meet where the game is
/// drawn, and else say who wins.
fn every_move<'a>(
    solver: &ConnectFourSolver,
    node: Discs,
    (threads, lengths): (usize, bool),
    make: impl Fn() -> ConnectFourSolver<'a> + Sync,
) -> Vec<(Action, Bounds)> {
    let cells: Vec<u64> = solver.cells(node).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut solver = make();
        let mut found = Vec::new();
        while let Some(&cell) = cells.get(next.fetch_add(1, Relaxed)) {
            let child = solver.board.play(node, cell);
            let bounds = if solver.board.threats(node) & cell != 0 {
                let score = -solver.score_at(child.all.count_ones());
                Bounds { lower: score, upper: score }
            } else {
                let mut bounds = solver.bounds(child);
                solver.narrow(child, &mut bounds, if lengths { Bounds::meet } else { Bounds::say_who });
                bounds
            };
            if bounds.say_who() {
                solver.watch.progress().solved.fetch_add(1, Relaxed);
            }
            found.push((solver.action(cell), bounds));
        }
        found
    };
    let mut found: Vec<(Action, Bounds)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(cells.len())).map(|_| scope.spawn(work)).collect();
        let own = work();
        others.into_iter().flat_map(|thread| thread.join().expect("a solver does not panic")).chain(own).collect()
    });
    found.sort_by_key(|&(action, _)| action);
    found
}
