//! Threads that share a table find what one thread finds, and end when another thread says so.

use std::{sync::atomic::Ordering::Relaxed, thread};

use playout_games::{Action, Game};
use playout_search::Control;
use playout_solver::{Memory, Method, Progress, Request, solve};

use crate::common::connect_four;

fn request(threads: usize, lengths: bool) -> Request {
    Request { method: Method::Auto, all_moves: true, lengths, hash_bytes: 1 << 20, threads }
}

#[test]
fn threads_find_what_one_finds_while_their_progress_is_read() {
    let game = connect_four("5", "5");
    for lengths in [true, false] {
        let found = |threads| {
            let (control, progress) = (Control::default(), Progress::default());
            let solution = thread::scope(|scope| {
                let solver = scope.spawn(|| {
                    let request = request(threads, lengths);
                    solve(&game, &game.initial(), request, &control, &progress, &mut Memory::default())
                });
                let mut seen = 0;
                while !solver.is_finished() {
                    let now = progress.nodes.load(Relaxed);
                    assert!(now >= seen);
                    seen = now;
                    thread::yield_now();
                }
                solver.join().expect("it ends").expect("no refusal")
            });
            assert_eq!(progress.solved.load(Relaxed), 5);
            solution.moves.iter().map(|one| (one.action, one.lower, one.upper)).collect::<Vec<(Action, f32, f32)>>()
        };
        let alone = found(1);
        assert_eq!(alone.len(), 5);
        assert_eq!(found(3), alone, "lengths {lengths}");
    }
}

#[test]
fn threads_end_when_another_one_stops_them() {
    let (game, control, progress) = (connect_four("7", "6"), Control::default(), Progress::default());
    thread::scope(|scope| {
        let solver = scope
            .spawn(|| solve(&game, &game.initial(), request(3, true), &control, &progress, &mut Memory::default()));
        while progress.nodes.load(Relaxed) == 0 {
            thread::yield_now();
        }
        control.stop();
        let solution = solver.join().expect("it ends").expect("no refusal");
        assert!(solution.lower < solution.upper, "the board takes longer than that");
    });
}
