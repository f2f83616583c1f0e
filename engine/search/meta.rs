//! Meta-actions: trees of macros as choices that span plies (options over partial trees; Sutton, Precup and Singh 1999).
//!
//! A meta-edge is a tree that begins with one of a node's moves. It lies in a table beside the nodes and has visits and a
//! value of its own; `simulation/meta.rs` says how a simulation follows it.

use std::{
    collections::HashMap,
    hash::BuildHasherDefault,
    sync::{Arc, PoisonError, RwLock},
};

use playout_games::Action;

use crate::{
    config::META_PARTS,
    key_hasher::KeyHasher,
    sync::{
        AtomicF32, add,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

/// Meta-edges of one node, at most.
pub const MOST_AT_NODE: usize = 8;
/// Bytes that a meta-edge may take, with its part of the table while the table grows.
const BYTES: usize = 256;

/// A tree of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeId {
    /// That of the macro with this number among those with drawings: all its places on the board together.
    Drawn(u32),
    /// That of a macro whose positions were told.
    Told(u32),
}

/// A tree that begins with a move of the player to move, and goes on after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    pub tree: TreeId,
    pub action: Action,
    pub weight: f32,
}

/// Adds an offer to those of a position: the heaviest stay, those of equal weight in their order.
pub fn offer(offers: &mut Vec<Offer>, new: Offer) {
    if offers.iter().any(|known| (known.tree, known.action) == (new.tree, new.action)) {
        return;
    }
    let place = offers.partition_point(|known| known.weight >= new.weight);
    offers.insert(place, new);
    offers.truncate(MOST_AT_NODE);
}

/// A tree of a macro as a choice at a node.
pub struct MetaEdge {
    pub tree: TreeId,
    /// The tree's first move, in the frame of the node's canonical position.
    pub action: Action,
    pub visits: AtomicU32,
    /// Mean result of the simulations that followed the tree, for the node's mover.
    pub value: AtomicF32,
    /// Simulations of other threads that follow the tree now.
    pub pending: AtomicU32,
}

impl MetaEdge {
    fn new(Offer { tree, action, .. }: Offer) -> MetaEdge {
        MetaEdge { tree, action, visits: AtomicU32::new(0), value: AtomicF32::default(), pending: AtomicU32::new(0) }
    }

    /// Adds a simulation with `value` for the node's mover. Threads that add at once may blend their values wrongly; no visit
    /// is lost.
    pub fn add(&self, value: f32, shared: bool) {
        add(&self.visits, 1, shared);
        let mean = self.value.get();
        self.value.set(mean + (value - mean) / self.visits.load(Relaxed) as f32);
    }

    /// Whether no simulation has followed the tree, or is under way.
    pub fn is_new(&self) -> bool {
        self.visits.load(Relaxed) + self.pending.load(Relaxed) == 0
    }
}

type Nodes = HashMap<u64, Vec<Arc<MetaEdge>>, BuildHasherDefault<KeyHasher>>;

/// The meta-edges of a graph, by the keys of its nodes. All threads share it.
pub struct MetaTable {
    /// The nodes and the number of all their meta-edges.
    kept: RwLock<(Nodes, usize)>,
    most: usize,
}

impl MetaTable {
    /// A table for a graph that has `bytes` of memory.
    pub fn new(bytes: usize) -> MetaTable {
        MetaTable { kept: RwLock::default(), most: bytes / META_PARTS / BYTES }
    }

    /// The meta-edges of the node with this key for what is offered there; new ones where there are none. A full table forgets
    /// the nodes at which they were taken least, half of all.
    pub fn of(&self, key: u64, offers: &[Offer]) -> Vec<Arc<MetaEdge>> {
        if offers.is_empty() {
            return Vec::new();
        }
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        let (nodes, count) = &mut *kept;
        if *count + offers.len() > self.most {
            let taken = |edges: &[Arc<MetaEdge>]| edges.iter().map(|edge| edge.visits.load(Relaxed)).max().unwrap_or(0);
            let mut all: Vec<u32> = nodes.values().map(|edges| taken(edges)).collect();
            if let Some(middle) = all.len().checked_sub(1).map(|last| last / 2) {
                let bound = *all.select_nth_unstable(middle).1;
                nodes.retain(|_, edges| taken(edges) > bound);
            }
            *count = nodes.values().map(Vec::len).sum();
        }
        let known = nodes.entry(key).or_default();
        let mut edge = |offer: &Offer| {
            let same = |edge: &&Arc<MetaEdge>| (edge.tree, edge.action) == (offer.tree, offer.action);
            let found = known.iter().find(same).map(Arc::clone);
            found.unwrap_or_else(|| {
                let made = Arc::new(MetaEdge::new(*offer));
                known.push(Arc::clone(&made));
                *count += 1;
                made
            })
        };
        offers.iter().map(&mut edge).collect()
    }

    pub fn forget(&mut self) {
        self.kept = RwLock::default();
    }

    /// Forgets the meta-edges of nodes that are gone.
    pub fn keep(&mut self, stays: impl Fn(u64) -> bool) {
        let (nodes, count) = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        nodes.retain(|&key, _| stays(key));
        nodes.shrink_to_fit();
        *count = nodes.values().map(Vec::len).sum();
    }

    /// Halves all visit counts, upwards, as those of the graph.
    pub fn halve(&mut self) {
        for edge in self.all().iter().flat_map(|(_, edges)| edges) {
            edge.visits.store(edge.visits.load(Relaxed).div_ceil(2), Relaxed);
        }
    }

    /// All nodes that have meta-edges, by their keys.
    pub fn all(&self) -> Vec<(u64, Vec<Arc<MetaEdge>>)> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.0.iter().map(|(&key, edges)| (key, edges.clone())).collect()
    }
}
