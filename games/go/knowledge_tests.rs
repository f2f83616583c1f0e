use super::{
    tests::{go, walk},
    *,
};

const STYLES: [Style; 2] = [Style::Uniform, Style::Knowledge];

/// The mean of `count` playouts of a position.
fn mean(go: &Go, p: &Position, style: Style, count: u32) -> f32 {
    let mut rng = Rng::with_seed(5);
    let results = (0..count).map(|_| go.playout(&mut p.clone(), style, &mut rng, None));
    results.sum::<f32>() / count as f32
}

fn preference(go: &Go, p: &Position, text: &str) -> f32 {
    let (mut actions, mut preferences) = (Vec::new(), Vec::new());
    go.actions(p, &mut actions);
    assert!(go.preferences(p, &actions, &mut preferences));
    assert_eq!(actions.len(), preferences.len());
    let action = go.parse_action(p, text).unwrap_or_else(|| panic!("{text} is illegal"));
    preferences[actions.iter().position(|&a| a == action).unwrap()]
}

#[test]
fn what_playouts_play_is_legal() {
    for parameters in
        ["size=3 ko=situational", "size=5 scoring=territory", "size=5 ko=simple suicide=true", "size=9", "size=13x6"]
    {
        let go = go(parameters);
        let (mut actions, mut buffer) = (Vec::new(), Vec::new());
        for (seed, style) in (0..10).flat_map(|seed| STYLES.map(|style| (seed, style))) {
            let mut rng = Rng::with_seed(seed);
            let mut p = go.initial();
            while go.result(&p).is_none() {
                go.actions(&p, &mut actions);
                let action = go.playout_action(&p, style, &mut rng, &mut buffer);
                assert!(actions.contains(&action), "{}: {}", parameters, go.action_text(&p, action));
                assert!(action == go.pass() || !p.board.is_eye(p.board.point(action as u16), p.mover));
                go.play(&mut p, action);
            }
        }
    }
}

#[test]
fn a_trace_is_what_was_played() {
    for (parameters, style) in ["size=2", "size=5x7 komi=0", "size=9 scoring=territory", "size=25"]
        .into_iter()
        .flat_map(|x| STYLES.map(|s| (x, s)))
    {
        let go = go(parameters);
        let mut rng = Rng::with_seed(3);
        let mut p = go.initial();
        let first = go.playout_action(&p, style, &mut rng, &mut Vec::new());
        go.play(&mut p, first);
        for _ in 0..10 {
            let mut end = p.clone();
            let mut trace = vec![Played { action: first, second: false }];
            let result = go.playout(&mut end, style, &mut rng, Some(&mut trace));
            assert_eq!(trace[0], Played { action: first, second: false });
            let mut board = p.board.clone();
            let last_two = &trace[trace.len().saturating_sub(2)..];
            assert!(trace.len() == go.max_plies as usize || last_two.iter().all(|played| played.action == go.pass()));
            for (i, played) in trace.iter().enumerate().skip(1) {
                assert_eq!(played.second, i % 2 == 1, "players take turns");
                if played.action == go.pass() {
                    continue;
                }
                let point = board.point(played.action as u16);
                assert_eq!(board.colour(point), EMPTY, "move {i}");
                let colour = u8::from(played.second);
                assert!(!matches!(board.effect(point, colour), Effect::Suicide | Effect::LoneSuicide));
                board.place(point, colour);
            }
            assert!(end.board.is_consistent());
            assert!(board.points().all(|q| board.colour(q) == end.board.colour(q)));
            if !go.territory {
                assert_eq!(result, outcome(go.margin(&end)));
            }
        }
    }
}

#[test]
fn the_same_seed_plays_the_same() {
    let go = go("size=9");
    for style in STYLES {
        let [a, b, c] = [4, 4, 5].map(|seed| {
            let mut trace = Trace::new();
            go.playout(&mut go.initial(), style, &mut Rng::with_seed(seed), Some(&mut trace));
            trace
        });
        assert!(a == b && a != c);
    }
}

#[test]
fn uniform_playouts_are_rollouts() {
    let go = go("size=9");
    walk(&go, 2, false, |p, _| {
        let mut trace = Trace::new();
        let rollout = go.rollout(&mut p.clone(), &mut Rng::with_seed(8));
        assert_eq!(go.playout(&mut p.clone(), Style::Uniform, &mut Rng::with_seed(8), None), rollout);
        assert_eq!(go.playout(&mut p.clone(), Style::Uniform, &mut Rng::with_seed(8), Some(&mut trace)), rollout);
    });
}

fn close(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
}

/// Calls `each` with positions of games played by knowledge.
fn games_by_knowledge(go: &Go, games: u64, mut each: impl FnMut(&Position, Option<Action>)) {
    for seed in 0..games {
        let (mut rng, mut buffer) = (Rng::with_seed(seed), Vec::new());
        let (mut p, mut last) = (go.initial(), None);
        while go.result(&p).is_none() {
            each(&p, last);
            let action = go.playout_action(&p, Style::Knowledge, &mut rng, &mut buffer);
            go.play(&mut p, action);
            last = Some(action);
        }
    }
}

#[test]
fn knowledge_looks_the_same_from_every_side_and_with_colours_exchanged() {
    for (parameters, exchanged) in [
        ("size=9 komi=3.5", "size=9 komi=-3.5"),
        ("size=6 komi=-1 scoring=territory", "size=6 komi=1 scoring=territory"),
        ("size=5x8 komi=2.5", "size=5x8 komi=-2.5"),
    ] {
        let (go, other) = (go(parameters), go(exchanged));
        let mut images: Vec<Position> = Vec::new();
        let mut twin = other.initial();
        let (mut actions, mut preferences, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        let (mut features, mut their_features) = (MoveFeatures::default(), MoveFeatures::default());
        games_by_knowledge(&go, 4, |p, last| {
            match last {
                None => {
                    images = vec![go.initial(); go.frames().into()];
                    twin = other.initial();
                    other.set_player(&mut twin, Player::Second);
                }
                Some(action) => {
                    for (frame, image) in (0..).zip(&mut images) {
                        go.play(image, go.to_frame(frame, action));
                    }
                    other.play(&mut twin, action);
                }
            }
            let value = go.evaluate(&mut p.clone()).unwrap();
            assert!(value.abs() <= 1.0);
            go.actions(p, &mut actions);
            go.preferences(p, &actions, &mut preferences);
            go.features(p, &actions, &mut features);
            for (frame, image) in (0..).zip(&images) {
                let there: Vec<Action> = actions.iter().map(|&a| go.to_frame(frame, a)).collect();
                go.preferences(image, &there, &mut theirs);
                assert!(close(&theirs, &preferences), "{preferences:?} {theirs:?}");
                go.features(image, &there, &mut their_features);
                assert_eq!(their_features, features);
                assert!((go.evaluate(&mut image.clone()).unwrap() - value).abs() < 1e-4);
            }
            other.preferences(&twin, &actions, &mut theirs);
            assert!(close(&theirs, &preferences));
            other.features(&twin, &actions, &mut their_features);
            assert_eq!(their_features, features);
            assert!((other.evaluate(&mut twin.clone()).unwrap() - value).abs() < 1e-4);
        });
    }
}

#[test]
fn preferences_put_tactics_first() {
    // Black to move: E5 takes two stones, of which C4 escapes; G2 saves a stone, G8 is a bad throw-in, A1 an eye.
    let go = go("size=9");
    let p = go.parse_position("9/9/9/9/2XX5/1XOO5/2XX5/9/9 b").unwrap();
    let take = preference(&go, &p, "E4");
    assert!(take > preference(&go, &p, "G7") + 1.0);
    assert!(take > preference(&go, &p, "A1") + 2.0);
    // The same chain, White to move: running makes three liberties.
    let p = go.parse_position("9/9/9/9/2XX5/1XOO5/2XX5/9/9 w").unwrap();
    assert!(preference(&go, &p, "E4") > preference(&go, &p, "G7") + 1.0);
    // A stone on the edge, in atari, runs in vain.
    let p = go.parse_position("9/9/9/9/9/9/9/1XX6/1XO1X4 w").unwrap();
    assert!(preference(&go, &p, "D1") < preference(&go, &p, "G7"));
    // One's own eye last of all, a self-atari late, a pass when nothing else makes sense.
    let p = go.parse_position("9/9/9/9/9/XX7/1X6X/XX5X1/1X5X1 b").unwrap();
    assert!(preference(&go, &p, "A1") < preference(&go, &p, "pass"));
    assert!(preference(&go, &p, "pass") < preference(&go, &p, "E5"));
    let p = go.parse_position("9/9/9/9/9/9/9/XX7/2XO5 w").unwrap();
    assert!(preference(&go, &p, "A1") < preference(&go, &p, "E5") - 1.0);
    let go = self::go("size=5");
    let p = go.parse_position("1X1X1/XXXXX/XXXXX/XXXXX/1X1X1 b").unwrap();
    assert!(preference(&go, &p, "pass") > preference(&go, &p, "A1"));
}

#[test]
fn a_ladder_is_read_to_its_end() {
    // A white stone in atari that runs from the lower left towards the upper right, without and with a white stone
    // there that breaks the ladder.
    let go = go("size=9");
    let lost = go.parse_position("9/9/9/9/9/9/2X6/1XO6/2XX5 w").unwrap();
    let saved = go.parse_position("9/9/9/5O3/9/9/2X6/1XO6/2XX5 w").unwrap();
    let stone = lost.board.point(9 + 2);
    assert_eq!(lost.board.last_liberty(stone), lost.board.point(9 + 3));
    assert!(ladder::is_lost(&lost.board, stone));
    assert!(!ladder::is_lost(&saved.board, stone));
    assert!(preference(&go, &lost, "D2") + 1.0 < preference(&go, &saved, "D2"));
}

#[test]
fn playouts_know_life_and_death() {
    // All but White's corner is Black's for good. Komi lies between Black's lead if White lives there and if he dies.
    let go = go("size=7 komi=40");
    for (name, rows, mover, sure) in [
        ("two eyes", "XXXXXXX/OOOOXXX/1O1OXXX", "b", -0.95),
        ("two eyes", "XXXXXXX/OOOOXXX/1O1OXXX", "w", -0.95),
        ("one eye", "XXXXXXX/OOXXXXX/1OXXXXX", "b", 0.95),
        ("one eye", "XXXXXXX/OOXXXXX/1OXXXXX", "w", 0.95),
        ("three in a row", "XXXXXXX/OOOOXXX/3OXXX", "b", 0.9),
        ("three in a row", "XXXXXXX/OOOOXXX/3OXXX", "w", -0.9),
        ("four in a row", "XXXXXXX/OOOOOXX/4OXX", "b", -0.6),
        ("square four", "OOOXXXX/2OXXXX/2OXXXX", "b", 0.4),
    ] {
        let p = go.parse_position(&format!("1X1XXXX/XXXXXXX/XXXXXXX/XXXXXXX/{rows} {mover}")).unwrap();
        let mean = mean(&go, &p, Style::Knowledge, 400);
        assert!(if sure > 0.0 { mean > sure } else { mean < sure }, "{name}, {mover} to move: {mean}");
    }
}

#[test]
fn playouts_leave_a_seki_alone() {
    // Seven white stones and six black ones share D1 and D2. Black leads by three if nobody plays there.
    for (komi, sure) in [(2.5, 0.8), (3.5, -0.8)] {
        let go = go(&format!("size=7 komi={komi}"));
        for mover in ["b", "w"] {
            let p =
                go.parse_position(&format!("1X1XO1O/XXXXOOO/XXXXO1O/XXXXOOO/XOOOXXO/XOO1XXO/XOO1XXO {mover}")).unwrap();
            let mean = mean(&go, &p, Style::Knowledge, 400);
            assert!(mean / sure > 1.0, "{mover} to move, komi {komi}: {mean}");
        }
    }
}

#[test]
fn a_lead_is_worth_more_the_fuller_the_board() {
    let go = go("size=9 komi=0");
    let value = |text: &str| go.evaluate(&mut go.parse_position(text).unwrap()).unwrap();
    // Black has nine points more.
    let (wall, halves) = ("4XO3/4XO3/4XO3/4XO3/4XO3/4XO3/4XO3/4XO3/4XO3", "1X1XXOO1O/XXXXXOOOO/XXXXXOOOO");
    let full = format!("{halves}/{}", ["XXXXXOOOO"; 6].join("/"));
    assert!(value(&format!("{wall} b")) > 0.3 && value(&format!("{wall} w")) < -0.15);
    assert!(value(&format!("{full} b")) > 0.85 && value(&format!("{full} w")) < -0.85);
    // Each can take eight stones of the other's.
    let race = |mover: &str| value(&format!("9/9/9/9/XXXXXXXXX/OOOOOOOO1/XXXXXXXX1/OOOOOOOOO/9 {mover}"));
    assert!(race("b") > 0.2 - race("w"), "{} {}", race("b"), race("w"));
    // An even start is nearly even, and komi counts.
    assert!(value("9/9/9/9/9/9/9/9/9 b").abs() < 0.3);
    let generous = self::go("size=9 komi=30");
    assert!(generous.evaluate(&mut generous.initial()).unwrap() < -0.6);
}
