//! Self-play whose judge knows nothing: logits of 0.

use playout_games::{Game, NetShape, Params, backgammon::Backgammon, go::Go, hex::Hex};

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
fn games<G: Game + Clone>(game: &G, manner: &Manner, count: usize) -> Vec<GameRecord> {
    let mut pool = Pool::new(game.clone(), manner.clone(), 12, 7).unwrap();
    let NetShape { inputs, results, slots, .. } = pool.shape().clone();
    let mut planes = vec![9.0; 12 * inputs];
    let mut over = Vec::new();
    while over.len() < count {
        pool.ask(&mut planes).unwrap();
        assert!(planes.iter().all(|&x| x == 0.0 || x == 1.0 || game.is_scored() && x.abs() <= 1.0));
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

const AIMS: Aims = Aims { result_share: 1.0, every_value: true, values: true, choices: true };

/// Calls `each` with every row of the games; `cells` of them have owners. Returns the number of rows.
fn for_each_row<G: Game + Clone>(
    game: &G,
    records: Vec<GameRecord>,
    cells: usize,
    each: &mut impl FnMut(&Dense),
) -> usize {
    let shape = NetShape::of(game).unwrap();
    let mut queue = Queue::new(game.clone(), AIMS, 1).unwrap();
    queue.add(records);
    let results = shape.results.len();
    let mut count = 0;
    loop {
        let widths = [shape.inputs, results, results, shape.slots, shape.slots, cells, usize::from(cells > 0)];
        let [inputs, targets, own_outcomes, shares, own_policies, owners, points] =
            &mut widths.map(|width| vec![7.0; 50 * width]);
        let taken =
            queue.take(&mut Dense { inputs, targets, own_outcomes, shares, own_policies, owners, points }).unwrap();
        for row in 0..taken {
            let part = |numbers: &mut Vec<f32>, width: usize| numbers[row * width..][..width].to_vec();
            each(&Dense {
                inputs: &mut part(inputs, shape.inputs),
                targets: &mut part(targets, results),
                own_outcomes: &mut part(own_outcomes, results),
                shares: &mut part(shares, shape.slots),
                own_policies: &mut part(own_policies, shape.slots),
                owners: &mut part(owners, cells),
                points: &mut part(points, usize::from(cells > 0)),
            });
        }
        count += taken;
        if taken < 50 {
            return count;
        }
    }
}

#[test]
fn rows_say_what_was_searched() {
    let hex = hex("3");
    let records = games(&hex, &manner(16), 20);
    let searched = records.iter().flat_map(|game| &game.plies).filter(|ply| ply.searched != Searched::Not).count();
    let choices = records.iter().flat_map(|game| &game.plies).filter(|ply| !ply.searched.visits().is_empty()).count();
    assert!(0 < choices && choices < searched);
    let mut with_choice = 0;
    let taken = for_each_row(&hex, records, 0, &mut |row| {
        assert!([[1.0, 0.0], [0.0, 1.0]].iter().any(|won| won == row.targets), "{:?}", row.targets);
        let sum: f32 = row.shares.iter().sum();
        if sum == 0.0 {
            return;
        }
        with_choice += 1;
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        for cell in 0..9 {
            let free = row.inputs[cell] == 0.0 && row.inputs[9 + cell] == 0.0;
            assert_eq!(row.own_policies[cell], if free { 0.0 } else { -3e4 });
            assert!(free || row.shares[cell] == 0.0);
        }
    });
    assert_eq!((taken, with_choice), (searched, choices));
}

#[test]
fn rows_say_how_games_with_points_ended() {
    let go = Go::new(&Params([("size".to_owned(), "3".to_owned()), ("komi".to_owned(), "2.5".to_owned())].into()));
    let go = go.unwrap();
    let records = games(&go, &manner(16), 20);
    let mut signs = [0; 2];
    let taken = for_each_row(&go, records, 9, &mut |row| {
        let (held, points) = (row.owners.iter().sum::<f32>(), row.points[0]);
        // The mover's komi is in a plane, in tens of points.
        let komi = 10.0 * row.inputs[12 * 9];
        assert!((komi.abs() - 2.5).abs() < 1e-6 && (points - held - komi).abs() < 1e-5, "{points} {held} {komi}");
        assert_eq!(row.targets[0], f32::from(u8::from(points > 0.0)));
        signs[usize::from(komi > 0.0)] += 1;
    });
    assert!(taken > 0 && signs.iter().all(|&count| count > 0), "{signs:?}");
}

#[test]
fn games_that_no_such_net_judges_are_refused() {
    let game = Backgammon::new(&Params::default()).unwrap();
    let refused = Pool::new(game, manner(8), 2, 1).err();
    assert_eq!(refused.as_deref(), Some("such self-play needs one net with a policy, from one point of view"));
}
