//! The search's configuration: the one declaration of every parameter. What Python, the protocols and the documents know
//! of them comes from here, by `python -m playout.engine.options.generate`.

use crate::params::{
    Need,
    Term::{Above, Game, Is, IsNot},
    any, only, params, words,
};

/// Share of the graph's memory for meta-edges, where there are any: one part in this many.
pub const META_PARTS: usize = 16;

words! {
    /// Choice of the move that a simulation takes, or a search without a tree.
    PolicyKind {
        Ucb1 = "ucb1",
        Ucb1Sampled = "ucb1-sampled",
        Ucb1Tuned = "ucb1-tuned",
        EpsilonGreedy = "epsilon-greedy",
        Thompson = "thompson",
        Puct = "puct",
        Rave = "rave",
        Flat = "flat",
        McEval = "mc-eval",
        /// Minimax to `search_depth`, without samples.
        Minimax = "minimax",
    }
}

words! {
    /// The bonus of UCB1.
    ExplorationForm {
        /// C sqrt(ln N / n).
        Ln = "ln",
        /// C sqrt(2 ln N / n).
        DoubledLn = "2ln",
    }
}

words! {
    /// Thompson sampling's distribution of a move's value.
    Posterior {
        /// A share of wins.
        Beta = "beta",
        /// A normal mean.
        Gaussian = "gaussian",
    }
}

words! {
    /// Evaluation of a new leaf.
    Leaf {
        /// The result of a playout.
        Playout = "playout",
        /// H(s), where the game has one; a playout where it has none.
        Static = "static",
    }
}

words! {
    /// Choice of actions in playouts.
    Playouts {
        /// At random, each sensible action with the same chance.
        Uniform = "uniform",
        /// By the game's own knowledge.
        Knowledge = "knowledge",
        /// By the game's own knowledge and more: in Go fights of chains of few liberties.
        Tactics = "tactics",
        /// By softmax of H(s, a) at `playout_temperature`.
        Boltzmann = "boltzmann",
        /// The greatest H(s, a).
        Best = "best",
    }
}

words! {
    /// Order in which a node tries its actions.
    Order {
        Random = "random",
        /// The greatest H(s, a) first.
        Preference = "preference",
    }
}

words! {
    /// Choice of the root move to play, among those whose results are not proven.
    RootChoice {
        /// The most visited: the robust child.
        Visits = "visits",
        /// The greatest mean value, W / N: the max child.
        Value = "value",
        /// The one with the most visits and the greatest value; with a clock the search goes on until there is one.
        MaxRobust = "max_robust",
        /// The greatest lower confidence bound Q - 1 / sqrt(n): the secure child.
        Secure = "secure",
    }
}

words! {
    /// Step at a child that other parents have visited more often than this one.
    SharedVisits {
        /// Go on below it and sample again.
        Descend = "descend",
        /// Count the visit and take the child's value as it stands.
        Count = "count",
    }
}

words! {
    /// Graph of a search by several threads.
    Parallelism {
        /// One graph together.
        Tree = "tree",
        /// Each its own, from the same root with another seed; root statistics are merged. For comparison.
        Root = "root",
    }
}

const SIMULATIONS: Need = any(&[IsNot("tree_policy", &["minimax"])]);
const TREE: Need = any(&[IsNot("tree_policy", &["flat", "mc-eval", "minimax"])]);
const PUCT: Need = any(&[Is("tree_policy", &["puct"])]);
const AMAF: Need = any(&[Is("rave", &["true"]), Is("tree_policy", &["rave"])]);
/// PUCT without AMAF has an order of its own, that of the priors.
const ORDERED: Need = any(&[IsNot("tree_policy", &["puct"]), Is("rave", &["true"])]);
/// RAVE and AMAF compare unvisited moves: a node then has all edges at once, unless widening bounds their number.
const NOT_ALL_BY_RAVE: Need = any(&[IsNot("tree_policy", &["rave"]), Above("widening", 0)]);
const NOT_ALL_BY_AMAF: Need = any(&[Is("rave", &["false"]), Above("widening", 0)]);
/// With dice a leaf may be a position before a roll, which has no H(s).
const PLAYOUTS: Need = any(&[Is("leaf_evaluation", &["playout"]), Game("dice")]);
const VALUE: Need = any(&[Game("H(s)")]);
const SEVERAL_THREADS: Need = any(&[Above("threads", 1)]);

params! {
    /// Parameters of a search. Values and constants are in units of results, which lie in [-1, 1].
    Config {
        /// Memory for the search graph in MiB: a hard bound.
        hash_mib("Hash"): usize = 256, 1..=65536;
        /// Search threads. A game written in Python uses one.
        threads: usize = 1, 1..=256; needs [any(&[Game("a kernel")])];
        /// Seed of the random source; with one thread and a node limit a search repeats exactly. The option's 0 takes
        /// new random numbers for each game.
        seed: u64 = 0, 0..=2147483647;
        /// Choice of the move that a simulation takes, or a search without a tree.
        tree_policy: PolicyKind = PolicyKind::Ucb1; needs [only(&["rave"], &[Game("no dice")])];
        /// C of the tree policy.
        exploration: f32 = 1.0, 0.0..=100.0;
            needs [any(&[Is("tree_policy", &["ucb1", "ucb1-sampled", "ucb1-tuned", "puct"])])];
        /// UCB1 as Q + C sqrt(ln N / n), or as Q + C sqrt(2 ln N / n).
        exploration_form: ExplorationForm = ExplorationForm::Ln;
            needs [any(&[Is("tree_policy", &["ucb1", "ucb1-sampled"])])];
        /// Chance of a random move in epsilon-greedy.
        greedy_epsilon: f32 = 0.1, 0.0..=1.0;
            needs [any(&[Is("tree_policy", &["epsilon-greedy"])])];
        /// thompson: distribution of a move's value.
        thompson_posterior: Posterior = Posterior::Beta;
            needs [any(&[Is("tree_policy", &["thompson"])])];
        /// With priors or RAVE: amount by which an unvisited move counts less than its node.
        first_play_urgency: f32 = 0.2, -2.0..=2.0;
            needs [TREE, any(&[Is("tree_policy", &["puct", "rave"]), Is("rave", &["true"])])];
        /// puct: C grows by this times ln((N + PuctBase + 1) / PuctBase).
        puct_growth: f32 = 0.0, 0.0..=100.0; needs [PUCT];
        /// puct: number of visits at which the growth of C begins.
        puct_base: f32 = 20_000.0, 1.0..=1e9; needs [PUCT, any(&[Above("puct_growth", 0)])];
        /// puct: C at the root; 0 is that of Exploration.
        root_exploration: f32 = 0.0, 0.0..=100.0; needs [PUCT];
        /// puct: C is multiplied by 1 - this ln G, at most 2, G = 1 - sum of p^2 the Gini impurity of a node's priors: more
        /// exploration where few moves have most of the prior.
        puct_gini: f32 = 0.0, 0.0..=10.0; needs [PUCT];
        /// puct: C is multiplied by 1 + this (s / PuctSpreadBase - 1), s the standard deviation of the values of a
        /// node's moves over its visits.
        puct_spread: f32 = 0.0, 0.0..=1.0; needs [PUCT];
        /// puct: the standard deviation that leaves C as it is.
        puct_spread_base: f32 = 0.2, 0.001..=1.0; needs [PUCT, any(&[Above("puct_spread", 0)])];
        /// Priors are the softmax of H(s, a) at this temperature.
        prior_temperature: f32 = 1.0, 0.01..=100.0;
            needs [any(&[Is("tree_policy", &["puct"]), Above("sampled_actions", 0)]), any(&[Game("H(s, a)")])];
        /// puct: temperature of the priors at the root; 0 is that of PriorTemperature.
        root_prior_temperature: f32 = 0.0, 0.0..=100.0; needs [PUCT, any(&[Game("H(s, a)")])];
        /// puct: H(s, a) of a move grows by this times its butterfly history: how much better simulations with the move
        /// came out, anywhere in the search, than the positions that it was played in.
        history_weight: f32 = 0.0, 0.0..=100.0; needs [PUCT];
        /// Blends all-moves-as-first statistics into the values of moves, under any tree policy.
        rave: bool = false;
            needs [any(&[Game("no dice")]), any(&[IsNot("tree_policy", &["rave", "flat", "mc-eval", "minimax"])])];
        /// k of the AMAF weight r / (n + r + m + n r / k).
        rave_equivalence: f32 = 1000.0, 1.0..=1e9; needs [TREE, AMAF];
        /// m of the AMAF weight r / (n + r + m + n r / k): samples before the AMAF value counts for half of an unvisited
        /// move's.
        rave_delay: f32 = 0.0, 0.0..=1e6; needs [TREE, AMAF];
        /// Nodes with fewer visits take the AMAF values of an ancestor with at least this many; 0 is off.
        grave_visits: u32 = 0, 0..=1_000_000_000; needs [TREE, AMAF];
        /// AMAF samples beyond one for which a move counts that is played at once; the later in the game, the fewer.
        rave_nearness: u32 = 0, 0..=100; needs [TREE, AMAF];
        /// Wins added to the AMAF samples of a move, as a share of them: this times the criticality of its point, by which
        /// its owner in the end is the winner more often than by chance.
        rave_criticality: f32 = 0.0, 0.0..=100.0; needs [any(&[Game("owners")]), TREE, AMAF];
        /// m of the bonus m / (n + m) H(s); 0 is off.
        progressive_bias: f32 = 0.0, 0.0..=1e6; needs [VALUE, any(&[Game("no dice")]), TREE];
        /// Number of observations for which H(s) counts in a node's value; 0 is off.
        value_initialisation: f32 = 0.0, 0.0..=1e6;
            needs [VALUE, any(&[IsNot("tree_policy", &["mc-eval", "minimax"])])];
        /// Evaluation of a new leaf: the result of a playout, or the game's static evaluation H(s).
        leaf_evaluation: Leaf = Leaf::Playout; needs [VALUE, SIMULATIONS];
        /// Nets with convolutions count in bytes, on processors with AVX-512 VNNI: faster, with small errors.
        eval_bytes: bool = false; needs [any(&[Game("convolutions")])];
        /// Choice of moves in playouts: at random, by the game's own knowledge, by the softmax of H(s, a), or
        /// the greatest H(s, a).
        playout_policy: Playouts = Playouts::Uniform;
            needs [
                only(&["knowledge"], &[Game("a kernel")]),
                only(&["tactics"], &[Game("tactics")]),
                only(&["boltzmann", "best"], &[Game("H(s, a)")]),
                SIMULATIONS,
                PLAYOUTS
            ];
        /// Temperature of boltzmann playouts.
        playout_temperature: f32 = 1.0, 0.01..=100.0;
            needs [SIMULATIONS, PLAYOUTS, any(&[Is("playout_policy", &["boltzmann"])])];
        /// Plies after which a playout ends with H(s); 0 plays to the end.
        playout_cutoff: u32 = 0, 0..=1_000_000; needs [VALUE, SIMULATIONS, PLAYOUTS];
        /// Plies of alpha-beta search before the H(s) that ends a playout.
        cutoff_depth: u32 = 0, 0..=6;
            needs [SIMULATIONS, PLAYOUTS, any(&[Above("playout_cutoff", 0)])];
        /// Playouts repeat the replies that won last.
        last_good_reply: bool = false; needs [SIMULATIONS, PLAYOUTS];
        /// Worth of a point of lead, in results, between moves of games that are won or lost; less where that is not sure.
        points_weight: f32 = 0.0, 0.0..=1.0; needs [any(&[Game("points")]), TREE];
        /// Value of the root, won or lost, from which on points count.
        points_from: f32 = 0.9, 0.0..=0.999;
            needs [any(&[Game("points")]), TREE, any(&[Above("points_weight", 0)])];
        /// Dynamic komi: the greatest share of the root's mean lead that a playout's lead has to exceed to be won, so that
        /// values stay near DynamicKomiFrom in games that are won or lost by far. Values are then those with that komi.
        dynamic_komi: f32 = 0.0, 0.0..=1.0; needs [any(&[Game("points")]), TREE, PLAYOUTS];
        /// Value of the root, won or lost, from which on the dynamic komi grows.
        dynamic_komi_from: f32 = 0.5, 0.0..=0.999;
            needs [any(&[Game("points")]), TREE, PLAYOUTS, any(&[Above("dynamic_komi", 0)])];
        /// Order in which a node tries its moves: at random, or the greatest H(s, a) first.
        expansion_order: Order = Order::Random;
            needs [any(&[Game("H(s, a)")]), SIMULATIONS, ORDERED, NOT_ALL_BY_RAVE, NOT_ALL_BY_AMAF];
        /// With preference: probability of continuing below a tried move while others are untried.
        expansion_epsilon: f32 = 0.0, 0.0..=1.0;
            needs [any(&[Is("expansion_order", &["preference"])]), SIMULATIONS, ORDERED, NOT_ALL_BY_RAVE, NOT_ALL_BY_AMAF];
        /// Number of playouts from a node before it gets children.
        expand_visits: u32 = 1, 1..=1_000_000; needs [TREE];
        /// A node with N visits has at most Widening N ^ WideningExponent children; 0 is no bound.
        widening: f32 = 0.0, 0.0..=1e6; needs [SIMULATIONS];
        /// See Widening.
        widening_exponent: f32 = 0.5, 0.0..=1.0; needs [SIMULATIONS, any(&[Above("widening", 0)])];
        /// Number of moves that a node below the root draws from its priors, to try no others; 0 tries all.
        sampled_actions: u32 = 0, 0..=1_000_000; needs [TREE];
        /// Simulations of a node that its hints may claim, k: of N simulations their share of N k / (N + k). 0 is none.
        hint_visits: u32 = 200, 0..=1_000_000; needs [TREE];
        /// Plies of a playout in which books, macros and tables are asked, wherever it goes. 0 follows only lines that the
        /// search knows at its leaf.
        playout_hints: u32 = 0, 0..=1_000; needs [SIMULATIONS, PLAYOUTS];
        /// Follows the tree of a macro as one choice that spans plies, with visits and a value of its own.
        meta_actions: bool = false; needs [TREE, any(&[Game("no dice")])];
        /// The move played: most visits, greatest mean value, both, or greatest lower confidence bound.
        root_choice: RootChoice = RootChoice::Visits; needs [TREE];
        /// puct: share of Dirichlet noise in the priors of root moves.
        root_noise: f32 = 0.0, 0.0..=1.0; needs [PUCT];
        /// Concentration of that noise.
        root_noise_alpha: f32 = 0.3, 0.001..=100.0; needs [PUCT, any(&[Above("root_noise", 0)])];
        /// The move is drawn in proportion to visits ^ (1 / this); 0 plays the best.
        temperature: f32 = 0.0, 0.0..=100.0; needs [SIMULATIONS];
        /// flat, mc-eval: playouts of each move; 0 lets the limits decide.
        flat_playouts: u32 = 0, 0..=1_000_000_000;
            needs [any(&[Is("tree_policy", &["flat", "mc-eval"])])];
        /// minimax: plies to look ahead.
        search_depth: u32 = 4, 1..=100; needs [any(&[Is("tree_policy", &["minimax"])])];
        /// Positions reached by different orders of moves share one node.
        transpositions: bool = true; needs [any(&[Game("keys")]), SIMULATIONS];
        /// Positions that are images of each other share one node.
        symmetries: bool = true; needs [any(&[Game("symmetries")]), SIMULATIONS];
        /// Proven results spread through the graph (MCTS-Solver).
        solver: bool = true; needs [SIMULATIONS];
        /// Simulations after which a node is studied: the game proves what it can of the position at once, by virtual
        /// connections and inferior cells in Hex. 0 is never.
        proof_visits: u32 = 0, 0..=1_000_000_000;
            needs [any(&[Game("proofs")]), any(&[Is("solver", &["true"])]), TREE];
        /// At a child that others visited more than this parent: sample again, or count the visit and use its value.
        shared_visits: SharedVisits = SharedVisits::Descend;
            needs [any(&[Game("keys")]), any(&[Is("transpositions", &["true"])]), TREE];
        /// Losses that a simulation under way counts for, to spread threads.
        virtual_loss: u32 = 1, 0..=100;
            needs [SIMULATIONS, SEVERAL_THREADS, any(&[Is("parallelism", &["tree"])])];
        /// Search by several threads: one graph together, or each its own with a share of Hash, merged at the root.
        parallelism: Parallelism = Parallelism::Tree; needs [SIMULATIONS, SEVERAL_THREADS];
    }
}

impl PolicyKind {
    /// Whether the policy compares moves by their priors.
    pub const fn uses_priors(self) -> bool {
        matches!(self, PolicyKind::Puct)
    }
}

impl Config {
    /// Hard bound of the graph in bytes, table included.
    pub fn hash_bytes(&self) -> usize {
        self.hash_mib << 20
    }

    /// Bytes of that for nodes and edges: with meta-actions, a part is for theirs.
    pub fn node_bytes(&self) -> usize {
        self.hash_bytes() - if self.meta_actions { self.hash_bytes() / META_PARTS } else { 0 }
    }

    /// Whether AMAF statistics are kept.
    pub fn uses_amaf(&self) -> bool {
        self.rave || self.tree_policy == PolicyKind::Rave
    }

    /// Whether moves are told apart before they are visited.
    pub fn compares_unvisited(&self) -> bool {
        self.uses_amaf() || self.tree_policy.uses_priors()
    }

    /// Whether unvisited moves are told apart by priors alone. Of those that have none the one with the greatest prior
    /// comes first, so that a node needs no edges for the others yet.
    pub fn reveals_by_prior(&self) -> bool {
        self.tree_policy.uses_priors() && !self.uses_amaf()
    }

    /// Whether there are no nodes below the root's children.
    pub fn is_flat(&self) -> bool {
        matches!(self.tree_policy, PolicyKind::Flat | PolicyKind::McEval)
    }

    /// Choice of the root move in the end: in flat search, where all have the same visits, by value.
    pub fn final_choice(&self) -> RootChoice {
        if self.is_flat() { RootChoice::Value } else { self.root_choice }
    }

    /// Whether nodes keep their H(s).
    pub fn keeps_heuristic(&self) -> bool {
        self.progressive_bias > 0.0 || self.value_initialisation > 0.0
    }

    /// Fingerprint of what a graph depends on. A graph with another fingerprint is not reused. The order in which a node
    /// tries its actions depends on the seed.
    pub fn graph_kind(&self) -> String {
        let Config { seed, transpositions, symmetries, solver, leaf_evaluation, playout_policy, .. } = self;
        let (cutoff, depth, reply) = (self.playout_cutoff, self.cutoff_depth, self.last_good_reply);
        let heat = if *playout_policy == Playouts::Boltzmann { self.playout_temperature } else { 1.0 };
        let flat = if self.is_flat() { format!("{:?}", self.tree_policy) } else { "no".to_owned() };
        let tallies = self.compares_unvisited();
        let bytes = if self.eval_bytes { " bytes" } else { "" };
        let history =
            if self.history_weight > 0.0 { format!(" history={}", self.history_weight) } else { String::new() };
        let prior_heat = if tallies { self.prior_temperature } else { 1.0 };
        format!(
            "seed={seed} transpositions={transpositions} symmetries={symmetries} solver={solver} \
             leaf={leaf_evaluation:?} playouts={playout_policy:?} temperature={heat} cutoff={cutoff} depth={depth} \
             replies={reply} flat={flat} tallies={tallies} priors={prior_heat}{history}{bytes} order={:?} heuristic={}",
            self.expansion_order,
            self.keeps_heuristic(),
        )
    }
}
