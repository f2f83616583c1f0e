//! The one configuration object of the search.

/// What happens at a child that other parents have visited more often than this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedVisits {
    /// Go on below it and sample again.
    Descend,
    /// Count the visit and take the child's value as it stands.
    Count,
}

/// What a new leaf is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The result of a random playout.
    Playout,
    /// H(s), where the game has one; a playout where it has none.
    Static,
}

/// What several threads search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    /// One graph together.
    Tree,
    /// Each its own, from the same root with another seed; root statistics are merged. For comparison.
    Root,
}

/// How to search. Changing `hash_bytes`, what `graph_kind` names, or the number of graphs starts a new graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// C of UCB1: Q + C sqrt(ln N / n).
    pub exploration: f32,
    pub threads: usize,
    /// Hard bound of the graph, table included.
    pub hash_bytes: usize,
    pub seed: u64,
    pub transpositions: bool,
    pub symmetries: bool,
    pub solver: bool,
    pub shared_visits: SharedVisits,
    pub leaf: Leaf,
    /// Losses that a simulation under way counts for.
    pub virtual_loss: f32,
    pub parallelism: Parallelism,
}

impl Config {
    /// What a graph hangs on: one that was made with another kind means nothing here. The order in which a node tries
    /// its actions hangs on the seed.
    pub fn graph_kind(&self) -> String {
        let Config { seed, transpositions, symmetries, solver, leaf, .. } = self;
        format!(
            "seed={seed} transpositions={transpositions} symmetries={symmetries} solver={solver} leaf={leaf:?} \
             tallies={}",
            self.tallies()
        )
    }

    /// Whether the tree policy needs tallies beside the edges.
    pub fn tallies(&self) -> bool {
        false
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            exploration: 1.4,
            threads: 1,
            hash_bytes: 256 << 20,
            seed: 0,
            transpositions: true,
            symmetries: true,
            solver: true,
            shared_visits: SharedVisits::Descend,
            leaf: Leaf::Playout,
            virtual_loss: 1.0,
            parallelism: Parallelism::Tree,
        }
    }
}
