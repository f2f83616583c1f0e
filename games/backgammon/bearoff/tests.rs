use std::{collections::HashMap, sync::LazyLock};

use super::{index::side, *};
use crate::{
    Game, Params, Player,
    backgammon::{self, Backgammon},
};

static TABLES: LazyLock<Bearoff> = LazyLock::new(|| Bearoff::solve(3, |_| true).unwrap());

fn mean(rolls: &[f32]) -> f32 {
    (0..).zip(rolls).map(|(roll, chance)| roll as f32 * chance).sum()
}

#[test]
fn rolls_are_gnubg_s() {
    let rolls = |home: Home| TABLES.rolls(side(home)).unwrap();
    for (home, expected) in [
        ([1, 0, 0, 0, 0, 0], 1.0),
        ([0, 0, 0, 0, 0, 1], 1.25),
        ([0, 0, 0, 0, 0, 2], 2.1096),
        ([7, 5, 3, 0, 0, 0], 6.9844),
        ([3, 3, 3, 2, 2, 2], 7.5550),
        ([0, 0, 0, 0, 0, 15], 12.2663),
    ] {
        assert!((mean(&rolls(home)) - expected).abs() < 4e-4, "{home:?} {}", mean(&rolls(home)));
    }
    let two = rolls([0, 0, 0, 0, 0, 2]);
    for (chance, expected) in two.iter().zip([0.0, 0.1111, 0.6713, 0.2145, 0.0031]) {
        assert!((chance - expected).abs() < 1e-4, "{two:?}");
    }
    assert_eq!(rolls([0; 6]), [1.0]);
    assert_eq!(TABLES.rolls(backgammon::START), None);
}

/// The first player's chance by the rules of the kernel, all plays tried.
fn searched(game: &Backgammon, p: &backgammon::Position, known: &mut HashMap<u64, f64>) -> f64 {
    if let Some(result) = game.result(p) {
        return f64::from(u8::from(result > 0.0));
    }
    let key = game.frame_key(p, 0);
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    let values = actions.iter().map(|&a| {
        let mut after = *p;
        game.play(&mut after, a);
        searched(game, &after, known)
    });
    let value = match game.player(p) {
        Player::First => values.fold(0.0, f64::max),
        Player::Second => values.fold(1.0, f64::min),
        Player::Chance => values.zip(&actions).map(|(value, &a)| value * f64::from(game.probability(p, a))).sum(),
    };
    known.insert(key, value);
    value
}

#[test]
fn wins_are_those_of_a_full_search_and_rolls_alone_come_near() {
    let game = Backgammon::new(&Params::default()).unwrap();
    let mut known = HashMap::new();
    let homes: Vec<Home> = index::positions(2).split_off(1);
    let mut worst = 0.0_f32;
    for &own in &homes {
        for &other in &homes {
            let (own, other) = (side(own), side(other));
            let p = backgammon::Position::rolling([own, other]);
            let exact = TABLES.wins(own, other).unwrap();
            assert!((f64::from(exact) - searched(&game, &p, &mut known)).abs() < 2e-7, "{own:?} {other:?}");
            let [mine, theirs] = [own, other].map(|side| TABLES.all_off.get(rank(&home(side).unwrap(), CHECKERS)));
            worst = worst.max((theirs.outlasts(mine, 0) - exact).abs());
        }
    }
    assert!((1e-6..0.01).contains(&worst), "{worst}");
}

#[test]
fn gammons_are_counted_where_nothing_is_off() {
    let (last, full) = (side([1, 0, 0, 0, 0, 0]), side([3, 3, 3, 2, 2, 2]));
    // Whoever has one checker left on the first point wins with the next roll, before or after the other's.
    assert_eq!(TABLES.points(last, full, true), Some(2.0));
    assert_eq!(TABLES.points(last, full, false), Some(1.0));
    assert_eq!(TABLES.points(full, last, true), Some(-1.0), "the first roll bears one off");
    // From the sixth point the eleven rolls with a 6 bear one off, and 51, 42, 33 and 22: 17 of 36.
    let rear = side([0, 0, 0, 0, 0, 15]);
    let points = TABLES.points(rear, last, true).unwrap();
    assert!((points - (-1.0 - 19.0 / 36.0)).abs() < 1e-3, "{points}");
    assert_eq!(TABLES.points(backgammon::START, last, true), None);
}

#[test]
fn a_file_is_read_as_it_was_written_and_a_wrong_one_is_refused() {
    let bytes = TABLES.to_bytes();
    let read = Bearoff::from_bytes(&bytes).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    for (change, why) in [
        (Vec::new(), "not a bear-off database"),
        (bytes[..30].to_vec(), "cut short"),
        (bytes[..bytes.len() - 1].to_vec(), "bytes instead of"),
        ([&bytes[..], b"x"].concat(), "bytes instead of"),
        (flipped(&bytes, 16), "of version 0"),
        (flipped(&bytes, 28), "bytes instead of"),
        (flipped(&bytes, 43), "checksum"),
        (flipped(&bytes, bytes.len() / 2), "checksum"),
        (flipped(&bytes, bytes.len() - 1), "checksum"),
    ] {
        let error = Bearoff::from_bytes(&change).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let missing = Bearoff::open(Path::new("nowhere/table.bearoff")).unwrap_err();
    assert!(missing.starts_with("nowhere/table.bearoff: "), "{missing}");
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}
