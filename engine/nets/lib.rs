//! Nets that judge positions: a file of weights (`file`), the nets in it (`nets`), one net (`net`) and its arithmetic
//! (`lanes`); strengths of the features of moves (`gammas`); and files that searches share (`shared`). A game gives the inputs
//! and the features (`playout_games::Game`), the search asks.

pub mod file;
pub mod gammas;
pub mod lanes;
mod net;
mod nets;
pub mod shared;

pub use gammas::Gammas;
pub use net::{Activation, Layer, Net, Scratch};
pub use nets::Nets;
