//! Monte Carlo graph search, generic over a game.
//!
//! `simulation` holds the four steps; `search` runs them on threads; `store` holds the graph.

mod arena;
pub mod config;
pub mod control;
mod halve;
#[cfg(test)]
mod invariants;
mod keys;
mod node;
mod reclaim;
pub mod report;
pub mod save;
pub mod search;
mod simulation;
mod store;
mod threads;
mod tree_policy;
mod trees;

pub use config::{Config, Leaf, Parallelism, SharedVisits};
pub use control::{Control, Limits, Reason};
pub use report::{MoveReport, Report};
pub use search::{Outcome, Search, Step};
pub use trees::Upkeep;
