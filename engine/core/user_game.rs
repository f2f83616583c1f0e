//! A game written in Python: its methods, what they answered, and the trait `Game` over them.

mod actions;
mod answers;
mod board;
pub mod faults;
mod game;
mod hooks;
mod kernel;
mod key;
mod ledger;
mod playout;
mod position;

pub use game::PyGame;
pub use position::PyPosition;
