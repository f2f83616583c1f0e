//! Self-play by searches of few simulations whose roots are drawn with Gumbel noise (Danihelka, Guez, Schrittwieser and Silver
//! 2022), of many games at once: a judge elsewhere, such as a net on an accelerator, judges a position of each at a time.
//!
//! `choice` has the formulae, `tree` the tree of a search, `table` one game under way, `pool` all of them, `worker` has a
//! thread for a pool, and `queue` turns games that are over into rows to learn from.

mod choice;
mod pool;
mod queue;
mod table;
mod tree;
mod worker;

pub use pool::Pool;
pub use queue::{Dense, Queue};
pub use worker::{Asked, Told, Worker};

/// Settings of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct Manner {
    /// Simulations of the searches that are learned from, and of the others, at least 1.
    pub simulations: u32,
    pub cheap_simulations: u32,
    /// Part of the searches that are learned from (Wu 2019: playout cap randomisation).
    pub full_share: f32,
    /// Actions that a root begins with.
    pub considered: u32,
    /// Factor from the chance of a win to logits, for each visit of the action visited most and for `choice::VISITS` more.
    pub value_scale: f32,
    /// A game begins with up to this many random plies.
    pub random_plies: u32,
}

#[cfg(test)]
mod tests;
