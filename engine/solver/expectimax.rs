//! Exact expectations of games with chance: alpha-beta at the players' nodes, and at chance nodes the Star1 bounds
//! (Ballard 1983), which stop a sum of outcomes as soon as the rest cannot bring it back into the window.

use std::{collections::HashSet, sync::atomic::Ordering::Relaxed};

use playout_games::{Action, Game, Player};

use crate::{
    alpha_beta::LONGEST,
    solution::{MoveSolution, Refusal, Solution},
    table::{Bound, BoundTable, COMPLETE, NONE},
    watch::Watch,
};

pub struct Expectimax<'a, G: Game> {
    game: &'a G,
    watch: Watch<'a>,
    /// Scores are the bits of the values, which are the first player's.
    table: Option<&'a mut BoundTable>,
    path: HashSet<u64>,
    refusal: Option<Refusal>,
}

impl<'a, G: Game> Expectimax<'a, G> {
    /// With `table` None no position is remembered, and lines that come back are found by their length alone.
    pub fn new(game: &'a G, table: Option<&'a mut BoundTable>, watch: Watch<'a>) -> Expectimax<'a, G> {
        Expectimax { game, watch, table, path: HashSet::new(), refusal: None }
    }

    /// Solves `position`, which is not over; with `all_moves` each of its moves (at a chance position: outcomes).
    pub fn solve(mut self, position: &G::Position, all_moves: bool) -> Result<Solution, Refusal> {
        let mut solution = Solution::unknown("expectimax");
        let player = self.game.player(position);
        let sign = player.sign();
        if all_moves && player != Player::Chance {
            let moves = self.after_each(position, sign);
            solution.take_moves(moves);
        } else {
            if let Some((value, _)) = self.value(position, 0, -1.0, 1.0) {
                solution.lower = sign * value as f32;
                solution.upper = solution.lower;
            }
            if all_moves {
                solution.moves = self.after_each(position, sign);
            }
        }
        if player != Player::Chance && solution.is_solved() {
            let best = solution.moves.first().map(|best| best.action).or_else(|| self.table_move(position));
            solution.line = best.into_iter().collect();
        }
        self.refusal.take().map_or(Ok(solution), Err)
    }

    fn after_each(&mut self, p: &G::Position, sign: f32) -> Vec<MoveSolution> {
        let mut actions = Vec::new();
        self.game.actions(p, &mut actions);
        let mut moves = Vec::new();
        for action in actions {
            let mut found = MoveSolution::unknown(action);
            let mut child = p.clone();
            self.game.play(&mut child, action);
            if let Some((value, _)) = self.value(&child, 1, -1.0, 1.0) {
                found.lower = sign * value as f32;
                found.upper = found.lower;
                self.watch.progress().solved.fetch_add(1, Relaxed);
            }
            moves.push(found);
        }
        moves
    }

    fn table_move(&self, p: &G::Position) -> Option<Action> {
        let (key, frame) = self.game.canonical(p);
        let best = self.table.as_ref()?.get(key)?.best;
        (best != NONE).then(|| self.game.undo_frame(frame, best))
    }

    fn refuse<T>(&mut self, why: Refusal) -> Option<T> {
        self.refusal.get_or_insert(why);
        self.watch.end();
        None
    }

    /// The first player's expectation at `p`, exact inside the window, else a bound; and whether it depends on history
    /// that the key leaves out.
    fn value(&mut self, p: &G::Position, ply: u32, alpha: f64, beta: f64) -> Option<(f64, bool)> {
        let game = self.game;
        if !self.watch.go_on() || game.faulty() {
            return None;
        }
        if let Some(result) = game.result(p) {
            return Some((f64::from(result), game.path_dependent(p)));
        }
        if ply >= LONGEST {
            return self.refuse(Refusal::Length(LONGEST));
        }
        let (key, frame) = if self.table.is_some() { game.canonical(p) } else { (0, 0) };
        let mut first = NONE;
        if let Some(entry) = self.table.as_ref().and_then(|table| table.get(key)) {
            let value = f64::from_bits(entry.score as u64);
            let usable = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if usable {
                return Some((value, false));
            }
            first = if entry.best == NONE { NONE } else { game.undo_frame(frame, entry.best) };
        }
        let cyclic = !game.acyclic() && self.table.is_some();
        if cyclic && !self.path.insert(key) {
            return self.refuse(Refusal::Cycle);
        }
        let found = match game.player(p) {
            Player::Chance => self.mean(p, ply, alpha, beta),
            player => self.best(p, player.sign().into(), ply, (alpha, beta), first),
        };
        if cyclic {
            self.path.remove(&key);
        }
        let (value, best, history) = found?;
        let history = history || game.path_dependent(p);
        if let Some(table) = self.table.as_mut().filter(|_| !history) {
            let bound = if value >= beta && beta < 1.0 {
                Bound::Lower
            } else if value <= alpha && alpha > -1.0 {
                Bound::Upper
            } else {
                Bound::Exact
            };
            let best = if best == NONE { NONE } else { game.to_frame(frame, best) };
            table.put(key, value.to_bits() as i64, bound, COMPLETE, best);
        }
        Some((value, history))
    }

    /// At a player's node. `sign` is 1 for the first player, who wants much, and -1 for the second.
    fn best(
        &mut self,
        p: &G::Position,
        sign: f64,
        ply: u32,
        (mut alpha, mut beta): (f64, f64),
        first: Action,
    ) -> Option<(f64, Action, bool)> {
        let mut actions = Vec::new();
        self.game.actions(p, &mut actions);
        actions.sort_by_key(|&action| action != first);
        let (mut value, mut best, mut history) = (-f64::INFINITY, NONE, false);
        for action in actions {
            let mut child = p.clone();
            self.game.play(&mut child, action);
            let (reply, hangs) = self.value(&child, ply + 1, alpha, beta)?;
            history |= hangs;
            if sign * reply > value {
                (value, best) = (sign * reply, action);
                if sign > 0.0 {
                    alpha = alpha.max(reply);
                } else {
                    beta = beta.min(reply);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        Some((sign * value, best, history))
    }

    /// At a chance node.
    fn mean(&mut self, p: &G::Position, ply: u32, alpha: f64, beta: f64) -> Option<(f64, Action, bool)> {
        let mut outcomes = Vec::new();
        self.game.actions(p, &mut outcomes);
        let chances: Vec<f64> = outcomes.iter().map(|&a| self.game.probability(p, a).into()).collect();
        let whole: f64 = chances.iter().sum();
        let (mut sum, mut left, mut history) = (0.0, 1.0, false);
        for (&outcome, chance) in outcomes.iter().zip(chances) {
            let chance = chance / whole;
            if chance == 0.0 {
                continue;
            }
            left -= chance;
            // What this outcome needs for the mean to reach the window if all others turn out best, or worst.
            let low = (alpha - sum - left) / chance;
            let high = (beta - sum + left) / chance;
            if low >= 1.0 {
                return Some((sum + chance + left, NONE, history));
            }
            if high <= -1.0 {
                return Some((sum - chance - left, NONE, history));
            }
            let mut child = p.clone();
            self.game.play(&mut child, outcome);
            let (value, hangs) = self.value(&child, ply + 1, low.max(-1.0), high.min(1.0))?;
            history |= hangs;
            sum += chance * value;
            if value <= low && low > -1.0 {
                return Some((sum + left, NONE, history));
            }
            if value >= high && high < 1.0 {
                return Some((sum - left, NONE, history));
            }
        }
        Some((sum, NONE, history))
    }
}
