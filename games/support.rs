//! Parts that several kernels share: random draws, parameters, symmetries of boards, keys, paths of tables of solved positions.

pub mod draw;
pub mod params;
pub mod symmetry;
pub mod tables;
pub mod zobrist;
