//! From a position to its node.

use playout_games::{Action, Game, Player, zobrist};

use crate::{
    config::Config,
    node::{Index, Node},
    store::{Full, Stock, Store},
};

/// The key and the canonical frame of a position that `action` (canonical) led to from the node with key `parent`.
/// In a plain tree every path has a key of its own.
pub fn child_key<G: Game>(game: &G, config: &Config, position: &G::Position, parent: u64, action: Action) -> (u64, u8) {
    let (key, frame) = if config.symmetries && game.frames() > 1 {
        game.canonical(position)
    } else {
        (if config.transpositions { game.frame_key(position, 0) } else { 0 }, 0)
    };
    if config.transpositions { (key, frame) } else { (zobrist::key(parent, u64::from(action) + 1), frame) }
}

/// The symmetries, the identity apart, under which `position` is its own image; none where they are not merged.
pub fn own_symmetries<G: Game>(game: &G, config: &Config, position: &G::Position) -> Vec<u8> {
    if !config.symmetries || game.frames() == 1 {
        return Vec::new();
    }
    let key = game.frame_key(position, 0);
    (1..game.frames()).filter(|&f| game.frame_key(position, f) == key).collect()
}

/// The node of `position` under `key`. A new one of a finished game gets its result; `make` has the last word on any
/// other that is new.
///
/// # Errors
///
/// `Full` if the memory bound is reached.
pub fn find_or_make<G: Game>(
    game: &G,
    store: &Store,
    position: &G::Position,
    key: u64,
    stock: &mut Stock,
    make: impl Fn(&Node),
) -> Result<Index, Full> {
    if let Some(index) = store.find(key) {
        return Ok(index);
    }
    let result = game.result(position);
    let mover = if result.is_some() { Player::First } else { game.player(position) };
    // Once it is in the table, other threads build on what they find in it.
    store.find_or_insert(key, stock, |node| {
        node.reset(key, mover);
        match result {
            Some(value) => node.set_result(value, !game.path_dependent(position)),
            None => make(node),
        }
    })
}
