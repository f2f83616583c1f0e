//! Keeping visit counts within their 32 bits: before one runs over, all of a graph are halved. Ratios stay, and with
//! them what the tree policy does; values are not touched.

use super::{
    node::{FREE, Node},
    store::Store,
};
use crate::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub fn in_use(store: &Store) -> impl Iterator<Item = &Node> {
    (1..store.ends().0).map(|index| store.node(index)).filter(|node| !node.has(FREE))
}

/// The greatest visit count of a node.
pub fn greatest(store: &Store) -> u32 {
    in_use(store).map(|node| node.visits.load(Relaxed)).max().unwrap_or(0)
}

/// Halves all visit counts, upwards, so that what was seen stays seen. A node's visits are still the sum of its edges'
/// and its own.
pub fn halve(store: &Store) {
    in_use(store).for_each(|node| halve_node(store, node));
}

/// Halves a counter and returns what it was and what it is.
fn half(counter: &AtomicU32) -> (u32, u32) {
    let old = counter.load(Relaxed);
    let new = old.div_ceil(2);
    counter.store(new, Relaxed);
    (old, new)
}

fn halve_node(store: &Store, node: &Node) {
    let (own, halved_own) = half(&node.own_visits);
    if own > 0 {
        node.own.set((f64::from(node.own.get()) * f64::from(halved_own) / f64::from(own)) as f32);
    }
    let (mut below, mut halved_below) = (u64::from(own), u64::from(halved_own));
    for (slot, edge) in store.edges_of(node) {
        let (old, new) = half(&edge.visits);
        below += u64::from(old);
        halved_below += u64::from(new);
        if store.has_tallies() {
            half(&store.tally(slot).amaf_visits);
        }
    }
    let visits = node.visits.load(Relaxed);
    // A proven node is counted without going on below it, and the edges of reclaimed outcomes begin anew.
    let apart = u64::from(visits).saturating_sub(below).div_ceil(2);
    let halved = u32::try_from(halved_below + apart).unwrap_or(u32::MAX);
    node.visits.store(halved, Relaxed);
    for counter in [&node.wins, &node.draws] {
        let share = f64::from(counter.load(Relaxed)) / f64::from(visits.max(1));
        counter.store((share * f64::from(halved)) as u32, Relaxed);
    }
}
