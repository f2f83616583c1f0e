//! The search as Python drives it.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use playout_games::TablePaths;
use playout_search::{Config, Control, Limits, Upkeep};
use pyo3::{exceptions::PyRuntimeError, exceptions::PyValueError, prelude::*};

use crate::{
    books::{Books, PythonBooks},
    config::read_config,
    held::{AnySearch, EstimatesTuple, GuideEntry, HeldSearch, HintTuple, MakeSearch, ReportTuple, RuleTuple},
    kernels::with_kernel,
    macros::{ImagesTuple, MacroTuple},
    user_game::{PyGame, faults::interrupted},
};

/// Word for the end of a search in which a method of the user's game did not return in time.
const INTERRUPTED: &str = "interrupted";

/// A searcher: one game, one graph, one search at a time.
#[pyclass(name = "Search", module = "playout.engine._core", frozen)]
pub struct SearchHandle {
    inner: Mutex<Box<dyn AnySearch>>,
    control: Control,
    stale: AtomicBool,
    /// The user's game, if it is one in Python.
    python: Option<PyGame>,
    /// The game with its parameters, as graph files name it; None for a game in Python.
    name: String,
}

impl SearchHandle {
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

    /// The game's name in files of weights, whose shape has what they need to know of parameters.
    fn name_in_files(&self) -> &str {
        if self.python.is_some() { &self.name } else { self.name.split(':').next().unwrap_or_default() }
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
impl SearchHandle {
    /// A search of a kernel.
    #[staticmethod]
    fn kernel(name: &str, params: BTreeMap<String, String>) -> PyResult<SearchHandle> {
        let values: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let full_name = format!("{name}:{}", values.join(",")).trim_end_matches(':').to_owned();
        let inner = Mutex::new(with_kernel(name, params, MakeSearch(Config::default()))?);
        let control = Control::default();
        Ok(SearchHandle { inner, control, stale: AtomicBool::new(false), python: None, name: full_name })
    }

    /// A search of a game written in Python.
    #[staticmethod]
    fn python(game: Bound<'_, PyAny>) -> PyResult<SearchHandle> {
        let name = format!("python:{}", name_of(&game)?);
        let game = PyGame::new(&game)?;
        let config = game.limit(Config::default());
        let inner: Box<dyn AnySearch> =
            Box::new(HeldSearch::new(game.clone(), config, |books| Box::new(PythonBooks(books))));
        let made = SearchHandle {
            inner: Mutex::new(inner),
            control: Control::default(),
            stale: AtomicBool::new(false),
            python: Some(game),
            name,
        };
        made.raise_fault()?;
        Ok(made)
    }

    /// Stands at the position after the moves. Without the GIL: at the memory bound it makes room.
    fn set_position(&self, py: Python<'_>, text: Option<&str>, moves: Vec<String>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let done = py.detach(|| search.set_position(text, &moves));
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)?;
        self.renew(&mut **inner)
    }

    fn restrict(&self, moves: Vec<String>) -> PyResult<usize> {
        let count = self.lock()?.restrict(&moves);
        self.raise_fault()?;
        Ok(count)
    }

    /// Keeps moves out of the first plies, until the next `set_position`. Returns how many are left at the root.
    fn keep_out(&self, py: Python<'_>, rules: Vec<RuleTuple>) -> PyResult<usize> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let left = py.detach(|| search.keep_out(rules));
        self.raise_fault()?;
        Ok(left)
    }

    /// Takes a configuration. Without the GIL: the graph may go.
    fn configure(&self, config: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = config.py();
        let config = read_config(config)?;
        let config = self.python.as_ref().map_or(config.clone(), |game| game.limit(config));
        let mut inner = self.lock()?;
        if *inner.config() != config {
            let search: &mut dyn AnySearch = &mut **inner;
            py.detach(|| search.configure(config));
        }
        self.raise_fault()
    }

    /// Takes what is known of positions before the search, for the root and for nodes that are made from here on, in place
    /// of what lasts or of what does not.
    fn set_guide(&self, py: Python<'_>, entries: Vec<GuideEntry>, lasting: bool) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let done = py.detach(|| search.set_guide(&entries, lasting));
        drop(inner);
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)
    }

    /// Takes macros with drawings; none puts them away.
    fn set_macros(&self, py: Python<'_>, images: ImagesTuple, macros: Vec<MacroTuple>) -> PyResult<()> {
        let images = crate::macros::images(images);
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let done = py.detach(|| search.set_macros(&images, macros));
        drop(inner);
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)
    }

    /// The guide's hints for the moves of the root.
    fn hints(&self) -> PyResult<Vec<HintTuple>> {
        let hints = self.lock()?.hints();
        self.raise_fault()?;
        Ok(hints)
    }

    /// H(s) and H(s, a) of the root.
    fn estimates(&self) -> PyResult<EstimatesTuple> {
        let estimates = self.lock()?.estimates();
        self.raise_fault()?;
        Ok(estimates)
    }

    /// Takes the books that are asked for the root and for nodes that are made from here on; None puts them away.
    fn set_books(&self, py: Python<'_>, ask: Option<Py<PyAny>>, keys: &[u8], shared: &[u8]) -> PyResult<()> {
        let books = ask.map(|ask| Books::new(keys, shared, ask)).transpose()?;
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.set_books(books));
        drop(inner);
        self.raise_fault()
    }

    /// Has the books asked at positions less than `plies` plies from the root.
    fn set_book_plies(&self, py: Python<'_>, plies: u32) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.set_book_plies(plies));
        drop(inner);
        self.raise_fault()
    }

    /// Takes tables of solved positions; no path puts them away. The graph starts anew. Blocks, without the GIL.
    fn set_tables(&self, py: Python<'_>, paths: Vec<PathBuf>, most_pieces: u32, depth: u32) -> PyResult<()> {
        let tables = (!paths.is_empty()).then_some(TablePaths { paths, most_pieces });
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.set_tables(tables.as_ref(), depth)).map_err(PyValueError::new_err)
    }

    /// Takes nets that judge positions from a file; None puts them away. The graph starts anew where that changes values.
    /// Blocks, without the GIL.
    fn set_nets(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let game = self.name_in_files();
        let done = py.detach(|| search.set_nets(path.as_deref(), game));
        drop(inner);
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)
    }

    /// Takes what was learned of the moves from a file, strengths of their features or nets with a policy; None puts it away.
    /// The graph starts anew where that changes preferences. Blocks, without the GIL.
    fn set_patterns(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let game = self.name_in_files();
        py.detach(|| search.set_patterns(path.as_deref(), game)).map_err(PyValueError::new_err)
    }

    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.clear());
        self.raise_fault()
    }

    /// Frees the least-visited part of the graph if it takes more than half of its memory. Blocks, without the GIL.
    fn free_half(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        py.detach(|| search.free_half());
        Ok(())
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
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let done = py.detach(|| search.save(&path, &self.name));
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)
    }

    /// Raises ValueError with one line if graphs of the game cannot be saved.
    fn check_savable(&self) -> PyResult<()> {
        let Some(game) = &self.python else { return Ok(()) };
        let done = game.literals();
        self.raise_fault()?;
        done.map(drop).map_err(PyValueError::new_err)
    }

    /// Loads a graph that was saved. Blocks, without the GIL.
    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        let done = py.detach(|| search.load(&path, &self.name));
        self.raise_fault()?;
        done.map_err(PyValueError::new_err)
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

    #[pyo3(signature = (*, nodes, depth, mate, past_proof, interval, lines, variation, on_report))]
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
        variation: u64,
        on_report: Py<PyAny>,
    ) -> PyResult<(&'static str, ReportTuple)> {
        let limits = Limits { nodes, depth, mate, past_proof };
        let mut failed = None;
        let mut inner = self.lock()?;
        let search: &mut dyn AnySearch = &mut **inner;
        self.renew(search)?;
        search.vary(variation);
        let (reason, mut report) = py.detach(|| {
            search.run(limits, &self.control, Duration::from_secs_f64(interval), lines, &mut |report| {
                if let Err(error) = Python::attach(|py| on_report.call1(py, (report,))) {
                    failed.get_or_insert(error);
                    self.control.stop();
                }
            })
        });
        let mut reason = reason.word();
        if let Some(error) = self.python.as_ref().and_then(PyGame::take_fault) {
            self.stale.store(true, Relaxed);
            if !interrupted(py, &error) {
                return Err(error);
            }
            // The moves with all that was found until then. Their lines would have to ask the game again.
            reason = INTERRUPTED;
            report.7 = inner.report(0).7;
            self.raise_fault()?;
        }
        match failed {
            Some(error) => Err(error),
            None => Ok((reason, report)),
        }
    }
}

/// The game that a graph file belongs to, with its parameters. Reads the beginning only.
#[pyfunction]
pub fn graph_game(path: PathBuf) -> PyResult<String> {
    playout_search::save::label(&path).map(|label| label.game).map_err(PyValueError::new_err)
}

/// The name of a game in Python: its attribute `name`, or that of its class.
pub(crate) fn name_of(game: &Bound<'_, PyAny>) -> PyResult<String> {
    match game.getattr_opt("name")?.and_then(|name| name.extract().ok()) {
        Some(name) => Ok(name),
        None => game.get_type().name()?.extract(),
    }
}
