//! A search with a soft deadline ends early once its move is decided, and goes on while its move is unsettled.

use std::time::Duration;

use playout_games::{Game, tic_tac_toe::TicTacToe};
use playout_search::{Config, Control, Limits, Outcome, Reason, Search};

/// Searches `text` without proofs, with so many seconds to the soft and to the hard deadline.
fn think(text: &str, soft: f64, hard: f64) -> Outcome {
    let position = TicTacToe.parse_position(text).unwrap();
    let mut search =
        Search::new(TicTacToe, Config { solver: false, symmetries: false, hash_bytes: 1 << 22, ..Config::default() });
    search.set_position(position, []);
    let control = Control::default();
    control.set_deadline(Some(Duration::from_secs_f64(soft)), Some(Duration::from_secs_f64(hard)));
    search.run(Limits::default(), &control, Duration::from_secs(60), 1, &mut |_, _, _| {})
}

#[test]
fn a_decided_move_does_not_wait_for_the_deadline() {
    let outcome = think("xx1/oo1/3 x", 2.0, 6.0);
    assert_eq!(outcome.reason, Reason::Decided);
    assert!(outcome.report.seconds < 2.0);
}

#[test]
fn moves_that_are_close_get_more_than_the_plan_but_not_more_than_the_hard_deadline() {
    // The corners are alike.
    let (soft, hard) = (0.05, 0.12);
    let outcome = think("3/1x1/3 o", soft, hard);
    assert!(matches!(outcome.reason, Reason::Deadline | Reason::Decided));
    assert!(outcome.report.seconds > soft * 1.2, "{}", outcome.report.seconds);
}
