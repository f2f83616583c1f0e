//! The actions of a user's game as numbers, in order of appearance, and their images under its symmetries.

use playout_games::Action;
use pyo3::{prelude::*, types::PyList};

use super::{
    faults::{game_error, shown, wrong},
    game::{PyGame, lock},
    hooks::Symmetry,
};

/// Marks an action whose image is not known.
const UNKNOWN: Action = Action::MAX;

impl PyGame {
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

    /// The actions that have appeared, by their numbers.
    pub(crate) fn objects<'py>(&self, py: Python<'py>) -> impl Iterator<Item = Bound<'py, PyAny>> + use<'py> {
        let objects: Vec<_> = lock(&self.0.actions).objects.iter().map(|object| object.bind(py).clone()).collect();
        objects.into_iter()
    }

    pub(super) fn object<'py>(&self, py: Python<'py>, action: Action) -> PyResult<Bound<'py, PyAny>> {
        let actions = lock(&self.0.actions);
        let object = actions.objects.get(action as usize);
        Ok(object.ok_or_else(|| game_error(py, &format!("no action {action}")))?.bind(py).clone())
    }

    /// The image of an action under a symmetry or, with `inverse`, under its inverse.
    pub(super) fn map(&self, action: Action, frame: u8, inverse: bool) -> Action {
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

    pub(super) fn actions_list<'py>(&self, py: Python<'py>, actions: &[Action]) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, actions.iter().map(|&a| self.object(py, a)).collect::<PyResult<Vec<_>>>()?)
    }
}
