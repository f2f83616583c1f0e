//! Tables of solved positions that a kernel is told to use: a bear-off database, Syzygy tablebases.

use std::path::PathBuf;

/// The places of tables of solved positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePaths {
    /// Files or directories, as the game has them.
    pub paths: Vec<PathBuf>,
    /// Positions with more pieces are not looked up, where the game counts pieces.
    pub most_pieces: u32,
}
