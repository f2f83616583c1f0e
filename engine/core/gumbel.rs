//! Self-play whose positions are judged in Python, such as by a net on an accelerator.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use playout_games::{Game, NetShape};
use playout_learning::{
    gumbel::{Asked, Dense, Manner, Pool, Queue, Told, Worker},
    records::{GameRecord, Label, Writer},
    rows::Aims,
};
use pyo3::{buffer::PyBuffer, exceptions::PyValueError, prelude::*};

use crate::at_work::held;

/// Columns, rows and planes of the board; results of the outcomes; slots of the policy; whether games have points.
type PlanesTuple = ((usize, usize, usize), Vec<f32>, usize, bool);

/// Games that are over, and the rows that they give.
pub trait AnyQueue: Send {
    /// Appends the games that are added from now on to a file of records; returns the number of those that it has.
    fn keep(&mut self, path: &Path) -> Result<u64, String>;
    fn add(&mut self, games: Vec<GameRecord>) -> Result<(), String>;
    fn read(&mut self, path: &Path) -> Result<u64, String>;
    fn take(&mut self, out: &mut Dense) -> Result<usize, String>;
}

/// Self-play that has begun.
pub struct Play {
    worker: Worker,
    shape: NetShape,
    is_scored: bool,
    games: usize,
    queue: Box<dyn AnyQueue>,
}

struct Labelled<G: Game> {
    game: G,
    label: Label,
    kept: Option<Writer>,
    queue: Queue<G>,
}

/// Begins self-play.
///
/// # Errors
///
/// One line if no tower of convolutions judges positions of the game.
pub fn play<G: Game + Clone>(
    game: &G,
    label: Label,
    (manner, aims): (Manner, Aims),
    (games, seed): (usize, u64),
) -> Result<Play, String> {
    let pool = Pool::new(game.clone(), manner, games, seed)?;
    let shape = pool.shape().clone();
    if shape.board.is_none() {
        return Err("a tower of convolutions needs inputs that are planes of a board".to_owned());
    }
    let queue = Queue::new(game.clone(), aims, seed)?;
    let queue = Box::new(Labelled { game: game.clone(), label, kept: None, queue });
    Ok(Play { worker: Worker::new(pool), shape, is_scored: game.is_scored(), games, queue })
}

impl<G: Game> AnyQueue for Labelled<G> {
    fn keep(&mut self, path: &Path) -> Result<u64, String> {
        let writer = self.kept.insert(Writer::open(path, &self.game, &self.label)?);
        Ok(writer.games())
    }

    fn add(&mut self, games: Vec<GameRecord>) -> Result<(), String> {
        if let Some(writer) = self.kept.as_mut().filter(|_| !games.is_empty()) {
            writer.append(&self.game, &games)?;
        }
        self.queue.add(games);
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Result<u64, String> {
        self.queue.read(path, &self.label)
    }

    fn take(&mut self, out: &mut Dense) -> Result<usize, String> {
        self.queue.take(out)
    }
}

/// Self-play, and the positions that wait for a judgement.
struct Desk {
    worker: Worker,
    question: Option<Question>,
    /// Numbers of outcomes and of slots, of all games.
    widths: [usize; 2],
}

/// Inputs of positions, the number of games that came to their end before, and whether the inputs have been handed out.
struct Question {
    inputs: Vec<f32>,
    over: usize,
    handed: bool,
}

/// Games that are over, with buffers of their rows.
struct Harvest {
    queue: Box<dyn AnyQueue>,
    rows: [Vec<f32>; 7],
}

/// Self-play of many games at once, on a thread of its own. Methods block, without the GIL. Rows may be taken while games are
/// played.
#[pyclass(name = "SelfPlay", module = "playout.engine._core", frozen)]
pub struct SelfPlayHandle {
    shape: NetShape,
    is_scored: bool,
    desk: Mutex<Desk>,
    over: Mutex<Vec<GameRecord>>,
    harvest: Mutex<Harvest>,
}

impl SelfPlayHandle {
    pub fn new(Play { worker, shape, is_scored, games, queue }: Play) -> SelfPlayHandle {
        let widths = [games * shape.results.len(), games * shape.slots];
        SelfPlayHandle {
            shape,
            is_scored,
            desk: Mutex::new(Desk { worker, question: None, widths }),
            over: Mutex::default(),
            harvest: Mutex::new(Harvest { queue, rows: Default::default() }),
        }
    }

    fn desk(&self) -> PyResult<MutexGuard<'_, Desk>> {
        held(&self.desk, "this object is at work")
    }

    fn harvest(&self) -> PyResult<MutexGuard<'_, Harvest>> {
        held(&self.harvest, "the rows of this object are being taken")
    }

    fn over(&self) -> MutexGuard<'_, Vec<GameRecord>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl SelfPlayHandle {
    /// The board, the results, the slots and whether games have points.
    fn shape(&self) -> PlanesTuple {
        let shape = &self.shape;
        let (columns, rows, count) = shape.board.map_or((0, 0, 0), |board| (board.columns, board.rows, board.count));
        ((columns, rows, count), shape.results.clone(), shape.slots, self.is_scored)
    }

    /// Waits until each game waits for a judgement, and writes the inputs of the positions; returns the number of games that
    /// came to their end before.
    fn ask(&self, py: Python<'_>, inputs: PyBuffer<f32>) -> PyResult<usize> {
        let mut desk = self.desk()?;
        let Desk { worker, question, .. } = &mut *desk;
        let question = match question {
            Some(Question { handed: true, .. }) => {
                return Err(PyValueError::new_err("ask: the positions asked for last have not been judged"));
            }
            Some(question) => question,
            none => {
                let Asked { inputs, over } = py.detach(|| worker.ask()).map_err(PyValueError::new_err)?;
                let question = none.insert(Question { inputs, over: over.len(), handed: false });
                self.over().extend(over);
                question
            }
        };
        inputs.copy_from_slice(py, &question.inputs)?;
        question.handed = true;
        Ok(question.over)
    }

    /// Takes the logits of the outcomes and of the policy's slots, after which the games go on.
    fn tell(&self, py: Python<'_>, outcomes: PyBuffer<f32>, policies: PyBuffer<f32>) -> PyResult<()> {
        let mut desk = self.desk()?;
        let [mut own_outcomes, mut own_policies] = desk.widths.map(|width| vec![0.0; width]);
        outcomes.copy_to_slice(py, &mut own_outcomes)?;
        policies.copy_to_slice(py, &mut own_policies)?;
        let question = desk.question.take_if(|question| question.handed);
        let Question { inputs, .. } = question.ok_or_else(|| PyValueError::new_err("tell: no positions wait"))?;
        desk.worker.tell(Told { outcomes: own_outcomes, policies: own_policies, inputs });
        Ok(())
    }

    /// Number of games that are over and of which no rows have been taken.
    fn waiting(&self) -> usize {
        self.over().len()
    }

    /// Appends the games whose rows are taken from now on to a file of records; returns the number of games that it has.
    fn keep(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let mut harvest = self.harvest()?;
        let queue = &mut harvest.queue;
        py.detach(|| queue.keep(&path)).map_err(PyValueError::new_err)
    }

    /// Adds the games of a file of records to those that are over; returns their number.
    fn read(&self, py: Python<'_>, path: PathBuf) -> PyResult<u64> {
        let mut harvest = self.harvest()?;
        let queue = &mut harvest.queue;
        py.detach(|| queue.read(&path)).map_err(PyValueError::new_err)
    }

    /// Takes rows of games that are over into the buffers; returns their number.
    #[expect(clippy::too_many_arguments, reason = "a buffer for each part of a row")]
    fn take(
        &self,
        py: Python<'_>,
        inputs: PyBuffer<f32>,
        targets: PyBuffer<f32>,
        own_outcomes: PyBuffer<f32>,
        shares: PyBuffer<f32>,
        own_policies: PyBuffer<f32>,
        owners: PyBuffer<f32>,
        points: PyBuffer<f32>,
    ) -> PyResult<usize> {
        let mut harvest = self.harvest()?;
        let Harvest { queue, rows } = &mut *harvest;
        let buffers = [inputs, targets, own_outcomes, shares, own_policies, owners, points];
        for (row, buffer) in rows.iter_mut().zip(&buffers) {
            row.resize(buffer.item_count(), 0.0);
        }
        let [inputs, targets, own_outcomes, shares, own_policies, owners, points] = rows;
        let mut out = Dense { inputs, targets, own_outcomes, shares, own_policies, owners, points };
        let taken = py.detach(|| {
            queue.add(std::mem::take(&mut *self.over()))?;
            queue.take(&mut out)
        });
        let taken = taken.map_err(PyValueError::new_err)?;
        if taken == 0 {
            return Ok(0);
        }
        for (row, buffer) in rows.iter().zip(&buffers) {
            buffer.copy_from_slice(py, row)?;
        }
        Ok(taken)
    }
}
