//! Playouts of a user's game: one straight loop over its methods.

use playout_games::{Played, Player, Rng, Trace, draw};
use pyo3::{prelude::*, types::PyList};

use super::{game::PyGame, hooks::Hooks};

impl Hooks {
    /// Plays out from `state` and gives player 0's result and the last state. Actions are numbered, and their players
    /// asked for, only for a `trace`.
    pub fn playout<'py>(
        &self,
        game: &PyGame,
        state: &Bound<'py, PyAny>,
        rng: &mut Rng,
        mut trace: Option<&mut Trace>,
    ) -> PyResult<(f32, Bound<'py, PyAny>)> {
        let mut state = state.clone();
        for _ in 0..=self.longest {
            if let Some(result) = self.result(&state)? {
                return Ok((result, state));
            }
            let player = if self.chance.is_some() || trace.is_some() { self.player(&state)? } else { Player::First };
            let action = if player == Player::Chance {
                self.sample(&state, rng)?
            } else {
                let actions = self.legal_actions(&state)?;
                let count = actions.len()?;
                if count == 0 {
                    return Err(self.no_actions(&state));
                }
                let action = if self.rollout_action.is_some() {
                    self.choose(&state, &actions, rng)?
                } else if let Ok(list) = actions.cast::<PyList>() {
                    list.get_item(rng.usize(..count))?
                } else {
                    actions.get_item(rng.usize(..count))?
                };
                if let Some(trace) = &mut trace {
                    let number = game.number(&action, "legal_actions", &[&state])?;
                    trace.push(Played { action: number, second: player == Player::Second });
                }
                action
            };
            state = self.next_state(&state, &action)?;
        }
        Ok((0.0, state))
    }

    fn sample<'py>(&self, state: &Bound<'py, PyAny>, rng: &mut Rng) -> PyResult<Bound<'py, PyAny>> {
        let mut outcomes = self.outcomes(state)?;
        let chosen = draw::weighted(outcomes.iter().map(|(_, probability)| *probability), rng);
        Ok(outcomes.swap_remove(chosen.unwrap_or(0)).0)
    }
}
