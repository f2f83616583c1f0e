//! Depth-first proof-number search (see `proof_number`) over filled positions, with proofs that know their carriers.
//!
//! The most promising quarter of the moves that have not failed is searched, and one more (the focused df-pn of Henderson,
//! Arneson and Hayward 2010). A carrier is the empty cells that a proof rests on: the winner wins with all others in the
//! loser's hands. So a move outside of the carrier of a proof that another move fails, fails too.

use std::collections::HashMap;

use playout_games::{
    Action,
    hex::{Hex, cells::Cells},
};

use super::node::{Node, Observer, Seen, Step};
use crate::{
    memory::Memory,
    proof_table::{INFINITE, ProofTable},
    watch::Watch,
};

/// Positions whose moves are remembered.
const REMEMBERED: usize = 1 << 17;

/// Knowledge of a position, for its player to move.
#[derive(Clone, Copy)]
struct Found<const W: usize> {
    phi: u32,
    delta: u32,
    carrier: Cells<W>,
}

/// A move at a node, with the numbers seen from the node's player.
struct Child<const W: usize> {
    step: Step,
    phi: u32,
    delta: u32,
    carrier: Cells<W>,
}

pub struct Prover<'a, const W: usize> {
    observer: Observer<'a, W>,
    table: &'a mut ProofTable<Cells<W>>,
    nodes: HashMap<u64, Node<W>>,
    watch: Watch<'a>,
    looked: u64,
}

impl<'a, const W: usize> Prover<'a, W> {
    pub fn new(game: &'a Hex, bytes: usize, watch: Watch<'a>, memory: &'a mut Memory) -> Prover<'a, W> {
        let table = memory.table(bytes, ProofTable::new);
        Prover { observer: Observer::new(game), table, nodes: HashMap::new(), watch, looked: 0 }
    }

    pub fn count_solved(&self) {
        self.watch.progress().solved.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// The empty cells, the most promising first.
    pub fn by_promise(&self, stones: &[Cells<W>; 2], mover: usize) -> Vec<Action> {
        let empty = self.observer.lattice.all.minus(&stones[0]).minus(&stones[1]);
        self.observer.by_promise(stones, mover, &empty)
    }

    /// Whether `mover`, whose move it is, wins, and the cells that the proof rests on. None if the watch ended.
    pub fn wins(&mut self, stones: &[Cells<W>; 2], mover: usize) -> Option<(bool, Cells<W>)> {
        let filled = self.observer.lattice.fill_in(stones);
        let (key, turned) = self.observer.key(&filled.stones, mover);
        let found = match self.known(key, turned).filter(|found| found.phi == 0 || found.delta == 0) {
            Some(found) => found,
            None => self.expand(&filled.stones, mover, (key, turned), (INFINITE, INFINITE))?,
        };
        let wins = found.phi == 0;
        Some((wins, found.carrier.or(&filled.captured[if wins { mover } else { 1 - mover }])))
    }

    fn known(&self, key: u64, turned: bool) -> Option<Found<W>> {
        let entry = self.table.get(key)?;
        let carrier = self.observer.turn(entry.carrier, turned);
        Some(Found { phi: entry.phi, delta: entry.delta, carrier })
    }

    /// Searches below a position that is filled in until phi or delta reaches its threshold.
    fn expand(
        &mut self,
        stones: &[Cells<W>; 2],
        mover: usize,
        (key, turned): (u64, bool),
        thresholds: (u32, u32),
    ) -> Option<Found<W>> {
        let before = self.looked;
        // The node is taken out of the store meanwhile: no line of play comes back to it.
        let node = self.nodes.remove(&key).filter(|node| node.stones == *stones);
        let found = match node {
            Some(node) => self.search(node, key, thresholds)?,
            None => {
                self.looked += 1;
                if !self.watch.go_on() {
                    return None;
                }
                match self.observer.look(stones, mover) {
                    Seen::Decided(wins, carrier) => Found::decided(wins, carrier),
                    Seen::Open(node) => self.search(node, key, thresholds)?,
                }
            }
        };
        let carrier = self.observer.turn(found.carrier, turned);
        self.table.put(key, (found.phi, found.delta), carrier, (self.looked - before).max(1));
        Some(found)
    }

    fn search(&mut self, node: Node<W>, key: u64, thresholds: (u32, u32)) -> Option<Found<W>> {
        let mut children = Vec::with_capacity(node.moves.len());
        for &step in &node.moves {
            let mut child = Child { step, phi: 1, delta: 1, carrier: Cells::EMPTY };
            if let Some(found) = self.known(step.key, step.turned) {
                self.take(&node, &mut child, found);
            }
            children.push(child);
        }
        loop {
            let (found, window) = sum_up(&mut children, node.rests_on);
            if found.phi >= thresholds.0 || found.delta >= thresholds.1 {
                if found.phi != 0 && found.delta != 0 && self.nodes.len() < REMEMBERED {
                    self.nodes.insert(key, node);
                }
                return Some(found);
            }
            let (mut best, mut second) = (usize::MAX, INFINITE);
            for &place in &window {
                if best == usize::MAX || children[place].phi < children[best].phi {
                    second = if best == usize::MAX { INFINITE } else { children[best].phi };
                    best = place;
                } else {
                    second = second.min(children[place].phi);
                }
            }
            let child = &children[best];
            let phi = thresholds.0.min(second.saturating_add(second / 4).saturating_add(1)).min(INFINITE);
            let delta = (thresholds.1 - (found.delta - child.delta)).min(INFINITE);
            let filled = self.observer.after(&node.stones, node.mover, child.step.cell.into());
            let place = (child.step.key, child.step.turned);
            let reply = self.expand(&filled.stones, 1 - node.mover, place, (delta, phi))?;
            self.take(&node, &mut children[best], reply);
            for child in &mut children {
                if child.phi != 0
                    && child.delta != 0
                    && let Some(found) = self.known(child.step.key, child.step.turned)
                {
                    self.take(&node, child, found);
                }
            }
        }
    }

    /// Takes what is known of the position after a move, which is told from the other player's side.
    fn take(&self, node: &Node<W>, child: &mut Child<W>, found: Found<W>) {
        (child.phi, child.delta) = (found.delta, found.phi);
        if found.phi == 0 || found.delta == 0 {
            // What was filled in after the move is the winner's by its captures.
            let winner = if found.delta == 0 { node.mover } else { 1 - node.mover };
            let filled = self.observer.after(&node.stones, node.mover, child.step.cell.into());
            child.carrier = found.carrier.or(&filled.captured[winner]);
        }
    }

    /// The line from a position that has been decided: the winner's proven moves, the loser's that cost the most work.
    /// It ends where the outcome is seen, or the table has forgotten.
    pub fn line(&mut self, stones: &[Cells<W>; 2], mover: usize) -> Vec<Action> {
        let mut stones = self.observer.lattice.fill_in(stones).stones;
        let (mut mover, mut line) = (mover, Vec::new());
        while let Seen::Open(node) = self.observer.look(&stones, mover) {
            let found = |step: &&Step| self.known(step.key, step.turned);
            let winning = node.moves.iter().find(|step| found(step).is_some_and(|found| found.delta == 0));
            let longest = || node.moves.iter().max_by_key(|step| self.table.work(step.key));
            let Some(step) = winning.or_else(longest) else { break };
            line.push(step.cell.into());
            stones = self.observer.after(&stones, mover, step.cell.into()).stones;
            mover = 1 - mover;
        }
        line
    }
}

impl<const W: usize> Found<W> {
    fn decided(wins: bool, carrier: Cells<W>) -> Found<W> {
        let (phi, delta) = if wins { (0, INFINITE) } else { (INFINITE, 0) };
        Found { phi, delta, carrier }
    }
}

/// The numbers of a node from those of its children, and the places of the children to search. Children outside of the
/// carrier of another's failure fail.
fn sum_up<const W: usize>(children: &mut [Child<W>], rests_on: Cells<W>) -> (Found<W>, Vec<usize>) {
    if let Some(child) = children.iter().find(|child| child.phi == 0) {
        let mut carrier = child.carrier;
        carrier.insert(child.step.cell.into());
        return (Found { phi: 0, delta: INFINITE, carrier }, Vec::new());
    }
    let mut carrier = rests_on;
    for i in 0..children.len() {
        if children[i].delta == 0 {
            let failed = children[i].carrier;
            carrier = carrier.or(&failed);
            for child in children.iter_mut().filter(|child| child.delta != 0) {
                if !failed.has(child.step.cell.into()) {
                    (child.phi, child.delta, child.carrier) = (INFINITE, 0, failed);
                }
            }
        }
    }
    let live: Vec<usize> = (0..children.len()).filter(|&place| children[place].delta != 0).collect();
    if live.is_empty() {
        return (Found { phi: INFINITE, delta: 0, carrier }, Vec::new());
    }
    let delta = live.iter().fold(0_u32, |sum, &place| sum.saturating_add(children[place].delta)).min(INFINITE - 1);
    let mut window = live;
    window.truncate(1 + window.len().div_ceil(4));
    let phi = window.iter().map(|&place| children[place].phi).min().unwrap_or(INFINITE);
    (Found { phi, delta, carrier }, window)
}
