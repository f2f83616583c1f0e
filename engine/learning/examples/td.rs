//! Driver.
use playout_games::backgammon::Backgammon;
use playout_games::*;
use playout_learning::{target::Horizon, *};
use std::{
    collections::HashMap,
    path::Path,
    path::PathBuf,
    time::{Duration, Instant},
};

fn main() {
    let args: HashMap<String, String> = std::env::args()
        .skip(1)
        .map(|a| {
            let (k, v) = a.split_once('=').unwrap();
            (k.to_owned(), v.to_owned())
        })
        .collect();
    let get = |k: &str, d: &str| args.get(k).cloned().unwrap_or(d.to_owned());
    let mut game = Backgammon::new(&Params::default()).unwrap();
    let bearoff = get("bearoff", "books/data/backgammon.bearoff");
    game.set_tables(Some(&TablePaths { paths: vec![PathBuf::from(bearoff)], most_pieces: 0 })).unwrap();
    let settings = Settings {
        horizon: match args.get("ahead") {
            Some(a) => Horizon::Ahead(a.parse().unwrap()),
            None => Horizon::Lambda(get("lambda", "0").parse().unwrap()),
        },
        rates: [get("rate", "1e-3").parse().unwrap(), get("last", "1e-5").parse().unwrap()],
        games: get("games", "100000").parse().unwrap(),
        round: get("round", "32").parse().unwrap(),
        batch: get("batch", "64").parse().unwrap(),
        passes: get("passes", "1").parse().unwrap(),
        explore: 0.0,
        seed: get("seed", "1").parse().unwrap(),
        threads: get("threads", "1").parse().unwrap(),
    };
    let out = get("out", "/tmp/bg.safetensors");
    let checkpoint = format!("{out}.checkpoint");
    let widths: Vec<usize> = get("hidden", "80").split(',').map(|w| w.parse().unwrap()).collect();
    let games = settings.games;
    let name = "backgammon".to_owned();
    let mut learner = if Path::new(&checkpoint).exists() {
        Learner::resume(game, name, Path::new(&checkpoint), settings)
    } else if let Some(from) = args.get("from") {
        Learner::from_weights(game, name, Path::new(from), settings)
    } else {
        Learner::random(game, name, &widths, settings)
    }
    .unwrap();
    let (mut at, mut since, mut saved, mut positions, mut loss, mut n) =
        (Instant::now(), learner.games(), Instant::now(), 0, 0.0, 0);
    while learner.games() < games {
        let p = learner.round();
        positions += p.positions;
        loss += p.loss;
        n += 1;
        if at.elapsed() > Duration::from_secs(20) {
            let t = at.elapsed().as_secs_f32();
            println!(
                "{} games {:.0}/s {:.0} pos/s loss {:.4} rate {:.2e}",
                learner.games(),
                (learner.games() - since) as f32 / t,
                positions as f32 / t,
                loss / n as f32,
                learner.rate()
            );
            (at, since, positions, loss, n) = (Instant::now(), learner.games(), 0, 0.0, 0);
        }
        if saved.elapsed() > Duration::from_secs(120) {
            learner.save(Path::new(&checkpoint)).unwrap();
            learner.write(Path::new(&out), Default::default()).unwrap();
            saved = Instant::now();
        }
    }
    learner.save(Path::new(&checkpoint)).unwrap();
    learner.write(Path::new(&out), Default::default()).unwrap();
}
