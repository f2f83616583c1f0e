//! A graph with the root of its simulations. A search has one that all threads share, or one for each thread (root
//! parallelism; Chaslot, Winands and van den Herik 2008).

use std::sync::atomic::Ordering::Relaxed;

use playout_games::Game;

use super::{
    halve::{greatest, halve, in_use},
    keys::NodeFinder,
    node::{ASKED, GUIDED, Index, OVER, SETTLED},
    reclaim::reclaim,
    store::{Full, LEAST, Store, StoreParts},
};
use crate::{
    config::{Config, Parallelism},
    evaluator::Evaluator,
    guide::Guide,
    meta::MetaTable,
};

/// A graph and where its simulations begin.
pub struct Tree {
    pub store: Store,
    pub root: Index,
    /// Choices beside the edges of nodes.
    pub metas: MetaTable,
    /// The search's, but for the seed: trees try their actions in orders of their own.
    pub config: Config,
    /// No node has more visits.
    ceiling: u64,
}

/// Number of trees that `config` asks for: no more than the memory bound has room for.
pub fn count(config: &Config) -> usize {
    match config.parallelism {
        Parallelism::Tree => 1,
        Parallelism::Root => config.threads.min(config.hash_bytes() / LEAST).max(1),
    }
}

/// The configuration of a tree.
pub fn config_of(config: &Config, number: usize) -> Config {
    Config { seed: config.seed ^ (number as u64) << 32, ..config.clone() }
}

/// Empty trees, which share the memory evenly. `scored` says whether the game counts points.
pub fn plant(config: &Config, scored: bool) -> Vec<Tree> {
    let count = count(config);
    let parts = StoreParts { tallies: config.compares_unvisited(), scores: scored };
    let tree = |number| Tree {
        store: Store::new(config.node_bytes() / count, parts),
        root: 0,
        metas: MetaTable::new(config.hash_bytes() / count),
        config: config_of(config, number),
        ceiling: 0,
    };
    (0..count).map(tree).collect()
}

/// Counts of what making room did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Times that the least-visited part of a graph went.
    pub reclaims: u64,
    /// Times that all visit counts of a graph were halved.
    pub halvings: u64,
}

impl Tree {
    /// Makes the node of `position` the root, and one to be searched, whatever tables know of it. `restricted` says
    /// whether moves are kept out there.
    pub fn enter<G: Game>(
        &mut self,
        evaluator: Evaluator<G>,
        guide: &Guide<G>,
        position: &mut G::Position,
        (key, restricted): (u64, bool),
        upkeep: &mut Upkeep,
    ) {
        let mut stock = self.store.take_stock();
        loop {
            let (store, config) = (&self.store, &self.config);
            let graph = NodeFinder { evaluator, store, config, guide, ask_tables: false, restricted };
            match graph.find_or_make(position, key, &mut stock, |_| ()) {
                Ok(root) => {
                    self.root = root;
                    let node = self.store.node(root);
                    node.open();
                    // The guide may have come after the node.
                    if !restricted && !node.has(OVER) && guide.was_told(evaluator.game, position) {
                        node.flags.fetch_or(GUIDED, Relaxed);
                        node.flags.fetch_and(!SETTLED, Relaxed);
                    }
                    break;
                }
                Err(Full) => {
                    self.store.park(std::mem::take(&mut stock));
                    self.make_room(upkeep);
                }
            }
        }
        self.store.park(stock);
    }

    /// Has the guide's books and macros asked anew about every position.
    pub fn ask_again(&self) {
        in_use(&self.store).for_each(|node| {
            node.flags.fetch_and(!(ASKED | SETTLED), Relaxed);
        });
    }

    pub fn make_room(&mut self, upkeep: &mut Upkeep) {
        if self.store.table_is_full() {
            self.store.grow_table();
        } else {
            self.reclaim();
            upkeep.reclaims += 1;
        }
    }

    /// Frees the least-visited part of the graph.
    pub fn reclaim(&mut self) {
        self.root = reclaim(&mut self.store, self.root);
        self.metas.keep(|key| self.store.find(key).is_some());
    }

    /// Whether after `simulations` more a node may have more than `most` visits.
    pub fn nears(&self, most: u32, simulations: u64) -> bool {
        self.ceiling + simulations > u64::from(most)
    }

    /// Takes note of `simulations`, and halves all visit counts if one comes near `most`.
    pub fn count(&mut self, simulations: u64, most: u32, upkeep: &mut Upkeep) {
        self.ceiling += simulations;
        if self.nears(most, 0) {
            if greatest(&self.store) > most / 2 {
                halve(&self.store);
                self.metas.halve();
                upkeep.halvings += 1;
            }
            self.measure();
        }
    }

    /// Finds the greatest visit count.
    pub fn measure(&mut self) {
        self.ceiling = u64::from(greatest(&self.store));
    }
}
