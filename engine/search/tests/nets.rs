//! Nets in the search: leaves, priors and playouts are what they say, and graphs belong to them.

use playout_games::{
    Action, Game, Params, Rng, backgammon::Backgammon, chess::Chess, connect_four::ConnectFour, draw, go::Go,
    tic_tac_toe::TicTacToe,
};
use playout_nets::{Activation, Nets, Sizes, file};
use playout_search::{Config, Evaluator, Leaf, Learned, LineStep, Playouts, PolicyKind, Search, save::Label};

use crate::common::run;

fn connect_four() -> ConnectFour {
    ConnectFour::new(&Params::default()).expect("its parameters have defaults")
}

/// Weights that were drawn at random, all layers of them, and as a file.
fn weights<G: Game>(game: &G, seed: u64, policy: bool) -> Vec<u8> {
    let shape = game.net_shape().expect("it has nets");
    let mut rng = Rng::with_seed(seed);
    let mut nets = Nets::random(&shape, &Sizes::of(&[24, 8]), Activation::Relu, &mut rng);
    for net in &mut nets.phases {
        for layer in [&mut net.outcome, &mut net.policy] {
            layer.weights.iter_mut().chain(&mut layer.bias).for_each(|x| *x = draw::normal(&mut rng));
        }
        if !policy {
            net.policy = playout_nets::Layer::default();
        }
    }
    file::write(&nets, "a game", &shape)
}

fn learned<G: Game>(game: &G, seed: u64, policy: bool) -> Learned {
    Learned::read(&weights(game, seed, policy), game, "a game").expect("they are its own weights")
}

fn after(game: &ConnectFour, moves: &[Action]) -> <ConnectFour as Game>::Position {
    let mut p = game.initial();
    moves.iter().for_each(|&a| game.play(&mut p, a));
    p
}

#[test]
fn weights_too_large_to_judge_by_are_refused() {
    let game = connect_four();
    let shape = game.net_shape().expect("it has nets");
    let mut nets = Nets::random(&shape, &Sizes::of(&[24, 8]), Activation::Relu, &mut Rng::with_seed(1));
    for net in &mut nets.phases {
        [&mut net.outcome, &mut net.policy].into_iter().for_each(|layer| layer.weights.fill(f32::MAX));
        net.first.bias.fill(1e30);
    }
    let error = Learned::read(&file::write(&nets, "a game", &shape), &game, "a game").err();
    assert_eq!(error.as_deref(), Some("its weights are too large to judge by"));
}

#[test]
fn a_leaf_is_worth_what_the_net_says_to_the_player_to_move() {
    let game = connect_four();
    let net = learned(&game, 1, true);
    let config = Config { leaf_evaluation: Leaf::Static, symmetries: false, ..Config::default() };
    let mut search = Search::new(connect_four(), config);
    search.set_learned(Some(learned(&game, 1, true))).unwrap();
    for line in [&[][..], &[3], &[3, 3, 2]] {
        search.clear();
        search.set_position(game.initial(), line.iter().map(|&a| LineStep::Action(a)));
        let found = run(&mut search, 1).report.moves.remove(0);
        let mut leaf = after(&game, line);
        game.play(&mut leaf, found.action);
        let evaluator = Evaluator { game: &game, learned: Some(&net), patterns: None };
        let value = -evaluator.value(&mut leaf).expect("it is judged");
        assert!((found.value - value).abs() < 1e-6, "{} is not {value}", found.value);
        assert_ne!(-game.evaluate(&mut leaf).expect("it has H(s)"), value);
    }
}

#[test]
fn priors_are_the_softmax_of_logits_and_of_the_game_where_there_are_none() {
    let game = connect_four();
    let p = after(&game, &[3, 3]);
    let mut actions = Vec::new();
    game.actions(&p, &mut actions);
    let preferences = |policy: bool| {
        let (net, mut out) = (learned(&game, 5, policy), Vec::new());
        assert!(Evaluator { game: &game, learned: Some(&net), patterns: None }.preferences(&p, &actions, &mut out));
        out
    };
    let mut own = Vec::new();
    assert!(game.preferences(&p, &actions, &mut own));
    assert_eq!(preferences(false), own);
    let mut priors = preferences(true);
    assert_ne!(priors, own);
    let best = (0..actions.len()).max_by(|&a, &b| priors[a].total_cmp(&priors[b])).expect("there are moves");
    draw::softmax(&mut priors, 1.0);
    // With leaves of no worth PUCT divides its visits by the priors.
    let config = Config { tree_policy: PolicyKind::Puct, exploration: 100.0, symmetries: false, ..Config::default() };
    let mut search = Search::new(connect_four(), config);
    search.set_learned(Some(learned(&game, 5, true))).unwrap();
    search.set_position(p, []);
    let report = run(&mut search, 2000).report;
    assert_eq!(report.moves[0].action, actions[best]);
    for found in &report.moves {
        let place = actions.iter().position(|&a| a == found.action).expect("it is legal");
        let share = found.visits as f32 / report.visits as f32;
        assert!((share - priors[place]).abs() < 0.05, "{share} of the visits, prior {}", priors[place]);
    }
}

fn chess() -> Chess {
    Chess::new(&Params::default()).expect("its parameters have defaults")
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Nets of chess whose last layers are 0, but for some biases of the policy.
fn chess_nets(biases: &[(u32, f32)], outcomes: bool) -> Learned {
    let shape = chess().net_shape().expect("it has nets");
    let mut nets = Nets::random(&shape, &Sizes::of(&[8]), Activation::Relu, &mut Rng::with_seed(1));
    for &(slot, bias) in biases {
        nets.phases[0].policy.bias[slot as usize] = bias;
    }
    if !outcomes {
        nets.phases[0].outcome = playout_nets::Layer::default();
    }
    let bytes = file::write(&nets, "chess", &shape);
    Learned::read(&bytes, &chess(), "chess").expect("they are its own weights")
}

#[test]
fn logits_of_chess_are_added_to_the_game_s_own() {
    let game = chess();
    let (p, mut actions, mut own) = (game.parse_position(KIWIPETE).expect("a position"), Vec::new(), Vec::new());
    game.actions(&p, &mut actions);
    assert!(game.preferences(&p, &actions, &mut own));
    let (moved, mut slots) = (actions[5], Vec::new());
    game.slots(&p, moved, &mut slots);
    let biases: Vec<(u32, f32)> = slots.iter().copied().zip([1.0, 0.5, 0.25]).collect();
    let net = chess_nets(&biases, true);
    let evaluator = Evaluator { game: &game, learned: Some(&net), patterns: None };
    let mut found = Vec::new();
    assert!(evaluator.preferences(&p, &actions, &mut found));
    for ((&action, own), found) in actions.iter().zip(&own).zip(&found) {
        let mut shared = Vec::new();
        game.slots(&p, action, &mut shared);
        let added: f32 = biases.iter().filter(|(slot, _)| shared.contains(slot)).map(|(_, bias)| bias).sum();
        assert!((found - own - added).abs() < 1e-5, "{found} is not {own} and {added}");
    }
    // With logits of 0 the chances of a win and a loss are as exp(2 atanh H(s)) to 1, and a draw lies between.
    let own = game.evaluate(&mut p.clone()).expect("it has H(s)").atanh();
    let expected = 2.0 * own.sinh() / (2.0 * own.cosh() + 1.0);
    let value = evaluator.value(&mut p.clone()).expect("it is judged");
    assert!((value - expected).abs() < 1e-5, "{value} is not {expected}");
}

#[test]
fn without_outcomes_values_are_the_game_s_own() {
    let game = chess();
    let mut p = game.parse_position(KIWIPETE).expect("a position");
    let net = chess_nets(&[(7, 3.0)], false);
    let evaluator = Evaluator { game: &game, learned: Some(&net), patterns: None };
    assert_eq!(evaluator.value(&mut p), game.evaluate(&mut p.clone()));
}

#[test]
fn the_nets_of_a_file_are_read_again_when_it_changes() {
    let game = connect_four();
    let path = std::env::temp_dir().join(format!("playout-shared-nets-{}", std::process::id()));
    std::fs::write(&path, weights(&game, 1, true)).expect("a folder for temporary files");
    let open = || Learned::open(&path, &game, "a game").expect("they are its weights");
    let (one, same) = (open(), open());
    assert_eq!(one.fingerprint(), same.fingerprint());
    // A file of another length is another one, whatever the clock of the file system says.
    std::fs::write(&path, weights(&game, 1, false)).expect("a folder for temporary files");
    let other = open();
    assert_ne!(one.fingerprint(), other.fingerprint());
    let small = ConnectFour::new(&Params([("columns".into(), "5".into())].into())).expect("a board");
    assert!(Learned::open(&path, &small, "a game").is_err(), "the nets are for another board");
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn best_playouts_take_the_move_with_the_greatest_preference() {
    let game = connect_four();
    let net = learned(&game, 9, true);
    let evaluator = Evaluator { game: &game, learned: Some(&net), patterns: None };
    let (mut p, mut actions, mut preferences) = (after(&game, &[0]), Vec::new(), Vec::new());
    let result = loop {
        if let Some(result) = game.result(&p) {
            break result;
        }
        game.actions(&p, &mut actions);
        assert!(evaluator.preferences(&p, &actions, &mut preferences));
        let best = (0..actions.len()).max_by(|&a, &b| preferences[a].total_cmp(&preferences[b]));
        game.play(&mut p, actions[best.expect("the game goes on")]);
    };
    let config = Config { playout_policy: Playouts::Best, symmetries: false, ..Config::default() };
    let mut search = Search::new(connect_four(), config);
    search.set_learned(Some(net)).unwrap();
    search.set_position(game.initial(), [LineStep::Action(0)]);
    assert_eq!(run(&mut search, 1).report.value, -result, "for the second player");
}

#[test]
fn a_roll_is_worth_its_best_play_by_nets_that_judge_before_a_roll() {
    let game = Backgammon::new(&Params::default()).expect("its parameters have defaults");
    let net = learned(&game, 3, false);
    let evaluator = Evaluator { game: &game, learned: Some(&net), patterns: None };
    for text in ["4HPwATDgc/ABMA 0 31", "4HPwATDgc/ABMA 1 66", "4HPhASjgc/ABMA 0 52"] {
        let mut p = game.parse_position(text).expect("a position");
        let (mut actions, mut preferences, mut some) = (Vec::new(), Vec::new(), Vec::new());
        game.actions(&p, &mut actions);
        let values: Vec<f32> = actions
            .iter()
            .map(|&action| {
                let mut after = p;
                game.play(&mut after, action);
                assert!(game.result(&after).is_none(), "the game goes on");
                // For the opponent, who is on roll.
                -evaluator.value(&mut after).expect("it is judged")
            })
            .collect();
        let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sharpness = game.net_shape().and_then(|shape| shape.sharpness).expect("nets judge before a roll");
        for _ in 0..2 {
            assert!((evaluator.value(&mut p).expect("it is judged") - best).abs() < 1e-5);
            assert!(evaluator.preferences(&p, &actions, &mut preferences));
            assert!(evaluator.preferences(&p, &actions[1..], &mut some));
            // Sums begin with the first action's position.
            assert!(some.iter().zip(&preferences[1..]).all(|(a, b)| (a - b).abs() < 1e-3));
            for (preference, value) in preferences.iter().zip(&values) {
                assert!((preference - sharpness * value).abs() < 1e-3, "{preference}, {value}");
            }
        }
    }
}

#[test]
fn with_one_thread_a_search_by_nets_repeats() {
    let visits = |before: u64| {
        let mut search = Search::new(connect_four(), Config { leaf_evaluation: Leaf::Static, ..Config::default() });
        search.set_learned(Some(learned(&connect_four(), 2, true))).unwrap();
        run(&mut search, before);
        search.clear();
        let moves = run(&mut search, 3000).report.moves;
        moves.iter().map(|m| (m.action, m.visits, m.value)).collect::<Vec<_>>()
    };
    assert_eq!(visits(1), visits(500));
}

#[test]
fn other_nets_begin_another_graph_and_read_no_file_of_the_old_one() {
    let folder = std::env::temp_dir().join(format!("playout-nets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join("graph");
    let label = || Label { game: "g".to_owned(), start: String::new() };
    let mut search = Search::new(TicTacToe, Config { leaf_evaluation: Leaf::Static, ..Config::default() });
    let set = |search: &mut Search<TicTacToe>, seed| search.set_learned(Some(learned(&TicTacToe, seed, true))).unwrap();
    set(&mut search, 1);
    run(&mut search, 50);
    search.save(&path, &label()).expect("it is written");
    set(&mut search, 1);
    assert!(search.report(1).visits >= 50, "the same nets keep the graph");
    set(&mut search, 2);
    assert_eq!(search.report(1).visits, 0);
    assert!(search.load(&path, "g").is_err());
    search.set_learned(None).unwrap();
    assert!(search.load(&path, "g").is_err());
    set(&mut search, 1);
    search.load(&path, "g").expect("it is these nets' own");
    assert!(search.report(1).visits >= 50);
    std::fs::remove_dir_all(&folder).expect("the tests' folder");
}

#[test]
fn convolutions_in_bytes_change_values_a_little() {
    let game = Go::new(&Params([("size".to_owned(), "5".to_owned())].into())).expect("a legal size");
    let shape = game.net_shape().expect("it has nets");
    let mut rng = Rng::with_seed(8);
    let sizes = Sizes { tower: Some((2, 32)), widths: vec![16] };
    let mut nets = Nets::random(&shape, &sizes, Activation::Relu, &mut rng);
    let net = &mut nets.phases[0];
    let tower = net.tower.as_mut().expect("a tower");
    tower.layers_mut().for_each(|layer| layer.weights.iter_mut().for_each(|x| *x += 0.05 * draw::normal(&mut rng)));
    net.outcome.weights.iter_mut().for_each(|x| *x = 0.1 * draw::normal(&mut rng));
    let file = file::write(&nets, "go", &shape);
    let value = |eval_bytes: bool| {
        let config = Config { leaf_evaluation: Leaf::Static, symmetries: false, eval_bytes, ..Config::default() };
        let mut search = Search::new(game.clone(), config);
        search.set_learned(Some(Learned::read(&file, &game, "go").expect("they are its own weights"))).unwrap();
        let value = run(&mut search, 1).report.moves[0].value;
        // The other arithmetic is another graph, and the first one comes back.
        search.configure(Config { eval_bytes: !eval_bytes, ..search.config().clone() });
        let other = run(&mut search, 1).report.moves[0].value;
        search.configure(Config { eval_bytes, ..search.config().clone() });
        assert_eq!(run(&mut search, 1).report.moves[0].value, value);
        (value, other)
    };
    let (exact, rounded) = value(false);
    assert_eq!(value(true), (rounded, exact));
    assert!(exact.abs() > 0.05 && (exact - rounded).abs() < 0.05, "{exact} {rounded}");
    assert_eq!(exact != rounded, playout_nets::bytes::is_quick());
}
