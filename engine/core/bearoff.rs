//! Computation of the bear-off database of backgammon.

use std::time::{Duration, Instant};

use playout_games::backgammon::bearoff::{Bearoff, MOST};
use pyo3::{exceptions::PyValueError, prelude::*};

/// Interval between two progress reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// The bytes of a database whose two-sided table has up to `checkers` a side. Calls `on_progress` with parts of 1; what
/// it raises ends the computation. Blocks, without the GIL.
#[pyfunction]
pub fn solve_bearoff(py: Python<'_>, checkers: u32, on_progress: Py<PyAny>) -> PyResult<Vec<u8>> {
    if !(1..=MOST).contains(&checkers) {
        return Err(PyValueError::new_err(format!("{checkers} checkers: 1 to {MOST} can be solved two-sided")));
    }
    let mut next = Instant::now();
    let mut failed = None;
    let solved = py.detach(|| {
        Bearoff::solve(checkers, |done| {
            if Instant::now() >= next && failed.is_none() {
                next = Instant::now() + INTERVAL;
                failed = Python::attach(|py| on_progress.call1(py, (done,))).err();
            }
            failed.is_none()
        })
        .map(|tables| tables.to_bytes())
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(solved.expect("it was not ended")),
    }
}
