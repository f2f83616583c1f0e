//! What threads share: the standard library's atomics, or those of loom, which tries the orders in which threads may run
//! and what each may see of the others (`nox -s loom`).

#[cfg(all(loom, test))]
pub use loom::sync::{Mutex, atomic};
#[cfg(not(all(loom, test)))]
pub use std::sync::{Mutex, atomic};

/// Whether loom models what threads do. It counts each atomic, so there are few of them then.
pub const MODELLED: bool = cfg!(all(loom, test));
