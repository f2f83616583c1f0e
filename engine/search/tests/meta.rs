//! Meta-actions: trees of macros as one choice. They find what they lead to, and change no value.

use std::collections::HashMap;

use playout_games::{Action, Game, connect_four::ConnectFour, hex::Hex, tic_tac_toe::TicTacToe};
use playout_search::{
    Config, Guide, Hint, PolicyKind, Search, TreeStep,
    macros::{Drawing, DrawnCell, Images, PatternMacro, Symbol, Turn},
};

use crate::common::{after, game, run, solve};

/// A macro on a line of three cells, all of them empty: three moves of ours, whatever the replies.
fn line(letters: &[u8; 3], (weight, visits, value): (f32, u32, f32)) -> PatternMacro {
    let cell = |(column, letter)| DrawnCell { column, row: 0, symbol: Symbol::Empty, name: Some(letter) };
    let turn = |letter: u8, others| Turn { play: Some(letter.into()), others, ..Turn::default() };
    PatternMacro {
        weight,
        visits,
        value,
        only: false,
        drawings: vec![Drawing { cells: (0..).zip(*b"abc").map(cell).collect(), directed: false }],
        turns: vec![turn(letters[0], Some(1)), turn(letters[1], Some(2)), turn(letters[2], None)],
        ..PatternMacro::default()
    }
}

/// The images of a line: along and across the board.
fn images() -> Images {
    Images { matrices: vec![(1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0)], ..Images::default() }
}

/// A tree told as positions: a turn of ours, a reply, a turn of ours, and so on, along one line from the start.
fn told<G: Game>(game: &G, words: &[&str], weight: f32) -> Guide<G> {
    let mut guide = Guide::default();
    let mut position = game.initial();
    for (ply, word) in words.iter().enumerate() {
        let action = game.parse_action(&position, word).expect("a legal move");
        guide.add(game, &position, Hint { action, weight, visits: 0, value: 0.0, banned: false });
        guide.add_step(game, &position, TreeStep { tree: 7, action, weight, ours: ply % 2 == 0 });
        game.play(&mut position, action);
    }
    guide
}

fn facts<G: Game>(search: &Search<G>) -> Vec<(Action, u32, u32)> {
    search.report(0).moves.iter().map(|m| (m.action, m.visits, m.value.to_bits())).collect()
}

const MOVES: [&str; 5] = ["a1", "b3", "c1", "b1", "a3"];

#[test]
fn the_first_simulation_leads_to_the_end_of_the_tree() {
    for (meta_actions, longest) in [(true, 5), (false, 1)] {
        for tree_policy in [PolicyKind::Ucb1, PolicyKind::Puct, PolicyKind::Rave, PolicyKind::Thompson] {
            let config = Config { meta_actions, tree_policy, hash_mib: 1, ..Config::default() };
            let mut search = Search::new(TicTacToe, config);
            search.set_guide(told(&TicTacToe, &MOVES, 1000.0));
            let report = run(&mut search, 1).report;
            assert_eq!((report.longest, report.visits), (longest, 1), "{tree_policy:?} {meta_actions}");
            // Expanded in place: the simulation is one of the tree's first move.
            assert_eq!(report.moves.iter().map(|m| m.visits).collect::<Vec<_>>(), [1]);
        }
    }
}

#[test]
fn a_tree_without_weight_is_tried_as_a_choice_of_its_own() {
    let config = Config { meta_actions: true, hash_mib: 1, ..Config::default() };
    let mut search = Search::new(TicTacToe, config);
    search.set_guide(told(&TicTacToe, &MOVES, 0.0));
    assert_eq!(run(&mut search, 1).report.longest, 5);
}

/// The opponent is not bound to the replies that the tree names: it finds the one that refutes the tree. RAVE alone does
/// not explore, so it may stay with a reply that has always lost.
#[test]
fn a_reply_that_no_tree_names_refutes_it() {
    for tree_policy in [PolicyKind::Ucb1, PolicyKind::Ucb1Tuned, PolicyKind::Puct, PolicyKind::Thompson] {
        let config = Config { meta_actions: true, solver: false, tree_policy, hash_mib: 16, ..Config::default() };
        let mut search = Search::new(TicTacToe, config);
        // X has a corner; the tree hopes that O leaves the middle, without which O loses.
        let (_, line) = after(&TicTacToe, &["a1", "b2"]);
        search.set_guide(told(&TicTacToe, &["a1", "a2", "b2", "c3", "c1", "b1", "a3"], 1000.0));
        run(&mut search, 20_000);
        search.set_position(TicTacToe.initial(), line[..1].to_vec());
        let replies = search.report(0).moves;
        assert_eq!(replies[0].action, 4, "{tree_policy:?}: {replies:?}");
    }
}

#[test]
fn moves_that_are_not_allowed_begin_no_tree() {
    let config = Config { meta_actions: true, hash_mib: 1, symmetries: false, ..Config::default() };
    let mut search = Search::new(TicTacToe, config);
    search.set_macros(&images(), vec![line(b"abc", (0.0, 0, 0.0))]).expect("a board of cells");
    search.restrict(&[1, 4]);
    let moves = run(&mut search, 500).report.moves;
    assert!(moves.iter().all(|m| [1, 4].contains(&m.action)), "{moves:?}");
    assert_eq!(moves.iter().map(|m| m.visits).sum::<u32>(), 500);
}

#[test]
fn trees_change_nothing_unless_they_are_choices() {
    for tree_policy in [PolicyKind::Ucb1, PolicyKind::Puct, PolicyKind::Rave] {
        let of = |trees: bool| {
            let mut guide = Guide::default();
            let mut position = TicTacToe.initial();
            for (ply, word) in MOVES.iter().enumerate() {
                let action = TicTacToe.parse_action(&position, word).expect("a legal move");
                guide.add(&TicTacToe, &position, Hint { action, weight: 1.0, visits: 0, value: 0.0, banned: false });
                if trees {
                    let step = TreeStep { tree: 7, action, weight: 1.0, ours: ply % 2 == 0 };
                    guide.add_step(&TicTacToe, &position, step);
                }
                TicTacToe.play(&mut position, action);
            }
            let mut search = Search::new(TicTacToe, Config { tree_policy, hash_mib: 1, ..Config::default() });
            search.set_guide(guide);
            run(&mut search, 300);
            facts(&search)
        };
        assert_eq!(of(true), of(false));
    }
}

#[test]
fn a_search_with_meta_actions_repeats() {
    let once = || {
        let config = Config { meta_actions: true, hash_mib: 16, seed: 4, ..Config::default() };
        let mut search = Search::new(game(Hex::new, &[("size", "5")]), config);
        search.set_macros(&images(), vec![line(b"abc", (1.0, 0, 0.0))]).expect("a board of cells");
        run(&mut search, 2_000);
        let first = facts(&search);
        search.clear();
        run(&mut search, 2_000);
        (first, facts(&search))
    };
    assert_eq!(once(), once());
}

/// Macros that match everywhere: plain ones, one that is praised, and one that the tree policy alone may try.
fn good_and_bad() -> Vec<PatternMacro> {
    vec![
        line(b"abc", (1.0, 0, 0.0)),
        line(b"cba", (5.0, 10, 0.9)),
        line(b"bac", (1000.0, 20, 1.0)),
        line(b"bca", (0.0, 0, 0.0)),
    ]
}

/// Searches with macros that match everywhere: what is proven is the value of minimax, and without proofs the estimate
/// converges to it.
fn values_are_those_of_minimax<G: Game>(make: impl Fn() -> G, lines: &[&[&str]]) {
    let mut known = HashMap::new();
    for words in lines {
        for tree_policy in [PolicyKind::Ucb1, PolicyKind::Puct] {
            let name = format!("{words:?} {tree_policy:?}");
            let (mut errors, mut proven) = (Vec::new(), None);
            for (solver, rounds) in [(true, &[200_000_u64][..]), (false, &[40_000, 160_000])] {
                let config = Config {
                    meta_actions: true,
                    tree_policy,
                    solver,
                    exploration: 0.7,
                    hash_mib: 128,
                    ..Config::default()
                };
                let mut search = Search::new(make(), config);
                search.set_macros(&images(), good_and_bad()).expect("a board of cells");
                let (_, line) = after(search.game(), words);
                let start = search.game().initial();
                search.set_position(start, line);
                let sign = search.game().player(search.position()).sign();
                let value = sign * solve(search.game(), search.position(), &mut known);
                for &nodes in rounds {
                    let report = run(&mut search, nodes).report;
                    for m in report.moves.iter().filter(|m| m.lower == m.upper) {
                        let mut after = search.position().clone();
                        search.game().play(&mut after, m.action);
                        assert_eq!(m.lower, sign * solve(search.game(), &after, &mut known), "{name}");
                    }
                    let error = (report.value - value).abs();
                    if solver { proven = Some(error) } else { errors.push(error) }
                }
            }
            assert_eq!(proven, Some(0.0), "{name}");
            assert!(errors[1] < 0.1 && errors[1] < errors[0] / 2.0 + 0.01, "{name}: {errors:?}");
        }
    }
}

#[test]
fn values_in_tic_tac_toe_are_those_of_minimax() {
    values_are_those_of_minimax(|| TicTacToe, &[&["a1", "a2"]]);
}

#[test]
fn values_in_connect_four_are_those_of_minimax() {
    let board = || game(ConnectFour::new, &[("columns", "4"), ("rows", "4")]);
    values_are_those_of_minimax(board, &[&["a", "c", "b", "d"]]);
}

#[test]
fn values_in_hex_are_those_of_minimax() {
    let board = || game(Hex::new, &[("size", "3")]);
    values_are_those_of_minimax(board, &[&["b2", "a2"]]);
}

/// A search for a bound of simulations stops at it, whatever length its paths have.
#[test]
fn simulations_are_counted_one_by_one() {
    let config = Config { meta_actions: true, hash_mib: 1, ..Config::default() };
    let mut search = Search::new(game(Hex::new, &[("size", "9")]), config);
    search.set_macros(&images(), good_and_bad()).expect("a board of cells");
    let report = run(&mut search, 777).report;
    assert_eq!(report.simulations, 777);
    let observed: u32 = report.visits - 777;
    assert!(observed.is_multiple_of(10), "the rest are observations of hints: {observed}");
    assert!(report.longest >= 5, "{}", report.longest);
}
