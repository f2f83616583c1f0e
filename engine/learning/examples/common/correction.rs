//! Nets for the look-aheads of the examples.

use std::path::Path;

use playout_games::{
    LookAhead, NetShape,
    chess::{Chess, Position},
};
use playout_nets::file;

/// Gives a look-ahead the correction of the nets in a file.
pub fn correct(look: &mut dyn LookAhead<Position>, game: &Chess, path: &str) {
    let shape = NetShape::of(game).expect("chess has nets");
    let nets = file::load(Path::new(path), "chess", &shape).expect("nets of chess");
    look.correct(Some(nets.correction_layers().expect("nets with a correction"))).expect("a correction of chess");
}
