//! Self-play whose judge knows nothing: logits of 0.

use std::num::NonZero;

use playout_games::{NetShape, Params, backgammon::Backgammon, hex::Hex};

use super::{Asked, Dense, Manner, Pool, Queue, Told, Worker};
use crate::{
    records::{GameRecord, Searched},
    rows::Aims,
};

fn hex(size: &str) -> Hex {
    Hex::new(&Params([("size".to_owned(), size.to_owned())].into())).unwrap()
}

fn manner(simulations: u32) -> Manner {
    Manner {
        simulations,
        cheap_simulations: simulations,
        full_share: 0.5,
        considered: 16,
        value_scale: 1.0,
        random_plies: 0,
    }
}

/// The first games that end.
fn games(hex: &Hex, manner: &Manner, count: usize) -> Vec<GameRecord> {
    let mut pool = Pool::new(hex.clone(), manner.clone(), 12, 7).unwrap();
    let NetShape { inputs, results, slots, .. } = pool.shape().clone();
    let mut planes = vec![9.0; 12 * inputs];
    let mut over = Vec::new();
    while over.len() < count {
        pool.ask(&mut planes).unwrap();
        assert!(planes.iter().all(|&x| x == 0.0 || x == 1.0));
        pool.tell(&vec![0.0; 12 * results.len()], &vec![0.0; 12 * slots]);
        over.append(&mut pool.take());
    }
    over
}

#[test]
fn the_search_sees_what_comes() {
    // Black wins on two by two cells, if he sees two plies ahead.
    let won = games(&hex("2"), &manner(64), 40);
    let wins = won.iter().filter(|game| game.result > 0.0).count();
    assert!(wins as f32 > 0.9 * won.len() as f32, "{wins} of {}", won.len());
}

#[test]
fn games_go_on_where_they_are_told_to() {
    let with = Manner { random_plies: 3, ..manner(8) };
    let here = games(&hex("3"), &with, 30);
    assert!(here.iter().any(|game| game.plies[0].searched == Searched::Not));
    let mut worker = Worker::new(Pool::new(hex("3"), with, 12, 7).unwrap());
    let mut there = Vec::new();
    while there.len() < 30 {
        let Asked { inputs, mut over } = worker.ask().unwrap();
        there.append(&mut over);
        worker.tell(Told { outcomes: vec![0.0; 12 * 2], policies: vec![0.0; 12 * 9], inputs });
    }
    assert_eq!(here[..30], there[..30]);
}

#[test]
fn rows_say_what_was_searched() {
    let hex = hex("3");
    let aims = Aims { result_share: 1.0, every_value: true, values: true, choices: true };
    let records = games(&hex, &manner(16), 20);
    let searched: usize = records.iter().map(|game| game.plies.len()).sum();
    let choices = records.iter().flat_map(|game| &game.plies).filter(|ply| !ply.searched.visits().is_empty()).count();
    assert!(0 < choices && choices < searched);
    let mut queue = Queue::new(hex.clone(), aims, 1, NonZero::new(2).unwrap()).unwrap();
    queue.add(records);
    let shape = NetShape::of(&hex).unwrap();
    let (room, mut taken, mut with_choice) = (50, 0, 0);
    loop {
        let [mut inputs, mut targets, mut own_outcomes, mut shares, mut own_policies] =
            [shape.inputs, 2, 2, shape.slots, shape.slots].map(|width| vec![7.0; room * width]);
        let mut out = Dense {
            inputs: &mut inputs,
            targets: &mut targets,
            own_outcomes: &mut own_outcomes,
            shares: &mut shares,
            own_policies: &mut own_policies,
            owners: &mut [],
            points: &mut [],
        };
        let count = queue.take(&mut out).unwrap();
        for row in 0..count {
            let target = &targets[row * 2..][..2];
            assert!([[1.0, 0.0], [0.0, 1.0]].iter().any(|won| won == target), "{target:?}");
            let planes = &inputs[row * shape.inputs..][..shape.inputs];
            let (shares, own) = (&shares[row * 9..][..9], &own_policies[row * 9..][..9]);
            let sum: f32 = shares.iter().sum();
            if sum == 0.0 {
                continue;
            }
            with_choice += 1;
            assert!((sum - 1.0).abs() < 1e-3, "{sum}");
            for cell in 0..9 {
                let free = planes[cell] == 0.0 && planes[9 + cell] == 0.0;
                assert_eq!(own[cell], if free { 0.0 } else { -3e4 });
                assert!(free || shares[cell] == 0.0);
            }
        }
        taken += count;
        if count < room {
            break;
        }
    }
    assert_eq!((taken, with_choice), (searched, choices));
}

#[test]
fn games_that_no_such_net_judges_are_refused() {
    let game = Backgammon::new(&Params::default()).unwrap();
    let refused = Pool::new(game, manner(8), 2, 1).err();
    assert_eq!(refused.as_deref(), Some("such self-play needs one net with a policy, from one point of view"));
}
