//! Random games in which lines meet, players move twice and results lie between win and loss.

use std::collections::HashMap;

use playout_games::{Action, Game, Player, zobrist};
use playout_solver::{Method, Refusal};

use crate::common::{brute, solution};

const WIDTH: u64 = 12;
const HEIGHT: u32 = 9;

/// Positions are numbers on levels; hashes decide what each is and where its moves lead.
struct Levels {
    seed: u64,
    /// Results between win, draw and loss.
    between: bool,
    chance: bool,
    /// A move may lead back to the level that it comes from.
    back: bool,
}

#[derive(Clone)]
struct Place {
    level: u32,
    number: u64,
}

impl Levels {
    fn hash(&self, p: &Place, what: u64) -> u64 {
        zobrist::key(self.seed ^ what << 32, u64::from(p.level) << 32 | p.number)
    }
}

impl Game for Levels {
    type Position = Place;

    fn initial(&self) -> Place {
        Place { level: 0, number: 0 }
    }

    fn player(&self, p: &Place) -> Player {
        match self.hash(p, 4) % 8 {
            0 if self.chance && p.level > 0 => Player::Chance,
            0..4 => Player::First,
            _ => Player::Second,
        }
    }

    fn result(&self, p: &Place) -> Option<f32> {
        let over = p.level >= HEIGHT || p.level > 1 && self.hash(p, 1).is_multiple_of(4);
        over.then(|| match self.hash(p, 2) % 5 {
            0 if self.between => 0.25,
            1 if self.between => -0.75,
            0 | 2 => -1.0,
            1 | 3 => 1.0,
            _ => 0.0,
        })
    }

    fn actions(&self, p: &Place, out: &mut Vec<Action>) {
        out.clear();
        if self.result(p).is_none() {
            out.extend(0..2 + (self.hash(p, 3) % 3) as Action);
        }
    }

    fn probability(&self, p: &Place, a: Action) -> f32 {
        let count = 2 + (self.hash(p, 3) % 3) as Action;
        (1 + a) as f32 / (count * (count + 1) / 2) as f32
    }

    fn play(&self, p: &mut Place, a: Action) {
        let hash = self.hash(p, 6 + u64::from(a));
        let stays = self.back && p.level > 0 && hash >> 32 & 7 == 0;
        *p = Place { level: p.level + u32::from(!stays), number: hash % WIDTH };
    }

    fn frame_key(&self, p: &Place, _: u8) -> u64 {
        zobrist::key(9, u64::from(p.level) << 32 | p.number)
    }

    fn action_text(&self, _: &Place, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<Place, String> {
        Err("no texts".to_owned())
    }

    fn acyclic(&self) -> bool {
        !self.back
    }
}

/// The first player's expectation.
fn mean(game: &Levels, p: &Place) -> f64 {
    if let Some(result) = game.result(p) {
        return result.into();
    }
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    let values = actions.iter().map(|&a| {
        let mut child = p.clone();
        game.play(&mut child, a);
        mean(game, &child)
    });
    match game.player(p) {
        Player::First => values.fold(-1.0, f64::max),
        Player::Second => values.fold(1.0, f64::min),
        Player::Chance => values.zip(&actions).map(|(v, &a)| v * f64::from(game.probability(p, a))).sum(),
    }
}

#[test]
fn values_and_lengths_without_chance() {
    for seed in 0..300 {
        let game = Levels { seed, between: seed % 2 == 0, chance: false, back: false };
        let (value, plies) = brute(&game, &game.initial(), &mut HashMap::new());
        for all_moves in [false, true] {
            let found = solution(&game, &game.initial(), Method::AlphaBeta, all_moves).expect("no refusal");
            assert_eq!((found.lower, found.upper), (value, value), "seed {seed}");
            assert_eq!(found.plies, (value != 0.0).then_some(plies), "seed {seed}");
            match solution(&game, &game.initial(), Method::ProofNumber, all_moves) {
                Ok(found) => assert_eq!((found.lower, found.upper), (value, value), "seed {seed}"),
                Err(refusal) => assert!(game.between && refusal == Refusal::Result),
            }
        }
    }
}

#[test]
fn means_with_chance() {
    for seed in 0..300 {
        let game = Levels { seed, between: seed % 2 == 0, chance: true, back: false };
        let value = f64::from(game.player(&game.initial()).sign()) * mean(&game, &game.initial());
        for all_moves in [false, true] {
            let found = solution(&game, &game.initial(), Method::Auto, all_moves).expect("no refusal");
            assert!((f64::from(found.lower) - value).abs() < 1e-6 && found.is_solved(), "seed {seed}");
        }
    }
}

/// With lines that may come back, a method finds the value that the rest of the game forces, or says what it met. No
/// brute force defines a value here; the methods must not contradict each other.
#[test]
fn lines_that_come_back_are_refused_or_do_not_matter() {
    let mut refused = 0;
    for seed in 0..200 {
        let game = Levels { seed, between: false, chance: false, back: true };
        let found = [Method::AlphaBeta, Method::ProofNumber].map(|m| solution(&game, &game.initial(), m, false));
        refused += found.iter().filter(|found| matches!(found, Err(Refusal::Cycle))).count();
        if let [Ok(one), Ok(other)] = found {
            assert_eq!((one.lower, one.upper), (other.lower, other.upper), "seed {seed}");
        }
    }
    assert!((1..400).contains(&refused), "{refused}");
}
