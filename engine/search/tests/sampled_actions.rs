//! A node below the root draws some of its actions from p(a|s), and tries no others.

use std::collections::HashMap;

use playout_games::{Action, Game, hex::Hex};
use playout_search::{Config, LineStep, PolicyKind, Reason, Search};

use crate::common::{game, run, solve};

fn hex(size: u32) -> Hex {
    game(Hex::new, &[("size", &size.to_string())])
}

/// The actions that a search from the empty board has tried in the position after its first action, and that action.
fn tried_below(size: u32, config: Config, nodes: u64) -> (Action, Vec<Action>) {
    let mut search = Search::new(hex(size), Config { symmetries: false, hash_mib: 16, ..config });
    let first = run(&mut search, nodes).report.moves[0].action;
    search.set_position(search.game().initial(), [LineStep::Action(first)]);
    (first, search.report(0).moves.iter().map(|m| m.action).collect())
}

#[test]
fn the_root_keeps_all_moves_and_a_node_below_its_sample() {
    for &(name, tree_policy) in PolicyKind::ALL.iter() {
        if [PolicyKind::Flat, PolicyKind::McEval, PolicyKind::Minimax].contains(&tree_policy) {
            continue;
        }
        for (sampled_actions, rave) in [(1, false), (4, false), (7, tree_policy != PolicyKind::Rave)] {
            let config = Config { tree_policy, sampled_actions, rave, exploration: 3.0, ..Config::default() };
            let mut search = Search::new(hex(5), Config { symmetries: false, ..config.clone() });
            let at_root = run(&mut search, 3000).report.moves.len();
            let (_, below) = tried_below(5, config, 3000);
            assert!(at_root > 7, "{name}: {at_root} moves at the root");
            // AMAF may leave moves of the sample unvisited.
            let least = if rave || tree_policy == PolicyKind::Rave { 1 } else { sampled_actions };
            assert!((least..=sampled_actions).contains(&(below.len() as u32)), "{name}, RAVE {rave}: {}", below.len());
        }
    }
}

#[test]
fn moves_are_drawn_from_the_softmax_of_preferences() {
    const SEEDS: u64 = 1000;
    let game = hex(3);
    for (tree_policy, prior_temperature) in [(PolicyKind::Ucb1, 0.5), (PolicyKind::Puct, 2.0)] {
        let mut drawn = HashMap::new();
        for seed in 0..SEEDS {
            let sampled = Config { sampled_actions: 1, solver: false, ..Config::default() };
            let config = Config { tree_policy, prior_temperature, seed, ..sampled };
            let (first, below) = tried_below(3, config, 40);
            assert_eq!(below.len(), 1);
            *drawn.entry((first, below[0])).or_insert(0_u64) += 1;
        }
        // The first move that most seeds came to.
        let total =
            |first: Action| drawn.iter().filter(|(pair, _)| pair.0 == first).map(|(_, count)| count).sum::<u64>();
        let first =
            drawn.keys().map(|pair| pair.0).max_by_key(|&first| (total(first), first)).expect("seeds were tried");
        let mut position = game.initial();
        game.play(&mut position, first);
        let (mut actions, mut preferences) = (Vec::new(), Vec::new());
        game.actions(&position, &mut actions);
        assert!(game.preferences(&position, &actions, &mut preferences));
        let weights: Vec<f32> = preferences.iter().map(|value| (value / prior_temperature).exp()).collect();
        let all: f32 = weights.iter().sum();
        let seen = total(first) as f32;
        assert!(weights.iter().any(|weight| weight / all > 1.3 / weights.len() as f32), "nearly uniform: {weights:?}");
        for (action, weight) in actions.iter().zip(&weights) {
            let expected = weight / all;
            let share = drawn.get(&(first, *action)).copied().unwrap_or(0) as f32 / seen;
            let error = (expected * (1.0 - expected) / seen).sqrt();
            assert!((share - expected).abs() < 4.0 * error + 0.001, "{action}: {share} of {seen}, expected {expected}");
        }
    }
}

/// Where the only move that was drawn is proven, the next one is drawn: so the sample bounds no proof.
#[test]
fn a_sample_of_one_move_comes_to_the_exact_value() {
    let game = hex(3);
    let mut actions = Vec::new();
    game.actions(&game.initial(), &mut actions);
    for first in actions {
        let config = Config { sampled_actions: 1, hash_mib: 16, ..Config::default() };
        let mut search = Search::new(hex(3), config);
        search.set_position(game.initial(), [LineStep::Action(first)]);
        let outcome = run(&mut search, 1_000_000);
        assert_eq!(outcome.reason, Reason::Proven);
        let sign = game.player(search.position()).sign();
        assert_eq!(sign * outcome.report.value, solve(&game, search.position(), &mut HashMap::new()), "after {first}");
    }
}
