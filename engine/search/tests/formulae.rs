//! Techniques whose effect can be worked out by hand, on trees that are written down. Each test fails if the technique
//! does nothing or does the opposite.

use std::collections::HashMap;

use playout_games::{
    Action, Game,
    Player::{self, First, Second},
    zobrist,
};
use playout_search::{Config, ExplorationForm, Leaf, Playouts, PolicyKind, Posterior, Search};

use crate::common::{
    run,
    script::{Script, Tree},
    solve,
};

fn plain(policy: PolicyKind) -> Config {
    Config { tree_policy: policy, hash_mib: 16, solver: false, ..Config::default() }
}

/// The visits of the root's moves, by action.
fn visits<G: Game>(game: G, config: Config, nodes: u64) -> Vec<u32> {
    let mut actions = Vec::new();
    game.actions(&game.initial(), &mut actions);
    let mut search = Search::new(game, config);
    let moves = run(&mut search, nodes).report.moves;
    actions.iter().map(|&a| moves.iter().find(|m| m.action == a).map_or(0, |m| m.visits)).collect()
}

/// The root's value for its mover.
fn value(tree: Tree, config: Config, nodes: u64) -> f32 {
    run(&mut Search::new(Script::new(tree), config), nodes).report.value
}

/// Visits of moves that are tried once each and then taken by the greatest score, of n and N.
fn by_formula(moves: usize, nodes: u32, score: impl Fn(usize, f32, f32) -> f32) -> Vec<u32> {
    by_formula_of_all(moves, nodes, |place, visits, total| score(place, visits[place] as f32, total))
}

/// The same by a score of the visits of all moves and N.
fn by_formula_of_all(moves: usize, nodes: u32, score: impl Fn(usize, &[u32], f32) -> f32) -> Vec<u32> {
    let mut visits = vec![1_u32; moves];
    for total in moves as u32..nodes {
        let of = |place: usize| score(place, &visits, total as f32);
        let best = (0..moves).max_by(|&a, &b| of(a).total_cmp(&of(b))).expect("a move");
        visits[best] += 1;
    }
    visits
}

/// Scores that are almost equal may come in the other order.
fn nearly(one: &[u32], other: &[u32]) {
    assert!(one.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= 1), "{one:?} is not {other:?}");
}

/// A turn of `player` with moves to results, each for `player`.
fn bandit(player: Player, results: &[f32]) -> Tree {
    Tree::turn(player, 0.0, results.iter().map(|result| Tree::End(result * player.sign())))
}

#[test]
fn ucb1_visits_as_its_formula() {
    let results = [0.5, 0.3, -0.2];
    for (exploration_form, factor) in [(ExplorationForm::Ln, 1.0_f32), (ExplorationForm::DoubledLn, 2.0)] {
        for player in [First, Second] {
            let config = Config { exploration: 0.7, exploration_form, ..plain(PolicyKind::Ucb1) };
            let seen = visits(Script::new(bandit(player, &results)), config, 500);
            nearly(&seen, &by_formula(3, 500, |a, n, total| results[a] + 0.7 * (factor * total.ln() / n).sqrt()));
        }
    }
}

#[test]
fn puct_visits_as_its_formula() {
    let results = [0.1, 0.3, -0.2];
    let logits = [2.0_f32, 0.0, 1.0];
    for temperature in [1.0_f32, 3.0] {
        let moves = logits.iter().zip(results).map(|(&logit, result)| (logit, Tree::End(result))).collect();
        let tree = Tree::Turn { player: First, value: 0.0, moves };
        let config = Config { exploration: 1.5, prior_temperature: temperature, ..plain(PolicyKind::Puct) };
        let seen = visits(Script::new(tree), config, 400);
        let weights = logits.map(|logit| (logit / temperature).exp());
        let priors = weights.map(|weight| weight / weights.iter().sum::<f32>());
        // Once all are tried; the first visits are decided by first-play urgency.
        let wanted = by_formula(3, 400, |a, n, total| results[a] + 1.5 * priors[a] * total.sqrt() / (1.0 + n));
        assert!(seen.iter().zip(&wanted).all(|(a, b)| a.abs_diff(*b) <= 2), "{seen:?} is not {wanted:?}");
    }
}

/// The visits of three moves to ends under PUCT, and priors at the given temperature.
fn with_puct(results: [f32; 3], config: Config, temperature: f32) -> (Vec<u32>, [f32; 3]) {
    let logits = [2.0_f32, 0.0, 1.0];
    let moves = logits.iter().zip(results).map(|(&logit, result)| (logit, Tree::End(result))).collect();
    let weights = logits.map(|logit| (logit / temperature).exp());
    let seen = visits(Script::new(Tree::Turn { player: First, value: 0.0, moves }), config, 400);
    (seen, weights.map(|weight| weight / weights.iter().sum::<f32>()))
}

#[test]
fn the_root_has_an_exploration_and_a_temperature_of_its_own() {
    let results = [0.1, 0.3, -0.2];
    let config = Config { exploration: 1.5, prior_temperature: 2.0, ..plain(PolicyKind::Puct) };
    for (root_exploration, root_prior_temperature) in [(4.0, 0.0), (0.5, 0.0), (0.0, 1.0), (0.0, 5.0), (3.0, 4.0)] {
        let config = Config { root_exploration, root_prior_temperature, ..config.clone() };
        let c = if root_exploration > 0.0 { root_exploration } else { 1.5 };
        let heat = if root_prior_temperature > 0.0 { root_prior_temperature } else { 2.0 };
        let (seen, priors) = with_puct(results, config, heat);
        let wanted = by_formula(3, 400, |a, n, total| results[a] + c * priors[a] * total.sqrt() / (1.0 + n));
        assert!(seen.iter().zip(&wanted).all(|(a, b)| a.abs_diff(*b) <= 2), "{seen:?} is not {wanted:?}");
    }
}

#[test]
fn exploration_grows_where_one_move_has_most_of_the_prior() {
    let results = [0.1, 0.3, -0.2];
    for (puct_gini, temperature) in [(1.0, 2.0), (1.0, 0.5), (0.5, 1.0)] {
        let config = Config { puct_gini, prior_temperature: temperature, ..plain(PolicyKind::Puct) };
        let (seen, priors) = with_puct(results, config, temperature);
        let impurity = 1.0 - priors.iter().map(|p| p * p).sum::<f32>();
        let c = (1.0 - puct_gini * impurity.ln()).min(2.0);
        let wanted = by_formula(3, 400, |a, n, total| results[a] + c * priors[a] * total.sqrt() / (1.0 + n));
        assert!(c > 1.1 && seen.iter().zip(&wanted).all(|(a, b)| a.abs_diff(*b) <= 2), "{seen:?} is not {wanted:?}");
    }
}

#[test]
fn exploration_grows_with_the_spread_of_the_values() {
    for (results, puct_spread, puct_spread_base) in
        [([0.1, 0.12, 0.11], 0.8, 0.2), ([0.1, 0.12, 0.11], 0.5, 0.004), ([0.2, 0.25, 0.0], 1.0, 0.08)]
    {
        let config = Config { puct_spread, puct_spread_base, ..plain(PolicyKind::Puct) };
        let (seen, priors) = with_puct(results, config, 1.0);
        let wanted = by_formula_of_all(3, 400, |a, visits, total| {
            let n = visits.iter().sum::<u32>() as f32;
            let mean = results.iter().zip(visits).map(|(value, &n)| value * n as f32).sum::<f32>() / n;
            let squares = results.iter().zip(visits).map(|(value, &n)| n as f32 * (value - mean).powi(2)).sum::<f32>();
            let spread = ((squares + 2.0 * puct_spread_base.powi(2)) / (n + 2.0)).sqrt();
            let c = (1.0 + puct_spread * (spread / puct_spread_base - 1.0)).clamp(0.0, 2.0);
            results[a] + c * priors[a] * total.sqrt() / (1.0 + visits[a] as f32)
        });
        assert!(seen.iter().zip(&wanted).all(|(a, b)| a.abs_diff(*b) <= 4), "{seen:?} is not {wanted:?}");
    }
}

/// Eight moves, after each of which the same one of eight replies wins.
#[test]
fn butterfly_history_finds_the_reply_that_was_good_elsewhere() {
    for player in [First, Second] {
        let result = |reply| player.sign() * if reply == 5 { -1.0 } else { 1.0 };
        let after = || Tree::turn(player.other(), 0.0, (0..8).map(|reply| Tree::End(result(reply))));
        let with = |history_weight| {
            let config = Config { history_weight, exploration: 2.0, ..plain(PolicyKind::Puct) };
            value(Tree::turn(player, 0.0, (0..8).map(|_| after())), config, 160)
        };
        let (without, with) = (with(0.0), with(4.0));
        assert!(with < without - 0.2, "{with} is not far below {without}");
    }
}

/// Three moves to positions that all end in a draw; H says otherwise.
fn judged(player: Player, values: [f32; 3]) -> Tree {
    // H(s) there is the opponent's.
    let after = |value: f32| Tree::turn(player.other(), -value, [Tree::End(0.0)]);
    Tree::turn(player, 0.0, values.map(after))
}

#[test]
fn progressive_bias_draws_to_what_h_praises_and_fades() {
    let values = [-0.6, 0.6, 0.0];
    for player in [First, Second] {
        for m in [2.0, 50.0] {
            let config = Config { progressive_bias: m, exploration: 0.2, ..plain(PolicyKind::Ucb1) };
            let seen = visits(Script::new(judged(player, values)), config, 200);
            let wanted = by_formula(3, 200, |a, n, total| 0.2 * (total.ln() / n).sqrt() + m / (n + m) * values[a]);
            nearly(&seen, &wanted);
            assert!(seen[1] > seen[2] && seen[2] >= seen[0], "{seen:?} for {values:?}");
        }
        let config = Config { progressive_bias: 2.0, exploration: 0.5, ..plain(PolicyKind::Ucb1) };
        let seen = visits(Script::new(judged(player, values)), config, 30_000);
        assert!(f64::from(seen[1]) < 1.1 * f64::from(seen[0]), "it does not fade: {seen:?}");
    }
}

#[test]
fn a_proof_is_the_exact_value() {
    for player in [First, Second] {
        let replies = || [[0.5, -0.25], [1.0, -0.5]].map(|results| bandit(player.other(), &results));
        let game = Script::new(Tree::turn(player, 0.0, replies()));
        let exact = solve(&game, &0, &mut HashMap::new()) * player.sign();
        assert_eq!(exact, -0.5);
        assert_eq!(
            value(Tree::turn(player, 0.0, replies()), Config { solver: true, ..plain(PolicyKind::Ucb1) }, 1000),
            exact
        );
    }
}

#[test]
fn value_initialisation_counts_h_as_observations() {
    // The root's H(s) counts as m samples of it; its moves end the game.
    for (m, nodes) in [(10.0_f32, 30_u64), (1.0, 100)] {
        let tree = Tree::turn(Second, 0.8, [Tree::End(0.0), Tree::End(0.0)]);
        let config = Config { value_initialisation: m, ..plain(PolicyKind::Ucb1) };
        let wanted = m * 0.8 / (nodes as f32 + m);
        let seen = value(tree, config, nodes);
        assert!((seen - wanted).abs() < 1e-4, "{seen} is not {wanted}");
    }
}

#[test]
fn static_leaves_are_worth_h() {
    let config = Config { leaf_evaluation: Leaf::Static, ..plain(PolicyKind::Flat) };
    for player in [First, Second] {
        let seen = value(judged(player, [0.3, 0.3, 0.3]), config.clone(), 30);
        assert!((seen - 0.3).abs() < 1e-4, "{seen}");
    }
}

/// One forced ply, after which a cut playout is judged.
fn forced(player: Player, rest: Tree) -> Tree {
    Tree::turn(player, 0.0, [Tree::turn(player.other(), 0.0, [rest])])
}

#[test]
fn a_cut_playout_looks_as_far_ahead_as_it_is_told() {
    for player in [First, Second] {
        let (us, them) = (player, player.other());
        let end = |result: f32| Tree::End(result * us.sign());
        let value = |rest: Tree, cutoff_depth: u32| {
            let config = Config { playout_cutoff: 1, cutoff_depth, ..plain(PolicyKind::Flat) };
            value(forced(us, rest), config, 20)
        };
        let wins_at_once = || Tree::turn(us, 0.25, [end(0.0), end(1.0), end(-1.0)]);
        for (depth, wanted) in [(0, 0.25), (1, 1.0), (2, 1.0)] {
            assert!(
                (value(wins_at_once(), depth) - wanted).abs() < 1e-5,
                "{} at depth {depth}",
                value(wins_at_once(), depth)
            );
        }
        // Every move lets the opponent win, and H likes them all.
        let loses_in_two = || {
            let reply = || Tree::turn(them, -0.5, [end(0.0), end(-1.0)]);
            Tree::turn(us, 0.25, [reply(), reply()])
        };
        for (depth, wanted) in [(0, 0.25), (1, 0.5), (2, -1.0)] {
            assert!(
                (value(loses_in_two(), depth) - wanted).abs() < 1e-5,
                "{} at depth {depth}",
                value(loses_in_two(), depth)
            );
        }
        // The best of what H says one ply on; nobody wins.
        let judged_replies = || Tree::turn(us, 0.0, [0.5, -0.3].map(|h| Tree::turn(them, h, [end(0.0)])));
        assert!((value(judged_replies(), 1) - 0.3).abs() < 1e-5, "{}", value(judged_replies(), 1));
    }
}

#[test]
fn boltzmann_playouts_draw_by_the_softmax() {
    let logits = [2.0_f32, 0.0, -1.0];
    let results = [1.0, 0.0, -1.0];
    for player in [First, Second] {
        for (playouts, heat) in [(Playouts::Boltzmann, 1.0_f32), (Playouts::Boltzmann, 2.0), (Playouts::Uniform, 1.0)] {
            let moves = logits.iter().zip(results).map(|(&logit, r)| (logit, Tree::End(r * player.sign()))).collect();
            let tree = forced(player, Tree::Turn { player, value: 0.0, moves });
            let config = Config { playout_policy: playouts, playout_temperature: heat, ..plain(PolicyKind::Flat) };
            let seen = value(tree, config, 20_000);
            let weights = match playouts {
                Playouts::Boltzmann => logits.map(|logit| (logit / heat).exp()),
                _ => [1.0; 3],
            };
            let wanted = weights.iter().zip(results).map(|(w, r)| w * r).sum::<f32>() / weights.iter().sum::<f32>();
            assert!((seen - wanted).abs() < 0.03, "{seen} is not {wanted}: {playouts:?} at {heat}");
        }
    }
}

/// Players take numbers in turn, each from a heap of their own. The first player wins with both 7 and 8 among three.
struct Gather;

impl Game for Gather {
    /// Numbers that each player has taken, as bits, and the ply.
    type Position = ([u32; 2], u32);

    fn initial(&self) -> Self::Position {
        ([0, 0], 0)
    }

    fn player(&self, p: &Self::Position) -> Player {
        if p.1 % 2 == 0 { First } else { Second }
    }

    fn result(&self, p: &Self::Position) -> Option<f32> {
        (p.1 == 5).then(|| if p.0[0] & 0x180 == 0x180 { 1.0 } else { -1.0 })
    }

    fn actions(&self, p: &Self::Position, out: &mut Vec<Action>) {
        out.clear();
        if p.1 < 5 {
            let mine = p.0[(p.1 % 2) as usize];
            out.extend((0..10).filter(|number| mine >> number & 1 == 0));
        }
    }

    fn play(&self, p: &mut Self::Position, a: Action) {
        p.0[(p.1 % 2) as usize] |= 1 << a;
        p.1 += 1;
    }

    fn frame_key(&self, p: &Self::Position, _: u8) -> u64 {
        zobrist::key(u64::from(p.0[0]) << 32 | u64::from(p.0[1]), u64::from(p.1))
    }

    fn action_text(&self, _: &Self::Position, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<Self::Position, String> {
        Err("no text".to_owned())
    }
}

/// The mean value of the root over some seeds.
fn gathering(config: Config, nodes: u64) -> f32 {
    let values = (0..10).map(|seed| {
        let config = Config { exploration: 0.1, seed, transpositions: false, ..config.clone() };
        run(&mut Search::new(Gather, config), nodes).report.value
    });
    values.sum::<f32>() / 10.0
}

/// After a 7 the 8 wins, whatever the reply. Each reply leads to a node that has to learn this anew, unless it borrows
/// what the root has learned of the 8.
#[test]
fn borrowed_statistics_serve_nodes_that_have_none() {
    let mean = |grave_visits| gathering(Config { rave: true, grave_visits, ..plain(PolicyKind::Ucb1) }, 150);
    let (borrowed, own) = (mean(20), mean(0));
    assert!(borrowed > own + 0.4, "{borrowed} with GRAVE, {own} without");
}

/// The visits of the root's moves, by action, as means over some seeds.
fn mean_visits(tree: impl Fn() -> Tree, config: &Config, nodes: u64) -> Vec<f64> {
    const SEEDS: u64 = 10;
    let each = (0..SEEDS).map(|seed| visits(Script::new(tree()), Config { seed, ..config.clone() }, nodes));
    let sums = each.reduce(|sums, seen| sums.iter().zip(&seen).map(|(a, b)| a + b).collect()).expect("some seeds");
    sums.into_iter().map(|sum| f64::from(sum) / SEEDS as f64).collect()
}

#[test]
fn ucb1_tuned_looks_longer_at_what_varies() {
    // A sure draw, and a leaf that is won or lost by chance.
    let tree = || {
        let coin = Tree::turn(Second, 0.0, [Tree::End(1.0), Tree::End(-1.0)]);
        Tree::turn(First, 0.0, [Tree::End(0.0), coin])
    };
    let config = Config { exploration: 5.0, expand_visits: 1_000_000, ..plain(PolicyKind::Ucb1Tuned) };
    let seen = mean_visits(tree, &config, 20_000);
    assert!(seen[1] > 2.0 * seen[0], "{seen:?}");
}

#[test]
fn gaussian_thompson_is_soon_sure_of_results_that_hardly_vary() {
    // A sure draw, and a leaf that is a draw nine times out of ten, else a loss.
    let tree = || {
        let mostly = (0..9).map(|_| Tree::End(0.0)).chain([Tree::End(-1.0)]);
        Tree::turn(First, 0.0, [Tree::End(0.0), Tree::turn(Second, 0.0, mostly)])
    };
    let (expand_visits, thompson_posterior) = (1_000_000, Posterior::Gaussian);
    let config = Config { expand_visits, thompson_posterior, ..plain(PolicyKind::Thompson) };
    let seen = mean_visits(tree, &config, 1000);
    // About 190 if each result could have been a win or a loss.
    assert!(seen[1] < 100.0, "{seen:?}");
}

#[test]
fn first_play_urgency_keeps_to_moves_that_were_tried() {
    let tree = || bandit(First, &[0.2, 0.2, 0.2]);
    let with = |first_play_urgency| Config { first_play_urgency, exploration: 0.1, ..plain(PolicyKind::Puct) };
    let tried = |urgency| visits(Script::new(tree()), with(urgency), 12).iter().filter(|&&n| n > 0).count();
    assert_eq!((tried(0.9), tried(0.0)), (1, 3));
}

#[test]
fn the_last_good_reply_is_played_again() {
    let losses = || (0..9).map(|_| Tree::End(-1.0));
    let tree = || forced(First, Tree::turn(First, 0.0, losses().chain([Tree::End(1.0)])));
    let with = |last_good_reply| Config { last_good_reply, ..plain(PolicyKind::Flat) };
    let (plain, remembered) = (value(tree(), with(false), 500), value(tree(), with(true), 500));
    assert!(plain < -0.6 && remembered > 0.8, "{plain}, {remembered}");
}

#[test]
fn a_leaf_is_expanded_after_as_many_visits_as_it_is_told() {
    let tree = || forced(First, forced(First, Tree::End(1.0)));
    for expand_visits in 1..5 {
        let config = Config { expand_visits, ..plain(PolicyKind::Ucb1) };
        let longest = |nodes| run(&mut Search::new(Script::new(tree()), config.clone()), nodes).report.longest;
        assert_eq!((longest(expand_visits.into()), longest(u64::from(expand_visits) + 1)), (1, 2));
    }
}

#[test]
fn winners_take_the_shortest_way_and_losers_the_longest() {
    for player in [First, Second] {
        let won = || Tree::End(player.sign());
        let us = |moves: Vec<Tree>| Tree::turn(player, 0.0, moves);
        let them = |moves: Vec<Tree>| Tree::turn(player.other(), 0.0, moves);
        let lost_soon_or_late = us(vec![them(vec![won(), us(vec![won()])])]);
        let won_late_or_soon = us(vec![them(vec![us(vec![them(vec![us(vec![won()])]), won()])])]);
        for tree in [lost_soon_or_late, won_late_or_soon] {
            let config = Config { solver: true, ..plain(PolicyKind::Ucb1) };
            let report = run(&mut Search::new(Script::new(tree), config), 200).report;
            assert_eq!(report.moves[0].plies, Some(3));
        }
    }
}
