//! Evaluations of backgammon a CPU-second (Linux): `cargo run --release -p playout-learning --example backgammon_rates`,
//! with the width of the hidden layer as the argument, 80 if there is none.

mod common;

use common::{rate, seconds};
use playout_games::{Game, Input, Params, Player, Rng, backgammon::Backgammon};
use playout_learning::self_play::{Judge, best};
use playout_nets::{Activation, Nets, Scratch, Sizes};

const POSITIONS: usize = 20_000;
const TIMES: usize = 10;

fn main() {
    let width = std::env::args().nth(1).map_or(80, |text| text.parse().expect("a width"));
    let game = Backgammon::new(&Params::default()).expect("its parameters have defaults");
    let shape = game.net_shape().expect("it has inputs");
    let mut rng = Rng::with_seed(1);
    let nets = Nets::random(&shape, &Sizes::of(&[width]), Activation::Relu, &mut rng);
    let mut judge = Judge::new(&game, &nets, &shape);
    let (mut rolls, mut afters, mut found) = (Vec::new(), Vec::new(), Vec::new());
    while afters.len() < POSITIONS {
        let mut p = game.initial();
        while game.result(&p).is_none() {
            let action = if game.player(&p) == Player::Chance {
                game.sample(&p, &mut rng)
            } else {
                rolls.push(p);
                judge.values(&p, &mut found);
                for &(action, _) in &found {
                    let mut after = p;
                    game.play(&mut after, action);
                    if game.result(&after).is_none() {
                        afters.push(after);
                    }
                }
                best(&found)
            };
            game.play(&mut p, action);
        }
    }
    afters.truncate(POSITIONS);

    let mut inputs: Vec<Input> = Vec::new();
    let begin = seconds();
    for _ in 0..TIMES {
        for p in &afters {
            game.inputs(p, 0, &mut inputs);
        }
    }
    rate("inputs", TIMES * POSITIONS, begin);
    let (mut scratch, mut chances) = (Scratch::default(), [0.0; 6]);
    let begin = seconds();
    for _ in 0..TIMES {
        for p in &afters {
            let judged = game.inputs(p, 0, &mut inputs).expect("a position before a roll");
            let net = &nets.phases[judged.phase];
            net.enter([inputs.as_slice()], &mut scratch);
            net.outcomes(&scratch, &mut chances);
        }
    }
    rate(&format!("inputs and net of {width}"), TIMES * POSITIONS, begin);
    let (begin, mut count) = (seconds(), 0);
    for p in &rolls {
        judge.values(p, &mut found);
        count += found.len();
    }
    rate("plays found, made and judged", count, begin);
}
