//! Depth-first proof-number search, df-pn (Allis, van der Meulen and van den Herik 1994; Nagai 2002), which answers
//! whether the first player can reach a result.
//!
//! For the player to move at a node, phi estimates how many leaves must still be shown to be good for it to succeed,
//! delta for it to fail. With children c seen from that player: phi = min phi(c), delta = sum of delta(c). The search
//! stays below the child with the least phi until that exceeds the second least by a quarter (the 1 + epsilon trick;
//! Pawlewicz and Lew 2006) or the node's own thresholds are met. Where lines meet, the sum counts leaves twice: that
//! misleads the order of the search and never its answers.

use std::{collections::HashSet, sync::atomic::Ordering::Relaxed};

use playout_games::{Action, Game, Player, zobrist};

use crate::{
    alpha_beta::LONGEST,
    proof_table::{INFINITE, ProofTable},
    solution::{MoveSolution, Refusal, Solution},
    watch::Watch,
};

/// The table of `zobrist::key` for what distinguishes questions.
const QUESTION: u64 = 0x5055;

/// A move at a node, with the numbers seen from the node's player.
struct Child {
    action: Action,
    key: u64,
    /// Whether the same player moves again.
    again: bool,
    phi: u32,
    delta: u32,
}

/// Knowledge of a node.
#[derive(Clone, Copy)]
struct Found {
    phi: u32,
    delta: u32,
}

pub struct Prover<'a, G: Game> {
    game: &'a G,
    pub watch: Watch<'a>,
    table: &'a mut ProofTable<()>,
    path: HashSet<u64>,
    /// The question: whether the first player reaches this result.
    at_least: f32,
    /// Told apart in the table by this.
    salt: u64,
    /// The answer taken for positions whose result depends on history that the key leaves out.
    doubt: bool,
    nodes: u64,
    pub refusal: Option<Refusal>,
}

impl<'a, G: Game> Prover<'a, G> {
    pub fn new(game: &'a G, table: &'a mut ProofTable<()>, watch: Watch<'a>) -> Prover<'a, G> {
        Prover {
            game,
            watch,
            table,
            path: HashSet::new(),
            at_least: 1.0,
            salt: 0,
            doubt: false,
            nodes: 0,
            refusal: None,
        }
    }

    /// Whether the first player can reach `at_least` at `p`. None if the watch ended or something was refused.
    pub fn reaches(&mut self, p: &G::Position, at_least: f32) -> Option<bool> {
        for doubt in [false, true] {
            (self.doubt, self.at_least) = (doubt, at_least);
            self.salt = zobrist::key(QUESTION, u64::from(at_least.to_bits()) << 1 | u64::from(doubt));
            let key = self.key(p);
            let found = match self.known(key).filter(|found| found.phi == 0 || found.delta == 0) {
                Some(found) => found,
                None => self.expand(p, key, (INFINITE, INFINITE), 0)?,
            };
            let reached = (found.phi == 0) == (self.game.player(p) == Player::First);
            // An answer is certain if doubtful positions counted for the other one.
            if reached != doubt || !self.table.doubted {
                return Some(reached);
            }
        }
        self.refuse(Refusal::History)
    }

    fn refuse<T>(&mut self, why: Refusal) -> Option<T> {
        self.refusal.get_or_insert(why);
        self.watch.end();
        None
    }

    fn key(&self, p: &G::Position) -> u64 {
        self.game.canonical(p).0 ^ self.salt
    }

    fn known(&self, key: u64) -> Option<Found> {
        self.table.get(key).map(|entry| Found { phi: entry.phi, delta: entry.delta })
    }

    /// Searches below `p`, which is not over, until phi or delta reaches its threshold.
    fn expand(&mut self, p: &G::Position, key: u64, thresholds: (u32, u32), ply: u32) -> Option<Found> {
        if ply >= LONGEST {
            return self.refuse(Refusal::Length(LONGEST));
        }
        let cyclic = !self.game.acyclic();
        if cyclic && !self.path.insert(key) {
            return self.refuse(Refusal::Cycle);
        }
        let before = self.nodes;
        let found = self.search_children(p, thresholds, ply);
        if cyclic {
            self.path.remove(&key);
        }
        let found = found?;
        self.table.put(key, (found.phi, found.delta), (), self.nodes - before);
        Some(found)
    }

    fn search_children(&mut self, p: &G::Position, thresholds: (u32, u32), ply: u32) -> Option<Found> {
        let mut children = self.children(p)?;
        loop {
            let found = sum_up(&children);
            if found.phi >= thresholds.0 || found.delta >= thresholds.1 {
                return Some(found);
            }
            let (mut best, mut second) = (0, INFINITE);
            for (place, child) in children.iter().enumerate().skip(1) {
                if child.phi < children[best].phi {
                    (best, second) = (place, children[best].phi);
                } else {
                    second = second.min(child.phi);
                }
            }
            let child = &children[best];
            let phi = thresholds.0.min(second.saturating_add(second / 4).saturating_add(1)).min(INFINITE);
            let delta = (thresholds.1 - (found.delta - child.delta)).min(INFINITE);
            let wanted = if child.again { (phi, delta) } else { (delta, phi) };
            let mut position = p.clone();
            self.game.play(&mut position, child.action);
            let reply = self.expand(&position, child.key, wanted, ply + 1)?;
            children[best].take(reply);
            for child in &mut children {
                if child.phi != 0
                    && child.delta != 0
                    && let Some(reply) = self.known(child.key)
                {
                    child.take(reply);
                }
            }
        }
    }

    /// The moves at `p` with what is known of each.
    fn children(&mut self, p: &G::Position) -> Option<Vec<Child>> {
        let game = self.game;
        let mut actions = Vec::new();
        game.actions(p, &mut actions);
        let player = game.player(p);
        let mut children = Vec::with_capacity(actions.len());
        for action in actions {
            self.nodes += 1;
            if !self.watch.go_on() || game.faulty() {
                return None;
            }
            let mut position = p.clone();
            game.play(&mut position, action);
            let mut child = Child { action, key: 0, again: false, phi: 1, delta: 1 };
            let result = game.result(&position);
            if result.is_some_and(|result| !matches!(result, -1.0 | 0.0 | 1.0)) {
                return self.refuse(Refusal::Result);
            }
            if game.path_dependent(&position) {
                self.table.doubted = true;
                child.decide(self.doubt == (player == Player::First));
            } else if let Some(result) = result {
                child.decide((result >= self.at_least) == (player == Player::First));
            } else {
                let mover = game.player(&position);
                if mover == Player::Chance {
                    return self.refuse(Refusal::Chance);
                }
                child.again = mover == player;
                child.key = self.key(&position);
                if let Some(found) = self.known(child.key) {
                    child.take(found);
                }
            }
            let wins = child.phi == 0;
            children.push(child);
            if wins {
                break;
            }
        }
        Some(children)
    }
}

impl Child {
    fn decide(&mut self, succeeds: bool) {
        (self.phi, self.delta) = if succeeds { (0, INFINITE) } else { (INFINITE, 0) };
    }

    /// Takes what is known of the position after the move, which is told from its own player's side.
    fn take(&mut self, found: Found) {
        (self.phi, self.delta) = if self.again { (found.phi, found.delta) } else { (found.delta, found.phi) };
    }
}

/// The numbers of a node from those of its children.
fn sum_up(children: &[Child]) -> Found {
    if children.iter().any(|child| child.phi == 0) {
        return Found { phi: 0, delta: INFINITE };
    }
    let phi = children.iter().map(|child| child.phi).min().unwrap_or(INFINITE);
    if phi == INFINITE {
        return Found { phi, delta: 0 };
    }
    let delta = children.iter().fold(0_u32, |sum, child| sum.saturating_add(child.delta)).min(INFINITE - 1);
    Found { phi, delta }
}

/// Solves `position`, which is not over; with `all_moves` each of its moves.
pub fn solve<G: Game>(prover: &mut Prover<G>, position: &G::Position, all_moves: bool) -> Result<Solution, Refusal> {
    let mut solution = Solution::unknown("proof-number");
    if prover.game.player(position) == Player::Chance {
        return Err(Refusal::Chance);
    }
    if all_moves {
        let moves = prover.every_move(position);
        solution.take_moves(moves);
    } else {
        (solution.lower, solution.upper) = prover.bounds(position);
    }
    if solution.is_solved() {
        solution.line = prover.line(position, &solution);
    }
    prover.refusal.take().map_or(Ok(solution), Err)
}

impl<G: Game> Prover<'_, G> {
    /// Bounds of the value for the player to move at `p`, which is not over.
    fn bounds(&mut self, p: &G::Position) -> (f32, f32) {
        let sign = self.game.player(p).sign();
        let (mut lower, mut upper) = (-1.0, 1.0);
        for (question, below) in [(1.0, 0.0), (0.0, -1.0)] {
            match self.reaches(p, question) {
                Some(true) => lower = question,
                Some(false) => upper = below,
                None => break,
            }
            if lower == upper {
                break;
            }
        }
        if sign > 0.0 { (lower, upper) } else { (-upper, -lower) }
    }

    fn every_move(&mut self, p: &G::Position) -> Vec<MoveSolution> {
        let game = self.game;
        let mut actions = Vec::new();
        game.actions(p, &mut actions);
        let player = game.player(p);
        let mut moves = Vec::new();
        for &action in &actions {
            let mut child = p.clone();
            game.play(&mut child, action);
            let (lower, upper) = if let Some(result) = game.result(&child) {
                (player.sign() * result, player.sign() * result)
            } else {
                let sign = player.sign() * game.player(&child).sign();
                let (lower, upper) = self.bounds(&child);
                if sign > 0.0 { (lower, upper) } else { (-upper, -lower) }
            };
            if lower == upper {
                self.watch.progress().solved.fetch_add(1, Relaxed);
            }
            moves.push(MoveSolution { lower, upper, ..MoveSolution::unknown(action) });
        }
        moves
    }

    /// The table's line from `p`: the winner's proven moves, the loser's that cost the most work. It ends where the
    /// table has forgotten.
    fn line(&mut self, p: &G::Position, solution: &Solution) -> Vec<Action> {
        let game = self.game;
        let sign = game.player(p).sign();
        let value = sign * solution.lower;
        // A draw is what both can have: the line shows how the second player holds the first to it.
        self.doubt = false;
        self.at_least = if value < 0.0 { 0.0 } else { 1.0 };
        self.salt = zobrist::key(QUESTION, u64::from(self.at_least.to_bits()) << 1);
        let winner = if value > 0.0 { Player::First } else { Player::Second };
        let mut p = p.clone();
        let mut line = Vec::new();
        while game.result(&p).is_none() && line.len() < LONGEST as usize && !self.watch.ended() {
            let Some(children) = self.children(&p) else { break };
            let best = if game.player(&p) == winner {
                children.iter().find(|child| child.phi == 0)
            } else {
                children.iter().max_by_key(|child| self.table.work(child.key))
            };
            let Some(best) = best else { break };
            line.push(best.action);
            game.play(&mut p, best.action);
        }
        line
    }
}
