//! Rules kernels: the accelerated twins of the Python definitions beside them.

pub mod backgammon;
pub mod chess;
pub mod connect_four;
mod game;
pub mod go;
pub mod hex;
pub mod perft;
mod player;
mod support;
pub mod tic_tac_toe;
mod views;

pub use game::{Action, Game, Played, Proof, Style, Trace};
pub use player::Player;
pub use support::{
    arena,
    draw::{self, Rng},
    features::{FEATURE_VALUE_BITS, MoveFeatures, group_of},
    grid::{CELL_WORDS, CellSet, Cells, Grid, Step, insert as insert_cell, of_word as cell_set},
    inputs::{Input, Judged, NetShape, Planes},
    look_ahead::{LookAhead, Seen, Sight, Variation, Wish},
    params::Params,
    symmetry,
    tables::TablePaths,
    zobrist,
};
pub use views::{SURE, Views, own_logit};
