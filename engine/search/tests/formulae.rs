//! Techniques whose effect can be worked out by hand, on trees that are written down. Each test fails if the technique
//! does nothing or does the opposite.

mod common;
#[path = "common/script.rs"]
mod script;

use std::collections::HashMap;

use playout_games::{
    Action, Game,
    Player::{self, First, Second},
    zobrist,
};
use playout_search::{Config, ExplorationForm, Leaf, Playouts, PolicyKind, Search};

use common::{run, solve};
use script::{Script, Tree};

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
    let mut visits = vec![1_u32; moves];
    for total in moves as u32..nodes {
        let of = |place: usize| score(place, visits[place] as f32, total as f32);
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
