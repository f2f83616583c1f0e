//! The kernels by name: the one list in Rust that a new game is added to.

use std::collections::BTreeMap;

use playout_games::{
    Game, Params, backgammon::Backgammon, chess::Chess, connect_four::ConnectFour, go::Go, hex::Hex,
    tic_tac_toe::TicTacToe,
};
use pyo3::{exceptions::PyValueError, prelude::*};

/// An object that can be made for a game of any type.
pub trait Make {
    type Output;

    fn make<G: Game + Clone>(self, game: G) -> Self::Output;
}

/// Makes the kernel called `name` with `params` and hands it to `maker`.
pub fn with_kernel<M: Make>(name: &str, params: BTreeMap<String, String>, maker: M) -> PyResult<M::Output> {
    let params = Params(params);
    macro_rules! kernels {
        ($($kernel:literal => $game:ty),* $(,)?) => {
            match name {
                $($kernel => <$game>::new(&params).map(|game| maker.make(game)).map_err(PyValueError::new_err),)*
                _ => Err(PyValueError::new_err(format!("no kernel {name:?}: one of {}", [$($kernel),*].join(", ")))),
            }
        };
    }
    kernels! {
        "backgammon" => Backgammon,
        "chess" => Chess,
        "connect_four" => ConnectFour,
        "go" => Go,
        "hex" => Hex,
        "tic_tac_toe" => TicTacToe,
    }
}
