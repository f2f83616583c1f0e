//! A game written in Python, as the search sees it.
//!
//! Each simulation takes the interpreter's lock once and keeps it. An exception in the user's code is kept, the search
//! stops, and whoever started it raises the exception.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use playout_games::{Action, Game, Player, Rng, zobrist};
use playout_search::Config;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyList},
};

use crate::py_key::stable_key;

/// Plies after which a playout of a game without `max_game_length` counts as a draw.
const LONGEST_PLAYOUT: usize = 10_000;
/// Positions whose canonical key is remembered.
const REMEMBERED: usize = 1 << 16;

/// Actions as numbers, in the order in which they were met.
struct Actions {
    numbers: Py<PyDict>,
    objects: Vec<Py<PyAny>>,
}

struct Symmetry {
    state: Py<PyAny>,
    action: Py<PyAny>,
    inverse_action: Py<PyAny>,
}

struct Inner {
    game: Py<PyAny>,
    actions: Mutex<Actions>,
    symmetries: Vec<Symmetry>,
    canonical: Mutex<HashMap<u64, (u64, u8)>>,
    /// State -> number, of a game without a key: equal states have equal futures.
    states: Py<PyDict>,
    has_key: bool,
    chance: bool,
    has_value: bool,
    rollout_action: Option<(Py<PyAny>, Py<PyAny>)>,
    longest: usize,
    text: Py<PyModule>,
    illegal_move: Py<PyAny>,
    fault: Mutex<Option<PyErr>>,
    faulty: AtomicBool,
}

/// A user's game. Cheap to clone.
#[derive(Clone)]
pub struct PyGame(Arc<Inner>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A state of the user's. Shared, so that copying one needs no interpreter.
#[derive(Clone)]
pub struct PyPosition(Arc<Py<PyAny>>);

impl PyGame {
    /// # Errors
    ///
    /// What the game's `symmetries` raises.
    pub fn new(game: &Bound<'_, PyAny>) -> PyResult<PyGame> {
        let py = game.py();
        let has = |name: &str| game.hasattr(name);
        let symmetries = if has("symmetries")? && has("key")? {
            game.call_method0("symmetries")?
                .try_iter()?
                .map(|symmetry| {
                    let symmetry = symmetry?;
                    Ok(Symmetry {
                        state: symmetry.getattr("state")?.unbind(),
                        action: symmetry.getattr("action")?.unbind(),
                        inverse_action: symmetry.getattr("inverse_action")?.unbind(),
                    })
                })
                .collect::<PyResult<Vec<_>>>()?
        } else {
            Vec::new()
        };
        if symmetries.len() > 12 {
            return Err(PyValueError::new_err(format!("symmetries() gives {}; at most 12 are used", symmetries.len())));
        }
        let rollout_action = if has("rollout_action")? {
            let random = py.import("random")?.getattr("Random")?.call1((0,))?;
            Some((game.getattr("rollout_action")?.unbind(), random.unbind()))
        } else {
            None
        };
        let longest = match game.getattr("max_game_length") {
            Ok(length) if !length.is_none() => length.extract()?,
            _ => LONGEST_PLAYOUT,
        };
        let inner = Inner {
            game: game.clone().unbind(),
            actions: Mutex::new(Actions { numbers: PyDict::new(py).unbind(), objects: Vec::new() }),
            symmetries,
            canonical: Mutex::new(HashMap::new()),
            states: PyDict::new(py).unbind(),
            has_key: has("key")?,
            chance: has("chance_outcomes")?,
            has_value: has("value")?,
            rollout_action,
            longest,
            text: py.import("playout.games.game")?.unbind(),
            illegal_move: py.import("playout.games.errors")?.getattr("IllegalMove")?.unbind(),
            fault: Mutex::new(None),
            faulty: AtomicBool::new(false),
        };
        Ok(PyGame(Arc::new(inner)))
    }

    /// `config` without what the game cannot have: more than one thread, and a graph or merging without a key.
    pub fn limit(&self, config: Config) -> Config {
        Config {
            threads: 1,
            transpositions: config.transpositions && self.0.has_key,
            symmetries: config.symmetries && self.0.symmetries.len() > 1,
            ..config
        }
    }

    /// The exception that stopped the search, once. What was remembered since is forgotten: it may be made up.
    pub fn take_fault(&self) -> Option<PyErr> {
        if self.0.faulty.swap(false, Relaxed) {
            lock(&self.0.canonical).clear();
        }
        lock(&self.0.fault).take()
    }

    /// Runs user code; after an exception, now or before, gives `fallback`.
    fn attempt<T>(&self, fallback: T, code: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if self.0.faulty.load(Relaxed) {
            return fallback;
        }
        Python::attach(|py| match code(py, self.0.game.bind(py)) {
            Ok(value) => value,
            Err(error) => {
                lock(&self.0.fault).get_or_insert(error);
                self.0.faulty.store(true, Relaxed);
                fallback
            }
        })
    }

    fn number(&self, action: &Bound<'_, PyAny>) -> PyResult<Action> {
        let py = action.py();
        let mut actions = lock(&self.0.actions);
        let known = actions.numbers.bind(py).get_item(action);
        if let Some(number) = known.map_err(|error| PyTypeError::new_err(format!("an action: {}", error.value(py))))? {
            return number.extract();
        }
        let number = actions.objects.len() as Action;
        actions.numbers.bind(py).set_item(action, number)?;
        actions.objects.push(action.clone().unbind());
        Ok(number)
    }

    /// The key of a state in a game that has none: its number. The states that were asked for are kept.
    fn state_key(&self, state: &Bound<'_, PyAny>) -> PyResult<u64> {
        let states = self.0.states.bind(state.py());
        let hashable = |error: PyErr| PyTypeError::new_err(format!("a state: {}", error.value(state.py())));
        let number = match states.get_item(state).map_err(hashable)? {
            Some(number) => number.extract()?,
            None => {
                let number = states.len() as u64;
                states.set_item(state, number)?;
                number
            }
        };
        Ok(zobrist::key(0, number))
    }

    fn object<'py>(&self, py: Python<'py>, action: Action) -> PyResult<Bound<'py, PyAny>> {
        let actions = lock(&self.0.actions);
        let object = actions.objects.get(action as usize);
        Ok(object.ok_or_else(|| PyValueError::new_err(format!("no action {action}")))?.bind(py).clone())
    }

    fn map(&self, action: Action, by: impl FnOnce(&Symmetry) -> &Py<PyAny>, frame: u8) -> Action {
        if frame == 0 {
            return action;
        }
        self.attempt(action, |py, _| {
            let image = by(&self.0.symmetries[frame as usize]).bind(py).call1((self.object(py, action)?,))?;
            self.number(&image)
        })
    }

    fn result_of(game: &Bound<'_, PyAny>, state: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
        let returns = game.call_method1("returns", (state,))?;
        if returns.is_none() {
            return Ok(None);
        }
        let first: f32 = returns.get_item(0)?.extract()?;
        if !(-1.0..=1.0).contains(&first) {
            return Err(PyValueError::new_err(format!("returns gives {first}, which is not between -1 and 1")));
        }
        Ok(Some(first))
    }

    fn player_of(game: &Bound<'_, PyAny>, state: &Bound<'_, PyAny>) -> PyResult<Player> {
        match game.call_method1("current_player", (state,))?.extract::<i64>()? {
            0 => Ok(Player::First),
            1 => Ok(Player::Second),
            -1 => Ok(Player::Chance),
            other => Err(PyValueError::new_err(format!("current_player gives {other}; it is 0, 1 or CHANCE (-1)"))),
        }
    }

    fn outcomes<'py>(game: &Bound<'py, PyAny>, state: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyAny>, f32)>> {
        let outcomes: Vec<(Bound<'py, PyAny>, f32)> = game.call_method1("chance_outcomes", (state,))?.extract()?;
        if outcomes.is_empty() {
            return Err(PyValueError::new_err("chance_outcomes gives none at a chance state"));
        }
        let total: f32 = outcomes.iter().map(|&(_, p)| p).sum();
        if outcomes.iter().any(|&(_, p)| p < 0.0) || !(0.999..1.001).contains(&total) {
            return Err(PyValueError::new_err(format!("chance_outcomes gives probabilities that add up to {total}")));
        }
        Ok(outcomes)
    }

    fn sample_of<'py>(
        game: &Bound<'py, PyAny>,
        state: &Bound<'py, PyAny>,
        rng: &mut Rng,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut outcomes = Self::outcomes(game, state)?;
        let mut left = rng.f32();
        let chosen = outcomes.iter().position(|(_, p)| {
            left -= p;
            left < 0.0
        });
        Ok(outcomes.swap_remove(chosen.unwrap_or(outcomes.len() - 1)).0)
    }

    fn playout(&self, py: Python<'_>, game: &Bound<'_, PyAny>, state: &Py<PyAny>, rng: &mut Rng) -> PyResult<f32> {
        let mut state = state.bind(py).clone();
        let returns = game.getattr("returns")?;
        let legal = game.getattr("legal_actions")?;
        let next = game.getattr("next_state")?;
        for _ in 0..self.0.longest {
            let result = returns.call1((&state,))?;
            if !result.is_none() {
                return Ok(Self::result_of(game, &state)?.unwrap_or(0.0));
            }
            let action = if self.0.chance && Self::player_of(game, &state)? == Player::Chance {
                Self::sample_of(game, &state, rng)?
            } else {
                let actions = legal.call1((&state,))?;
                let count = actions.len()?;
                if count == 0 {
                    return Err(PyValueError::new_err(
                        "legal_actions is empty, but returns says that the game goes on",
                    ));
                }
                match &self.0.rollout_action {
                    Some((choose, random)) => choose.bind(py).call1((&state, &actions, random))?,
                    None => match actions.cast::<PyList>() {
                        Ok(list) => list.get_item(rng.usize(..count))?,
                        Err(_) => actions.get_item(rng.usize(..count))?,
                    },
                }
            };
            state = next.call1((&state, action))?;
        }
        Ok(0.0)
    }
}

impl Game for PyGame {
    type Position = PyPosition;

    fn initial(&self) -> PyPosition {
        let none = Python::attach(|py| py.None());
        PyPosition(Arc::new(self.attempt(none, |_, game| Ok(game.call_method0("initial_state")?.unbind()))))
    }

    fn player(&self, p: &PyPosition) -> Player {
        self.attempt(Player::First, |py, game| Self::player_of(game, p.0.bind(py)))
    }

    fn result(&self, p: &PyPosition) -> Option<f32> {
        self.attempt(Some(0.0), |py, game| Self::result_of(game, p.0.bind(py)))
    }

    fn actions(&self, p: &PyPosition, out: &mut Vec<Action>) {
        out.clear();
        self.attempt((), |py, game| {
            let state = p.0.bind(py);
            if self.0.chance && Self::player_of(game, state)? == Player::Chance {
                for (outcome, _) in Self::outcomes(game, state)? {
                    out.push(self.number(&outcome)?);
                }
                return Ok(());
            }
            for action in game.call_method1("legal_actions", (state,))?.try_iter()? {
                out.push(self.number(&action?)?);
            }
            Ok(())
        });
    }

    fn probability(&self, p: &PyPosition, a: Action) -> f32 {
        self.attempt(1.0, |py, game| {
            let wanted = self.object(py, a)?;
            for (outcome, probability) in Self::outcomes(game, p.0.bind(py))? {
                if outcome.eq(&wanted)? {
                    return Ok(probability);
                }
            }
            Ok(0.0)
        })
    }

    fn sample(&self, p: &PyPosition, rng: &mut Rng) -> Action {
        self.attempt(0, |py, game| self.number(&Self::sample_of(game, p.0.bind(py), rng)?))
    }

    fn play(&self, p: &mut PyPosition, a: Action) {
        let next = self.attempt(None, |py, game| {
            Ok(Some(game.call_method1("next_state", (p.0.bind(py), self.object(py, a)?))?.unbind()))
        });
        if let Some(next) = next {
            p.0 = Arc::new(next);
        }
    }

    fn frames(&self) -> u8 {
        self.0.symmetries.len().max(1) as u8
    }

    fn frame_key(&self, p: &PyPosition, frame: u8) -> u64 {
        self.attempt(0, |py, game| {
            let mut state = p.0.bind(py).clone();
            if !self.0.has_key {
                return self.state_key(&state);
            }
            if frame > 0 {
                state = self.0.symmetries[frame as usize].state.bind(py).call1((state,))?;
            }
            let key = game.call_method1("key", (state,))?;
            stable_key(&key).map_err(|error| PyTypeError::new_err(format!("key: {}", error.value(py))))
        })
    }

    fn canonical(&self, p: &PyPosition) -> (u64, u8) {
        let own = self.frame_key(p, 0);
        if let Some(&known) = lock(&self.0.canonical).get(&own) {
            return known;
        }
        let best = (0..self.frames()).map(|frame| (self.frame_key(p, frame), frame)).min().unwrap_or((own, 0));
        let mut remembered = lock(&self.0.canonical);
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(own, best);
        best
    }

    fn to_frame(&self, frame: u8, a: Action) -> Action {
        self.map(a, |symmetry| &symmetry.action, frame)
    }

    fn from_frame(&self, frame: u8, a: Action) -> Action {
        self.map(a, |symmetry| &symmetry.inverse_action, frame)
    }

    fn rollout(&self, p: &mut PyPosition, rng: &mut Rng) -> f32 {
        self.attempt(0.0, |py, game| self.playout(py, game, &p.0, rng))
    }

    fn evaluate(&self, p: &mut PyPosition) -> Option<f32> {
        if !self.0.has_value {
            return None;
        }
        self.attempt(Some(0.0), |py, game| {
            let value: f32 = game.call_method1("value", (p.0.bind(py),))?.extract()?;
            if (-1.0..=1.0).contains(&value) {
                Ok(Some(value))
            } else {
                Err(PyValueError::new_err(format!("value gives {value}, which is not between -1 and 1")))
            }
        })
    }

    fn set_player(&self, p: &mut PyPosition, player: Player) -> bool {
        let next = self.attempt(None, |py, game| {
            if !game.hasattr("with_player")? {
                return Ok(None);
            }
            Ok(Some(game.call_method1("with_player", (p.0.bind(py), player as u8))?.unbind()))
        });
        next.is_some_and(|next| {
            p.0 = Arc::new(next);
            true
        })
    }

    fn action_text(&self, p: &PyPosition, a: Action) -> String {
        self.attempt(String::new(), |py, game| {
            let text = self.0.text.bind(py).getattr("action_to_text")?;
            let text = text.call1((game, p.0.bind(py), self.object(py, a)?))?;
            text.extract().map_err(|_| PyTypeError::new_err("action_to_text gives no text"))
        })
    }

    fn parse_action(&self, p: &PyPosition, text: &str) -> Option<Action> {
        self.attempt(None, |py, game| {
            let parse = self.0.text.bind(py).getattr("text_to_action")?;
            match parse.call1((game, p.0.bind(py), text)) {
                Ok(action) => Ok(Some(self.number(&action)?)),
                Err(error) if error.is_instance(py, self.0.illegal_move.bind(py)) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn parse_position(&self, text: &str) -> Result<PyPosition, String> {
        let state = self.attempt(None, |_, game| Ok(Some(game.call_method1("state_from_text", (text,))?.unbind())));
        state.map(|state| PyPosition(Arc::new(state))).ok_or_else(|| format!("cannot read the position {text:?}"))
    }

    fn acyclic(&self) -> bool {
        false
    }

    fn faulty(&self) -> bool {
        self.0.faulty.load(Relaxed)
    }

    fn simulation<R>(&self, run: impl FnOnce() -> R) -> R {
        Python::attach(|_| run())
    }
}
