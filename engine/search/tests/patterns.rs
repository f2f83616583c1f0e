//! Strengths of features in the search.

use playout_games::{Game, MoveFeatures, Params, hex::Hex};
use playout_nets::Gammas;
use playout_search::{Config, Control, Evaluator, Limits, Patterns, PolicyKind, Search, save::Label};

fn hex() -> Hex {
    Hex::new(&Params([("size".to_owned(), "4".to_owned())].into())).expect("a board")
}

/// Makes the action strong, by all of its features at the start.
fn favouring(game: &Hex, action: u32) -> Patterns {
    let mut features = MoveFeatures::default();
    game.features(&game.initial(), &[action], &mut features);
    let all: Vec<u64> = features.iter().flatten().copied().collect();
    Patterns::new(Gammas::new(all.into_iter().map(|feature| (feature, 2.0))))
}

#[test]
fn strengths_take_the_place_of_the_game_s_preferences() {
    let game = hex();
    let patterns = favouring(&game, 0);
    let (mut actions, mut out, mut own) = (Vec::new(), Vec::new(), Vec::new());
    game.actions(&game.initial(), &mut actions);
    let evaluator = Evaluator { game: &game, learned: None, patterns: Some(&patterns) };
    assert!(evaluator.preferences(&game.initial(), &actions, &mut out));
    assert!(game.preferences(&game.initial(), &actions, &mut own));
    assert_eq!(out.len(), actions.len());
    let best = |found: &[f32]| (0..found.len()).reduce(|a, b| if found[b] > found[a] { b } else { a });
    assert_eq!(best(&out), Some(0));
    assert_ne!(best(&own), Some(0));
    // H(s) is still the game's own.
    assert_eq!(evaluator.value(&mut game.initial()), game.evaluate(&mut game.initial()));
}

#[test]
fn other_strengths_begin_another_graph_and_read_no_file_of_the_old_one() {
    let game = hex();
    let path = std::env::temp_dir().join(format!("playout-patterns-{}", std::process::id()));
    let label = || Label { game: "g".to_owned(), start: String::new() };
    let config = Config { tree_policy: PolicyKind::Puct, hash_mib: 8, ..Config::default() };
    let mut search = Search::new(game.clone(), config);
    let run = |search: &mut Search<Hex>| {
        let limits = Limits { nodes: Some(200), ..Limits::default() };
        search.run(limits, &Control::default(), std::time::Duration::from_hours(1), 0, &mut |_, _, _| {}).report
    };
    search.set_patterns(Some(favouring(&game, 0).into()));
    let prior = |report: &playout_search::SearchReport, action| {
        report.moves.iter().find(|one| one.action == action).map(|one| one.prior)
    };
    let report = run(&mut search);
    assert!(report.moves.iter().all(|one| Some(one.prior) <= prior(&report, 0)));
    search.save(&path, &label()).expect("it is written");
    search.set_patterns(Some(favouring(&game, 0).into()));
    assert!(search.report(1).visits >= 200, "the same strengths keep the graph");
    search.set_patterns(Some(favouring(&game, 5).into()));
    assert_eq!(search.report(1).visits, 0);
    assert!(search.load(&path, "g").is_err_and(|why| why.contains("patterns=")));
    search.set_patterns(None);
    assert!(search.load(&path, "g").is_err());
    search.set_patterns(Some(favouring(&game, 0).into()));
    search.load(&path, "g").expect("it is these strengths' own");
    assert!(search.report(1).visits >= 200);
    std::fs::remove_file(&path).expect("the test's file");
}
