//! A node's edges: chunks of slots, each with a header, chained.

use std::sync::atomic::Ordering;

use super::{CLASSES, Full, SMALLEST, Stock, Store, slots};
use crate::graph::node::{Edge, Node};

impl Store {
    /// Edge slots that the node holds, headers included.
    pub fn slots_of(&self, node: &Node) -> u32 {
        self.chunks_of(node).map(|chunk| self.chunk(chunk).0 + 1).sum()
    }

    /// The node's chunks.
    pub fn chunks_of(&self, node: &Node) -> impl Iterator<Item = u32> {
        let first = node.edges.load(Ordering::Relaxed);
        std::iter::successors(Some(first), |&chunk| Some(self.chunk(chunk).1)).take_while(|&chunk| chunk != 0)
    }

    /// Appends an edge to a node that the caller has locked; `expected` is how many edges it may come to have.
    ///
    /// # Errors
    ///
    /// `Full` if the memory bound is reached.
    pub fn append_edge(
        &self,
        node: &Node,
        action: u32,
        extra: f32,
        expected: usize,
        stock: &mut Stock,
    ) -> Result<u32, Full> {
        let count = node.edge_count.load(Ordering::Relaxed);
        let mut chunk = node.edges.load(Ordering::Relaxed);
        let mut before = 0;
        let mut last = 0;
        while chunk != 0 {
            let (capacity, next) = self.chunk(chunk);
            if count < before + capacity {
                break;
            }
            before += capacity;
            last = chunk;
            chunk = next;
        }
        if chunk == 0 {
            let small = (0..2).find(|&class| expected < slots(class) as usize).unwrap_or(0);
            let class = if last == 0 {
                if expected <= 15 && expected > 7 { 2 } else { small }
            } else {
                (self.edge(last).action.load(Ordering::Relaxed) as usize + 1).min(CLASSES - 1)
            };
            chunk = self.take_chunk(class, stock)?;
            let header = self.edge(chunk);
            header.reset(class as u32, 0.0);
            if last == 0 {
                node.edges.store(chunk, Ordering::Release);
            } else {
                self.edge(last).child.store(chunk, Ordering::Release);
            }
        }
        let slot = chunk + 1 + (count - before);
        self.edge(slot).reset(action, extra);
        if self.has_tallies() {
            self.tallies[slot as usize].reset();
        }
        node.edge_count.store(count + 1, Ordering::Release);
        Ok(slot)
    }

    /// Capacity of the chunk whose header is `chunk`, and the next chunk.
    #[inline]
    pub fn chunk(&self, chunk: u32) -> (u32, u32) {
        let header = self.edge(chunk);
        (slots(header.action.load(Ordering::Relaxed) as usize) - 1, header.child.load(Ordering::Acquire))
    }

    /// The node's edges, oldest first, as runs of (first slot, edges).
    #[inline]
    pub fn runs(&self, node: &Node) -> Runs<'_> {
        Runs { store: self, left: node.edge_count.load(Ordering::Acquire), chunk: node.edges.load(Ordering::Acquire) }
    }

    /// The node's edges with their slots, oldest first.
    pub fn edges_of(&self, node: &Node) -> impl Iterator<Item = (u32, &Edge)> {
        self.runs(node).flat_map(|(first, run)| run.iter().enumerate().map(move |(i, edge)| (first + i as u32, edge)))
    }

    /// The edge that was appended last.
    #[inline]
    pub fn last_edge(&self, node: &Node) -> Option<&Edge> {
        self.runs(node).last().and_then(|(_, run)| run.last())
    }
}

/// Runs of edges that lie side by side.
pub struct Runs<'a> {
    store: &'a Store,
    left: u32,
    chunk: u32,
}

impl<'a> Iterator for Runs<'a> {
    type Item = (u32, &'a [Edge]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let first = self.chunk + 1;
        let count = if self.left < SMALLEST {
            // The last run needs no look at its header, because a chunk of any class has room for this many edges.
            self.left
        } else {
            let (capacity, next) = self.store.chunk(self.chunk);
            self.chunk = next;
            capacity.min(self.left)
        };
        self.left -= count;
        Some((first, &self.store.edges[first as usize..(first + count) as usize]))
    }
}
