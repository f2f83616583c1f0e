//! From a position to its node.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player, zobrist};

use crate::{
    config::Config,
    guide::Guide,
    node::{GUIDED, Index, Node},
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

/// The one of `action`'s images under the position's own symmetries that has the edge, in the canonical frame `frame`.
pub fn representative<G: Game>(game: &G, config: &Config, position: &G::Position, frame: u8, action: Action) -> Action {
    own_symmetries(game, config, position)
        .into_iter()
        .map(|f| game.to_frame(frame, game.to_frame(f, action)))
        .fold(game.to_frame(frame, action), Action::min)
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

/// What a node knows of its position from the beginning.
pub struct Facts {
    /// H(s) for the mover; 0 where there is none or nobody asks.
    heuristic: f32,
    guided: bool,
}

impl Facts {
    /// Works them out; `position` is left as it was.
    pub fn of<G: Game>(game: &G, config: &Config, guide: &Guide, position: &mut G::Position) -> Facts {
        let asked =
            config.keeps_heuristic() && game.result(position).is_none() && game.player(position) != Player::Chance;
        let heuristic = if asked { game.evaluate(position).unwrap_or(0.0) } else { 0.0 };
        Facts { heuristic, guided: guide.hints(game, position).is_some() }
    }

    /// Writes them into a fresh node.
    pub fn note(&self, node: &Node) {
        node.heuristic.set(self.heuristic);
        if self.guided {
            node.flags.fetch_or(GUIDED, Relaxed);
        }
    }
}
