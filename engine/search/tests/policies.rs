//! Each technique of the search does what it is for.

use std::collections::HashMap;

use playout_games::{
    Action, Game, backgammon::Backgammon, connect_four::ConnectFour, hex::Hex, tic_tac_toe::TicTacToe,
};
use playout_search::{
    Config, Guide, Hint, Leaf, LineStep, MoveReport, Order, Playouts, PolicyKind, RootChoice, Search,
};

use crate::common::{after, game, run, solve};

fn small_hex(size: u32) -> Hex {
    game(Hex::new, &[("size", &size.to_string())])
}

fn connect_four() -> ConnectFour {
    game(ConnectFour::new, &[])
}

fn config(policy: PolicyKind) -> Config {
    Config { tree_policy: policy, exploration: 0.7, hash_mib: 64, solver: false, ..Config::default() }
}

/// The policies that search a tree.
fn tree_policies() -> impl Iterator<Item = (&'static str, PolicyKind)> {
    let none = [PolicyKind::Flat, PolicyKind::McEval, PolicyKind::Minimax];
    PolicyKind::ALL.iter().copied().filter(move |(_, kind)| !none.contains(kind))
}

fn best_text<G: Game>(search: &Search<G>) -> String {
    let best = &search.report(1).moves[0];
    search.game().action_text(search.position(), best.action)
}

#[test]
fn every_policy_comes_near_the_exact_value_of_tic_tac_toe() {
    for moves in [vec![], vec!["a1", "b2"], vec!["a1", "b1"], vec!["b2", "a2", "a1", "c3"]] {
        let (position, steps) = after(&TicTacToe, &moves);
        let exact = solve(&TicTacToe, &position, &mut HashMap::new()) * TicTacToe.player(&position).sign();
        for (name, policy) in tree_policies() {
            let error = |nodes| {
                let mut search = Search::new(TicTacToe, config(policy));
                search.set_position(TicTacToe.initial(), steps.clone());
                (run(&mut search, nodes).report.value - exact).abs()
            };
            // A policy that draws by scores goes on taking poor moves in proportion to theirs.
            let bound = if policy == PolicyKind::Ucb1Sampled { 0.7 } else { 0.2 };
            assert!(error(30_000) < bound, "{name} after {moves:?}: {}", error(30_000));
        }
    }
}

#[test]
fn flat_search_gives_every_move_its_playouts_and_looks_no_further() {
    for policy in [PolicyKind::Flat, PolicyKind::McEval] {
        let config = Config { flat_playouts: 50, symmetries: false, ..config(policy) };
        let mut search = Search::new(small_hex(3), config);
        let outcome = run(&mut search, 100_000);
        assert_eq!(outcome.report.simulations, 9 * 50);
        assert!(outcome.report.moves.iter().all(|m| m.visits == 50 && m.line.len() <= 1), "{:?}", outcome.report.moves);
        assert!(outcome.report.moves.windows(2).all(|pair| pair[0].value >= pair[1].value), "the best value leads");
    }
}

/// One of X's two moves wins with every playout, and the other one draws: a draw counts in flat search only.
#[test]
fn mc_eval_leaves_draws_out() {
    let (_, steps) = after(&TicTacToe, &["a1", "b1", "a2", "b2", "c3"]);
    let value = |policy| {
        let mut search = Search::new(TicTacToe, Config { symmetries: false, ..config(policy) });
        search.set_position(TicTacToe.initial(), steps.clone());
        run(&mut search, 4000);
        search.report(1)
    };
    let (flat, eval) = (value(PolicyKind::Flat), value(PolicyKind::McEval));
    for m in &eval.moves {
        let (wins, losses) = (m.win, 1.0 - m.win - m.draw);
        let expected = if wins + losses > 0.0 { (wins - losses) / (wins + losses) } else { 0.0 };
        assert!((m.value - expected).abs() < 1e-3, "{} for {wins} and {losses}", m.value);
        let other = flat.moves.iter().find(|other| other.action == m.action).expect("both try all moves");
        assert!(m.value.abs() >= other.value.abs() - 0.1);
    }
    assert!(eval.moves.iter().any(|m| m.draw > 0.1), "the position has no draws");
}

#[test]
fn widening_holds_the_number_of_children() {
    for policy in [PolicyKind::Ucb1, PolicyKind::Puct] {
        let config = Config { widening: 1.0, widening_exponent: 0.4, symmetries: false, ..config(policy) };
        let mut search = Search::new(small_hex(7), config);
        for nodes in [100, 900, 9000] {
            run(&mut search, nodes);
            let report = search.report(1);
            let most = f64::from(report.visits).powf(0.4).ceil() as usize;
            assert!(report.moves.len() <= most && 2 * report.moves.len() + 2 >= most.min(49), "{}", report.moves.len());
        }
    }
}

#[test]
fn puct_tries_moves_in_the_order_of_their_priors() {
    let game = small_hex(5);
    let (mut actions, mut preferences) = (Vec::new(), Vec::new());
    game.actions(&game.initial(), &mut actions);
    assert!(game.preferences(&game.initial(), &actions, &mut preferences));
    let config = Config { exploration: 3.0, symmetries: false, ..config(PolicyKind::Puct) };
    let mut counts = Vec::new();
    for nodes in [1, 2, 5, 20, 100, 2000] {
        let mut search = Search::new(small_hex(5), config.clone());
        let moves = run(&mut search, nodes).report.moves;
        let (tried, others): (Vec<_>, Vec<_>) =
            actions.iter().zip(&preferences).partition(|(action, _)| moves.iter().any(|m| m.action == **action));
        let least = tried.iter().map(|pair| *pair.1).fold(f32::INFINITY, f32::min);
        assert!(others.iter().all(|pair| *pair.1 <= least), "{nodes}");
        counts.push(tried.len());
    }
    assert!(counts.is_sorted() && counts[0] == 1 && counts[5] > 20, "{counts:?}");
}

#[test]
fn preference_decides_what_is_tried_first() {
    let game = connect_four();
    // Three in the bottom row: whoever knows the game tries d first.
    let (position, steps) = after(&game, &["a", "a", "b", "b", "c", "c"]);
    let mut actions = Vec::new();
    let mut preferences = Vec::new();
    game.actions(&position, &mut actions);
    assert!(game.preferences(&position, &actions, &mut preferences), "connect four has preferences");
    let config = Config { expansion_order: Order::Preference, ..config(PolicyKind::Ucb1) };
    let mut search = Search::new(game, config);
    search.set_position(search.game().initial(), steps);
    run(&mut search, 2);
    assert_eq!(best_text(&search), "d");
}

#[test]
fn expansion_epsilon_goes_below_tried_moves() {
    let tried = |expansion_epsilon| {
        let config = Config {
            expansion_order: Order::Preference,
            expansion_epsilon,
            symmetries: false,
            ..config(PolicyKind::Ucb1)
        };
        let mut search = Search::new(small_hex(5), config);
        run(&mut search, 20);
        search.report(1).moves.len()
    };
    assert_eq!(tried(0.0), 20, "each simulation tries another move");
    assert!((3..17).contains(&tried(0.5)));
}

#[test]
fn nodes_wait_for_their_samples_before_they_get_children() {
    let mut search = Search::new(small_hex(3), Config { expand_visits: 10, ..config(PolicyKind::Ucb1) });
    run(&mut search, 20);
    let longest = search.report(9).moves.iter().map(|m| m.line.len()).max();
    assert_eq!(longest, Some(1));
}

/// Hex 7x7: after three in a row of Black's the cells that complete the chain are played often in won playouts.
#[test]
fn all_moves_as_first_learns_from_moves_that_were_not_tried() {
    let mean_error = |rave: bool| {
        let mut total = 0.0;
        for seed in 0..20 {
            let config = Config { rave, seed, symmetries: false, ..config(PolicyKind::Ucb1) };
            let mut search = Search::new(small_hex(7), Config { exploration: 0.3, ..config });
            run(&mut search, 200);
            let best = search.report(1).moves[0].action;
            let (row, column) = (best / 7, best % 7);
            total += f64::from(row.abs_diff(3) + column.abs_diff(3));
        }
        total / 20.0
    };
    let (with, without) = (mean_error(true), mean_error(false));
    assert!(with < without, "distance from the centre: {with} with AMAF, {without} without");
}

#[test]
fn borrowed_statistics_are_the_ancestors() {
    for grave in [0, 50] {
        let config = Config { grave_visits: grave, ..config(PolicyKind::Rave) };
        let mut search = Search::new(small_hex(5), config);
        let outcome = run(&mut search, 3000);
        assert_eq!(outcome.report.simulations, 3000);
        assert!(outcome.report.value > 0.0, "the first player wins 5x5: {}", outcome.report.value);
    }
}

/// With H(s) as a number of observations a node's value begins at H(s) and leaves it slowly.
#[test]
fn value_initialisation_weighs_like_observations() {
    let game = connect_four();
    let (mut position, steps) = after(&game, &["d", "d", "d"]);
    let h = game.evaluate(&mut position).expect("connect four has H(s)");
    let value = |value_initialisation, nodes| {
        let config = Config { value_initialisation, seed: 3, ..config(PolicyKind::Ucb1) };
        let mut search = Search::new(connect_four(), config);
        search.set_position(search.game().initial(), steps.clone());
        run(&mut search, nodes).report.value
    };
    assert!((value(1e6, 50) - h).abs() < 0.05, "{} is not near H(s) = {h}", value(1e6, 50));
    assert!((value(2.0, 5000) - value(0.0, 5000)).abs() < 0.25);
}

#[test]
fn progressive_bias_fades() {
    let visits = |progressive_bias| {
        let game = connect_four();
        let config = Config { progressive_bias, ..config(PolicyKind::Ucb1) };
        let mut search = Search::new(game, config);
        run(&mut search, 400);
        search.report(1)
    };
    let (without, with) = (visits(0.0), visits(20.0));
    assert_ne!(
        without.moves.iter().map(|m| m.visits).collect::<Vec<_>>(),
        with.moves.iter().map(|m| m.visits).collect::<Vec<_>>()
    );
}

#[test]
fn a_cut_playout_is_worth_the_estimate() {
    for cutoff_depth in [0, 2] {
        let config = Config { playout_cutoff: 1, cutoff_depth, ..config(PolicyKind::Ucb1) };
        let mut search = Search::new(connect_four(), config);
        let report = run(&mut search, 500).report;
        assert!(report.value.abs() < 1.0 && report.value != 0.0);
        let best = &report.moves[0];
        assert!((best.win + best.draw).is_finite() && best.draw > 0.1, "estimates are not wins: {best:?}");
    }
    // X wins at once by d; an alpha-beta search of one ply sees it wherever the playout stops.
    let (_, steps) = after(&connect_four(), &["a", "a", "b", "b", "c"]);
    let value = |cutoff_depth| {
        let config = Config { playout_cutoff: 1, cutoff_depth, ..config(PolicyKind::Flat) };
        let mut search = Search::new(connect_four(), config);
        search.set_position(connect_four().initial(), steps.clone());
        run(&mut search, 200).report.value
    };
    assert!(value(1) <= value(0), "O's prospects: {} with a look ahead, {} without", value(1), value(0));
}

#[test]
fn every_playout_policy_plays_games_to_their_end() {
    for playouts in [Playouts::Uniform, Playouts::Knowledge, Playouts::Boltzmann] {
        for last_good_reply in [false, true] {
            let config = Config { playout_policy: playouts, last_good_reply, ..config(PolicyKind::Ucb1) };
            let mut search = Search::new(TicTacToe, config.clone());
            assert!(run(&mut search, 5000).report.value.abs() < 0.2, "{playouts:?}");
            let mut search = Search::new(game(Backgammon::new, &[]), config);
            let game = game(Backgammon::new, &[]);
            let mut actions = Vec::new();
            game.actions(&game.initial(), &mut actions);
            search.set_position(game.initial(), [LineStep::Action(actions[0])]);
            assert_eq!(run(&mut search, 30).report.simulations, 30);
        }
    }
}

#[test]
fn one_thread_and_a_seed_repeat_every_policy() {
    for &(name, policy) in PolicyKind::ALL {
        let visits = || {
            let config = Config {
                rave: policy != PolicyKind::Flat,
                playout_policy: Playouts::Boltzmann,
                last_good_reply: true,
                temperature: 1.0,
                ..config(policy)
            };
            let mut search = Search::new(small_hex(5), config);
            let moves = run(&mut search, 700).report.moves;
            moves.iter().map(|m| (m.action, m.visits)).collect::<Vec<_>>()
        };
        assert_eq!(visits(), visits(), "{name}");
    }
}

fn guided(hints: &[(&[&str], &str, u32, f32, bool)]) -> Search<TicTacToe> {
    let mut guide = Guide::default();
    for &(moves, text, visits, value, banned) in hints {
        let (position, _) = after(&TicTacToe, moves);
        let action: Action = TicTacToe.parse_action(&position, text).expect("a legal move");
        guide.add(&TicTacToe, &position, Hint { action, weight: 1.0, visits, value, banned });
    }
    let mut search = Search::new(TicTacToe, Config { exploration: 0.3, ..config(PolicyKind::Ucb1) });
    search.set_guide(guide);
    search
}

#[test]
fn the_guide_seeds_and_bans_and_serves_every_symmetric_image() {
    let mut search = guided(&[(&[], "a1", 500, 0.9, false)]);
    run(&mut search, 1);
    run(&mut search, 1);
    let best = &search.report(1).moves[0];
    assert!(best.value > 0.8, "the corner brings its prior results along: {best:?}");

    // c3 is a1's image: banned as well.
    let mut search = guided(&[(&[], "c3", 0, 0.0, true), (&[], "b2", 0, 0.0, true)]);
    run(&mut search, 2000);
    let report = search.report(1);
    let visits: u32 = report.moves.iter().filter(|m| m.visits > 1).map(|m| m.visits).sum();
    assert!(report.moves[0].visits > visits - 20, "only the edge is searched: {:?}", report.moves);
}

#[test]
fn a_guide_that_comes_after_the_root_bans_its_moves() {
    let mut search = guided(&[]);
    run(&mut search, 100);
    let (position, _) = after(&TicTacToe, &[]);
    let before = search.report(3).moves;
    let mut guide = Guide::default();
    for text in ["a1", "b2"] {
        let action: Action = TicTacToe.parse_action(&position, text).expect("a legal move");
        guide.add(&TicTacToe, &position, Hint { action, weight: 0.0, visits: 0, value: 0.0, banned: true });
    }
    search.set_guide(guide);
    run(&mut search, 100);
    let edge = ["a2", "b1", "b3", "c2"];
    let visits = |moves: &[MoveReport]| -> u32 {
        moves.iter().filter(|m| edge.contains(&m.line[0].as_str())).map(|m| m.visits).sum()
    };
    assert_eq!(visits(&search.report(3).moves), visits(&before) + 100, "only the edge is searched");
}

#[test]
fn rollouts_follow_the_guide_while_the_line_lasts() {
    // Both sides are told to play a line that X wins.
    let told: &[(&[&str], &str, u32, f32, bool)] = &[
        (&["a1"], "b1", 0, 0.0, false),
        (&["a1", "b1"], "a2", 0, 0.0, false),
        (&["a1", "b1", "a2"], "b2", 0, 0.0, false),
        (&["a1", "b1", "a2", "b2"], "a3", 0, 0.0, false),
    ];
    let mut search = guided(told);
    let (_, steps) = after(&TicTacToe, &["a1"]);
    search.set_position(TicTacToe.initial(), steps);
    let report = run(&mut search, 1).report;
    assert_eq!(report.value, -1.0, "O, to move at the root, loses the told line");
}

#[test]
fn noise_and_temperature_vary_the_root_move() {
    let mut moves = std::collections::HashSet::new();
    let mut noisy = std::collections::HashSet::new();
    for seed in 0..12 {
        let quiet = Config { seed, symmetries: false, exploration: 1.5, ..config(PolicyKind::Puct) };
        let mut search = Search::new(small_hex(4), Config { temperature: 1.0, ..quiet.clone() });
        moves.insert(run(&mut search, 60).report.moves[0].action);
        let mut search = Search::new(small_hex(4), Config { root_noise: 0.9, root_noise_alpha: 0.1, ..quiet.clone() });
        noisy.insert(run(&mut search, 60).report.moves[0].action);
    }
    assert!(moves.len() > 3 && noisy.len() > 3, "{moves:?} {noisy:?}");
}

#[test]
fn the_final_choice_is_the_configured_one() {
    let report = |root_choice| {
        let config = Config { root_choice, seed: 9, exploration: 2.0, symmetries: false, ..config(PolicyKind::Ucb1) };
        let mut search = Search::new(small_hex(5), config);
        run(&mut search, 600).report.moves
    };
    let by_visits = report(RootChoice::Visits);
    let by_value = report(RootChoice::Value);
    assert!(by_visits.windows(2).all(|pair| pair[0].visits >= pair[1].visits));
    assert!(by_value.windows(2).all(|pair| pair[0].value >= pair[1].value));
    let bound = |m: &playout_search::MoveReport| m.value - 1.0 / (m.visits as f32).sqrt();
    assert!(report(RootChoice::Secure).windows(2).all(|pair| bound(&pair[0]) >= bound(&pair[1]) - 1e-6));
}

#[test]
fn static_leaves_need_no_playout() {
    let game = connect_four();
    let mut search = Search::new(game, Config { leaf_evaluation: Leaf::Static, ..config(PolicyKind::Ucb1) });
    let report = run(&mut search, 300).report;
    assert!(report.value.abs() < 0.9);
}
