//! Prints quiet positions of chess with what alpha-beta says of them, for the training of nets:
//! `cargo run --release -p playout-learning --example evaluated POSITIONS NODES SEED [OPENINGS.epd [NETS.safetensors]]`.
//!
//! A line is `FEN;STATIC;SEARCHED;RESULT`: the static evaluation by hand, the value of a search of about NODES positions, and
//! the result of the game, all in [-1, 1] for the player to move. The games are alpha-beta's against itself after some random
//! moves, from the initial position or from one of the openings. Positions in check, and those whose best move captures or
//! promotes, are left out. The search has the correction of the nets, where they have one; the static evaluation has not.

#[path = "common/correction.rs"]
mod correction;

use std::io::{BufWriter, Write as _};

use correction::correct;
use playout_games::{
    Action, Game as _, LookAhead, Params, Player, Rng, Wish,
    chess::{Chess, Position, evaluate},
};
use shakmaty::{CastlingMode, Position as _, fen::Fen, uci::UciMove};

/// Random moves before a game begins: from the initial position, from an opening.
const RANDOM: [std::ops::RangeInclusive<usize>; 2] = [6..=10, 1..=5];
/// A game that begins further from even is left out.
const EVEN: f32 = 0.9;
/// A game ends as won when this many searches in a row find a greater value than this.
const DECIDED: (usize, f32) = (5, 0.985);
/// Values beyond this one are of mates; nothing is learned from them.
const MATED: f32 = 0.9995;
/// Most plies of a game, which is drawn then.
const PLIES: usize = 300;
/// Bytes of the table.
const TABLE: usize = 2 << 20;

struct Row {
    text: String,
    worth: f32,
    value: f32,
    player: Player,
}

/// The value of a position and its best move by a search of `nodes` positions.
fn searched(look: &mut dyn LookAhead<Position>, p: &Position, nodes: u64) -> Option<(f32, Action)> {
    let sight = look.see(p, &Wish { positions: nodes, ..Wish::default() }, &mut || 0.0, &mut |_| true);
    sight.moves.first().map(|best| (best.value, best.action))
}

/// Whether the position is not in check, and its best move neither captures nor promotes.
fn is_quiet(text: &str, best: &str) -> bool {
    let fen: Fen = text.parse().expect("the text of a position");
    let chess: shakmaty::Chess = fen.into_position(CastlingMode::Standard).expect("a position of a game");
    let best: UciMove = best.parse().expect("the text of a move");
    let best = best.to_move(&chess).expect("a legal move");
    !chess.is_check() && !best.is_capture() && !best.is_promotion()
}

/// Plays a game; its rows and its result for the first player.
fn play(game: &Chess, look: &mut dyn LookAhead<Position>, mut p: Position, nodes: u64) -> (Vec<Row>, f32) {
    let (mut rows, mut decided) = (Vec::new(), 0);
    for ply in 0..PLIES {
        if let Some(result) = game.result(&p) {
            return (rows, result);
        }
        let Some((value, action)) = searched(look, &p, nodes) else { break };
        if ply == 0 && value.abs() > EVEN {
            break;
        }
        let player = game.player(&p);
        let text = game.position_text(&p);
        if value.abs() < MATED && is_quiet(&text, &game.action_text(&p, action)) {
            rows.push(Row { text, worth: evaluate(&p), value, player });
        }
        decided = if value.abs() > DECIDED.1 { decided + 1 } else { 0 };
        if decided >= DECIDED.0 {
            return (rows, value.signum() * player.sign());
        }
        game.play(&mut p, action);
    }
    (rows, 0.0)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| words[place].parse::<u64>().expect("POSITIONS, NODES and SEED are numbers");
    let (count, nodes, seed) = (number(0), number(1), number(2));
    let openings = words.get(3).map(|path| std::fs::read_to_string(path).expect("a file of openings"));
    let openings: Vec<&str> = openings.iter().flat_map(|text| text.lines()).filter(|line| !line.is_empty()).collect();
    let game = Chess::new(&Params::default()).expect("chess without parameters");
    let mut look = game.look_ahead(TABLE).expect("chess looks ahead");
    if let Some(path) = words.get(4) {
        correct(&mut *look, &game, path);
    }
    let (mut rng, mut actions, mut written) = (Rng::with_seed(seed), Vec::new(), 0);
    let mut out = BufWriter::new(std::io::stdout().lock());
    while written < count {
        let opening = if rng.bool() { rng.choice(&openings) } else { None };
        let mut p = match opening {
            Some(text) => game.parse_position(text).expect("an opening"),
            None => game.initial(),
        };
        for _ in 0..rng.usize(RANDOM[usize::from(opening.is_some())].clone()) {
            game.actions(&p, &mut actions);
            let Some(&action) = rng.choice(&actions) else { break };
            game.play(&mut p, action);
        }
        let (rows, result) = play(&game, &mut *look, p, nodes);
        for Row { text, worth, value, player } in rows {
            let result = result * player.sign() + 0.0;
            writeln!(out, "{text};{worth:.5};{value:.5};{result}").expect("standard output takes it");
            written += 1;
        }
        out.flush().expect("standard output takes it");
    }
}
