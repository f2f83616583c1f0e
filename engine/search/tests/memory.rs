//! The memory bound holds for the memory that is resident. A process of its own, so that the pages of other tests do not
//! count.

use std::time::Duration;

use playout_games::{Params, connect_four::ConnectFour};
use playout_search::{Config, Control, Limits, Parallelism, Search, SearchResult};

fn run(search: &mut Search<ConnectFour>, nodes: u64) -> SearchResult {
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

#[test]
fn resident_memory_is_bounded() {
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
}
