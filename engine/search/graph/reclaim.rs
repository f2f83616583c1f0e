//! Making room at the memory bound: the least-visited part of the graph goes, the rest stays as it is.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::Player;

use super::{
    node::{Edge, FREE, Index, KEPT, Node},
    store::{FIRST_SLOT, Store},
    view::view,
};

/// Visit counts told apart when choosing what to keep: eight to each power of two.
const BUCKETS: usize = 8 * 33;

/// Frees what cannot be reached from `root` and then, until about half of the memory is free, the nodes with the
/// fewest visits. A parent remembers the value of a child that goes; at a chance node the outcome counts as not yet
/// seen. What stays moves together, so that the free memory serves nodes and chunks of any size and the system gets
/// its pages back meanwhile. Returns where `root` is now.
pub fn reclaim(store: &mut Store, root: Index) -> Index {
    mark(store, root, 0);
    let threshold = threshold(store);
    if threshold > 0 {
        for_each_kept(store, |node| {
            node.flags.fetch_and(!KEPT, Relaxed);
        });
        mark(store, root, threshold);
    }
    store.clear_table();
    compact(store, root)
}

/// Moves all that is in use together. Returns where `root` is now.
pub fn settle(store: &mut Store, root: Index) -> Index {
    for node in (1..store.ends().0).map(|index| store.node(index)).filter(|node| !node.has(FREE)) {
        node.flags.fetch_or(KEPT, Relaxed);
    }
    store.clear_table();
    compact(store, root)
}

fn for_each_kept(store: &Store, visit: impl FnMut(&Node)) {
    (1..store.ends().0).map(|index| store.node(index)).filter(|node| node.has(KEPT)).for_each(visit);
}

/// Marks `root` and what it reaches through nodes with at least `threshold` visits; the edges to others are cut.
fn mark(store: &Store, root: Index, threshold: u32) {
    // Chained through `pending`, which is free while no thread searches: the memory bound has no room for a list.
    let mut open = root;
    store.node(root).flags.fetch_or(KEPT, Relaxed);
    while open != 0 {
        let parent = store.node(open);
        open = parent.pending.swap(0, Relaxed);
        for (_, edge) in store.edges_of(parent) {
            let child = edge.child.load(Relaxed);
            let node = store.node(child);
            if child == 0 || node.has(KEPT) {
                continue;
            }
            if node.visits.load(Relaxed) >= threshold {
                node.flags.fetch_or(KEPT, Relaxed);
                node.pending.store(open, Relaxed);
                open = child;
            } else {
                cut(store, parent.mover(), edge);
            }
        }
    }
}

fn cut(store: &Store, mover: Player, edge: &Edge) {
    if mover == Player::Chance {
        edge.visits.store(0, Relaxed);
    } else {
        edge.extra.set(view(store, mover, edge).value);
    }
    edge.child.store(0, Relaxed);
}

/// The bucket of a visit count: its leading four binary digits and their place.
fn bucket(visits: u32) -> usize {
    let bits = visits.max(1).ilog2() as usize;
    let digits = if bits >= 3 { visits >> (bits - 3) } else { visits << (3 - bits) };
    8 * bits + (digits as usize & 7) + usize::from(visits > 0)
}

/// The least visit count of a bucket.
fn least(bucket: usize) -> u32 {
    let Some(place) = bucket.checked_sub(1) else { return 0 };
    let digits = 8 + place as u64 % 8;
    let least = if place / 8 >= 3 { digits << (place / 8 - 3) } else { digits.div_ceil(1 << (3 - place / 8)) };
    u32::try_from(least).unwrap_or(u32::MAX)
}

/// The least number of visits such that the marked nodes with at least as many take half of the memory at most.
fn threshold(store: &Store) -> u32 {
    let mut bytes = vec![0_usize; BUCKETS];
    for_each_kept(store, |node| {
        bytes[bucket(node.visits.load(Relaxed))] += store.bytes_of(node);
    });
    let mut total = 0;
    for (bucket, bytes) in bytes.iter().enumerate().rev() {
        total += bytes;
        if total > store.limit() / 2 {
            return least(bucket + 1);
        }
    }
    0
}

/// Moves the kept nodes and their chunks to the beginning of their arrays, frees all else, and fills the table.
///
/// While no thread searches, `pending` of a node and `visits` of a chunk's header are free to hold where they go.
fn compact(store: &mut Store, root: Index) -> Index {
    let (nodes, slots) = store.ends();
    let mut next_node = 1;
    for_each_kept(store, |node| {
        node.pending.store(next_node, Relaxed);
        next_node += 1;
        for chunk in store.chunks_of(node) {
            store.edge(chunk).visits.store(1, Relaxed);
        }
    });
    let mut next_slot = FIRST_SLOT;
    for_each_chunk(store, slots, |header, size| {
        if header.visits.load(Relaxed) != 0 {
            header.visits.store(next_slot, Relaxed);
            next_slot += size;
        }
    });
    for_each_kept(store, |node| {
        for (_, edge) in store.edges_of(node) {
            let child = edge.child.load(Relaxed);
            if child != 0 {
                edge.child.store(store.node(child).pending.load(Relaxed), Relaxed);
            }
        }
        let mut link = &node.edges;
        loop {
            let chunk = link.load(Relaxed);
            if chunk == 0 {
                break;
            }
            link.store(store.edge(chunk).visits.load(Relaxed), Relaxed);
            link = &store.edge(chunk).child;
        }
    });
    let root = store.node(root).pending.load(Relaxed);
    let mut from = FIRST_SLOT;
    while from < slots {
        let (size, to) = (store.chunk(from).0 + 1, store.edge(from).visits.load(Relaxed));
        if to != 0 {
            store.shift_slots(from, to, size);
            store.edge(to).visits.store(0, Relaxed);
        }
        from += size;
    }
    for from in 1..nodes {
        let node = store.node(from);
        if node.has(KEPT) {
            let to = node.pending.load(Relaxed);
            node.pending.store(0, Relaxed);
            node.flags.fetch_and(!KEPT, Relaxed);
            store.shift_node(from, to);
            store.reinsert(to);
        }
    }
    store.shrink(next_node, next_slot);
    root
}

fn for_each_chunk(store: &Store, end: u32, mut visit: impl FnMut(&Edge, u32)) {
    let mut chunk = FIRST_SLOT;
    while chunk < end {
        let size = store.chunk(chunk).0 + 1;
        visit(store.edge(chunk), size);
        chunk += size;
    }
}

#[cfg(test)]
mod tests {
    use playout_games::Rng;

    use super::*;
    use crate::graph::store::{Stock, StoreParts};

    /// A node with edges, some of which lead to such nodes again. Keys, actions and tallies tell each other apart.
    fn grow(store: &Store, key: &mut u64, depth: u32, rng: &mut Rng, stock: &mut Stock) -> Index {
        *key += 1;
        let (own, count) = (*key, rng.u32(1..40));
        let Ok(index) = store.find_or_insert(own, stock, |node| node.reset(own, Player::First)) else {
            panic!("the store is large enough");
        };
        let node = store.node(index);
        node.visits.store(rng.u32(..1000) >> (4 - depth), Relaxed);
        store.score(index).add(own as f32);
        for number in 0..count {
            let action = own as u32 * 64 + number;
            let Ok(slot) = store.append_edge(node, action, 0.5, 40, stock) else { panic!("the store is large enough") };
            store.tally(slot).prior.set(action as f32);
            if depth > 0 && number % 3 == 0 {
                store.edge(slot).child.store(grow(store, key, depth - 1, rng, stock), Relaxed);
            }
        }
        index
    }

    #[test]
    fn what_is_kept_keeps_its_score_its_edges_and_they_their_tallies() {
        // Miri takes a thousand times as long.
        let (seeds, depth) = if cfg!(miri) { (2, 2) } else { (20, 3) };
        for seed in 0..seeds {
            let mut rng = Rng::with_seed(seed);
            let mut store = Store::new(1 << 20, StoreParts { tallies: true, scores: true });
            let mut stock = store.take_stock();
            let mut root = grow(&store, &mut 0, depth, &mut rng, &mut stock);
            store.park(stock);
            for _ in 0..3 {
                root = reclaim(&mut store, root);
                assert_eq!(store.node(root).key.load(Relaxed), 1);
                for index in 1..store.ends().0 {
                    let node = store.node(index);
                    let key = node.key.load(Relaxed);
                    assert_eq!(store.find(key), Some(index));
                    assert_eq!(store.score(index).lead(), Some(key as f32));
                    assert_eq!(store.edges_of(node).count(), node.edge_count.load(Relaxed) as usize);
                    for (number, (slot, edge)) in store.edges_of(node).enumerate() {
                        let action = edge.action.load(Relaxed);
                        assert_eq!(action, key as u32 * 64 + number as u32);
                        assert_eq!(store.tally(slot).prior.get(), action as f32);
                    }
                }
            }
        }
    }

    #[test]
    fn buckets_part_the_visit_counts_in_their_order() {
        let counts = (0..5000).chain((13..32).flat_map(|power| [(1 << power) - 1, 1 << power])).chain([u32::MAX]);
        for visits in counts {
            let own = bucket(visits);
            assert!(own < BUCKETS && least(own) <= visits, "{visits}");
            assert!(visits < least(own + 1) || visits == u32::MAX, "{visits}");
        }
    }
}
