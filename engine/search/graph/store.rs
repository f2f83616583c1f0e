//! Memory of nodes and edges: arrays that are reserved at once and touched as they fill, a table from key to node,
//! and a hard bound on the bytes in use.

use std::time::Duration;

use super::{
    arena::{Arena, last_page},
    cache_line::CacheLine,
    node::{Edge, FREE, Index, Node, Score, Tally},
};
use crate::sync::{
    MODELLED,
    atomic::{
        AtomicU32, AtomicU64,
        Ordering::{self, Relaxed},
    },
};

mod edges;
mod stock;

use stock::Parked;
pub use stock::Stock;

/// Slots of the smallest chunk, a cache line: a header and three edges. Class k has `4 << k` slots.
const SMALLEST: u32 = 4;
/// Slot of the first chunk. Each chunk begins at a multiple of the smallest one's size.
pub const FIRST_SLOT: u32 = SMALLEST;
pub const CLASSES: usize = 8;
/// Nodes or slots that a thread takes from the store at a time.
const BATCH: u32 = if MODELLED { 4 } else { 64 };

/// The graph's memory. No thread waits for another one in it: what is new is handed out by moving `ends` on.
pub struct Store {
    pub nodes: Arena<Node>,
    /// One to each node, or none at all.
    scores: Arena<Score>,
    pub edges: Arena<Edge>,
    /// One to each slot of `edges`, or none at all.
    tallies: Arena<Tally>,
    table: Arena<AtomicU32>,
    /// Slots of the table in use, a power of two: few while the graph is small, so that they stay in the caches.
    table_len: usize,
    limit: usize,
    /// Bytes of a node, with its score if there are scores.
    node_bytes: usize,
    /// Bytes of an edge slot, with its tally if there are tallies.
    slot_bytes: usize,
    ends: CacheLine<AtomicU64>,
    parked: Parked,
}

/// The first node and the first edge slot that were never handed out: in one word, so that the memory bound is
/// checked and both are moved in one step.
#[derive(Clone, Copy)]
struct Ends {
    node: u32,
    slot: u32,
}

impl Ends {
    const FIRST: Ends = Ends { node: 1, slot: FIRST_SLOT };

    fn pack(self) -> u64 {
        u64::from(self.slot) << 32 | u64::from(self.node)
    }

    fn unpack(word: u64) -> Ends {
        Ends { node: word as u32, slot: (word >> 32) as u32 }
    }
}

/// No room: the memory bound is reached, or the table has to grow first.
pub struct Full;

/// The statistics that a store keeps besides those of every search.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreParts {
    /// Whether each edge has a `Tally`.
    pub tallies: bool,
    /// Whether each node has a `Score`.
    pub scores: bool,
}

/// The smallest memory bound.
pub const LEAST: usize = 1 << 20;
/// Slots of the table at the start.
const FIRST_TABLE: usize = if MODELLED { 1 << 5 } else { 1 << 12 };

const fn slots(class: usize) -> u32 {
    SMALLEST << class
}

impl Store {
    /// A store that never takes more than `bytes`, and at least enough for a few thousand nodes. It takes less where
    /// the system has not so much address space.
    ///
    /// # Panics
    ///
    /// If the system has no address space left at all.
    pub fn new(bytes: usize, parts: StoreParts) -> Store {
        let mut bytes = bytes.max(LEAST);
        loop {
            match Store::reserve(bytes, parts) {
                Ok(store) => return store,
                Err(error) if bytes <= LEAST => panic!("no address space for the search graph: {error}"),
                Err(_) => bytes = (bytes / 2).max(LEAST),
            }
        }
    }

    fn reserve(bytes: usize, StoreParts { tallies, scores }: StoreParts) -> std::io::Result<Store> {
        let score_bytes = if scores { size_of::<Score>() } else { 0 };
        let node_bytes = size_of::<Node>() + score_bytes;
        let slot_bytes = size_of::<Edge>() + if tallies { size_of::<Tally>() } else { 0 };
        let per_node = node_bytes + 2 * size_of::<AtomicU32>() + slot_bytes;
        let nodes = (bytes / per_node).clamp(1024, (u32::MAX / 2) as usize);
        let table = (nodes * 3 / 2).next_power_of_two();
        let limit = bytes.saturating_sub(table * size_of::<AtomicU32>());
        // The last pages of the arrays are used in part.
        let edge_arrays = [size_of::<Edge>(), slot_bytes - size_of::<Edge>()].map(|size| limit / slot_bytes * size);
        let node_arrays = [size_of::<Node>(), score_bytes].map(|size| nodes * size);
        let last_pages = node_arrays.into_iter().map(last_page).sum::<usize>()
            + edge_arrays.into_iter().map(last_page).sum::<usize>();
        let limit = limit.saturating_sub(last_pages);
        let slots = (limit / slot_bytes).min((u32::MAX - FIRST_SLOT) as usize) + FIRST_SLOT as usize;
        Ok(Store {
            nodes: Arena::new(nodes + 1)?,
            scores: Arena::new(if scores { nodes + 1 } else { 0 })?,
            edges: Arena::new(slots)?,
            tallies: Arena::new(if tallies { slots } else { 0 })?,
            table: Arena::new(table)?,
            table_len: FIRST_TABLE.min(table),
            limit,
            node_bytes,
            slot_bytes,
            ends: CacheLine(AtomicU64::new(Ends::FIRST.pack())),
            parked: Parked::default(),
        })
    }

    /// Empties the table from key to node; the nodes stay.
    pub fn clear_table(&mut self) {
        self.table.clear(self.table_len);
    }

    /// About how long it takes to make room. A slow machine was measured.
    pub fn room_cost(&self) -> Duration {
        let (nodes, _) = self.ends();
        let (each, count) = if self.crowded(nodes) { (100, nodes as usize) } else { (3, self.used()) };
        Duration::from_nanos(each * count as u64)
    }

    /// Whether so much of the table is taken that it has to grow before there are more nodes.
    pub fn table_is_full(&self) -> bool {
        self.crowded(self.ends().0)
    }

    fn crowded(&self, nodes: u32) -> bool {
        self.table_len < self.table.len() && (nodes + BATCH) as usize > self.table_len / 2
    }

    /// Doubles the table.
    pub fn grow_table(&mut self) {
        self.clear_table();
        self.table_len *= 2;
        for index in (1..self.ends().0).filter(|&index| !self.node(index).has(FREE)) {
            self.reinsert(index);
        }
    }

    /// Bytes that nodes and edges may take.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The first node and the first edge slot that were never handed out.
    pub fn ends(&self) -> (u32, u32) {
        let Ends { node, slot } = Ends::unpack(self.ends.0.load(Relaxed));
        (node, slot)
    }

    /// Takes note that all nodes and slots before `node` and `slot` are in use and none after.
    pub fn shrink(&mut self, node: u32, slot: u32) {
        let (nodes, slots) = self.ends();
        self.nodes.release(node as usize, nodes as usize);
        if self.has_scores() {
            self.scores.release(node as usize, nodes as usize);
        }
        self.edges.release(slot as usize, slots as usize);
        if self.has_tallies() {
            self.tallies.release(slot as usize, slots as usize);
        }
        self.parked.clear();
        self.ends.0.store(Ends { node, slot }.pack(), Relaxed);
    }

    /// Share of the memory bound in use, 0 to 1.
    pub fn fill(&self) -> f32 {
        self.used() as f32 / self.limit as f32
    }

    /// Bytes of nodes and edges handed out.
    pub fn used(&self) -> usize {
        self.extent(Ends::unpack(self.ends.0.load(Relaxed)))
    }

    /// Bytes from the beginning of the arrays to `ends`.
    fn extent(&self, ends: Ends) -> usize {
        ends.node as usize * self.node_bytes + ends.slot as usize * self.slot_bytes
    }

    #[inline]
    pub fn node(&self, index: Index) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline]
    pub fn edge(&self, slot: u32) -> &Edge {
        &self.edges[slot as usize]
    }

    /// Whether nodes have scores.
    #[inline]
    pub fn has_scores(&self) -> bool {
        !self.scores.is_empty()
    }

    /// The score of a node. Panics where there are none.
    #[inline]
    pub fn score(&self, index: Index) -> &Score {
        &self.scores[index as usize]
    }

    /// Whether edges have tallies.
    #[inline]
    pub fn has_tallies(&self) -> bool {
        !self.tallies.is_empty()
    }

    /// One to each slot of edges, or none at all.
    #[inline]
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The tally of the edge in `slot`. Panics where there are none.
    #[inline]
    pub fn tally(&self, slot: u32) -> &Tally {
        &self.tallies[slot as usize]
    }

    /// Moves a node with its score.
    pub fn shift_node(&mut self, from: Index, to: Index) {
        self.nodes.shift(from as usize, to as usize, 1);
        if self.has_scores() {
            self.scores.shift(from as usize, to as usize, 1);
        }
    }

    /// Moves the edges of `len` slots with their tallies; the two ranges may overlap.
    pub fn shift_slots(&mut self, from: u32, to: u32, len: u32) {
        self.edges.shift(from as usize, to as usize, len as usize);
        if self.has_tallies() {
            self.tallies.shift(from as usize, to as usize, len as usize);
        }
    }

    /// Bytes that the node takes with its edges.
    pub fn bytes_of(&self, node: &Node) -> usize {
        self.node_bytes + self.slots_of(node) as usize * self.slot_bytes
    }

    #[inline]
    pub fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.table_len - 1)
    }

    /// The node of `key`, if the graph has one.
    pub fn find(&self, key: u64) -> Option<Index> {
        let mut slot = self.home(key);
        loop {
            let index = self.table[slot].load(Ordering::Acquire);
            if index == 0 {
                return None;
            }
            if self.node(index).key.load(Relaxed) == key {
                return Some(index);
            }
            slot = (slot + 1) & (self.table_len - 1);
        }
    }

    /// The node of `key`, made if need be: `make` gets a node that nobody else sees, and leaves it ready for all.
    ///
    /// # Errors
    ///
    /// `Full` if a node would have to be made and the memory bound is reached.
    pub fn find_or_insert(&self, key: u64, stock: &mut Stock, make: impl Fn(&Node)) -> Result<Index, Full> {
        let mut fresh = 0;
        let mut slot = self.home(key);
        loop {
            let index = self.table[slot].load(Ordering::Acquire);
            if index != 0 {
                if self.node(index).key.load(Relaxed) == key {
                    if fresh != 0 {
                        stock.put_node(fresh);
                    }
                    return Ok(index);
                }
                slot = (slot + 1) & (self.table_len - 1);
                continue;
            }
            if fresh == 0 {
                fresh = self.take_node(stock)?;
                make(self.node(fresh));
                if self.has_scores() {
                    self.score(fresh).reset();
                }
            }
            if self.table[slot].compare_exchange(0, fresh, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Ok(fresh);
            }
        }
    }

    /// Puts a node back under its key after the table was cleared.
    pub fn reinsert(&self, index: Index) {
        let mut slot = self.home(self.node(index).key.load(Relaxed));
        while self.table[slot].load(Relaxed) != 0 {
            slot = (slot + 1) & (self.table_len - 1);
        }
        self.table[slot].store(index, Relaxed);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn resident() -> usize {
        let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
        4096 * pages.split(' ').nth(1).and_then(|word| word.parse::<usize>().ok()).expect("a number")
    }

    /// The allocator hands out fresh pages only for alignments that it has anyway; others it clears by hand.
    #[test]
    fn a_new_store_reserves_memory_and_touches_none() {
        let before = resident();
        let store = Store::new(1 << 30, StoreParts { tallies: true, scores: true });
        assert!(store.nodes.len() > 1 << 20);
        assert!(resident() < before + (1 << 28), "a new store took {} bytes", resident() - before);
    }
}
