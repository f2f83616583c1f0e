//! Macros are matched at every node, and their trees are followed from node to node.

use std::collections::HashMap;

use playout_games::{Action, Game, connect_four::ConnectFour, go::Go, hex::Hex, tic_tac_toe::TicTacToe};
use playout_search::{
    Config, PolicyKind, Search,
    macros::{Drawing, DrawnCell, Images, PatternMacro, Symbol, Turn},
};

use crate::common::{after, game, run, solve};

const SQUARE: [(i32, i32, i32, i32); 8] = [
    (1, 0, 0, 1),
    (0, -1, 1, 0),
    (-1, 0, 0, -1),
    (0, 1, -1, 0),
    (-1, 0, 0, 1),
    (1, 0, 0, -1),
    (0, 1, 1, 0),
    (0, -1, -1, 0),
];

fn images() -> Images {
    Images { matrices: SQUARE.to_vec(), ..Images::default() }
}

/// The drawing whose rows these are, from top to bottom.
fn drawing(rows: &[&str]) -> Drawing {
    let cells = |(row, text): (i32, &&str)| -> Vec<DrawnCell> {
        let symbol = |mark: char| match mark {
            'X' => Some(Symbol::Ours),
            'O' => Some(Symbol::Theirs),
            '*' => Some(Symbol::Taken),
            '#' => Some(Symbol::Edge),
            '?' => None,
            _ => Some(Symbol::Empty),
        };
        let name = |mark: char| mark.is_ascii_lowercase().then_some(mark as u8);
        let cell = |(column, mark)| symbol(mark).map(|symbol| DrawnCell { column, row, symbol, name: name(mark) });
        (0..).zip(text.chars()).filter_map(cell).collect()
    };
    Drawing { cells: (0..).zip(rows).flat_map(cells).collect(), directed: false }
}

fn play(rows: &[&str], only: bool) -> PatternMacro {
    let turns = vec![Turn { play: Some(b'a'.into()), ..Turn::default() }];
    PatternMacro {
        weight: 1000.0,
        visits: 0,
        value: 0.0,
        only,
        drawings: vec![drawing(rows)],
        turns,
        ..PatternMacro::default()
    }
}

fn answer(rows: &[&str]) -> PatternMacro {
    let turns = vec![
        Turn { play: None, replies: vec![(b'a'.into(), 1), (b'b'.into(), 2)], ..Turn::default() },
        Turn { play: Some(b'b'.into()), ..Turn::default() },
        Turn { play: Some(b'a'.into()), ..Turn::default() },
    ];
    PatternMacro { turns, ..play(rows, false) }
}

fn searching<G: Game>(game: G, macros: Vec<PatternMacro>, config: Config) -> Search<G> {
    let mut search = Search::new(game, Config { hash_mib: 16, solver: false, symmetries: false, ..config });
    search.set_macros(&images(), macros).expect("a board of cells");
    search
}

fn hinted<G: Game>(search: &Search<G>) -> Vec<Action> {
    let mut actions: Vec<Action> = search.hints().into_iter().map(|hint| hint.action).collect();
    actions.sort_unstable();
    actions
}

#[test]
fn a_macro_is_followed_three_plies_below_the_root() {
    // After a1, b2, a2, wherever the search meets it, O blocks at a3: under every move that leads there.
    let mut search = searching(TicTacToe, vec![play(&["OOa"], true)], Config::default());
    run(&mut search, 5_000);
    let (_, line) = after(&TicTacToe, &["a1", "b2", "a2"]);
    search.set_position(TicTacToe.initial(), line);
    // An edge is made with one simulation, whatever its move.
    let visited: Vec<Action> = search.report(9).moves.into_iter().filter(|m| m.visits > 1).map(|m| m.action).collect();
    assert_eq!(visited, [6]);
}

#[test]
fn an_answer_is_known_after_its_reply_alone() {
    let mut search = searching(TicTacToe, vec![answer(&["Xab"])], Config::default());
    let (_, line) = after(&TicTacToe, &["a1"]);
    search.set_position(TicTacToe.initial(), line);
    assert!(hinted(&search).is_empty());
    run(&mut search, 200);
    // b1 is the reply a, and c1 the reply b; b2 is in no drawing with the corner.
    for (reply, answers) in [("b1", vec![2]), ("c1", vec![1]), ("b2", vec![])] {
        let (_, line) = after(&TicTacToe, &["a1", reply]);
        search.set_position(TicTacToe.initial(), line);
        assert_eq!(hinted(&search), answers, "{reply}");
    }
}

#[test]
fn nothing_is_known_of_macros_that_were_put_away() {
    let mut search = searching(TicTacToe, vec![play(&["OOa"], true)], Config::default());
    let (_, line) = after(&TicTacToe, &["a1", "b2", "a2"]);
    search.set_position(TicTacToe.initial(), line);
    assert!(!search.hints().is_empty());
    search.set_macros(&images(), Vec::new()).expect("a board of cells");
    assert_eq!(search.hints(), []);
}

#[test]
fn a_disc_comes_to_rest_on_the_cell_of_the_letter() {
    let board = || game(ConnectFour::new, &[]);
    let upright = Images { matrices: vec![(1, 0, 0, -1), (-1, 0, 0, -1)], ..Images::default() };
    let mut search = Search::new(board(), Config { hash_mib: 16, ..Config::default() });
    search.set_macros(&upright, vec![play(&["XXXa"], false)]).expect("a board of cells");
    for (line, columns) in [("a a b b c c", vec![3]), ("b a c a d a", vec![4]), ("b a c e d g", vec![])] {
        let words: Vec<&str> = line.split(' ').collect();
        let (_, line) = after(&board(), &words);
        search.set_position(board().initial(), line);
        assert_eq!(hinted(&search), columns, "{words:?}");
    }
}

/// A pattern that matches everywhere, with a tree that goes on after any move.
#[test]
fn what_matches_everywhere_takes_bounded_time_and_memory() {
    let everywhere = PatternMacro {
        turns: vec![
            Turn { play: Some(b'a'.into()), others: Some(1), ..Turn::default() },
            Turn { play: Some(b'b'.into()), others: Some(2), ..Turn::default() },
            Turn { play: Some(b'c'.into()), others: None, ..Turn::default() },
        ],
        ..play(&["abc"], true)
    };
    let answers = PatternMacro {
        turns: vec![
            Turn { play: None, others: Some(1), ..Turn::default() },
            Turn { play: Some(b'a'.into()), others: Some(2), ..Turn::default() },
            Turn { play: Some(b'b'.into()), others: None, ..Turn::default() },
        ],
        ..play(&["abc"], false)
    };
    let hex = game(Hex::new, &[]);
    let mut search = searching(hex, vec![everywhere.clone(), answers.clone()], Config::default());
    run(&mut search, 300);
    assert_eq!(search.hints().len(), 121);
    let config = Config { tree_policy: PolicyKind::Puct, ..Config::default() };
    let mut search = searching(game(Go::new, &[("size", "19")]), vec![everywhere, answers], config);
    run(&mut search, 30);
    assert_eq!(search.hints().len(), 362);
}

#[test]
fn proven_values_are_those_of_minimax_whatever_macros_say() {
    let lie = |rows: &[&str], only| PatternMacro { value: 1.0, visits: 50, ..play(rows, only) };
    let mut search = searching(TicTacToe, vec![lie(&["aOO"], false), lie(&["X.a"], true)], Config::default());
    search.configure(Config { solver: true, ..search.config().clone() });
    let mut known = HashMap::new();
    for words in [&["b2", "a2"][..], &["a1", "b2", "b1"], &["a1", "a2", "c3", "b2"]] {
        let (position, line) = after(&TicTacToe, words);
        search.set_position(TicTacToe.initial(), line);
        let value = solve(&TicTacToe, &position, &mut known);
        run(&mut search, 20_000);
        for report in search.report(9).moves.iter().filter(|m| m.lower == m.upper) {
            let mut after = *search.position();
            TicTacToe.play(&mut after, report.action);
            let sign = TicTacToe.player(search.position()).sign();
            assert_eq!(report.lower, sign * solve(&TicTacToe, &after, &mut known), "{words:?}");
            assert!(report.lower <= sign * value);
        }
    }
}

#[test]
fn a_search_with_macros_repeats() {
    let visits = || {
        let hex = game(Hex::new, &[]);
        let mut search = searching(hex, vec![play(&["XaX"], false), answer(&["Xab"])], Config::default());
        run(&mut search, 2_000);
        search.clear();
        let once = run(&mut search, 2_000);
        (once.report.moves.iter().map(|m| (m.action, m.visits)).collect::<Vec<_>>(), search.hints())
    };
    assert_eq!(visits(), visits());
}
