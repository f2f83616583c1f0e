//! Games and helpers that several test files need.

pub mod heap;
pub mod script;

use std::{collections::HashMap, time::Duration};

use playout_games::{Game, Params};
use playout_search::{Control, Limits, LineStep, Search, SearchResult};

/// The game with these parameters.
pub fn game<G>(make: impl Fn(&Params) -> Result<G, String>, params: &[(&str, &str)]) -> G {
    let params = params.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    make(&Params(params.collect())).expect("legal parameters")
}

/// Plays moves by their names from the start: the position after them, and the steps that lead there.
pub fn after<G: Game>(game: &G, moves: &[&str]) -> (G::Position, Vec<LineStep>) {
    let mut position = game.initial();
    let mut steps = Vec::new();
    for text in moves {
        let action = game.parse_action(&position, text).expect("a legal move");
        game.play(&mut position, action);
        steps.push(LineStep::Action(action));
    }
    (position, steps)
}

/// Searches until `nodes` simulations, or earlier.
pub fn run<G: Game>(search: &mut Search<G>, nodes: u64) -> SearchResult {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    search.run(limits, &Control::default(), Duration::from_secs(60), 3, &mut |_, _, _| {})
}

/// The exact value for the first player.
pub fn solve<G: Game>(game: &G, p: &G::Position, known: &mut HashMap<u64, f32>) -> f32 {
    let key = game.frame_key(p, 0);
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let value = game.result(p).unwrap_or_else(|| {
        let mut actions = Vec::new();
        game.actions(p, &mut actions);
        let sign = game.player(p).sign();
        let values = actions.iter().map(|&a| {
            let mut next = p.clone();
            game.play(&mut next, a);
            sign * solve(game, &next, known)
        });
        sign * values.fold(-1.0, f32::max)
    });
    known.insert(key, value);
    value
}
