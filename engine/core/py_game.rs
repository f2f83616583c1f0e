//! A game written in Python, as the search sees it.
//!
//! Each simulation takes the interpreter's lock once and keeps it. A fault in the user's code, or an answer that breaks
//! the contract, is kept, the search stops, and whoever started it raises the fault.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use playout_games::{Action, Cells, Game, Grid, Input, Judged, NetShape, Player, Rng, Style, Trace, draw, zobrist};
use playout_search::Config;
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList},
};

use crate::{
    py_board::PyBoard,
    py_faults::{game_error, shown, wrong},
    py_hooks::{Hooks, Symmetry},
    py_key::stable_key,
    py_position::{Met, PyPosition},
};

/// Marks an action whose image is not known.
const UNKNOWN: Action = Action::MAX;

/// Actions as numbers, in order of appearance.
struct Actions {
    numbers: Py<PyDict>,
    objects: Vec<Py<PyAny>>,
    /// Images computed so far: `[2 * frame]` under the symmetry, `[2 * frame + 1]` under its inverse.
    images: Vec<Vec<Action>>,
}

struct Inner {
    hooks: Hooks,
    actions: Mutex<Actions>,
    met: Mutex<Met>,
    /// Starts that were made, in a game without a key.
    starts: AtomicU64,
    /// State -> number, of a game without a key: equal states have equal futures.
    states: Py<PyDict>,
    fault: Mutex<Option<PyErr>>,
    faulty: AtomicBool,
    /// Asked for when macros come.
    board: OnceLock<Option<PyBoard>>,
    /// Number of features of a state.
    features: OnceLock<usize>,
    /// Python's identifier of the thread that solves, 0 while there is none; None where nobody asks for it.
    thread: Option<AtomicU64>,
}

/// A user's game. Cheap to clone.
#[derive(Clone)]
pub struct PyGame(Arc<Inner>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The value of `cell`, set by `ask` if it is empty; a fault is not stored.
fn once<T>(cell: &OnceLock<T>, ask: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
    match cell.get() {
        Some(known) => Ok(known),
        None => ask().map(|answer| cell.get_or_init(|| answer)),
    }
}

/// The numbers that are not zero, each with its place.
fn sparse(numbers: Vec<f32>) -> Box<[Input]> {
    (0..).zip(numbers).filter(|&(_, value)| value != 0.0).map(|(index, value)| Input { index, value }).collect()
}

impl PyGame {
    /// # Errors
    ///
    /// Exceptions of the game's `symmetries`, and errors of the attributes that are read at once.
    pub fn new(game: &Bound<'_, PyAny>) -> PyResult<PyGame> {
        PyGame::make(game, None)
    }

    /// A game that tells in which thread its methods run.
    ///
    /// # Errors
    ///
    /// As `new`.
    pub fn watched(game: &Bound<'_, PyAny>) -> PyResult<PyGame> {
        PyGame::make(game, Some(AtomicU64::new(0)))
    }

    fn make(game: &Bound<'_, PyAny>, thread: Option<AtomicU64>) -> PyResult<PyGame> {
        let py = game.py();
        let hooks = Hooks::new(game)?;
        let images = vec![Vec::new(); 2 * hooks.symmetries.len()];
        let actions = Actions { numbers: PyDict::new(py).unbind(), objects: Vec::new(), images };
        Ok(PyGame(Arc::new(Inner {
            hooks,
            actions: Mutex::new(actions),
            met: Mutex::default(),
            starts: AtomicU64::new(0),
            states: PyDict::new(py).unbind(),
            fault: Mutex::new(None),
            faulty: AtomicBool::new(false),
            board: OnceLock::new(),
            features: OnceLock::new(),
            thread,
        })))
    }

    /// Python's identifier of the thread in which `simulation` runs, if this game was made to tell it.
    pub fn thread(&self) -> Option<u64> {
        self.0.thread.as_ref().map(|thread| thread.load(Relaxed)).filter(|&thread| thread != 0)
    }

    /// `config` restricted to what the game supports: one thread, and no graph or merging without a key.
    pub fn limit(&self, config: Config) -> Config {
        Config {
            threads: 1,
            transpositions: config.transpositions && self.0.hooks.key.is_some(),
            symmetries: config.symmetries && self.0.hooks.symmetries.len() > 1,
            ..config
        }
    }

    /// Takes the exception that stopped the search. Clears what was stored since, because it may be made up.
    pub fn take_fault(&self) -> Option<PyErr> {
        if self.0.faulty.swap(false, Relaxed) {
            lock(&self.0.met).clear();
        }
        lock(&self.0.fault).take()
    }

    /// Runs user code; after an exception, now or before, gives `fallback`.
    pub(crate) fn attempt<T>(&self, fallback: T, code: impl FnOnce(Python<'_>, &Hooks) -> PyResult<T>) -> T {
        if self.0.faulty.load(Relaxed) {
            return fallback;
        }
        Python::attach(|py| match code(py, &self.0.hooks) {
            Ok(value) => value,
            Err(error) => {
                lock(&self.0.fault).get_or_insert(error);
                self.0.faulty.store(true, Relaxed);
                fallback
            }
        })
    }

    /// The number of an action that `method(arguments)` gave.
    pub(crate) fn number(
        &self,
        action: &Bound<'_, PyAny>,
        method: &str,
        arguments: &[&Bound<'_, PyAny>],
    ) -> PyResult<Action> {
        let py = action.py();
        let mut actions = lock(&self.0.actions);
        let known = actions.numbers.bind(py).get_item(action);
        let unhashable = |_| wrong(py, method, arguments, &format!("gives {}, which is not hashable", shown(action)));
        if let Some(number) = known.map_err(unhashable)? {
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
        let number = match states.get_item(state)? {
            Some(number) => number.extract()?,
            None => {
                let number = states.len() as u64;
                states.set_item(state, number)?;
                number
            }
        };
        Ok(zobrist::key(0, number))
    }

    /// The actions that have appeared, by their numbers.
    pub(crate) fn objects<'py>(&self, py: Python<'py>) -> impl Iterator<Item = Bound<'py, PyAny>> + use<'py> {
        let objects: Vec<_> = lock(&self.0.actions).objects.iter().map(|object| object.bind(py).clone()).collect();
        objects.into_iter()
    }

    fn object<'py>(&self, py: Python<'py>, action: Action) -> PyResult<Bound<'py, PyAny>> {
        let actions = lock(&self.0.actions);
        let object = actions.objects.get(action as usize);
        Ok(object.ok_or_else(|| game_error(py, &format!("no action {action}")))?.bind(py).clone())
    }

    /// The image of an action under a symmetry or, with `inverse`, under its inverse.
    fn map(&self, action: Action, frame: u8, inverse: bool) -> Action {
        if frame == 0 {
            return action;
        }
        let row = 2 * usize::from(frame) + usize::from(inverse);
        let known = lock(&self.0.actions).images[row].get(action as usize).copied();
        if let Some(known) = known.filter(|&known| known != UNKNOWN) {
            return known;
        }
        self.attempt(action, |py, hooks| {
            let Symmetry { action: psi, inverse_action, .. } = &hooks.symmetries[usize::from(frame)];
            let method = format!("symmetries()[{frame}].{}", if inverse { "inverse_action" } else { "action" });
            let object = self.object(py, action)?;
            let image = hooks.call(if inverse { inverse_action } else { psi }, &method, &[&object])?;
            let image = self.number(&image, &method, &[&object])?;
            let known = &mut lock(&self.0.actions).images[row];
            if known.len() <= action as usize {
                known.resize(action as usize + 1, UNKNOWN);
            }
            known[action as usize] = image;
            Ok(image)
        })
    }

    fn result_of(&self, py: Python<'_>, p: &PyPosition) -> PyResult<Option<f32>> {
        once(&p.result, || self.0.hooks.result(p.state.bind(py))).copied()
    }

    fn player_of(&self, py: Python<'_>, p: &PyPosition) -> PyResult<Player> {
        once(&p.player, || self.0.hooks.player(p.state.bind(py))).copied()
    }

    /// The legal actions of a state, or the outcomes that can occur.
    fn actions_of<'a>(&self, py: Python<'_>, p: &'a PyPosition) -> PyResult<&'a [Action]> {
        let hooks = &self.0.hooks;
        let actions = once(&p.actions, || {
            let state = p.state.bind(py);
            let (method, objects) = if hooks.chance.is_some() && self.player_of(py, p)? == Player::Chance {
                let (outcomes, probabilities): (Vec<_>, Vec<_>) = hooks.outcomes(state)?.into_iter().unzip();
                let _ = p.probabilities.set(probabilities.into());
                ("chance_outcomes", outcomes)
            } else {
                ("legal_actions", hooks.legal_actions(state)?.try_iter()?.collect::<PyResult<Vec<_>>>()?)
            };
            let numbers = objects.iter().map(|object| self.number(object, method, &[state]));
            let numbers = numbers.collect::<PyResult<Box<[Action]>>>()?;
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let twice = shown(&self.object(py, twice[0])?);
                return Err(wrong(py, method, &[state], &format!("gives {twice} more than once")));
            }
            if numbers.is_empty() && self.result_of(py, p)?.is_none() {
                return Err(hooks.no_actions(state));
            }
            Ok(numbers)
        })?;
        Ok(actions)
    }

    /// The identity of a state in the table of known states.
    fn id_of(&self, py: Python<'_>, p: &PyPosition) -> PyResult<u64> {
        let ask = || match self.0.hooks.key {
            Some(_) => self.key_of(p.state.bind(py)),
            None => Ok(zobrist::key(self.0.starts.fetch_add(1, Relaxed), 0)),
        };
        once(&p.id, ask).copied()
    }

    fn key_of(&self, state: &Bound<'_, PyAny>) -> PyResult<u64> {
        let key = self.0.hooks.key(state)?;
        stable_key(&key).map_err(|error| {
            let py = state.py();
            let what = format!("gives {}, which is not hashable", shown(&key));
            let fault = wrong(py, "key", &[state], &what);
            fault.set_cause(py, Some(error));
            fault
        })
    }

    fn keys_of<'a>(&self, py: Python<'_>, p: &'a PyPosition) -> PyResult<&'a [u64]> {
        let hooks = &self.0.hooks;
        let keys = once(&p.keys, || {
            let state = p.state.bind(py);
            let mut keys = vec![self.id_of(py, p)?];
            for (frame, symmetry) in hooks.symmetries.iter().enumerate().skip(1) {
                keys.push(self.key_of(&hooks.call(
                    &symmetry.state,
                    &format!("symmetries()[{frame}].state"),
                    &[state],
                )?)?);
            }
            Ok(keys.into())
        })?;
        Ok(keys)
    }

    fn after(&self, py: Python<'_>, p: &PyPosition, action: Action) -> PyResult<PyPosition> {
        let hooks = &self.0.hooks;
        let from = self.id_of(py, p)?;
        if let Some(known) = lock(&self.0.met).after(from, action) {
            return Ok(known);
        }
        let next = hooks.next_state(p.state.bind(py), &self.object(py, action)?)?;
        if next.hash().is_err() {
            let (state, object) = (p.state.bind(py), self.object(py, action)?);
            let what = format!("gives {}, which is not hashable", shown(&next));
            return Err(wrong(py, "next_state", &[state, &object], &what));
        }
        let next = PyPosition::new(next.unbind());
        if hooks.key.is_none() {
            let _ = next.id.set(zobrist::key(from, u64::from(action) + 1));
        }
        let id = self.id_of(py, &next)?;
        Ok(lock(&self.0.met).remember(from, action, id, next))
    }

    /// The cell that each legal action of `p` takes, in their order.
    fn cells_taken<'a>(&self, board: &PyBoard, p: &'a PyPosition) -> &'a [Option<u32>] {
        self.attempt(&[], |py, hooks| {
            let cells = once(&p.taken, || {
                let state = p.state.bind(py);
                let taken = |&action: &Action| board.taken(hooks, state, &self.object(py, action)?);
                self.actions_of(py, p)?.iter().map(taken).collect::<PyResult<Box<_>>>()
            })?;
            Ok(&**cells)
        })
    }

    /// The board that the game declares.
    fn board(&self) -> Option<&PyBoard> {
        if let Some(board) = self.0.board.get() {
            return board.as_ref();
        }
        self.attempt(None, |py, hooks| {
            let board = once(&self.0.board, || PyBoard::new(hooks.game.bind(py)))?;
            Ok(board.as_ref())
        })
    }

    fn actions_list<'py>(&self, py: Python<'py>, actions: &[Action]) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, actions.iter().map(|&a| self.object(py, a)).collect::<PyResult<Vec<_>>>()?)
    }
}

impl Game for PyGame {
    type Position = PyPosition;

    fn initial(&self) -> PyPosition {
        let none = || Python::attach(|py| PyPosition::new(py.None()));
        let state = self.attempt(None, |py, hooks| Ok(Some(hooks.initial_state(py)?.unbind())));
        state.map_or_else(none, PyPosition::new)
    }

    fn player(&self, p: &PyPosition) -> Player {
        p.player.get().copied().unwrap_or_else(|| self.attempt(Player::First, |py, _| self.player_of(py, p)))
    }

    fn result(&self, p: &PyPosition) -> Option<f32> {
        p.result.get().copied().unwrap_or_else(|| self.attempt(Some(0.0), |py, _| self.result_of(py, p)))
    }

    fn actions(&self, p: &PyPosition, out: &mut Vec<Action>) {
        out.clear();
        match p.actions.get() {
            Some(actions) => out.extend_from_slice(actions),
            None => self.attempt((), |py, _| {
                out.extend_from_slice(self.actions_of(py, p)?);
                Ok(())
            }),
        }
    }

    fn probability(&self, p: &PyPosition, a: Action) -> f32 {
        self.attempt(1.0, |py, _| {
            let place = self.actions_of(py, p)?.iter().position(|&outcome| outcome == a);
            Ok(place.zip(p.probabilities.get()).map_or(0.0, |(place, probabilities)| probabilities[place]))
        })
    }

    fn sample(&self, p: &PyPosition, rng: &mut Rng) -> Action {
        self.attempt(0, |py, _| {
            let outcomes = self.actions_of(py, p)?;
            let chosen = p.probabilities.get().and_then(|all| draw::weighted(all.iter().copied(), rng));
            Ok(outcomes[chosen.unwrap_or(0)])
        })
    }

    fn play(&self, p: &mut PyPosition, a: Action) {
        let known = p.id.get().and_then(|&id| lock(&self.0.met).after(id, a));
        let next = known.or_else(|| self.attempt(None, |py, _| self.after(py, p, a).map(Some)));
        if let Some(next) = next {
            *p = next;
        }
    }

    fn frames(&self) -> u8 {
        self.0.hooks.symmetries.len().max(1) as u8
    }

    fn frame_key(&self, p: &PyPosition, frame: u8) -> u64 {
        if let Some(keys) = p.keys.get() {
            return keys[usize::from(frame)];
        }
        self.attempt(0, |py, hooks| {
            if hooks.key.is_none() {
                return self.state_key(p.state.bind(py));
            }
            if frame == 0 { self.id_of(py, p) } else { Ok(self.keys_of(py, p)?[usize::from(frame)]) }
        })
    }

    fn to_frame(&self, frame: u8, a: Action) -> Action {
        self.map(a, frame, false)
    }

    fn undo_frame(&self, frame: u8, a: Action) -> Action {
        self.map(a, frame, true)
    }

    fn grid(&self) -> Option<Grid> {
        self.board().map(|board| board.grid)
    }

    fn cells(&self, p: &PyPosition) -> Cells {
        let Some(board) = self.board() else { return Cells::default() };
        self.attempt(Cells::default(), |py, hooks| board.contents(hooks, p.state.bind(py)))
    }

    fn cell_of(&self, p: &PyPosition, a: Action) -> Option<u32> {
        let mut actions = Vec::new();
        self.actions(p, &mut actions);
        let place = actions.iter().position(|&action| action == a)?;
        self.cells_taken(self.board()?, p).get(place).copied().flatten()
    }

    fn action_on(&self, p: &PyPosition, cell: u32) -> Option<Action> {
        let mut actions = Vec::new();
        self.actions(p, &mut actions);
        let place = self.cells_taken(self.board()?, p).iter().position(|&taken| taken == Some(cell))?;
        actions.get(place).copied()
    }

    fn cell_to_frame(&self, frame: u8, cell: u32) -> u32 {
        self.board().map_or(cell, |board| board.image(frame, cell, false))
    }

    fn undo_cell_frame(&self, frame: u8, cell: u32) -> u32 {
        self.board().map_or(cell, |board| board.image(frame, cell, true))
    }

    fn rollout(&self, p: &mut PyPosition, rng: &mut Rng) -> f32 {
        self.playout(p, Style::Uniform, rng, None)
    }

    /// Uses `rollout_action`, if the game has it, under every playout policy.
    fn playout(&self, p: &mut PyPosition, _: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        self.attempt(0.0, |py, hooks| {
            let (result, last) = hooks.playout(self, p.state.bind(py), rng, trace)?;
            if hooks.score.is_some() {
                *p = PyPosition::new(last.unbind());
            }
            Ok(result)
        })
    }

    fn is_scored(&self) -> bool {
        self.0.hooks.score.is_some()
    }

    fn score(&self, p: &PyPosition) -> f32 {
        let Some(score) = &self.0.hooks.score else { return 0.0 };
        self.attempt(0.0, |py, hooks| {
            let state = p.state.bind(py);
            let lead = hooks.call(score, "score", &[state])?;
            let number = lead.extract::<f32>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| wrong(py, "score", &[state], &format!("gives {}; it must be a number", shown(&lead))))
        })
    }

    fn playout_action(&self, p: &PyPosition, _: Style, rng: &mut Rng, _: &mut Vec<Action>) -> Action {
        self.attempt(0, |py, hooks| {
            let actions = self.actions_of(py, p)?;
            if hooks.rollout_action.is_none() {
                return Ok(actions[rng.usize(..actions.len())]);
            }
            let (state, list) = (p.state.bind(py), self.actions_list(py, actions)?.into_any());
            self.number(&hooks.choose(state, &list, rng)?, "rollout_action", &[state])
        })
    }

    fn evaluate(&self, p: &mut PyPosition) -> Option<f32> {
        self.0.hooks.value.as_ref()?;
        self.attempt(Some(0.0), |py, hooks| hooks.value(p.state.bind(py)).map(Some))
    }

    fn preferences(&self, p: &PyPosition, actions: &[Action], out: &mut Vec<f32>) -> bool {
        if self.0.hooks.action_values.is_none() {
            return false;
        }
        let values = self.attempt(None, |py, hooks| {
            let list = self.actions_list(py, actions)?.into_any();
            hooks.action_values(p.state.bind(py), &list, actions.len()).map(Some)
        });
        values.is_some_and(|values| {
            *out = values;
            true
        })
    }

    fn net_shape(&self) -> Option<NetShape> {
        self.0.hooks.features.as_ref()?;
        let inputs = self.attempt(None, |py, hooks| {
            let count = once(&self.0.features, || Ok(hooks.features(&hooks.initial_state(py)?, None)?.len()))?;
            Ok(Some(*count))
        })?;
        Some(NetShape::of_boards("features".to_owned(), inputs, 0))
    }

    fn inputs(&self, p: &PyPosition, _: u8, out: &mut Vec<Input>) -> Option<Judged> {
        let player = self.player(p);
        if player == Player::Chance {
            return None;
        }
        out.clear();
        out.extend_from_slice(self.attempt(&[], |py, hooks| {
            let count = self.0.features.get().copied();
            let ask = || hooks.features(p.state.bind(py), count).map(sparse);
            once(&p.inputs, ask).map(|inputs| &**inputs)
        }));
        Some(Judged { phase: 0, player })
    }

    fn set_player(&self, p: &mut PyPosition, player: Player) -> bool {
        let next = self.attempt(None, |py, hooks| match &hooks.with_player {
            Some(method) => {
                let player = (player as u8).into_bound_py_any(py)?;
                Ok(Some(hooks.call(method, "with_player", &[p.state.bind(py), &player])?.unbind()))
            }
            None => Ok(None),
        });
        next.is_some_and(|next| {
            *p = PyPosition::new(next);
            true
        })
    }

    fn action_text(&self, p: &PyPosition, a: Action) -> String {
        self.attempt(String::new(), |py, hooks| hooks.action_text(p.state.bind(py), &self.object(py, a)?))
    }

    fn parse_action(&self, p: &PyPosition, text: &str) -> Option<Action> {
        self.attempt(None, |py, hooks| {
            let state = p.state.bind(py);
            let Some(action) = hooks.read_action(state, text)? else { return Ok(None) };
            let number = self.number(&action, "text_to_action", &[state])?;
            if self.actions_of(py, p)?.contains(&number) {
                return Ok(Some(number));
            }
            let text = text.into_bound_py_any(py)?;
            let what = format!("gives {}, which is not legal", shown(&action));
            Err(wrong(py, "text_to_action", &[state, &text], &what))
        })
    }

    fn parse_position(&self, text: &str) -> Result<PyPosition, String> {
        let state = self.attempt(None, |py, hooks| Ok(Some(hooks.state_from_text(py, text)?.unbind())));
        state.map(PyPosition::new).ok_or_else(|| format!("cannot read the position {text:?}"))
    }

    fn ledger(&self) -> Option<Result<Vec<String>, String>> {
        Some(self.literals())
    }

    fn numbers_in(&self, ledger: &[String]) -> Result<Vec<Action>, String> {
        self.numbers(ledger)
    }

    fn fingerprint(&self) -> u64 {
        self.version()
    }

    fn acyclic(&self) -> bool {
        false
    }

    fn faulty(&self) -> bool {
        self.0.faulty.load(Relaxed)
    }

    fn simulation<R>(&self, run: impl FnOnce() -> R) -> R {
        Python::attach(|py| {
            let Some(thread) = &self.0.thread else { return run() };
            thread.store(self.attempt(0, |_, _| py.import("_thread")?.call_method0("get_ident")?.extract()), Relaxed);
            let done = run();
            thread.store(0, Relaxed);
            done
        })
    }
}
