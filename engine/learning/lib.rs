//! Learning by self-play: games that nets play against themselves (`self_play`), what each position should have been worth
//! (`target`), steps down the slope of the error (`descent`), and the loop of all three with its checkpoints (`td`).

pub mod descent;
pub mod outcomes;
pub mod self_play;
pub mod target;
pub mod td;

pub use td::{Learner, Progress, Settings};
