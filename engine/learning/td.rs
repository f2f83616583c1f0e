//! TD learning by self-play: rounds of games, and steps by what they tell.
//!
//! Each game draws from a source of its own that the seed and its number give, so that a learner is its nets, the means of
//! its steps and the number of games.

use std::{collections::BTreeMap, num::NonZero, path::Path};

use playout_games::{Game, NetShape, Rng, zobrist};
use playout_nets::{Activation, Nets, Sizes, file};

use crate::{
    checkpoint,
    crew::in_order,
    descent::Descent,
    outcomes::Outcomes,
    self_play::{Judge, Record},
    target::{Horizon, Target, targets},
};

/// Name of the number of games in a checkpoint.
const GAMES: &str = "games";

/// Settings of a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub horizon: Horizon,
    /// Learning rates of the first and of the last game, along a cosine.
    pub rates: [f32; 2],
    /// Games until the last rate.
    pub games: u64,
    /// Games of a round: they are played by the same nets.
    pub round: u64,
    /// Positions of a step.
    pub batch: usize,
    /// Times that the positions of a round are learned, at least 1: more pay where targets have little noise.
    pub passes: usize,
    /// Part of the actions that are random.
    pub explore: f32,
    pub seed: u64,
    pub threads: NonZero<usize>,
}

/// Work of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub games: u64,
    pub positions: u64,
    /// Mean cross-entropy over the positions, in nats.
    pub loss: f32,
}

/// Nets that learn.
pub struct Learner<G: Game> {
    game: G,
    /// The game's name in files.
    name: String,
    shape: NetShape,
    outcomes: Outcomes,
    settings: Settings,
    nets: Nets,
    descents: Vec<Descent>,
    /// Games so far.
    games: u64,
}

impl<G: Game> Learner<G> {
    /// Starts with nets drawn at random, with layers of these widths.
    ///
    /// # Errors
    ///
    /// One line if nets cannot learn the game so.
    pub fn random(game: G, name: String, widths: &[usize], settings: Settings) -> Result<Learner<G>, String> {
        let shape = shape_of(&game)?;
        let nets = Nets::random(
            &shape,
            &Sizes::of(widths),
            Activation::Relu,
            &mut Rng::with_seed(zobrist::key(settings.seed, 0)),
        );
        Learner::with(game, name, shape, nets, settings)
    }

    /// Starts with the nets of a file of weights.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it, or that says why nets cannot learn the game so.
    pub fn from_weights(game: G, name: String, path: &Path, settings: Settings) -> Result<Learner<G>, String> {
        let shape = shape_of(&game)?;
        let nets = file::load(path, &name, &shape)?;
        Learner::with(game, name, shape, nets, settings)
    }

    /// Takes up what `save` wrote.
    ///
    /// # Errors
    ///
    /// As `from_weights`.
    pub fn resume(game: G, name: String, path: &Path, settings: Settings) -> Result<Learner<G>, String> {
        let shape = shape_of(&game)?;
        let (mut nets, descents) = checkpoint::load(path, &name, &shape)?;
        let games = nets.provenance.remove(GAMES).and_then(|text| text.parse().ok());
        let games = games.ok_or_else(|| format!("{}: it has no number of games", path.display()))?;
        Ok(Learner { descents, games, ..Learner::with(game, name, shape, nets, settings)? })
    }

    fn with(game: G, name: String, shape: NetShape, nets: Nets, settings: Settings) -> Result<Learner<G>, String> {
        if !nets.have_outcomes() {
            return Err("the nets have no outcomes".to_owned());
        }
        let outcomes = Outcomes::new(&shape.results);
        let descents = nets.phases.iter().map(Descent::new).collect();
        Ok(Learner { game, name, shape, outcomes, settings, nets, descents, games: 0 })
    }

    /// Games so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Plays a round of games and learns from it.
    pub fn round(&mut self) -> Progress {
        let Settings { horizon, round, explore, seed, threads, .. } = self.settings;
        let foresight = horizon.foresight();
        let judge = || Judge::new(&self.game, &self.nets, &self.shape);
        let mut judges: Vec<_> = (0..threads.get()).map(|_| judge()).collect();
        let play = |judge: &mut Judge<G>, number: u64| {
            Ok(judge.play(explore, foresight, &mut Rng::with_seed(zobrist::key(seed, number + 1))))
        };
        let mut records: Vec<Record> = Vec::new();
        let played = in_order(&mut judges, self.games..self.games + round, play, |_, record| {
            records.push(record);
            Ok(true)
        });
        played.expect("nothing in it fails");
        let progress = self.learn(&records);
        self.games += round;
        progress
    }

    fn learn(&mut self, records: &[Record]) -> Progress {
        let rate = self.rate();
        let all: Vec<Target> =
            records.iter().flat_map(|record| targets(record, self.settings.horizon, &self.outcomes)).collect();
        let mut progress = Progress { games: records.len() as u64, ..Progress::default() };
        let mut rng = Rng::with_seed(zobrist::key(!self.settings.seed, self.games));
        for (phase, (net, descent)) in self.nets.phases.iter_mut().zip(&mut self.descents).enumerate() {
            let mut chosen: Vec<_> = all.iter().filter(|target| target.sample.judged.phase == phase).collect();
            progress.positions += chosen.len() as u64;
            for pass in 0..self.settings.passes {
                rng.shuffle(&mut chosen);
                for batch in chosen.chunks(self.settings.batch) {
                    for target in batch {
                        let error = descent.add(net, &target.sample.inputs, &target.chances);
                        progress.loss += if pass == 0 { error } else { 0.0 };
                    }
                    descent.step(net, self.settings.batch, rate);
                }
            }
        }
        progress.loss /= progress.positions.max(1) as f32;
        progress
    }

    /// The learning rate of the next round.
    pub fn rate(&self) -> f32 {
        let [first, last] = self.settings.rates;
        let done = (self.games as f32 / self.settings.games.max(1) as f32).min(1.0);
        last + (first - last) * 0.5 * (1.0 + (std::f32::consts::PI * done).cos())
    }

    /// Writes all that the learner needs to go on, as a whole or not at all.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let mut nets = self.nets.clone();
        nets.provenance.insert(GAMES.to_owned(), self.games.to_string());
        checkpoint::save(path, &self.name, &self.shape, &nets, &self.descents)
    }

    /// Writes the nets alone, as they play, with where they come from.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn write(&self, path: &Path, provenance: BTreeMap<String, String>) -> Result<(), String> {
        checkpoint::replace(path, &file::write(&Nets { provenance, ..self.nets.clone() }, &self.name, &self.shape))
    }
}

/// The nets that learn so: of one point of view, without a policy.
fn shape_of<G: Game>(game: &G) -> Result<NetShape, String> {
    let shape = NetShape::of(game)?;
    if shape.views != 1 {
        return Err("nets of this game read two points of view, and TD learning knows nets of one".to_owned());
    }
    Ok(NetShape { slots: 0, ..shape })
}

#[cfg(test)]
mod tests;
