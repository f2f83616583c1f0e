//! Parts that several kernels share: random draws, parameters, texts of boards, symmetries of boards, keys, paths of tables of solved positions.

pub mod board_text;
pub mod draw;
pub mod params;
pub mod symmetry;
pub mod tables;
pub mod zobrist;
