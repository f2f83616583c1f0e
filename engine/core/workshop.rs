//! Learning whose game is known when it is made, and not to those who use it.

use std::{
    collections::BTreeMap,
    fs,
    num::NonZero,
    ops::Range,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use playout_games::{Game, zobrist};
use playout_learning::{
    balance::{self, Balanced},
    by_search::{Manner, play, play_pair},
    checkpoint,
    crew::in_order,
    gumbel,
    patterns::{self, Fitted},
    records::{GameRecord, Given, Label, Lesson, Writer, given},
    rows::Aims,
    train::{Gathered, Loss, Schedule, Trainer},
};
use playout_nets::{Gammas, Sizes, gammas};
use playout_search::{Config, Learned, Search};

use crate::{
    gumbel::{self as self_play, Play},
    kernels::Make,
};

/// Games and time after which those played are written.
const MOST_GAMES: usize = 256;
const LONGEST: Duration = Duration::from_secs(2);

/// A searcher of a match.
pub struct Side {
    pub weights: Option<PathBuf>,
    pub config: Config,
    pub simulations: u64,
}

/// Source of the random numbers, and threads.
pub struct Crew {
    pub seed: u64,
    pub threads: NonZero<usize>,
}

/// Name and sizes of nets: inputs, slots of the policy, whether they judge positions after an action, and the other inputs
/// whose nets can play.
pub type ShapeTuple = (String, usize, usize, bool, Option<String>, Option<String>);

/// A game that was played elsewhere: the position in which it started, the result for the first player, the moves, and what
/// is to be learned before each.
pub type GivenGame = (Option<String>, f32, Vec<String>, Option<Vec<Lesson>>);

pub trait AnyWorkshop: Send {
    fn shape(&self, of_policy: bool) -> Option<ShapeTuple>;
    /// Appends games; returns the number of those that the file then has.
    fn append(&self, path: &Path, games: &[GivenGame]) -> Result<u64, String>;
    /// Fits strengths of features to records.
    fn fit(
        &self,
        files: &[PathBuf],
        settings: patterns::Settings,
        on_sweep: &mut dyn FnMut(u32, f32) -> bool,
    ) -> Result<Fitted, String>;
    /// Changes strengths of features by what playouts come to; `start` is a file of strengths.
    fn balance(
        &self,
        files: &[PathBuf],
        start: &Path,
        settings: balance::Settings,
        on_batch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Balanced, String>;
    fn write_gammas(&self, path: &Path, gammas: &Gammas) -> Result<(), String>;
    fn generate(
        &self,
        path: &Path,
        weights: Option<&Path>,
        manner: &Manner,
        games: (u64, &Crew),
        on_game: &mut dyn FnMut(u64, usize) -> bool,
    ) -> Result<u64, String>;
    fn pairs(
        &self,
        sides: &[Side; 2],
        numbers: Range<u64>,
        openings: (u32, &Crew),
        on_pair: &mut dyn FnMut([f32; 2]) -> bool,
    ) -> Result<(), String>;
    fn self_play(&self, settings: (gumbel::Manner, Aims), games: usize, seed: u64) -> Result<Play, String>;
    fn start(&mut self, sizes: &Sizes, aims: Aims, seed: u64) -> Result<(), String>;
    fn resume(&mut self, path: &Path, aims: Aims) -> Result<(), String>;
    fn save(&self, path: &Path) -> Result<(), String>;
    fn write(&self, path: &Path, provenance: BTreeMap<String, String>) -> Result<(), String>;
    fn read(&mut self, path: &Path) -> Result<Gathered, String>;
    fn forget(&mut self, rows: usize) -> Result<usize, String>;
    fn train(
        &mut self,
        schedule: Schedule,
        seed: u64,
        on_step: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Loss, Loss), String>;
}

pub struct Workshop<G: Game> {
    game: G,
    /// The game's name in files of weights.
    name: String,
    label: Label,
    trainer: Option<Trainer<G>>,
}

/// Table of the seeds of games that were played elsewhere.
const GIVEN: u64 = 0x91e5;
const UNTRAINED: &str = "no training has been started";

impl<G: Game + Clone> Workshop<G> {
    /// `name` is the game's in files of weights, `full_name` that in records, with its parameters.
    pub fn new(game: G, name: String, full_name: String) -> Workshop<G> {
        let inputs = game.net_shape().map_or(String::new(), |shape| shape.name);
        // A user's game numbers its actions as they appear: in each process the first ones alike.
        game.actions(&game.initial(), &mut Vec::new());
        Workshop { game, name, label: Label { game: full_name, inputs }, trainer: None }
    }

    fn search(&self, weights: Option<&Path>, config: &Config) -> Result<Search<G>, String> {
        let mut search = Search::new(self.game.clone(), config.clone());
        search.set_learned(weights.map(|path| Learned::open(path, &self.game, &self.name)).transpose()?)?;
        Ok(search)
    }

    fn identity(&self) -> (String, Label) {
        (self.name.clone(), self.label.clone())
    }

    fn trainer(&mut self) -> Result<&mut Trainer<G>, String> {
        self.trainer.as_mut().ok_or_else(|| UNTRAINED.to_owned())
    }
}

impl<G: Game + Clone> AnyWorkshop for Workshop<G> {
    fn shape(&self, of_policy: bool) -> Option<ShapeTuple> {
        let shape = if of_policy { self.game.policy_shape() } else { self.game.net_shape() }?;
        Some((shape.name, shape.inputs, shape.slots, shape.sharpness.is_some(), shape.served_by, shape.any_size))
    }

    fn append(&self, path: &Path, games: &[GivenGame]) -> Result<u64, String> {
        let mut writer = Writer::open(path, &self.game, &self.label)?;
        let first = writer.games();
        let records: Vec<GameRecord> = games
            .iter()
            .zip(first..)
            .map(|((start, result, moves, lessons), number)| {
                let one = Given { start: start.as_deref(), result: *result, moves, lessons: lessons.as_deref() };
                let record = given(&self.game, &one, zobrist::key(GIVEN, number));
                record.map_err(|what| format!("{}: game {}: {what}", path.display(), number + 1))
            })
            .collect::<Result<_, _>>()?;
        writer.append(&self.game, &records)?;
        Ok(writer.games())
    }

    fn fit(
        &self,
        files: &[PathBuf],
        settings: patterns::Settings,
        on_sweep: &mut dyn FnMut(u32, f32) -> bool,
    ) -> Result<Fitted, String> {
        patterns::fit(&self.game, &self.label, files, settings, on_sweep)
    }

    fn balance(
        &self,
        files: &[PathBuf],
        start: &Path,
        settings: balance::Settings,
        on_batch: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Balanced, String> {
        let named = |what: String| format!("{}: {what}", start.display());
        let bytes = fs::read(start).map_err(|error| named(error.to_string()))?;
        let gammas = Gammas::read(&bytes, &self.name, gammas::name_of(&self.game)?).map_err(named)?;
        balance::balance(&self.game, &self.label, files, &gammas, settings, on_batch)
    }

    fn write_gammas(&self, path: &Path, gammas: &Gammas) -> Result<(), String> {
        checkpoint::replace(path, &gammas.write(&self.name, gammas::name_of(&self.game)?))
    }

    fn generate(
        &self,
        path: &Path,
        weights: Option<&Path>,
        manner: &Manner,
        (games, crew): (u64, &Crew),
        on_game: &mut dyn FnMut(u64, usize) -> bool,
    ) -> Result<u64, String> {
        manner.openings.iter().try_for_each(|opening| opening.position(&self.game).map(drop))?;
        let mut writer = Writer::open(path, &self.game, &self.label)?;
        let count = crew.threads.get();
        let mut searches =
            (0..count).map(|_| self.search(weights, &manner.config)).collect::<Result<Vec<_>, String>>()?;
        let (mut waiting, mut written) = (Vec::new(), Instant::now());
        let work = |search: &mut Search<G>, number| play(search, manner, zobrist::key(crew.seed, number));
        let done = in_order(&mut searches, writer.games()..games, work, |number, record| {
            let go_on = on_game(number + 1, record.plies.len());
            waiting.push(record);
            if waiting.len() >= MOST_GAMES || written.elapsed() > LONGEST {
                writer.append(&self.game, &waiting)?;
                waiting.clear();
                written = Instant::now();
            }
            Ok(go_on)
        });
        if !waiting.is_empty() && !self.game.faulty() {
            writer.append(&self.game, &waiting)?;
        }
        done.map(|()| writer.games())
    }

    fn pairs(
        &self,
        sides: &[Side; 2],
        numbers: Range<u64>,
        (opening_plies, crew): (u32, &Crew),
        on_pair: &mut dyn FnMut([f32; 2]) -> bool,
    ) -> Result<(), String> {
        let make = |side: &Side| self.search(side.weights.as_deref(), &side.config);
        let mut searches: Vec<[Search<G>; 2]> =
            (0..crew.threads.get()).map(|_| Ok([make(&sides[0])?, make(&sides[1])?])).collect::<Result<_, String>>()?;
        let simulations = [sides[0].simulations, sides[1].simulations];
        let work = |searches: &mut [Search<G>; 2], number| {
            play_pair(searches.each_mut(), simulations, opening_plies, zobrist::key(crew.seed, number))
        };
        in_order(&mut searches, numbers, work, |_, results| Ok(on_pair(results)))
    }

    fn self_play(&self, settings: (gumbel::Manner, Aims), games: usize, seed: u64) -> Result<Play, String> {
        self_play::play(&self.game, self.label.clone(), settings, (games, seed))
    }

    fn start(&mut self, sizes: &Sizes, aims: Aims, seed: u64) -> Result<(), String> {
        self.trainer = Some(Trainer::new(self.game.clone(), self.identity(), sizes, aims, seed)?);
        Ok(())
    }

    fn resume(&mut self, path: &Path, aims: Aims) -> Result<(), String> {
        self.trainer = Some(Trainer::resume(self.game.clone(), self.identity(), aims, path)?);
        Ok(())
    }

    fn save(&self, path: &Path) -> Result<(), String> {
        self.trainer.as_ref().ok_or(UNTRAINED)?.save(path)
    }

    fn write(&self, path: &Path, provenance: BTreeMap<String, String>) -> Result<(), String> {
        self.trainer.as_ref().ok_or(UNTRAINED)?.write(path, provenance)
    }

    fn read(&mut self, path: &Path) -> Result<Gathered, String> {
        self.trainer()?.read(path)
    }

    fn forget(&mut self, rows: usize) -> Result<usize, String> {
        let trainer = self.trainer()?;
        trainer.forget(rows);
        Ok(trainer.rows())
    }

    fn train(
        &mut self,
        schedule: Schedule,
        seed: u64,
        on_step: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Loss, Loss), String> {
        let trainer = self.trainer()?;
        let loss = trainer.train(schedule, seed, on_step);
        Ok((loss, trainer.held_out_loss()))
    }
}

/// Makes a workshop of a kernel. The shape of its nets has what they need to know of parameters.
pub struct MakeWorkshop {
    pub name: String,
    pub full_name: String,
}

impl Make for MakeWorkshop {
    type Output = Box<dyn AnyWorkshop>;

    fn make<G: Game + Clone>(self, game: G) -> Self::Output {
        Box::new(Workshop::new(game, self.name, self.full_name))
    }
}
