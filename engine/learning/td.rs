//! TD learning by self-play: rounds of games, and steps by what they tell.
//!
//! Each game draws from a source of its own that the seed and its number give, so that a learner is its nets, the means of
//! its steps and the number of games.

use std::{collections::BTreeMap, num::NonZero, path::Path, thread};

use playout_games::{Game, NetShape, Rng, zobrist};
use playout_nets::{Activation, Net, Nets, file};

use crate::{
    descent::Descent,
    outcomes::Outcomes,
    self_play::{Judge, Record},
    target::{Horizon, Target, targets},
};

/// How a learner learns.
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

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub games: u64,
    pub positions: u64,
    /// Mean cross-entropy over the positions, in nats.
    pub loss: f32,
}

/// Nets that learn.
pub struct Learner<'g, G: Game> {
    game: &'g G,
    shape: NetShape,
    outcomes: Outcomes,
    pub settings: Settings,
    pub nets: Nets,
    descents: Vec<Descent>,
    /// Games so far.
    pub games: u64,
}

/// First bytes of a checkpoint.
const MAGIC: &[u8; 16] = b"playout-learner1";

impl<'g, G: Game> Learner<'g, G> {
    /// Starts with these nets.
    ///
    /// # Errors
    ///
    /// If nets of the game read two points of view.
    pub fn new(game: &'g G, shape: NetShape, nets: Nets, settings: Settings) -> Result<Learner<'g, G>, String> {
        if shape.views != 1 {
            return Err("TD learning knows nets of one point of view only".to_owned());
        }
        let outcomes = Outcomes::new(&shape.results);
        let descents = nets.phases.iter().map(Descent::new).collect();
        Ok(Learner { game, shape, outcomes, settings, nets, descents, games: 0 })
    }

    /// Nets drawn at random, with layers of these widths.
    pub fn random_nets(shape: &NetShape, widths: &[usize], seed: u64) -> Nets {
        let shape = NetShape { slots: 0, ..shape.clone() };
        Nets::random(&shape, widths, Activation::Relu, &mut Rng::with_seed(zobrist::key(seed, 0)))
    }

    /// Plays a round of games and learns from it.
    pub fn round(&mut self) -> Progress {
        let numbers: Vec<u64> = (self.games..self.games + self.settings.round).collect();
        let part = numbers.len().div_ceil(self.settings.threads.get());
        let records: Vec<Record> = thread::scope(|scope| {
            let learner = &*self;
            let parts = numbers.chunks(part);
            let running: Vec<_> = parts.map(|part| scope.spawn(move || learner.play(part))).collect();
            running.into_iter().flat_map(|one| one.join().expect("self-play does not fail")).collect()
        });
        let progress = self.learn(&records);
        self.games += self.settings.round;
        progress
    }

    fn play(&self, numbers: &[u64]) -> Vec<Record> {
        let mut judge = Judge::new(self.game, &self.nets, &self.shape);
        let source = |number: u64| Rng::with_seed(zobrist::key(self.settings.seed, number + 1));
        let ahead = if let Horizon::Ahead(part) = self.settings.horizon { part } else { 0.0 };
        numbers.iter().map(|&number| judge.play(self.settings.explore, ahead, &mut source(number))).collect()
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

    /// Writes all that the learner needs to go on: to a new file first, which then takes the place of the old one.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn save(&self, path: &Path, game: &str) -> Result<(), String> {
        let mut bytes = MAGIC.to_vec();
        let part = |choose: fn(&Descent) -> &Net| Nets {
            phases: self.descents.iter().map(|descent| choose(descent).clone()).collect(),
            ..self.nets.clone()
        };
        let mut weights = self.nets.clone();
        let steps: Vec<String> = self.descents.iter().map(|descent| descent.steps.to_string()).collect();
        weights.provenance.extend([("games", self.games.to_string()), ("steps", steps.join(" "))].map(own));
        for nets in [weights, part(|descent| &descent.mean), part(|descent| &descent.square)] {
            let one = file::write(&nets, game, &self.shape);
            bytes.extend((one.len() as u64).to_le_bytes());
            bytes.extend(one);
        }
        replace(path, &bytes)
    }

    /// Takes up what `save` wrote.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn resume(
        game: &'g G,
        shape: NetShape,
        settings: Settings,
        path: &Path,
        name: &str,
    ) -> Result<Learner<'g, G>, String> {
        let wrong = |what: &str| format!("{}: {what}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(&error.to_string()))?;
        let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("not a checkpoint of a learner"))?;
        let mut next = || {
            let (length, after) = rest.split_first_chunk().ok_or_else(|| wrong("the checkpoint is cut off"))?;
            let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
            let (one, after) = after.split_at_checked(length).ok_or_else(|| wrong("the checkpoint is cut off"))?;
            rest = after;
            file::read(one, name, &NetShape { slots: 0, ..shape.clone() }).map_err(|what| wrong(&what))
        };
        let [mut nets, mean, square] = [next()?, next()?, next()?];
        let mut numbers = |key: &str| -> Option<Vec<u64>> {
            nets.provenance.remove(key)?.split(' ').map(|text| text.parse().ok()).collect()
        };
        let (games, steps) = (numbers("games"), numbers("steps"));
        let (Some([games]), Some(steps)) = (games.as_deref(), steps) else {
            return Err(wrong("the checkpoint has no counts"));
        };
        let mut learner = Learner::new(game, shape, nets, settings)?;
        learner.games = *games;
        for ((descent, steps), moments) in
            learner.descents.iter_mut().zip(steps).zip(mean.phases.into_iter().zip(square.phases))
        {
            (descent.steps, (descent.mean, descent.square)) = (steps, moments);
        }
        Ok(learner)
    }

    /// Writes the nets alone, as they play, with where they come from.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn write(&self, path: &Path, game: &str, provenance: BTreeMap<String, String>) -> Result<(), String> {
        replace(path, &file::write(&Nets { provenance, ..self.nets.clone() }, game, &self.shape))
    }
}

fn own((name, text): (&str, String)) -> (String, String) {
    (name.to_owned(), text)
}

/// Puts a new file in the place of an old one, whole or not at all.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    use std::io::Write;
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = Path::new(&name);
    let write = || {
        let mut file = std::fs::File::create(new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(new, path)
    };
    write().map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
}
