use super::{position::KEYS, *};
use crate::perft::perft;

pub(super) const GAME: Backgammon = Backgammon { gammons: true, bearoff: None };

/// These checkers by point; the others are off.
pub(super) fn side(points: &[(usize, u8)]) -> Side {
    let mut counts = [0; 26];
    for &(point, count) in points {
        counts[point] = count;
    }
    counts[0] = 15 - counts.iter().sum::<u8>();
    Side::new(&counts)
}

fn position(text: &str) -> Position {
    GAME.parse_position(text).unwrap()
}

fn plays(text: &str) -> Vec<String> {
    let (p, mut actions) = (position(text), Vec::new());
    GAME.actions(&p, &mut actions);
    actions.iter().map(|&a| GAME.action_text(&p, a)).collect()
}

#[test]
fn perft_agrees_with_gnubg() {
    let start = position("4HPwATDgc/ABMA 0 -");
    assert_eq!([1, 2].map(|depth| perft(&GAME, &start, depth)), [447, 202_782]);
    assert_eq!(perft(&GAME, &GAME.initial(), 1), 380);
    for (roll, count) in [(11, 42), (21, 15), (33, 73), (55, 4), (61, 10), (65, 7)] {
        assert_eq!(perft(&GAME, &position(&format!("4HPwATDgc/ABMA 1 {roll}")), 1), count, "{roll}");
    }
}

#[test]
fn both_dice_are_played_if_possible_and_the_higher_if_not() {
    for (text, expected) in [
        ("AIABAABAAAAAAA 0 65", "20/14"),
        ("AAwGAAAAAQAAAA 0 65", "20/15"),
        ("AAwAAABAAAAAAA 0 65", "20/9"),
        ("BgAAAAIACAAAAA 0 61", "24/17 24/18,7/6"),
        ("2AAAAAwAgAAAAA 0 54", "pass"),
        ("27YdAABgAAAEAA 0 66", "pass"),
        ("AwAAAAMAYAAAAA 0 61", "bar/19"),
        ("EAAAAEAACAAAAA 0 52", "bar/20*/18 bar/20*,13/11 bar/18 bar/23,13/8"),
        ("AwAAwAAAAAAAAA 0 65", "4/off(2)"),
        ("AwAAIAIAAAAAAA 0 54", "6/1,3/off 6/2,3/off"),
        ("AADAIAIAAAAAAA 0 54", "6/1,3/off"),
        ("AwAAUAAAAAAAAA 0 65", "3/off,2/off"),
        ("AwAAAAEAAAAAAA 0 61", "6/off"),
        ("AwAAQAQAAAAAAA 0 21", "7/4 7/5,4/3 7/6,4/2 4/1"),
        ("AACAAYAAAAAAAA 0 33", "13/4"),
        ("AwAA4AAAAAAAAA 0 66", "3/off(3)"),
        ("AwAAAAkAAAAAAA 0 52", "8/3,6/4 8/1"),
        ("QAAAAAAAAgAAAA 0 65", "24/18*/13 24/13"),
    ] {
        assert_eq!(plays(text).join(" "), expected, "{text}");
        assert_eq!(plays(&text.replace(" 0 ", " 1 ")).join(" "), expected, "{text}");
    }
}

#[test]
fn keys_are_kept_and_tell_players_and_dice_apart() {
    let mut rng = Rng::with_seed(1);
    let mut actions = Vec::new();
    let mut p = GAME.initial();
    let mut keys = vec![GAME.frame_key(&p, 0)];
    while GAME.result(&p).is_none() {
        GAME.actions(&p, &mut actions);
        GAME.play(&mut p, actions[rng.usize(..actions.len())]);
        assert_eq!(p.key, Position::new(p.sides, p.player, p.phase).key);
        keys.push(GAME.frame_key(&p, 0));
    }
    for roll in ["-", "31", "32", "33"] {
        keys.extend([0, 1].map(|player| GAME.frame_key(&position(&format!("4HPwATDgc/ABMA {player} {roll}")), 0)));
    }
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

/// Positions whose checkers differ on four points have different sums of keys.
#[test]
fn no_few_checkers_weigh_as_much_as_others() {
    let mut sums = std::collections::HashMap::new();
    let keys: Vec<u64> = KEYS.into_iter().flatten().collect();
    for (i, &one) in keys.iter().enumerate() {
        for (j, &two) in keys.iter().enumerate().skip(i + 1) {
            for (a, b) in (1..=4_i64).flat_map(|a| (-4..=4).filter(|&b| b != 0).map(move |b| (a, b))) {
                let sum = one.wrapping_mul(a as u64).wrapping_add(two.wrapping_mul(b as u64));
                let other = sums.insert(sum.min(sum.wrapping_neg()), [(i, a), (j, b)]);
                assert_eq!(other, None, "{:?}", [(i, a), (j, b)]);
            }
        }
    }
}

#[test]
fn dice_fall_as_often_as_they_should() {
    let mut rng = Rng::with_seed(2);
    let mut outcomes = Vec::new();
    for p in [GAME.initial(), position("4HPwATDgc/ABMA 0 -")] {
        GAME.actions(&p, &mut outcomes);
        let total: f32 = outcomes.iter().map(|&a| GAME.probability(&p, a)).sum();
        assert!((total - 1.0).abs() < 1e-5);
        let mut seen = [0.0; 67];
        for _ in 0..36_000 {
            seen[GAME.sample(&p, &mut rng) as usize] += 1.0;
        }
        for &a in &outcomes {
            let expected = 36_000.0 * GAME.probability(&p, a);
            assert!((seen[a as usize] - expected).abs() < 5.0 * expected.sqrt(), "{a}");
        }
    }
}

#[test]
fn playouts_choose_every_play_alike() {
    let mut rng = Rng::with_seed(3);
    let mut actions = Vec::new();
    for roll in ["31", "55", "11"] {
        let p = position(&format!("4HPwATDgc/ABMA 0 {roll}"));
        let Phase::Play(dice) = p.phase else { unreachable!() };
        GAME.actions(&p, &mut actions);
        let mut seen = vec![0.0; actions.len()];
        for _ in 0..400 * actions.len() {
            let play = random_play(p.sides[0], p.sides[1], dice, &mut rng);
            seen[actions.iter().position(|&a| a == play).unwrap()] += 1.0;
        }
        assert!(seen.iter().all(|count: &f32| (count - 400.0).abs() < 100.0), "{seen:?}");
    }
}

#[test]
fn playouts_end_as_games_do() {
    let mut rng = Rng::with_seed(4);
    let results: Vec<f32> = (0..2000).map(|_| GAME.rollout(&mut GAME.initial(), &mut rng)).collect();
    for result in [1.0, 2.0, 3.0, -1.0, -2.0, -3.0].map(|points| points / 3.0) {
        assert!(results.contains(&result), "{result}");
    }
    assert!(results.iter().sum::<f32>().abs() < 100.0);
    let plain = Backgammon { gammons: false, bearoff: None };
    assert!((0..50).all(|_| plain.rollout(&mut plain.initial(), &mut rng).abs() == 1.0));
}

#[test]
fn malformed_positions_are_refused() {
    for text in [
        "",
        "4HPwATDgc/ABMA 0",
        "4HPwATDgc/ABMA 2 31",
        "4HPwATDgc/ABMA 0 37",
        "4HPwATDgc/ABMA 1 opening",
        "4HPwATDgc/ABMA 0 31 x",
        "4HPwATDgc/ABM 0 31",
        "4HPwATDgc/ABMB 0 31",
        "4HPwATDgc_ABMA 0 31",
        "////////////// 0 31",
        "/////////////w 0 31",
        // Both on one point, both finished, dice after the end, both shut out.
        "AAAEgAAAAAAAAA 0 -",
        "AAAAAAAAAAAAAA 0 -",
        "4HPwATAAAAAAAA 0 31",
        "27YBANC2bQAABA 0 -",
    ] {
        assert!(GAME.parse_position(text).is_err(), "{text}");
    }
}

/// The texts of the plays at a position, the most promising first.
fn preferred(text: &str) -> Vec<(String, f32)> {
    let (p, mut actions, mut out) = (position(text), Vec::new(), vec![7.0]);
    GAME.actions(&p, &mut actions);
    assert!(GAME.preferences(&p, &actions, &mut out));
    assert_eq!(out.len(), actions.len());
    let mut named: Vec<_> = actions.iter().map(|&a| GAME.action_text(&p, a)).zip(out).collect();
    named.sort_by(|one, two| two.1.total_cmp(&one.1));
    named
}

/// The plays of the opening that everybody agrees on, and the one that gnubg-nn prefers at 0 ply.
#[test]
fn openings_are_known() {
    for (roll, play) in [
        (31, "8/5,6/5"),
        (42, "8/4,6/4"),
        (61, "13/7,8/7"),
        (53, "8/3,6/3"),
        (65, "24/13"),
        (11, "8/7(2),6/5(2)"),
        (66, "24/18(2),13/7(2)"),
    ] {
        for player in 0..2 {
            let preferred = preferred(&format!("4HPwATDgc/ABMA {player} {roll}"));
            let place = preferred.iter().position(|(text, _)| text == play);
            assert!(place.is_some_and(|place| place < 2), "{roll}: {preferred:?}");
        }
    }
}

#[test]
fn evaluations_are_the_same_for_both_players_and_within_the_results() {
    let mut rng = Rng::with_seed(8);
    for gammons in [true, false] {
        let game = Backgammon { gammons, bearoff: None };
        for _ in 0..20 {
            let mut p = game.initial();
            while game.result(&p).is_none() {
                if game.player(&p) != Player::Chance {
                    let turned = Position::new([p.sides[1], p.sides[0]], 1 - p.player, p.phase);
                    let value = game.evaluate(&mut p).unwrap();
                    assert_eq!(game.evaluate(&mut turned.clone()), Some(value));
                    assert!((-1.0..=1.0).contains(&value), "{p:?}");
                    let mut actions = Vec::new();
                    game.actions(&p, &mut actions);
                    let best = game.playout_action(&p, Style::Knowledge, &mut rng, &mut Vec::new());
                    let (mut out, mut turned_out) = (Vec::new(), Vec::new());
                    assert!(game.preferences(&p, &actions, &mut out));
                    assert!(game.preferences(&turned, &actions, &mut turned_out));
                    assert_eq!(out, turned_out);
                    let most = out.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                    assert_eq!(out[actions.iter().position(|&a| a == best).expect("a legal play")], most);
                }
                let action = match game.player(&p) {
                    Player::Chance => game.sample(&p, &mut rng),
                    _ => game.playout_action(&p, Style::Uniform, &mut rng, &mut Vec::new()),
                };
                game.play(&mut p, action);
            }
        }
    }
}

/// Cubeless equities, in points, that gnubg-nn gives at 2 plies.
#[test]
fn values_are_near_those_of_gnubg() {
    for (text, points) in [
        ("4HPwATDgc/ABMA 0 -", 0.076),
        ("4HPwATDgc/ABMA 1 -", 0.076),
        // Races: level, ahead, with a gammon won.
        ("3HsPAADcew8AAA 0 -", 0.206),
        ("cN89AADcew8AAA 0 -", 0.944),
        ("cJ8HBwA2AAAAAA 0 -", 2.000),
        // A prime, a closed board, a game that goes badly.
        ("4HPwAVDYbhsGAA 0 -", 1.299),
        ("7N4HAEDbtjMAAA 0 -", 0.952),
        ("2J6DAwjgOfgAWA 0 -", -0.795),
    ] {
        let value = 3.0 * GAME.evaluate(&mut position(text)).unwrap();
        assert!((value - points).abs() < 0.25, "{text}: {value}, {points}");
    }
}

#[test]
fn a_playout_gives_its_trace() {
    for (style, seed) in [(Style::Uniform, 3), (Style::Knowledge, 4)] {
        let mut trace = Trace::new();
        let result = GAME.playout(&mut GAME.initial(), style, &mut Rng::with_seed(seed), Some(&mut trace));
        let mut again = Trace::new();
        assert_eq!(GAME.playout(&mut GAME.initial(), style, &mut Rng::with_seed(seed), Some(&mut again)), result);
        assert_eq!(trace, again);
        // With the same dice the plays are legal and lead to that result.
        let (mut rng, mut p, mut buffer) = (Rng::with_seed(seed), GAME.initial(), Vec::new());
        for played in &trace {
            while GAME.player(&p) == Player::Chance {
                let roll = GAME.sample(&p, &mut rng);
                GAME.play(&mut p, roll);
            }
            GAME.actions(&p, &mut buffer);
            assert!(buffer.contains(&played.action));
            assert_eq!(played.second, GAME.player(&p) == Player::Second);
            assert_eq!(GAME.playout_action(&p, style, &mut rng, &mut buffer), played.action);
            GAME.play(&mut p, played.action);
        }
        assert_eq!(GAME.result(&p), Some(result));
        assert!(!trace.is_empty());
    }
}

#[test]
fn knowledge_beats_chance() {
    let (mut rng, mut buffer, mut points) = (Rng::with_seed(2), Vec::new(), 0.0);
    const GAMES: usize = 100;
    for number in 0..GAMES {
        let knows = if number % 2 == 0 { Player::First } else { Player::Second };
        let mut p = GAME.initial();
        points += loop {
            if let Some(result) = GAME.result(&p) {
                break 3.0 * result * knows.sign();
            }
            let action = match GAME.player(&p) {
                Player::Chance => GAME.sample(&p, &mut rng),
                player if player == knows => GAME.playout_action(&p, Style::Knowledge, &mut rng, &mut buffer),
                _ => GAME.playout_action(&p, Style::Uniform, &mut rng, &mut buffer),
            };
            GAME.play(&mut p, action);
        };
    }
    assert!(points / GAMES as f32 > 2.0, "{points} points in {GAMES} games");
}
