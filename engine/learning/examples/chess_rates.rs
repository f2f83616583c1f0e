//! Evaluations of chess a CPU-second (Linux): `cargo run --release -p playout-learning --example chess_rates FILE.safetensors`.

mod common;

use std::path::Path;

use common::{rate, seconds};
use playout_games::{Game, Params, Rng, chess::Chess, draw};
use playout_search::{Evaluator, Learned};

const POSITIONS: usize = 5_000;
const TIMES: usize = 10;

fn main() {
    let path = std::env::args().nth(1).expect("a file of weights");
    let game = Chess::new(&Params::default()).expect("its parameters have defaults");
    let learned = Learned::open(Path::new(&path), &game, "chess").expect("weights of chess");
    let by_hand = Evaluator::from(&game);
    let by_net = Evaluator { learned: Some(&learned), ..by_hand };
    let (mut rng, mut positions) = (Rng::with_seed(1), Vec::new());
    let (mut actions, mut logits) = (Vec::new(), Vec::new());
    while positions.len() < POSITIONS {
        let mut p = game.initial();
        while game.result(&p).is_none() && positions.len() < POSITIONS {
            game.actions(&p, &mut actions);
            by_hand.preferences(&p, &actions, &mut logits);
            draw::softmax(&mut logits, 1.0);
            let drawn = draw::weighted(logits.iter().copied(), &mut rng).expect("chances add up to 1");
            positions.push((p.clone(), actions.clone()));
            game.play(&mut p, actions[drawn]);
        }
    }
    let mut inputs = Vec::new();
    let begin = seconds();
    for _ in 0..TIMES {
        for (p, _) in &positions {
            game.inputs(p, 0, &mut inputs);
            game.inputs(p, 1, &mut inputs);
        }
    }
    rate("inputs", TIMES * POSITIONS, begin);
    for (name, evaluator) in [("H(s, a) by hand", by_hand), ("H(s, a) by the net", by_net)] {
        let begin = seconds();
        for _ in 0..TIMES {
            for (p, actions) in &positions {
                evaluator.preferences(p, actions, &mut logits);
            }
        }
        rate(name, TIMES * POSITIONS, begin);
    }
    for (name, evaluator) in [("H(s) by hand", by_hand), ("H(s) by the net", by_net)] {
        let begin = seconds();
        for _ in 0..TIMES {
            for (p, _) in &mut positions {
                evaluator.value(p);
            }
        }
        rate(name, TIMES * POSITIONS, begin);
    }
}
