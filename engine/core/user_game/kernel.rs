//! A user's game behind the trait `Game`.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Cells, Game, Grid, Input, Judged, NetShape, Player, Rng, Style, Trace, draw};
use pyo3::{IntoPyObjectExt, prelude::*};

use super::{
    answers::once,
    faults::{shown, wrong},
    game::{PyGame, lock},
    position::PyPosition,
};

/// The numbers that are not zero, each with its place.
fn sparse(numbers: Vec<f32>) -> Box<[Input]> {
    (0..).zip(numbers).filter(|&(_, value)| value != 0.0).map(|(index, value)| Input { index, value }).collect()
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
