//! Moves kept out of the first plies: what is proven is what exhaustive search of the restricted game finds, and nothing
//! of it is taken for what holds without the restriction.

use std::collections::HashMap;

use playout_games::{Action, Game, Params, Player, Rng, backgammon::Backgammon, tic_tac_toe::TicTacToe};
use playout_search::{Config, LineStep, MoveReport, PolicyKind, Reason, RestrictionRule, Search};

use crate::common::{run, solve};

fn rule(player: Player, only: bool, moves: &[&str], plies: u32) -> RestrictionRule {
    RestrictionRule { player, moves: moves.iter().map(|&text| text.to_owned()).collect(), only, plies }
}

/// Whether `rules` let the player to move play `text`, by the definition.
fn permits(rules: &[RestrictionRule], player: Player, ply: u32, text: &str) -> bool {
    let in_force = || rules.iter().filter(move |rule| rule.player == player && ply < rule.plies);
    let avoided = in_force().any(|rule| !rule.only && rule.moves.contains(text));
    let confined = in_force().any(|rule| rule.only);
    !avoided && (!confined || in_force().any(|rule| rule.only && rule.moves.contains(text)))
}

fn permitted<G: Game>(game: &G, p: &G::Position, rules: &[RestrictionRule], ply: u32) -> Vec<Action> {
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    actions.retain(|&action| permits(rules, game.player(p), ply, &game.action_text(p, action)));
    actions
}

/// The exact value of the restricted game for the first player; None if no move is left somewhere.
fn solve_restricted<G: Game>(game: &G, p: &G::Position, rules: &[RestrictionRule], ply: u32) -> Option<f32> {
    if let Some(value) = game.result(p) {
        return Some(value);
    }
    let sign = game.player(p).sign();
    let mut best: Option<f32> = None;
    for action in permitted(game, p, rules, ply) {
        let mut next = p.clone();
        game.play(&mut next, action);
        let value = sign * solve_restricted(game, &next, rules, ply + 1)?;
        best = Some(best.map_or(value, |best| best.max(value)));
    }
    best.map(|value| sign * value)
}

/// Checks that a line is of the restricted game.
fn check_line<G: Game>(game: &G, root: &G::Position, rules: &[RestrictionRule], found: &MoveReport) {
    assert_eq!(found.line.len(), found.line_visits.len());
    let mut position = root.clone();
    let mut ply = 0;
    for text in &found.line {
        let player = game.player(&position);
        assert!(player == Player::Chance || permits(rules, player, ply, text), "{text} of {:?} at {ply}", found.line);
        let action = game.parse_action(&position, text).expect("a legal move");
        game.play(&mut position, action);
        ply += u32::from(player != Player::Chance);
    }
}

/// Rules at random: cells of the board for both players, for one ply to four.
fn random_rules(rng: &mut Rng) -> Vec<RestrictionRule> {
    let cells = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
    let mut rules = Vec::new();
    for player in [Player::First, Player::Second, Player::First] {
        let only = rng.u8(..3) == 0;
        let share = if only { 7 } else { 3 };
        let moves: Vec<&str> = cells.into_iter().filter(|_| rng.u8(..10) < share).collect();
        rules.push(rule(player, only, &moves, rng.u32(0..=4)));
    }
    rules
}

fn random_start(rng: &mut Rng) -> Vec<Action> {
    let mut cells: Vec<Action> = (0..9).collect();
    rng.shuffle(&mut cells);
    let line = cells[..rng.usize(..4)].to_vec();
    let mut position = TicTacToe.initial();
    line.iter().for_each(|&action| TicTacToe.play(&mut position, action));
    line
}

#[test]
fn what_is_proven_is_the_value_of_the_restricted_game() {
    let mut rng = Rng::with_seed(7);
    let mut proven = 0;
    for case in 0..100 {
        let (rules, line) = (random_rules(&mut rng), random_start(&mut rng));
        let config = Config {
            seed: case,
            threads: 1 + case as usize % 2,
            symmetries: case % 3 > 0,
            transpositions: case % 5 > 0,
            tree_policy: if case % 7 == 0 && line.len() == 3 { PolicyKind::Minimax } else { PolicyKind::Ucb1 },
            search_depth: 9,
            ..Config::default()
        };
        // A plain tree is too large to be searched whole, but what it proves must be right.
        let whole = config.transpositions || config.tree_policy == PolicyKind::Minimax;
        let nodes = match config.tree_policy {
            PolicyKind::Minimax => u64::MAX,
            // A thread that waits for a core may hold the last position.
            _ if config.threads > 1 => 400_000,
            _ => 20_000,
        };
        let check = |best: &MoveReport, value: f32| {
            assert!(best.lower <= value && value <= best.upper, "case {case}: {best:?}");
            assert!(!whole || best.lower == best.upper, "case {case}: {best:?}");
        };
        let mut search = Search::new(TicTacToe, config);
        search.set_position(TicTacToe.initial(), line.iter().map(|&action| LineStep::Action(action)));
        let root = *search.position();
        let sign = TicTacToe.player(&root).sign();
        let free = solve(&TicTacToe, &root, &mut HashMap::new());
        if case % 2 == 0 {
            // What is known of the position without the restriction must not show.
            run(&mut search, 5_000);
        }
        let left = permitted(&TicTacToe, &root, &rules, 0).len();
        let kept = search.keep_out(rules.clone());
        // Images are merged where no rule is in force.
        assert!(kept == left || kept < left && rules.iter().all(|rule| rule.plies == 0), "{rules:?}");
        if left > 0 {
            let outcome = run(&mut search, nodes);
            outcome.report.moves.iter().for_each(|found| check_line(&TicTacToe, &root, &rules, found));
            if let Some(value) = solve_restricted(&TicTacToe, &root, &rules, 0) {
                check(&outcome.report.moves[0], sign * value);
                proven += 1;
            }
        }
        // And what is known of the restricted game must not show without it.
        search.set_position(TicTacToe.initial(), line.iter().map(|&action| LineStep::Action(action)));
        check(&run(&mut search, nodes).report.moves[0], sign * free);
    }
    assert!(proven > 30, "{proven}");
}

#[test]
fn a_restricted_search_leaves_no_visits_behind_at_the_plies_that_it_restricts() {
    let mut search = Search::new(TicTacToe, Config { solver: false, ..Config::default() });
    search.keep_out(vec![rule(Player::First, false, &["b2"], 3)]);
    assert_eq!(run(&mut search, 3_000).report.visits, 3_000);
    search.set_position(TicTacToe.initial(), []);
    assert_eq!(search.report(1).visits, 0);
    search.set_position(TicTacToe.initial(), [0, 1].map(LineStep::Action));
    assert_eq!(search.report(1).visits, 0);
    search.set_position(TicTacToe.initial(), [0, 1, 2].map(LineStep::Action));
    assert!(search.report(1).visits > 0, "three plies on the game is the common one");
}

/// A restriction names cells as they lie on the board, and images of them are others.
#[test]
fn images_of_a_move_that_is_kept_out_stay() {
    let mut search = Search::new(TicTacToe, Config { solver: false, ..Config::default() });
    assert_eq!(search.keep_out(vec![rule(Player::First, false, &["a1"], 2)]), 8);
    let found: Vec<Action> = run(&mut search, 2_000).report.moves.iter().map(|m| m.action).collect();
    assert!(!found.contains(&0) && found.contains(&2) && found.contains(&8), "{found:?}");
}

#[test]
fn where_no_move_is_left_a_position_is_a_leaf() {
    for tree_policy in [PolicyKind::Ucb1, PolicyKind::Minimax] {
        let config = Config { tree_policy, search_depth: 4, ..Config::default() };
        let mut search = Search::new(TicTacToe, config);
        let rules = vec![rule(Player::Second, true, &["nothing"], 2)];
        assert_eq!(search.keep_out(rules), 9);
        let outcome = run(&mut search, 2_000);
        assert!(outcome.reason != Reason::Proven);
        assert_eq!(outcome.report.moves.len(), 9);
        for found in &outcome.report.moves {
            assert!(found.line.len() <= 1 && found.lower < found.upper, "{found:?}");
        }
    }
}

/// Rolls are no plies: both the root's move and the answers to it are restricted by two.
#[test]
fn rolls_are_no_plies() {
    let game = Backgammon::new(&Params::default()).expect("the default rules");
    let start = game.parse_position("4HPwATDgc/ABMA 0 31").expect("a position");
    let mut texts = Vec::new();
    let mut actions = Vec::new();
    game.actions(&start, &mut actions);
    texts.extend(actions.iter().map(|&action| game.action_text(&start, action)));
    let (kept, rest) = texts.split_first().expect("a move");
    let mut search = Search::new(game.clone(), Config { seed: 4, ..Config::default() });
    search.set_position(start, []);
    let answers = ["13/7", "24/18/13", "24/14", "13/5", "24/18 13/9", "8/4 6/4", "13/11 6/5"];
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let rules = vec![rule(Player::First, false, &rest, 2), rule(Player::Second, false, &answers, 2)];
    assert_eq!(search.keep_out(rules.clone()), 1);
    let report = run(&mut search, 3_000).report;
    assert_eq!(report.moves.iter().map(|found| found.line[0].as_str()).collect::<Vec<_>>(), [kept.as_str()]);
    report.moves.iter().for_each(|found| check_line(&game, &start, &rules, found));
}
