//! Games that were played elsewhere.

use playout_games::{Game, Player};

use super::games::{GameRecord, Ply, Searched};

/// A move to be learned before an action, as the game writes it, and the value of the position, in [-1, 1], for the player to
/// move.
pub type Lesson = (Option<String>, Option<f32>);

/// A game as others write it.
pub struct Given<'a> {
    /// The position in which it started; None is the game's own start.
    pub start: Option<&'a str>,
    /// For the first player, in [-1, 1].
    pub result: f32,
    /// Moves and outcomes of dice as the game writes them.
    pub moves: &'a [String],
    /// One for each move; None has the move itself learned.
    pub lessons: Option<&'a [Lesson]>,
}

/// Makes a record of a game.
///
/// # Errors
///
/// One line that names the ply and what is wrong with it.
pub fn given<G: Game>(game: &G, one: &Given, seed: u64) -> Result<GameRecord, String> {
    let Given { start, result, moves, lessons } = *one;
    if let Some(lessons) = lessons
        && lessons.len() != moves.len()
    {
        return Err(format!("{} lessons for {} moves", lessons.len(), moves.len()));
    }
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
        let searched = match (game.player(&p), lessons) {
            (Player::Chance, _) => Searched::Not,
            (_, None) => Searched::Given(vec![(action, 1)]),
            (_, Some(lessons)) => {
                learned(game, &p, &lessons[number - 1]).map_err(|what| format!("ply {number}: {what}"))?
            }
        };
        plies.push(Ply { action, searched });
        game.play(&mut p, action);
    }
    let result = game.result(&p).unwrap_or(result);
    Ok(GameRecord { seed, start: start.map(str::to_owned), result, plies })
}

fn learned<G: Game>(game: &G, p: &G::Position, (text, value): &Lesson) -> Result<Searched, String> {
    if value.is_some_and(|value| !(-1.0..=1.0).contains(&value)) {
        return Err(format!("the value {value:?} is not in [-1, 1]"));
    }
    let votes = match text {
        Some(text) => vec![(game.parse_action(p, text).ok_or_else(|| format!("{text:?} is illegal"))?, 1)],
        None => Vec::new(),
    };
    Ok(match (votes.is_empty(), *value) {
        (true, None) => Searched::Not,
        (true, Some(value)) => Searched::Value(value),
        (false, None) => Searched::Given(votes),
        (false, Some(value)) => Searched::Visits(value, votes),
    })
}
