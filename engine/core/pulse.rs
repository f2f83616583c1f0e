//! The end of a process in which Python stands still, because a method of a user's game holds the GIL.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{process, thread};

use pyo3::prelude::*;

/// Time between two looks. Only looks count, so time for which the process is suspended does not.
const LOOK: Duration = Duration::from_millis(250);

/// Aborts the process if no beat comes for a while. The watch ends when the object goes, or before by `end`.
#[pyclass(frozen)]
pub struct Pulse {
    /// Number of beats; `None` after `end`.
    beats: Mutex<Option<Arc<AtomicU64>>>,
}

#[pymethods]
impl Pulse {
    /// `seconds` is the longest time between two beats; `message` is written to standard error before the end.
    #[new]
    fn new(seconds: f64, message: String) -> Self {
        let beats = Arc::new(AtomicU64::new(0));
        let watched = Arc::downgrade(&beats);
        let patience = (seconds / LOOK.as_secs_f64()).ceil() as u32;
        thread::spawn(move || {
            let (mut last, mut looks) = (0, 0);
            while let Some(beats) = watched.upgrade() {
                let now = beats.load(Relaxed);
                drop(beats);
                looks = if now == last { looks + 1 } else { 0 };
                last = now;
                if looks > patience {
                    eprintln!("{message}");
                    process::abort();
                }
                thread::sleep(LOOK);
            }
        });
        Self { beats: Mutex::new(Some(beats)) }
    }

    /// Says that Python runs. Any thread.
    fn beat(&self) {
        if let Some(beats) = &*self.beats.lock().unwrap_or_else(PoisonError::into_inner) {
            beats.fetch_add(1, Relaxed);
        }
    }

    /// Ends the watch: no beat has to come any more. Any thread.
    fn end(&self) {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
