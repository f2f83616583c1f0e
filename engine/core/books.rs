//! Books that Python holds, asked by the search: a kernel finds a position's key in them by itself, so that Python is asked
//! for positions of a book only; a game in Python is asked about each position.

use std::collections::HashSet;

use blake2::{Blake2b, Digest, digest::consts::U8};
use playout_games::{Action, Game};
use playout_search::{Hint, Library};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::user_game::{PyGame, PyPosition};

/// (move, weight, visits, value, banned)
type MoveTuple<M> = (M, f32, u32, f32, bool);

/// A book's name of a move: its number or, where the game's actions are no numbers, its text.
#[derive(FromPyObject)]
enum Word {
    Number(Action),
    Text(String),
}

/// Books as Python hands them over.
pub struct Books {
    /// Keys of the positions, as `books/base/canonical.py` makes them.
    keys: HashSet<u64>,
    /// Keys in the books of other programs, as `Game::shared_book_key` makes them.
    shared: HashSet<u64>,
    /// Gives the moves: of a kernel by key and text of the position, of a game in Python by the state.
    ask: Py<PyAny>,
}

impl Books {
    /// # Errors
    ///
    /// ValueError: the keys are not words of eight bytes, in the machine's order.
    pub fn new(keys: &[u8], shared: &[u8], ask: Py<PyAny>) -> PyResult<Books> {
        Ok(Books { keys: words(keys)?, shared: words(shared)?, ask })
    }
}

fn words(bytes: &[u8]) -> PyResult<HashSet<u64>> {
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(PyValueError::new_err("keys have eight bytes each"));
    }
    Ok(words.iter().map(|&word| u64::from_ne_bytes(word)).collect())
}

/// Books for a kernel.
pub struct KernelBooks(pub Books);

impl<G: Game> Library<G> for KernelBooks {
    fn ask(&self, game: &G, position: &G::Position) -> Vec<Hint> {
        let Books { keys, shared, ask } = &self.0;
        let is_shared = || game.shared_book_key(position).is_some_and(|key| shared.contains(&key));
        let (text, frame) = least_text(game, position);
        let key = key(&text);
        if text.is_empty() || !(keys.contains(&key) || !shared.is_empty() && is_shared()) {
            return Vec::new();
        }
        let moves = Python::attach(|py| {
            let moves = ask.call1(py, (key, text)).and_then(|moves| moves.extract::<Vec<MoveTuple<Word>>>(py));
            moves.unwrap_or_else(|error| {
                error.write_unraisable(py, None);
                Vec::new()
            })
        });
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        let hints = moves.into_iter().filter_map(|(word, weight, visits, value, banned)| {
            let action = match word {
                // A damaged book has numbers of no action, which have no image.
                Word::Number(number) => actions.iter().copied().find(|&a| game.to_frame(frame, a) == number)?,
                Word::Text(text) => game.parse_action(position, &text)?,
            };
            Some(Hint { action, weight, visits, value, banned })
        });
        hints.collect()
    }
}

/// Books for a game in Python.
pub struct PythonBooks(pub Books);

impl Library<PyGame> for PythonBooks {
    fn ask(&self, game: &PyGame, position: &PyPosition) -> Vec<Hint> {
        let hints = game.attempt(Vec::new(), |py, _| {
            let state = position.state.bind(py);
            let moves: Vec<MoveTuple<Bound<'_, PyAny>>> = self.0.ask.bind(py).call1((state,))?.extract()?;
            let hints = moves.into_iter().map(|(object, weight, visits, value, banned)| {
                let action = game.number(&object, "legal_actions", &[state])?;
                Ok(Hint { action, weight, visits, value, banned })
            });
            hints.collect::<PyResult<Vec<Hint>>>()
        });
        let mut actions = Vec::new();
        game.actions(position, &mut actions);
        hints.into_iter().filter(|hint| actions.contains(&hint.action)).collect()
    }
}

/// The text of the image that books hold, the least of all, and its frame.
fn least_text<G: Game>(game: &G, position: &G::Position) -> (String, u8) {
    let (mut least, mut frame, mut text) = (String::new(), 0, String::new());
    game.book_text(position, 0, &mut least);
    for other in 1..game.frames() {
        text.clear();
        game.book_text(position, other, &mut text);
        if text < least {
            std::mem::swap(&mut least, &mut text);
            frame = other;
        }
    }
    (least, frame)
}

/// The key of a position's text in books.
fn key(text: &str) -> u64 {
    u64::from_be_bytes(Blake2b::<U8>::digest(text.as_bytes()).into())
}
