//! Exact play, generic over a game.
//!
//! `method` chooses: `alpha_beta` finds values and lengths, `expectimax` values of games with chance, `proof_number`
//! answers whether a player wins, and `connect_four` is a solver of its own for that family of boards.

pub mod alpha_beta;
pub mod connect_four;
mod expectimax;
mod hex;
mod memory;
mod method;
mod proof_number;
mod proof_table;
mod request;
pub mod solution;
mod table;
mod watch;

pub use memory::Memory;
pub use method::solve;
pub use proof_number::Prover;
pub use request::{Method, Request};
pub use solution::{MoveSolution, Refusal, Solution};
pub use watch::{Progress, Watch};
