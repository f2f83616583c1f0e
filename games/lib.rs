//! Rules kernels: the accelerated twins of the Python definitions beside them.

pub mod backgammon;
pub mod bearoff;
pub mod chess;
pub mod connect_four;
pub mod draw;
mod game;
pub mod go;
pub mod hex;
mod params;
pub mod perft;
pub mod symmetry;
mod tables;
pub mod tic_tac_toe;
pub mod zobrist;

pub use game::{Action, Game, Played, Player, Rng, Style, Trace};
pub use params::Params;
pub use tables::Tables;
