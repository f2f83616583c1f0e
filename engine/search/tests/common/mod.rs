//! Games and helpers that several test files need.

use std::{collections::HashMap, time::Duration};

use playout_games::Game;
use playout_search::{Control, Limits, Search, SearchResult};

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
