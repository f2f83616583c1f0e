use std::collections::HashMap;

use super::{Cells, Hex, Position, START, WORDS, fill::random_share, openings};
use crate::{Action, Game, Params, Player, Proof, Rng, perft::perft};

pub fn game(size: u32, swap: bool) -> Hex {
    let params = [("size", size.to_string()), ("swap", swap.to_string())];
    Hex::new(&Params(params.map(|(name, text)| (name.to_owned(), text)).into())).unwrap()
}

pub fn play(game: &Hex, moves: &str) -> Position {
    let mut p = game.initial();
    for name in moves.split_whitespace() {
        let a = game.parse_action(&p, name).unwrap_or_else(|| panic!("{name} in {moves}"));
        game.play(&mut p, a);
    }
    p
}

pub fn actions(game: &Hex, p: &Position) -> Vec<Action> {
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    actions
}

fn after(game: &Hex, p: &Position, a: Action) -> Position {
    let mut next = *p;
    game.play(&mut next, a);
    next
}

/// Whether the player to move wins, remembered by canonical key.
pub fn wins(game: &Hex, p: &Position, solved: &mut HashMap<u64, bool>) -> bool {
    if let Some(result) = game.result(p) {
        return result == game.player(p).sign();
    }
    let key = game.canonical(p).0;
    if let Some(&known) = solved.get(&key) {
        return known;
    }
    let mut actions = actions(game, p);
    let middle = actions.len() / 2;
    actions.rotate_left(middle);
    let win = actions.into_iter().any(|a| !wins(game, &after(game, p, a), solved));
    solved.insert(key, win);
    win
}

/// The mean result of uniformly random play, from Black's point of view.
fn mean(game: &Hex, p: &Position, known: &mut HashMap<u64, f64>) -> f64 {
    if let Some(result) = game.result(p) {
        return f64::from(result);
    }
    if let Some(&mean) = known.get(&game.frame_key(p, 0)) {
        return mean;
    }
    let actions = actions(game, p);
    let sum: f64 = actions.iter().map(|&a| mean(game, &after(game, p, a), known)).sum();
    known.insert(game.frame_key(p, 0), sum / actions.len() as f64);
    sum / actions.len() as f64
}

#[test]
fn perft_counts_every_line_of_play() {
    let counts = |game: Hex, depth| (1..=depth).map(|depth| perft(&game, &START, depth)).collect::<Vec<_>>();
    assert_eq!(counts(game(1, true), 2), [1, 0]);
    assert_eq!(counts(game(2, false), 5), [4, 12, 24, 12, 0]);
    assert_eq!(counts(game(2, true), 5), [4, 16, 36, 36, 12]);
    assert_eq!(counts(game(3, false), 7), [9, 72, 504, 3024, 15_120, 54_720, 146_880]);
    assert_eq!(counts(game(3, true), 7), [9, 81, 576, 3528, 18_144, 69_840, 201_600]);
    assert_eq!(counts(game(11, false), 3), [121, 121 * 120, 121 * 120 * 119]);
    assert_eq!(counts(game(11, true), 3), [121, 121 * 121, 121 * 120 * (119 + 1)]);
}

/// The winning first moves are those of exhaustive searches by others; the swap turns each of them into a loss.
#[test]
fn small_boards_solve_as_known() {
    for (size, openings) in [(1, "a1"), (2, "b1 a2"), (3, "c1 a2 b2 c2 a3"), (4, "d1 c2 b3 a4")] {
        let (plain, with_swap) = (game(size, false), game(size, true));
        let mut solved = HashMap::new();
        let mut winning = Vec::new();
        for a in 0..size * size {
            let win = !wins(&plain, &after(&plain, &START, a), &mut solved);
            assert_eq!(openings::wins(size, a), Some(win));
            if win {
                winning.push(plain.action_text(&START, a));
            }
            if (2..4).contains(&size) {
                let swapped = after(&with_swap, &after(&with_swap, &START, a), size * size);
                assert_eq!(wins(&with_swap, &swapped, &mut solved), !win);
                assert!(wins(&with_swap, &after(&with_swap, &START, a), &mut solved));
            }
        }
        let mut expected: Vec<&str> = openings.split(' ').collect();
        expected.sort_unstable();
        winning.sort_unstable();
        assert_eq!(winning, expected, "size {size}");
    }
}

#[test]
fn linked_stones_and_flood_agree_and_full_boards_have_one_winner() {
    let mut rng = Rng::with_seed(1);
    for size in 1..=26 {
        let game = game(size, true);
        for _ in 0..20 {
            let mut p = START;
            while game.result(&p).is_none() {
                let actions = actions(&game, &p);
                game.play(&mut p, actions[rng.usize(..actions.len())]);
            }
            assert_eq!(game.board.joins_top_to_bottom(&p.stones[0]), game.result(&p) == Some(1.0));
            assert!(actions(&game, &p).is_empty());
            assert_eq!(game.rollout(&mut p.clone(), &mut rng), game.result(&p).unwrap());

            let black = random_share(&game.board.all, (size * size).div_ceil(2), &mut rng);
            assert_eq!(black.len(), (size * size).div_ceil(2));
            let (mut blacks, mut whites) = (START, START);
            black.for_each(|cell| game.place(&mut blacks, 0, cell));
            game.board.all.minus(&black).for_each(|cell| game.place(&mut whites, 1, cell));
            assert_ne!(game.result(&blacks).is_some(), game.result(&whites).is_some());
            assert_eq!(game.board.joins_top_to_bottom(&black), game.result(&blacks).is_some());
        }
    }
}

#[test]
fn rollouts_are_uniform() {
    let games = 100_000;
    let mut rng = Rng::with_seed(2);
    assert_eq!(game(1, true).rollout(&mut START.clone(), &mut rng), 1.0);
    for (swap, moves) in [(false, ""), (true, ""), (true, "b2"), (false, "c1 a1"), (false, "b2 c1 a3")] {
        let game = game(3, swap);
        let p = play(&game, moves);
        let expected = mean(&game, &p, &mut HashMap::new());
        let sum: f32 = (0..games).map(|_| game.rollout(&mut p.clone(), &mut rng)).sum();
        let error = f64::from(sum) / f64::from(games) - expected;
        assert!(error.abs() < 4.0 / f64::from(games).sqrt(), "off by {error} after {moves:?}");
    }
}

#[test]
fn every_share_of_the_empty_cells_is_equally_likely() {
    let mut empty = Cells::<WORDS>::EMPTY;
    for cell in [0, 63, 64, 127, 128, 675] {
        empty.insert(cell);
    }
    let mut rng = Rng::with_seed(3);
    let mut counts = HashMap::new();
    for _ in 0..40_000 {
        let mut cells = Vec::new();
        random_share(&empty, 3, &mut rng).for_each(|cell| cells.push(cell));
        *counts.entry(cells).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 20);
    assert!(counts.values().all(|count| (1800..2200).contains(count)), "{counts:?}");
}

#[test]
fn a_first_move_that_is_known_to_win_is_swapped() {
    let mut counts = Vec::new();
    for size in 2..=9 {
        let game = game(size, true);
        let swaps: Vec<bool> = (0..size * size)
            .filter_map(|a| {
                let proven = game.prove(&after(&game, &START, a));
                let known = openings::wins(size, a)?;
                assert_eq!(matches!(proven, Some(Proof::Win(Some(swap))) if swap == size * size), known, "{size}: {a}");
                Some(known)
            })
            .collect();
        assert!(swaps.iter().eq(swaps.iter().rev()), "{size}: the half turn is a symmetry");
        counts.push(swaps.iter().filter(|&&wins| wins).count());
    }
    assert_eq!(counts, [2, 5, 4, 13, 24, 27, 32, 0]);
}

#[test]
fn a_swap_reflects_the_stone_and_is_offered_once() {
    let game = game(5, true);
    let first = play(&game, "b1");
    assert_eq!(actions(&game, &first).last(), Some(&25));
    let swapped = play(&game, "b1 swap-pieces");
    let same = game.parse_position("5/w4/5/5/5 b").unwrap();
    assert_eq!((swapped.stones, swapped.keys, game.player(&swapped)), (same.stones, same.keys, Player::First));
    for moves in ["", "b1 c1", "b1 swap-pieces", "b1 swap-pieces c1"] {
        let p = play(&game, moves);
        assert!(!actions(&game, &p).contains(&25) && !p.swap, "{moves}");
    }
    let mut p = first;
    assert!(game.set_player(&mut p, Player::First) && !actions(&game, &p).contains(&25));
    assert!(game.set_player(&mut p, Player::Second) && actions(&game, &p).contains(&25));
    let declined = game.parse_position("1b3/5/5/5/5 w").unwrap();
    assert_ne!(game.frame_key(&first, 0), game.frame_key(&declined, 0));
}

#[test]
fn frames_are_half_turns() {
    let game = game(5, true);
    let mut rng = Rng::with_seed(4);
    let (mut p, mut turned) = (START, START);
    while game.result(&p).is_none() {
        let actions = actions(&game, &p);
        let a = actions[rng.usize(..actions.len())];
        game.play(&mut p, a);
        game.play(&mut turned, game.to_frame(1, a));
        assert_eq!(game.undo_frame(1, game.to_frame(1, a)), a);
        assert_eq!([0, 1].map(|f| game.frame_key(&p, f)), [1, 0].map(|f| game.frame_key(&turned, f)));
        assert_eq!(game.result(&p), game.result(&turned));
    }
}

#[test]
fn position_text_gives_the_position_that_play_gives() {
    let game = game(11, true);
    for (moves, text) in [
        ("a1", "b10/11/11/11/11/11/11/11/11/11/11 w swap"),
        ("k1 swap-pieces i11", "11/11/11/11/11/11/11/11/11/11/w7b2 w"),
        ("c3 k11", "11/11/2b8/11/11/11/11/11/11/11/10w b"),
    ] {
        let (played, read) = (play(&game, moves), game.parse_position(text).unwrap());
        assert_eq!((played.stones, played.linked, played.keys), (read.stones, read.linked, read.keys));
        assert_eq!((played.second, played.swap, played.result), (read.second, read.swap, read.result));
    }
}

#[test]
fn malformed_positions_and_parameters_are_refused() {
    let three = game(3, true);
    assert_eq!(three.result(&three.parse_position("1b1/1b1/b2 w").unwrap()), Some(1.0));
    assert_eq!(three.result(&three.parse_position("3/www/3 b").unwrap()), Some(-1.0));
    for text in [
        "",
        "3/3/3",
        "3/3/3 x",
        "3/3/3 b b",
        "3/3 b",
        "3/3/3/3 b",
        "3/3/4 b",
        "3/3/bbbb b",
        "3/3/03 b",
        "3/3/3é b",
        "3/3/99999999999 b",
        "3/3/3 b swap",
        "1b1/3/1b1 w swap",
        "1w1/3/3 b swap",
        "1b1/3/3 swap w",
        "3/3/21b b",
    ] {
        assert!(three.parse_position(text).is_err(), "{text}");
    }
    assert!(game(3, false).parse_position("1b1/3/3 w swap").is_err());
    for (name, text) in [("size", "0"), ("size", "27"), ("size", "-1"), ("size", "x"), ("swap", "maybe")] {
        assert!(Hex::new(&Params([(name.to_owned(), text.to_owned())].into())).is_err());
    }
}

/// Each cell is counted once in each playout, on full boards, with and without the swap.
#[test]
fn cells_have_owners() {
    for (moves, swap) in [("", false), ("", true), ("c3", true), ("c3 swap-pieces", true), ("c3 b2 c1", false)] {
        let (game, mut rng) = (game(5, swap), Rng::with_seed(3));
        let p = play(&game, moves);
        let mut sums = Vec::new();
        for count in 1..=200 {
            let mut owners = Vec::new();
            game.add_owners(&mut p.clone(), &mut rng, &mut owners);
            assert!(owners.iter().all(|owner| owner.abs() == 1), "{moves}: {owners:?}");
            let black = owners.iter().filter(|&&owner| owner == 1).count();
            assert!((12..=13).contains(&black), "{moves}: {black} of 25 cells");
            game.add_owners(&mut p.clone(), &mut rng, &mut sums);
            assert!(sums.iter().all(|sum| sum.abs() <= count));
        }
        for cell in 0..25 {
            if p.stones[0].has(cell) && !game.may_swap(&p) {
                assert_eq!(sums[cell as usize], 200, "{moves}");
            }
        }
    }
}

/// A game that is over is not played on.
#[test]
fn empty_cells_of_a_finished_game_have_no_owner() {
    let game = game(2, false);
    let p = play(&game, "a1 b1 a2");
    assert!(game.result(&p).is_some());
    let mut owners = Vec::new();
    game.add_owners(&mut p.clone(), &mut Rng::with_seed(1), &mut owners);
    assert_eq!(owners, [1, -1, 1, 0]);
}
