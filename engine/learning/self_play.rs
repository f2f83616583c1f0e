//! Games that nets play against themselves, without look-ahead: each action leads to the position that they judge best.

use playout_games::{Action, Game, Input, Judged, NetShape, Player, Rng, Views};
use playout_nets::{Nets, Scratch};

use crate::outcomes::Outcomes;

mod rollouts;

/// A position of a game as a net reads it, with what is thought of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub inputs: Vec<Input>,
    pub judged: Judged,
    /// The chances of the outcomes: the net's, or the exact ones.
    pub chances: Vec<f32>,
    pub exact: bool,
    /// The chances that were found by looking ahead; empty where nobody looked.
    pub ahead: Vec<f32>,
}

/// The end of a judge's look ahead at positions of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Foresight {
    /// The position after the best action, in the mean over the outcomes of the dice.
    Action,
    /// The ends of rollouts.
    Rollouts,
}

/// A game, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The positions that nets judge, in order.
    pub samples: Vec<Sample>,
    /// The result from the first player's point of view.
    pub result: f32,
}

/// Judges positions and plays by what it finds.
pub struct Judge<'a, G: Game> {
    game: &'a G,
    nets: &'a Nets,
    outcomes: Outcomes,
    points_of_view: u8,
    views: Views,
    scratch: Scratch,
    chances: Vec<f32>,
    actions: Vec<Action>,
}

/// A `Judge`'s opinion of a position.
struct Verdict {
    judged: Judged,
    /// For the judged player.
    value: f32,
    exact: bool,
}

impl<'a, G: Game> Judge<'a, G> {
    pub fn new(game: &'a G, nets: &'a Nets, shape: &NetShape) -> Judge<'a, G> {
        let outcomes = Outcomes::new(&shape.results);
        Judge {
            game,
            nets,
            chances: vec![0.0; outcomes.len()],
            outcomes,
            points_of_view: shape.views,
            views: Views::default(),
            scratch: Scratch::default(),
            actions: Vec::new(),
        }
    }

    /// Judges `p`, which is not over; None where nets do not. Chances and inputs stay behind.
    fn judge(&mut self, p: &G::Position) -> Option<Verdict> {
        let judged = self.views.read(self.game, p, self.points_of_view)?;
        if let Some(value) = self.game.known(p) {
            let value = value * judged.player.sign();
            self.outcomes.known(value, &mut self.chances);
            return Some(Verdict { judged, value, exact: true });
        }
        let net = &self.nets.phases[judged.phase];
        net.enter(self.views.iter(), &mut self.scratch);
        net.outcomes(&self.scratch, &mut self.chances);
        Some(Verdict { judged, value: self.outcomes.value(&self.chances), exact: false })
    }

    /// The chances of the outcomes of `p`, which is not over, for the player whose point of view nets take; None where they
    /// take none.
    pub fn chances(&mut self, p: &G::Position) -> Option<(Player, &[f32])> {
        let verdict = self.judge(p)?;
        Some((verdict.judged.player, &self.chances))
    }

    /// The values of the positions after each legal action, for the player to move at `p`.
    ///
    /// # Panics
    ///
    /// If nets judge none of the positions to which an action leads.
    pub fn values(&mut self, p: &G::Position, found: &mut Vec<(Action, f32)>) {
        found.clear();
        let sign = self.game.player(p).sign();
        let mut actions = std::mem::take(&mut self.actions);
        self.game.actions(p, &mut actions);
        let mut after = p.clone();
        for &action in &actions {
            after.clone_from(p);
            self.game.play(&mut after, action);
            let value = match self.game.result(&after) {
                Some(result) => sign * result,
                None => {
                    let verdict = self.judge(&after).expect("nets judge what an action leads to");
                    sign * verdict.judged.player.sign() * verdict.value
                }
            };
            found.push((action, value));
        }
        self.actions = actions;
    }

    /// Adds to `sums`, `weight` times, the chances after the best action at `p`, in the mean over the outcomes of the dice, for
    /// `player`.
    fn add_ahead(&mut self, p: &G::Position, player: Player, weight: f32, sums: &mut [f32]) {
        let mut after = p.clone();
        if self.game.player(p) == Player::Chance {
            let mut outcomes = Vec::new();
            self.game.actions(p, &mut outcomes);
            for outcome in outcomes {
                after.clone_from(p);
                self.game.play(&mut after, outcome);
                self.add_ahead(&after, player, weight * self.game.probability(p, outcome), sums);
            }
            return;
        }
        let mut found = Vec::new();
        self.values(p, &mut found);
        self.game.play(&mut after, best(&found));
        let seen_by = match self.game.result(&after) {
            Some(result) => {
                self.outcomes.known(result, &mut self.chances);
                Player::First
            }
            None => self.judge(&after).expect("nets judge what an action leads to").judged.player,
        };
        if seen_by != player {
            self.outcomes.turn(&mut self.chances);
        }
        sums.iter_mut().zip(&self.chances).for_each(|(sum, chance)| *sum += weight * chance);
    }

    /// Plays a game from the start. A part `explore` of the actions is random. With `foresight` the judge looks ahead at
    /// that part of the positions, and the record has no others.
    pub fn play(&mut self, explore: f32, foresight: Option<(Foresight, f32)>, rng: &mut Rng) -> Record {
        let (mut p, mut samples, mut found) = (self.game.initial(), Vec::new(), Vec::new());
        loop {
            if let Some(result) = self.game.result(&p) {
                return Record { samples, result };
            }
            let action = if self.game.player(&p) == Player::Chance {
                self.game.sample(&p, rng)
            } else if explore > 0.0 && rng.f32() < explore {
                self.game.actions(&p, &mut self.actions);
                self.actions[rng.usize(..self.actions.len())]
            } else {
                self.values(&p, &mut found);
                best(&found)
            };
            self.game.play(&mut p, action);
            if self.game.result(&p).is_none()
                && foresight.is_none_or(|(_, part)| rng.f32() < part)
                && let Some(Verdict { judged, exact, .. }) = self.judge(&p)
            {
                let (inputs, chances) = (self.views.own().to_vec(), self.chances.clone());
                let mut sums = vec![0.0; foresight.map_or(0, |_| chances.len())];
                match foresight {
                    Some((Foresight::Action, _)) => self.add_ahead(&p, judged.player, 1.0, &mut sums),
                    Some((Foresight::Rollouts, _)) => {
                        self.add_rollouts(&p, judged.player, rollouts::ACTIONS, rng, &mut sums);
                    }
                    None => {}
                }
                samples.push(Sample { inputs, judged, chances, exact, ahead: sums });
            }
        }
    }
}

/// The first action of the greatest value.
pub fn best(found: &[(Action, f32)]) -> Action {
    let mut best = found[0];
    for &(action, value) in found {
        if value > best.1 {
            best = (action, value);
        }
    }
    best.0
}
