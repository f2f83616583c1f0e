//! The methods of a user's game, each called with its answer checked.

use playout_games::{Player, Rng};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyList, PyString, PyTuple},
};

use super::faults::{game_error, raised, shown, wrong};

/// Plies after which a playout of a game without `max_game_length` counts as a draw.
const LONGEST_PLAYOUT: usize = 10_000;
/// Maximum number of symmetries of a game.
const MOST_SYMMETRIES: usize = 12;
/// Tolerance for the sum of the two results, and for the sum of probabilities against 1.
const ROUNDING: f64 = 1e-3;

pub struct Symmetry {
    pub state: Py<PyAny>,
    pub action: Py<PyAny>,
    pub inverse_action: Py<PyAny>,
}

/// The game's bound methods; None for a hook that it lacks.
pub struct Hooks {
    pub game: Py<PyAny>,
    initial: Py<PyAny>,
    player: Py<PyAny>,
    legal: Py<PyAny>,
    next: Py<PyAny>,
    returns: Py<PyAny>,
    pub key: Option<Py<PyAny>>,
    pub symmetries: Vec<Symmetry>,
    pub chance: Option<Py<PyAny>>,
    pub value: Option<Py<PyAny>>,
    pub action_values: Option<Py<PyAny>>,
    pub rollout_action: Option<Py<PyAny>>,
    pub features: Option<Py<PyAny>>,
    pub with_player: Option<Py<PyAny>>,
    /// `score`, in a game that is decided by points.
    pub score: Option<Py<PyAny>>,
    action_to_text: Option<Py<PyAny>>,
    /// `random.Random`, for `rollout_action`.
    random: Py<PyAny>,
    pub longest: usize,
    text: Py<PyModule>,
    /// The exceptions by which `text_to_action` and `state_from_text` refuse a text.
    illegal_move: Py<PyAny>,
    bad_text: Py<PyAny>,
}

impl Hooks {
    /// # Errors
    ///
    /// Exceptions of the game's `symmetries`, and errors of the attributes that are read here.
    pub fn new(game: &Bound<'_, PyAny>) -> PyResult<Hooks> {
        let py = game.py();
        let method = |name: &str| game.getattr(name).map(Bound::unbind);
        let hook =
            |name: &str| game.getattr_opt(name).map(|found| found.filter(|f| f.is_callable()).map(Bound::unbind));
        let longest = match game.getattr_opt("max_game_length")?.filter(|length| !length.is_none()) {
            Some(length) => length.extract().map_err(|_| {
                game_error(py, &format!("max_game_length is {}; it must be a number of plies", shown(&length)))
            })?,
            None => LONGEST_PLAYOUT,
        };
        let errors = py.import("playout.games.errors")?;
        let mut hooks = Hooks {
            game: game.clone().unbind(),
            initial: method("initial_state")?,
            player: method("current_player")?,
            legal: method("legal_actions")?,
            next: method("next_state")?,
            returns: method("returns")?,
            key: hook("key")?,
            symmetries: Vec::new(),
            chance: hook("chance_outcomes")?,
            value: hook("value")?,
            action_values: hook("action_values")?,
            rollout_action: hook("rollout_action")?,
            features: hook("features")?,
            with_player: hook("with_player")?,
            score: if game.hasattr("komi")? && hook("stones")?.is_some() { hook("score")? } else { None },
            action_to_text: if hook("text_to_action")?.is_some() { hook("action_to_text")? } else { None },
            random: py.import("random")?.getattr("Random")?.call1((0,))?.unbind(),
            longest,
            text: py.import("playout.games.game")?.unbind(),
            illegal_move: errors.getattr("IllegalMove")?.unbind(),
            bad_text: errors.getattr("PlayoutError")?.unbind(),
        };
        if let (Some(symmetries), Some(_)) = (hook("symmetries")?, &hooks.key) {
            let given = symmetries.bind(py).call0().map_err(|error| raised(py, error, "symmetries", &[]))?;
            hooks.symmetries = group(&given)?;
        }
        Ok(hooks)
    }

    /// Calls one of the game's methods; an exception is reported with the arguments.
    #[inline]
    pub fn call<'py>(
        &self,
        method: &Py<PyAny>,
        name: &str,
        arguments: &[&Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = match *arguments {
            [state] => method.bind(state.py()).call1((state,)),
            [state, one] => method.bind(state.py()).call1((state, one)),
            [state, one, two] => method.bind(state.py()).call1((state, one, two)),
            _ => unreachable!("a method has one to three arguments"),
        };
        answer.map_err(|error| raised(arguments[0].py(), error, name, arguments))
    }

    pub fn initial_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.initial.bind(py).call0().map_err(|error| raised(py, error, "initial_state", &[]))
    }

    pub fn next_state<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        action: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let next = self.call(&self.next, "next_state", &[state, action])?;
        if next.is_none() {
            return Err(wrong(state.py(), "next_state", &[state, action], "gives None, which is no state"));
        }
        Ok(next)
    }

    /// Player 0's result; None while the game goes on.
    pub fn result(&self, state: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
        let returns = self.call(&self.returns, "returns", &[state])?;
        if returns.is_none() {
            return Ok(None);
        }
        let pair = match returns.cast::<PyTuple>() {
            Ok(tuple) => tuple.extract::<(f64, f64)>().ok(),
            Err(_) => returns.extract::<[f64; 2]>().ok().map(|[first, second]| (first, second)),
        };
        let fits = |value: f64| (-1.0..=1.0).contains(&value);
        match pair {
            Some((first, second)) if fits(first) && fits(second) && (first + second).abs() <= ROUNDING => {
                Ok(Some(first as f32))
            }
            _ => {
                let what =
                    format!("gives {}; it must be None or two numbers in [-1, 1] that add up to 0", shown(&returns));
                Err(wrong(state.py(), "returns", &[state], &what))
            }
        }
    }

    pub fn player(&self, state: &Bound<'_, PyAny>) -> PyResult<Player> {
        let player = self.call(&self.player, "current_player", &[state])?;
        match player.extract::<i64>() {
            Ok(0) => Ok(Player::First),
            Ok(1) => Ok(Player::Second),
            Ok(-1) if self.chance.is_some() => Ok(Player::Chance),
            Ok(-1) => {
                Err(wrong(state.py(), "current_player", &[state], "gives CHANCE, but the game has no chance_outcomes"))
            }
            _ => {
                let what = format!("gives {}; it must be 0, 1 or CHANCE (-1)", shown(&player));
                Err(wrong(state.py(), "current_player", &[state], &what))
            }
        }
    }

    /// The result of `legal_actions`, which has a length and items.
    pub fn legal_actions<'py>(&self, state: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let actions = self.call(&self.legal, "legal_actions", &[state])?;
        if actions.is_instance_of::<PyList>() || actions.is_instance_of::<PyTuple>() {
            return Ok(actions);
        }
        if actions.len().is_err() || !actions.hasattr("__getitem__")? || actions.hasattr("keys")? {
            let what = format!("gives {}; it must be a list or a tuple", shown(&actions));
            return Err(wrong(state.py(), "legal_actions", &[state], &what));
        }
        Ok(actions)
    }

    pub fn no_actions(&self, state: &Bound<'_, PyAny>) -> PyErr {
        wrong(state.py(), "legal_actions", &[state], "is empty, but returns says that the game goes on")
    }

    /// The outcomes of a chance state with their probabilities.
    pub fn outcomes<'py>(&self, state: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyAny>, f32)>> {
        let py = state.py();
        let Some(method) = &self.chance else { return Ok(Vec::new()) };
        let given = self.call(method, "chance_outcomes", &[state])?;
        let Ok(outcomes) = given.extract::<Vec<(Bound<'py, PyAny>, f64)>>() else {
            let what = format!("gives {}; it must be a list of pairs (outcome, probability)", shown(&given));
            return Err(wrong(py, "chance_outcomes", &[state], &what));
        };
        if outcomes.is_empty() {
            return Err(wrong(py, "chance_outcomes", &[state], "gives none at a chance state"));
        }
        let total: f64 = outcomes.iter().map(|&(_, p)| p).sum();
        if !outcomes.iter().all(|&(_, p)| p >= 0.0) || !(1.0 - ROUNDING..=1.0 + ROUNDING).contains(&total) {
            let what = format!("gives probabilities that are negative or do not add up to 1: {}", shown(&given));
            return Err(wrong(py, "chance_outcomes", &[state], &what));
        }
        Ok(outcomes.into_iter().map(|(outcome, p)| (outcome, p as f32)).collect())
    }

    pub fn key<'py>(&self, state: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.key {
            Some(key) => self.call(key, "key", &[state]),
            None => Ok(state.clone()),
        }
    }

    pub fn value(&self, state: &Bound<'_, PyAny>) -> PyResult<f32> {
        let Some(method) = &self.value else { return Ok(0.0) };
        let value = self.call(method, "value", &[state])?;
        match value.extract::<f32>() {
            Ok(number) if (-1.0..=1.0).contains(&number) => Ok(number),
            _ => {
                let what = format!("gives {}; it must be a number in [-1, 1]", shown(&value));
                Err(wrong(state.py(), "value", &[state], &what))
            }
        }
    }

    pub fn action_values(
        &self,
        state: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
        count: usize,
    ) -> PyResult<Vec<f32>> {
        let Some(method) = &self.action_values else { return Ok(Vec::new()) };
        let values = self.call(method, "action_values", &[state, actions])?;
        match values.try_iter().and_then(|all| all.map(|value| value?.extract()).collect::<PyResult<Vec<f32>>>()) {
            Ok(numbers) if numbers.len() == count && numbers.iter().all(|number| number.is_finite()) => Ok(numbers),
            _ => {
                let what = format!("gives {}; it must be {count} finite numbers, one for each action", shown(&values));
                Err(wrong(state.py(), "action_values", &[state, actions], &what))
            }
        }
    }

    /// The numbers of `features`, `count` of them if that is known; none in a game that has no such method.
    pub fn features(&self, state: &Bound<'_, PyAny>, count: Option<usize>) -> PyResult<Vec<f32>> {
        let Some(method) = &self.features else { return Ok(Vec::new()) };
        let features = self.call(method, "features", &[state])?;
        let numbers = features.try_iter().and_then(|all| all.map(|number| number?.extract()).collect());
        match numbers {
            Ok(numbers)
                if Vec::len(&numbers) == count.unwrap_or(numbers.len())
                    && numbers.iter().all(|x: &f32| x.is_finite()) =>
            {
                Ok(numbers)
            }
            _ => {
                let many = count.map_or(String::new(), |count| format!("{count} "));
                let what =
                    format!("gives {}; it must be {many}finite numbers, for every state as many", shown(&features));
                Err(wrong(state.py(), "features", &[state], &what))
            }
        }
    }

    /// The one of `actions` that `rollout_action`, which the game has, chooses.
    pub fn choose<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        actions: &Bound<'py, PyAny>,
        rng: &mut Rng,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(method) = &self.rollout_action else {
            return actions.get_item(rng.usize(..actions.len()?));
        };
        let chosen = self.call(method, "rollout_action", &[state, actions, self.random.bind(state.py())])?;
        if !actions.contains(&chosen)? {
            let what = format!("gives {}, which is not among the actions", shown(&chosen));
            return Err(wrong(state.py(), "rollout_action", &[state, actions], &what));
        }
        Ok(chosen)
    }

    pub fn action_text(&self, state: &Bound<'_, PyAny>, action: &Bound<'_, PyAny>) -> PyResult<String> {
        let text = match &self.action_to_text {
            Some(method) => self.call(method, "action_to_text", &[state, action])?,
            None => action.str()?.into_any(),
        };
        text.extract().map_err(|_| {
            let what = format!("gives {}, which is not a text", shown(&text));
            wrong(state.py(), "action_to_text", &[state, action], &what)
        })
    }

    /// The action that `text` names; None if the game says that it names none.
    pub fn read_action<'py>(&self, state: &Bound<'py, PyAny>, text: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = state.py();
        let read = self.text.bind(py).getattr("text_to_action")?;
        match read.call1((self.game.bind(py), state, text)) {
            Ok(action) => Ok(Some(action)),
            Err(error) if error.is_instance(py, self.illegal_move.bind(py)) => Ok(None),
            Err(error) => Err(raised(py, error, "text_to_action", &[state, PyString::new(py, text).as_any()])),
        }
    }

    /// # Errors
    ///
    /// The game's own message about what is wrong with the text.
    pub fn state_from_text<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        let text = text.into_bound_py_any(py)?;
        let method = self.game.bind(py).getattr("state_from_text")?;
        method.call1((&text,)).map_err(|error| {
            if error.is_instance(py, self.bad_text.bind(py)) {
                error
            } else {
                raised(py, error, "state_from_text", &[&text])
            }
        })
    }
}

/// The symmetries that the game gives.
fn group(given: &Bound<'_, PyAny>) -> PyResult<Vec<Symmetry>> {
    let py = given.py();
    let read = |symmetry: Bound<'_, PyAny>| -> PyResult<Symmetry> {
        Ok(Symmetry {
            state: symmetry.getattr("state")?.unbind(),
            action: symmetry.getattr("action")?.unbind(),
            inverse_action: symmetry.getattr("inverse_action")?.unbind(),
        })
    };
    let symmetries: PyResult<Vec<Symmetry>> =
        given.try_iter().and_then(|all| all.map(|symmetry| read(symmetry?)).collect());
    match symmetries {
        Err(_) => Err(wrong(py, "symmetries", &[], &format!("gives {}; it must be a list of Symmetry", shown(given)))),
        Ok(all) if all.len() > MOST_SYMMETRIES => {
            Err(wrong(py, "symmetries", &[], &format!("gives {}; at most {MOST_SYMMETRIES} are used", all.len())))
        }
        Ok(all) => Ok(all),
    }
}
