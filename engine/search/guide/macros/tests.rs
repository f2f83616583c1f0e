//! Lines through the trees of macros, followed by hand.

use playout_games::{Action, Game, tic_tac_toe::TicTacToe};

use super::{Drawing, DrawnCell, Images, Macros, PatternMacro, Symbol, Turn};

/// The macros with these turns on the bottom row and the corner above it.
fn macros(turns: Vec<Turn>) -> Macros {
    let cell = |(column, row, letter)| DrawnCell { column, row, symbol: Symbol::Empty, name: Some(letter) };
    let cells = [(0, 0, b'a'), (1, 0, b'b'), (2, 0, b'c'), (0, 2, b'd')].map(cell).into();
    let one = PatternMacro {
        weight: 1.0,
        drawings: vec![Drawing { cells, directed: false }],
        turns,
        ..PatternMacro::default()
    };
    let images = Images { matrices: vec![(1, 0, 0, 1)], ..Images::default() };
    Macros::new(TicTacToe.grid().expect("a board of cells"), &images, vec![one])
}

/// Plays a move by its name.
fn play(position: &mut <TicTacToe as Game>::Position, text: &str) -> Action {
    let action = TicTacToe.parse_action(position, text).expect("a legal move");
    TicTacToe.play(position, action);
    action
}

/// b answers whatever follows a; where b is taken, c does. The tree ends with the move after which nothing follows.
#[test]
fn a_tree_begins_with_the_move_that_is_made_if_something_follows_that() {
    let turn = |letter: u8| Turn { play: Some(letter.into()), ..Turn::default() };
    for (after_b, after_c) in [(None, Some(3)), (Some(3), None), (Some(3), Some(3)), (None, None)] {
        let macros = macros(vec![
            Turn { others: Some(1), ..turn(b'a') },
            Turn { others: after_b, instead: Some(2), ..turn(b'b') },
            Turn { others: after_c, ..turn(b'c') },
            turn(b'd'),
        ]);
        for (reply, answer, follows) in [("b3", "b1", after_b), ("b1", "c1", after_c)] {
            let (mut position, mut lines) = (TicTacToe.initial(), Vec::new());
            macros.begin(&TicTacToe, &position, |_, _, line| lines.extend(line));
            play(&mut position, "a1");
            let before = position;
            let action = play(&mut position, reply);
            lines = lines.iter().filter_map(|line| macros.step(&TicTacToe, &before, line, action)).collect();
            let [line] = &lines[..] else { panic!("one line: {lines:?}") };
            let action = play(&mut position.clone(), answer);
            assert_eq!(macros.move_of(&TicTacToe, &position, line).map(|hint| hint.action), Some(action));
            let offered = macros.offer_of(&TicTacToe, &position, line).map(|offer| offer.action);
            assert_eq!(offered, follows.map(|_| action), "{reply} {follows:?}");
        }
    }
}
