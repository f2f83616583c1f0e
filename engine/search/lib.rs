//! Monte Carlo graph search, generic over a game.
//!
//! `simulation` holds the four steps; `search` runs them on threads; `store` holds the graph.

mod arena;
mod choice;
pub mod config;
pub mod control;
mod course;
mod full_width;
pub mod guide;
mod halve;
#[cfg(test)]
mod invariants;
mod keys;
mod lookahead;
pub mod minimax;
mod node;
pub mod params;
pub mod policy;
mod reclaim;
pub mod report;
mod restriction;
pub mod save;
mod scan;
pub mod search;
mod simulation;
mod store;
mod threads;
mod trees;

pub use config::{
    Config, ExplorationForm, Leaf, Order, Parallelism, Playouts, PolicyKind, Posterior, RootChoice, SharedVisits,
};
pub use control::{Control, Limits, Reason};
pub use guide::{Guide, Hint};
pub use report::{MoveReport, Report};
pub use restriction::{Restriction, Rule};
pub use search::{Outcome, Search, Step};
pub use trees::Upkeep;
