//! Nodes that are studied: what the game proves of them is right, decides games sooner, and leaves the root's move sound.

use std::collections::HashMap;

use playout_games::{Action, Game, Proof, Rng, hex::Hex};
use playout_search::{Config, LineStep, Playouts, PolicyKind, Reason, Search};

use crate::common::{after, game, run, solve};

fn config(proof_visits: u32, seed: u64) -> Config {
    Config {
        tree_policy: PolicyKind::Puct,
        exploration: 2.5,
        playout_policy: Playouts::Knowledge,
        expand_visits: 4,
        proof_visits,
        seed,
        hash_mib: 16,
        ..Config::default()
    }
}

/// A random line that does not end the game.
fn line(game: &Hex, plies: usize, rng: &mut Rng) -> Vec<Action> {
    let (mut p, mut line, mut actions) = (game.initial(), Vec::new(), Vec::new());
    for _ in 0..plies {
        game.actions(&p, &mut actions);
        let action = actions[rng.usize(..actions.len())];
        let mut next = p;
        game.play(&mut next, action);
        if game.result(&next).is_some() {
            break;
        }
        p = next;
        line.push(action);
    }
    line
}

/// A random line to a position of which the game proves no more than that some moves lose, and these moves.
fn left_open(game: &Hex, rng: &mut Rng) -> (Vec<Action>, Vec<Action>) {
    loop {
        let (line, mut p) = (line(game, 9, rng), game.initial());
        line.iter().for_each(|&action| game.play(&mut p, action));
        if let Some(Proof::Open { losing, .. }) = game.prove(&p)
            && !losing.is_empty()
        {
            return (line, losing);
        }
    }
}

#[test]
fn what_is_proven_of_positions_is_true() {
    let mut rng = Rng::with_seed(5);
    let (mut decided, mut left_out) = (0, 0);
    for size in ["3", "4"] {
        let game = game(Hex::new, &[("size", size)]);
        let mut known = HashMap::new();
        for plies in 4..9 {
            for _ in 0..60 {
                let (mut p, line) = (game.initial(), line(&game, plies, &mut rng));
                line.iter().for_each(|&action| game.play(&mut p, action));
                let value = game.player(&p).sign() * solve(&game, &p, &mut known);
                let mut worth = |action: Action| {
                    let mut next = p;
                    game.play(&mut next, action);
                    game.player(&p).sign() * solve(&game, &next, &mut known)
                };
                match game.prove(&p).expect("it applies without a swap") {
                    Proof::Win(action) => {
                        decided += 1;
                        assert_eq!(value, 1.0);
                        assert!(action.is_none_or(|action| worth(action) == 1.0));
                    }
                    Proof::Loss => {
                        decided += 1;
                        assert_eq!(value, -1.0);
                    }
                    Proof::Open { losing, inferior } => {
                        assert!(losing.iter().all(|&action| worth(action) == -1.0));
                        let mut actions = Vec::new();
                        game.actions(&p, &mut actions);
                        actions.retain(|action| !losing.contains(action) && !inferior.contains(action));
                        left_out += losing.len() + inferior.len();
                        assert_eq!(actions.iter().map(|&action| worth(action)).fold(-1.0, f32::max), value);
                    }
                }
            }
        }
    }
    assert!(decided > 200 && left_out > 50, "{decided} {left_out}");
}

#[test]
fn searches_with_proofs_find_the_exact_value_and_a_move_that_keeps_it() {
    let game = game(Hex::new, &[("size", "4")]);
    let mut known = HashMap::new();
    let mut rng = Rng::with_seed(8);
    for number in 0..60 {
        let line = line(&game, number % 7, &mut rng);
        let config = Config {
            proof_visits: [1, 2, 10, 40][number % 4],
            threads: 1 + usize::from(number % 5 == 0),
            rave: number % 3 == 0,
            transpositions: number % 6 != 1,
            tree_policy: [PolicyKind::Puct, PolicyKind::Ucb1][number % 2],
            ..config(1, number as u64)
        };
        let mut search = Search::new(game.clone(), config);
        // The graph is kept from move to move: what was proven of a node goes with it to the root.
        for played in 0..=line.len() {
            search.set_position(game.initial(), line[..played].iter().map(|&action| LineStep::Action(action)));
            let outcome = run(&mut search, if played < line.len() { 300 } else { 1_000_000 });
            if played < line.len() && outcome.reason != Reason::Proven {
                continue;
            }
            assert_eq!(outcome.reason, Reason::Proven, "after {line:?}");
            let exact = solve(&game, search.position(), &mut known);
            assert_eq!(outcome.report.value * game.player(search.position()).sign(), exact, "after {line:?}");
            let mut next = *search.position();
            game.play(&mut next, outcome.report.moves[0].action);
            assert_eq!(solve(&game, &next, &mut known), exact, "the move chosen after {line:?}");
        }
    }
}

#[test]
fn proofs_decide_games_in_fewer_simulations() {
    let game = game(Hex::new, &[("size", "6")]);
    let (_, steps) = after(&game, &["c2", "c4", "d3"]);
    let mut nodes = [0; 2];
    for (count, proof_visits) in nodes.iter_mut().zip([0, 50]) {
        let mut search = Search::new(game.clone(), config(proof_visits, 1));
        search.set_position(game.initial(), steps.clone());
        let outcome = run(&mut search, 200_000);
        assert!(proof_visits == 0 || outcome.reason == Reason::Proven);
        *count = outcome.report.simulations;
    }
    assert!(nodes[1] * 4 < nodes[0], "{nodes:?}");
}

#[test]
fn a_move_that_proofs_leave_out_is_searched_where_the_user_asks_for_it() {
    let game = game(Hex::new, &[("size", "7")]);
    let (line, losing) = left_open(&game, &mut Rng::with_seed(1));
    let mut search = Search::new(game, config(20, 1));
    search.set_position(search.game().initial(), line.iter().map(|&action| LineStep::Action(action)));
    run(&mut search, 100);
    search.restrict(&losing[..1]);
    let outcome = run(&mut search, 100);
    assert_eq!(outcome.report.moves.len(), 1);
    assert_eq!(outcome.report.moves[0].action, losing[0]);
}

/// In a plain tree, the root of each start has the same key.
#[test]
fn what_proofs_left_out_is_forgotten_with_the_graph() {
    let game = game(Hex::new, &[("size", "7"), ("swap", "true")]);
    let (line, _) = left_open(&game, &mut Rng::with_seed(2));
    let mut middle = game.initial();
    line.iter().for_each(|&action| game.play(&mut middle, action));
    let mut search = Search::new(game, Config { transpositions: false, ..config(20, 3) });
    let moves = |search: &mut Search<Hex>, start, simulations| {
        search.set_position(start, []);
        run(search, simulations).report.moves.len()
    };
    let start = search.game().initial();
    let of_the_start = moves(&mut search, start, 600);
    search.clear();
    moves(&mut search, middle, 200);
    search.clear();
    assert_eq!(moves(&mut search, start, 600), of_the_start);
}
