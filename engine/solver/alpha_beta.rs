//! Exact values and lengths by negamax alpha-beta (Knuth and Moore 1975) with iterative deepening, a transposition
//! table on canonical keys (so that symmetric positions share an entry), killer moves and the history heuristic
//! (Schaeffer 1989).
//!
//! A score orders results by value and then by length: the winner hurries, the loser delays. A line that reaches the
//! depth of its iteration counts as 0. A positive score is then a true lower bound of the exact one whatever lies
//! beyond the depth, a negative one a true upper bound; any other score is exact where no line was cut.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    sync::atomic::Ordering::Relaxed,
};

use playout_games::{Action, Game, Player};

use crate::{
    solution::{MoveSolution, Refusal, Solution},
    table::{Bound, BoundTable, COMPLETE, NONE},
    watch::Watch,
};

/// Plies that a line of play may have.
pub const LONGEST: u32 = 4000;
/// Scores of one value, for all lengths.
const SPAN: i64 = 1 << 13;
/// The score of a result of 1 without its length. Results are exact to 2^-22.
const WIN: i64 = (1 << 22) * SPAN;
const INFINITE: i64 = 2 * WIN;
/// Depths of the iterations: each ply at first, because short wins are common, then in growing steps.
const FINE_DEPTHS: u32 = 8;

/// The score of a game that ended with `result`, for the same player, `plies` after the root.
fn score_of(result: f32, plies: u32) -> i64 {
    let level = (f64::from(result) * f64::from(1 << 22)).round() as i64;
    level * SPAN + level.signum() * i64::from(LONGEST + 1 - plies)
}

fn result_of(score: i64) -> f32 {
    // Towards zero: what is left is the length.
    (score / SPAN) as f32 / (1 << 22) as f32
}

fn plies_of(score: i64) -> Option<u32> {
    (score != 0).then(|| LONGEST + 1 - (score % SPAN).unsigned_abs() as u32)
}

/// The score of a position, with what limits its validity.
#[derive(Clone, Copy)]
struct Found {
    score: i64,
    /// A line was cut at the depth of the iteration, and the score may depend on it.
    cut: bool,
    /// The score may depend on history that the key leaves out.
    history: bool,
}

impl Found {
    fn sure(score: i64) -> Found {
        Found { score, cut: false, history: false }
    }
}

pub struct AlphaBeta<'a, G: Game> {
    game: &'a G,
    pub watch: Watch<'a>,
    table: Option<&'a mut BoundTable>,
    /// Keys of the line under way, where lines can come back.
    path: HashSet<u64>,
    killers: Vec<[Action; 2]>,
    credit: HashMap<(bool, Action), u32>,
    pub refusal: Option<Refusal>,
}

impl<'a, G: Game> AlphaBeta<'a, G> {
    /// With `table` None no position is remembered.
    pub fn new(game: &'a G, table: Option<&'a mut BoundTable>, watch: Watch<'a>) -> AlphaBeta<'a, G> {
        AlphaBeta {
            game,
            watch,
            table,
            path: HashSet::new(),
            killers: Vec::new(),
            credit: HashMap::new(),
            refusal: None,
        }
    }

    /// The value of `position` for its player to move, and the plies to the end; None if the watch ended or something
    /// was refused.
    pub fn exact(&mut self, position: &G::Position) -> Option<(f32, Option<u32>)> {
        let mut depth = 1;
        loop {
            self.watch.progress().depth.store(depth, Relaxed);
            let found = self.search(position, 0, depth, -INFINITE, INFINITE)?;
            let plies = plies_of(found.score);
            // Of the best possible wins none is shorter than one that the iteration could see the end of.
            let shortest = found.score.abs() >= WIN && plies.is_some_and(|plies| plies <= depth);
            if !found.cut || shortest {
                return Some((result_of(found.score), plies));
            }
            depth += if depth < FINE_DEPTHS { 1 } else { depth / 4 };
        }
    }

    fn refuse<T>(&mut self, why: Refusal) -> Option<T> {
        self.refusal.get_or_insert(why);
        self.watch.end();
        None
    }

    /// The score of `p`, which is not over, for its player to move, `ply` plies after the root: exact inside the
    /// window, else a bound.
    fn search(&mut self, p: &G::Position, ply: u32, depth: u32, alpha: i64, beta: i64) -> Option<Found> {
        let game = self.game;
        if !self.watch.go_on() || game.faulty() {
            return None;
        }
        let player = game.player(p);
        if player == Player::Chance {
            return self.refuse(Refusal::Chance);
        }
        if ply >= LONGEST {
            return self.refuse(Refusal::Length(LONGEST));
        }
        if depth == 0 {
            return Some(Found { score: 0, cut: true, history: false });
        }
        let (key, frame) = if self.table.is_some() { game.canonical(p) } else { (0, 0) };
        let mut best_before = NONE;
        if let Some(entry) = self.table.as_ref().and_then(|table| table.get(key)) {
            let score = from_node(entry.score, ply);
            let (lower, upper) = (entry.bound != Bound::Upper, entry.bound != Bound::Lower);
            // A bound on the safe side of 0 holds at any depth.
            if lower && score > 0 && score >= beta || upper && score < 0 && score <= alpha {
                return Some(Found::sure(score));
            }
            if u32::from(entry.depth) >= depth && (lower && score >= beta || upper && score <= alpha || lower && upper)
            {
                return Some(Found { score, cut: entry.depth != COMPLETE, history: false });
            }
            if entry.best != NONE {
                best_before = game.undo_frame(frame, entry.best);
            }
        }
        let cyclic = !game.acyclic() && self.table.is_some();
        if cyclic && !self.path.insert(key) {
            return self.refuse(Refusal::Cycle);
        }
        let searched = self.moves(p, player, ply, depth, (alpha, beta), best_before);
        if cyclic {
            self.path.remove(&key);
        }
        let (mut found, best) = searched?;
        found.history |= game.path_dependent(p);
        let bound = if found.score >= beta {
            Bound::Lower
        } else if found.score <= alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        found.cut &= match bound {
            Bound::Lower => found.score <= 0,
            Bound::Upper => found.score >= 0,
            Bound::Exact => found.score.abs() < WIN || plies_of(found.score).is_none_or(|plies| plies > ply + depth),
        };
        if let Some(table) = self.table.as_mut().filter(|_| !found.history) {
            let depth = if found.cut { depth.min(u32::from(COMPLETE) - 1) as u16 } else { COMPLETE };
            let best = if best == NONE { NONE } else { game.to_frame(frame, best) };
            table.put(key, to_node(found.score, ply), bound, depth, best);
        }
        Some(found)
    }

    /// Searches the moves at `p` and returns the best score with its move; `NONE` if no move raised alpha.
    fn moves(
        &mut self,
        p: &G::Position,
        player: Player,
        ply: u32,
        depth: u32,
        (mut alpha, beta): (i64, i64),
        first: Action,
    ) -> Option<(Found, Action)> {
        let game = self.game;
        let actions = self.ordered(p, player, ply, first);
        let mut found = Found::sure(-INFINITE);
        let mut best = NONE;
        let mut child = p.clone();
        for (number, &action) in actions.iter().enumerate() {
            if number > 0 {
                child.clone_from(p);
            }
            game.play(&mut child, action);
            let reply = if let Some(result) = game.result(&child) {
                let score = score_of(player.sign() * result, ply + 1);
                Found { score, cut: false, history: game.path_dependent(&child) }
            } else if game.player(&child) == player {
                // Some games let a player move twice.
                self.search(&child, ply + 1, depth - 1, alpha, beta)?
            } else {
                let found = self.search(&child, ply + 1, depth - 1, -beta, -alpha)?;
                Found { score: -found.score, ..found }
            };
            if reply.score >= beta {
                self.remember_cutoff(player, action, ply, depth);
                return Some((reply, action));
            }
            found.cut |= reply.cut;
            found.history |= reply.history;
            if reply.score > found.score {
                found.score = reply.score;
                if reply.score > alpha {
                    alpha = reply.score;
                    best = action;
                }
            }
        }
        Some((found, best))
    }

    /// The legal actions: the table's first, then those that cut off at this ply before, then by the game's
    /// preferences and by how often they cut off elsewhere.
    fn ordered(&mut self, p: &G::Position, player: Player, ply: u32, first: Action) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game.actions(p, &mut actions);
        let mut preferences = Vec::new();
        let known = self.game.preferences(p, &actions, &mut preferences);
        let killers = self.killers.get(ply as usize).copied().unwrap_or([NONE; 2]);
        let second = player == Player::Second;
        let mut ranked: Vec<(u64, Action)> = (0..)
            .zip(&actions)
            .map(|(number, &action)| {
                let rank = if action == first {
                    u64::MAX
                } else if killers.contains(&action) {
                    u64::MAX - 1
                } else {
                    let credit = self.credit.get(&(second, action)).copied().unwrap_or(0);
                    // Preferences are logits: at most some tens.
                    let liking: f32 = if known { preferences[number] } else { 0.0 };
                    ((liking.clamp(-50.0, 50.0) + 50.0) * 1e6) as u64 + u64::from(credit)
                };
                (rank, action)
            })
            .collect();
        ranked.sort_by_key(|&(rank, _)| Reverse(rank));
        ranked.into_iter().map(|(_, action)| action).collect()
    }

    fn remember_cutoff(&mut self, player: Player, action: Action, ply: u32, depth: u32) {
        let ply = ply as usize;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [NONE; 2]);
        }
        if self.killers[ply][0] != action {
            self.killers[ply] = [action, self.killers[ply][0]];
        }
        let credit = self.credit.entry((player == Player::Second, action)).or_default();
        *credit = credit.saturating_add(depth * depth);
    }
}

/// Scores count plies from the root, the table's from the node.
fn to_node(score: i64, ply: u32) -> i64 {
    score + score.signum() * i64::from(ply)
}

fn from_node(score: i64, ply: u32) -> i64 {
    score - score.signum() * i64::from(ply)
}

/// Solves `position`, which is not over; with `all_moves` each of its moves.
pub fn solve<G: Game>(search: &mut AlphaBeta<G>, position: &G::Position, all_moves: bool) -> Result<Solution, Refusal> {
    let mut solution = Solution::unknown("alpha-beta");
    if all_moves {
        let moves = search.every_move(position);
        solution.take_moves(moves);
    } else if let Some((value, plies)) = search.exact(position) {
        (solution.lower, solution.upper, solution.plies) = (value, value, plies);
    }
    if solution.is_solved() {
        solution.line = search.line(position, solution.lower, solution.plies);
    }
    match search.refusal.take() {
        Some(why) => Err(why),
        None => Ok(solution),
    }
}

impl<G: Game> AlphaBeta<'_, G> {
    /// The value of playing `action` at `p` for the player to move there, and the plies to the end.
    fn exact_after(&mut self, p: &G::Position, action: Action) -> Option<(f32, Option<u32>)> {
        let game = self.game;
        let sign = game.player(p).sign();
        let mut child = p.clone();
        game.play(&mut child, action);
        if let Some(result) = game.result(&child) {
            return Some((sign * result, (result != 0.0).then_some(1)));
        }
        let (value, plies) = self.exact(&child)?;
        Some((sign * game.player(&child).sign() * value, plies.map(|plies| plies + 1)))
    }

    fn every_move(&mut self, p: &G::Position) -> Vec<MoveSolution> {
        let mut actions = Vec::new();
        self.game.actions(p, &mut actions);
        let mut moves = Vec::new();
        for &action in &actions {
            let mut found = MoveSolution::unknown(action);
            if let Some((value, plies)) = self.exact_after(p, action) {
                (found.lower, found.upper, found.plies) = (value, value, plies);
                self.watch.progress().solved.fetch_add(1, Relaxed);
            }
            moves.push(found);
        }
        moves
    }

    /// Best play from `p`, whose value and length are known. The table answers mostly.
    fn line(&mut self, p: &G::Position, value: f32, plies: Option<u32>) -> Vec<Action> {
        let game = self.game;
        let (mut p, mut wanted) = (p.clone(), (value, plies));
        let mut line = Vec::new();
        while game.result(&p).is_none() && !self.watch.ended() {
            let (player, first) = (game.player(&p), self.table_move(&p));
            let actions = self.ordered(&p, player, 0, first);
            let Some(best) = actions.into_iter().find(|&action| self.exact_after(&p, action) == Some(wanted)) else {
                break;
            };
            game.play(&mut p, best);
            line.push(best);
            let again = game.player(&p) == player;
            wanted = (if again { wanted.0 } else { -wanted.0 }, wanted.1.map(|plies| plies - 1));
        }
        line
    }

    fn table_move(&self, p: &G::Position) -> Action {
        let Some(table) = &self.table else { return NONE };
        let (key, frame) = self.game.canonical(p);
        match table.get(key) {
            Some(entry) if entry.best != NONE => self.game.undo_frame(frame, entry.best),
            _ => NONE,
        }
    }
}
