//! Tests of playouts by strengths: their means and slopes, against sums over all ways that small games may go.

use playout_games::{Params, hex::Hex};

use super::*;

fn hex(size: u32) -> Hex {
    Hex::new(&Params([("size".to_owned(), size.to_string())].into())).unwrap()
}

/// A position, with some weights for the features that its moves and those of later positions have.
fn case(game: &Hex, text: &str) -> (<Hex as Game>::Position, Known, Vec<f32>) {
    let p = game.parse_position(text).unwrap();
    let mut features = Vec::new();
    gather(game, &p, &mut features);
    features.sort_unstable();
    features.dedup();
    let known = Known::of(features);
    let weights = (0..known.features.len()).map(|number| (number as f32 * 1.7).sin()).collect();
    (p, known, weights)
}

fn gather(game: &Hex, p: &<Hex as Game>::Position, out: &mut Vec<u64>) {
    let (mut legal, mut features) = (Vec::new(), MoveFeatures::default());
    game.actions(p, &mut legal);
    if legal.is_empty() {
        return;
    }
    game.features(p, &legal, &mut features);
    features.iter().for_each(|of_move| out.extend(of_move));
    for action in legal {
        let mut next = *p;
        game.play(&mut next, action);
        gather(game, &next, out);
    }
}

/// The mean result of playouts, over all ways in which they may go.
fn exact(walker: &mut Walker<'_, Hex>, p: &<Hex as Game>::Position, weights: &[f32]) -> f64 {
    if let Some(result) = walker.game.result(p) {
        return result.into();
    }
    walker.weigh(p, weights);
    let moves: Vec<(Action, f32)> = walker.legal.iter().copied().zip(walker.chances.iter().copied()).collect();
    let mut sum = 0.0;
    for (action, chance) in moves {
        let mut next = *p;
        walker.game.play(&mut next, action);
        sum += f64::from(chance) * exact(walker, &next, weights);
    }
    sum
}

fn settings(method: Method, playouts: u32) -> Settings {
    Settings { method, positions: 1, sweeps: 1, playouts, rate: 1.0, seed: 1, threads: 1 }
}

#[test]
fn the_mean_of_playouts_is_that_over_all_ways() {
    let game = hex(3);
    let (p, known, weights) = case(&game, "1b1/w1b/1w1 b");
    let mut walker = Walker::new(&game, &known, weights.len());
    let (exact, mean) = (exact(&mut walker, &p, &weights), walker.mean(&p, &weights, 20_000, &mut Rng::with_seed(1)));
    assert!((exact - f64::from(mean)).abs() < 0.02, "{exact} {mean}");
}

/// The slope along each weight is (v - E z) times that of the mean result, which small changes of the weight show.
#[test]
fn balancing_goes_down_the_slope_of_the_squared_bias() {
    let game = hex(3);
    let (p, known, weights) = case(&game, "1b1/w1b/1w1 b");
    let mut walker = Walker::new(&game, &known, weights.len());
    let now = exact(&mut walker, &p, &weights);
    let aim = Aim { p, value: 0.9 };
    let found = walker.slope(&aim, &weights, settings(Method::Balance, 20_000), &mut Rng::with_seed(2));
    let mut slopes = vec![0.0; weights.len()];
    found.into_iter().for_each(|(number, part)| slopes[number as usize] = part);
    let mut greatest = 0.0_f64;
    for (number, &slope) in slopes.iter().enumerate() {
        let at = |change: f32, walker: &mut Walker<'_, Hex>| {
            let mut moved = weights.clone();
            moved[number] += change;
            exact(walker, &p, &moved)
        };
        let by_change = (at(0.05, &mut walker) - at(-0.05, &mut walker)) / 0.1;
        let wanted = (0.9 - now) * by_change;
        greatest = greatest.max(wanted.abs());
        assert!((wanted - f64::from(slope)).abs() < 0.02, "{number}: {wanted} {slope}");
    }
    assert!(greatest > 0.05, "there is a slope: {greatest}");
}

/// With a move of Black's left, and then the end, the policy gradient is the slope of Black's result, or the negative of White's
/// for a move of White's.
#[test]
fn policy_gradient_goes_up_the_slope_of_the_movers_result() {
    let game = hex(2);
    for (text, sign) in [("1b/2 b", 1.0), ("1w/b1 w", -1.0)] {
        let (p, known, weights) = case(&game, text);
        let mut walker = Walker::new(&game, &known, weights.len());
        let aim = Aim { p, value: 0.0 };
        let found = walker.slope(&aim, &weights, settings(Method::Gradient, 50_000), &mut Rng::with_seed(3));
        let up: Vec<f32> = {
            let mut moved = weights.clone();
            found.iter().for_each(|&(number, part)| moved[number as usize] += 0.2 * part);
            moved
        };
        let gain = exact(&mut walker, &p, &up) - exact(&mut walker, &p, &weights);
        let length: f32 = found.iter().map(|(_, part)| part * part).sum();
        assert!(length == 0.0 || sign * gain > 0.0, "{text}: {gain} along {found:?}");
        assert!(length > 0.0 || text.ends_with('b'), "{text}: no slope");
    }
}
