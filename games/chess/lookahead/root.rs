//! The root of the look-ahead: deepening, the moves that come near the best one, best play.

use shakmaty::{Chess, Move, Position as _};

use super::{
    super::{Position, encode, eval, key_after},
    Lookahead, MATES, Node, Over, PLIES, Window,
};
use crate::{Action, LookAhead, Seen, Sight, chess::quiesce::MATE};

/// Half of the window around the score of the depth before, in centipawns; it grows by the factor where it was missed.
const WINDOW: i32 = 40;
const WIDER: i32 = 4;
/// The depth from which on windows are narrow.
const NARROW: i32 = 4;
/// Share of the effort for deepening, before the moves that come near the best one are looked for.
const DEEPENING: f32 = 0.8;

/// A move of the root.
#[derive(Clone, Copy)]
struct RootMove {
    m: Move,
    score: i32,
}

impl LookAhead<Position> for Lookahead {
    fn see(&mut self, p: &Position, margin: f32, spent: &mut dyn FnMut() -> f32) -> Sight {
        self.table.grow_old();
        self.nodes = 0;
        let mut moves: Vec<RootMove> =
            p.chess.legal_moves().into_iter().map(|m| RootMove { m, score: -MATE }).collect();
        let share = if margin > 0.0 && moves.len() > 1 { DEEPENING } else { 1.0 };
        let mut stop = || spent() >= share;
        let mut depth = 0;
        while depth < PLIES as i32 / 2 && self.iterate(p, &mut moves, depth + 1, &mut stop).is_ok() {
            depth += 1;
            let best = moves[0].score;
            if best.abs() >= MATES && MATE - best.abs() <= depth {
                break;
            }
        }
        let mut sight = Sight { depth: depth as u32, ..Sight::default() };
        if let Some(&RootMove { m, score }) = moves.first().filter(|_| depth > 0) {
            sight.moves.push(Seen { action: encode(m), value: eval::value(p, score) });
            if share < 1.0 && score.abs() < MATES {
                let floor = score - (margin * eval::SCALE) as i32;
                self.near(p, &moves[1..], floor, depth, &mut || spent() >= 1.0, &mut sight.moves);
            }
        }
        sight.nodes = self.nodes;
        sight.line = self.line(p, sight.moves.first().map(|one| one.action));
        sight
    }
}

impl Lookahead {
    /// Best play from `p`, where `first` is best, as far as the table has it.
    fn line(&self, p: &Position, first: Option<Action>) -> Vec<Action> {
        let (mut chess, mut key, mut keys) = (p.chess.clone(), p.key, vec![p.key]);
        let (mut line, mut next) = (Vec::new(), first);
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

    /// Searches all moves of the root to `depth`, the best so far first, and moves the best one to the front. A search that
    /// ends early does so too if it has found a better move.
    fn iterate(
        &mut self,
        p: &Position,
        moves: &mut [RootMove],
        depth: i32,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<(), Over> {
        let guess = moves[0].score;
        let mut width = if depth < NARROW { 2 * MATE } else { WINDOW };
        loop {
            let window = Window { alpha: (guess - width).max(-MATE), beta: (guess + width).min(MATE) };
            let (best, ended) = self.root(p, moves, window, depth, stop);
            moves[..=best].rotate_right(1);
            ended?;
            let score = moves[0].score;
            if score > window.alpha && score < window.beta || width > MATE {
                return Ok(());
            }
            width *= WIDER;
        }
    }

    /// Searches the root's moves, which get their scores; returns the place of the best one, the first if the time is over
    /// before another is known to be better.
    fn root(
        &mut self,
        p: &Position,
        moves: &mut [RootMove],
        window: Window,
        depth: i32,
        stop: &mut dyn FnMut() -> bool,
    ) -> (usize, Result<(), Over>) {
        let (mut best, mut left) = (0, window);
        self.begin(p);
        for (place, one) in moves.iter_mut().enumerate() {
            let (next, key) = after(&p.chess, p.key, one.m);
            let child = Node { chess: &next, key, ply: 1, may_pass: true };
            let Ok(score) = self.by_move(child, left, depth - 1, 0, place == 0, stop) else {
                return (best, Err(Over));
            };
            // Of the others only a bound from above is known.
            one.score = if place == 0 || score > left.alpha { score } else { -MATE };
            if score > left.alpha {
                best = place;
                left.alpha = score;
            }
            if score >= window.beta {
                break;
            }
        }
        (best, Ok(()))
    }

    /// Adds the moves that reach more than `floor` at `depth`, as far as the time allows.
    fn near(
        &mut self,
        p: &Position,
        moves: &[RootMove],
        floor: i32,
        depth: i32,
        stop: &mut dyn FnMut() -> bool,
        found: &mut Vec<Seen>,
    ) {
        self.begin(p);
        for one in moves {
            let (next, key) = after(&p.chess, p.key, one.m);
            let child = Node { chess: &next, key, ply: 1, may_pass: true };
            match self.search(child, Window::null(floor).turned(), depth - 1, stop) {
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
    }
}

/// The position after a move, and its key.
fn after(chess: &Chess, key: u64, m: Move) -> (Chess, u64) {
    let mut next = chess.clone();
    next.play_unchecked(m);
    let key = key_after(chess, key, m, &next);
    (next, key)
}
