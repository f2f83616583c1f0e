//! Hex: depth-first proof-number search over positions in which everything that is known is filled in.
//!
//! `node` says what is known of a position: inferior cells, virtual connections and the moves that are left. `prover`
//! searches. A swap is decided here, by the values of the two games that it chooses between.

mod node;
mod prover;
#[cfg(test)]
mod tests;

use playout_games::{
    Action, Game,
    hex::{Hex, Position, cells::Cells},
};

use crate::{
    memory::Memory,
    request::Request,
    solution::{MoveSolution, Solution},
    watch::Watch,
};
use prover::Prover;

/// The name of the method in its answers.
const METHOD: &str = "proof-number";

/// Solves `position`, which is not over; with `all_moves` each of its moves.
pub fn solve(game: &Hex, position: &Position, request: Request, watch: Watch, memory: &mut Memory) -> Solution {
    match (game.size() * game.size()).div_ceil(64) {
        0..=1 => Question::<1>::new(game, request, watch, memory).answer(position, request.all_moves),
        2 => Question::<2>::new(game, request, watch, memory).answer(position, request.all_moves),
        3 => Question::<3>::new(game, request, watch, memory).answer(position, request.all_moves),
        4..=6 => Question::<6>::new(game, request, watch, memory).answer(position, request.all_moves),
        _ => Question::<11>::new(game, request, watch, memory).answer(position, request.all_moves),
    }
}

struct Question<'a, const W: usize> {
    game: &'a Hex,
    prover: Prover<'a, W>,
}

impl<'a, const W: usize> Question<'a, W> {
    fn new(game: &'a Hex, request: Request, watch: Watch<'a>, memory: &'a mut Memory) -> Question<'a, W> {
        Question { game, prover: Prover::new(game, request.hash_bytes, watch, memory) }
    }

    fn answer(&mut self, p: &Position, all_moves: bool) -> Solution {
        let mut solution = Solution::unknown(METHOD);
        if all_moves {
            let moves = self.every_move(p);
            solution.take_moves(moves);
        } else if let Some(wins) = self.wins(p) {
            let value = if wins { 1.0 } else { -1.0 };
            (solution.lower, solution.upper) = (value, value);
        }
        if solution.is_solved() {
            solution.line = self.line(p, solution.lower > 0.0);
        }
        solution
    }

    /// Whether the player to move wins.
    fn wins(&mut self, p: &Position) -> Option<bool> {
        if let Some(result) = self.game.result(p) {
            return Some(result == self.game.player(p).sign());
        }
        if !self.game.may_swap(p) {
            return self.prover.wins(&self.stones(p), self.mover(p)).map(|found| found.0);
        }
        if self.game.swap_action_at(p).is_some() {
            // Who may swap has the better side of the two.
            return Some(true);
        }
        // Every first stone is answered by the swap or by play.
        Some(self.game.size() == 1)
    }

    fn every_move(&mut self, p: &Position) -> Vec<MoveSolution> {
        let mut actions = Vec::new();
        self.game.actions(p, &mut actions);
        let mut must = Cells::<W>::FULL;
        // The most promising first: a proof serves the others. The swap comes last.
        let mut order = self.prover.by_promise(&self.stones(p), self.mover(p));
        order.extend(self.game.swap_action_at(p));
        let mut moves: Vec<MoveSolution> = actions.iter().copied().map(MoveSolution::unknown).collect();
        for action in order {
            let mut after = *p;
            self.game.play(&mut after, action);
            let wins = if self.game.may_swap(p) || self.game.result(&after).is_some() {
                self.wins_by(p, &after)
            } else if !must.has(action) {
                Some(false)
            } else {
                let reply = self.prover.wins(&self.stones(&after), self.mover(&after));
                if let Some((true, carrier)) = reply {
                    must = must.and(&carrier);
                }
                reply.map(|(wins, _)| !wins)
            };
            if let (Some(wins), Some(found)) = (wins, moves.iter_mut().find(|found| found.action == action)) {
                self.prover.count_solved();
                (found.lower, found.upper) = if wins { (1.0, 1.0) } else { (-1.0, -1.0) };
            }
        }
        moves
    }

    /// Whether the player to move at `p` wins by the action that leads to `after`.
    fn wins_by(&mut self, p: &Position, after: &Position) -> Option<bool> {
        if self.game.result(after).is_some() || self.game.may_swap(after) {
            let same = self.game.player(after) == self.game.player(p);
            return self.wins(after).map(|wins| wins == same);
        }
        self.prover.wins(&self.stones(after), self.mover(after)).map(|found| !found.0)
    }

    fn line(&mut self, p: &Position, wins: bool) -> Vec<Action> {
        let mut p = *p;
        let mut line = Vec::new();
        while self.game.may_swap(&p) && self.game.result(&p).is_none() {
            let mut actions = Vec::new();
            self.game.actions(&p, &mut actions);
            let mover_wins = wins == line.len().is_multiple_of(2);
            let found = actions.into_iter().find(|&action| {
                let mut after = p;
                self.game.play(&mut after, action);
                !mover_wins || self.wins_by(&p, &after) == Some(true)
            });
            let Some(action) = found else { return line };
            self.game.play(&mut p, action);
            line.push(action);
        }
        if self.game.result(&p).is_none() {
            let rest = self.prover.line(&self.stones(&p), self.mover(&p));
            line.extend(rest);
        }
        line
    }

    fn mover(&self, p: &Position) -> usize {
        usize::from(self.game.player(p) == playout_games::Player::Second)
    }

    fn stones(&self, p: &Position) -> [Cells<W>; 2] {
        self.game.stones(p)
    }
}
