//! Objects that do one thing at a time.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::{exceptions::PyRuntimeError, prelude::*};

/// Takes hold of what an object has inside.
///
/// # Errors
///
/// `RuntimeError` that says `busy` if another thread has it.
pub fn held<'a, T: ?Sized>(inner: &'a Mutex<T>, busy: &'static str) -> PyResult<MutexGuard<'a, T>> {
    match inner.try_lock() {
        Ok(inner) => Ok(inner),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(busy)),
        Err(TryLockError::Poisoned(poisoned)) => Ok(PoisonError::into_inner(poisoned)),
    }
}
