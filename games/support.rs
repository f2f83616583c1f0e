//! What several kernels share: random draws, parameters, symmetries of boards, keys, tables of solved positions, perft.

pub mod draw;
pub mod params;
pub mod perft;
pub mod symmetry;
pub mod tables;
pub mod zobrist;
