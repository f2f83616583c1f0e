use super::*;
use crate::perft::perft;

const GAME: Backgammon = Backgammon { gammons: true };

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
    let plain = Backgammon { gammons: false };
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
