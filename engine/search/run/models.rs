//! The lock-free parts in the small. `nox -s loom` runs these tests in every order of the threads' steps up to a number of
//! preemptions, with every value that the memory model lets a thread read; `nox -s miri` and plain tests run some orders.

use std::{sync::Arc, time::Duration};

#[cfg(loom)]
use loom::thread;
#[cfg(not(loom))]
use std::thread;

use playout_games::{Player, Rng};

use super::threads::RunState;
use crate::{
    Config, Search,
    graph::{
        node::{Node, OVER},
        store::{Store, StoreParts},
    },
    invariants::check,
    simulation::Worker,
    sync::atomic::Ordering::Relaxed,
};

/// Tries the orders of the threads in `model`, none of which is interrupted more than `preemptions` times, for 20 seconds
/// at most, and says how many they were.
#[cfg(loom)]
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    use std::{sync::atomic::AtomicU64, time::Instant};

    const LONGEST: Duration = Duration::from_secs(20);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.max_duration = Some(LONGEST);
    // The clock is looked at as often.
    builder.checkpoint_interval = 1_000;
    let (began, orders) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let count = orders.clone();
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        model();
    });
    let which = if began.elapsed() < LONGEST { "all" } else { "the first" };
    println!("{which} {} orders with at most {preemptions} preemptions", orders.load(Relaxed));
}

/// Runs `model` a few times, as the system schedules its threads.
#[cfg(not(loom))]
fn explore(_: usize, model: impl Fn()) {
    (0..if cfg!(miri) { 10 } else { 100 }).for_each(|_| model());
}

fn store() -> Arc<Store> {
    Arc::new(Store::new(0, StoreParts::default()))
}

/// Whoever sees a node sees all of it.
fn assert_ready(node: &Node, key: u64) {
    assert_eq!((node.key.load(Relaxed), node.lower.get(), node.upper.get()), (key, -1.0, 1.0));
    assert!(node.mover() == Player::Second && node.has(OVER));
}

fn make(key: u64) -> impl Fn(&Node) {
    move |node| {
        node.reset(key, Player::Second);
        node.flags.fetch_or(OVER, Relaxed);
    }
}

#[test]
fn a_key_has_one_node_and_who_finds_it_finds_it_ready() {
    explore(3, || {
        let store = store();
        let insert = |store: Arc<Store>| {
            move || {
                let mut stock = store.take_stock();
                let index = store.find_or_insert(7, &mut stock, make(7)).ok().expect("there is room");
                assert_ready(store.node(index), 7);
                store.park(stock);
                index
            }
        };
        let others: Vec<_> = (0..2).map(|_| thread::spawn(insert(store.clone()))).collect();
        if let Some(index) = store.find(7) {
            assert_ready(store.node(index), 7);
        }
        let found: Vec<_> = others.into_iter().map(|other| other.join().expect("it ends")).collect();
        assert!(found.iter().all(|&index| Some(index) == store.find(7)), "{found:?}");
    });
}

/// Times the factor of the table's hash it is 1.
const INVERSE: u64 = 0xF1DE_83E1_9937_733D;

#[test]
fn keys_that_meet_in_the_table_keep_their_nodes() {
    explore(3, || {
        let store = store();
        let keys = [1, 2].map(|product| INVERSE.wrapping_mul(product));
        assert_eq!(store.home(keys[0]), store.home(keys[1]));
        let others: Vec<_> = keys
            .iter()
            .map(|&key| {
                let store = store.clone();
                thread::spawn(move || {
                    let mut stock = store.take_stock();
                    store.find_or_insert(key, &mut stock, make(key)).ok().expect("there is room")
                })
            })
            .collect();
        let found: Vec<_> = others.into_iter().map(|other| Some(other.join().expect("it ends"))).collect();
        assert_eq!(keys.iter().map(|&key| store.find(key)).collect::<Vec<_>>(), found);
        assert_ne!(found[0], found[1]);
    });
}

/// With this seed a heap of two is tried by its losing move first.
const LOSES_FIRST: u64 = 2;

#[path = "../tests/common/heap.rs"]
mod heap;
use heap::Heap;

fn heap_of(size: u32) -> Heap {
    Heap { size, most: 2, pause: Duration::ZERO }
}

/// Two threads run `simulations` of a heap of `size` between them, after `before` that one ran; then the graph is in order.
fn search_a_heap(preemptions: usize, seed: u64, size: u32, before: u64, simulations: u64) {
    explore(preemptions, move || {
        let config = Config { threads: 2, hash_mib: 1, seed, ..Config::default() };
        let search = Arc::new(Search::new(heap_of(size), config));
        let state = Arc::new(RunState::new(Some(before + simulations), 1));
        let work = |seed: u64, wanted: u64| {
            let (search, state) = (search.clone(), state.clone());
            move || {
                let shared = search.shared(&search.trees[0], None, &[]);
                let mut worker = Worker::new(&shared, Rng::with_seed(seed));
                state.batch(wanted, 0, &mut worker, || false);
                shared.store.park(worker.stock);
            }
        };
        work(0, before)();
        let share = simulations.div_ceil(2);
        let other = thread::spawn(work(1, share));
        work(2, share)();
        other.join().expect("it ends");
        let tree = &search.trees[0];
        check(&tree.store, true);
        let root = tree.store.node(tree.root);
        assert_eq!(
            (state.simulations(), root.visits.load(Relaxed)),
            (before + simulations, (before + simulations) as u32)
        );
        // Who has a heap of three loses.
        let exact = if size == 3 { -1.0 } else { 1.0 };
        assert!(root.lower.get() <= exact && exact <= root.upper.get());
    });
}

#[test]
fn two_threads_expand_a_root_together() {
    search_a_heap(1, 1, 3, 0, 2);
}

#[test]
fn two_threads_prove_a_node_together() {
    search_a_heap(1, 2, 2, 1, 2);
}

/// No heap is drawn, so a bound of 0 would be one of a node that is not ready.
#[test]
fn a_report_follows_links_to_nodes_that_are_ready() {
    explore(2, || {
        let search =
            Arc::new(Search::new(heap_of(2), Config { threads: 2, hash_mib: 1, seed: 1, ..Config::default() }));
        let other = thread::spawn({
            let search = search.clone();
            move || {
                let shared = search.shared(&search.trees[0], None, &[]);
                let mut worker = Worker::new(&shared, Rng::with_seed(1));
                let simulated = worker.simulate().is_ok();
                shared.store.park(worker.stock);
                simulated
            }
        });
        for found in search.report(2).moves {
            assert!(found.lower != 0.0 && found.upper != 0.0, "{found:?}");
        }
        assert!(other.join().expect("it ends"));
    });
}

/// A heap of two with an edge to the losing move: one simulation more proves that it is won.
#[test]
fn a_mean_that_comes_late_does_not_outdo_a_proof() {
    explore(2, || {
        let search = Arc::new(Search::new(
            heap_of(2),
            Config { threads: 2, hash_mib: 1, seed: LOSES_FIRST, ..Config::default() },
        ));
        let work = |act: fn(&mut Worker<Heap>, &Node)| {
            let search = search.clone();
            move || {
                let tree = &search.trees[0];
                let shared = search.shared(tree, None, &[]);
                let mut worker = Worker::new(&shared, Rng::with_seed(1));
                act(&mut worker, tree.store.node(tree.root));
                shared.store.park(worker.stock);
            }
        };
        let simulate: fn(&mut Worker<Heap>, &Node) = |worker, _| assert!(worker.simulate().is_ok());
        work(simulate)();
        assert!(!search.root_state().proven());
        let other = thread::spawn(work(simulate));
        work(|worker, root| worker.recompute(root))();
        other.join().expect("it ends");
        let root = search.root_state();
        assert!(root.proven() && root.value == 1.0, "{root:?}");
    });
}
