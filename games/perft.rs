//! Counting lines of play, the field's test of a move generator.

use crate::{Game, Player};

/// Number of lines of `depth` plies from `p`; a line that ends earlier counts only at the depth at which it ends.
///
/// Dice are rolled without costing depth, each distinct roll counted once.
pub fn perft<G: Game>(game: &G, p: &G::Position, depth: u32) -> u64 {
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    let chance = game.player(p) == Player::Chance;
    if depth == 0 {
        return 1;
    }
    if depth == 1 && !chance {
        return actions.len() as u64;
    }
    let mut total = 0;
    for a in actions {
        let mut next = p.clone();
        game.play(&mut next, a);
        total += perft(game, &next, depth - u32::from(!chance));
    }
    total
}
