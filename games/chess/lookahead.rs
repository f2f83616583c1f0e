//! An alpha-beta search of its own, with a table, that sees what a tree of mean values sees late: threats, sacrifices,
//! long forced lines.
//!
//! It is a principal variation search (Marsland and Campbell 1982) with null moves (Donninger 1993), late move
//! reductions, and pruning by the static evaluation near its leaves, which are searched on by captures. Threads share the
//! table and nothing else. What it says of mates is exact but for the distance: nothing is pruned where a side would be
//! mated.

mod early;
mod errors;
mod order;
mod root;
mod settle;
mod table;
mod terms;
mod tried;

use shakmaty::{Chess, Position as _};

use self::{
    errors::Errors,
    order::{Before, FIRST, LOSES, Order, Queue, REFUTES},
    table::{Bound, Entry, Outcome, Table},
    tried::Tried,
};
use super::{
    FIFTY_MOVES,
    correction::Judge,
    encode,
    exchange::{exchange, gain},
    key_after,
    mates::GLANCE,
    quiesce::MATE,
    syzygy::Syzygy,
};

pub use root::Lookahead;
pub use terms::Terms;

/// Most plies of a line.
const PLIES: usize = 96;
/// Scores of mates begin here.
const MATES: i32 = MATE - 200;
/// The score of a position that tables know to be won.
const WON: i32 = MATES - 100;
/// Scores of sure wins, by mate or by tables, begin here: they are less by the plies to what is sure.
const SURE: i32 = WON - 100;
/// Plies by which scores of tables count deeper than the search that met them.
const TABLES_DEPTH: i32 = 6;
/// The halfmove clock from which on remembered scores, which know of no clock, do not end a search.
const LATE_CLOCK: u32 = 90;

/// The time is over.
struct Over;

type Found = Result<i32, Over>;

/// The memory of one thread.
struct Mind {
    order: Order,
    errors: Errors,
    judge: Judge,
}

/// The parts of a look-ahead that its threads share.
#[derive(Clone, Copy)]
struct Shared<'a> {
    table: &'a Table,
    terms: &'a Terms,
    tables: Option<&'a Tables>,
}

/// A search of one thread.
struct Search<'a> {
    table: &'a Table,
    terms: &'a Terms,
    tables: Option<&'a Tables>,
    order: &'a mut Order,
    errors: &'a mut Errors,
    judge: &'a mut Judge,
    /// Hears the number of positions so far, and says whether the search ends.
    stop: &'a mut dyn FnMut(u64) -> bool,
    /// Keys of the positions before the present one that could be repeated.
    path: Vec<u64>,
    /// The static scores along the line; that of the position before where a player is in check.
    worths: [i32; PLIES + 1],
    nodes: u64,
    /// The number of positions at which the search ends.
    most: u64,
    /// Centipawns by which a draw is worse than even for the player at the root.
    contempt: i32,
    /// The number of positions at which the clock is looked at next.
    glance: u64,
    longest: usize,
}

/// Tables of solved positions.
struct Tables {
    syzygy: Syzygy,
    /// Plies below the root from which on positions are looked up.
    from: usize,
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
    before: Before,
    /// Whether a move is expected to be enough here.
    cut: bool,
    /// A move that is not searched.
    without: Option<u16>,
}

/// Facts of a position before its moves are searched.
#[derive(Clone, Copy)]
struct Known {
    entry: Option<Entry>,
    /// The static score; `-MATE` in check.
    plain: i32,
    /// The same, corrected by the errors after the same moves.
    worth: i32,
    check: bool,
    /// Whether the static score is better than two plies ago, or there was no such ply.
    improves: bool,
}

impl<'a> Search<'a> {
    /// A search that goes on until `stop` says so.
    fn new(shared: Shared<'a>, mind: &'a mut Mind, stop: &'a mut dyn FnMut(u64) -> bool) -> Search<'a> {
        let Shared { table, terms, tables } = shared;
        let Mind { order, errors, judge } = mind;
        Search {
            table,
            terms,
            tables,
            order,
            errors,
            judge,
            stop,
            path: Vec::new(),
            worths: [0; PLIES + 1],
            nodes: 0,
            most: u64::MAX,
            contempt: 0,
            glance: GLANCE,
            longest: 0,
        }
    }

    /// The score of a position for the player to move: exact inside the window, else a bound.
    fn search(&mut self, node: Node<'_>, window: Window, depth: i32) -> Found {
        let Node { chess, key, ply, .. } = node;
        if self.is_drawn(chess, key) {
            return Ok(self.draw(ply));
        }
        let alpha = window.alpha.max(ply as i32 - MATE);
        let window = Window { alpha, beta: window.beta.min(MATE - ply as i32) };
        if alpha >= window.beta {
            return Ok(alpha);
        }
        let check = chess.is_check();
        let mut depth = depth + i32::from(check);
        if depth <= 0 || ply >= PLIES {
            return Ok(self.settle(chess, key, ply, window, 0));
        }
        self.count(ply);
        if self.nodes >= self.glance {
            self.glance = (self.nodes + GLANCE).min(self.most);
            if self.nodes >= self.most || (self.stop)(self.nodes) {
                return Err(Over);
            }
        }
        let entry = if node.without.is_none() { self.table.get(key) } else { None };
        if let Some(entry) = entry.filter(|entry| i32::from(entry.depth) >= depth)
            && chess.halfmoves() < LATE_CLOCK
            && let Some(score) = settled(entry, chess, ply, window)
        {
            return Ok(score);
        }
        if let Some(score) = self.by_tables(chess, ply) {
            let depth = depth + TABLES_DEPTH;
            self.table.put(key, ply as i32, Outcome { score, worth: 0, action: 0, depth, bound: Bound::Exact });
            return Ok(score);
        }
        let plain = match entry {
            _ if check => -MATE,
            Some(entry) => entry.worth.into(),
            None => self.judge.score(chess, ply),
        };
        let worth = if check { plain } else { plain + self.errors.after(node.before) };
        let earlier = self.worths[ply.saturating_sub(2)];
        self.worths[ply] = if check { earlier } else { worth };
        let known = Known { entry, plain, worth, check, improves: !check && (ply < 2 || worth > earlier) };
        let may_end = !check && !window.is_open() && node.without.is_none();
        if may_end && let Some(found) = self.by_worth(node, window, depth, known)? {
            return Ok(found);
        }
        if depth >= self.terms.unknown_depth && node.without.is_none() && entry.is_none_or(|entry| entry.action == 0) {
            depth -= 1;
        }
        self.path.push(key);
        let found = self.by_moves(node, window, depth, known);
        self.path.pop();
        found
    }

    /// The score of a draw for the player to move at this ply.
    fn draw(&self, ply: usize) -> i32 {
        if ply.is_multiple_of(2) { -self.contempt } else { self.contempt }
    }

    fn count(&mut self, ply: usize) {
        self.nodes += 1;
        self.longest = self.longest.max(ply);
    }

    /// Whether the rules, or a repetition of any earlier position, make a draw.
    fn is_drawn(&self, chess: &Chess, key: u64) -> bool {
        let reach = chess.halfmoves() as usize;
        chess.halfmoves() >= FIFTY_MOVES && !chess.is_checkmate()
            || chess.is_insufficient_material()
            || self.path.iter().rev().take(reach).skip(1).step_by(2).any(|&earlier| earlier == key)
    }

    /// The score of a position just after a capture or a pawn move, if the tables have it: then they know all of it.
    fn by_tables(&self, chess: &Chess, ply: usize) -> Option<i32> {
        let tables = self.tables.filter(|tables| ply >= tables.from && chess.halfmoves() == 0)?;
        let for_white = tables.syzygy.value(chess)?;
        if chess.is_checkmate() {
            return None;
        }
        Some(match chess.turn().fold_wb(for_white, -for_white) {
            0.0 => self.draw(ply),
            value => (value * (WON - ply as i32) as f32) as i32,
        })
    }

    /// Plies by which the best move of an earlier search is searched deeper, because all others fall short of it; or the
    /// score of the position, if another one is enough too.
    fn singular(
        &mut self,
        node: Node<'_>,
        window: Window,
        depth: i32,
        entry: Entry,
    ) -> Result<(i32, Option<i32>), Over> {
        let best = entry.score(node.ply as i32);
        let deep = i32::from(entry.depth) >= depth - 3 && matches!(entry.bound, Bound::AtLeast | Bound::Exact);
        if depth < self.terms.singular_depth || !deep || best.abs() >= SURE {
            return Ok((0, None));
        }
        let short = best - self.terms.singular_each * depth / 2;
        let alone = Node { without: Some(entry.action), ..node };
        let key = self.path.pop().expect("the node stands in the path");
        let others = self.search(alone, Window::null(short - 1), (depth - 1) / 2);
        self.path.push(key);
        let others = others?;
        if others < short {
            return Ok((1, None));
        }
        Ok((0, (others >= window.beta && others.abs() < SURE).then_some(others)))
    }

    fn by_moves(&mut self, node: Node<'_>, mut window: Window, depth: i32, known: Known) -> Found {
        let Node { chess, key, ply, .. } = node;
        let Known { worth, check, improves, .. } = known;
        let (moves, us) = (chess.legal_moves(), chess.turn());
        if moves.is_empty() {
            return Ok(if check { ply as i32 - MATE } else { self.draw(ply) });
        }
        let best_before = known.entry.map_or(0, |entry| entry.action);
        let mut queue = Queue::new(&moves, best_before);
        let (begun, open) = (window.alpha, window.is_open());
        let terms = self.terms;
        let promise = worth + terms.futile_base + terms.futile_each * depth;
        let hopeless = !check && depth <= terms.futile_depth && promise <= begun;
        let enough = (terms.late_base + depth * depth) / if improves { 1 } else { 2 };
        let late = |number: usize| depth <= terms.late_depth && number as i32 >= enough;
        let (mut best, mut best_action, mut best_is_quiet) = (-MATE, 0, true);
        let mut tried = Tried::default();
        for number in 0.. {
            let rank = |m| self.order.rank(chess.board(), us, m, ply, node.before);
            let Some((m, rank)) = queue.next(rank) else { break };
            let action = encode(m) as u16;
            if node.without == Some(action) {
                continue;
            }
            let quiet = gain(m) == 0;
            let mut next = chess.clone();
            next.play_unchecked(m);
            let checks = next.is_check();
            if best > -SURE && !(open || check || checks) && rank < REFUTES {
                if quiet && (hopeless || late(number)) {
                    continue;
                }
                let least = -depth * if quiet { terms.losing_quiet } else { terms.losing_capture };
                if depth <= terms.losing_depth && (quiet || rank <= LOSES) && exchange(chess.board(), us, m) < least {
                    continue;
                }
            }
            let key = key_after(chess, key, m, &next);
            self.table.fetch(key);
            let mut more = 0;
            if rank == FIRST
                && let Some(entry) = known.entry
            {
                let (extended, found) = self.singular(node, window, depth, entry)?;
                if let Some(found) = found {
                    return Ok(found);
                }
                more = extended;
            }
            let before = [order::index(us, m), node.before[0]];
            let child = Node { chess: &next, key, ply: ply + 1, before, cut: !open && !node.cut, without: None };
            let less = if quiet && !(check || checks) {
                reduction(terms, depth, number, open, improves, rank, node.cut)
            } else {
                0
            };
            let found = self.by_move(child, window, depth - 1 + more, less, number == 0)?;
            if found > best {
                best = found;
                if found > window.alpha {
                    (best_action, best_is_quiet) = (action, quiet);
                    window.alpha = found;
                }
            }
            if best >= window.beta {
                let weight = (terms.bonus_each * depth * depth + 32 * depth).min(terms.bonus_most);
                self.order.refuted(us, m, &tried, weight, ply, node.before);
                break;
            }
            tried.push(m);
        }
        if node.without.is_some() {
            return Ok(best);
        }
        let bound = Bound::of(best, begun, window.beta);
        self.table.put(key, ply as i32, Outcome { score: best, worth: known.plain, action: best_action, depth, bound });
        let told = match bound {
            Bound::AtLeast => best > worth,
            Bound::AtMost => best < worth,
            _ => true,
        };
        if !check && told && best.abs() < SURE && best_is_quiet {
            self.errors.learn(node.before, best - worth, depth);
        }
        Ok(best)
    }

    /// The score of a move to `child` for the player who makes it. Moves but the first are asked first whether they are better
    /// than `alpha`, by a search that is `less` plies shallower.
    fn by_move(&mut self, child: Node<'_>, window: Window, depth: i32, less: i32, first: bool) -> Found {
        if !first {
            let asked = Window::null(window.alpha).turned();
            let cut = child.cut || window.is_open();
            let mut found = -self.search(Node { cut: cut || less > 0, ..child }, asked, depth - less)?;
            if found > window.alpha && less > 0 {
                let deeper = i32::from(found > window.alpha + self.terms.deeper);
                found = -self.search(Node { cut, ..child }, asked, depth + deeper)?;
            }
            if found <= window.alpha || found >= window.beta || !window.is_open() {
                return Ok(found);
            }
        }
        Ok(-self.search(child, window.turned(), depth)?)
    }
}

/// The remembered score of a position at `ply`, if it ends a search with this window, and is no sure win that the draw by
/// 50 moves may come before.
fn settled(entry: Entry, chess: &Chess, ply: usize, window: Window) -> Option<i32> {
    let score = entry.score(ply as i32);
    let plies = if score.abs() >= MATES { MATE } else { WON } - score.abs() - ply as i32;
    let in_time = score.abs() < SURE || chess.halfmoves() as i32 + plies <= FIFTY_MOVES as i32;
    (in_time && entry.settles(score, window.alpha, window.beta)).then_some(score)
}

/// Plies that are saved at a late move of this rank.
fn reduction(terms: &Terms, depth: i32, number: usize, open: bool, improves: bool, rank: i32, cut: bool) -> i32 {
    if depth < 3 || number < 2 {
        return 0;
    }
    let usual =
        terms.reduce_base as f32 / 100.0 + (depth as f32).ln() * (number as f32).ln() * 100.0 / terms.reduce_by as f32;
    let refutes = rank >= REFUTES;
    let less = usual as i32 + i32::from(!improves) - i32::from(open) - i32::from(refutes)
        + if cut { terms.reduce_cut } else { 0 };
    let less = if refutes || rank <= LOSES { less } else { less - rank / terms.reduce_rank };
    less.clamp(0, depth - 2)
}

#[cfg(test)]
mod tests;
