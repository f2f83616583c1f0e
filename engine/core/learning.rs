//! Learning by self-play as Python drives it.

use std::{
    collections::BTreeMap,
    num::NonZero,
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

use playout_learning::{
    balance::{self, Bias, Method},
    by_search::{Manner, Opening},
    gumbel,
    patterns::{self, Fit},
    rows::Aims,
    train::{Gathered, Loss, Schedule},
};
use playout_nets::Sizes;
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    at_work::held,
    config::read_config,
    gumbel::SelfPlayHandle,
    kernels::with_kernel,
    search::name_of,
    user_game::PyGame,
    workshop::{AnyWorkshop, Crew, GivenGame, MakeWorkshop, ShapeTuple, Side, Workshop},
};

/// (weights, configuration, simulations)
type SideTuple<'py> = (Option<PathBuf>, Bound<'py, PyAny>, u64);
/// (positions, mean log-likelihood, share of choices put first, among the first five)
type FitTuple = (usize, f32, f32, f32);
/// (positions, root of the mean squared bias, mean bias)
type BiasTuple = (usize, f32, f32);
/// (cross-entropy of outcomes, that of the policy)
type LossTuple = (f32, f32);

fn read_aims(aims: &Bound<'_, PyAny>) -> PyResult<Aims> {
    Ok(Aims {
        result_share: aims.getattr("result_share")?.extract()?,
        every_value: aims.getattr("every_value")?.extract()?,
        values: aims.getattr("values")?.extract()?,
        choices: aims.getattr("choices")?.extract()?,
    })
}

/// Self-play, training and matches of one game. Its methods block, without the GIL.
#[pyclass(name = "Learning", module = "playout.engine._core", frozen)]
pub struct LearningHandle {
    inner: Mutex<Box<dyn AnyWorkshop>>,
    /// The user's game, if it is one in Python.
    python: Option<PyGame>,
}

impl LearningHandle {
    fn lock(&self) -> PyResult<MutexGuard<'_, Box<dyn AnyWorkshop>>> {
        held(&self.inner, "this object is at work")
    }

    /// The outcome of work, or the exception of the user's game that spoilt it, or that of a callback.
    fn outcome<T>(&self, done: Result<T, String>, failed: Option<PyErr>) -> PyResult<T> {
        if let Some(error) = self.python.as_ref().and_then(PyGame::take_fault).or(failed) {
            return Err(error);
        }
        done.map_err(PyValueError::new_err)
    }

    fn crew(&self, seed: u64, threads: usize) -> Crew {
        let threads = if self.python.is_some() { 1 } else { threads };
        Crew { seed, threads: NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN) }
    }

    /// The configuration of a search of this game.
    fn config(&self, config: &Bound<'_, PyAny>) -> PyResult<playout_search::Config> {
        let config = read_config(config)?;
        Ok(self.python.as_ref().map_or(config.clone(), |game| game.limit(config)))
    }

    fn manner(&self, manner: &Bound<'_, PyAny>) -> PyResult<Manner> {
        let field = |name: &str| manner.getattr(name);
        Ok(Manner {
            config: self.config(&field("config")?)?,
            simulations: field("simulations")?.extract()?,
            cheap_simulations: field("cheap_simulations")?.extract()?,
            full_share: field("full_share")?.extract()?,
            noise: field("noise")?.extract()?,
            concentration: field("concentration")?.extract()?,
            temperature: field("temperature")?.extract()?,
            half_life: field("half_life")?.extract()?,
            random_plies: field("random_plies")?.extract()?,
            openings: field("openings")?
                .extract::<Vec<(String, String)>>()?
                .into_iter()
                .map(|(place, text)| Opening { place, text })
                .collect(),
        })
    }

    /// Runs `work`, which asks the callback that it is given whether to go on. The work ends when Python's callback raises
    /// or a signal comes.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(
            &mut dyn AnyWorkshop,
            &mut dyn FnMut(&dyn Fn(Python<'_>) -> PyResult<()>) -> bool,
        ) -> Result<T, String>
        + Send,
    ) -> PyResult<T> {
        let mut inner = self.lock()?;
        let workshop: &mut dyn AnyWorkshop = &mut **inner;
        let mut failed = None;
        let done = py.detach(|| {
            work(workshop, &mut |call| {
                let called = Python::attach(|py| py.check_signals().and_then(|()| call(py)));
                called.map_err(|error| failed.get_or_insert(error)).is_ok()
            })
        });
        drop(inner);
        self.outcome(done, failed)
    }
}

#[pymethods]
impl LearningHandle {
    /// Learning of a kernel.
    #[staticmethod]
    fn kernel(name: &str, params: BTreeMap<String, String>, full_name: String) -> PyResult<LearningHandle> {
        let maker = MakeWorkshop { name: name.to_owned(), full_name };
        Ok(LearningHandle { inner: Mutex::new(with_kernel(name, params, maker)?), python: None })
    }

    /// Learning of a game written in Python.
    #[staticmethod]
    fn python(game: Bound<'_, PyAny>, full_name: String) -> PyResult<LearningHandle> {
        let name = format!("python:{}", name_of(&game)?);
        let game = PyGame::new(&game)?;
        let inner: Box<dyn AnyWorkshop> = Box::new(Workshop::new(game.clone(), name, full_name));
        let made = LearningHandle { inner: Mutex::new(inner), python: Some(game) };
        made.outcome(Ok(()), None)?;
        Ok(made)
    }

    #[pyo3(signature = (*, of_policy=false))]
    fn shape(&self, of_policy: bool) -> PyResult<Option<ShapeTuple>> {
        Ok(self.lock()?.shape(of_policy))
    }

    /// Plays games against itself until the file has `games` of them; returns how many it has.
    #[pyo3(signature = (path, weights, manner, *, games, seed, threads, on_game))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn generate(
        &self,
        py: Python<'_>,
        path: PathBuf,
        weights: Option<PathBuf>,
        manner: &Bound<'_, PyAny>,
        games: u64,
        seed: u64,
        threads: usize,
        on_game: Py<PyAny>,
    ) -> PyResult<u64> {
        let (manner, crew) = (self.manner(manner)?, self.crew(seed, threads));
        self.run(py, |workshop, go_on| {
            workshop.generate(&path, weights.as_deref(), &manner, (games, &crew), &mut |number, plies| {
                go_on(&|py| on_game.call1(py, (number, plies)).map(drop))
            })
        })
    }

    /// Plays pairs of games, the numbers `first` to `last` - 1; hands both results of the first side to `on_pair`, which
    /// returns whether to go on.
    #[pyo3(signature = (side, other, *, first, last, opening_plies, seed, threads, on_pair))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn pairs(
        &self,
        py: Python<'_>,
        side: SideTuple<'_>,
        other: SideTuple<'_>,
        first: u64,
        last: u64,
        opening_plies: u32,
        seed: u64,
        threads: usize,
        on_pair: Py<PyAny>,
    ) -> PyResult<()> {
        let read = |(weights, config, simulations): SideTuple<'_>| -> PyResult<Side> {
            Ok(Side { weights, config: self.config(&config)?, simulations })
        };
        let (sides, crew) = ([read(side)?, read(other)?], self.crew(seed, threads));
        self.run(py, |workshop, go_on| {
            workshop.pairs(&sides, first..last, (opening_plies, &crew), &mut |[one, two]| {
                let more = std::cell::Cell::new(true);
                let called = go_on(&|py| {
                    more.set(on_pair.call1(py, (one, two))?.extract(py)?);
                    Ok(())
                });
                called && more.get()
            })
        })
    }

    /// Self-play of `games` games at once, whose positions are judged elsewhere.
    #[pyo3(signature = (manner, aims, *, games, seed))]
    fn self_play(
        &self,
        manner: &Bound<'_, PyAny>,
        aims: &Bound<'_, PyAny>,
        games: usize,
        seed: u64,
    ) -> PyResult<SelfPlayHandle> {
        let field = |name: &str| manner.getattr(name);
        let manner = gumbel::Manner {
            simulations: field("simulations")?.extract()?,
            cheap_simulations: field("cheap_simulations")?.extract()?,
            full_share: field("full_share")?.extract()?,
            considered: field("considered")?.extract()?,
            value_scale: field("value_scale")?.extract()?,
            random_plies: field("random_plies")?.extract()?,
        };
        let aims = read_aims(aims)?;
        let play = self.lock()?.self_play((manner, aims), games, seed).map_err(PyValueError::new_err)?;
        Ok(SelfPlayHandle::new(play))
    }

    /// Starts training with nets drawn at random, with layers of these widths over a tower of this many blocks and channels.
    #[pyo3(signature = (widths, aims, seed, tower = None))]
    fn start(
        &self,
        py: Python<'_>,
        widths: Vec<usize>,
        aims: &Bound<'_, PyAny>,
        seed: u64,
        tower: Option<(usize, usize)>,
    ) -> PyResult<()> {
        let aims = read_aims(aims)?;
        let sizes = Sizes { tower, widths };
        self.run(py, |workshop, _| workshop.start(&sizes, aims, seed))
    }

    /// Takes up training where `save` left it.
    fn resume(&self, py: Python<'_>, path: PathBuf, aims: &Bound<'_, PyAny>) -> PyResult<()> {
        let aims = read_aims(aims)?;
        self.run(py, |workshop, _| workshop.resume(&path, aims))
    }

    /// Saves the state of training.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.run(py, |workshop, _| workshop.save(&path))
    }

    /// Writes the nets, with where they come from.
    fn write(&self, py: Python<'_>, path: PathBuf, provenance: BTreeMap<String, String>) -> PyResult<()> {
        self.run(py, |workshop, _| workshop.write(&path, provenance))
    }

    /// Appends games that were played elsewhere to a file of records; returns the number that it then has.
    fn append(&self, py: Python<'_>, path: PathBuf, games: Vec<GivenGame>) -> PyResult<u64> {
        self.run(py, |workshop, _| workshop.append(&path, &games))
    }

    /// Fits strengths of features of moves to files of records and writes them to `path` with where they come from; returns
    /// the number of games, of features, the measures of the fit on the games learned from and on those held out, that of the
    /// game's own preferences on these, and lines on damage.
    #[pyo3(signature = (files, path, provenance, *, least, positions, sweeps, on_sweep))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn fit(
        &self,
        py: Python<'_>,
        files: Vec<PathBuf>,
        path: PathBuf,
        provenance: BTreeMap<String, String>,
        least: u32,
        positions: usize,
        sweeps: u32,
        on_sweep: Py<PyAny>,
    ) -> PyResult<(u64, usize, [FitTuple; 3], Vec<String>)> {
        let settings = patterns::Settings { least, positions, sweeps };
        let tuple = |fit: Fit| (fit.positions, fit.log_likelihood, fit.first, fit.first_five);
        self.run(py, |workshop, go_on| {
            let mut fitted = workshop.fit(&files, settings, &mut |sweep, likelihood| {
                go_on(&|py| on_sweep.call1(py, (sweep, likelihood)).map(drop))
            })?;
            let Fit { positions, log_likelihood, first, .. } = fitted.held_out;
            let fit = format!(
                "{} positions of {} games; {positions} held out: log-likelihood {log_likelihood:.3}, first choices {:.1} %",
                fitted.learned.positions,
                fitted.games,
                100.0 * first,
            );
            fitted.gammas.provenance = provenance.into_iter().chain([("fit".to_owned(), fit)]).collect();
            workshop.write_gammas(&path, &fitted.gammas)?;
            let features = fitted.gammas.logits().len();
            let measures = [fitted.learned, fitted.held_out, fitted.by_hand].map(tuple);
            Ok((fitted.games, features, measures, fitted.damage))
        })
    }

    /// Changes strengths of features of moves, those of the file `start`, by what playouts come to at positions of files of
    /// records, and writes them to `path` with where they come from; returns the number of games, of positions, the biases
    /// before and after on the games held out, and lines on damage.
    #[expect(clippy::too_many_arguments, reason = "files and settings")]
    fn balance(
        &self,
        py: Python<'_>,
        files: Vec<PathBuf>,
        start: PathBuf,
        path: PathBuf,
        provenance: BTreeMap<String, String>,
        settings: &Bound<'_, PyAny>,
        on_batch: Py<PyAny>,
    ) -> PyResult<(u64, usize, [BiasTuple; 2], Vec<String>)> {
        let field = |name: &str| settings.getattr(name);
        let settings = balance::Settings {
            method: if field("gradient")?.extract()? { Method::Gradient } else { Method::Balance },
            positions: field("positions")?.extract()?,
            sweeps: field("sweeps")?.extract()?,
            playouts: field("playouts")?.extract()?,
            rate: field("rate")?.extract()?,
            seed: field("seed")?.extract()?,
            threads: field("threads")?.extract()?,
        };
        let tuple = |bias: Bias| (bias.positions, bias.root, bias.mean);
        self.run(py, |workshop, go_on| {
            let mut balanced = workshop
                .balance(&files, &start, settings, &mut |done| go_on(&|py| on_batch.call1(py, (done,)).map(drop)))?;
            let fit = format!(
                "{} positions of {} games; {} held out: bias {:.3} before, {:.3} after",
                balanced.positions, balanced.games, balanced.after.positions, balanced.before.root, balanced.after.root,
            );
            balanced.gammas.provenance = provenance.into_iter().chain([("fit".to_owned(), fit)]).collect();
            workshop.write_gammas(&path, &balanced.gammas)?;
            let biases = [balanced.before, balanced.after].map(tuple);
            Ok((balanced.games, balanced.positions, biases, balanced.damage))
        })
    }

    /// Reads records: number of games, of rows to learn from, and a line on damage.
    fn read(&self, py: Python<'_>, path: PathBuf) -> PyResult<(u64, usize, Option<String>)> {
        let Gathered { games, rows, damage } = self.run(py, |workshop, _| workshop.read(&path))?;
        Ok((games, rows, damage))
    }

    /// Forgets the oldest files of records, as long as `rows` are left; returns how many there are.
    fn forget(&self, py: Python<'_>, rows: usize) -> PyResult<usize> {
        self.run(py, |workshop, _| workshop.forget(rows))
    }

    /// Takes steps by rows drawn at random; returns the mean losses of the steps, and of the games held out.
    #[pyo3(signature = (*, steps, batch, rate, last_rate, decay, seed, on_step))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn train(
        &self,
        py: Python<'_>,
        steps: u64,
        batch: usize,
        rate: f32,
        last_rate: f32,
        decay: f32,
        seed: u64,
        on_step: Py<PyAny>,
    ) -> PyResult<(LossTuple, LossTuple)> {
        let schedule = Schedule { steps, batch, rate, last_rate, decay };
        let tuple = |loss: Loss| (loss.outcome, loss.policy);
        let (loss, held_out) = self.run(py, |workshop, go_on| {
            workshop.train(schedule, seed, &mut |step| go_on(&|py| on_step.call1(py, (step,)).map(drop)))
        })?;
        Ok((tuple(loss), tuple(held_out)))
    }
}
