use super::*;
use crate::perft::perft;

pub(super) fn go(parameters: &str) -> Go {
    let pairs = parameters.split_whitespace().map(|pair| pair.split_once('=').unwrap());
    Go::new(&Params(pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect())).unwrap()
}

pub(super) fn play(go: &Go, p: &mut Position, moves: &str) {
    for text in moves.split_whitespace() {
        let action = go.parse_action(p, text).unwrap_or_else(|| panic!("{text} is illegal"));
        go.play(p, action);
    }
}

/// Calls `each` with the positions of random games, `eyes` saying whether eyes may be filled, and the last move.
pub(super) fn walk(go: &Go, games: u64, eyes: bool, mut each: impl FnMut(&Position, Option<Action>)) {
    let mut actions = Vec::new();
    for seed in 0..games {
        let mut rng = Rng::with_seed(seed);
        let mut p = go.initial();
        let mut last = None;
        loop {
            each(&p, last);
            go.actions(&p, &mut actions);
            if actions.is_empty() {
                break;
            }
            actions.retain(|&a| a != go.pass() && (eyes || !p.board.is_eye(p.board.point(a as u16), p.mover)));
            let a = if actions.is_empty() { go.pass() } else { actions[rng.usize(..actions.len())] };
            go.play(&mut p, a);
            last = Some(a);
        }
    }
}

#[test]
fn perft_counts_are_those_of_the_definition() {
    for (parameters, expected) in [
        ("size=2", &[5, 21, 68, 156, 316, 604, 1088, 2184, 4184][..]),
        ("size=2 ko=situational suicide=true", &[5, 21, 68, 156, 316, 604, 1184, 2672]),
        ("size=2 ko=simple", &[5, 21, 68, 156, 316, 604, 1168, 2296]),
        ("size=3", &[10, 91, 738, 5281, 33384, 179_712, 842_696]),
        ("size=4", &[17, 273, 4112, 57984, 764_016]),
        ("size=5", &[26, 651, 15650, 361_041]),
        ("size=3x2", &[7, 43, 222, 934, 3242, 8666]),
    ] {
        let go = go(parameters);
        let counts: Vec<u64> = (1..=expected.len() as u32).map(|depth| perft(&go, &go.initial(), depth)).collect();
        assert_eq!(counts, expected, "{parameters}");
    }
}

#[test]
fn boards_that_can_be_set_up_are_the_legal_ones_of_tromp_and_farneback() {
    for (columns, rows, legal) in [(2, 2, 57), (3, 2, 489), (2, 3, 489), (3, 3, 12675)] {
        let go = go(&format!("size={columns}x{rows}"));
        let texts = (0..3_u32.pow(columns * rows)).map(|number| {
            let stone = |i: u32| ["X", "O", "1"][(number / 3_u32.pow(i) % 3) as usize];
            let row = |r: u32| (r * columns..(r + 1) * columns).map(stone).collect::<String>();
            // Single digits in a row are one number: "11" would be eleven points.
            let rows = (0..rows).map(row).map(|row| row.replace("111", "3").replace("11", "2"));
            rows.collect::<Vec<_>>().join("/") + " b"
        });
        assert_eq!(texts.filter(|text| go.parse_position(text).is_ok()).count(), legal);
    }
}

#[test]
fn keys_follow_the_symmetries() {
    for parameters in [
        "size=3",
        "size=5 scoring=territory",
        "size=4 ko=situational suicide=true",
        "size=6 ko=simple",
        "size=5x3",
        "size=4x6 scoring=territory ko=situational",
    ] {
        let go = go(parameters);
        let mut images: Vec<Position> = Vec::new();
        walk(&go, 10, true, |p, last| {
            match last {
                None => images = vec![p.clone(); go.frames().into()],
                Some(a) => (0..go.frames()).for_each(|f| go.play(&mut images[usize::from(f)], go.to_frame(f, a))),
            }
            for frame in 0..go.frames() {
                assert_eq!(go.frame_key(p, frame), go.frame_key(&images[usize::from(frame)], 0), "{parameters}");
            }
        });
    }
}

#[test]
fn boards_stay_consistent() {
    for parameters in ["size=5 suicide=true", "size=9", "size=2 ko=simple", "size=25x3", "size=2x13"] {
        let go = go(parameters);
        walk(&go, 10, true, |p, _| {
            assert!(p.board.is_consistent());
            let mut keys = [0; 8];
            for point in p.board.points() {
                if p.board.colour(point) < EMPTY {
                    toggle(&mut keys, go.keys.stone(point, p.board.colour(point)));
                }
            }
            assert_eq!(keys, p.keys);
        });
    }
}

#[test]
fn playouts_end_in_boards_that_count_as_they_say() {
    for parameters in ["size=5 komi=0", "size=9", "size=13 ko=simple", "size=13x6", "size=2x25"] {
        let go = go(parameters);
        let mut rng = Rng::with_seed(9);
        let mut scratch = go.initial();
        walk(&go, 4, false, |p, _| {
            scratch.clone_from(p);
            let result = go.rollout(&mut scratch, &mut rng);
            assert!(scratch.board.is_consistent());
            assert!(p.repeated || result == outcome(go.margin(&scratch)));
        });
    }
}

#[test]
fn a_won_game_is_won_in_every_playout() {
    // Black owns all of the board under either scoring; White has lost one stone more than he could spare.
    for parameters in ["size=5 komi=20", "size=5 komi=3 scoring=territory"] {
        let go = go(parameters);
        let p = go.parse_position("1X1X1/XXXXX/5/XXXXX/1X1X1 b").unwrap();
        let mut rng = Rng::with_seed(2);
        for _ in 0..20 {
            assert!(go.rollout(&mut p.clone(), &mut rng) > 0.0, "{parameters}");
        }
    }
}

#[test]
fn sending_two_returning_one_recreates_the_board() {
    let start = "5/5/XXO2/XXOO1/1O1O1 w";
    for (ko, legal, draw) in [("positional", false, false), ("situational", true, false), ("simple", true, true)] {
        let go = go(&format!("size=5 ko={ko}"));
        let mut p = go.parse_position(start).unwrap();
        play(&go, &mut p, "A1 C1");
        assert_eq!(p.captures, [2, 0]);
        assert_eq!(go.parse_action(&p, "b1").is_some(), legal, "{ko}");
        assert_eq!(go.still_legal(&p, 1), legal);
        let fresh = go.parse_position("5/5/XXO2/XXOO1/2XO1 w - 0 2 0 2").unwrap();
        assert_eq!(go.path_dependent(&p), ko != "situational");
        assert_eq!(go.frame_key(&p, 0) == go.frame_key(&fresh, 0), ko == "situational");
        if legal {
            play(&go, &mut p, "B1");
            assert_eq!(go.result(&p), draw.then_some(0.0));
            assert_eq!(go.path_dependent(&p), draw);
        }
        if draw {
            assert!(go.play_on(&mut p) && go.result(&p).is_none() && !go.path_dependent(&p));
            play(&go, &mut p, "pass pass");
            assert!(!go.play_on(&mut p), "passes end a game");
        }
    }
}

/// A 19 by 19 board with `number` kos, of which White may take those with an odd number.
fn kos(number: usize) -> String {
    let mut rows = vec![String::new(); 19];
    for ko in 0..number {
        let shape = [".XO.", if ko % 2 == 0 { "XO.O" } else { "X.XO" }, ".XO."];
        for (line, shape) in shape.into_iter().enumerate() {
            rows[4 * (ko / 4) + line].push_str(shape);
        }
    }
    let row = |row: String| {
        let row = format!("{row:.<19}");
        let runs = (1..=19).rev().map(|run| (".".repeat(run), run.to_string()));
        runs.fold(row, |row, (dots, run)| row.replace(&dots, &run))
    };
    rows.into_iter().map(row).collect::<Vec<_>>().join("/") + " b"
}

#[test]
fn a_round_of_kos_ends_where_the_board_would_come_back() {
    for number in [3, 5, 7] {
        let go = go("size=19");
        let mut p = go.parse_position(&kos(number)).unwrap();
        let take = |p: &Position, turn: usize| {
            let ko = turn % number;
            let middle = 17 - 4 * (ko as u16 / 4);
            p.board.action(p.board.point(middle * 19 + 4 * (ko as u16 % 4) + if p.mover == BLACK { 2 } else { 1 }))
        };
        for turn in 0..2 * number - 1 {
            let action = u32::from(take(&p, turn));
            assert!(go.still_legal(&p, action) && !go.path_dependent(&p), "turn {turn} of {number} kos");
            go.play(&mut p, action);
        }
        let last = u32::from(take(&p, 2 * number - 1));
        assert!(!go.still_legal(&p, last) && go.path_dependent(&p));
        assert_eq!(go.parse_action(&p, &go.action_text(&p, last)), None);
    }
}

#[test]
fn bad_parameters_are_named() {
    let error = |name: &str, value: &str| Go::new(&Params([(name.into(), value.into())].into())).unwrap_err();
    assert_eq!(error("size", "26"), "go: size=26 is not within 2 and 25");
    assert_eq!(error("size", "9x1"), "go: size=9x1 is not within 2 and 25");
    assert_eq!(error("size", "9x9x9"), "parameter size: cannot read \"9x9x9\"");
    assert_eq!(error("komi", "nan"), "go: komi=NaN is not within -1000 and 1000");
    assert!(error("ko", "super").contains("positional, situational, simple"));
    assert!(error("scoring", "stones").contains("area, territory"));
    assert!(error("suicide", "maybe").contains("suicide"));
}
