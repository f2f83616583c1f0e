//! Atomics of the standard library, or those of loom, which tries the orders in which threads may run (`nox -s loom`).

#[cfg(all(loom, test))]
pub use loom::sync::{Mutex, atomic};
#[cfg(not(all(loom, test)))]
pub use std::sync::{Mutex, atomic};

/// Whether loom counts each atomic, so that there are to be few.
pub const MODELLED: bool = cfg!(all(loom, test));
