//! Nodes that threads, seeds, starts and sizes of memory share stay true.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use playout_games::{Action, Game, Player, Rng, connect_four::ConnectFour, go::Go, hex::Hex};
use playout_search::{Config, Control, Limits, LineStep, Reason, Search};

use crate::common::{game, heap::Heap, run, solve};

#[test]
fn threads_never_see_a_finished_position_without_its_result() {
    for seed in 0..300 {
        let size = 5 + (seed % 4) as u32;
        let heap = Heap { size, most: 3, pause: Duration::from_micros(200) };
        let mut search = Search::new(heap, Config { threads: 4, seed, hash_mib: 1, ..Config::default() });
        // The proof ends it: a thread that waits for a core may keep its position from the others for any number of
        // simulations.
        let outcome = run(&mut search, u64::MAX);
        let exact = if size.is_multiple_of(4) { -1.0 } else { 1.0 };
        assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, exact), "heap of {size}, seed {seed}");
    }
}

/// A move chooses one of three dice; the result stands on the side that is rolled.
struct Dice(Vec<Vec<f32>>);

/// The die that was chosen, the side that was rolled.
type Roll = (Option<u32>, Option<u32>);

impl Game for Dice {
    type Position = Roll;

    fn initial(&self) -> Roll {
        (None, None)
    }

    fn player(&self, p: &Roll) -> Player {
        if p.0.is_none() { Player::First } else { Player::Chance }
    }

    fn result(&self, p: &Roll) -> Option<f32> {
        Some(self.0[p.0? as usize][p.1? as usize])
    }

    fn actions(&self, p: &Roll, out: &mut Vec<Action>) {
        out.clear();
        match *p {
            (None, _) => out.extend(0..self.0.len() as u32),
            (Some(die), None) => out.extend(0..self.0[die as usize].len() as u32),
            _ => {}
        }
    }

    fn probability(&self, p: &Roll, _: Action) -> f32 {
        p.0.map_or(1.0, |die| 1.0 / self.0[die as usize].len() as f32)
    }

    fn play(&self, p: &mut Roll, a: Action) {
        if p.0.is_none() { p.0 = Some(a) } else { p.1 = Some(a) }
    }

    fn frame_key(&self, p: &Roll, _: u8) -> u64 {
        playout_games::zobrist::key(p.0.map_or(0, |die| 1 + u64::from(die)), p.1.map_or(0, |side| 1 + u64::from(side)))
    }

    fn action_text(&self, _: &Roll, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<Roll, String> {
        Err("no text".to_owned())
    }
}

#[test]
fn rounding_neither_stops_a_proof_nor_the_search() {
    let sides = [-1.0, 1.0, 1.0, 0.0, 0.3, -0.7];
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let mut dice = vec![Vec::new(); 3];
        for die in &mut dice {
            *die = (0..rng.usize(2..14)).map(|_| sides[rng.usize(..sides.len())]).collect();
        }
        let mean = |die: &Vec<f32>| die.iter().sum::<f32>() / die.len() as f32;
        let best = dice.iter().map(mean).fold(-1.0, f32::max);
        let mut search = Search::new(Dice(dice), Config { seed, hash_mib: 1, ..Config::default() });
        let outcome = run(&mut search, 100_000);
        assert_eq!(outcome.reason, Reason::Proven, "seed {seed}");
        assert!((outcome.report.value - best).abs() < 1e-5, "{} for {best}", outcome.report.value);
    }
}

#[test]
fn what_wins_with_every_roll_is_a_win() {
    for sides in 2..40 {
        let dice = Dice(vec![vec![1.0; sides], vec![0.5; sides]]);
        let mut search = Search::new(dice, Config { hash_mib: 1, ..Config::default() });
        let outcome = run(&mut search, 100_000);
        assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, 1.0), "{sides} sides");
        assert_eq!(outcome.report.moves[0].plies, Some(2));
    }
}

fn small_board() -> ConnectFour {
    game(ConnectFour::new, &[("columns", "4"), ("rows", "4")])
}

#[test]
fn another_seed_leaves_no_move_out() {
    let game = small_board();
    let mut known = HashMap::new();
    let mut rng = Rng::with_seed(3);
    for number in 0..60 {
        let (mut position, mut line, mut actions) = (game.initial(), Vec::new(), Vec::new());
        for _ in 0..rng.usize(4..9) {
            game.actions(&position, &mut actions);
            let action = actions[rng.usize(..actions.len())];
            let mut next = position;
            game.play(&mut next, action);
            if game.result(&next).is_some() {
                break;
            }
            position = next;
            line.push(LineStep::Action(action));
        }
        let config = |seed| Config { seed, hash_mib: 4, ..Config::default() };
        let mut search = Search::new(game.clone(), config(number));
        search.set_position(game.initial(), line.clone());
        for seed in 100..104 {
            run(&mut search, 60);
            search.configure(config(seed + number));
            search.set_position(game.initial(), line.clone());
        }
        let outcome = run(&mut search, 1_000_000);
        let value = solve(&game, &position, &mut known) * game.player(&position).sign();
        assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, value), "after {line:?}");
    }
}

#[test]
fn clearing_a_plain_tree_in_the_middle_of_a_game_does_not_make_it_the_start() {
    let game = small_board();
    let config = Config { transpositions: false, symmetries: false, hash_mib: 4, ..Config::default() };
    let mut search = Search::new(game.clone(), config);
    search.set_position(game.initial(), [LineStep::Action(0)]);
    search.clear();
    assert_eq!(game.player(search.position()), Player::Second);
    // The first player has three in a row and wins at once.
    let start = [0, 0, 1, 1, 2, 2].into_iter().fold(game.initial(), |mut position, action| {
        game.play(&mut position, action);
        position
    });
    search.set_position(start, []);
    let outcome = run(&mut search, 1_000);
    assert_eq!((outcome.reason, outcome.report.value, outcome.report.moves[0].action), (Reason::Proven, 1.0, 3));
}

/// Stops the search in its playout number `at`.
struct Stopping {
    control: Arc<Control>,
    playouts: AtomicU64,
    at: u64,
}

impl Game for Stopping {
    type Position = u64;

    fn initial(&self) -> u64 {
        1
    }

    fn player(&self, _: &u64) -> Player {
        Player::First
    }

    fn result(&self, _: &u64) -> Option<f32> {
        None
    }

    fn actions(&self, _: &u64, out: &mut Vec<Action>) {
        out.clear();
        out.extend([0, 1]);
    }

    fn play(&self, p: &mut u64, a: Action) {
        *p = *p * 2 + u64::from(a);
    }

    fn frame_key(&self, p: &u64, _: u8) -> u64 {
        *p
    }

    fn rollout(&self, _: &mut u64, _: &mut Rng) -> f32 {
        if self.playouts.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
            self.control.stop();
        }
        0.0
    }

    fn action_text(&self, _: &u64, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<u64, String> {
        Err("no text".to_owned())
    }
}

#[test]
fn a_search_ends_with_the_simulation_in_which_it_is_stopped() {
    for at in [1, 2, 1000, 20_000] {
        let control = Arc::new(Control::default());
        let game = Stopping { control: control.clone(), playouts: AtomicU64::new(0), at };
        let mut search = Search::new(game, Config { hash_mib: 64, ..Config::default() });
        let outcome = search.run(Limits::default(), &control, Duration::from_secs(60), 1, &mut |_, _, _| {});
        assert_eq!((outcome.reason, outcome.report.simulations), (Reason::Stop, at));
    }
}

#[test]
fn a_simulation_of_go_takes_500_bytes_at_most() {
    let mut search = Search::new(game(Go::new, &[("size", "19")]), Config::default());
    let nodes = 10_000;
    run(&mut search, nodes);
    let each = search.used() / nodes as usize;
    assert!(each <= 500, "{each} bytes");
}

/// Leaves fill the memory first, then nodes with hundreds of edges ask for it.
#[test]
fn what_is_free_serves_every_need() {
    let config = Config { hash_mib: 1, seed: 1, ..Config::default() };
    let mut search = Search::new(game(Hex::new, &[("size", "26")]), config);
    let mut line = Vec::new();
    for _ in 0..2 {
        let outcome = run(&mut search, 50_000);
        assert_eq!(outcome.reason, Reason::Nodes, "after {} simulations", outcome.report.simulations);
        line.push(LineStep::Action(outcome.report.moves[0].action));
        let start = search.game().initial();
        search.set_position(start, line.clone());
    }
}
