//! Syzygy tablebases for look-ups from Python at the root.

use std::path::PathBuf;

use playout_games::{TablePaths, chess::Syzygy};
use pyo3::{exceptions::PyValueError, prelude::*};

/// The tables of some directories; each is opened when it is first needed.
#[pyclass(name = "Syzygy", module = "playout.engine._core", frozen)]
pub struct SyzygyHandle(Syzygy);

#[pymethods]
impl SyzygyHandle {
    #[new]
    fn new(paths: Vec<PathBuf>, most_pieces: u32) -> PyResult<SyzygyHandle> {
        Syzygy::open(&TablePaths { paths, most_pieces }).map(SyzygyHandle).map_err(PyValueError::new_err)
    }

    fn wdl(&self, fen: &str) -> Option<i8> {
        self.0.wdl(fen)
    }

    fn dtz(&self, fen: &str) -> Option<i32> {
        self.0.dtz(fen)
    }
}
