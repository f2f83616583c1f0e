use std::collections::{HashMap, HashSet};

use super::*;
use crate::perft::perft;

pub fn game(columns: u32, rows: u32) -> ConnectFour {
    let params = [("columns", columns), ("rows", rows)].map(|(name, n)| (name.to_owned(), n.to_string()));
    ConnectFour::new(&Params(params.into())).unwrap()
}

pub fn play(game: &ConnectFour, columns: &str) -> Position {
    let mut p = game.initial();
    for name in columns.chars() {
        let a = game.parse_action(&p, &name.to_string()).unwrap();
        game.play(&mut p, a);
    }
    p
}

#[test]
fn perft_counts_every_line_of_play() {
    let standard = game(7, 6);
    let counts: Vec<u64> = (1..=8).map(|depth| perft(&standard, &standard.initial(), depth)).collect();
    assert_eq!(counts, [7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234]);
}

#[test]
fn keys_tell_positions_apart_and_frames_join_mirror_images() {
    let game = game(7, 6);
    let mut level = vec![game.initial()];
    let (mut states, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..=6 {
        states.push(level.len());
        classes.push(level.iter().map(|p| game.canonical(p).0).collect::<HashSet<_>>().len());
        let mut next = HashMap::new();
        let mut actions = Vec::new();
        for p in &level {
            game.actions(p, &mut actions);
            for &a in &actions {
                let mut child = *p;
                game.play(&mut child, a);
                next.insert(game.frame_key(&child, 0), child);
            }
        }
        level = next.into_values().collect();
    }
    assert_eq!(states, [1, 7, 49, 238, 1120, 4263, 16_422]);
    assert_eq!(classes, [1, 4, 25, 121, 568, 2144, 8231]);
}

/// The value of perfect play and the mean result of uniformly random play, both from X's point of view.
fn solve(game: &ConnectFour, p: &Position, solved: &mut HashMap<u64, (f32, f64)>) -> (f32, f64) {
    if let Some(result) = game.result(p) {
        solved.insert(game.frame_key(p, 0), (result, f64::from(result)));
        return (result, f64::from(result));
    }
    if let Some(&known) = solved.get(&game.frame_key(p, 0)) {
        return known;
    }
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    let sign = game.player(p).sign();
    let (mut best, mut sum) = (-1.0_f32, 0.0);
    for &a in &actions {
        let mut child = *p;
        game.play(&mut child, a);
        let (value, mean) = solve(game, &child, solved);
        best = best.max(sign * value);
        sum += mean;
    }
    let found = (sign * best, sum / actions.len() as f64);
    solved.insert(game.frame_key(p, 0), found);
    found
}

/// The number of positions is Tromp's (tromp.github.io/c4/c4.html).
#[test]
fn four_by_four_is_a_draw_of_161029_positions_and_rollouts_are_uniform() {
    let game = game(4, 4);
    let mut solved = HashMap::new();
    let (value, mean) = solve(&game, &game.initial(), &mut solved);
    assert_eq!((value, solved.len()), (0.0, 161_029));
    let mut rng = Rng::with_seed(4);
    let games = 100_000;
    let sum: f32 = (0..games).map(|_| game.rollout(&mut game.initial(), &mut rng)).sum();
    let error = f64::from(sum) / f64::from(games) - mean;
    assert!(error.abs() < 4.0 / f64::from(games).sqrt(), "rollouts are off by {error}");
}

#[test]
fn fours_in_each_direction_win_and_end_the_game() {
    let game = game(7, 6);
    for (columns, result) in
        [("aabbccd", 1.0), ("abababa", 1.0), ("gabbccdcddfd", -1.0), ("gdccbbabaafa", -1.0), ("gadadada", -1.0)]
    {
        let p = play(&game, columns);
        let mut actions = vec![0];
        game.actions(&p, &mut actions);
        assert_eq!((game.result(&p), actions.len()), (Some(result), 0), "{columns}");
        assert_eq!(game.rollout(&mut p.clone(), &mut Rng::with_seed(1)), result);
    }
}

#[test]
fn no_four_runs_over_the_edge_of_the_board() {
    for (columns, rows) in [(9, 1), (8, 7), (7, 8), (9, 6), (4, 2)] {
        let game = game(columns, rows);
        let lines = (0..columns * rows).flat_map(|cell| [(1, 0), (0, 1), (1, 1), (1, -1)].map(|step| (cell, step)));
        for (cell, (across, up)) in lines {
            let cells = (0..4).map(|i| ((cell / rows) as i32 + i * across, (cell % rows) as i32 + i * up));
            let inside = |&(c, r): &(i32, i32)| c < columns as i32 && (0..rows as i32).contains(&r);
            let discs = cells.clone().filter(inside).fold(0, |d, (c, r)| d | 1 << (c * game.stride as i32 + r));
            assert_eq!(game.lines.has_four(discs), cells.clone().all(|cell| inside(&cell)));
        }
    }
}

#[test]
fn position_text_gives_the_position_that_play_gives() {
    let game = game(7, 6);
    let (played, read) = (play(&game, "dced"), game.parse_position("7/7/7/7/3o3/2oxx2 x").unwrap());
    assert_eq!((played.discs, played.second, played.keys), (read.discs, read.second, read.keys));
    assert_eq!(game.result(&game.parse_position("7/7/7/7/7/2oooo1 x").unwrap()), Some(-1.0));
    for text in ["", "7/7/7/7/7/7", "7/7/7/7/7/7 w", "7/7/7/7/7 x", "7/7/7/7/7/8 x", "7/7/7/7/x6/7 x", "7/7/7/7/7/7x x"]
    {
        assert!(game.parse_position(text).is_err(), "{text}");
    }
    assert!(game.parse_position("7/7/7/7/xxxx3/oooo3 x").is_err());
}

#[test]
fn sizes_out_of_range_are_refused() {
    for (columns, rows) in [("0", "6"), ("7", "10"), ("9", "9"), ("x", "6")] {
        let params = [("columns", columns), ("rows", rows)].map(|(name, n)| (name.to_owned(), n.to_owned()));
        assert!(ConnectFour::new(&Params(params.into())).is_err());
    }
}
