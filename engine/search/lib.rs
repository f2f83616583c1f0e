//! Monte Carlo graph search, generic over a game.
//!
//! `simulation` holds the four steps; `search` runs them on threads; `store` holds the graph.

mod arena;
pub mod config;
pub mod control;
mod keys;
pub mod minimax;
mod node;
mod reclaim;
pub mod report;
pub mod search;
mod simulation;
mod store;
mod tree_policy;

pub use config::{Config, Leaf, SharedVisits};
pub use control::{Control, Limits, Reason};
pub use report::{MoveReport, Report};
pub use search::{Outcome, Search, Step};
