//! Nodes that threads, seeds, starts and sizes of memory share stay true.

use std::{thread, time::Duration};

use playout_games::{Action, Game, Player};
use playout_search::{Config, Control, Limits, Outcome, Reason, Search};

fn run<G: Game>(search: &mut Search<G>, nodes: u64) -> Outcome {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    search.run(limits, &Control::default(), Duration::from_secs(60), 3, &mut |_, _, _| {})
}

/// Players take one to three of a heap in turn; who takes the last one wins.
#[derive(Clone)]
struct Heap(u32);

impl Game for Heap {
    type Position = (u32, Player);

    fn initial(&self) -> Self::Position {
        (self.0, Player::First)
    }

    fn player(&self, p: &Self::Position) -> Player {
        p.1
    }

    fn result(&self, p: &Self::Position) -> Option<f32> {
        (p.0 == 0).then(|| -p.1.sign())
    }

    /// Gives other threads the time to look at a finished position that is not ready.
    fn path_dependent(&self, p: &Self::Position) -> bool {
        if p.0 == 0 {
            thread::sleep(Duration::from_micros(200));
        }
        false
    }

    fn actions(&self, p: &Self::Position, out: &mut Vec<Action>) {
        out.clear();
        out.extend(1..=p.0.min(3));
    }

    fn play(&self, p: &mut Self::Position, a: Action) {
        *p = (p.0 - a, p.1.other());
    }

    fn frame_key(&self, p: &Self::Position, _: u8) -> u64 {
        playout_games::zobrist::key(u64::from(p.0), p.1 as u64)
    }

    fn action_text(&self, _: &Self::Position, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<Self::Position, String> {
        Err("no text".to_owned())
    }
}

#[test]
fn threads_never_see_a_finished_position_without_its_result() {
    for seed in 0..150 {
        let size = 5 + (seed % 4) as u32;
        let mut search = Search::new(Heap(size), Config { threads: 4, seed, hash_bytes: 1 << 20, ..Config::default() });
        let outcome = run(&mut search, 100_000);
        let exact = if size % 4 == 0 { -1.0 } else { 1.0 };
        assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, exact), "heap of {size}, seed {seed}");
    }
}
