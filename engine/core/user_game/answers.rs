//! Answers of a user's game about a state, asked for once and kept with it.

use std::sync::{OnceLock, atomic::Ordering::Relaxed};

use playout_games::{Action, Player, zobrist};
use pyo3::prelude::*;

use super::{
    board::PyBoard,
    faults::{shown, wrong},
    game::{PyGame, lock},
    key::stable_key,
    position::PyPosition,
};

/// The value of `cell`, set by `ask` if it is empty; a fault is not stored.
pub(super) fn once<T>(cell: &OnceLock<T>, ask: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
    match cell.get() {
        Some(known) => Ok(known),
        None => ask().map(|answer| cell.get_or_init(|| answer)),
    }
}

impl PyGame {
    /// The key of a state in a game that has none: its number. The states that were asked for are kept.
    pub(super) fn state_key(&self, state: &Bound<'_, PyAny>) -> PyResult<u64> {
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

    pub(super) fn result_of(&self, py: Python<'_>, p: &PyPosition) -> PyResult<Option<f32>> {
        once(&p.result, || self.0.hooks.result(p.state.bind(py))).copied()
    }

    pub(super) fn player_of(&self, py: Python<'_>, p: &PyPosition) -> PyResult<Player> {
        once(&p.player, || self.0.hooks.player(p.state.bind(py))).copied()
    }

    /// The legal actions of a state, or the outcomes that can occur.
    pub(super) fn actions_of<'a>(&self, py: Python<'_>, p: &'a PyPosition) -> PyResult<&'a [Action]> {
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
    pub(super) fn id_of(&self, py: Python<'_>, p: &PyPosition) -> PyResult<u64> {
        let ask = || match self.0.hooks.key {
            Some(_) => self.key_of(p.state.bind(py)),
            None => Ok(zobrist::key(self.0.starts.fetch_add(1, Relaxed), 0)),
        };
        once(&p.id, ask).copied()
    }

    pub(super) fn key_of(&self, state: &Bound<'_, PyAny>) -> PyResult<u64> {
        let key = self.0.hooks.key(state)?;
        stable_key(&key).map_err(|error| {
            let py = state.py();
            let what = format!("gives {}, which is not hashable", shown(&key));
            let fault = wrong(py, "key", &[state], &what);
            fault.set_cause(py, Some(error));
            fault
        })
    }

    pub(super) fn keys_of<'a>(&self, py: Python<'_>, p: &'a PyPosition) -> PyResult<&'a [u64]> {
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

    pub(super) fn after(&self, py: Python<'_>, p: &PyPosition, action: Action) -> PyResult<PyPosition> {
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
    pub(super) fn cells_taken<'a>(&self, board: &PyBoard, p: &'a PyPosition) -> &'a [Option<u32>] {
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
    pub(super) fn board(&self) -> Option<&PyBoard> {
        if let Some(board) = self.0.board.get() {
            return board.as_ref();
        }
        self.attempt(None, |py, hooks| {
            let board = once(&self.0.board, || PyBoard::new(hooks.game.bind(py)))?;
            Ok(board.as_ref())
        })
    }
}
