//! H(s) and H(s, a): by the game's own knowledge, or by what was learned of it.

mod learned;
mod memory;
mod patterns;

use playout_games::{Action, Game, Player};

use self::learned::{Choice, with_buffers};
pub use self::{learned::Learned, patterns::Patterns};

/// The judge of positions of a game: its nets or strengths of features, if there are any, or its own knowledge.
pub struct Evaluator<'a, G> {
    pub game: &'a G,
    pub learned: Option<&'a Learned>,
    pub patterns: Option<&'a Patterns>,
}

impl<G> Clone for Evaluator<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Evaluator<'_, G> {}

impl<'a, G> From<&'a G> for Evaluator<'a, G> {
    /// The game's own knowledge.
    fn from(game: &'a G) -> Self {
        Evaluator { game, learned: None, patterns: None }
    }
}

impl<G: Game> Evaluator<'_, G> {
    /// H(s): see `Game::evaluate`. Where nets judge the positions after a move it is the value of the best one.
    #[inline]
    pub fn value(self, p: &mut G::Position) -> Option<f32> {
        let Some(learned) = self.learned else { return self.game.evaluate(p) };
        if !learned.nets().have_outcomes() {
            return self.game.evaluate(p);
        }
        let player = self.game.player(p);
        let direct = with_buffers(|buffers| learned.value(self.game, p, buffers));
        if let Some((value, judged)) = direct {
            let value = if player == judged.other() { -value } else { value };
            let beyond = if learned.is_served() { learned.action_beyond(self.game, p) } else { None };
            let Some(action) = beyond else { return Some(value) };
            let mut after = p.clone();
            self.game.play(&mut after, action);
            let sign = player.sign() * self.game.player(&after).sign();
            return Some(self.value(&mut after).map_or(value, |other| value.max(sign * other)));
        }
        if player == Player::Chance {
            return None;
        }
        let (mut actions, mut values) = (Vec::new(), Vec::new());
        self.game.actions(p, &mut actions);
        let choice = Choice { game: self.game, p, actions: &actions };
        with_buffers(|buffers| learned.values_after(choice, buffers, &mut values))
            .then(|| values.into_iter().fold(f32::NEG_INFINITY, f32::max))
    }

    /// H(s, a): see `Game::preferences`.
    #[inline]
    pub fn preferences(self, p: &G::Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        let choice = Choice { game: self.game, p, actions };
        let others = |out: &mut Vec<f32>| {
            let known = |patterns: &Patterns| with_buffers(|buffers| patterns.preferences(choice, buffers, out));
            self.patterns.is_some_and(known) || self.game.preferences(p, actions, out)
        };
        let Some(learned) = self.learned else { return others(out) };
        let judged = with_buffers(|buffers| match learned.shape.sharpness {
            Some(sharpness) => {
                let judged = learned.values_after(choice, buffers, out);
                out.iter_mut().for_each(|value| *value *= sharpness);
                judged
            }
            None => {
                let mut own = std::mem::take(&mut buffers.own);
                let added = learned.shape.over_own && self.game.preferences(p, actions, &mut own);
                let judged = learned.logits(choice, buffers, out);
                if added && judged {
                    out.iter_mut().zip(&own).for_each(|(logit, own)| *logit += own);
                }
                buffers.own = own;
                judged
            }
        });
        judged || others(out)
    }
}
