//! Prints positions with a mate in 2 or 3 moves, and none shorter, as EPD with the operation dm:
//! `cargo run --release -p playout-games --example mates COUNT SEED > mates.epd`. They come from games by the playouts of
//! chess, one from a game; the lengths are those that trying all moves finds.

use std::collections::HashSet;

use playout_games::{
    Game as _, Params, Rng, Style,
    chess::{Chess, Mates},
};

use shakmaty::{CastlingMode, fen::Fen};

/// Positions that may be looked at for a mate; where more are needed, the position is left out.
const MOST: u64 = 2_000_000;
/// Plies of a game before positions are taken, and the most of a game.
const PLIES: std::ops::Range<usize> = 16..160;

fn chess(text: &str) -> shakmaty::Chess {
    let fen: Fen = text.parse().expect("the text of a position");
    fen.into_position(CastlingMode::Standard).expect("a position of a game")
}

fn main() {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("COUNT and SEED are numbers"));
    let (count, seed) = (words.next().unwrap_or(500), words.next().unwrap_or(1));
    let game = Chess::new(&Params::default()).expect("chess without parameters");
    let (mut rng, mut seen, mut found) = (Rng::with_seed(seed), HashSet::new(), 0);
    // One mate in 2 for each mate in 3.
    let mut wanted = 2;
    while found < count {
        let (mut position, mut buffer) = (game.initial(), Vec::new());
        for ply in 0..PLIES.end {
            game.actions(&position, &mut buffer);
            if buffer.is_empty() {
                break;
            }
            let text = game.position_text(&position);
            if ply >= PLIES.start
                && let Ok(Some((moves, _))) = Mates::new(MOST, &mut || false).shortest(&chess(&text), wanted)
            {
                let place = text.split(' ').take(4).collect::<Vec<_>>().join(" ");
                if moves == wanted && seen.insert(place.clone()) {
                    found += 1;
                    println!("{place} dm {moves}; id \"mate {moves}.{found}\";");
                    wanted = 5 - wanted;
                }
                break;
            }
            let action = game.playout_action(&position, Style::Knowledge, &mut rng, &mut buffer);
            game.play(&mut position, action);
        }
    }
}
