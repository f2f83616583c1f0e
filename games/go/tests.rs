use super::*;
use crate::perft::perft;

fn go(text: &str) -> Go {
    let pairs = text.split(',').map(|pair| pair.split_once('=').unwrap());
    Go::new(&Params(pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect())).unwrap()
}

#[test]
fn perft_small() {
    for n in 2..=5 {
        let g = go(&format!("size={n}"));
        let c: Vec<u64> = (1..=if n == 2 {
            9
        } else if n < 4 {
            7
        } else {
            5
        })
            .map(|d| perft(&g, &g.initial(), d))
            .collect();
        println!("{n} {c:?}");
    }
}

#[test]
fn bench() {
    for n in [9, 13, 19] {
        let g = go(&format!("size={n}"));
        let root = g.initial();
        let mut p = root.clone();
        let mut rng = Rng::with_seed(1);
        let count = if n == 19 { 20000 } else { 100000 };
        for _ in 0..3 {
            let t = std::time::Instant::now();
            let mut sum = 0.0;
            let mut plies = 0u64;
            for _ in 0..count {
                p.clone_from(&root);
                sum += g.rollout(&mut p, &mut rng);
                plies += u64::from(p.plies);
            }
            println!(
                "{n} {:.0}/s {} {}",
                f64::from(count) / t.elapsed().as_secs_f64(),
                sum / count as f32,
                plies as f64 / count as f64
            );
        }
    }
}
