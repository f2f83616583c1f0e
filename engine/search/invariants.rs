//! Invariants of every graph that no thread is working on, whatever the threads did before.

use std::{sync::atomic::Ordering::Relaxed, time::Duration};

use playout_games::{
    Action, Game, Params, Player, TablePaths,
    backgammon::{Backgammon, bearoff::Bearoff},
    connect_four::ConnectFour,
    go::Go,
    tic_tac_toe::TicTacToe,
};

use crate::{
    Config, Control, Limits, Parallelism, PolicyKind, Reason, Search, SearchResult,
    graph::{
        node::{FREE, Index, KEPT, KNOWN, LOCKED, OVER},
        store::Store,
        tree::Tree,
    },
    guide::macros::{Drawing, DrawnCell, Images, PatternMacro, Symbol, Turn},
};

fn params(pairs: &[(&str, &str)]) -> Params {
    Params(pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn connect_four(columns: &str, rows: &str) -> ConnectFour {
    ConnectFour::new(&params(&[("columns", columns), ("rows", rows)])).expect("the board is legal")
}

fn go(size: &str) -> Go {
    Go::new(&params(&[("size", size)])).expect("the board is legal")
}

fn run<G: Game>(search: &mut Search<G>, nodes: u64) -> SearchResult {
    let limits = Limits { nodes: Some(nodes), past_proof: true, ..Limits::default() };
    search.run(limits, &Control::default(), Duration::from_secs(60), 3, &mut |_, _, _| {})
}

/// Checks all nodes of a graph; `whole` says that nothing of it was reclaimed.
pub(crate) fn check(store: &Store, whole: bool) {
    for index in 1..store.ends().0 {
        let node = store.node(index);
        if node.has(FREE) || node.key.load(Relaxed) == 0 {
            continue;
        }
        assert!(!node.has(LOCKED | KEPT) && node.pending.load(Relaxed) == 0, "node {index} is left alone");
        let edges: Vec<_> = store.edges_of(node).map(|(_, edge)| edge).collect();
        assert_eq!(edges.len(), node.edge_count.load(Relaxed) as usize);
        let below: u32 = edges.iter().map(|edge| edge.visits.load(Relaxed)).sum();
        let (visits, counted) = (node.visits.load(Relaxed), below + node.own_visits.load(Relaxed));
        let cut = !whole && node.mover() == Player::Chance;
        if node.has(OVER) || node.proven() || cut {
            assert!(counted <= visits, "node {index}: {counted} of {visits} visits");
        } else {
            assert_eq!(counted, visits, "node {index}");
        }
        assert!(node.wins.load(Relaxed) + node.draws.load(Relaxed) <= visits, "node {index}");
        assert!((-1.0..=1.0).contains(&node.value.get()), "node {index}");
        assert!(node.lower.get() <= node.mean() && node.mean() <= node.upper.get(), "node {index}");
        let mut actions: Vec<Action> = edges.iter().map(|edge| edge.action.load(Relaxed)).collect();
        actions.sort_unstable();
        assert!(actions.windows(2).all(|pair| pair[0] < pair[1]), "node {index} has an action twice");
        for edge in edges {
            let child = edge.child.load(Relaxed);
            assert!(child < store.ends().0 && (child == 0 || !store.node(child).has(FREE)));
        }
    }
}

/// Checks the meta-edges of a graph, and returns the number of simulations that took them; `exact` says that no visits were
/// halved. Each simulation that takes a meta-edge takes the edge of its first move, and no other meta-edge of the node.
fn check_metas(tree: &Tree, exact: bool) -> u32 {
    let mut all = 0;
    for (key, metas) in tree.metas.all() {
        let node = tree.store.node(tree.store.find(key).expect("a node that is there"));
        let visits_of = |action: Action| {
            let edges = tree.store.edges_of(node).filter(|(_, edge)| edge.action.load(Relaxed) == action);
            edges.map(|(_, edge)| edge.visits.load(Relaxed)).sum::<u32>()
        };
        for meta in &metas {
            let visits = meta.visits.load(Relaxed);
            assert_eq!(meta.pending.load(Relaxed), 0, "nobody follows the tree");
            assert!((-1.0..=1.0).contains(&meta.value.get()), "{}", meta.value.get());
            assert!(visits <= visits_of(meta.action), "{visits} of {}", visits_of(meta.action));
            let together = metas.iter().filter(|other| other.action == meta.action);
            let together: u32 = together.map(|other| other.visits.load(Relaxed)).sum();
            assert!(!exact || together <= visits_of(meta.action), "{together} of {}", visits_of(meta.action));
            all += visits;
        }
    }
    all
}

fn check_all<G: Game>(search: &Search<G>) -> u32 {
    let of = |tree: &Tree| {
        check(&tree.store, search.upkeep().reclaims == 0);
        check_metas(tree, search.upkeep().halvings == 0)
    };
    search.trees.iter().map(of).sum()
}

/// Macros that match everywhere: a line of three empty cells, with a tree that goes on after any reply.
fn everywhere() -> (Images, Vec<PatternMacro>) {
    let cell = |(column, letter)| DrawnCell { column, row: 0, symbol: Symbol::Empty, name: Some(letter) };
    let cells = (0..).zip(*b"abc").map(cell).collect();
    let drawing = Drawing { cells, directed: false };
    let turn = |letter: u8, others| Turn { play: Some(letter.into()), others, ..Turn::default() };
    let macros = [b"abc", b"cba"].map(|letters| PatternMacro {
        weight: 1.0,
        visits: 0,
        value: 0.0,
        only: false,
        drawings: vec![drawing.clone()],
        turns: vec![turn(letters[0], Some(1)), turn(letters[1], Some(2)), turn(letters[2], None)],
        ..PatternMacro::default()
    });
    (Images { matrices: vec![(1, 0, 0, 1), (0, -1, 1, 0)], ..Images::default() }, macros.into())
}

/// Searches one small graph again and again with more threads than processors.
fn hammer<G: Game>(make: impl Fn() -> G, searches: u64, nodes: u64) {
    for seed in 0..searches {
        let config = Config { threads: 4, seed, hash_mib: 4, ..Config::default() };
        let mut search = Search::new(make(), config);
        let outcome = run(&mut search, nodes);
        check_all(&search);
        assert_eq!((outcome.reason, outcome.report.simulations), (Reason::Nodes, nodes));
        assert_eq!(u64::from(outcome.report.visits), nodes, "no simulation is lost at the root");
    }
}

#[test]
fn threads_that_hammer_a_small_graph_leave_consistent_counts() {
    hammer(|| TicTacToe, 40, 3_000);
    hammer(|| connect_four("4", "4"), 15, 6_000);
    hammer(|| go("3"), 10, 5_000);
}

/// Simulations follow trees of macros, in one graph and in several, while memory is freed and counts are halved.
#[test]
fn threads_that_take_meta_edges_leave_consistent_counts() {
    fn follow<G: Game>(make: impl Fn() -> G, nodes: u64) {
        for (seed, policy) in (0..).zip([PolicyKind::Ucb1, PolicyKind::Puct, PolicyKind::Thompson, PolicyKind::Rave]) {
            for (threads, parallelism) in [(1, Parallelism::Tree), (4, Parallelism::Tree), (2, Parallelism::Root)] {
                let (tree_policy, hash_mib) = (policy, if threads == 2 { 2 } else { 1 });
                let config = Config {
                    threads,
                    parallelism,
                    tree_policy,
                    seed,
                    hash_mib,
                    solver: seed % 2 == 0,
                    meta_actions: true,
                    ..Config::default()
                };
                let mut search = Search::new(make(), config);
                let (images, macros) = everywhere();
                search.set_macros(&images, macros).expect("a board of cells");
                let mut taken = 0;
                for round in 0..6 {
                    // The last searches halve the counts.
                    search.most_visits = if round < 4 { search.most_visits } else { 1 << 10 };
                    run(&mut search, nodes);
                    taken += check_all(&search);
                    search.make_room();
                    check_all(&search);
                }
                assert!(taken > 100, "trees were followed {taken} times");
            }
        }
    }
    follow(|| TicTacToe, 500);
    follow(|| go("5"), 500);
    follow(|| connect_four("5", "4"), 500);
}

/// Simulations go on below nodes that are proven.
#[test]
fn threads_that_search_a_lost_game_for_points_leave_consistent_counts() {
    for (seed, komi) in (0..10).flat_map(|seed| [(seed, "20.5"), (seed, "-20.5")]) {
        let game = Go::new(&params(&[("size", "3"), ("komi", komi)])).expect("the board is legal");
        let config =
            Config { threads: 4, seed, hash_mib: 4, points_weight: 0.02, rave: seed % 2 == 0, ..Config::default() };
        let mut search = Search::new(game, config);
        let report = run(&mut search, 5_000).report;
        check_all(&search);
        assert_eq!(u64::from(report.visits), 5_000, "no simulation is lost at the root");
        assert!(if komi == "20.5" { report.value < -0.5 } else { report.value > 0.5 }, "{}", report.value);
    }
}

#[test]
fn threads_that_roll_dice_leave_consistent_counts() {
    for seed in 0..20 {
        let game = Backgammon::new(&Params::default()).expect("the default rules");
        let start = game.parse_position("4HPwATDgc/ABMA 0 -").expect("a position");
        let config = Config { threads: 4, seed, hash_mib: 8, ..Config::default() };
        let mut search = Search::new(game, config);
        search.set_position(start, []);
        run(&mut search, 2_000);
        check_all(&search);
    }
}

/// Positions with values from tables are leaves, and one that becomes the root is searched.
#[test]
fn threads_that_meet_values_of_tables_leave_consistent_counts() {
    let file = std::env::temp_dir().join(format!("playout-tables-{}", std::process::id()));
    std::fs::write(&file, Bearoff::solve(2, |_| true).expect("solved").to_bytes()).expect("a file");
    let tables = TablePaths { paths: vec![file.clone()], most_pieces: 0 };
    for (seed, solver) in [(1, true), (2, false), (3, true), (4, false)] {
        let game = Backgammon::new(&Params::default()).expect("the default rules");
        let config = Config { threads: 4, seed, solver, hash_mib: 8, ..Config::default() };
        let mut search = Search::new(game, config);
        search.set_tables(Some(&tables), 1).expect("the file is right");
        // Both have three checkers on their sixth points: it takes two rolls to come to the tables.
        let start = search.game().parse_position("4AAAAA4AAAAAAA 0 -");
        search.set_position(start.expect("a position"), []);
        run(&mut search, 3_000);
        check_all(&search);
        let store = &search.trees[0].store;
        let known: Vec<u64> = (1..store.ends().0)
            .map(|index| store.node(index))
            .filter(|node| node.has(KNOWN))
            .map(|node| {
                assert!(node.edge_count.load(Relaxed) == 0 && node.own_visits.load(Relaxed) == 0);
                node.key.load(Relaxed)
            })
            .collect();
        assert!(known.len() > 10, "{} known", known.len());
        search.enter_root(known[0]);
        let tree = &search.trees[0];
        let root = tree.store.node(tree.root);
        assert_eq!(
            (root.has(KNOWN), root.visits.load(Relaxed), root.lower.get(), root.upper.get()),
            (false, 0, -1.0, 1.0)
        );
    }
    std::fs::remove_file(file).expect("it is there");
}

/// The state of the root while another thread appends to it and does not come to an end.
fn lock_root<G: Game>(search: &Search<G>) -> &crate::graph::node::Node {
    let tree = &search.trees[0];
    let root = tree.store.node(tree.root);
    root.flags.fetch_or(LOCKED, Relaxed);
    root
}

#[test]
fn who_may_not_expand_takes_an_edge_that_is_there_or_samples_the_node() {
    let config = Config { threads: 2, seed: 1, hash_mib: 4, ..Config::default() };
    let mut search = Search::new(connect_four("7", "6"), config.clone());
    while search.report(0).moves.len() < 2 {
        run(&mut search, 1);
    }
    let tree = &search.trees[0];
    let leaf = |child: &Index| tree.store.node(*child).edge_count.load(Relaxed) == 0;
    let children: Vec<_> = tree.store.edges_of(tree.store.node(tree.root)).map(|(_, edge)| edge.leads_to()).collect();
    let child = children.into_iter().find(leaf).expect("a move that was tried once");
    let before = tree.store.node(child).visits.load(Relaxed);
    tree.store.node(child).flags.fetch_or(LOCKED, Relaxed);
    run(&mut search, 300);
    let node = search.trees[0].store.node(child);
    let facts = [&node.edge_count, &node.own_visits].map(|counter| counter.load(Relaxed));
    assert_eq!(facts, [0, node.visits.load(Relaxed)]);
    assert!(facts[1] > before);
    node.flags.fetch_and(!LOCKED, Relaxed);

    let root = lock_root(&search);
    let before = [&root.edge_count, &root.own_visits, &root.visits].map(|counter| counter.load(Relaxed));
    run(&mut search, 300);
    let root = lock_root(&search);
    let after = [&root.edge_count, &root.own_visits, &root.visits].map(|counter| counter.load(Relaxed));
    assert_eq!(after, [before[0], before[1], before[2] + 300]);
    root.flags.fetch_and(!LOCKED, Relaxed);
    run(&mut search, 300);
    check_all(&search);

    let game = Backgammon::new(&Params::default()).expect("the default rules");
    let start = game.parse_position("4HPwATDgc/ABMA 0 -").expect("a position");
    let mut search = Search::new(game, config);
    search.set_position(start, []);
    assert_eq!(search.game().player(search.position()), Player::Chance);
    run(&mut search, 1);
    let root = lock_root(&search);
    let (edges, own) = (root.edge_count.load(Relaxed), root.own_visits.load(Relaxed));
    run(&mut search, 300);
    let root = lock_root(&search);
    assert_eq!(root.edge_count.load(Relaxed), edges);
    assert!(root.own_visits.load(Relaxed) > own + 100, "most outcomes have no edge");
    root.flags.fetch_and(!LOCKED, Relaxed);
    run(&mut search, 300);
    check_all(&search);
}

#[test]
fn threads_lose_no_proof() {
    for seed in 0..20 {
        let config = Config { threads: 4, seed, hash_mib: 4, ..Config::default() };
        let mut search = Search::new(TicTacToe, config);
        let limits = Limits { nodes: Some(200_000), ..Limits::default() };
        let outcome = search.run(limits, &Control::default(), Duration::from_secs(60), 3, &mut |_, _, _| {});
        assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, 0.0), "seed {seed}");
        check_all(&search);
    }
}

#[test]
fn visit_counts_are_halved_before_they_run_over_and_the_search_goes_on() {
    let limit = 1 << 14;
    for (threads, parallelism) in [(1, Parallelism::Tree), (3, Parallelism::Tree), (2, Parallelism::Root)] {
        let config = Config { threads, parallelism, hash_mib: 8, seed: 5, ..Config::default() };
        let mut search = Search::new(connect_four("5", "4"), config);
        search.most_visits = limit;
        let (mut before, mut shares) = (search.upkeep().halvings, Vec::new());
        for _ in 0..40 {
            let report = run(&mut search, 2_000).report;
            check_all(&search);
            // Batches that were under way when the limit came near are finished.
            assert!(search.trees.iter().all(|tree| tree.store.node(tree.root).visits.load(Relaxed) < 2 * limit));
            shares = report.moves.iter().map(|m| f64::from(m.visits) / f64::from(report.visits)).collect();
            before = before.max(search.upkeep().halvings);
        }
        assert!(before >= 2, "{before} halvings");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 0.01, "{shares:?}");
    }
}

#[test]
fn halving_keeps_ratios_and_values() {
    let mut search = Search::new(connect_four("7", "6"), Config { seed: 1, hash_mib: 32, ..Config::default() });
    let before = run(&mut search, 100_000).report;
    crate::graph::halve::halve(&search.trees[0].store);
    check_all(&search);
    let after = search.report(3);
    assert_eq!(before.value.to_bits(), after.value.to_bits());
    for (old, new) in before.moves.iter().zip(&after.moves) {
        assert_eq!((old.action, old.visits.div_ceil(2), old.value), (new.action, new.visits, new.value));
        assert!((old.win - new.win).abs() < 0.01 && (old.draw - new.draw).abs() < 0.01);
    }
}

#[test]
fn reclaiming_leaves_the_statistics_of_the_root_as_they_were() {
    for threads in [1, 2] {
        let config = Config { threads, hash_mib: 2, seed: 1, ..Config::default() };
        let mut search = Search::new(go("9"), config);
        for _ in 0..6 {
            let before = run(&mut search, 5_000).report;
            search.make_room();
            let after = search.report(3);
            assert_eq!((before.visits, before.value), (after.visits, after.value));
            let facts = |report: &crate::SearchReport| -> Vec<(Action, u32, f32, f32, f32)> {
                report.moves.iter().map(|m| (m.action, m.visits, m.value, m.lower, m.upper)).collect()
            };
            assert_eq!(facts(&before), facts(&after));
            check_all(&search);
        }
        assert!(search.upkeep().reclaims >= 6);
    }
}

#[test]
fn trees_of_their_own_add_up() {
    let config = Config { threads: 3, parallelism: Parallelism::Root, hash_mib: 16, ..Config::default() };
    let mut search = Search::new(connect_four("7", "6"), config);
    let outcome = run(&mut search, 30_000);
    check_all(&search);
    assert_eq!(search.trees.len(), 3);
    let report = outcome.report;
    assert_eq!((report.simulations, report.visits), (30_000, 30_000));
    assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u32>(), 30_000);
    let visits_of = |tree: usize| search.trees[tree].store.node(search.trees[tree].root).visits.load(Relaxed);
    let orders: Vec<Vec<Action>> = search
        .trees
        .iter()
        .map(|tree| {
            tree.store.edges_of(tree.store.node(tree.root)).map(|(_, edge)| edge.action.load(Relaxed)).collect()
        })
        .collect();
    assert!((0..3).all(|tree| visits_of(tree) > 0) && (orders[0] != orders[1] || orders[1] != orders[2]));
    let mean: f32 = report.moves.iter().map(|m| m.value * m.visits as f32).sum::<f32>() / 30_000.0;
    assert!((report.value - mean).abs() < 0.02, "{} {mean}", report.value);
    assert!(report.moves.iter().all(|m| (0.0..=1.0).contains(&m.win) && m.win + m.draw <= 1.0 + 1e-5));
    assert!(!report.moves[0].line.is_empty());
    // The next search goes on with what each tree knows.
    assert_eq!(run(&mut search, 1_000).report.visits, 31_000);
}

#[test]
fn trees_of_their_own_keep_the_memory_bound_and_prove() {
    let config = Config { threads: 4, parallelism: Parallelism::Root, hash_mib: 2, ..Config::default() };
    let mut search = Search::new(connect_four("7", "6"), config);
    assert_eq!(search.trees.len(), 2, "no more trees than have room");
    let outcome = run(&mut search, 100_000);
    assert_eq!(outcome.reason, Reason::Nodes);
    assert!(search.used() <= 2 << 20 && search.upkeep().reclaims > 1);
    check_all(&search);
    let config = Config { threads: 2, parallelism: Parallelism::Root, hash_mib: 4, ..Config::default() };
    let mut search = Search::new(TicTacToe, config);
    let limits = Limits { nodes: Some(200_000), ..Limits::default() };
    let outcome = search.run(limits, &Control::default(), Duration::from_secs(60), 3, &mut |_, _, _| {});
    assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, 0.0));
}
