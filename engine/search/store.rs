//! Where nodes and edges live: arrays that are reserved at once and touched as they fill, a table from key to node,
//! and a hard bound on the bytes in use.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::arena::Arena;
use crate::node::{Edge, FREE, Index, Node, Tally};

/// Slots of the smallest chunk: a header and three edges. Class k has `4 << k` slots.
const SMALLEST: u32 = 4;
pub const CLASSES: usize = 8;
/// Nodes or slots that a thread takes from the store at a time.
const BATCH: u32 = 64;

mod edges;

/// The graph's memory.
pub struct Store {
    pub nodes: Arena<Node>,
    pub edges: Arena<Edge>,
    /// One to each slot of `edges`, or none at all.
    tallies: Arena<Tally>,
    table: Arena<AtomicU32>,
    /// Slots of the table in use, a power of two: few while the graph is small, so that they stay in the caches.
    table_len: usize,
    pub pool: Mutex<Pool>,
    limit: usize,
    /// Bytes of an edge slot, with its tally if there are tallies.
    slot_bytes: usize,
}

/// What is free. Freed nodes are chained through `edges`, freed chunks through their header; `reclaim` moves what is in
/// use together, so that nothing that is free lies below `next_node` and `next_edge` after it.
pub struct Pool {
    pub next_node: u32,
    pub next_edge: u32,
    pub free_node: Index,
    pub free_chunk: [Index; CLASSES],
    /// Bytes of nodes and chunks that are handed out.
    pub used: usize,
    /// Nodes that are handed out.
    pub nodes: usize,
}

/// A thread's own small stock, so that it rarely asks the store.
#[derive(Default)]
pub struct Stock {
    nodes: Vec<Index>,
    chunks: [Vec<Index>; CLASSES],
}

/// No room: the memory bound is reached, or the table has to grow first.
pub struct Full;

/// The smallest memory bound.
const LEAST: usize = 1 << 20;
/// Left for the last pages of the arrays, which are used in part.
const LAST_PAGES: usize = 1 << 16;
/// Slots of the table at the start.
const FIRST_TABLE: usize = 1 << 12;

const fn slots(class: usize) -> u32 {
    SMALLEST << class
}

impl Store {
    /// A store that never takes more than `bytes`, and at least enough for a few thousand nodes. It takes less where
    /// the system has not so much address space. With `tallies` each edge has a `Tally`.
    ///
    /// # Panics
    ///
    /// If the system has no address space left at all.
    pub fn new(bytes: usize, tallies: bool) -> Store {
        let mut bytes = bytes.max(LEAST);
        loop {
            match Store::reserve(bytes, tallies) {
                Ok(store) => return store,
                Err(error) if bytes <= LEAST => panic!("no address space for the search graph: {error}"),
                Err(_) => bytes = (bytes / 2).max(LEAST),
            }
        }
    }

    fn reserve(bytes: usize, tallies: bool) -> std::io::Result<Store> {
        let slot_bytes = size_of::<Edge>() + if tallies { size_of::<Tally>() } else { 0 };
        let per_node = size_of::<Node>() + 2 * size_of::<AtomicU32>() + slot_bytes;
        let nodes = (bytes / per_node).clamp(1024, (u32::MAX / 2) as usize);
        let table = (nodes * 3 / 2).next_power_of_two();
        let limit = bytes.saturating_sub(table * size_of::<AtomicU32>() + LAST_PAGES);
        let slots = (limit / slot_bytes).min(u32::MAX as usize) + 1;
        Ok(Store {
            nodes: Arena::new(nodes + 1)?,
            edges: Arena::new(slots)?,
            tallies: Arena::new(if tallies { slots } else { 0 })?,
            table: Arena::new(table)?,
            table_len: FIRST_TABLE.min(table),
            pool: Mutex::new(Pool::empty()),
            limit,
            slot_bytes,
        })
    }

    /// Empties the table from key to node; the nodes stay.
    pub fn clear_table(&mut self) {
        self.table.clear(self.table_len);
    }

    /// About how long it takes to make room. A slow machine was measured.
    pub fn room_cost(&self) -> Duration {
        let pool = self.pool.lock().expect("no thread died with the pool");
        let (each, count) = if self.crowded(pool.nodes) { (100, pool.nodes) } else { (3, self.extent(&pool)) };
        Duration::from_nanos(each * count as u64)
    }

    /// Whether so much of the table is taken that it has to grow before there are more nodes.
    pub fn table_is_full(&self) -> bool {
        self.crowded(self.pool.lock().expect("no thread died with the pool").nodes)
    }

    fn crowded(&self, nodes: usize) -> bool {
        self.table_len < self.table.len() && nodes + BATCH as usize > self.table_len / 2
    }

    /// Doubles the table.
    pub fn grow_table(&mut self) {
        self.clear_table();
        self.table_len *= 2;
        let end = self.pool.get_mut().expect("no thread died with the pool").next_node;
        for index in (1..end).filter(|&index| !self.node(index).has(FREE)) {
            self.reinsert(index);
        }
    }

    /// Bytes that nodes and edges may take.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Where the nodes and the edge slots that were never handed out begin.
    pub fn ends(&self) -> (u32, u32) {
        let pool = self.pool.lock().expect("no thread died with the pool");
        (pool.next_node, pool.next_edge)
    }

    /// Takes note that all nodes and slots before `next_node` and `next_edge` are in use and none after.
    pub fn shrink(&mut self, next_node: u32, next_edge: u32) {
        let (nodes, slots) = self.ends();
        self.nodes.release(next_node as usize, nodes as usize);
        self.edges.release(next_edge as usize, slots as usize);
        if self.has_tallies() {
            self.tallies.release(next_edge as usize, slots as usize);
        }
        let used = next_node as usize * size_of::<Node>() + next_edge as usize * self.slot_bytes;
        let pool = self.pool.get_mut().expect("no thread died with the pool");
        *pool = Pool { next_node, next_edge, used, nodes: next_node as usize - 1, ..Pool::empty() };
    }

    /// Share of the memory bound in use, 0 to 1.
    pub fn fill(&self) -> f32 {
        self.used() as f32 / self.limit as f32
    }

    /// Bytes of nodes and edges handed out.
    pub fn used(&self) -> usize {
        self.pool.lock().expect("no thread died with the pool").used
    }

    #[inline]
    pub fn node(&self, index: Index) -> &Node {
        &self.nodes[index as usize]
    }

    #[inline]
    pub fn edge(&self, slot: u32) -> &Edge {
        &self.edges[slot as usize]
    }

    /// Whether edges have tallies.
    #[inline]
    pub fn has_tallies(&self) -> bool {
        !self.tallies.is_empty()
    }

    /// The tally of the edge in `slot`. Panics where there are none.
    #[inline]
    pub fn tally(&self, slot: u32) -> &Tally {
        &self.tallies[slot as usize]
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
        size_of::<Node>() + self.slots_of(node) as usize * self.slot_bytes
    }

    /// Bytes from the beginning of the arrays to the end of what was ever handed out.
    fn extent(&self, pool: &Pool) -> usize {
        pool.next_node as usize * size_of::<Node>() + pool.next_edge as usize * self.slot_bytes
    }

    #[inline]
    fn home(&self, key: u64) -> usize {
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
            if self.node(index).key.load(Ordering::Relaxed) == key {
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
                if self.node(index).key.load(Ordering::Relaxed) == key {
                    if fresh != 0 {
                        stock.nodes.push(fresh);
                    }
                    return Ok(index);
                }
                slot = (slot + 1) & (self.table_len - 1);
                continue;
            }
            if fresh == 0 {
                fresh = self.take_node(stock)?;
                make(self.node(fresh));
            }
            if self.table[slot].compare_exchange(0, fresh, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Ok(fresh);
            }
        }
    }

    /// Puts a node back under its key after the table was cleared.
    pub fn reinsert(&self, index: Index) {
        let mut slot = self.home(self.node(index).key.load(Ordering::Relaxed));
        while self.table[slot].load(Ordering::Relaxed) != 0 {
            slot = (slot + 1) & (self.table_len - 1);
        }
        self.table[slot].store(index, Ordering::Relaxed);
    }

    /// Bytes that were never handed out since the last reclaim. Free nodes and chunks are not among them: their pages
    /// are resident, and what is free of one kind is of no use for another.
    fn room(&self, pool: &Pool) -> usize {
        self.limit.saturating_sub(self.extent(pool))
    }

    /// How many items of `bytes` a thread takes at a time: few when little is left, so that many threads do not empty a
    /// small store between them.
    fn share(&self, pool: &Pool, bytes: usize, most: u32) -> usize {
        (self.room(pool) / 16 / bytes).clamp(1, (most as usize).max(1))
    }

    fn take_node(&self, stock: &mut Stock) -> Result<Index, Full> {
        if stock.nodes.is_empty() {
            let mut pool = self.pool.lock().expect("no thread died with the pool");
            if self.crowded(pool.nodes) {
                return Err(Full);
            }
            for _ in 0..self.share(&pool, size_of::<Node>(), BATCH) {
                let index = if pool.free_node != 0 {
                    let index = pool.free_node;
                    pool.free_node = self.node(index).edges.load(Ordering::Relaxed);
                    index
                } else if (pool.next_node as usize) < self.nodes.len() && self.room(&pool) >= size_of::<Node>() {
                    pool.next_node += 1;
                    pool.next_node - 1
                } else {
                    break;
                };
                pool.used += size_of::<Node>();
                pool.nodes += 1;
                stock.nodes.push(index);
            }
            stock.nodes.reverse();
        }
        stock.nodes.pop().ok_or(Full)
    }

    fn take_chunk(&self, class: usize, stock: &mut Stock) -> Result<u32, Full> {
        let size = slots(class);
        let bytes = size as usize * self.slot_bytes;
        if stock.chunks[class].is_empty() {
            let mut pool = self.pool.lock().expect("no thread died with the pool");
            for _ in 0..self.share(&pool, bytes, BATCH / size) {
                let index = if pool.free_chunk[class] != 0 {
                    let index = pool.free_chunk[class];
                    pool.free_chunk[class] = self.edge(index).child.load(Ordering::Relaxed);
                    index
                } else if (pool.next_edge + size) as usize <= self.edges.len() && self.room(&pool) >= bytes {
                    pool.next_edge += size;
                    pool.next_edge - size
                } else {
                    break;
                };
                pool.used += bytes;
                stock.chunks[class].push(index);
            }
            stock.chunks[class].reverse();
        }
        stock.chunks[class].pop().ok_or(Full)
    }

    /// Gives a thread's stock back.
    pub fn restock(&self, stock: &mut Stock) {
        let mut pool = self.pool.lock().expect("no thread died with the pool");
        for index in stock.nodes.drain(..) {
            pool.release_node(self, index);
        }
        for class in 0..CLASSES {
            for index in stock.chunks[class].drain(..) {
                pool.release_chunk(self, class, index);
            }
        }
    }
}

impl Pool {
    fn empty() -> Pool {
        Pool { next_node: 1, next_edge: 1, free_node: 0, free_chunk: [0; CLASSES], used: 0, nodes: 0 }
    }

    pub fn release_node(&mut self, store: &Store, index: Index) {
        store.node(index).edges.store(self.free_node, Ordering::Relaxed);
        store.node(index).flags.store(FREE, Ordering::Relaxed);
        self.free_node = index;
        self.used -= size_of::<Node>();
        self.nodes -= 1;
    }

    pub fn release_chunk(&mut self, store: &Store, class: usize, chunk: u32) {
        store.edge(chunk).reset(class as u32, 0.0);
        store.edge(chunk).child.store(self.free_chunk[class], Ordering::Relaxed);
        self.free_chunk[class] = chunk;
        self.used -= slots(class) as usize * store.slot_bytes;
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
        let store = Store::new(1 << 30, true);
        assert!(store.nodes.len() > 1 << 20);
        assert!(resident() < before + (1 << 28), "a new store took {} bytes", resident() - before);
    }
}
