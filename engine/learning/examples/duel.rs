//! Plays games of chess between two look-aheads, which differ in some of their numbers:
//! `cargo run --release -p playout-learning --example duel GAMES NODES SEED OPENINGS.epd NAME=VALUE,... NAME=VALUE,...`.
//!
//! Each opening is played twice, with both colours. Printed is the score of the first, with its standard error over the
//! pairs, now and then and at the end. The effort is NODES positions a move, or `nodes=N` of one side. `nets=FILE` names
//! nets whose correction the static evaluation has, and `contempt=N` is a side's contempt in hundredths of a pawn.

#[path = "common/correction.rs"]
mod correction;

use correction::correct;
use playout_games::{
    Game as _, LookAhead, Params, Player, Rng, Wish,
    chess::{Chess, Lookahead, Position, Terms},
};

/// Bytes of each table.
const TABLE: usize = 16 << 20;
/// Random moves after an opening.
const RANDOM: usize = 2;
/// A game ends as won when both sides say so, this many plies in a row, with a value beyond this.
const DECIDED: (usize, f32) = (6, 0.97);
/// Most plies of a game, which is drawn then.
const PLIES: usize = 300;
/// Pairs of games between two lines.
const LINE: usize = 100;

/// One of the two sides.
struct Side {
    look_ahead: Lookahead,
    positions: u64,
    contempt: i32,
}

fn side_of(game: &Chess, nodes: u64, text: &str) -> Side {
    let (mut terms, mut nets, mut positions, mut contempt) = (Terms::default(), None, nodes, 0);
    for (name, value) in text.split(',').filter_map(|part| part.split_once('=')) {
        match name {
            "nets" => nets = Some(value),
            "nodes" => positions = value.parse().expect("nodes is a number"),
            "contempt" => contempt = value.parse().expect("contempt is a whole number"),
            _ => terms.set(name, value.parse().expect("a whole number")).expect("the name of a number"),
        }
    }
    let mut look_ahead = Lookahead::with_terms(TABLE, terms);
    if let Some(path) = nets {
        correct(&mut look_ahead, game, path);
    }
    Side { look_ahead, positions, contempt }
}

/// Plays a game; its result for White.
fn play(game: &Chess, sides: [&mut Side; 2], mut p: Position) -> f32 {
    let mut decided: (usize, f32) = (0, 0.0);
    for _ in 0..PLIES {
        if let Some(result) = game.result(&p) {
            return result;
        }
        let player = game.player(&p);
        let side = &mut *sides[usize::from(player == Player::Second)];
        let wish = Wish { positions: side.positions, contempt: side.contempt, ..Wish::default() };
        let sight = side.look_ahead.see(&p, &wish, &mut || 0.0, &mut |_| true);
        let Some(best) = sight.moves.first() else { return 0.0 };
        let white = best.value * player.sign();
        decided = if white.abs() < DECIDED.1 {
            (0, 0.0)
        } else if white.signum() == decided.1 {
            (decided.0 + 1, decided.1)
        } else {
            (1, white.signum())
        };
        if decided.0 >= DECIDED.0 {
            return decided.1;
        }
        game.play(&mut p, best.action);
    }
    0.0
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| words[place].parse::<u64>().expect("GAMES, NODES and SEED are numbers");
    let (games, nodes, seed) = (number(0) as usize, number(1), number(2));
    let openings = std::fs::read_to_string(&words[3]).expect("a file of openings");
    let openings: Vec<&str> = openings.lines().filter(|line| !line.is_empty()).collect();
    let game = Chess::new(&Params::default()).expect("chess without parameters");
    let mut sides = [4, 5].map(|place| side_of(&game, nodes, words.get(place).map_or("", String::as_str)));
    let (mut rng, mut actions) = (Rng::with_seed(seed), Vec::new());
    let (mut sum, mut squares) = (0.0, 0.0);
    for pair in 1..=games / 2 {
        let mut start = game.parse_position(rng.choice(&openings).expect("an opening")).expect("an opening");
        for _ in 0..RANDOM {
            game.actions(&start, &mut actions);
            if let Some(&action) = rng.choice(&actions) {
                game.play(&mut start, action);
            }
        }
        let [first, second] = &mut sides;
        let score =
            (play(&game, [&mut *first, &mut *second], start.clone()) - play(&game, [second, first], start)) / 4.0 + 0.5;
        sum += score;
        squares += score * score;
        if pair % LINE == 0 || pair == games / 2 {
            let count = pair as f32;
            let mean = sum / count;
            let error = ((squares / count - mean * mean) / count).max(0.0).sqrt();
            println!("{} games: {:.1} % +- {:.1}", 2 * pair, 100.0 * mean, 100.0 * error);
        }
    }
}
