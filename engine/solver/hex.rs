//! Hex: depth-first proof-number search over positions in which everything that is known is filled in.
//!
//! `node` says what is known of a position: inferior cells, virtual connections and the moves that are left. `prover`
//! searches. A swap is decided here, by the values of the two games that it chooses between.

mod node;
mod prover;

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
        let mut must: Option<Cells<W>> = None;
        let mut order = self.prover.by_promise(&self.stones(p), self.mover(p));
        order.extend(actions.iter().copied().filter(|action| !order.contains(action)).collect::<Vec<_>>());
        let mut moves = Vec::new();
        for action in order {
            let mut after = *p;
            self.game.play(&mut after, action);
            let swaps = self.game.may_swap(p);
            let wins = if self.game.result(&after).is_some() || swaps {
                self.after(p, action, &after)
            } else if must.is_some_and(|must| !must.has(action)) {
                Some(false)
            } else {
                match self.prover.wins(&self.stones(&after), self.mover(&after)) {
                    Some((true, carrier)) => {
                        must = Some(must.map_or(carrier, |must| must.and(&carrier)));
                        Some(false)
                    }
                    found => found.map(|_| true),
                }
            };
            let mut found = MoveSolution::unknown(action);
            if let Some(wins) = wins {
                self.prover.count_solved();
                (found.lower, found.upper) = if wins { (1.0, 1.0) } else { (-1.0, -1.0) };
            }
            moves.push(found);
        }
        let place = |action| actions.iter().position(|&one| one == action);
        moves.sort_by_key(|found| place(found.action));
        moves
    }

    /// Whether an action that ends the game, or is played while a swap is open, wins.
    fn after(&mut self, p: &Position, action: Action, after: &Position) -> Option<bool> {
        if self.game.result(after).is_none() && self.game.may_swap(p) && !self.game.may_swap(after) {
            // The swap, or play without it.
            return self.prover.wins(&self.stones(after), self.mover(after)).map(|found| !found.0);
        }
        let _ = action;
        self.wins(after).map(|wins| wins == (self.game.player(after) == self.game.player(p)))
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
                !mover_wins || self.after(&p, action, &after) == Some(true)
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
