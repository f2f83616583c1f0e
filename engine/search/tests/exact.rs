//! Proofs of the search agree with exhaustive search, and its promises about seeds and memory hold.

use std::collections::HashMap;

use playout_games::{
    Action, Game, Player, Rng, backgammon::Backgammon, connect_four::ConnectFour, go::Go, tic_tac_toe::TicTacToe,
};
use playout_search::{Config, LineStep, PolicyKind, Reason, Search, SearchResult, SharedVisits};

use crate::common::{game, run, solve};

fn connect_four(columns: &str, rows: &str) -> ConnectFour {
    game(ConnectFour::new, &[("columns", columns), ("rows", rows)])
}

/// Random positions of `game`, `plies` moves deep or less: the moves that lead there.
fn random_line<G: Game>(game: &G, rng: &mut Rng, plies: usize) -> Vec<Action> {
    let mut position = game.initial();
    let mut line = Vec::new();
    let mut actions = Vec::new();
    for _ in 0..plies {
        game.actions(&position, &mut actions);
        if actions.is_empty() {
            line.pop();
            break;
        }
        let action = actions[rng.usize(..actions.len())];
        game.play(&mut position, action);
        line.push(action);
    }
    if game.result(&position).is_some() {
        line.pop();
    }
    line
}

fn proofs_are_exact<G: Game + Clone>(game: &G, lines: usize, plies: usize) {
    let mut rng = Rng::with_seed(11);
    let mut known = HashMap::new();
    let flat = [PolicyKind::Flat, PolicyKind::McEval, PolicyKind::Minimax];
    let tree_policies: Vec<PolicyKind> =
        PolicyKind::ALL.iter().map(|&(_, kind)| kind).filter(|kind| !flat.contains(kind)).collect();
    for number in 0..lines {
        let length = rng.usize(plies / 2..=plies);
        let line = random_line(game, &mut rng, length);
        let config = Config {
            seed: number as u64,
            transpositions: number % 4 != 0,
            symmetries: number % 3 != 0,
            shared_visits: if number % 2 == 0 { SharedVisits::Descend } else { SharedVisits::Count },
            tree_policy: tree_policies[number % tree_policies.len()],
            rave: number % 7 == 0,
            widening: if number % 6 == 0 { 1.5 } else { 0.0 },
            sampled_actions: if number % 4 == 1 { 2 } else { 0 },
            threads: 1 + usize::from(number % 5 == 0),
            hash_mib: 64,
            ..Config::default()
        };
        let mut search = Search::new(game.clone(), config);
        search.set_position(game.initial(), line.iter().map(|&action| LineStep::Action(action)));
        let outcome = run(&mut search, 3_000_000);
        assert_eq!(outcome.reason, Reason::Proven, "after {line:?}");
        let mover = game.player(search.position()).sign();
        let exact = solve(game, search.position(), &mut known);
        assert_eq!(outcome.report.value * mover, exact, "after {line:?}");
        let mut next = search.position().clone();
        game.play(&mut next, outcome.report.moves[0].action);
        assert_eq!(solve(game, &next, &mut known), exact, "the move chosen after {line:?} keeps the value");
    }
}

#[test]
fn tic_tac_toe_proofs_are_exact() {
    proofs_are_exact(&TicTacToe, 60, 8);
}

#[test]
fn connect_four_proofs_are_exact() {
    proofs_are_exact(&connect_four("4", "4"), 40, 8);
    proofs_are_exact(&connect_four("5", "4"), 20, 12);
}

#[test]
fn tic_tac_toe_is_a_draw_within_1500_simulations() {
    for seed in 0..11 {
        let mut search = Search::new(TicTacToe, Config { seed, exploration: 1.0, ..Config::default() });
        let outcome = run(&mut search, 100_000);
        assert_eq!((outcome.reason, outcome.report.value), (Reason::Proven, 0.0));
        assert!(outcome.report.simulations <= 1_500, "{} simulations", outcome.report.simulations);
        assert!(outcome.report.moves.len() <= 3, "symmetric moves are one edge");
    }
}

#[test]
fn a_seed_repeats_a_search_exactly() {
    let once = |seed| {
        let go = game(Go::new, &[("size", "5")]);
        let mut search = Search::new(go, Config { seed, ..Config::default() });
        let moves = run(&mut search, 3_000).report.moves;
        moves.iter().map(|m| (m.action, m.visits, m.value.to_bits(), m.line.clone())).collect::<Vec<_>>()
    };
    assert_eq!(once(5), once(5));
    assert_ne!(once(5), once(6));
}

#[test]
fn the_memory_bound_holds_and_the_search_goes_on() {
    let config = Config { hash_mib: 2, seed: 1, ..Config::default() };
    let mut search = Search::new(connect_four("7", "6"), config);
    let outcome = run(&mut search, 400_000);
    assert_eq!(outcome.reason, Reason::Nodes);
    assert!(search.used() <= 2 << 20);
    let edges: u32 = outcome.report.moves.iter().map(|m| m.visits).sum();
    assert_eq!(edges, 400_000, "the root keeps its statistics");
}

#[test]
fn two_threads_lose_no_simulation() {
    let config = Config { threads: 2, seed: 1, ..Config::default() };
    let mut search = Search::new(connect_four("7", "6"), config);
    let outcome = run(&mut search, 100_000);
    assert_eq!(outcome.report.simulations, 100_000);
    assert_eq!(u64::from(outcome.report.visits), outcome.report.simulations);
}

#[test]
fn what_is_known_of_the_next_position_is_kept() {
    let mut search = Search::new(connect_four("7", "6"), Config { seed: 3, ..Config::default() });
    let best = run(&mut search, 20_000).report.moves[0].clone();
    let game = connect_four("7", "6");
    search.set_position(game.initial(), [LineStep::Action(best.action)]);
    assert!(search.report(1).visits >= best.visits);
}

#[test]
fn a_restricted_root_answers_in_the_users_own_frame() {
    let mut search = Search::new(TicTacToe, Config::default());
    search.restrict(&[8]);
    let outcome = run(&mut search, 500);
    assert_eq!(outcome.report.moves.iter().map(|m| m.action).collect::<Vec<_>>(), [8]);
    search.restrict(&[]);
    assert!(run(&mut search, 500).report.moves.len() > 1);
}

#[test]
fn lines_are_legal_to_their_end() {
    for seed in 0..20 {
        let game = connect_four("5", "4");
        let mut rng = Rng::with_seed(seed);
        let line = random_line(&game, &mut rng, 6);
        let mut search = Search::new(game.clone(), Config { seed, ..Config::default() });
        search.set_position(game.initial(), line.iter().map(|&action| LineStep::Action(action)));
        for found in run(&mut search, 2_000).report.moves {
            let mut position = *search.position();
            for text in &found.line {
                let action = game.parse_action(&position, text).expect("a legal move");
                game.play(&mut position, action);
            }
        }
    }
}

/// Searches backgammon from a position text.
fn backgammon(text: &str, nodes: u64) -> (Search<Backgammon>, SearchResult) {
    let game = game(Backgammon::new, &[]);
    let start = game.parse_position(text).expect("a position");
    let mut search = Search::new(game, Config { seed: 2, ..Config::default() });
    search.set_position(start, []);
    let outcome = run(&mut search, nodes);
    assert_eq!(search.game().player(search.position()), Player::Chance);
    (search, outcome)
}

#[test]
fn dice_weigh_by_their_probability() {
    let (search, outcome) = backgammon("4HPwATDgc/ABMA 0 -", 5_000);
    assert_eq!(outcome.report.moves.len(), 21);
    let p = |action| search.game().probability(search.position(), action);
    let mean: f32 = outcome.report.moves.iter().map(|m| m.value * p(m.action)).sum();
    assert!((outcome.report.value - mean).abs() < 1e-5);
}

#[test]
fn a_last_checker_on_the_six_point_goes_off_in_three_rolls_of_four() {
    let (_, outcome) = backgammon("AQAAgAAAAAAAAA 0 -", 100_000);
    assert_eq!(outcome.reason, Reason::Proven);
    assert!((outcome.report.value - (0.75 - 0.25) / 3.0).abs() < 1e-6, "{}", outcome.report.value);
}
