//! Learning by self-play.
//!
//! With look-ahead: a search plays games (`by_search`), several at once (`crew`); they are kept in files (`records`), from
//! which come rows to learn from (`rows`); nets of values and policies learn from them (`train`) with checkpoints
//! (`checkpoint`).
//!
//! Strengths of features of moves are fitted to the same records (`patterns`), or to what playouts by them come to
//! (`balance`).
//!
//! Without look-ahead: games that nets play against themselves (`self_play`), what each position should have been worth
//! (`target`), and the loop with its checkpoints (`td`).
//!
//! Both take steps down the slope of the error (`descent`, and `slopes` for towers of convolutions).

pub mod balance;
pub mod by_search;
pub mod checkpoint;
pub mod crew;
pub mod descent;
pub mod gumbel;
pub mod outcomes;
pub mod patterns;
pub mod records;
pub mod rows;
pub mod self_play;
mod slopes;
pub mod target;
pub mod td;
pub mod train;

pub use td::{Learner, Progress, Settings};
