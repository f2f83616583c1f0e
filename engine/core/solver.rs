//! Exact solving as Python drives it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, atomic::Ordering::Relaxed},
    time::Duration,
};

use playout_games::Game;
use playout_search::Control;
use playout_solver::{Memory, Method, Progress, Request, Solution, solve};
use pyo3::{exceptions::PyRuntimeError, exceptions::PyValueError, prelude::*};

use crate::{
    held::{line_texts, reached},
    kernels::{Make, with_kernel},
    user_game::PyGame,
};

/// (move, lower, upper, plies)
type SolvedMoveTuple = (String, f32, f32, Option<u32>);
/// (lower, upper, plies, line, moves, method)
type SolutionTuple = (f32, f32, Option<u32>, Vec<String>, Vec<SolvedMoveTuple>, &'static str);

trait AnySolver: Send {
    fn set_position(&mut self, text: Option<&str>, moves: &[String]) -> Result<(), String>;
    fn solve(&mut self, request: Request, control: &Control, progress: &Progress) -> Result<SolutionTuple, String>;
    fn release(&mut self);
}

struct HeldSolver<G: Game> {
    game: G,
    position: G::Position,
    memory: Memory,
}

impl<G: Game> AnySolver for HeldSolver<G> {
    fn set_position(&mut self, text: Option<&str>, moves: &[String]) -> Result<(), String> {
        self.position = reached(&self.game, text, moves)?;
        Ok(())
    }

    fn solve(&mut self, request: Request, control: &Control, progress: &Progress) -> Result<SolutionTuple, String> {
        let found = solve(&self.game, &self.position, request, control, progress, &mut self.memory);
        let Solution { lower, upper, plies, line, moves, method } = found.map_err(|refusal| refusal.to_string())?;
        let moves = moves
            .into_iter()
            .map(|one| (self.game.action_text(&self.position, one.action), one.lower, one.upper, one.plies));
        let texts = line_texts(&self.game, self.position.clone(), &line);
        Ok((lower, upper, plies, texts, moves.collect(), method))
    }

    fn release(&mut self) {
        self.memory = Memory::default();
    }
}

struct MakeSolver;

impl Make for MakeSolver {
    type Output = Box<dyn AnySolver>;

    fn make<G: Game>(self, game: G) -> Self::Output {
        let position = game.initial();
        Box::new(HeldSolver { game, position, memory: Memory::default() })
    }
}

/// Solves positions of one game, one at a time.
#[pyclass(name = "Solver", module = "playout.engine._core", frozen)]
pub struct SolverHandle {
    inner: Mutex<Box<dyn AnySolver>>,
    control: Control,
    progress: Progress,
    python: Option<PyGame>,
}

impl SolverHandle {
    fn make(inner: Box<dyn AnySolver>, python: Option<PyGame>) -> PyResult<SolverHandle> {
        let made = SolverHandle {
            inner: Mutex::new(inner),
            control: Control::default(),
            progress: Progress::default(),
            python,
        };
        made.raise_fault()?;
        Ok(made)
    }

    fn raise_fault(&self) -> PyResult<()> {
        self.python.as_ref().and_then(PyGame::take_fault).map_or(Ok(()), Err)
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut dyn AnySolver) -> T) -> PyResult<T> {
        let Ok(mut inner) = self.inner.try_lock() else {
            return Err(PyRuntimeError::new_err("a solver is running"));
        };
        let done = use_it(&mut **inner);
        self.raise_fault()?;
        Ok(done)
    }
}

#[pymethods]
impl SolverHandle {
    /// A solver of a kernel.
    #[staticmethod]
    fn kernel(name: &str, params: BTreeMap<String, String>) -> PyResult<SolverHandle> {
        SolverHandle::make(with_kernel(name, params, MakeSolver)?, None)
    }

    /// A solver of a game written in Python.
    #[staticmethod]
    fn python(game: Bound<'_, PyAny>) -> PyResult<SolverHandle> {
        let game = PyGame::watched(&game)?;
        SolverHandle::make(MakeSolver.make(game.clone()), Some(game))
    }

    /// Also clears the stop flag and the progress before `solve`.
    fn set_position(&self, text: Option<&str>, moves: Vec<String>) -> PyResult<()> {
        self.control.reset();
        self.progress.reset();
        self.with(|solver| solver.set_position(text, &moves))?.map_err(PyValueError::new_err)
    }

    fn stop(&self) {
        self.control.stop();
    }

    /// Frees the tables. A solver that runs keeps them.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.with(|solver| solver.release()))
    }

    /// Identifier of the thread in which methods of the user's game run; None while there is none.
    fn thread(&self) -> Option<u64> {
        self.python.as_ref().and_then(PyGame::thread)
    }

    /// (positions searched, depth of the iteration, solved moves of the root)
    fn progress(&self) -> (u64, u32, u32) {
        (self.progress.nodes.load(Relaxed), self.progress.depth.load(Relaxed), self.progress.solved.load(Relaxed))
    }

    #[pyo3(signature = (*, method, all_moves, lengths, hash_mib, threads, seconds))]
    #[expect(clippy::too_many_arguments, reason = "keywords, one for each part of the question")]
    fn solve(
        &self,
        py: Python<'_>,
        method: &str,
        all_moves: bool,
        lengths: bool,
        hash_mib: usize,
        threads: usize,
        seconds: Option<f64>,
    ) -> PyResult<SolutionTuple> {
        let method = match method {
            "auto" => Method::Auto,
            "alpha-beta" => Method::AlphaBeta,
            "proof-number" => Method::ProofNumber,
            _ => return Err(PyValueError::new_err(format!("no method {method:?}"))),
        };
        let request = Request { method, all_moves, lengths, hash_bytes: hash_mib << 20, threads: threads.max(1) };
        let hard = seconds.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
        self.control.set_deadline(None, hard);
        py.detach(|| self.with(|solver| solver.solve(request, &self.control, &self.progress)))?
            .map_err(PyValueError::new_err)
    }
}
