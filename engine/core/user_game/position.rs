//! A user's state with the cached answers of the game, and the table of known states.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use playout_games::{Action, Input, Player};
use pyo3::prelude::*;

/// Maximum number of stored states, and of steps between them.
const REMEMBERED: usize = 1 << 16;

/// A state of the user's. Shared, so that copying one needs no interpreter. What the game answers about it is asked
/// once: the methods are pure.
#[derive(Clone)]
pub struct PyPosition(Arc<Answers>);

pub struct Answers {
    pub state: Py<PyAny>,
    /// Identity of the state in the table: its key or, in a game without one, its path from the start.
    pub id: OnceLock<u64>,
    /// The keys of its images under all symmetries.
    pub keys: OnceLock<Box<[u64]>>,
    pub result: OnceLock<Option<f32>>,
    pub player: OnceLock<Player>,
    pub actions: OnceLock<Box<[Action]>>,
    pub probabilities: OnceLock<Box<[f32]>>,
    /// The cells that its actions take, in a game that declares cells.
    pub taken: OnceLock<Box<[Option<u32>]>>,
    /// Its features that are not zero.
    pub inputs: OnceLock<Box<[Input]>>,
}

impl PyPosition {
    pub fn new(state: Py<PyAny>) -> PyPosition {
        PyPosition(Arc::new(Answers {
            state,
            id: OnceLock::new(),
            keys: OnceLock::new(),
            result: OnceLock::new(),
            player: OnceLock::new(),
            actions: OnceLock::new(),
            probabilities: OnceLock::new(),
            taken: OnceLock::new(),
            inputs: OnceLock::new(),
        }))
    }
}

impl std::ops::Deref for PyPosition {
    type Target = Answers;

    fn deref(&self) -> &Answers {
        &self.0
    }
}

/// The states that were met by their ids, and where their actions lead: the search passes the same ones over and over.
#[derive(Default)]
pub struct Met {
    positions: HashMap<u64, PyPosition>,
    steps: HashMap<(u64, Action), PyPosition>,
}

impl Met {
    pub fn after(&self, id: u64, action: Action) -> Option<PyPosition> {
        self.steps.get(&(id, action)).cloned()
    }

    /// Remembers that `action` leads from the state `from` to `position`, whose id is `id`, and gives the state that
    /// stands for all with that id.
    pub fn remember(&mut self, from: u64, action: Action, id: u64, position: PyPosition) -> PyPosition {
        if self.steps.len() >= REMEMBERED {
            self.clear();
        }
        let one = self.positions.entry(id).or_insert(position).clone();
        self.steps.insert((from, action), one.clone());
        one
    }

    pub fn clear(&mut self) {
        self.positions.clear();
        self.steps.clear();
    }
}
