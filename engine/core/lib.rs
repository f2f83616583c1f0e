//! Python bindings of the kernels, the search and the solvers: the private module `playout.engine._core`.

mod at_work;
mod bearoff;
mod books;
mod config;
mod gumbel;
mod held;
mod kernels;
mod learning;
mod look_ahead;
mod macros;
mod position;
mod pulse;
mod search;
mod solver;
mod syzygy;
mod td;
mod user_game;
mod workshop;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<position::PositionHandle>()?;
    module.add_class::<search::SearchHandle>()?;
    module.add_function(wrap_pyfunction!(search::graph_game, module)?)?;
    module.add_function(wrap_pyfunction!(config::search_params, module)?)?;
    module.add_class::<learning::LearningHandle>()?;
    module.add_class::<gumbel::SelfPlayHandle>()?;
    module.add_class::<solver::SolverHandle>()?;
    module.add_class::<look_ahead::LookAheadHandle>()?;
    module.add_class::<syzygy::SyzygyHandle>()?;
    module.add_class::<pulse::Pulse>()?;
    module.add_class::<td::TdHandle>()?;
    module.add_function(wrap_pyfunction!(bearoff::solve_bearoff, module)?)?;
    Ok(())
}
