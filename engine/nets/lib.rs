//! Nets that judge positions: a file of weights (`file`), the nets in it (`nets`), one net (`net`) and its arithmetic
//! (`lanes`). A game gives the inputs (`playout_games::Game::inputs`), the search asks.

pub mod file;
pub mod lanes;
mod net;
mod nets;

pub use net::{Activation, Layer, Net, Scratch};
pub use nets::Nets;
