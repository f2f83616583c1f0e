//! The graph: nodes and edges in arrays, a table from key to node, and what keeps both within the memory bound.

#[cfg_attr(all(loom, test), path = "graph/loom_arena.rs")]
pub mod arena;
pub mod cache_line;
pub mod halve;
pub mod keys;
pub mod node;
pub mod reclaim;
pub mod store;
pub mod tree;
pub mod view;
