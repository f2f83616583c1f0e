//! Monte Carlo graph search, generic over a game.
//!
//! `simulation` holds the four steps; `search` runs them on threads; `store` holds the graph.

mod arena;
mod choice;
pub mod config;
pub mod control;
mod full_width;
pub mod guide;
mod keys;
mod lookahead;
mod minimax;
mod node;
pub mod policy;
mod reclaim;
pub mod report;
mod scan;
pub mod search;
mod simulation;
mod store;

pub use config::{Config, Leaf, Order, Playouts, Posterior, RootChoice, SharedVisits};
pub use control::{Control, Limits, Reason};
pub use guide::{Guide, Hint};
pub use policy::PolicyKind;
pub use report::{MoveReport, Report};
pub use search::{Outcome, Search, Step};
