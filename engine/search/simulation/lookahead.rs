//! A short alpha-beta search that ends a playout.

use playout_games::{Game, Player};

use crate::evaluator::Evaluator;

/// An estimate of `position`, which is not over and not a chance position, for its mover: H(s), or the alpha-beta value
/// of H at `depth` plies. None if the game has no H(s). `position` is left as it was.
pub fn estimate<G: Game>(evaluator: Evaluator<G>, position: &mut G::Position, depth: u32) -> Option<f32> {
    if depth == 0 {
        return evaluator.value(position);
    }
    Some(alpha_beta(evaluator, position, depth, -1.0, 1.0)? * evaluator.game.player(position).sign())
}

/// The value for the first player; the first player can have `alpha`, the second `beta` elsewhere.
fn alpha_beta<G: Game>(
    evaluator: Evaluator<G>,
    position: &mut G::Position,
    depth: u32,
    mut alpha: f32,
    mut beta: f32,
) -> Option<f32> {
    let game = evaluator.game;
    if let Some(result) = game.result(position) {
        return Some(result);
    }
    let player = game.player(position);
    if depth == 0 && player != Player::Chance {
        return Some(evaluator.value(position)? * player.sign());
    }
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let mut child = position.clone();
    let mut best = if player == Player::Chance { 0.0 } else { -player.sign() };
    for &action in &actions {
        child.clone_from(position);
        game.play(&mut child, action);
        match player {
            Player::Chance => {
                best += game.probability(position, action) * alpha_beta(evaluator, &mut child, depth, -1.0, 1.0)?;
            }
            Player::First => {
                best = best.max(alpha_beta(evaluator, &mut child, depth - 1, alpha, beta)?);
                alpha = alpha.max(best);
            }
            Player::Second => {
                best = best.min(alpha_beta(evaluator, &mut child, depth - 1, alpha, beta)?);
                beta = beta.min(best);
            }
        }
        if alpha >= beta {
            break;
        }
    }
    Some(best)
}
