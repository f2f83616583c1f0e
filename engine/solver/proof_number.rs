//! Depth-first proof-number search, df-pn (Allis, van der Meulen and van den Herik 1994; Nagai 2002), which answers
//! whether the first player can reach a result.
//!
//! For the player to move at a node, phi estimates how many leaves must still be shown to be good for it to succeed,
//! delta for it to fail. With children c seen from that player: phi = min phi(c), delta = sum of delta(c). The search
//! stays below the child with the least phi until that exceeds the second least by a quarter (the 1 + epsilon trick;
//! Pawlewicz and Lew 2006) or the node's own thresholds are met. Where lines meet, the sum counts leaves twice: that
//! misleads the order of the search and never its answers.
//!
//! In games where only cells of the board matter to a proof (`Knowledge`), each proof has a carrier: the empty cells
//! that its winner may need. A move outside of the carrier of a proof that another move fails, fails too (the
//! must-play of Hayward et al. 2003).

use std::{collections::HashSet, sync::atomic::Ordering::Relaxed};

use playout_games::{Action, Game, Player, zobrist};

use crate::{
    alpha_beta::LONGEST,
    carrier::Carrier,
    proof_table::{INFINITE, ProofTable},
    solution::{MoveSolution, Refusal, Solution},
    watch::Watch,
};

/// The table of `zobrist::key` for what distinguishes questions.
const QUESTION: u64 = 0x5055;

/// Knowledge of a game besides its rules. The defaults know nothing.
pub trait Knowledge<G: Game>: Sync {
    /// Sets of cells.
    type Cells: Carrier;

    /// Whether the game can be drawn.
    fn has_draws(&self) -> bool {
        true
    }

    /// The result for the first player, where it is certain before the end, and its carrier.
    fn settle(&self, _game: &G, _p: &G::Position) -> Option<(f32, Self::Cells)> {
        None
    }

    /// Whether at `p` what holds for a move holds for all moves outside of its carrier.
    fn has_carriers(&self, _game: &G, _p: &G::Position) -> bool {
        false
    }

    /// The cell that an action takes, as a set.
    fn cell(&self, _action: Action) -> Self::Cells {
        Carrier::NONE
    }

    /// The image of a carrier under symmetry `frame`, which undoes itself.
    fn turn(&self, _game: &G, _frame: u8, carrier: Self::Cells) -> Self::Cells {
        carrier
    }

    /// phi and delta of a position that has not been searched.
    fn effort(&self, _game: &G, _p: &G::Position) -> (u32, u32) {
        (1, 1)
    }
}

/// No knowledge.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl<G: Game> Knowledge<G> for Plain {
    type Cells = ();
}

/// A move at a node, with the numbers seen from the node's player.
struct Child<C> {
    action: Action,
    key: u64,
    frame: u8,
    /// Whether the same player moves again.
    again: bool,
    phi: u32,
    delta: u32,
    carrier: C,
}

/// Knowledge about a node.
#[derive(Clone, Copy)]
struct Found<C> {
    phi: u32,
    delta: u32,
    carrier: C,
}

pub struct Prover<'a, G: Game, K: Knowledge<G>> {
    game: &'a G,
    knowledge: K,
    pub watch: Watch<'a>,
    table: &'a mut ProofTable<K::Cells>,
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

impl<'a, G: Game, K: Knowledge<G>> Prover<'a, G, K> {
    pub fn new(game: &'a G, knowledge: K, table: &'a mut ProofTable<K::Cells>, watch: Watch<'a>) -> Prover<'a, G, K> {
        Prover {
            game,
            knowledge,
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

    /// Whether the first player can reach `at_least` at `p`, and the carrier of the proof. None if the watch ended or
    /// something was refused.
    pub fn reaches(&mut self, p: &G::Position, at_least: f32) -> Option<(bool, K::Cells)> {
        for doubt in [false, true] {
            (self.doubt, self.at_least) = (doubt, at_least);
            self.salt = zobrist::key(QUESTION, u64::from(at_least.to_bits()) << 1 | u64::from(doubt));
            let place = self.key(p);
            let found = match self.known(place).filter(|found| found.phi == 0 || found.delta == 0) {
                Some(found) => found,
                None => self.expand(p, place, (INFINITE, INFINITE), 0)?,
            };
            let reached = (found.phi == 0) == (self.game.player(p) == Player::First);
            // An answer is certain if doubtful positions counted for the other one.
            if reached != doubt || !self.table.doubted {
                return Some((reached, found.carrier));
            }
        }
        self.refuse(Refusal::History)
    }

    fn refuse<T>(&mut self, why: Refusal) -> Option<T> {
        self.refusal.get_or_insert(why);
        self.watch.end();
        None
    }

    fn key(&self, p: &G::Position) -> (u64, u8) {
        let (key, frame) = self.game.canonical(p);
        (key ^ self.salt, frame)
    }

    /// The table's entry for the position with this key and frame.
    fn known(&self, (key, frame): (u64, u8)) -> Option<Found<K::Cells>> {
        let entry = self.table.get(key)?;
        let carrier = self.knowledge.turn(self.game, frame, entry.carrier);
        Some(Found { phi: entry.phi, delta: entry.delta, carrier })
    }

    /// Searches below `p`, which is not over, until phi or delta reaches its threshold.
    fn expand(
        &mut self,
        p: &G::Position,
        place: (u64, u8),
        thresholds: (u32, u32),
        ply: u32,
    ) -> Option<Found<K::Cells>> {
        if ply >= LONGEST {
            return self.refuse(Refusal::Length(LONGEST));
        }
        let cyclic = !self.game.acyclic();
        if cyclic && !self.path.insert(place.0) {
            return self.refuse(Refusal::Cycle);
        }
        let before = self.nodes;
        let found = self.search_children(p, thresholds, ply);
        if cyclic {
            self.path.remove(&place.0);
        }
        let found = found?;
        let carrier = self.knowledge.turn(self.game, place.1, found.carrier);
        self.table.put(place.0, (found.phi, found.delta), carrier, self.nodes - before);
        Some(found)
    }

    fn search_children(&mut self, p: &G::Position, thresholds: (u32, u32), ply: u32) -> Option<Found<K::Cells>> {
        let mut children = self.children(p)?;
        let has_carriers = self.knowledge.has_carriers(self.game, p);
        loop {
            let found = self.sum_up(&mut children, has_carriers);
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
            let reply = self.expand(&position, (child.key, child.frame), wanted, ply + 1)?;
            children[best].take(reply);
            for child in &mut children {
                if child.phi != 0
                    && child.delta != 0
                    && let Some(reply) = self.known((child.key, child.frame))
                {
                    child.take(reply);
                }
            }
        }
    }

    /// The numbers of a node from those of its children. Children that the must-play excludes become failures.
    fn sum_up(&self, children: &mut [Child<K::Cells>], has_carriers: bool) -> Found<K::Cells> {
        if let Some(child) = children.iter().find(|child| child.phi == 0) {
            let carrier =
                if has_carriers { child.carrier.union(self.knowledge.cell(child.action)) } else { K::Cells::ALL };
            return Found { phi: 0, delta: INFINITE, carrier };
        }
        let (mut must, mut needed) = (K::Cells::ALL, K::Cells::NONE);
        if has_carriers {
            for child in children.iter().filter(|child| child.delta == 0) {
                must = must.meet(child.carrier);
                needed = needed.union(child.carrier);
            }
            for child in children.iter_mut().filter(|child| child.delta != 0) {
                if self.knowledge.cell(child.action).meet(must).is_none() {
                    // Its answer is that of another move, whose carrier is counted already.
                    (child.phi, child.delta, child.carrier) = (INFINITE, 0, must);
                }
            }
        }
        let phi = children.iter().map(|child| child.phi).min().unwrap_or(INFINITE);
        if phi == INFINITE {
            return Found { phi, delta: 0, carrier: if has_carriers { needed } else { K::Cells::ALL } };
        }
        let delta = children.iter().fold(0_u32, |sum, child| sum.saturating_add(child.delta)).min(INFINITE - 1);
        Found { phi, delta, carrier: K::Cells::ALL }
    }

    /// The moves at `p` with what is known of each.
    fn children(&mut self, p: &G::Position) -> Option<Vec<Child<K::Cells>>> {
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
            let mut child = Child { action, key: 0, frame: 0, again: false, phi: 1, delta: 1, carrier: K::Cells::ALL };
            let certain = match game.result(&position) {
                Some(result) if !matches!(result, -1.0 | 0.0 | 1.0) => return self.refuse(Refusal::Result),
                Some(result) => Some((result, K::Cells::NONE)),
                None => self.knowledge.settle(game, &position),
            };
            if game.path_dependent(&position) {
                self.table.doubted = true;
                child.decide(self.doubt == (player == Player::First));
            } else if let Some((result, carrier)) = certain {
                child.carrier = carrier;
                child.decide((result >= self.at_least) == (player == Player::First));
            } else {
                let mover = game.player(&position);
                if mover == Player::Chance {
                    return self.refuse(Refusal::Chance);
                }
                child.again = mover == player;
                (child.key, child.frame) = self.key(&position);
                let found = self.known((child.key, child.frame)).unwrap_or_else(|| {
                    let (phi, delta) = self.knowledge.effort(game, &position);
                    Found { phi, delta, carrier: K::Cells::ALL }
                });
                child.take(found);
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

impl<C> Child<C> {
    fn decide(&mut self, succeeds: bool) {
        (self.phi, self.delta) = if succeeds { (0, INFINITE) } else { (INFINITE, 0) };
    }

    /// Takes what is known of the position after the move, which is told from its own player's side.
    fn take(&mut self, found: Found<C>) {
        (self.phi, self.delta) = if self.again { (found.phi, found.delta) } else { (found.delta, found.phi) };
        self.carrier = found.carrier;
    }
}

/// Solves `position`, which is not over; with `all_moves` each of its moves.
pub fn solve<G: Game, K: Knowledge<G>>(
    prover: &mut Prover<G, K>,
    position: &G::Position,
    all_moves: bool,
) -> Result<Solution, Refusal> {
    let mut solution = Solution::unknown("proof-number");
    if prover.game.player(position) == Player::Chance {
        return Err(Refusal::Chance);
    }
    if all_moves {
        let moves = prover.every_move(position);
        solution.take_moves(moves);
    } else {
        (solution.lower, solution.upper, _) = prover.bounds(position);
    }
    if solution.is_solved() {
        solution.line = prover.line(position, &solution);
    }
    prover.refusal.take().map_or(Ok(solution), Err)
}

impl<G: Game, K: Knowledge<G>> Prover<'_, G, K> {
    /// Bounds of the value for the player to move at `p`, which is not over, and the carrier of the last answer.
    fn bounds(&mut self, p: &G::Position) -> (f32, f32, K::Cells) {
        let sign = self.game.player(p).sign();
        let (mut lower, mut upper, mut carrier) = (-1.0, 1.0, K::Cells::ALL);
        for (question, below) in [(1.0, 0.0), (0.0, -1.0)] {
            match self.reaches(p, question) {
                Some((true, rests_on)) => (lower, carrier) = (question, rests_on),
                Some((false, rests_on)) => {
                    (upper, carrier) = (if self.knowledge.has_draws() { below } else { -1.0 }, rests_on);
                }
                None => break,
            }
            if lower == upper {
                break;
            }
        }
        if sign > 0.0 { (lower, upper, carrier) } else { (-upper, -lower, carrier) }
    }

    fn every_move(&mut self, p: &G::Position) -> Vec<MoveSolution> {
        let game = self.game;
        let mut actions = Vec::new();
        game.actions(p, &mut actions);
        let (player, mut must) = (game.player(p), K::Cells::ALL);
        let has_carriers = self.knowledge.has_carriers(game, p);
        let mut moves = Vec::new();
        for &action in &actions {
            let mut child = p.clone();
            game.play(&mut child, action);
            let (lower, upper, carrier) = if let Some(result) = game.result(&child) {
                (player.sign() * result, player.sign() * result, K::Cells::ALL)
            } else if has_carriers && self.knowledge.cell(action).meet(must).is_none() {
                (-1.0, -1.0, K::Cells::ALL)
            } else {
                let sign = player.sign() * game.player(&child).sign();
                let (lower, upper, carrier) = self.bounds(&child);
                if sign > 0.0 { (lower, upper, carrier) } else { (-upper, -lower, carrier) }
            };
            if upper == -1.0 {
                must = must.meet(carrier);
            }
            if lower == upper {
                self.watch.progress().solved.fetch_add(1, Relaxed);
            }
            moves.push(MoveSolution { lower, upper, ..MoveSolution::unknown(action) });
        }
        moves
    }

    /// The table's line from `p`: the winner's proven moves, the loser's that cost the most work. It ends where the
    /// outcome is settled by knowledge, or the table has forgotten.
    fn line(&mut self, p: &G::Position, solution: &Solution) -> Vec<Action> {
        let game = self.game;
        let sign = game.player(p).sign();
        let value = sign * solution.lower;
        // A draw is what both can have: the line shows how the second player holds the first to it.
        self.doubt = false;
        self.at_least = if value < 0.0 && self.knowledge.has_draws() { 0.0 } else { 1.0 };
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
            if self.knowledge.settle(game, &p).is_some() {
                break;
            }
        }
        line
    }
}
