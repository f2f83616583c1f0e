//! Finding the node of a position, or making it.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player, zobrist};

use super::{
    node::{GUIDED, Index, Node, RESTRICTED},
    store::{Full, Stock, Store},
};
use crate::{config::Config, evaluator::Evaluator, guide::Guide};

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

/// Finds the nodes of positions in a graph, with all that a new node is made from.
pub struct NodeFinder<'a, G: Game> {
    pub evaluator: Evaluator<'a, G>,
    pub store: &'a Store,
    pub config: &'a Config,
    pub guide: &'a Guide<G>,
    /// Whether the game's tables are asked.
    pub ask_tables: bool,
    /// Whether moves are kept out at the position: what books and tables know is not of the game that is played there.
    pub restricted: bool,
}

impl<G: Game> NodeFinder<'_, G> {
    /// The node of `position` under `key`. A new one of a finished game gets its result, one that tables have their
    /// value; of any other `make` has the last word. `position` is left as it was.
    ///
    /// # Errors
    ///
    /// `Full` if the memory bound is reached.
    pub fn find_or_make(
        &self,
        position: &mut G::Position,
        key: u64,
        stock: &mut Stock,
        make: impl Fn(&Node),
    ) -> Result<Index, Full> {
        let NodeFinder { evaluator, store, config, guide, ask_tables, restricted } = *self;
        let game = evaluator.game;
        if let Some(index) = store.find(key) {
            return Ok(index);
        }
        let result = game.result(position);
        let mover = if result.is_some() { Player::First } else { game.player(position) };
        let estimated = config.keeps_heuristic() && result.is_none() && mover != Player::Chance;
        let heuristic = if estimated { evaluator.value(position).unwrap_or(0.0) } else { 0.0 };
        let guided = !restricted && guide.was_told(game, position);
        let known = if ask_tables && !restricted && result.is_none() { game.known(position) } else { None };
        // Once it is in the table, other threads build on what they find in it.
        store.find_or_insert(key, stock, |node| {
            node.reset(key, mover);
            if let Some(value) = result {
                node.set_result(value, !game.path_dependent(position));
                return;
            }
            node.heuristic.set(heuristic);
            if guided || restricted {
                node.flags.fetch_or(if restricted { RESTRICTED } else { GUIDED }, Relaxed);
            }
            match known {
                Some(value) => node.set_known(value * mover.sign()),
                None => make(node),
            }
        })
    }
}
