//! The one configuration object of the search.

use crate::policy::PolicyKind;

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
    /// The result of a playout.
    Playout,
    /// H(s), where the game has one; a playout where it has none.
    Static,
}

/// How playouts choose their actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Playouts {
    /// At random, each sensible action with the same chance.
    Uniform,
    /// By the game's own knowledge.
    Knowledge,
    /// By softmax of H(s, a) at `playout_temperature`.
    Boltzmann,
}

/// In which order a node tries its actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Random,
    /// The greatest H(s, a) first.
    Preference,
}

/// What Thompson sampling believes of a move's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posterior {
    /// A share of wins.
    Beta,
    /// A normal mean.
    Gaussian,
}

/// Which root move is played in the end, of those whose results are not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootChoice {
    /// The most visited: the robust child.
    Visits,
    /// The greatest mean value, W / N: the max child.
    Value,
    /// The one with the most visits and the greatest value; with a clock the search goes on until there is one.
    MaxRobust,
    /// The greatest lower confidence bound Q - 1 / sqrt(n): the secure child.
    Secure,
}

/// What several threads search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    /// One graph together.
    Tree,
    /// Each its own, from the same root with another seed; root statistics are merged. For comparison.
    Root,
}

/// How to search. Values and constants are in units of results, which lie in [-1, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub policy: PolicyKind,
    /// C of the tree policy.
    pub exploration: f32,
    /// UCB1's other form, C sqrt(2 ln N / n).
    pub doubled_log: bool,
    /// Chance of a random move in `epsilon-greedy`.
    pub epsilon: f32,
    pub posterior: Posterior,
    /// An unvisited move counts as the node's value less this, where priors or AMAF values tell moves apart.
    pub first_play_urgency: f32,
    /// Dynamic exploration: C grows by `puct_growth` ln((N + base + 1) / base).
    pub puct_growth: f32,
    pub puct_base: f32,
    /// Priors are the softmax of H(s, a) at this temperature.
    pub prior_temperature: f32,
    /// All-moves-as-first statistics are blended into the values of moves.
    pub rave: bool,
    /// Visits at which AMAF and own value weigh about the same, with many AMAF samples.
    pub rave_equivalence: f32,
    /// Nodes with fewer visits take the AMAF values of their nearest ancestor that has as many (GRAVE); 0 is off.
    pub grave: u32,
    /// m of progressive bias, + m / (n + m) H(s); 0 is off.
    pub progressive_bias: f32,
    /// H(s) counts as so many observations of a node's value; 0 is off.
    pub value_initialisation: f32,
    pub leaf: Leaf,
    pub playouts: Playouts,
    pub playout_temperature: f32,
    /// Playouts end after so many plies with an estimate; 0 is at the end of the game.
    pub playout_cutoff: u32,
    /// Plies of alpha-beta search that make the estimate; 0 is H(s) itself.
    pub cutoff_depth: u32,
    /// Playouts repeat replies that won (LGRF-1).
    pub last_good_reply: bool,
    pub expansion_order: Order,
    /// Chance of descending to an existing child although there are untried actions.
    pub expansion_epsilon: f32,
    /// Samples of its own that a node takes before it gets children.
    pub expand_visits: u32,
    /// A node with N visits has at most `widening` N ^ `widening_exponent` children, at least one; 0 is no bound.
    pub widening: f32,
    pub widening_exponent: f32,
    pub root_choice: RootChoice,
    /// Share of Dirichlet noise in the priors of root moves, and its concentration.
    pub root_noise: f32,
    pub root_noise_alpha: f32,
    /// The root move is drawn in proportion to visits ^ (1 / temperature); 0 plays the best.
    pub temperature: f32,
    /// Instead of sampling: plies of minimax search; 0 samples.
    pub look_ahead: u32,
    /// Playouts of each root move in flat search; 0 is as many as the limits allow.
    pub flat_playouts: u32,
    pub threads: usize,
    /// Hard bound of the graph, table included.
    pub hash_bytes: usize,
    pub seed: u64,
    pub transpositions: bool,
    pub symmetries: bool,
    pub solver: bool,
    pub shared_visits: SharedVisits,
    /// Losses that a simulation under way counts for.
    pub virtual_loss: f32,
    pub parallelism: Parallelism,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            policy: PolicyKind::Ucb1,
            exploration: 1.4,
            doubled_log: false,
            epsilon: 0.1,
            posterior: Posterior::Beta,
            first_play_urgency: 0.2,
            puct_growth: 0.0,
            puct_base: 20_000.0,
            prior_temperature: 1.0,
            rave: false,
            rave_equivalence: 1000.0,
            grave: 0,
            progressive_bias: 0.0,
            value_initialisation: 0.0,
            leaf: Leaf::Playout,
            playouts: Playouts::Uniform,
            playout_temperature: 1.0,
            playout_cutoff: 0,
            cutoff_depth: 0,
            last_good_reply: false,
            expansion_order: Order::Random,
            expansion_epsilon: 0.0,
            expand_visits: 1,
            widening: 0.0,
            widening_exponent: 0.5,
            root_choice: RootChoice::Visits,
            root_noise: 0.0,
            root_noise_alpha: 0.3,
            temperature: 0.0,
            look_ahead: 0,
            flat_playouts: 0,
            threads: 1,
            hash_bytes: 256 << 20,
            seed: 0,
            transpositions: true,
            symmetries: true,
            solver: true,
            shared_visits: SharedVisits::Descend,
            virtual_loss: 1.0,
            parallelism: Parallelism::Tree,
        }
    }
}

impl Config {
    /// Whether AMAF statistics are kept.
    pub fn uses_amaf(&self) -> bool {
        self.rave || self.policy == PolicyKind::Rave
    }

    /// Whether moves are told apart before they are visited.
    pub fn compares_unvisited(&self) -> bool {
        self.uses_amaf() || self.policy.uses_priors()
    }

    /// Whether unvisited moves are told apart by priors alone. Of those that have none the one with the greatest prior
    /// comes first, so that a node needs no edges for the others yet.
    pub fn reveals_by_prior(&self) -> bool {
        self.policy.uses_priors() && !self.uses_amaf()
    }

    /// Whether there are no nodes below the root's children.
    pub fn is_flat(&self) -> bool {
        matches!(self.policy, PolicyKind::Flat | PolicyKind::McEval)
    }

    /// How the root move is chosen in the end: in flat search, where all have the same visits, by value.
    pub fn final_choice(&self) -> RootChoice {
        if self.is_flat() { RootChoice::Value } else { self.root_choice }
    }

    /// Whether nodes keep their H(s).
    pub fn keeps_heuristic(&self) -> bool {
        self.progressive_bias > 0.0 || self.value_initialisation > 0.0
    }

    /// What a graph hangs on, in words: one that was made under another kind means nothing here. The order in which a
    /// node tries its actions hangs on the seed.
    pub fn graph_kind(&self) -> String {
        let Config { seed, transpositions, symmetries, solver, leaf, playouts, .. } = self;
        let (cutoff, depth, reply) = (self.playout_cutoff, self.cutoff_depth, self.last_good_reply);
        let heat = if *playouts == Playouts::Boltzmann { self.playout_temperature } else { 1.0 };
        let flat = if self.is_flat() { format!("{:?}", self.policy) } else { "no".to_owned() };
        let tallies = self.compares_unvisited();
        let prior_heat = if tallies { self.prior_temperature } else { 1.0 };
        format!(
            "seed={seed} transpositions={transpositions} symmetries={symmetries} solver={solver} leaf={leaf:?} \
             playouts={playouts:?} temperature={heat} cutoff={cutoff} depth={depth} replies={reply} flat={flat} \
             tallies={tallies} priors={prior_heat} order={:?} heuristic={}",
            self.expansion_order,
            self.keeps_heuristic(),
        )
    }
}
