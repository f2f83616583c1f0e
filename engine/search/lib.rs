//! Monte Carlo graph search, generic over a game.
//!
//! `search` is the searcher with its graphs, `run` makes it search, `report` says what it found. One simulation is in
//! `simulation`; it walks the `graph` by a `policy`.

pub mod config;
pub mod control;
mod evaluator;
mod graph;
pub mod guide;
#[cfg(test)]
mod invariants;
mod key_hasher;
mod meta;
pub mod minimax;
pub mod params;
pub mod policy;
pub mod report;
mod restriction;
mod run;
pub mod save;
pub mod search;
mod simulation;
mod sync;

pub use config::{
    Config, ExplorationForm, Leaf, Order, Parallelism, Playouts, PolicyKind, Posterior, RootChoice, SharedVisits,
};
pub use control::{Control, Limits, Reason};
pub use evaluator::{Evaluator, Learned, Patterns};
pub use graph::tree::Upkeep;
pub use guide::{Guide, Library, TreeStep, hint::Hint, macros};
pub use report::{MoveReport, PointsLead, SearchReport, SearchResult};
pub use restriction::{Restriction, RestrictionRule};
pub use search::{LineStep, Search};
