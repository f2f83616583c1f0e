//! Tests of the rules of chess: perft, draws, keys, castling, and refused input.

use super::*;
use crate::perft::perft;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn game(parameters: &[(&str, &str)]) -> Result<Chess, String> {
    let owned = parameters.iter().map(|&(name, value)| (name.into(), value.into()));
    Chess::new(&Params(owned.collect()))
}

fn standard() -> Chess {
    game(&[]).unwrap()
}

fn count(game: &Chess, fen: &str, depth: u32) -> u64 {
    perft(game, &game.parse_position(fen).unwrap(), depth)
}

#[test]
fn perft_of_the_well_known_positions() {
    let g = standard();
    assert_eq!(perft(&g, &g.initial(), 4), 197_281);
    assert_eq!(count(&g, KIWIPETE, 3), 97_862);
    assert_eq!(count(&g, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 4), 43_238);
    assert_eq!(count(&g, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3), 9_467);
    assert_eq!(count(&g, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3), 62_379);
    assert_eq!(count(&g, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3), 89_890);
}

#[test]
fn captures_that_pay_come_before_a_position_is_judged() {
    let g = standard();
    let settled = |fen: &str| g.settled(&g.parse_position(fen).unwrap()).map(|p| g.position_text(&p));
    assert_eq!(settled(START), None);
    // The knight takes the queen, and nothing takes it.
    let hangs = settled("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1");
    assert_eq!(hangs.as_deref(), Some("4k3/8/8/3N4/8/8/8/4K3 b - - 0 1"));
    // Knight takes knight, pawn takes knight.
    let traded = settled("4k3/8/2p5/3n4/8/2N5/PPP5/4K3 w - - 0 1");
    let quiet = g.parse_position("4k3/8/2p5/3n4/8/2N5/PPP5/4K3 w - - 0 1").unwrap();
    let value = |fen: &str| eval::evaluate(&g.parse_position(fen).unwrap());
    let sign = if traded.as_ref().is_some_and(|fen| fen.contains(" b ")) { -1.0 } else { 1.0 };
    let own = eval::evaluate(&quiet);
    assert_eq!(quiesce(&quiet, None), traded.map_or(own, |fen| sign * value(&fen)));
}

/// The position after UCI moves.
fn after(game: &Chess, mut p: Position, moves: &str) -> Position {
    for text in moves.split_whitespace() {
        let a = game.parse_action(&p, text).expect(text);
        game.play(&mut p, a);
    }
    p
}

const KNIGHTS: &str = "g1f3 g8f6 f3g1 f6g8 ";

#[test]
fn the_third_occurrence_is_a_draw_that_proves_nothing() {
    let g = standard();
    let twice = after(&g, g.initial(), &(KNIGHTS.repeat(2))[..35]);
    assert_eq!((g.result(&twice), g.path_dependent(&twice)), (None, false));
    let thrice = after(&g, g.initial(), &KNIGHTS.repeat(2));
    assert_eq!((g.result(&thrice), g.path_dependent(&thrice)), (Some(0.0), true));
    let mut actions = vec![0];
    g.actions(&thrice, &mut actions);
    assert!(actions.is_empty());
}

#[test]
fn fifty_moves_draw_unless_the_last_one_mates() {
    let g = standard();
    let p = g.parse_position("7k/8/6K1/8/8/8/8/R7 w - - 99 80").unwrap();
    assert_eq!(g.result(&p), None);
    let (draw, mate) = (after(&g, p.clone(), "a1b1"), after(&g, p, "a1a8"));
    assert_eq!((g.result(&draw), g.path_dependent(&draw)), (Some(0.0), true));
    assert_eq!((g.result(&mate), g.path_dependent(&mate)), (Some(1.0), false));
}

#[test]
fn play_goes_on_after_a_draw_that_nobody_claims() {
    let game = standard();
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let mut p = after(&game, game.initial(), shuffle);
    assert!(game.result(&p) == Some(0.0) && !game.is_fresh(&p));
    assert!(game.play_on(&mut p));
    assert!(game.result(&p).is_none() && game.is_fresh(&p));
    assert_eq!(game.position_text(&p), START.replace("0 1", "8 5"));
    let mut late = game.parse_position("4k3/8/8/8/8/8/4P3/4K3 w - - 100 80").unwrap();
    assert!(game.result(&late) == Some(0.0) && game.play_on(&mut late) && game.result(&late).is_none());
    assert_eq!(game.position_text(&late), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 80");
    let mut bare = game.parse_position("4k3/8/8/8/8/8/8/4K3 w - - 100 80").unwrap();
    assert!(!game.play_on(&mut bare));
}

#[test]
fn no_line_meets_a_key_twice_and_transpositions_share_theirs() {
    let g = standard();
    let key = |moves: &str| g.frame_key(&after(&g, g.initial(), moves), 0);
    let lines = KNIGHTS.repeat(2);
    let mut keys: Vec<u64> = (0..=8).map(|ply| key(&lines[..5 * ply])).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 9);
    assert_eq!(key("g1f3 g8f6 b1c3 b8c6"), key("b1c3 b8c6 g1f3 g8f6"));
}

#[test]
fn the_key_is_the_same_however_a_position_came_about() {
    let mut rng = Rng::with_seed(3);
    let g = game(&[("chess960", "true"), ("position", "360")]).unwrap();
    let (mut p, mut actions) = (g.initial(), Vec::new());
    while g.result(&p).is_none() {
        g.actions(&p, &mut actions);
        g.play(&mut p, actions[rng.usize(..actions.len())]);
        assert_eq!(p.key, Position::new(p.chess.clone()).key);
    }
}

#[test]
fn castling_is_written_by_the_mode_and_encoded_to_the_rook() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (g, text) in [(standard(), "e1g1"), (game(&[("chess960", "true")]).unwrap(), "e1h1")] {
        let p = g.parse_position(fen).unwrap();
        let short = Square::E1.to_u32() | Square::H1.to_u32() << 6;
        assert_eq!(g.action_text(&p, short), text);
        for word in ["e1g1", "e1h1", "E1G1"] {
            assert_eq!(g.parse_action(&p, word), Some(short));
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for parameters in [[("chess960", "true"), ("position", "960")], [("chess960", "false"), ("position", "17")]] {
        assert!(game(&parameters).unwrap_err().starts_with("chess: position="));
    }
    assert!(game(&[("chess960", "perhaps")]).is_err());
}

#[test]
fn malformed_positions_are_refused_in_one_short_line() {
    let board = "4k3/8/8/8/8/8/8/4K3";
    for text in [
        "",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        &format!("{board} x - - 0 1"),
        &format!("{board} w K - 0 1"),
        &format!("{board} w kqKQ - 0 1"),
        &format!("{board} w - e6 0 1"),
        &format!("{board} w - E6 0 1"),
        &format!("{board} w - - -1 1"),
        &format!("{board} w - - 0 1000000"),
        &format!("{board} w - - 0 1 2"),
        "4k3/44/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3/ w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2Q~ w - - 0 1",
        "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KR2 w K - 0 1",
        &"k".repeat(100_000),
        &"\u{1F40E}".repeat(100_000),
    ] {
        let why = standard().parse_position(text).err().unwrap_or_else(|| panic!("{text} is a position"));
        assert!(!why.contains('\n') && why.chars().count() < 250, "{why}");
    }
    for text in [board, START, " 4k3/8/8/8/8/8/8/4K3   b ", "r3k2r/8/8/8/8/8/8/R3K2R w HAha -"] {
        assert!(standard().parse_position(text).is_ok(), "{text}");
    }
}
