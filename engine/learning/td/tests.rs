//! Tests of TD learning: resumption, and what is refused.

use playout_games::{Params, tic_tac_toe::TicTacToe};

use super::*;

fn settings(threads: usize) -> Settings {
    Settings {
        horizon: Horizon::Lambda(0.7),
        rates: [1e-2, 1e-3],
        games: 2000,
        round: 20,
        batch: 32,
        passes: 1,
        explore: 0.1,
        seed: 1,
        threads: NonZero::new(threads).expect("not 0"),
    }
}

fn learner(settings: Settings) -> Learner<TicTacToe> {
    let game = TicTacToe::new(&Params::default()).expect("no parameters");
    Learner::random(game, "tic_tac_toe".to_owned(), &[16], settings).expect("it has inputs")
}

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("playout-td-{}-{name}", std::process::id()))
}

#[test]
fn a_learner_goes_on_from_its_checkpoint_as_if_it_had_not_stopped() {
    let mut whole = learner(settings(1));
    for _ in 0..3 {
        whole.round();
    }
    let path = file("checkpoint");
    whole.save(&path).expect("a file");
    let game = TicTacToe::new(&Params::default()).expect("no parameters");
    let mut resumed = Learner::resume(game, "tic_tac_toe".to_owned(), &path, settings(2)).expect("a checkpoint");
    assert_eq!(resumed.games(), 60);
    // Threads make no difference either.
    for _ in 0..2 {
        assert_eq!(resumed.round(), whole.round());
    }
    assert_eq!(resumed.nets, whole.nets);
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn a_bad_checkpoint_is_refused_in_a_line_that_names_it() {
    let path = file("bad");
    learner(settings(1)).save(&path).expect("a file");
    let bytes = std::fs::read(&path).expect("a file");
    for (bad, what) in [(&bytes[..bytes.len() / 2], "cut off"), (b"nothing of the kind", "not a checkpoint")] {
        std::fs::write(&path, bad).expect("a file");
        let game = TicTacToe::new(&Params::default()).expect("no parameters");
        let refused = Learner::resume(game, "tic_tac_toe".to_owned(), &path, settings(1)).err().expect("it is bad");
        assert!(refused.contains(what) && refused.contains("playout-td-") && refused.lines().count() == 1, "{refused}");
    }
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn self_play_teaches_tic_tac_toe() {
    let mut learner = learner(settings(1));
    while learner.games() < 2000 {
        learner.round();
    }
    // The first player wins with two in a row and the move.
    let game = TicTacToe::new(&Params::default()).expect("no parameters");
    let mut p = game.initial();
    for text in ["a1", "b2", "b1", "c3"] {
        let action = game.parse_action(&p, text).expect("legal");
        game.play(&mut p, action);
    }
    let mut found = Vec::new();
    Judge::new(&game, &learner.nets, &learner.shape).values(&p, &mut found);
    assert_eq!(game.action_text(&p, crate::self_play::best(&found)), "c1");
}
