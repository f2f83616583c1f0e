//! A game's look-ahead as Python drives it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use playout_games::{Game, LookAhead, Sight, TablePaths, Variation, Wish};
use playout_search::{Control, Learned};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};

use crate::{
    held::{line_texts, of_file, reached},
    kernels::{Make, with_kernel},
};

/// (moves with their values, best play, plies to the end if it is known to win or lose, depth, longest line, positions,
/// share of them after the best move, the next best moves)
type SightTuple = (Vec<(String, f32)>, Vec<String>, Option<u32>, u32, u32, u64, f32, Vec<VariationTuple>);
/// (value, best play with the move first, plies to the end if it is known to win or lose, positions)
type VariationTuple = (f32, Vec<String>, Option<u32>, u64);

trait AnyLookAhead: Send {
    fn set_nets(&mut self, path: Option<&Path>, game: &str) -> Result<(), String>;
    fn set_tables(&mut self, tables: Option<&TablePaths>, depth: u32) -> Result<(), String>;
    fn see(
        &mut self,
        text: Option<&str>,
        moves: &[String],
        wish: Wish,
        only: &[String],
        control: &Control,
        heard: &mut dyn FnMut(SightTuple) -> bool,
    ) -> Result<SightTuple, String>;
}

struct Held<G: Game> {
    game: G,
    inner: Box<dyn LookAhead<G::Position>>,
}

impl<G: Game> AnyLookAhead for Held<G> {
    fn set_nets(&mut self, path: Option<&Path>, game: &str) -> Result<(), String> {
        let learned = path.map(|path| Learned::open(path, &self.game, game)).transpose()?;
        let done = self.inner.correct(learned.as_ref().and_then(Learned::correction));
        done.map_err(|what| of_file(path, what))
    }

    fn set_tables(&mut self, tables: Option<&TablePaths>, depth: u32) -> Result<(), String> {
        self.inner.set_tables(tables, depth)
    }

    fn see(
        &mut self,
        text: Option<&str>,
        moves: &[String],
        mut wish: Wish,
        only: &[String],
        control: &Control,
        heard: &mut dyn FnMut(SightTuple) -> bool,
    ) -> Result<SightTuple, String> {
        let position = reached(&self.game, text, moves)?;
        if !only.is_empty() {
            self.game.actions(&position, &mut wish.only);
            wish.only.retain(|&action| only.contains(&self.game.action_text(&position, action)));
        }
        let (game, begun) = (&self.game, Instant::now());
        let mut heard = |sight: &Sight| heard(tuple(game, &position, sight));
        let sight = self.inner.see(&position, &wish, &mut || control.spent_since(begun), &mut heard);
        Ok(tuple(game, &position, &sight))
    }
}

fn tuple<G: Game>(game: &G, position: &G::Position, sight: &Sight) -> SightTuple {
    let near = sight.moves.iter().map(|one| (game.action_text(position, one.action), one.value)).collect();
    let line = line_texts(game, position.clone(), &sight.line);
    let variation =
        |one: &Variation| (one.seen.value, line_texts(game, position.clone(), &one.line), one.plies, one.nodes);
    let others = sight.others.iter().map(variation).collect();
    (near, line, sight.plies, sight.depth, sight.longest, sight.nodes, sight.effort, others)
}

struct MakeLookAhead {
    bytes: usize,
}

impl Make for MakeLookAhead {
    type Output = Option<Box<dyn AnyLookAhead>>;

    fn make<G: Game>(self, game: G) -> Self::Output {
        let inner = game.look_ahead(self.bytes)?;
        Some(Box::new(Held { game, inner }))
    }
}

/// Looks ahead in positions of one game, one at a time.
#[pyclass(name = "LookAhead", module = "playout.engine._core", frozen)]
pub struct LookAheadHandle {
    inner: Mutex<Box<dyn AnyLookAhead>>,
    /// The game's name in files of weights.
    game: String,
    control: Control,
}

impl LookAheadHandle {
    fn idle(&self) -> PyResult<MutexGuard<'_, Box<dyn AnyLookAhead>>> {
        self.inner.try_lock().map_err(|_| PyRuntimeError::new_err("a look-ahead is running"))
    }
}

#[pymethods]
impl LookAheadHandle {
    #[new]
    fn new(kernel: &str, params: BTreeMap<String, String>, hash_mib: usize) -> PyResult<LookAheadHandle> {
        let made = with_kernel(kernel, params, MakeLookAhead { bytes: hash_mib << 20 })?;
        let inner = made.ok_or_else(|| PyValueError::new_err(format!("{kernel} has no look-ahead")))?;
        Ok(LookAheadHandle { inner: Mutex::new(inner), game: kernel.to_owned(), control: Control::default() })
    }

    /// Takes the net that corrects the static evaluation from a file of nets, if it has one; None puts it away. Blocks, without
    /// the GIL.
    fn set_nets(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<()> {
        py.detach(|| self.idle()?.set_nets(path.as_deref(), &self.game).map_err(PyValueError::new_err))
    }

    /// Takes tables of solved positions; no path puts them away. What was learned is forgotten. Blocks, without the GIL.
    fn set_tables(&self, py: Python<'_>, paths: Vec<PathBuf>, most_pieces: u32, depth: u32) -> PyResult<()> {
        let tables = (!paths.is_empty()).then_some(TablePaths { paths, most_pieces });
        py.detach(|| self.idle()?.set_tables(tables.as_ref(), depth).map_err(PyValueError::new_err))
    }

    /// Clears the stop flag and the deadline.
    fn prepare(&self) {
        self.control.reset();
    }

    fn stop(&self) {
        self.control.stop();
    }

    /// Sets the deadline, in seconds from now; None is never.
    fn set_deadline(&self, seconds: Option<f64>) {
        self.control.set_deadline(None, seconds.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, 1e9))));
    }

    #[pyo3(signature = (text, moves, *, margin, threads, positions=None, contempt=0, lines=1, only=Vec::new(), heard=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn see(
        &self,
        py: Python<'_>,
        text: Option<&str>,
        moves: Vec<String>,
        margin: f32,
        threads: usize,
        positions: Option<u64>,
        contempt: i32,
        lines: usize,
        only: Vec<String>,
        heard: Option<Py<PyAny>>,
    ) -> PyResult<SightTuple> {
        let positions = positions.unwrap_or(u64::MAX);
        let wish = Wish { margin, threads, positions, contempt, lines, ..Wish::default() };
        let mut fault = None;
        let seen = py.detach(|| {
            let mut inner = self.idle()?;
            let mut tell = |sight: SightTuple| {
                let Some(heard) = heard.as_ref().filter(|_| fault.is_none()) else { return true };
                let deeper = Python::attach(|py| heard.call1(py, sight)?.extract(py));
                deeper.unwrap_or_else(|error| {
                    fault = Some(error);
                    self.stop();
                    false
                })
            };
            inner.see(text, &moves, wish, &only, &self.control, &mut tell).map_err(PyValueError::new_err)
        });
        fault.map_or(seen, Err)
    }
}
