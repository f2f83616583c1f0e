//! Handing out nodes and chunks. A thread takes a batch at a time, by one compare-and-swap, and has it for itself.

use std::sync::PoisonError;

use super::{BATCH, CLASSES, Ends, Full, Store, slots};
use crate::{
    graph::node::{FREE, Index},
    sync::{Mutex, atomic::Ordering::Relaxed},
};

/// Nodes and chunks that a thread has taken and not used yet.
#[derive(Default)]
pub struct Stock {
    nodes: Vec<Index>,
    chunks: [Vec<Index>; CLASSES],
}

impl Stock {
    /// Takes a node back that nobody saw.
    pub fn put_node(&mut self, index: Index) {
        self.nodes.push(index);
    }
}

/// Stocks of threads whose search has ended. The next search's threads take them up. The lock is taken when a
/// thread begins and ends, never in a simulation.
#[derive(Default)]
pub struct Parked(Mutex<Vec<Stock>>);

impl Parked {
    pub fn clear(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Store {
    /// Takes nodes 1 to `count` of an empty store into use at once, with a table for them.
    ///
    /// # Errors
    ///
    /// `Full` if there is no room for `count` nodes.
    pub fn claim_nodes(&mut self, count: u32) -> Result<(), Full> {
        let ends = Ends { node: count.checked_add(1).ok_or(Full)?, ..Ends::FIRST };
        if ends.node as usize > self.nodes.len() || self.extent(ends) > self.limit {
            return Err(Full);
        }
        self.ends.0.store(ends.pack(), Relaxed);
        while self.table_is_full() {
            self.table_len *= 2;
        }
        Ok(())
    }

    /// A stock for a thread that begins.
    pub fn take_stock(&self) -> Stock {
        self.parked.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps a thread's stock for the next one.
    pub fn park(&self, stock: Stock) {
        for &index in &stock.nodes {
            self.node(index).flags.store(FREE, Relaxed);
        }
        self.parked.0.lock().unwrap_or_else(PoisonError::into_inner).push(stock);
    }

    /// Number of items of `bytes` that a thread takes at a time: few when little is left, so that many threads do not
    /// empty a small store between them; 0 when none are left.
    fn share(&self, ends: Ends, bytes: usize, most: u32) -> u32 {
        let room = self.limit.saturating_sub(self.extent(ends));
        if room < bytes { 0 } else { (room / 16 / bytes).clamp(1, most.max(1) as usize) as u32 }
    }

    /// Moves the ends on as `step` says and returns where they were; None if `step` does.
    fn advance(&self, step: impl Fn(Ends) -> Option<Ends>) -> Option<(Ends, Ends)> {
        let next = |word| step(Ends::unpack(word)).map(Ends::pack);
        let word = self.ends.0.fetch_update(Relaxed, Relaxed, next).ok()?;
        let before = Ends::unpack(word);
        step(before).map(|after| (before, after))
    }

    pub(super) fn take_node(&self, stock: &mut Stock) -> Result<Index, Full> {
        if let Some(index) = stock.nodes.pop() {
            return Ok(index);
        }
        let step = |ends: Ends| {
            let left = self.nodes.len() as u32 - ends.node;
            let count = self.share(ends, self.node_bytes, BATCH).min(left);
            (count > 0 && !self.crowded(ends.node)).then_some(Ends { node: ends.node + count, ..ends })
        };
        let (before, after) = self.advance(step).ok_or(Full)?;
        stock.nodes.extend((before.node..after.node).rev());
        stock.nodes.pop().ok_or(Full)
    }

    pub(super) fn take_chunk(&self, class: usize, stock: &mut Stock) -> Result<u32, Full> {
        if let Some(chunk) = stock.chunks[class].pop() {
            return Ok(chunk);
        }
        let size = slots(class);
        let step = |ends: Ends| {
            let left = (self.edges.len() - ends.slot as usize) as u32 / size;
            let count = self.share(ends, size as usize * self.slot_bytes, BATCH / size).min(left);
            (count > 0).then_some(Ends { slot: ends.slot + count * size, ..ends })
        };
        let (before, after) = self.advance(step).ok_or(Full)?;
        let chunks = (before.slot..after.slot).rev().step_by(size as usize).map(|last| last + 1 - size);
        // Whoever walks over the chunks finds the size of each, in use or not.
        stock.chunks[class].extend(chunks.inspect(|&chunk| self.edge(chunk).reset(class as u32, 0.0)));
        stock.chunks[class].pop().ok_or(Full)
    }
}
