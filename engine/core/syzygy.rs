//! Syzygy tablebases for look-ups from Python at the root.

use std::path::PathBuf;

use playout_games::{Tables, chess::Syzygy as Opened};
use pyo3::{exceptions::PyValueError, prelude::*};

/// The tables of some directories; each is opened when it is first needed.
#[pyclass(module = "playout.engine._core", frozen)]
pub struct Syzygy(Opened);

#[pymethods]
impl Syzygy {
    #[new]
    fn new(paths: Vec<PathBuf>, most_pieces: u32) -> PyResult<Syzygy> {
        Opened::open(&Tables { paths, most_pieces }).map(Syzygy).map_err(PyValueError::new_err)
    }

    fn wdl(&self, fen: &str) -> Option<i8> {
        self.0.wdl(fen)
    }

    fn dtz(&self, fen: &str) -> Option<i32> {
        self.0.dtz(fen)
    }
}
