//! Self-play whose positions are judged in Python, such as by a net on an accelerator.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

use playout_games::{Game, NetShape};
use playout_learning::{
    gumbel::{Dense, Manner, Pool, Queue},
    records::Label,
    rows::Aims,
};
use pyo3::{buffer::PyBuffer, exceptions::PyValueError, prelude::*};

use crate::at_work::held;

/// Columns, rows and planes of the board; results of the outcomes; slots of the policy.
type PlanesTuple = ((usize, usize, usize), Vec<f32>, usize);

/// Self-play whose game is known when it is made.
pub trait AnySelfPlay: Send {
    fn shape(&self) -> &NetShape;
    fn games(&self) -> usize;
    fn ask(&mut self, inputs: &mut [f32]) -> Result<(), String>;
    fn tell(&mut self, outcomes: &[f32], policies: &[f32]) -> usize;
    fn read(&mut self, path: &Path) -> Result<u64, String>;
    fn take(&mut self, out: &mut Dense) -> Result<usize, String>;
}

pub struct SelfPlay<G: Game> {
    label: Label,
    pool: Pool<G>,
    queue: Queue<G>,
}

impl<G: Game + Clone> SelfPlay<G> {
    /// # Errors
    ///
    /// One line if no tower of convolutions judges positions of the game.
    pub fn new(
        game: &G,
        label: Label,
        (manner, aims): (Manner, Aims),
        (games, seed, threads): (usize, u64, NonZero<usize>),
    ) -> Result<SelfPlay<G>, String> {
        let pool = Pool::new(game.clone(), manner, games, seed, threads)?;
        if pool.shape().board.is_none() {
            return Err("a tower of convolutions needs inputs that are planes of a board".to_owned());
        }
        Ok(SelfPlay { label, pool, queue: Queue::new(game.clone(), aims, seed, threads)? })
    }
}

impl<G: Game> AnySelfPlay for SelfPlay<G> {
    fn shape(&self) -> &NetShape {
        self.pool.shape()
    }

    fn games(&self) -> usize {
        self.pool.len()
    }

    fn ask(&mut self, inputs: &mut [f32]) -> Result<(), String> {
        self.pool.ask(inputs)
    }

    fn tell(&mut self, outcomes: &[f32], policies: &[f32]) -> usize {
        self.pool.tell(outcomes, policies);
        let games = self.pool.take();
        let count = games.len();
        self.queue.add(games);
        count
    }

    fn read(&mut self, path: &Path) -> Result<u64, String> {
        self.queue.read(path, &self.label)
    }

    fn take(&mut self, out: &mut Dense) -> Result<usize, String> {
        self.queue.take(out)
    }
}

/// Self-play with its buffers, kept from one step to the next.
struct Desk {
    play: Box<dyn AnySelfPlay>,
    inputs: Vec<f32>,
    outcomes: Vec<f32>,
    policies: Vec<f32>,
    rows: [Vec<f32>; 5],
}

/// Self-play of many games at once. Its methods block, without the GIL.
#[pyclass(name = "SelfPlay", module = "playout.engine._core", frozen)]
pub struct SelfPlayHandle {
    desk: Mutex<Desk>,
}

impl SelfPlayHandle {
    pub fn new(play: Box<dyn AnySelfPlay>) -> SelfPlayHandle {
        let (games, shape) = (play.games(), play.shape());
        let zeros = |width: usize| vec![0.0; games * width];
        let (inputs, outcomes, policies) = (zeros(shape.inputs), zeros(shape.results.len()), zeros(shape.slots));
        SelfPlayHandle { desk: Mutex::new(Desk { play, inputs, outcomes, policies, rows: Default::default() }) }
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Desk>> {
        held(&self.desk, "this object is at work")
    }
}

#[pymethods]
impl SelfPlayHandle {
    /// The board, the results and the slots.
    fn shape(&self) -> PyResult<PlanesTuple> {
        let desk = self.lock()?;
        let shape = desk.play.shape();
        let (columns, rows, count) = shape.board.map_or((0, 0, 0), |board| (board.columns, board.rows, board.count));
        Ok(((columns, rows, count), shape.results.clone(), shape.slots))
    }

    /// Plays each game on until it waits for a judgement, and writes the inputs of the positions.
    fn ask(&self, py: Python<'_>, inputs: PyBuffer<f32>) -> PyResult<()> {
        let mut desk = self.lock()?;
        let Desk { play, inputs: own, .. } = &mut *desk;
        py.detach(|| play.ask(own)).map_err(PyValueError::new_err)?;
        inputs.copy_from_slice(py, own)
    }

    /// Takes the logits of the outcomes and of the policy's slots; returns the number of games that came to their end.
    fn tell(&self, py: Python<'_>, outcomes: PyBuffer<f32>, policies: PyBuffer<f32>) -> PyResult<usize> {
        let mut desk = self.lock()?;
        let Desk { play, outcomes: own_outcomes, policies: own_policies, .. } = &mut *desk;
        outcomes.copy_to_slice(py, own_outcomes)?;
        policies.copy_to_slice(py, own_policies)?;
        Ok(py.detach(|| play.tell(own_outcomes, own_policies)))
    }

    /// Adds the games of a file of records to those that are over; returns their number.
    fn read(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let mut desk = self.lock()?;
        let play = &mut desk.play;
        py.detach(|| play.read(&path)).map_err(PyValueError::new_err)
    }

    /// Takes rows of games that are over into the buffers; returns their number.
    fn take(
        &self,
        py: Python<'_>,
        inputs: PyBuffer<f32>,
        targets: PyBuffer<f32>,
        own_outcomes: PyBuffer<f32>,
        shares: PyBuffer<f32>,
        own_policies: PyBuffer<f32>,
    ) -> PyResult<usize> {
        let mut desk = self.lock()?;
        let Desk { play, rows, .. } = &mut *desk;
        let buffers = [inputs, targets, own_outcomes, shares, own_policies];
        for (row, buffer) in rows.iter_mut().zip(&buffers) {
            row.resize(buffer.item_count(), 0.0);
        }
        let [inputs, targets, own_outcomes, shares, own_policies] = rows;
        let mut out = Dense { inputs, targets, own_outcomes, shares, own_policies };
        let taken = py.detach(|| play.take(&mut out)).map_err(PyValueError::new_err)?;
        for (row, buffer) in rows.iter().zip(&buffers) {
            buffer.copy_from_slice(py, row)?;
        }
        Ok(taken)
    }
}
