//! Nets that judge positions: a file of weights (`file`), the nets in it (`nets`), one net (`net`) and its arithmetic
//! (`lanes`), a tower of convolutions (`tower`) and its quick arithmetic (`tiles`, or
//! `bytes`); strengths of the features of moves (`gammas`);
//! and files that searches share (`shared`). A game gives the inputs and the features (`playout_games::Game`), the search asks.

pub mod bytes;
pub mod file;
pub mod gammas;
pub mod lanes;
mod layer;
mod net;
mod nets;
pub mod shared;
mod tiles;
mod tower;

pub use gammas::Gammas;
pub use layer::Layer;
pub use net::{Activation, Digest, Net, Scratch};
pub use nets::{Nets, Sizes};
pub use tower::{FEATURES, Heights, TAPS, Tower};
