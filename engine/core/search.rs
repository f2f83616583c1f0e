//! The search as Python drives it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use playout_games::{Action, Game, Player, Tables};
use playout_search::{Config, Control, Guide, Hint, Limits, MoveReport, Reason, Report, Step, Upkeep, save::Label};
use pyo3::{exceptions::PyRuntimeError, exceptions::PyValueError, prelude::*};

use crate::{
    kernels::{Make, with_kernel},
    py_game::PyGame,
    settings::Settings,
};

/// (move, visits, value, win, draw, lower, upper, plies, line)
type MoveTuple = (String, u32, f32, f32, f32, f32, f32, Option<u32>, Vec<String>);
/// (seconds, simulations, mean depth, longest path, value, visits, fill, moves)
type ReportTuple = (f64, u64, f32, u32, f32, u32, f32, Vec<MoveTuple>);

/// (start, moves from there, hints for the position that they lead to: move, weight, visits, value, banned)
type Entry = (Option<String>, Vec<String>, Vec<(String, f32, u32, f32, bool)>);

trait AnySearch: Send {
    fn set_position(&mut self, text: Option<&str>, moves: &[String]) -> Result<(), String>;
    fn restrict(&mut self, moves: &[String]) -> usize;
    fn configure(&mut self, config: Config);
    fn set_guide(&mut self, entries: &[Entry]) -> Result<(), String>;
    fn set_tables(&mut self, tables: Option<&Tables>, depth: u32) -> Result<(), String>;
    fn config(&self) -> &Config;
    fn clear(&mut self);
    fn report(&self, lines: usize) -> ReportTuple;
    fn used(&self) -> usize;
    fn upkeep(&self) -> Upkeep;
    fn save(&mut self, path: &Path, game: &str) -> Result<(), String>;
    fn load(&mut self, path: &Path, game: &str) -> Result<(), String>;
    fn run(
        &mut self,
        limits: Limits,
        control: &Control,
        interval: Duration,
        lines: usize,
        on_report: &mut dyn FnMut(ReportTuple),
    ) -> (Reason, ReportTuple);
}

struct Held<G: Game> {
    search: playout_search::Search<G>,
    /// The text of the start; None is the game's own.
    start: Option<String>,
}

impl<G: Game> Held<G> {
    fn tuple(&self, report: Report) -> ReportTuple {
        tuple(self.search.game(), self.search.position(), report)
    }
}

fn parse<G: Game>(game: &G, position: &G::Position, text: &str) -> Result<Action, String> {
    game.parse_action(position, text).ok_or_else(|| format!("illegal move: {text:?}"))
}

/// What a word in a list of moves stands for: a move or, as "@0" or "@1", who is to move from here.
fn step<G: Game>(game: &G, position: &G::Position, text: &str) -> Result<Step, String> {
    Ok(match text {
        "@0" => Step::Player(Player::First),
        "@1" => Step::Player(Player::Second),
        _ => Step::Action(parse(game, position, text)?),
    })
}

fn enter<G: Game>(game: &G, position: &mut G::Position, step: Step) -> Result<(), String> {
    match step {
        Step::Action(action) => game.play(position, action),
        Step::Player(player) => {
            if !game.set_player(position, player) {
                return Err("in this game the player to move cannot be changed".to_owned());
            }
        }
    }
    Ok(())
}

fn tuple<G: Game>(game: &G, position: &G::Position, report: Report) -> ReportTuple {
    let moves = report.moves.into_iter().map(|m: MoveReport| {
        let text = game.action_text(position, m.action);
        (text, m.visits, m.value, m.win, m.draw, m.lower, m.upper, m.plies, m.line)
    });
    (
        report.seconds,
        report.simulations,
        report.mean_depth,
        report.longest,
        report.value,
        report.visits,
        report.fill,
        moves.collect(),
    )
}

impl<G: Game> AnySearch for Held<G> {
    fn set_position(&mut self, text: Option<&str>, moves: &[String]) -> Result<(), String> {
        let game = self.search.game();
        let start = match text {
            Some(text) => game.parse_position(text)?,
            None => game.initial(),
        };
        let mut position = start.clone();
        let mut steps = Vec::with_capacity(moves.len());
        for text in moves {
            let step = step(game, &position, text)?;
            enter(game, &mut position, step)?;
            steps.push(step);
        }
        if self.start.as_deref() != text {
            if !self.search.config().transpositions {
                self.search.clear();
            }
            self.start = text.map(str::to_owned);
        }
        self.search.set_position(start, steps);
        Ok(())
    }

    fn restrict(&mut self, moves: &[String]) -> usize {
        let (game, position) = (self.search.game(), self.search.position());
        let actions: Vec<Action> = moves.iter().filter_map(|text| game.parse_action(position, text)).collect();
        self.search.restrict(&actions);
        actions.len()
    }

    fn configure(&mut self, config: Config) {
        self.search.configure(config);
    }

    fn set_guide(&mut self, entries: &[Entry]) -> Result<(), String> {
        let game = self.search.game();
        let mut guide = Guide::default();
        // The positions along the line before, which most lines share all but the end of.
        let mut line: Vec<G::Position> = Vec::new();
        let mut before: Option<(&Option<String>, &[String])> = None;
        for (start, moves, hints) in entries {
            let same = match before {
                Some((other, passed)) if other == start => {
                    1 + passed.iter().zip(moves).take_while(|(a, b)| a == b).count()
                }
                _ => 0,
            };
            line.truncate(same);
            if line.is_empty() {
                line.push(match start {
                    Some(text) => game.parse_position(text)?,
                    None => game.initial(),
                });
            }
            for text in &moves[line.len() - 1..] {
                let mut position = line[line.len() - 1].clone();
                let step = step(game, &position, text)?;
                enter(game, &mut position, step)?;
                line.push(position);
            }
            before = Some((start, moves));
            let position = &line[line.len() - 1];
            for (text, weight, visits, value, banned) in hints {
                let action = parse(game, position, text)?;
                let hint = Hint { action, weight: *weight, visits: *visits, value: *value, banned: *banned };
                guide.add(game, position, hint);
            }
        }
        self.search.set_guide(guide);
        Ok(())
    }

    fn set_tables(&mut self, tables: Option<&Tables>, depth: u32) -> Result<(), String> {
        self.search.set_tables(tables, depth)
    }

    fn config(&self) -> &Config {
        self.search.config()
    }

    fn clear(&mut self) {
        self.search.clear();
    }

    fn report(&self, lines: usize) -> ReportTuple {
        self.tuple(self.search.report(lines))
    }

    fn used(&self) -> usize {
        self.search.used()
    }

    fn upkeep(&self) -> Upkeep {
        self.search.upkeep()
    }

    fn save(&mut self, path: &Path, game: &str) -> Result<(), String> {
        let start = self.start.clone().unwrap_or_default();
        self.search.save(path, &Label { game: game.to_owned(), start })
    }

    fn load(&mut self, path: &Path, game: &str) -> Result<(), String> {
        let start = self.search.load(path, game)?;
        if self.search.config().transpositions {
            return Ok(());
        }
        // A plain tree knows one start, under a key that does not tell which.
        self.start = (!start.is_empty()).then_some(start);
        let start = self.start.clone();
        self.set_position(start.as_deref(), &[])
    }

    fn run(
        &mut self,
        limits: Limits,
        control: &Control,
        interval: Duration,
        lines: usize,
        on_report: &mut dyn FnMut(ReportTuple),
    ) -> (Reason, ReportTuple) {
        let outcome = self.search.run(limits, control, interval, lines, &mut |game, position, report| {
            on_report(tuple(game, position, report));
        });
        (outcome.reason, self.tuple(outcome.report))
    }
}

struct MakeSearch(Config);

impl Make for MakeSearch {
    type Output = Box<dyn AnySearch>;

    fn make<G: Game>(self, game: G) -> Self::Output {
        Box::new(Held { search: playout_search::Search::new(game, self.0), start: None })
    }
}

/// A searcher: one game, one graph, one search at a time.
#[pyclass(module = "playout.engine._core", frozen)]
pub struct Search {
    inner: Mutex<Box<dyn AnySearch>>,
    control: Control,
    stale: AtomicBool,
    /// The user's game, if it is one in Python.
    python: Option<PyGame>,
    /// The game with its parameters, as graph files name it; None for a game in Python.
    name: Option<String>,
}

impl Search {
    fn lock(&self) -> PyResult<MutexGuard<'_, Box<dyn AnySearch>>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err("a search is running")),
            Err(TryLockError::Poisoned(poisoned)) => {
                // A panic left the graph as it was at that moment.
                self.inner.clear_poison();
                let mut inner = poisoned.into_inner();
                inner.clear();
                Ok(inner)
            }
        }
    }

    /// What graph files call the game.
    fn file_name(&self) -> PyResult<&str> {
        let why = "graphs of games written in Python stay in memory: their actions are numbered anew in each process";
        self.name.as_deref().ok_or_else(|| PyValueError::new_err(why))
    }

    fn raise_fault(&self) -> PyResult<()> {
        let Some(error) = self.python.as_ref().and_then(PyGame::take_fault) else {
            return Ok(());
        };
        // Until it noticed, the search went on with made-up answers.
        self.stale.store(true, Relaxed);
        Err(error)
    }

    /// Clears the graph if it holds made-up answers. Asks the game, which may fail again.
    fn renew(&self, inner: &mut dyn AnySearch) -> PyResult<()> {
        if self.stale.swap(false, Relaxed) {
            inner.clear();
        }
        self.raise_fault()
    }
}

#[pymethods]
impl Search {
    /// A search of a kernel.
    #[staticmethod]
    fn kernel(name: &str, params: BTreeMap<String, String>) -> PyResult<Search> {
        let values: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let full_name = format!("{name}:{}", values.join(",")).trim_end_matches(':').to_owned();
        let inner = Mutex::new(with_kernel(name, params, MakeSearch(Config::default()))?);
        let control = Control::default();
        Ok(Search { inner, control, stale: AtomicBool::new(false), python: None, name: Some(full_name) })
    }

    /// A search of a game written in Python.
    #[staticmethod]
    fn python(game: Bound<'_, PyAny>) -> PyResult<Search> {
        let game = PyGame::new(&game)?;
        let config = game.limit(Config::default());
        let search = playout_search::Search::new(game.clone(), config);
        let inner: Box<dyn AnySearch> = Box::new(Held { search, start: None });
        let made = Search {
            inner: Mutex::new(inner),
            control: Control::default(),
            stale: AtomicBool::new(false),
            python: Some(game),
            name: None,
        };
        made.raise_fault()?;
        Ok(made)
    }

    fn set_position(&self, text: Option<&str>, moves: Vec<String>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let done = inner.set_position(text, &moves);
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)?;
        self.renew(&mut **inner)
    }

    fn restrict(&self, moves: Vec<String>) -> PyResult<usize> {
        let count = self.lock()?.restrict(&moves);
        self.raise_fault()?;
        Ok(count)
    }

    fn configure(&self, settings: Settings) -> PyResult<()> {
        let config = settings.config()?;
        let config = self.python.as_ref().map_or(config.clone(), |game| game.limit(config));
        let mut inner = self.lock()?;
        if *inner.config() != config {
            inner.configure(config);
        }
        self.raise_fault()
    }

    /// Takes what is known of positions before the search; the graph starts anew.
    fn set_guide(&self, entries: Vec<Entry>) -> PyResult<()> {
        let done = self.lock()?.set_guide(&entries);
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)
    }

    /// Takes tables of solved positions; no path puts them away. The graph starts anew. Blocks, without the GIL.
    fn set_tables(&self, py: Python<'_>, paths: Vec<PathBuf>, most_pieces: u32, depth: u32) -> PyResult<()> {
        let tables = (!paths.is_empty()).then_some(Tables { paths, most_pieces });
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.set_tables(tables.as_ref(), depth)).map_err(PyValueError::new_err)
    }

    fn clear(&self) -> PyResult<()> {
        self.lock()?.clear();
        self.raise_fault()
    }

    fn report(&self, lines: usize) -> PyResult<ReportTuple> {
        let report = self.lock()?.report(lines);
        self.raise_fault()?;
        Ok(report)
    }

    /// Bytes of the graph in use.
    fn used(&self) -> PyResult<usize> {
        Ok(self.lock()?.used())
    }

    /// Times that part of the graph was reclaimed, and that its visit counts were halved.
    fn upkeep(&self) -> PyResult<(u64, u64)> {
        let Upkeep { reclaims, halvings } = self.lock()?.upkeep();
        Ok((reclaims, halvings))
    }

    /// Saves the graph: `path` holds the old file or the new one, whatever happens. Blocks, without the GIL.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let name = self.file_name()?;
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.save(&path, name)).map_err(PyValueError::new_err)
    }

    /// Loads a graph that was saved. Blocks, without the GIL.
    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let name = self.file_name()?;
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.load(&path, name)).map_err(PyValueError::new_err)
    }

    /// Makes ready for `run`: no stop, no deadline.
    fn prepare(&self) {
        self.control.reset();
    }

    fn stop(&self) {
        self.control.stop();
    }

    #[pyo3(signature = (soft, hard))]
    fn set_deadline(&self, soft: Option<f64>, hard: Option<f64>) {
        let duration = |seconds: f64| Duration::from_secs_f64(seconds.clamp(0.0, 1e9));
        self.control.set_deadline(soft.map(duration), hard.map(duration));
    }

    #[pyo3(signature = (*, nodes, depth, mate, past_proof, interval, lines, on_report))]
    #[expect(clippy::too_many_arguments, reason = "keywords, one for each bound")]
    fn run(
        &self,
        py: Python<'_>,
        nodes: Option<u64>,
        depth: Option<u32>,
        mate: Option<u32>,
        past_proof: bool,
        interval: f64,
        lines: usize,
        on_report: Py<PyAny>,
    ) -> PyResult<(&'static str, ReportTuple)> {
        let limits = Limits { nodes, depth, mate, past_proof };
        let mut failed = None;
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        self.renew(search)?;
        let (reason, report) = py.detach(|| {
            search.run(limits, &self.control, Duration::from_secs_f64(interval), lines, &mut |report| {
                if let Err(error) = Python::attach(|py| on_report.call1(py, (report,))) {
                    failed.get_or_insert(error);
                    self.control.stop();
                }
            })
        });
        drop(inner);
        self.raise_fault()?;
        match failed {
            Some(error) => Err(error),
            None => Ok((reason.word(), report)),
        }
    }
}

/// The game that a graph file belongs to, with its parameters. Reads the beginning only.
#[pyfunction]
pub fn graph_game(path: PathBuf) -> PyResult<String> {
    playout_search::save::label(&path).map(|label| label.game).map_err(PyValueError::new_err)
}
