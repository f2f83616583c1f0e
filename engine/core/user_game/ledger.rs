//! The actions of a game written in Python, which are numbered as they appear, in graph files: as Python literals, which
//! mean the same in every process.

use playout_games::{Action, Game, zobrist};
use pyo3::prelude::*;

use super::{
    faults::shown,
    game::PyGame,
    key::{lasts, stable_key},
};

impl PyGame {
    /// All actions that have appeared, each as a literal, by their numbers.
    ///
    /// # Errors
    ///
    /// One line that names an action or a key that means nothing in another process.
    pub(crate) fn literals(&self) -> Result<Vec<String>, String> {
        let start = self.initial();
        self.actions(&start, &mut Vec::new());
        let stays = |what: String| format!("graphs of this game stay in memory: {what}");
        let answer = self.attempt(Ok(Vec::new()), |py, hooks| {
            if let Some(key) = hooks.key.is_some().then(|| hooks.key(start.state.bind(py))).transpose()?
                && !lasts(&key)?
            {
                return Ok(Err(stays(format!(
                    "its key {} is not made of numbers, texts, tuples, frozen sets and frozen dataclasses",
                    shown(&key)
                ))));
            }
            let read = py.import("ast")?.getattr("literal_eval")?;
            let mut literals = Vec::new();
            for object in self.objects(py) {
                let text = object.repr()?.to_string();
                match read.call1((&text,)) {
                    Ok(same) if same.eq(&object)? => literals.push(text),
                    _ => {
                        return Ok(Err(stays(format!(
                            "its action {text} is not a number, a text or a tuple of these"
                        ))));
                    }
                }
            }
            Ok(Ok(literals))
        });
        if self.faulty() { Err("the game's code failed".to_owned()) } else { answer }
    }

    /// The numbers in this process of the actions that `literals` wrote.
    pub(crate) fn numbers(&self, literals: &[String]) -> Result<Vec<Action>, String> {
        self.attempt(Ok(Vec::new()), |py, _| {
            let read = py.import("ast")?.getattr("literal_eval")?;
            let number = |text: &String| {
                let action = read.call1((text,)).ok()?;
                self.number(&action, "legal_actions", &[]).ok()
            };
            let numbers = literals.iter().map(|text| number(text).ok_or_else(|| format!("{text:?} is no action")));
            Ok(numbers.collect())
        })
    }

    /// Tells versions of the game apart, whatever the order of its actions.
    pub(crate) fn version(&self) -> u64 {
        let start = self.initial();
        let mut actions = Vec::new();
        self.actions(&start, &mut actions);
        self.attempt(0, |py, hooks| {
            let objects: Vec<_> = self.objects(py).collect();
            let key =
                |state: &Bound<'_, PyAny>| if hooks.key.is_some() { stable_key(&hooks.key(state)?) } else { Ok(0) };
            actions.iter().try_fold(key(start.state.bind(py))?, |sum, &action| {
                let object = &objects[action as usize];
                let next = key(&hooks.next_state(start.state.bind(py), object)?)?;
                Ok(sum.wrapping_add(zobrist::key(next, stable_key(object)?)))
            })
        })
    }
}
