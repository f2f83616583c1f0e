//! Playouts: to the end of the game, or to an estimate, by the configured policy.

use playout_games::{Action, Game, Played, Player, Rng, Style, draw};

use super::{Shared, Worker, lookahead::estimate};
use crate::{
    config::{Config, Playouts},
    graph::node::GUIDED,
};

/// The last reply to each move that was part of a win (Drake 2009), forgotten when it loses (Baier and Drake 2010, LGRF-1).
#[derive(Default)]
pub struct Replies([Vec<Option<Action>>; 2]);

/// Moves with greater numbers are not remembered.
const MOST_ACTIONS: usize = 1 << 16;

impl Replies {
    /// The reply of a player to `previous`.
    fn to(&self, previous: Action, second: bool) -> Option<Action> {
        self.0[usize::from(second)].get(previous as usize).copied().flatten()
    }

    /// Learns from a playout: the winner's replies are remembered, the loser's forgotten.
    fn learn(&mut self, moves: &[Played], value: f32) {
        for pair in moves.windows(2) {
            let [previous, reply] = [pair[0], pair[1]];
            let won = if reply.second { -value } else { value };
            let index = previous.action as usize;
            if previous.second == reply.second || index >= MOST_ACTIONS {
                continue;
            }
            let table = &mut self.0[usize::from(reply.second)];
            if index >= table.len() {
                table.resize((index + 1).next_power_of_two(), None);
            }
            if won > 0.0 {
                table[index] = Some(reply.action);
            } else if won < 0.0 && table[index] == Some(reply.action) {
                table[index] = None;
            }
        }
    }
}

/// One of this many leaves with static values is played out for its points: a playout takes a tenth of the time of a net.
const LEADS: u32 = 8;

/// Whether a kernel's own playout will do where no hint is followed, or each ply has to be decided here.
fn is_whole(config: &Config) -> bool {
    !matches!(config.playout_policy, Playouts::Boltzmann | Playouts::Best)
        && config.playout_cutoff == 0
        && !config.last_good_reply
}

impl<G: Game> Worker<'_, G> {
    /// Plays the current position out. Returns what it came to, for the first player, and whether that is the result of a
    /// game.
    pub(super) fn play_out(&mut self) -> (f32, bool) {
        let Shared { game, config, guide, .. } = self.shared;
        let style = match config.playout_policy {
            Playouts::Knowledge => Style::Knowledge,
            Playouts::Tactics => Style::Tactics,
            _ => Style::Uniform,
        };
        let guided = |index| self.shared.store.node(index).has(GUIDED);
        // The books have not been asked about a new leaf.
        let mut line_known = guided(self.node) || self.path.last().is_some_and(|step| guided(step.node));
        let mut lines = Vec::new();
        let mut plies = 0;
        if !line_known && config.playout_hints == 0 && is_whole(config) {
            return (self.finish(style), true);
        }
        let (value, result) = loop {
            if let Some(result) = game.result(&self.position) {
                break (result, true);
            }
            let player = game.player(&self.position);
            if player == Player::Chance {
                let outcome = game.sample(&self.position, &mut self.rng);
                game.play(&mut self.position, outcome);
                continue;
            }
            if config.playout_cutoff > 0
                && plies >= config.playout_cutoff
                && let Some(value) = estimate(self.shared.evaluator, &mut self.position, config.cutoff_depth)
            {
                break (value * player.sign(), false);
            }
            let second = player == Player::Second;
            let asked = plies < config.playout_hints;
            if asked && let Some(value) = game.known(&self.position) {
                break (value, false);
            }
            let hinted = if line_known || asked {
                let asks = (self.asks_books(plies), asked);
                guide.draw(*game, &self.position, asks, &lines, &mut self.rng)
            } else {
                None
            };
            line_known = hinted.is_some();
            if !line_known && plies + 1 >= config.playout_hints && is_whole(config) {
                break (self.finish(style), true);
            }
            let action = match hinted.or_else(|| self.good_reply(second)) {
                Some(action) => action,
                None if config.playout_policy == Playouts::Boltzmann => self.boltzmann_action(),
                None if config.playout_policy == Playouts::Best => self.best_action(),
                None => game.playout_action(&self.position, style, &mut self.rng, &mut self.actions),
            };
            self.trace.push(Played { action, second });
            if line_known {
                lines = guide.lines_on(*game, &self.position, (&lines, asked), action);
            }
            game.play(&mut self.position, action);
            plies += 1;
        };
        if config.last_good_reply {
            self.learn_replies(value);
        }
        (value, result)
    }

    /// The first player's lead after a playout with the most knowledge, at one of `LEADS` leaves of a game that counts points: for
    /// leaves whose values are static, and which nothing else plays out.
    pub(super) fn lead_by_playout(&mut self) -> Option<f32> {
        let Shared { store, game, .. } = self.shared;
        if !store.has_scores() || self.rng.u32(..LEADS) > 0 {
            return None;
        }
        game.playout(&mut self.position, Style::Tactics, &mut self.rng, None);
        Some(game.score(&self.position))
    }

    /// The kernel's own playout from the current position: the result for the first player.
    fn finish(&mut self, style: Style) -> f32 {
        let Shared { game, config, .. } = self.shared;
        match (style, config.uses_amaf()) {
            (Style::Uniform, false) => game.rollout(&mut self.position, &mut self.rng),
            (style, false) => game.playout(&mut self.position, style, &mut self.rng, None),
            (style, true) => game.playout(&mut self.position, style, &mut self.rng, Some(&mut self.trace)),
        }
    }

    /// The reply that won last, if it is legal here.
    fn good_reply(&mut self, second: bool) -> Option<Action> {
        let Shared { game, config, .. } = self.shared;
        if !config.last_good_reply {
            return None;
        }
        let previous = self.trace.last().map(|played| played.action).or(self.path.last().map(|step| step.action))?;
        let reply = self.replies.to(previous, second)?;
        game.actions(&self.position, &mut self.actions);
        self.actions.contains(&reply).then_some(reply)
    }

    fn learn_replies(&mut self, value: f32) {
        let store = self.shared.store;
        let movers = self.path.iter().map(|step| (step.action, store.node(step.node).mover()));
        let path = movers.filter(|&(_, mover)| mover != Player::Chance);
        let mut moves: Vec<Played> =
            path.map(|(action, mover)| Played { action, second: mover == Player::Second }).collect();
        moves.extend_from_slice(&self.trace);
        self.replies.learn(&moves, value);
    }

    /// The action with the greatest H(s, a); any where the game has no H(s, a).
    fn best_action(&mut self) -> Action {
        self.preferred_action(|preferences, _| {
            let best = (0..preferences.len()).max_by(|&a, &b| preferences[a].total_cmp(&preferences[b]));
            best.expect("the game is not over")
        })
    }

    /// An action drawn with probability proportional to exp(H(s, a) / temperature); any with the same chance where the
    /// game has no H(s, a).
    fn boltzmann_action(&mut self) -> Action {
        let temperature = self.shared.config.playout_temperature;
        self.preferred_action(|preferences, rng| {
            draw::softmax(preferences, temperature);
            let drawn = draw::weighted(preferences.iter().copied(), rng);
            drawn.expect("the greatest preference has a weight")
        })
    }

    /// The action whose place `choose` gives by H(s, a) of all; any where the game has no H(s, a).
    fn preferred_action(&mut self, choose: impl FnOnce(&mut [f32], &mut Rng) -> usize) -> Action {
        let Shared { game, evaluator, .. } = self.shared;
        game.actions(&self.position, &mut self.actions);
        if evaluator.preferences(&self.position, &self.actions, &mut self.preferences) {
            self.actions[choose(&mut self.preferences, &mut self.rng)]
        } else {
            game.playout_action(&self.position, Style::Uniform, &mut self.rng, &mut self.actions)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winning_replies_are_kept_and_losing_ones_forgotten() {
        let line = |moves: &[(Action, bool)]| -> Vec<Played> {
            moves.iter().map(|&(action, second)| Played { action, second }).collect()
        };
        let mut replies = Replies::default();
        replies.learn(&line(&[(4, false), (7, true), (5, false)]), -1.0);
        assert_eq!((replies.to(4, true), replies.to(7, false)), (Some(7), None));
        replies.learn(&line(&[(4, false), (8, true)]), 1.0);
        assert_eq!(replies.to(4, true), Some(7), "another reply lost");
        replies.learn(&line(&[(4, false), (7, true)]), 0.0);
        assert_eq!(replies.to(4, true), Some(7), "a draw changes nothing");
        replies.learn(&line(&[(4, false), (7, true)]), 1.0);
        assert_eq!(replies.to(4, true), None);
    }
}
