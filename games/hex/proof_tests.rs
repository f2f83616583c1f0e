//! The claims of `inferior` and `connections`, against every line of play on small boards.

use std::collections::HashMap;

use super::{
    Cells,
    connections::{Connector, Joined},
    lattice::Lattice,
    tests::game,
};
use crate::{Action, Game, Proof, Rng};

type Board = [Cells<1>; 2];

/// The winner when `mover` moves, by looking at every line.
fn winner(lattice: &Lattice<1>, board: &Board, mover: usize, known: &mut HashMap<(Board, usize), usize>) -> usize {
    if let Some(winner) = lattice.winner(board) {
        return winner;
    }
    if let Some(&winner) = known.get(&(*board, mover)) {
        return winner;
    }
    let mut found = 1 - mover;
    let mut empty = lattice.all.minus(&board[0]).minus(&board[1]);
    while !empty.is_empty() && found != mover {
        let cell = empty.first();
        empty.remove(cell);
        if winner(lattice, &with(board, mover, cell), 1 - mover, known) == mover {
            found = mover;
        }
    }
    known.insert((*board, mover), found);
    found
}

fn with(board: &Board, colour: usize, cell: u32) -> Board {
    let mut board = *board;
    board[colour].insert(cell);
    board
}

/// Random boards that are not over.
fn boards(lattice: &Lattice<1>, count: usize, least: u32) -> Vec<Board> {
    let mut rng = Rng::with_seed(7);
    let mut boards = Vec::new();
    while boards.len() < count {
        let mut board = [Cells::EMPTY; 2];
        for cell in 0..lattice.places() as u32 {
            match rng.u32(..5) {
                0 => board[0].insert(cell),
                1 => board[1].insert(cell),
                _ => {}
            }
        }
        let empty = lattice.all.minus(&board[0]).minus(&board[1]);
        if lattice.winner(&board).is_none() && (least..12).contains(&empty.len()) {
            boards.push(board);
        }
    }
    boards
}

#[test]
fn filling_in_changes_no_winner_and_a_worthwhile_move_wins_if_any_does() {
    let mut filled_cells = 0;
    let mut dropped = 0;
    for size in 2..=5 {
        let lattice = Lattice::new(size);
        let mut known = HashMap::new();
        for board in boards(&lattice, 400, 0) {
            let filled = lattice.fill_in(&board).stones;
            for mover in 0..2 {
                let right = winner(&lattice, &board, mover, &mut known);
                assert_eq!(winner(&lattice, &filled, mover, &mut known), right, "{board:?} {filled:?} {mover}");
                let empty = lattice.all.minus(&filled[0]).minus(&filled[1]);
                filled_cells += lattice.all.minus(&board[0]).minus(&board[1]).minus(&empty).len();
                if lattice.winner(&filled).is_some() {
                    continue;
                }
                let worth = lattice.worth(&filled, mover);
                dropped += empty.minus(&worth.moves).len();
                let mut wins = false;
                worth.moves.for_each(|cell| {
                    wins |= winner(&lattice, &with(&filled, mover, cell), 1 - mover, &mut known) == mover;
                });
                assert_eq!(wins, right == mover, "{filled:?} {mover} {worth:?}");
            }
        }
    }
    assert!(filled_cells > 1000 && dropped > 1000, "{filled_cells} {dropped}");
}

#[test]
fn connections_hold_and_moves_outside_of_what_the_opponent_needs_lose() {
    let (mut sure, mut moving, mut missed) = (0, 0, 0);
    for size in 2..=5 {
        let lattice = Lattice::new(size);
        let mut known = HashMap::new();
        let mut connector = Connector::default();
        for board in boards(&lattice, 400, 2) {
            for colour in 0..2 {
                match connector.join(&lattice, &board, colour) {
                    Joined::Sure(carrier) => {
                        // All else is the opponent's.
                        sure += 1;
                        let mut board = board;
                        board[1 - colour] = lattice.all.minus(&board[colour]).minus(&carrier);
                        assert_eq!(winner(&lattice, &board, 1 - colour, &mut known), colour, "{board:?} {carrier:?}");
                    }
                    Joined::ByMoving(ways) => {
                        moving += ways.len();
                        missed +=
                            usize::from(ways.is_empty() && winner(&lattice, &board, colour, &mut known) == colour);
                        for (carrier, key) in ways {
                            assert!(carrier.has(key));
                            let mut board = with(&board, colour, key);
                            board[1 - colour] = lattice.all.minus(&board[colour]).minus(&carrier);
                            assert_eq!(
                                winner(&lattice, &board, 1 - colour, &mut known),
                                colour,
                                "{board:?} {carrier:?}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(sure > 300 && moving > 1000 && missed < 30, "{sure} {moving} {missed}");
}

/// The greatest row, counted from the edge, from which a chain that comes down the middle of an empty board is joined to the
/// edge whoever moves.
fn joined_row(size: u32) -> u32 {
    let lattice = Lattice::<2>::new(size);
    let mut connector = Connector::default();
    let mut joined = |row: u32| {
        let mut board = [Cells::EMPTY; 2];
        (0..=size - row).for_each(|place| board[0].insert(place * size + size / 2));
        matches!(connector.join(&lattice, &board, 0), Joined::Sure(_))
    };
    (1..=size).take_while(|&row| joined(row)).last().unwrap_or(0)
}

#[test]
fn edge_templates_are_found() {
    assert_eq!(joined_row(11), 4, "the fifth row has none on this board");
}

/// Boards too large for every line: whoever is proven to win goes on to win, by moves that are proven, against replies that
/// the currents prefer.
#[test]
fn whoever_is_proven_to_win_wins_on_large_boards() {
    let mut rng = Rng::with_seed(4);
    for size in [9, 11, 13] {
        let game = game(size, false);
        let mut preferred = |p: &super::Position| -> Vec<Action> {
            let (mut actions, mut preferences) = (Vec::new(), Vec::new());
            game.actions(p, &mut actions);
            game.preferences(p, &actions, &mut preferences);
            let noisy = preferences.into_iter().map(|preference| preference + 4.0 * rng.f32());
            let mut order: Vec<(f32, Action)> = noisy.zip(actions).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            order.into_iter().map(|(_, action)| action).collect()
        };
        for _ in 0..5 {
            let mut p = game.initial();
            let mut winner = None;
            while game.result(&p).is_none() {
                let moves = preferred(&p);
                let proof = game.prove(&p).expect("it applies without a swap");
                let mut action = moves[0];
                match &proof {
                    Proof::Win(key) => {
                        assert_ne!(winner, Some(!p.second), "both are proven to win");
                        winner = Some(p.second);
                        let wins = |&action: &Action| {
                            let mut after = p;
                            game.play(&mut after, action);
                            game.result(&after).is_some() || game.prove(&after) == Some(Proof::Loss)
                        };
                        action = key.or_else(|| moves.into_iter().find(wins)).expect("a win that is proven goes on");
                    }
                    Proof::Loss => {
                        assert_ne!(winner, Some(p.second), "both are proven to win");
                        winner = Some(!p.second);
                    }
                    Proof::Open { .. } => assert_eq!(winner, None, "a proof does not hold any more"),
                }
                game.play(&mut p, action);
            }
            let black = game.result(&p) == Some(1.0);
            assert_eq!(winner, Some(!black));
        }
    }
}

#[test]
fn what_a_clique_cuts_off_changes_no_winner() {
    let mut cut = 0;
    for size in 3..=5 {
        let lattice = Lattice::new(size);
        let mut known = HashMap::new();
        for board in boards(&lattice, 400, 1) {
            let dead = lattice.cut_off(&board);
            cut += dead.len();
            for colour in 0..2 {
                let mut filled = board;
                filled[colour] = filled[colour].or(&dead);
                for mover in 0..2 {
                    let right = winner(&lattice, &board, mover, &mut known);
                    assert_eq!(winner(&lattice, &filled, mover, &mut known), right, "{board:?} {dead:?}");
                }
            }
        }
    }
    assert!(cut > 300, "{cut}");
}
