//! Making room at the memory bound: the least-visited part of the graph goes, the rest stays as it is.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::Player;

use crate::{
    node::{Edge, FREE, Index, KEPT, Node},
    store::Store,
    tree_policy::view,
};

/// Visit counts told apart when choosing what to keep.
const BUCKETS: usize = 4096;

/// Frees what cannot be reached from `root` and then, until about half of the memory is free, the nodes with the
/// fewest visits. A parent remembers the value of a child that goes; at a chance node the outcome counts as not yet
/// seen.
pub fn reclaim(store: &mut Store, root: Index) {
    mark(store, root, 0);
    let threshold = threshold(store);
    if threshold > 0 {
        for_each_node(store, |_, node| {
            node.flags.fetch_and(!KEPT, Relaxed);
        });
        mark(store, root, threshold);
    }
    for_each_node(store, |_, node| {
        if node.has(KEPT) {
            forget_children(store, node);
        }
    });
    let mut pool = store.pool.lock().expect("no thread died with the pool");
    for index in 1..pool.next_node {
        let node = store.node(index);
        if !node.has(KEPT | FREE) {
            pool.release_edges(store, node);
            pool.release_node(store, index);
        }
    }
    drop(pool);
    store.clear_table();
    for_each_node(store, |index, node| {
        if node.has(KEPT) {
            node.flags.fetch_and(!KEPT, Relaxed);
            store.reinsert(index);
        }
    });
}

fn for_each_node(store: &Store, mut visit: impl FnMut(Index, &Node)) {
    let end = store.pool.lock().expect("no thread died with the pool").next_node;
    for index in 1..end {
        let node = store.node(index);
        if !node.has(FREE) {
            visit(index, node);
        }
    }
}

/// Marks `root` and what it reaches through nodes with at least `threshold` visits.
fn mark(store: &Store, root: Index, threshold: u32) {
    let mut open = vec![root];
    store.node(root).flags.fetch_or(KEPT, Relaxed);
    while let Some(index) = open.pop() {
        for (_, edge) in store.edges_of(store.node(index)) {
            let child = edge.child.load(Relaxed);
            if child != 0 {
                let node = store.node(child);
                if !node.has(KEPT) && node.visits.load(Relaxed) >= threshold {
                    node.flags.fetch_or(KEPT, Relaxed);
                    open.push(child);
                }
            }
        }
    }
}

/// The least number of visits such that the marked nodes with at least as many take half of the memory at most.
fn threshold(store: &Store) -> u32 {
    let mut bytes = vec![0_usize; BUCKETS];
    for_each_node(store, |_, node| {
        if node.has(KEPT) {
            let visits = (node.visits.load(Relaxed) as usize).min(BUCKETS - 1);
            bytes[visits] += size_of::<Node>() + store.slots_of(node) as usize * size_of::<Edge>();
        }
    });
    let mut total = 0;
    for visits in (0..BUCKETS).rev() {
        total += bytes[visits];
        if total > store.limit() / 2 {
            return visits as u32 + 1;
        }
    }
    0
}

fn forget_children(store: &Store, node: &Node) {
    let mover = node.mover();
    for (_, edge) in store.edges_of(node) {
        let child = edge.child.load(Relaxed);
        if child == 0 || store.node(child).has(KEPT) {
            continue;
        }
        if mover == Player::Chance {
            edge.visits.store(0, Relaxed);
        } else {
            edge.extra.set(view(store, mover, edge).value);
        }
        edge.child.store(0, Relaxed);
    }
}
