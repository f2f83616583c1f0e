//! Rules kernels: the accelerated twins of the Python definitions beside them.

pub mod backgammon;
pub mod chess;
pub mod connect_four;
mod game;
pub mod go;
pub mod hex;
mod support;
pub mod tic_tac_toe;

pub use game::{Action, Game, Played, Player, Rng, Style, Trace};
pub use support::{draw, params::Params, perft, symmetry, tables::TablePaths, zobrist};
