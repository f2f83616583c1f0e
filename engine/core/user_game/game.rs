//! A game written in Python, as the search sees it.
//!
//! Each simulation takes the interpreter's lock once and keeps it. A fault in the user's code, or an answer that breaks
//! the contract, is kept, the search stops, and whoever started it raises the fault.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use playout_games::Action;
use playout_search::Config;
use pyo3::{prelude::*, types::PyDict};

use super::{board::PyBoard, hooks::Hooks, position::Met};

/// Actions as numbers, in order of appearance.
pub(super) struct Actions {
    pub(super) numbers: Py<PyDict>,
    pub(super) objects: Vec<Py<PyAny>>,
    /// Images computed so far: `[2 * frame]` under the symmetry, `[2 * frame + 1]` under its inverse.
    pub(super) images: Vec<Vec<Action>>,
}

impl Actions {
    /// No actions yet. The game has N `symmetries`, the identity among them.
    fn new(py: Python<'_>, symmetries: usize) -> Actions {
        Actions { numbers: PyDict::new(py).unbind(), objects: Vec::new(), images: vec![Vec::new(); 2 * symmetries] }
    }
}

pub(super) struct Inner {
    pub(super) hooks: Hooks,
    pub(super) actions: Mutex<Actions>,
    pub(super) met: Mutex<Met>,
    /// Starts that were made, in a game without a key.
    pub(super) starts: AtomicU64,
    /// State -> number, of a game without a key: equal states have equal futures.
    pub(super) states: Py<PyDict>,
    pub(super) fault: Mutex<Option<PyErr>>,
    pub(super) faulty: AtomicBool,
    /// Asked for when macros come.
    pub(super) board: OnceLock<Option<PyBoard>>,
    /// Number of features of a state.
    pub(super) features: OnceLock<usize>,
    /// Python's identifier of the thread that solves, 0 while there is none; None where nobody asks for it.
    pub(super) thread: Option<AtomicU64>,
}

/// A user's game. Cheap to clone.
#[derive(Clone)]
pub struct PyGame(pub(super) Arc<Inner>);

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
        let actions = Actions::new(py, hooks.symmetries.len());
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
}
