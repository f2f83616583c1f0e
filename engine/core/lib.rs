//! Python bindings of the kernels and the search: the private module `playout.engine._core`.

mod kernels;
mod position;
mod py_faults;
mod py_game;
mod py_hooks;
mod py_key;
mod py_playout;
mod py_position;
mod search;
mod settings;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<position::Position>()?;
    module.add_class::<search::Search>()?;
    Ok(())
}
