//! The memory bound holds for the memory that is resident, and no size of it stops the search. A process of its own,
//! so that the pages of other tests do not count.

use std::time::Duration;

use playout_games::{Game, Params, connect_four::ConnectFour, go::Go, hex::Hex};
use playout_search::{Config, Control, Limits, LineStep, Parallelism, Reason, Search, SearchResult};

fn board(size: &str) -> Params {
    Params([("size".to_owned(), size.to_owned())].into())
}

fn run<G: Game>(search: &mut Search<G>, nodes: u64) -> SearchResult {
    let control = Control::default();
    control.set_deadline(None, Some(Duration::from_secs(100)));
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    search.run(limits, &control, Duration::from_secs(60), 1, &mut |_, _, _| {})
}

#[cfg(target_os = "linux")]
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    4096 * pages.split(' ').nth(1).and_then(|word| word.parse::<usize>().ok()).expect("a number")
}

/// One after the other, because both tests look at the same process.
#[test]
fn memory_is_bounded_and_what_is_free_serves_every_need() {
    #[cfg(target_os = "linux")]
    for (threads, parallelism, mib) in
        [(1, Parallelism::Tree, 16), (2, Parallelism::Tree, 8), (2, Parallelism::Root, 8)]
    {
        let before = resident();
        let config = Config { hash_mib: mib, seed: 1, threads, parallelism, ..Config::default() };
        let mut search = Search::new(ConnectFour::new(&Params::default()).expect("the default rules"), config);
        let (mut rounds, mut visits) = (0, 0);
        while search.upkeep().reclaims < 12 {
            visits += 25_000;
            assert_eq!(run(&mut search, 25_000).report.visits, visits, "the root keeps its statistics");
            let grown = resident().saturating_sub(before);
            // Half a MiB for what is not the graph: stacks, reports, the allocator.
            assert!(grown < (mib << 20) + (1 << 19), "{grown} bytes with {threads} threads");
            rounds += 1;
            assert!(rounds < 100, "{:?}", search.upkeep());
        }
    }
    let mut search = Search::new(Go::new(&board("19")).expect("the board is legal"), Config::default());
    let nodes = 10_000;
    run(&mut search, nodes);
    let each = search.used() / nodes as usize;
    assert!(each <= 500, "{each} bytes a simulation of Go 19x19");
    // Leaves fill the memory first, then nodes with hundreds of edges ask for it.
    let config = Config { hash_mib: 1, seed: 1, ..Config::default() };
    let mut search = Search::new(Hex::new(&board("26")).expect("the board is legal"), config);
    let mut line = Vec::new();
    for _ in 0..2 {
        let outcome = run(&mut search, 50_000);
        assert_eq!(outcome.reason, Reason::Nodes, "after {} simulations", outcome.report.simulations);
        line.push(LineStep::Action(outcome.report.moves[0].action));
        let start = search.game().initial();
        search.set_position(start, line.clone());
    }
}
