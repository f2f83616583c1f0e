//! Parts that several kernels share: memory of tables, random draws, boards of cells and their texts, the inputs of nets, parameters, the vectors of
//! the processor,
//! symmetries of boards, keys, paths of tables of solved positions.

pub mod arena;
pub mod board_text;
pub mod draw;
pub mod features;
pub mod grid;
pub mod inputs;
pub mod look_ahead;
pub mod params;
mod processor;
pub mod symmetry;
pub mod tables;
pub mod zobrist;
