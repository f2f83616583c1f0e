//! TD learning as Python drives it.

use std::{
    collections::BTreeMap,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use playout_games::{Game, TablePaths};
use playout_learning::{Learner, Settings, target::Horizon};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    at_work::held,
    kernels::{Make, with_kernel},
};

/// (games, positions, mean loss)
type ProgressTuple = (u64, u64, f32);

/// A learner whose game is not known to those who use it.
trait AnyLearner: Send {
    fn games(&self) -> u64;
    fn rate(&self) -> f32;
    /// Plays and learns rounds until there are as many games, or the time is up.
    fn run(&mut self, games: u64, time: Duration) -> ProgressTuple;
    fn save(&self, path: &Path) -> Result<(), String>;
    fn write(&self, path: &Path, provenance: BTreeMap<String, String>) -> Result<(), String>;
}

impl<G: Game> AnyLearner for Learner<G> {
    fn games(&self) -> u64 {
        Learner::games(self)
    }

    fn rate(&self) -> f32 {
        Learner::rate(self)
    }

    fn run(&mut self, games: u64, time: Duration) -> ProgressTuple {
        let (begin, begun) = (Instant::now(), Learner::games(self));
        let (mut positions, mut loss) = (0, 0.0);
        while Learner::games(self) < games && begin.elapsed() < time {
            let round = self.round();
            positions += round.positions;
            loss += round.loss * round.positions as f32;
        }
        (Learner::games(self) - begun, positions, loss / positions.max(1) as f32)
    }

    fn save(&self, path: &Path) -> Result<(), String> {
        Learner::save(self, path)
    }

    fn write(&self, path: &Path, provenance: BTreeMap<String, String>) -> Result<(), String> {
        Learner::write(self, path, provenance)
    }
}

/// Where a learner begins.
enum Start {
    Random(Vec<usize>),
    Weights(PathBuf),
    Checkpoint(PathBuf),
}

struct MakeLearner {
    name: String,
    table: Option<PathBuf>,
    start: Start,
    settings: Settings,
}

impl Make for MakeLearner {
    type Output = Result<Box<dyn AnyLearner>, String>;

    fn make<G: Game>(self, mut game: G) -> Self::Output {
        if let Some(path) = self.table {
            game.set_tables(Some(&TablePaths { paths: vec![path], most_pieces: 0 }))?;
        }
        let (name, settings) = (self.name, self.settings);
        Ok(Box::new(match self.start {
            Start::Random(widths) => Learner::random(game, name, &widths, settings)?,
            Start::Weights(path) => Learner::from_weights(game, name, &path, settings)?,
            Start::Checkpoint(path) => Learner::resume(game, name, &path, settings)?,
        }))
    }
}

fn read_settings(given: &Bound<'_, PyAny>) -> PyResult<Settings> {
    let (kind, number): (String, f64) = given.getattr("horizon")?.extract()?;
    let horizon = match kind.as_str() {
        "lambda" => Horizon::Lambda(number as f32),
        "steps" => Horizon::Steps(number as usize),
        "ahead" => Horizon::Ahead(number as f32),
        "rollouts" => Horizon::Rollouts(number as f32),
        _ => return Err(PyValueError::new_err(format!("no horizon {kind:?}: one of lambda, steps, ahead, rollouts"))),
    };
    let count = |name: &str| -> PyResult<NonZero<usize>> { given.getattr(name)?.extract() };
    Ok(Settings {
        horizon,
        rates: [given.getattr("rate")?.extract()?, given.getattr("last_rate")?.extract()?],
        games: given.getattr("games")?.extract()?,
        round: count("round")?.get() as u64,
        batch: count("batch")?.get(),
        passes: count("passes")?.get(),
        explore: given.getattr("explore")?.extract()?,
        seed: given.getattr("seed")?.extract()?,
        threads: count("threads")?,
    })
}

/// Nets of a kernel that learn by self-play without look-ahead. Its methods block, without the GIL.
#[pyclass(name = "TdLearner", module = "playout.engine._core", frozen)]
pub struct TdHandle {
    inner: Mutex<Box<dyn AnyLearner>>,
    /// Games at the end.
    most: u64,
}

impl TdHandle {
    fn lock(&self) -> PyResult<MutexGuard<'_, Box<dyn AnyLearner>>> {
        held(&self.inner, "the learner is at work")
    }
}

#[pymethods]
impl TdHandle {
    #[new]
    #[pyo3(signature = (name, params, settings, *, widths, weights = None, checkpoint = None, table = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        py: Python<'_>,
        name: &str,
        params: BTreeMap<String, String>,
        settings: &Bound<'_, PyAny>,
        widths: Vec<NonZero<usize>>,
        weights: Option<PathBuf>,
        checkpoint: Option<PathBuf>,
        table: Option<PathBuf>,
    ) -> PyResult<TdHandle> {
        if widths.is_empty() {
            return Err(PyValueError::new_err("a net has a layer"));
        }
        let start = match (checkpoint, weights) {
            (Some(path), _) => Start::Checkpoint(path),
            (None, Some(path)) => Start::Weights(path),
            (None, None) => Start::Random(widths.into_iter().map(NonZero::get).collect()),
        };
        let settings = read_settings(settings)?;
        let most = settings.games;
        let maker = MakeLearner { name: name.to_owned(), table, start, settings };
        let inner = py.detach(|| with_kernel(name, params, maker))?.map_err(PyValueError::new_err)?;
        Ok(TdHandle { inner: Mutex::new(inner), most })
    }

    /// Games so far, and the learning rate of the next ones.
    fn state(&self) -> PyResult<(u64, f32)> {
        let learner = self.lock()?;
        Ok((learner.games(), learner.rate()))
    }

    /// Plays and learns until the last game, or about as many seconds.
    fn run(&self, py: Python<'_>, seconds: f64) -> PyResult<ProgressTuple> {
        let mut inner = self.lock()?;
        let learner: &mut dyn AnyLearner = &mut **inner;
        let time = Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
        Ok(py.detach(|| learner.run(self.most, time)))
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.lock()?.save(&path).map_err(PyValueError::new_err)
    }

    fn write(&self, path: PathBuf, provenance: BTreeMap<String, String>) -> PyResult<()> {
        self.lock()?.write(&path, provenance).map_err(PyValueError::new_err)
    }
}
