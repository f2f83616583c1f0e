//! Games that were played elsewhere.

use playout_games::{Game, Player};

use super::games::{GameRecord, Ply, Searched};

/// Makes a record of a game: from a position, None is the game's own start, with the result for the first player, in
/// [-1, 1], and moves and outcomes as the game writes them. Each move counts as one vote for it.
///
/// # Errors
///
/// One line that names the ply and what is wrong with it.
pub fn given<G: Game>(
    game: &G,
    start: Option<&str>,
    result: f32,
    moves: &[String],
    seed: u64,
) -> Result<GameRecord, String> {
    let mut p = match start {
        Some(text) => game.parse_position(text)?,
        None => game.initial(),
    };
    let mut plies = Vec::with_capacity(moves.len());
    for (number, text) in (1..).zip(moves) {
        if game.result(&p).is_some() {
            return Err(format!("the game is over before ply {number}"));
        }
        let action = game.parse_action(&p, text).ok_or_else(|| format!("ply {number}, {text:?}, is illegal"))?;
        let searched = match game.player(&p) {
            Player::Chance => Searched::Not,
            _ => Searched::Given(vec![(action, 1)]),
        };
        plies.push(Ply { action, searched });
        game.play(&mut p, action);
    }
    let result = game.result(&p).unwrap_or(result);
    Ok(GameRecord { seed, start: start.map(str::to_owned), result, plies })
}
