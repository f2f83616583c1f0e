//! Every method finds what plain recursion finds.

use std::collections::HashMap;

use playout_games::{Game, Player, Rng, go::Go, hex::Hex, tic_tac_toe::TicTacToe};
use playout_search::{Config, Control, Limits, Search};
use playout_solver::Method;

use crate::common::{brute, connect_four, params, solution, wander};

fn hex(size: &str, swap: &str) -> Hex {
    Hex::new(&params(&[("size", size), ("swap", swap)])).expect("the board is legal")
}

fn values<G: Game>(game: &G, p: &G::Position, known: &mut HashMap<u64, (f32, u32)>) {
    let (value, plies) = brute(game, p, known);
    let plies = (value != 0.0).then_some(plies);
    for method in [Method::Auto, Method::AlphaBeta, Method::ProofNumber] {
        for all_moves in [false, true] {
            let found = solution(game, p, method, all_moves).expect("no refusal");
            assert_eq!((found.lower, found.upper), (value, value), "{method:?}");
            if found.method != "proof-number" {
                assert_eq!(found.plies, plies, "{}", found.method);
                assert!(plies.is_none_or(|plies| found.line.len() == plies as usize), "{}", found.method);
            }
            let mut end = p.clone();
            for &action in &found.line {
                let mut legal = Vec::new();
                game.actions(&end, &mut legal);
                assert!(legal.contains(&action));
                game.play(&mut end, action);
            }
            if found.method != "proof-number" {
                assert_eq!(game.result(&end), Some(game.player(p).sign() * value));
            }
            for one in &found.moves {
                let mut child = p.clone();
                game.play(&mut child, one.action);
                let (wanted, wanted_plies) = match game.result(&child) {
                    Some(result) => (game.player(p).sign() * result, 1),
                    None => {
                        let (value, plies) = brute(game, &child, known);
                        (game.player(p).sign() * game.player(&child).sign() * value, plies + 1)
                    }
                };
                assert_eq!((one.lower, one.upper), (wanted, wanted), "{}", found.method);
                if found.method != "proof-number" && wanted != 0.0 {
                    assert_eq!(one.plies, Some(wanted_plies), "{}", found.method);
                }
            }
        }
    }
}

fn wanderings<G: Game>(game: &G, count: u64, plies: usize) {
    let mut known = HashMap::new();
    let mut rng = Rng::with_seed(5);
    for _ in 0..count {
        let length = rng.usize(..=plies);
        values(game, &wander(game, &mut rng, length), &mut known);
    }
}

#[test]
fn tic_tac_toe() {
    wanderings(&TicTacToe, 40, 6);
}

#[test]
fn connect_four_on_small_boards() {
    wanderings(&connect_four("4", "4"), 10, 8);
    wanderings(&connect_four("5", "3"), 10, 8);
    wanderings(&connect_four("3", "5"), 10, 8);
}

#[test]
fn connect_four_late() {
    let game = connect_four("7", "6");
    let mut rng = Rng::with_seed(3);
    let mut seen = 0;
    while seen < 10 {
        let p = wander(&game, &mut rng, 28);
        if p.discs().iter().map(|discs| discs.count_ones()).sum::<u32>() == 28 {
            values(&game, &p, &mut HashMap::new());
            seen += 1;
        }
    }
}

#[test]
fn hex_with_and_without_the_swap() {
    wanderings(&hex("1", "false"), 1, 0);
    wanderings(&hex("2", "true"), 5, 2);
    wanderings(&hex("3", "false"), 20, 4);
    wanderings(&hex("3", "true"), 20, 4);
}

#[test]
fn go_two_by_two_in_play() {
    let game = Go::new(&params(&[("size", "2"), ("komi", "0.5")])).expect("the board is legal");
    let mut rng = Rng::with_seed(8);
    for _ in 0..5 {
        let p = wander(&game, &mut rng, 5);
        let methods = [Method::AlphaBeta, Method::ProofNumber];
        let [one, other] = methods.map(|method| solution(&game, &p, method, false).expect("no refusal"));
        assert_eq!((one.lower, one.upper), (other.lower, other.upper));
        assert!(one.is_solved());
    }
}

#[test]
fn the_search_proves_the_same() {
    let game = connect_four("5", "4");
    let mut rng = Rng::with_seed(2);
    for _ in 0..5 {
        let p = wander(&game, &mut rng, 8);
        let found = solution(&game, &p, Method::Auto, false).expect("no refusal");
        let mut search = Search::new(game.clone(), Config { hash_mib: 64, ..Config::default() });
        search.set_position(p, []);
        let limits = Limits { nodes: Some(400_000), ..Limits::default() };
        let control = Control::default();
        let outcome = search.run(limits, &control, std::time::Duration::from_secs(60), 1, &mut |_, _, _| {});
        let best = &outcome.report.moves[0];
        assert_eq!((best.lower, best.upper), (found.lower, found.upper));
    }
    assert_eq!(game.player(&game.initial()), Player::First);
}
