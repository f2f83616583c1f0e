//! Rollouts: the mean of what nets say a few actions later, over games that go on from a position by their best play.

use playout_games::{Action, Game, Player, Rng};

use super::{Judge, best};

/// Games that a rollout plays. Each throw of the dice of all games together is drawn by strata of this number, so that in
/// backgammon the 36 throws of two dice come once each.
const TRIALS: usize = 36;
/// Actions of a game, after which nets judge.
pub(super) const ACTIONS: usize = 7;

impl<G: Game> Judge<'_, G> {
    /// Adds to `sums` the mean of the chances for `player` after that many `actions`, or at the end, of
    /// games from `p`.
    pub(super) fn add_rollouts(
        &mut self,
        p: &G::Position,
        player: Player,
        actions: usize,
        rng: &mut Rng,
        sums: &mut [f32],
    ) {
        let mut strata = Strata::default();
        for trial in 0..TRIALS {
            let seen_by = self.play_on(p, actions, &mut |throw| strata.draw(throw, trial, rng));
            if seen_by != player {
                self.outcomes.turn(&mut self.chances);
            }
            sums.iter_mut().zip(&self.chances).for_each(|(sum, chance)| *sum += chance / TRIALS as f32);
        }
    }

    /// Plays on from `p`, with a number of [0, 1) for each throw, and leaves the chances at the end behind. Returns the player
    /// whose chances they are.
    fn play_on(&mut self, p: &G::Position, actions: usize, draw: &mut dyn FnMut(usize) -> f32) -> Player {
        let (mut p, mut found, mut throws) = (p.clone(), Vec::new(), 0);
        for _ in 0..actions {
            while self.game.player(&p) == Player::Chance {
                let outcome = self.outcome_at(&p, draw(throws));
                self.game.play(&mut p, outcome);
                throws += 1;
            }
            self.values(&p, &mut found);
            self.game.play(&mut p, best(&found));
            if let Some(result) = self.game.result(&p) {
                self.outcomes.known(result, &mut self.chances);
                return Player::First;
            }
            if self.game.known(&p).is_some() {
                break;
            }
        }
        self.judge(&p).expect("nets judge what an action leads to").judged.player
    }

    /// The outcome of chance at `p` where the sum of the probabilities passes `drawn`, in [0, 1).
    fn outcome_at(&mut self, p: &G::Position, drawn: f32) -> Action {
        self.game.actions(p, &mut self.actions);
        let mut sum = 0.0;
        let passed = self.actions.iter().find(|&&outcome| {
            sum += self.game.probability(p, outcome);
            sum > drawn
        });
        *passed.or(self.actions.last()).expect("chance has an outcome")
    }
}

/// Numbers of [0, 1) for the throws of all trials: of each throw, each trial has a stratum of its own.
#[derive(Default)]
struct Strata {
    /// The strata of the trials, by the number of the throw.
    of_throws: Vec<[usize; TRIALS]>,
}

impl Strata {
    fn draw(&mut self, throw: usize, trial: usize, rng: &mut Rng) -> f32 {
        while self.of_throws.len() <= throw {
            let mut order = std::array::from_fn(|stratum| stratum);
            rng.shuffle(&mut order);
            self.of_throws.push(order);
        }
        (self.of_throws[throw][trial] as f32 + rng.f32()) / TRIALS as f32
    }
}

#[cfg(test)]
mod tests {
    use playout_games::{NetShape, Params, backgammon::Backgammon};
    use playout_nets::{Activation, Nets, Sizes};

    use super::*;

    #[test]
    fn rollouts_of_one_action_are_the_mean_over_all_throws_after_the_best_play() {
        let game = Backgammon::new(&Params::default()).expect("no parameters");
        let shape = NetShape { slots: 0, ..NetShape::of(&game).expect("it has inputs") };
        let mut rng = Rng::with_seed(1);
        let nets = Nets::random(&shape, &Sizes::of(&[4]), Activation::Relu, &mut rng);
        let mut judge = Judge::new(&game, &nets, &shape);
        let (mut p, mut found, mut looked) = (game.initial(), Vec::new(), 0);
        while looked < 20 && game.result(&p).is_none() {
            if game.player(&p) == Player::Chance {
                let outcome = game.sample(&p, &mut rng);
                game.play(&mut p, outcome);
            }
            judge.values(&p, &mut found);
            game.play(&mut p, best(&found));
            if let Some(player) = judge.judge(&p).map(|verdict| verdict.judged.player) {
                let (mut ahead, mut rolled_out) = (vec![0.0; 6], vec![0.0; 6]);
                judge.add_ahead(&p, player, 1.0, &mut ahead);
                judge.add_rollouts(&p, player, 1, &mut rng, &mut rolled_out);
                let near = ahead.iter().zip(&rolled_out).all(|(a, b)| (a - b).abs() < 1e-5);
                assert!(near, "{ahead:?}, {rolled_out:?}");
                looked += 1;
            }
        }
        assert_eq!(looked, 20);
    }
}
