//! Games and helpers that the test files share.

use std::collections::HashMap;

use playout_games::{Action, Game, Params, Rng, connect_four::ConnectFour};
use playout_search::Control;
use playout_solver::{Memory, Method, Progress, Refusal, Request, Solution, solve};

pub fn params(pairs: &[(&str, &str)]) -> Params {
    Params(pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect())
}

pub fn connect_four(columns: &str, rows: &str) -> ConnectFour {
    ConnectFour::new(&params(&[("columns", columns), ("rows", rows)])).expect("the board is legal")
}

fn request(method: Method, all_moves: bool) -> Request {
    Request { method, all_moves, lengths: true, hash_bytes: 64 << 20, threads: 1 }
}

pub fn solution<G: Game>(game: &G, p: &G::Position, method: Method, all_moves: bool) -> Result<Solution, Refusal> {
    solve(game, p, request(method, all_moves), &Control::default(), &Progress::default(), &mut Memory::default())
}

/// The value for the player to move and the plies to the end of best play, the winner hurrying, by plain recursion.
pub fn brute<G: Game>(game: &G, p: &G::Position, known: &mut HashMap<u64, (f32, u32)>) -> (f32, u32) {
    let sign = game.player(p).sign();
    let key = game.frame_key(p, 0);
    if let Some(&found) = known.get(&key) {
        return found;
    }
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    let found = actions
        .iter()
        .map(|&action| {
            let mut child = p.clone();
            game.play(&mut child, action);
            match game.result(&child) {
                Some(result) => (sign * result, 1),
                None => {
                    let (value, plies) = brute(game, &child, known);
                    (sign * game.player(&child).sign() * value, plies + 1)
                }
            }
        })
        .max_by_key(|&(value, plies)| ((value * 100.0) as i64, -(value.signum() as i64) * i64::from(plies)))
        .expect("a game that goes on has moves");
    known.insert(key, found);
    found
}

/// A position that random play reaches from the start in at most `plies` moves, and that is not over.
pub fn wander<G: Game>(game: &G, rng: &mut Rng, plies: usize) -> G::Position {
    let mut p = game.initial();
    let mut actions: Vec<Action> = Vec::new();
    for _ in 0..plies {
        game.actions(&p, &mut actions);
        let mut next = p.clone();
        game.play(&mut next, actions[rng.usize(..actions.len())]);
        if game.result(&next).is_some() {
            break;
        }
        p = next;
    }
    p
}
