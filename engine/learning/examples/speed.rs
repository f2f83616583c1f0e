//! Rates: inputs, nets.
use playout_games::backgammon::Backgammon;
use playout_games::*;
use playout_learning::*;
use playout_nets::Scratch;
use std::time::Instant;

fn main() {
    let game = Backgammon::new(&Params::default()).unwrap();
    let shape = game.net_shape().unwrap();
    let mut rng = Rng::with_seed(1);
    let nets = match std::env::args().nth(1) {
        Some(p) => playout_nets::file::load(std::path::Path::new(&p), "backgammon", &shape).unwrap(),
        None => playout_nets::Nets::random(&shape, &[80], playout_nets::Activation::Relu, &mut Rng::with_seed(1)),
    };
    let mut judge = self_play::Judge::new(&game, &nets, &shape);
    let mut ps = Vec::new();
    let mut found = Vec::new();
    while ps.len() < 20000 {
        let mut p = game.initial();
        while game.result(&p).is_none() && ps.len() < 20000 {
            let a = if game.player(&p) == Player::Chance {
                game.sample(&p, &mut rng)
            } else {
                judge.values(&p, &mut found);
                for &(a, _) in &found {
                    let mut q = p;
                    game.play(&mut q, a);
                    if game.result(&q).is_none() {
                        ps.push(q);
                    }
                }
                self_play::best(&found)
            };
            game.play(&mut p, a);
        }
    }
    let cpu = || {
        let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
        s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
    };
    let _ = Instant::now();
    let mut out = Vec::new();
    let mut n = 0;
    let t = cpu();
    for _ in 0..10 {
        for p in &ps {
            game.inputs(p, 0, &mut out);
            n += out.len();
        }
    }
    println!("inputs {:.3} us, {} active", (cpu() - t) / 200000.0 * 1e6, n / 200000);
    let mut s = Scratch::default();
    let all: Vec<_> = ps
        .iter()
        .map(|p| {
            let j = game.inputs(p, 0, &mut out).unwrap();
            (j, out.clone())
        })
        .collect();
    let t = cpu();
    for _ in 0..10 {
        for (j, i) in &all {
            nets.phases[j.phase].enter([i.as_slice()], &mut s);
        }
    }
    println!("enter {:.3} us", (cpu() - t) / 200000.0 * 1e6);
    let mut c = [0.0; 6];
    let t = cpu();
    for _ in 0..10 {
        for (j, _) in &all {
            nets.phases[j.phase].outcomes(&s, &mut c);
        }
    }
    println!("outcomes {:.3} us", (cpu() - t) / 200000.0 * 1e6);
    let t = cpu();
    for _ in 0..10 {
        for c in all.chunks(20) {
            let b = &c[0];
            nets.phases[b.0.phase].start(&b.1, &mut s);
            for (_, i) in c {
                nets.phases[b.0.phase].enter_near(i, &mut s);
            }
        }
    }
    println!("near {:.3} us", (cpu() - t) / 200000.0 * 1e6);
    let t = cpu();
    let mut k = 0;
    for p in ps.iter().take(4000) {
        let mut q = *p;
        let a = game.sample(&q, &mut rng);
        game.play(&mut q, a);
        judge.values(&q, &mut found);
        k += found.len();
    }
    println!("values {:.3} us each, {} plays", (cpu() - t) / k as f64 * 1e6, k / 4000);
    let mut d = descent::Descent::new(&nets.phases[0]);
    let mut net = nets.phases[0].clone();
    let t = cpu();
    for (_, i) in all.iter() {
        d.add(&net, i, &[0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
    }
    println!("slope {:.3} us", (cpu() - t) / 20000.0 * 1e6);
    let t = cpu();
    for _ in 0..1000 {
        d.step(&mut net, 64, 1e-4);
    }
    println!("step {:.3} us", (cpu() - t) / 1000.0 * 1e6);
}
