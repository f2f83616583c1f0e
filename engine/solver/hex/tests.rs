//! Answers and what they rest on, against every line of play on small boards, and against maps of first moves.

use std::{collections::HashMap, sync::atomic::AtomicBool};

use playout_games::{
    Game, Params, Rng,
    hex::{Hex, cells::Cells, lattice::Lattice},
};
use playout_search::Control;

use super::{Prover, solve};
use crate::{
    memory::Memory,
    request::{Method, Request},
    watch::{Progress, Watch},
};

type Board = [Cells<1>; 2];

fn game(size: u32, swap: bool) -> Hex {
    let params = [("size", size.to_string()), ("swap", swap.to_string())];
    Hex::new(&Params(params.map(|(name, text)| (name.to_owned(), text)).into())).expect("a board")
}

/// The winner when `mover` moves, by looking at every line.
fn winner(lattice: &Lattice<1>, board: &Board, mover: usize, known: &mut HashMap<(Board, usize), usize>) -> usize {
    if let Some(winner) = lattice.winner(board) {
        return winner;
    }
    if let Some(&winner) = known.get(&(*board, mover)) {
        return winner;
    }
    let mut empty = Vec::new();
    lattice.all.minus(&board[0]).minus(&board[1]).for_each(|cell| empty.push(cell));
    let wins = empty.into_iter().any(|cell| {
        let mut after = *board;
        after[mover].insert(cell);
        winner(lattice, &after, 1 - mover, known) == mover
    });
    let found = if wins { mover } else { 1 - mover };
    known.insert((*board, mover), found);
    found
}

#[test]
fn proofs_hold_with_all_other_cells_in_the_losers_hands() {
    let mut rng = Rng::with_seed(3);
    let mut narrow = 0;
    for size in 2..=5 {
        let game = game(size, false);
        let lattice = Lattice::<1>::new(size);
        let mut known = HashMap::new();
        let (control, progress, halt) = (Control::default(), Progress::default(), AtomicBool::new(false));
        let mut memory = Memory::default();
        let mut prover = Prover::<1>::new(&game, 1 << 20, Watch::new(&control, &progress, &halt), &mut memory);
        let mut tried = 0;
        while tried < 300 {
            let mut board = [Cells::EMPTY; 2];
            for cell in 0..size * size {
                match rng.u32(..4) {
                    0 => board[0].insert(cell),
                    1 => board[1].insert(cell),
                    _ => {}
                }
            }
            let empty = lattice.all.minus(&board[0]).minus(&board[1]);
            if lattice.winner(&board).is_some() || empty.len() > 12 {
                continue;
            }
            tried += 1;
            for mover in 0..2 {
                let (wins, carrier) = prover.wins(&board, mover).expect("no limit");
                let found = if wins { mover } else { 1 - mover };
                assert_eq!(winner(&lattice, &board, mover, &mut known), found, "{board:?} {mover}");
                let mut harder = board;
                harder[1 - found] = harder[1 - found].or(&empty.minus(&carrier));
                assert_eq!(winner(&lattice, &harder, mover, &mut known), found, "{board:?} {mover} {carrier:?}");
                narrow += empty.minus(&carrier).len();
            }
        }
    }
    assert!(narrow > 1000, "{narrow}");
}

/// The winning first moves are those that benzene's solvers and exhaustive searches found.
#[test]
fn first_moves_have_their_known_values() {
    let maps = ["wwwB wwBw wBww Bwww", "wwwwB wBBBB wBBBw BBBBw Bwwww", "wwwwwB wBBBBB BBBBBB BBBBBB BBBBBw Bwwwww"];
    for map in maps {
        let rows: Vec<&str> = map.split(' ').collect();
        let game = game(rows.len() as u32, false);
        let (control, progress, halt) = (Control::default(), Progress::default(), AtomicBool::new(false));
        let request =
            Request { method: Method::Auto, all_moves: true, lengths: false, hash_bytes: 1 << 24, threads: 1 };
        let watch = Watch::new(&control, &progress, &halt);
        let solution = solve(&game, &game.initial(), request, watch, &mut Memory::default());
        let wins = rows.concat();
        for found in &solution.moves {
            let wins = wins.as_bytes()[found.action as usize] == b'B';
            assert_eq!((found.lower, found.upper), if wins { (1.0, 1.0) } else { (-1.0, -1.0) }, "{found:?} {map}");
        }
        assert_eq!((solution.lower, solution.moves.len()), (1.0, wins.len()));
    }
}
