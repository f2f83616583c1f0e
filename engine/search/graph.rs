//! The graph: nodes and edges in arrays, a table from key to node, and what keeps both within the memory bound.

pub mod cache_line;
pub mod halve;
pub mod keys;
#[cfg(all(loom, test))]
pub mod loom_arena;
pub mod node;
pub mod reclaim;
pub mod store;
pub mod tree;
pub mod view;

#[cfg(all(loom, test))]
pub use loom_arena as arena;
#[cfg(not(all(loom, test)))]
pub use playout_games::arena;
