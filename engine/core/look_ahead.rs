//! A game's look-ahead as Python drives it.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Instant,
};

use playout_games::{Game, LookAhead};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};

use crate::{
    held::{line_texts, reached},
    kernels::{Make, with_kernel},
};

/// (moves with their values, best play, depth, positions)
type SightTuple = (Vec<(String, f32)>, Vec<String>, u32, u64);

trait AnyLookAhead: Send {
    fn see(
        &mut self,
        text: Option<&str>,
        moves: &[String],
        margin: f32,
        seconds: f64,
        stopped: &AtomicBool,
    ) -> Result<SightTuple, String>;
}

struct Held<G: Game> {
    game: G,
    inner: Box<dyn LookAhead<G::Position>>,
}

impl<G: Game> AnyLookAhead for Held<G> {
    fn see(
        &mut self,
        text: Option<&str>,
        moves: &[String],
        margin: f32,
        seconds: f64,
        stopped: &AtomicBool,
    ) -> Result<SightTuple, String> {
        let position = reached(&self.game, text, moves)?;
        let (begun, seconds) = (Instant::now(), seconds.max(f64::MIN_POSITIVE));
        let mut spent = || if stopped.load(Relaxed) { 1.0 } else { (begun.elapsed().as_secs_f64() / seconds) as f32 };
        let sight = self.inner.see(&position, margin, &mut spent);
        let near = sight.moves.iter().map(|one| (self.game.action_text(&position, one.action), one.value)).collect();
        let line = line_texts(&self.game, position, &sight.line);
        Ok((near, line, sight.depth, sight.nodes))
    }
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
    stopped: AtomicBool,
}

#[pymethods]
impl LookAheadHandle {
    #[new]
    fn new(kernel: &str, params: BTreeMap<String, String>, hash_mib: usize) -> PyResult<LookAheadHandle> {
        let made = with_kernel(kernel, params, MakeLookAhead { bytes: hash_mib << 20 })?;
        let inner = made.ok_or_else(|| PyValueError::new_err(format!("{kernel} has no look-ahead")))?;
        Ok(LookAheadHandle { inner: Mutex::new(inner), stopped: AtomicBool::new(false) })
    }

    /// Clears the stop flag.
    fn prepare(&self) {
        self.stopped.store(false, Relaxed);
    }

    fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    #[pyo3(signature = (text, moves, *, margin, seconds))]
    fn see(
        &self,
        py: Python<'_>,
        text: Option<&str>,
        moves: Vec<String>,
        margin: f32,
        seconds: f64,
    ) -> PyResult<SightTuple> {
        py.detach(|| {
            let Ok(mut inner) = self.inner.try_lock() else {
                return Err(PyRuntimeError::new_err("a look-ahead is running"));
            };
            inner.see(text, &moves, margin, seconds, &self.stopped).map_err(PyValueError::new_err)
        })
    }
}
