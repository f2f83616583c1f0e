//! Keeping what threads write apart from what they read.

/// A value in cache lines of its own. 128 bytes, because processors fetch cache lines of 64 bytes in pairs.
#[repr(align(128))]
pub struct CacheLine<T>(pub T);
