//! A kernel's position, for tests, perft and benches.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use playout_games::{Action, Game, Player, Rng, Style, TablePaths, Trace, perft::perft};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    kernels::{Make, with_kernel},
    user_game::PyGame,
};

trait AnyPosition: Send + Sync {
    fn copy(&self) -> Box<dyn AnyPosition>;
    fn player(&self) -> i32;
    fn result(&self) -> Option<f32>;
    fn actions(&self) -> Vec<Action>;
    fn probability(&self, action: Action) -> f32;
    fn play(&mut self, action: Action);
    fn set_player(&mut self, player: Player) -> bool;
    fn fresh_text(&self) -> Option<String>;
    fn follow(&mut self, words: &[String]) -> Followed;
    fn book_text(&self, frame: u8) -> String;
    fn shared_book_key(&self) -> Option<u64>;
    fn action_text(&self, action: Action) -> String;
    fn parse_action(&self, text: &str) -> Option<Action>;
    fn frames(&self) -> u8;
    fn key(&self, frame: u8) -> u64;
    fn canonical(&self) -> (u64, u8);
    fn to_frame(&self, frame: u8, action: Action) -> Action;
    fn undo_frame(&self, frame: u8, action: Action) -> Action;
    fn perft(&self, depth: u32) -> u64;
    fn playouts(&self, count: u32, seed: u64, style: Style) -> f64;
    fn playout(&self, seed: u64, style: Style) -> (f32, Trace);
    fn evaluate(&self) -> Option<f32>;
    fn known(&self) -> Option<f32>;
    fn preferences(&self, actions: &[Action]) -> Option<Vec<f32>>;
    fn ownership(&self, count: u32, seed: u64) -> Vec<f64>;
}

/// The words that a position has followed.
#[derive(Default)]
struct Followed {
    /// Number of words that were played.
    count: usize,
    /// The places, as numbers of words, where play went on after a draw that nobody had claimed.
    played_on: Vec<usize>,
    /// The latest place to whose position nothing before it matters, whether play goes on there after a draw that nobody
    /// has claimed, and the text of the position.
    fresh: Option<(usize, bool, String)>,
}

struct HeldPosition<G: Game> {
    game: Arc<G>,
    position: G::Position,
}

impl<G: Game> AnyPosition for HeldPosition<G> {
    fn copy(&self) -> Box<dyn AnyPosition> {
        Box::new(HeldPosition { game: self.game.clone(), position: self.position.clone() })
    }

    fn player(&self) -> i32 {
        match self.game.player(&self.position) {
            Player::First => 0,
            Player::Second => 1,
            Player::Chance => -1,
        }
    }

    fn result(&self) -> Option<f32> {
        self.game.result(&self.position)
    }

    fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game.actions(&self.position, &mut actions);
        actions
    }

    fn probability(&self, action: Action) -> f32 {
        self.game.probability(&self.position, action)
    }

    fn play(&mut self, action: Action) {
        self.game.play(&mut self.position, action);
    }

    fn set_player(&mut self, player: Player) -> bool {
        self.game.set_player(&mut self.position, player)
    }

    fn fresh_text(&self) -> Option<String> {
        self.game.is_fresh(&self.position).then(|| self.game.position_text(&self.position))
    }

    fn follow(&mut self, words: &[String]) -> Followed {
        let (game, p) = (&*self.game, &mut self.position);
        let mut followed = Followed::default();
        let mut fresh = None;
        for (place, word) in words.iter().enumerate() {
            let over = game.result(p).is_some();
            if over {
                if !game.play_on(p) {
                    break;
                }
                if game.is_fresh(p) {
                    fresh = Some((place, true, p.clone()));
                }
            }
            let action = game.parse_action(p, word).filter(|&action| game.action_text(p, action) == *word);
            let Some(action) = action else { break };
            game.play(p, action);
            if over {
                followed.played_on.push(place);
            }
            followed.count = place + 1;
            if game.is_fresh(p) {
                fresh = Some((place + 1, false, p.clone()));
            }
        }
        followed.fresh = fresh.map(|(place, played_on, p)| (place, played_on, game.position_text(&p)));
        followed
    }

    fn book_text(&self, frame: u8) -> String {
        let mut text = String::new();
        self.game.book_text(&self.position, frame, &mut text);
        text
    }

    fn shared_book_key(&self) -> Option<u64> {
        self.game.shared_book_key(&self.position)
    }

    fn action_text(&self, action: Action) -> String {
        self.game.action_text(&self.position, action)
    }

    fn parse_action(&self, text: &str) -> Option<Action> {
        self.game.parse_action(&self.position, text)
    }

    fn frames(&self) -> u8 {
        self.game.frames()
    }

    fn key(&self, frame: u8) -> u64 {
        self.game.frame_key(&self.position, frame)
    }

    fn canonical(&self) -> (u64, u8) {
        self.game.canonical(&self.position)
    }

    fn to_frame(&self, frame: u8, action: Action) -> Action {
        self.game.to_frame(frame, action)
    }

    fn undo_frame(&self, frame: u8, action: Action) -> Action {
        self.game.undo_frame(frame, action)
    }

    fn perft(&self, depth: u32) -> u64 {
        perft(&*self.game, &self.position, depth)
    }

    fn playouts(&self, count: u32, seed: u64, style: Style) -> f64 {
        let mut rng = Rng::with_seed(seed);
        let mut scratch = self.position.clone();
        let mut total = 0.0;
        for _ in 0..count {
            scratch.clone_from(&self.position);
            total += f64::from(match style {
                Style::Uniform => self.game.rollout(&mut scratch, &mut rng),
                Style::Knowledge | Style::Tactics => self.game.playout(&mut scratch, style, &mut rng, None),
            });
        }
        total / f64::from(count.max(1))
    }

    fn playout(&self, seed: u64, style: Style) -> (f32, Trace) {
        let mut trace = Trace::new();
        let mut scratch = self.position.clone();
        let result = self.game.playout(&mut scratch, style, &mut Rng::with_seed(seed), Some(&mut trace));
        (result, trace)
    }

    fn known(&self) -> Option<f32> {
        self.game.known(&self.position)
    }

    fn evaluate(&self) -> Option<f32> {
        self.game.evaluate(&mut self.position.clone())
    }

    fn preferences(&self, actions: &[Action]) -> Option<Vec<f32>> {
        let mut preferences = Vec::new();
        self.game.preferences(&self.position, actions, &mut preferences).then_some(preferences)
    }

    fn ownership(&self, count: u32, seed: u64) -> Vec<f64> {
        let mut rng = Rng::with_seed(seed);
        let mut scratch = self.position.clone();
        let mut owners = Vec::new();
        for _ in 0..count {
            scratch.clone_from(&self.position);
            self.game.add_owners(&mut scratch, &mut rng, &mut owners);
        }
        owners.into_iter().map(|sum| f64::from(sum) / f64::from(count)).collect()
    }
}

struct MakePosition<'a> {
    text: Option<&'a str>,
    tables: Option<TablePaths>,
}

impl Make for MakePosition<'_> {
    type Output = Result<Box<dyn AnyPosition>, String>;

    fn make<G: Game>(self, mut game: G) -> Self::Output {
        game.set_tables(self.tables.as_ref())?;
        let position = match self.text {
            Some(text) => game.parse_position(text)?,
            None => game.initial(),
        };
        Ok(Box::new(HeldPosition { game: Arc::new(game), position }))
    }
}

fn style(knowledge: bool) -> Style {
    if knowledge { Style::Knowledge } else { Style::Uniform }
}

/// A position of a kernel, or of a game written in Python.
#[pyclass(name = "Position", module = "playout.engine._core")]
pub struct PositionHandle(Box<dyn AnyPosition>, Option<PyGame>);

impl PositionHandle {
    /// `answer`, unless the user's game has failed.
    fn checked<T>(&self, answer: T) -> PyResult<T> {
        match self.1.as_ref().and_then(PyGame::take_fault) {
            Some(error) => Err(error),
            None => Ok(answer),
        }
    }

    fn check_frame(&self, frame: u8) -> PyResult<()> {
        if frame < self.0.frames() {
            Ok(())
        } else {
            Err(PyValueError::new_err(format!("frame {frame} is not between 0 and {}", self.0.frames() - 1)))
        }
    }

    fn check_action(&self, action: Action) -> PyResult<()> {
        if self.0.actions().contains(&action) {
            Ok(())
        } else {
            Err(PyValueError::new_err(format!("illegal action {action}")))
        }
    }
}

#[pymethods]
impl PositionHandle {
    #[new]
    #[pyo3(signature = (kernel, params, text=None, tables=Vec::new()))]
    fn new(
        kernel: &str,
        params: BTreeMap<String, String>,
        text: Option<&str>,
        tables: Vec<PathBuf>,
    ) -> PyResult<PositionHandle> {
        let tables = (!tables.is_empty()).then_some(TablePaths { paths: tables, most_pieces: u32::MAX });
        with_kernel(kernel, params, MakePosition { text, tables })?
            .map(|made| PositionHandle(made, None))
            .map_err(PyValueError::new_err)
    }

    /// The start of a game written in Python; its actions are numbered as they are met.
    #[staticmethod]
    fn python(game: &Bound<'_, PyAny>) -> PyResult<PositionHandle> {
        let game = PyGame::new(game)?;
        let position = PositionHandle(
            MakePosition { text: None, tables: None }.make(game.clone()).map_err(PyValueError::new_err)?,
            Some(game),
        );
        position.checked(())?;
        Ok(position)
    }

    fn copy(&self) -> PositionHandle {
        PositionHandle(self.0.copy(), self.1.clone())
    }

    fn player(&self) -> i32 {
        self.0.player()
    }

    fn result(&self) -> Option<f32> {
        self.0.result()
    }

    fn actions(&self) -> PyResult<Vec<Action>> {
        self.checked(self.0.actions())
    }

    fn probability(&self, action: Action) -> PyResult<f32> {
        self.check_action(action)?;
        Ok(self.0.probability(action))
    }

    fn play(&mut self, action: Action) -> PyResult<()> {
        self.check_action(action)?;
        self.0.play(action);
        self.checked(())
    }

    fn set_player(&mut self, player: u8) -> bool {
        self.0.set_player(if player == 0 { Player::First } else { Player::Second })
    }

    /// The text of the position, if nothing that led to it matters to what follows.
    fn fresh_text(&self) -> Option<String> {
        self.0.fresh_text()
    }

    /// The text under which books know the image of the position in a frame; empty where the kernel has none.
    fn book_text(&self, frame: u8) -> PyResult<String> {
        self.check_frame(frame)?;
        Ok(self.0.book_text(frame))
    }

    /// The key in the books of other programs.
    fn shared_book_key(&self) -> Option<u64> {
        self.0.shared_book_key()
    }

    /// Plays the words as far as each is the exact notation of a legal move; the GIL is given up. Draws that nobody
    /// has claimed are passed over.
    fn follow(&mut self, py: Python<'_>, words: Vec<String>) -> (usize, Vec<usize>, Option<(usize, bool, String)>) {
        let Followed { count, played_on, fresh } = py.detach(|| self.0.follow(&words));
        (count, played_on, fresh)
    }

    fn action_text(&self, action: Action) -> PyResult<String> {
        self.check_action(action)?;
        Ok(self.0.action_text(action))
    }

    fn parse_action(&self, text: &str) -> Option<Action> {
        self.0.parse_action(text)
    }

    fn frames(&self) -> u8 {
        self.0.frames()
    }

    #[pyo3(signature = (frame=0))]
    fn key(&self, frame: u8) -> PyResult<u64> {
        self.check_frame(frame)?;
        Ok(self.0.key(frame))
    }

    fn canonical(&self) -> (u64, u8) {
        self.0.canonical()
    }

    fn to_frame(&self, frame: u8, action: Action) -> PyResult<Action> {
        self.check_frame(frame)?;
        Ok(self.0.to_frame(frame, action))
    }

    fn undo_frame(&self, frame: u8, action: Action) -> PyResult<Action> {
        self.check_frame(frame)?;
        Ok(self.0.undo_frame(frame, action))
    }

    fn perft(&self, py: Python<'_>, depth: u32) -> u64 {
        py.detach(|| self.0.perft(depth))
    }

    #[pyo3(signature = (count, seed, knowledge = false))]
    fn playouts(&self, py: Python<'_>, count: u32, seed: u64, knowledge: bool) -> PyResult<f64> {
        self.checked(py.detach(|| self.0.playouts(count, seed, style(knowledge))))
    }

    /// One playout: the result for player 0, and each action of a player with the player.
    #[pyo3(signature = (seed, knowledge = false))]
    fn playout(&self, py: Python<'_>, seed: u64, knowledge: bool) -> PyResult<(f32, Vec<(Action, u8)>)> {
        let (result, trace) = self.checked(py.detach(|| self.0.playout(seed, style(knowledge))))?;
        Ok((result, trace.into_iter().map(|played| (played.action, played.second.into())).collect()))
    }

    /// The value that the tables have, for player 0.
    fn known(&self) -> Option<f32> {
        self.0.known()
    }

    fn evaluate(&self) -> PyResult<Option<f32>> {
        self.checked(self.0.evaluate())
    }

    /// H(s, a) of each legal action, in the order of `actions`; None if the game has none.
    fn preferences(&self) -> PyResult<Option<Vec<f32>>> {
        self.checked(self.0.preferences(&self.0.actions()))
    }

    fn ownership(&self, py: Python<'_>, count: u32, seed: u64) -> Vec<f64> {
        py.detach(|| self.0.ownership(count, seed))
    }
}
