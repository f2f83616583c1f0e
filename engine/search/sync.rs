//! Atomics of the standard library, or those of loom, which tries the orders in which threads may run (`nox -s loom`); and
//! what is made of them.

#[cfg(all(loom, test))]
pub use loom::sync::{Mutex, atomic};
#[cfg(not(all(loom, test)))]
pub use std::sync::{Mutex, atomic};

use atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(not(all(loom, test)))]
use bytemuck::Zeroable;

/// Whether loom counts each atomic, so that there are to be few.
pub const MODELLED: bool = cfg!(all(loom, test));

/// An `f32` that threads may read and write at once.
#[cfg_attr(not(all(loom, test)), derive(Zeroable))]
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicF32(AtomicU32);

impl AtomicF32 {
    #[inline]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    #[inline]
    pub fn set(&self, value: f32) {
        self.0.store(value.to_bits(), Relaxed);
    }

    /// Adds `value` to it; nothing is lost.
    pub fn add(&self, value: f32) {
        let _ = self.0.fetch_update(Relaxed, Relaxed, |bits| Some((f32::from_bits(bits) + value).to_bits()));
    }

    /// Makes it `value` if that is greater.
    #[inline]
    pub fn raise(&self, value: f32) {
        self.replace_if(value, |old| value > old);
    }

    /// Makes it `value` if that is less.
    #[inline]
    pub fn cut(&self, value: f32) {
        self.replace_if(value, |old| value < old);
    }

    #[inline]
    fn replace_if(&self, value: f32, better: impl Fn(f32) -> bool) {
        let _ = self.0.fetch_update(Relaxed, Relaxed, |bits| better(f32::from_bits(bits)).then(|| value.to_bits()));
    }
}

/// Adds to a counter; without `shared` no other thread writes it, and a locked instruction is saved.
#[inline]
pub fn add(counter: &AtomicU32, amount: u32, shared: bool) {
    if shared {
        counter.fetch_add(amount, Relaxed);
    } else {
        counter.store(counter.load(Relaxed).wrapping_add(amount), Relaxed);
    }
}
