"""The options that say how to search: each sets a field of ``SearchConfig``, where docs/search.md has the formulae."""

from __future__ import annotations

from playout.engine.options.option import Option

TREE_POLICIES = (
    "ucb1",
    "ucb1-sampled",
    "ucb1-tuned",
    "epsilon-greedy",
    "thompson",
    "puct",
    "rave",
    "flat",
    "mc-eval",
    "minimax",
)


def _number(name: str, default: float, help: str, low: float, high: float, field: str) -> Option:
    return Option(name, "float", default, help, low, high, field=field)


def _count(name: str, default: int, help: str, low: int, high: int, field: str) -> Option:
    return Option(name, "spin", default, help, low, high, field=field)


def _choice(name: str, choices: tuple[str, ...], help: str, field: str) -> Option:
    return Option(name, "combo", choices[0], help, choices=choices, field=field)


def _switch(name: str, default: bool, help: str, field: str) -> Option:
    return Option(name, "check", default, help, field=field)


SEARCH_OPTIONS: tuple[Option, ...] = (
    _choice("TreePolicy", TREE_POLICIES, "Which move a simulation takes, or a search without a tree.", "tree_policy"),
    _number("Exploration", 1.0, "C of the tree policy.", 0.0, 100.0, "exploration"),
    _choice(
        "ExplorationForm",
        ("ln", "2ln"),
        "UCB1 as Q + C sqrt(ln N / n), or as Q + C sqrt(2 ln N / n).",
        "exploration_form",
    ),
    _number("GreedyEpsilon", 0.1, "Chance of a random move in epsilon-greedy.", 0.0, 1.0, "epsilon"),
    _choice("ThompsonPosterior", ("beta", "gaussian"), "What thompson believes of a move's value.", "posterior"),
    _number(
        "FirstPlayUrgency",
        0.2,
        "With priors or RAVE: an unvisited move counts as this much less than its node.",
        -2.0,
        2.0,
        "fpu",
    ),
    _number(
        "PuctGrowth", 0.0, "puct: C grows by this times ln((N + PuctBase + 1) / PuctBase).", 0.0, 100.0, "puct_growth"
    ),
    _number("PuctBase", 20000.0, "puct: the visits at which the growth of C sets in.", 1.0, 1e9, "puct_base"),
    _number(
        "PriorTemperature",
        1.0,
        "Priors are the softmax of H(s, a) at this temperature.",
        0.01,
        100.0,
        "prior_temperature",
    ),
    _switch(
        "Rave", False, "Blends all-moves-as-first statistics into the values of moves, under any tree policy.", "rave"
    ),
    _number("RaveEquivalence", 1000.0, "k of the AMAF weight r / (n + r + n r / k).", 1.0, 1e9, "rave_equivalence"),
    _count(
        "GraveVisits",
        0,
        "Nodes with fewer visits take the AMAF values of an ancestor that has as many; 0 is off.",
        0,
        10**9,
        "grave",
    ),
    _number("ProgressiveBias", 0.0, "m of the bonus m / (n + m) H(s); 0 is off.", 0.0, 1e6, "progressive_bias"),
    _number(
        "ValueInitialisation",
        0.0,
        "H(s) counts as so many observations of a node's value; 0 is off.",
        0.0,
        1e6,
        "value_initialisation",
    ),
    _choice(
        "LeafEvaluation",
        ("playout", "static"),
        "What a new leaf is worth: the result of a playout, or the game's static evaluation H(s).",
        "static_leaf",
    ),
    _choice(
        "PlayoutPolicy",
        ("uniform", "knowledge", "boltzmann"),
        "How playouts choose: at random, by the game's own knowledge, or by the softmax of H(s, a).",
        "playouts",
    ),
    _number("PlayoutTemperature", 1.0, "Temperature of boltzmann playouts.", 0.01, 100.0, "playout_temperature"),
    _count(
        "PlayoutCutoff",
        0,
        "Playouts end after so many plies with H(s); 0 plays to the end.",
        0,
        10**6,
        "playout_cutoff",
    ),
    _count("CutoffDepth", 0, "Plies of alpha-beta search before the H(s) that ends a playout.", 0, 6, "cutoff_depth"),
    _switch("LastGoodReply", False, "Playouts repeat the replies that won last.", "last_good_reply"),
    _choice(
        "ExpansionOrder",
        ("random", "preference"),
        "In which order a node tries its moves: at random, or the greatest H(s, a) first.",
        "expansion_order",
    ),
    _number(
        "ExpansionEpsilon",
        0.0,
        "With preference: chance of going on below a tried move although there are untried ones.",
        0.0,
        1.0,
        "expansion_epsilon",
    ),
    _count("ExpandVisits", 1, "Playouts from a node before it gets children.", 1, 10**6, "expand_visits"),
    _number(
        "Widening",
        0.0,
        "A node with N visits has at most Widening N ^ WideningExponent children; 0 is no bound.",
        0.0,
        1e6,
        "widening",
    ),
    _number("WideningExponent", 0.5, "See Widening.", 0.0, 1.0, "widening_exponent"),
    _choice(
        "RootChoice",
        ("visits", "value", "max_robust", "secure"),
        "The move played: most visits, greatest mean value, both, or greatest lower confidence bound.",
        "root_choice",
    ),
    _number("RootNoise", 0.0, "puct: share of Dirichlet noise in the priors of root moves.", 0.0, 1.0, "root_noise"),
    _number("RootNoiseAlpha", 0.3, "Concentration of that noise.", 0.001, 100.0, "root_noise_alpha"),
    _number(
        "Temperature",
        0.0,
        "The move is drawn in proportion to visits ^ (1 / this); 0 plays the best.",
        0.0,
        100.0,
        "temperature",
    ),
    _count(
        "FlatPlayouts",
        0,
        "flat, mc-eval: playouts of each move; 0 is as many as the limits allow.",
        0,
        10**9,
        "flat_playouts",
    ),
    _count("SearchDepth", 4, "minimax: plies to look ahead.", 1, 100, "search_depth"),
    _switch("Transpositions", True, "Positions reached by different orders of moves share one node.", "transpositions"),
    _switch("Symmetries", True, "Positions that are images of each other share one node.", "symmetries"),
    _switch("Solver", True, "Proven results spread through the graph (MCTS-Solver).", "solver"),
    _choice(
        "SharedVisits",
        ("descend", "count"),
        "At a child that others visited more than this parent: sample again, or count the visit and use its value.",
        "count_shared",
    ),
    _count(
        "VirtualLoss", 1, "Losses that a simulation under way counts for, to spread threads.", 0, 100, "virtual_loss"
    ),
    _choice(
        "Parallelism",
        ("tree", "root"),
        "What several threads search: one graph together, or each its own with a share of Hash, merged at the root.",
        "parallelism",
    ),
)
