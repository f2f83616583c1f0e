//! A hint acts under every tree policy, and a wrong one is given up.

use std::collections::HashMap;

use playout_games::{
    Action, Game, Player, backgammon::Backgammon, chess::Chess, connect_four::ConnectFour, go::Go, hex::Hex,
    tic_tac_toe::TicTacToe,
};
use playout_search::{Config, Guide, Hint, LineStep, MoveReport, Playouts, PolicyKind, Search};

use crate::common::{
    after, game, run,
    script::{Script, Tree},
    solve,
};

/// The tree policies, by name, with what each needs.
fn policies() -> Vec<(&'static str, Config)> {
    let plain = |tree_policy| Config { tree_policy, hash_mib: 64, solver: false, ..Config::default() };
    let amaf = |tree_policy, grave_visits| Config { rave: true, grave_visits, ..plain(tree_policy) };
    vec![
        ("ucb1", plain(PolicyKind::Ucb1)),
        ("ucb1 with RAVE", amaf(PolicyKind::Ucb1, 0)),
        ("ucb1-sampled", plain(PolicyKind::Ucb1Sampled)),
        ("ucb1-tuned", plain(PolicyKind::Ucb1Tuned)),
        ("thompson", plain(PolicyKind::Thompson)),
        ("epsilon-greedy", plain(PolicyKind::EpsilonGreedy)),
        ("puct", plain(PolicyKind::Puct)),
        ("puct with RAVE", amaf(PolicyKind::Puct, 0)),
        ("rave", plain(PolicyKind::Rave)),
        ("grave", amaf(PolicyKind::Rave, 50)),
    ]
}

/// The legal action that H(s, a) likes least; the last one in a game without it.
fn least_preferred<G: Game>(game: &G, position: &G::Position) -> Action {
    let (mut actions, mut preferences) = (Vec::new(), Vec::new());
    game.actions(position, &mut actions);
    if !game.preferences(position, &actions, &mut preferences) {
        return *actions.last().expect("a move");
    }
    let least = (0..actions.len()).min_by(|&a, &b| preferences[a].total_cmp(&preferences[b]));
    actions[least.expect("a move")]
}

/// Searches the position after `steps` as a reply, one ply below the root, for `simulations` in all; then the moves there.
fn replies<G: Game>(search: &mut Search<G>, steps: &[LineStep], simulations: u64) -> Vec<MoveReport> {
    let start = search.game().initial();
    let [before @ .., LineStep::Action(last)] = steps else { panic!("a move leads to the reply") };
    search.set_position(start.clone(), before.to_vec());
    search.restrict(&[*last]);
    // The first simulations are samples of the root and of the reply's position.
    run(search, simulations + 2);
    search.set_position(start, steps.to_vec());
    search.report(usize::MAX).moves
}

fn visits_of(moves: &[MoveReport], action: Action) -> u32 {
    moves.iter().find(|m| m.action == action).map_or(0, |m| m.visits)
}

/// `opening` ends with the move to whose reply a hint is given.
fn a_heavy_hint_leads<G: Game>(name: &str, make: impl Fn() -> G, opening: &[&str]) {
    for (policy, config) in policies() {
        let game = make();
        let (position, steps) = after(&game, opening);
        let reply = least_preferred(&game, &position);
        let mut guide = Guide::default();
        guide.add(&game, &position, Hint { action: reply, weight: 1000.0, visits: 0, value: 0.0, banned: false });
        let mut search = Search::new(game, Config { symmetries: false, ..config });
        search.set_guide(guide);
        let moves = replies(&mut search, &steps, 100);
        let all: u32 = moves.iter().map(|m| m.visits).sum();
        let hinted = visits_of(&moves, reply);
        assert!((98..=101).contains(&all), "{name}, {policy}: {all} of 100 simulations came to the reply");
        assert!(2 * hinted >= all, "{name}, {policy}: the hinted reply has {hinted} of {all} simulations");
    }
}

#[test]
fn a_heavy_hint_takes_most_of_the_first_simulations_under_every_policy_and_game() {
    a_heavy_hint_leads("hex", || game(Hex::new, &[("size", "11")]), &["f6"]);
    a_heavy_hint_leads("go", || game(Go::new, &[("size", "9")]), &["E5"]);
    a_heavy_hint_leads("chess", || game(Chess::new, &[]), &["e2e4"]);
    a_heavy_hint_leads("connect four", || game(ConnectFour::new, &[]), &["d"]);
    a_heavy_hint_leads("tic-tac-toe", || game(TicTacToe::new, &[]), &["b2"]);
}

#[test]
fn a_heavy_hint_leads_where_dice_fell() {
    for (policy, config) in policies().into_iter().filter(|(_, config)| !config.uses_amaf()) {
        let game = game(Backgammon::new, &[]);
        let mut position = game.initial();
        let roll = game.parse_action(&position, "31").expect("a roll");
        game.play(&mut position, roll);
        let play = least_preferred(&game, &position);
        let mut guide = Guide::default();
        guide.add(&game, &position, Hint { action: play, weight: 1000.0, visits: 0, value: 0.0, banned: false });
        let start = game.initial();
        let mut search = Search::new(game, config);
        search.set_position(start, [LineStep::Action(roll)]);
        search.set_guide(guide);
        let hinted = visits_of(&run(&mut search, 100).report.moves, play);
        assert!(hinted >= 50, "{policy}: the hinted play has {hinted} of 100 simulations");
    }
}

/// X has two in a row on top: all replies of O but one lose, and the hint praises another one.
#[test]
fn a_wrong_hint_is_given_up_within_a_thousand_simulations() {
    for (policy, config) in policies().into_iter().filter(|(policy, _)| *policy != "ucb1-sampled") {
        let game = game(TicTacToe::new, &[]);
        let (position, steps) = after(&game, &["a3", "b2", "b3"]);
        let action = |text: &str| game.parse_action(&position, text).expect("a legal move");
        let (wrong, right) = (action("a1"), action("c3"));
        for (reply, value) in [(wrong, 1.0), (right, 0.0)] {
            let mut next = position;
            game.play(&mut next, reply);
            assert_eq!(solve(&game, &next, &mut HashMap::new()), value, "for X");
        }
        let mut guide = Guide::default();
        guide.add(&game, &position, Hint { action: wrong, weight: 1000.0, visits: 100, value: 0.9, banned: false });
        let mut search = Search::new(game, Config { exploration: 0.7, ..config });
        search.set_guide(guide);
        let early = replies(&mut search, &steps, 1000);
        assert_eq!(early[0].action, right, "{policy}: {early:?}");
        let late = replies(&mut search, &steps, 1000);
        let more = visits_of(&late, wrong) - visits_of(&early, wrong);
        assert!(more < 60, "{policy}: {more} of the next 1,000 simulations follow the wrong hint");
    }
}

/// The observations of a hint are visits of its edge and of the node, and the rest are simulations.
#[test]
fn observations_count_as_visits() {
    for (policy, config) in policies() {
        let game = game(TicTacToe::new, &[]);
        let position = game.initial();
        let action = game.parse_action(&position, "b2").expect("a legal move");
        let mut guide = Guide::default();
        guide.add(&game, &position, Hint { action, weight: 1.0, visits: 40, value: 0.5, banned: false });
        let mut search = Search::new(game, Config { playout_policy: Playouts::Uniform, ..config });
        search.set_guide(guide);
        let report = run(&mut search, 60).report;
        assert_eq!((report.visits, report.simulations), (100, 60), "{policy}");
        let below: u32 = report.moves.iter().map(|m| m.visits).sum();
        assert!(below <= 100 && visits_of(&report.moves, action) >= 40, "{policy}: {:?}", report.moves);
    }
}

/// The start is not known, nor what comes after its only move: a playout meets a known position one ply further on.
#[test]
fn playouts_ask_for_as_many_plies_as_they_are_told() {
    let known = || Tree::turn(Player::First, 0.0, [Tree::End(1.0), Tree::End(-1.0)]);
    let tree = || Tree::turn(Player::First, 0.0, [Tree::turn(Player::Second, 0.0, [known()])]);
    for (plies, wanted) in [(0, 0.0), (1, 0.0), (2, 1.0), (9, 1.0)] {
        let results = (0..200).map(|seed| {
            let game = Script::new(tree());
            let mut position = game.initial();
            let mut guide = Guide::default();
            for _ in 0..2 {
                let action = first_action(&game, &position);
                game.play(&mut position, action);
            }
            let action = first_action(&game, &position);
            guide.add(&game, &position, Hint { action, weight: 1.0, visits: 0, value: 0.0, banned: false });
            let config = Config { playout_hints: plies, solver: false, seed, hash_mib: 1, ..Config::default() };
            let mut search = Search::new(game, config);
            search.set_guide(guide);
            run(&mut search, 1).report.value
        });
        let mean = results.sum::<f32>() / 200.0;
        assert!((mean - wanted).abs() < 0.25, "{plies} plies: {mean}");
    }
}

fn first_action<G: Game>(game: &G, position: &G::Position) -> Action {
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    actions[0]
}
