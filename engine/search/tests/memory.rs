//! The memory bound holds for the memory that is resident, and no size of it stops the search. A process of its own,
//! so that the pages of other tests do not count.

use std::time::Duration;

use playout_games::{Game, Params, go::Go, hex::Hex};
use playout_search::{Config, Control, Limits, Outcome, Reason, Search, Step};

fn board(size: &str) -> Params {
    Params([("size".to_owned(), size.to_owned())].into())
}

fn run<G: Game>(search: &mut Search<G>, nodes: u64) -> Outcome {
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
    {
        let before = resident();
        let config = Config { hash_bytes: 16 << 20, seed: 1, ..Config::default() };
        let mut search = Search::new(Go::new(&board("9")).expect("the board is legal"), config);
        for _ in 0..4 {
            run(&mut search, 60_000);
            assert!(resident() < before + (17 << 20), "{} bytes", resident() - before);
        }
    }
    // Leaves fill the memory first, then nodes with hundreds of edges ask for it.
    let config = Config { hash_bytes: 1 << 20, seed: 1, ..Config::default() };
    let mut search = Search::new(Hex::new(&board("26")).expect("the board is legal"), config);
    let mut line = Vec::new();
    for _ in 0..2 {
        let outcome = run(&mut search, 50_000);
        assert_eq!(outcome.reason, Reason::Nodes, "after {} simulations", outcome.report.simulations);
        line.push(Step::Action(outcome.report.moves[0].action));
        let start = search.game().initial();
        search.set_position(start, line.clone());
    }
}
