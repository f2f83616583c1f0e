//! The root of the look-ahead: deepening by threads, the moves that come near the best one, best play.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use shakmaty::{Chess, Color, Move, Position as _};

use super::{
    super::{
        FIFTY_MOVES, Mates, Position,
        correction::{Correction, Judge},
        encode, eval, key_after,
        quiesce::MATE,
        syzygy::Syzygy,
    },
    Found, GLANCE, MATES, Mind, Node, Over, PLIES, SURE, Search, Shared, Tables, Terms, Window,
    errors::Errors,
    order,
    order::Order,
    table::Table,
};
use crate::{Action, LookAhead, Seen, Sight, TablePaths, Variation, Wish};

/// The window grows by this factor where the score was missed.
const WIDER: i32 = 3;
/// The depth from which on windows are narrow.
const NARROW: i32 = 4;
/// Share of the effort for deepening, before the moves that come near the best one are looked for.
const DEEPENING: f32 = 0.8;
/// Most positions that are looked at for a mate that is shorter than the one that was found.
const EXACT: u64 = 500_000;
/// Most depth of the deepening.
const DEEPEST: i32 = 64;

/// A move of the root.
#[derive(Clone, Copy)]
struct RootMove {
    m: Move,
    score: i32,
    /// The last score that was exact, after its depth; none as long as no search has found one.
    exact: Option<(i32, i32)>,
    /// Positions that were searched after it.
    nodes: u64,
}

/// The look-ahead, with what it remembers.
pub struct Lookahead {
    table: Table,
    terms: Terms,
    /// One for each thread.
    minds: Vec<Mind>,
    correction: Option<Arc<Correction>>,
    tables: Option<Tables>,
    /// The contempt of the last search, and whose it was: the scores in the table depend on it.
    contempt: (i32, Color),
}

impl Lookahead {
    /// With a table of at most `bytes`.
    pub fn new(bytes: usize) -> Lookahead {
        Lookahead::with_terms(bytes, Terms::default())
    }

    /// With a table of at most `bytes`, and other numbers than those that matches have decided.
    pub fn with_terms(bytes: usize, terms: Terms) -> Lookahead {
        Lookahead {
            table: Table::new(bytes),
            terms,
            minds: Vec::new(),
            correction: None,
            tables: None,
            contempt: (0, Color::White),
        }
    }
}

impl LookAhead<Position> for Lookahead {
    fn correct(&mut self, net: Option<[(&[f32], &[f32]); 2]>) -> Result<(), String> {
        self.correction = net.map(|[first, last]| Correction::new(first, last)).transpose()?.map(Arc::new);
        if !self.minds.is_empty() {
            self.minds.clear();
            self.table = Table::new(self.table.bytes());
        }
        Ok(())
    }

    fn set_tables(&mut self, tables: Option<&TablePaths>, depth: u32) -> Result<(), String> {
        let open = |paths| Ok::<_, String>(Tables { syzygy: Syzygy::open(paths)?, from: depth as usize });
        self.tables = tables.map(open).transpose()?;
        self.table = Table::new(self.table.bytes());
        Ok(())
    }

    fn see(
        &mut self,
        p: &Position,
        wish: &Wish,
        spent: &mut dyn FnMut() -> f32,
        heard: &mut dyn FnMut(&Sight) -> bool,
    ) -> Sight {
        self.table.grow_old();
        let mind =
            || Mind { order: Order::new(), errors: Errors::new(), judge: Judge::new(self.correction.as_ref(), PLIES) };
        self.minds.resize_with(wish.threads.max(1), mind);
        if self.contempt != (wish.contempt, p.chess.turn()) && (wish.contempt, self.contempt.0) != (0, 0) {
            self.table = Table::new(self.table.bytes());
        }
        self.contempt = (wish.contempt, p.chess.turn());
        let shared = Shared { table: &self.table, terms: &self.terms, tables: self.tables.as_ref() };
        let contempt = wish.contempt;
        let (first, rest) = self.minds.split_first_mut().expect("a thread");
        let ended = AtomicBool::new(false);
        // The positions of each other thread so far.
        let counts: Vec<AtomicU64> = rest.iter().map(|_| AtomicU64::new(0)).collect();
        let by_others = || counts.iter().map(|count| count.load(Relaxed)).sum::<u64>();
        let mut heard = |sight: &Sight| heard(&Sight { nodes: sight.nodes + by_others(), ..sight.clone() });
        let mut sight = thread::scope(|scope| {
            let _end = End(&ended);
            for (number, (mind, count)) in rest.iter_mut().zip(&counts).enumerate() {
                let ended = &ended;
                scope.spawn(move || {
                    let mut stop = |nodes| {
                        count.store(nodes, Relaxed);
                        ended.load(Relaxed)
                    };
                    let mut search = Search { contempt, ..Search::new(shared, mind, &mut stop) };
                    search.assist(p, &wish.only, 1 + number as i32 % 2);
                    count.store(search.nodes, Relaxed);
                });
            }
            see(shared, first, p, wish, spent, &mut heard)
        });
        sight.nodes += by_others();
        sight
    }
}

/// Ends the other threads when it is dropped, in a panic too.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn see(
    shared: Shared<'_>,
    mind: &mut Mind,
    p: &Position,
    wish: &Wish,
    spent: &mut dyn FnMut() -> f32,
    heard: &mut dyn FnMut(&Sight) -> bool,
) -> Sight {
    let &Wish { margin, positions: most, contempt, lines, .. } = wish;
    let mut moves = root_moves(p, &wish.only);
    let spent = RefCell::new(spent);
    let spent = || (spent.borrow_mut())();
    let share = Cell::new(if margin > 0.0 && moves.len() > 1 { DEEPENING } else { 1.0 });
    let mut stop = |_| spent() >= share.get();
    let glance = GLANCE.min(most);
    let mut search = Search { most, glance, contempt, ..Search::new(shared, mind, &mut stop) };
    let mut depth = 0;
    while depth < DEEPEST && search.lines(p, &mut moves, lines, depth + 1).is_ok() {
        depth += 1;
        let deeper = heard(&search.sight(p, &moves, lines, depth));
        let best = moves[0].score;
        if !deeper || lines == 1 && best.abs() >= MATES && MATE - best.abs() <= depth {
            break;
        }
    }
    let mut sight = search.sight(p, &moves, lines, depth);
    let wider = moves.first().filter(|best| depth > 0 && share.get() < 1.0 && best.score.abs() < SURE);
    if let Some(&RootMove { score, .. }) = wider {
        share.set((spent() / DEEPENING).min(1.0));
        let floor = score - slack(margin, eval::value(p, score));
        search.near(p, &moves[1..], floor, depth, &mut sight.moves);
    }
    if depth > 0
        && lines == 1
        && let Some((plies, action)) = search.shorter_mate(p, &moves, &mut || spent() >= 1.0)
    {
        sight.moves[0].action = action;
        sight.line = vec![action];
        sight.plies = Some(plies);
    }
    sight.nodes = search.nodes;
    sight
}

/// Centipawns by which a move may be worse than the best one, of this `value`: the less, the nearer the game is to its
/// decision, where progress counts little each move and the tree does not see it.
fn slack(margin: f32, value: f32) -> i32 {
    (margin * (1.0 - value * value) * eval::SCALE) as i32
}

/// The legal moves, or those of them that are in `only`, if it is not empty.
fn root_moves(p: &Position, only: &[Action]) -> Vec<RootMove> {
    let wanted = |m: &Move| only.is_empty() || only.contains(&encode(*m));
    p.chess
        .legal_moves()
        .into_iter()
        .filter(wanted)
        .map(|m| RootMove { m, score: -MATE, exact: None, nodes: 0 })
        .collect()
}

impl Search<'_> {
    /// Deepens until it is stopped, as one of several threads, for the table alone; begins at `depth`.
    fn assist(&mut self, p: &Position, only: &[Action], mut depth: i32) {
        let mut moves = root_moves(p, only);
        while depth < DEEPEST && self.lines(p, &mut moves, 1, depth).is_ok() {
            depth += 1;
        }
    }

    /// A mate by one of `moves` that is shorter than the one that was found, as its plies and first move: pruning may have
    /// hidden it. Looks for it until `stop`.
    fn shorter_mate(
        &mut self,
        p: &Position,
        moves: &[RootMove],
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<(u32, Action)> {
        let plies = MATE - moves.first()?.score;
        if plies > MATE - MATES || p.chess.halfmoves() as i32 + plies > FIFTY_MOVES as i32 {
            return None;
        }
        let most = EXACT.min(self.most.saturating_sub(self.nodes));
        let mut mates = Mates::new(most, stop).without_repetitions(&p.earlier);
        let found = mates.shortest(&p.chess, (plies as usize).div_ceil(2) - 1);
        self.nodes += mates.nodes();
        let (length, m) = found.ok()??;
        let looked_at = moves.iter().any(|one| one.m == m);
        looked_at.then(|| (2 * length as u32 - 1, encode(m)))
    }

    /// Searches the best moves to `depth`, each without those that are better, and puts them in front in order.
    fn lines(&mut self, p: &Position, moves: &mut [RootMove], lines: usize, depth: i32) -> Result<(), Over> {
        for place in 0..lines.clamp(1, moves.len().max(1)) {
            // The first of the others has been searched to no more than a bound, unless it was among the best before.
            let guess = match (place, moves.get(place).and_then(|one| one.exact)) {
                (0, _) => moves.first().ok_or(Over)?.score,
                (_, Some((_, score))) => score,
                _ => moves[place - 1].score,
            };
            self.iterate(p, &mut moves[place..], guess, depth)?;
            moves[place].exact = Some((depth, moves[place].score));
        }
        let searched = lines.min(moves.len());
        moves[..searched].sort_by_key(|one| std::cmp::Reverse(one.score));
        Ok(())
    }

    /// The sight after this depth: the best moves, as many as `lines`.
    fn sight(&self, p: &Position, moves: &[RootMove], lines: usize, depth: i32) -> Sight {
        let Some((best, others)) = moves.split_first().filter(|_| depth > 0) else {
            return Sight { longest: self.longest as u32, nodes: self.nodes, ..Sight::default() };
        };
        // A deeper search that was ended may have found a new best move, than which no other is better.
        let score =
            |one: &RootMove| one.exact.filter(|&(reached, _)| reached >= depth).map(|(_, score)| score.min(best.score));
        let mut exact: Vec<(i32, &RootMove)> = others.iter().filter_map(|one| Some((score(one)?, one))).collect();
        exact.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        exact.truncate(lines.saturating_sub(1));
        let Variation { seen, line, plies, .. } = self.variation(p, best, best.score);
        Sight {
            line,
            moves: vec![seen],
            plies,
            depth: depth as u32,
            longest: self.longest as u32,
            nodes: self.nodes,
            effort: best.nodes as f32 / moves.iter().map(|one| one.nodes).sum::<u64>().max(1) as f32,
            others: exact.into_iter().map(|(score, one)| self.variation(p, one, score)).collect(),
        }
    }

    fn variation(&self, p: &Position, one: &RootMove, score: i32) -> Variation {
        let action = encode(one.m);
        let plies = (score.abs() >= MATES).then(|| (MATE - score.abs()) as u32);
        Variation {
            seen: Seen { action, value: eval::value(p, score) },
            line: self.line(p, action),
            plies,
            nodes: one.nodes,
        }
    }

    /// Best play from `p`, where `first` is best, as far as the table has it.
    fn line(&self, p: &Position, first: Action) -> Vec<Action> {
        let (mut chess, mut key, mut keys) = (p.chess.clone(), p.key, vec![p.key]);
        let (mut line, mut next) = (Vec::new(), Some(first));
        while let Some(action) = next.take() {
            let Some(m) = chess.legal_moves().into_iter().find(|&m| encode(m) == action) else { break };
            (chess, key) = after(&chess, key, m);
            line.push(action);
            if keys.contains(&key) || line.len() >= PLIES {
                break;
            }
            keys.push(key);
            next = self.table.get(key).map(|entry| entry.action.into()).filter(|&action: &Action| action != 0);
        }
        line
    }

    /// Searches these moves of the root to `depth`, the best so far first, in windows about `guess`, and moves the best one to the
    /// front. A search that ends early does so too if it has found a better move.
    fn iterate(&mut self, p: &Position, moves: &mut [RootMove], guess: i32, depth: i32) -> Result<(), Over> {
        let mut width = if depth < NARROW { 2 * MATE } else { self.terms.window };
        loop {
            let window = Window { alpha: (guess - width).max(-MATE), beta: (guess + width).min(MATE) };
            let (best, score) = self.root(p, moves, window, depth);
            moves[..=best].rotate_right(1);
            let score = score?;
            if score > window.alpha && score < window.beta || width > MATE {
                return Ok(());
            }
            width *= WIDER;
        }
    }

    /// Searches the root's moves; returns the place of the best one, the first if the time is over before another is known to
    /// be better, and the score, `alpha` if no move is better than that: then the first one keeps the score it had.
    fn root(&mut self, p: &Position, moves: &mut [RootMove], window: Window, depth: i32) -> (usize, Found) {
        let (mut best, mut left) = (0, window);
        self.begin(p);
        for (place, one) in moves.iter_mut().enumerate() {
            let (next, key) = after(&p.chess, p.key, one.m);
            let child = child(p, &next, key, one.m);
            let before = self.nodes;
            let found = self.by_move(child, left, depth - 1, 0, place == 0);
            one.nodes += self.nodes - before;
            let Ok(score) = found else { return (best, Err(Over)) };
            if score > left.alpha {
                one.score = score;
                best = place;
                left.alpha = score;
            } else if place > 0 {
                one.score = -MATE; // There is only a bound from above.
            }
            if score >= window.beta {
                break;
            }
        }
        (best, Ok(left.alpha))
    }

    /// Adds the moves that reach more than `floor` at `depth`, as far as the time allows.
    fn near(&mut self, p: &Position, moves: &[RootMove], floor: i32, depth: i32, found: &mut Vec<Seen>) {
        self.begin(p);
        for one in moves {
            let (next, key) = after(&p.chess, p.key, one.m);
            match self.search(child(p, &next, key, one.m), Window::null(floor).turned(), depth - 1) {
                Ok(score) if -score > floor => found.push(Seen { action: encode(one.m), value: eval::value(p, floor) }),
                Ok(_) => {}
                Err(Over) => return,
            }
        }
    }

    /// Stands at the root.
    fn begin(&mut self, p: &Position) {
        self.path.clear();
        self.path.extend_from_slice(&p.earlier);
        self.path.push(p.key);
        self.worths[0] = self.judge.score(&p.chess, 0);
    }
}

/// The position after a move of the root.
fn child<'a>(p: &Position, next: &'a Chess, key: u64, m: Move) -> Node<'a> {
    let before = [order::index(p.chess.turn(), m), order::NO_MOVE];
    Node { chess: next, key, ply: 1, before, cut: false, without: None }
}

/// The position after a move, and its key.
fn after(chess: &Chess, key: u64, m: Move) -> (Chess, u64) {
    let mut next = chess.clone();
    next.play_unchecked(m);
    let key = key_after(chess, key, m, &next);
    (next, key)
}
