//! The dynamic programs behind the tables: over the 21 rolls, from the empty board upwards.

use super::index::{Home, POINTS, count, home, positions, rank, side};
use crate::backgammon::{
    plays::{families, hop, hops},
    side::CHECKERS,
};

/// The chance that something happens with roll number 0, 1, 2, ...
pub type Chances = Vec<f64>;

/// The solved positions with all checkers at home.
pub struct Solved {
    /// Rolls until all checkers are off, by the play that makes the mean least; of plays alike in that, the first.
    pub all_off: Vec<Chances>,
    /// Rolls until the first of 15 checkers is off, by the play that makes that mean least.
    pub first_off: Vec<Chances>,
    /// The chance that the side on roll (row) is off before the other side (column), both playing for nothing else.
    pub wins: Vec<f64>,
}

/// The dice, the higher first, and how often in 36 throws they fall.
fn rolls() -> impl Iterator<Item = ([u8; 2], f64)> {
    let all = (1..=6).flat_map(|high| (1..=high).map(move |low| [high, low]));
    all.map(|dice| (dice, if dice[0] == dice[1] { 1.0 } else { 2.0 }))
}

/// Calls `found` with the position after each legal play; nobody is in the way.
fn after_plays(from: Home, dice: [u8; 2], mut found: impl FnMut(Home)) {
    let (own, nobody) = (side(from), side([0; POINTS]));
    families(own, nobody, dice, |family| {
        for play in family.plays() {
            let (mut own, mut nobody) = (own, nobody);
            for (source, target) in hops(dice, play) {
                hop(&mut own, &mut nobody, source, target);
            }
            found(home(own).expect("a checker at home stays there"));
        }
    });
}

/// Solves all positions, the two-sided ones with at most `most` checkers a side. `progress` gets parts of 1; None as soon as it says no.
pub fn solve(most: u32, mut progress: impl FnMut(f32) -> bool) -> Option<Solved> {
    let all = positions(CHECKERS);
    let mut all_off: Vec<Chances> = vec![vec![1.0]];
    let mut means = vec![0.0];
    for (number, &from) in all.iter().enumerate().skip(1) {
        let chances = quickest(from, &means, |to| rank(&to, CHECKERS), |to| &all_off[to]);
        means.push(mean(&chances));
        all_off.push(chances);
        if number % 1024 == 0 && !progress(0.5 * number as f32 / all.len() as f32) {
            return None;
        }
    }
    let first_off = first_off(&all);
    let wins = wins(most, |done| progress(0.6 + 0.4 * done))?;
    Some(Solved { all_off, first_off, wins })
}

fn first_off(all: &[Home]) -> Vec<Chances> {
    // Where a checker is off already, number 0: those with 15 follow it in their own order.
    let number = |to: Home| if to.iter().sum::<u8>() < CHECKERS as u8 { 0 } else { 1 + rank(&to[1..], CHECKERS) };
    let mut chances: Vec<Chances> = vec![vec![1.0]];
    let mut means = vec![0.0];
    for &from in all.iter().filter(|&&home| number(home) > 0) {
        let here = quickest(from, &means, number, |to| &chances[to]);
        means.push(mean(&here));
        chances.push(here);
    }
    chances.split_off(1)
}

fn mean(chances: &[f64]) -> f64 {
    (0..).map(f64::from).zip(chances).map(|(rolls, chance)| rolls * chance).sum()
}

/// The chances from `from` by the plays that lead to the least of `means`.
fn quickest<'a>(
    from: Home,
    means: &[f64],
    number: impl Fn(Home) -> usize,
    chances: impl Fn(usize) -> &'a Chances,
) -> Chances {
    let mut sum = vec![0.0];
    for (dice, weight) in rolls() {
        let mut best = usize::MAX;
        after_plays(from, dice, |to| {
            let to = number(to);
            if best == usize::MAX || means[to] < means[best] {
                best = to;
            }
        });
        let then = chances(best);
        if sum.len() <= then.len() {
            sum.resize(then.len() + 1, 0.0);
        }
        for (rolls, chance) in then.iter().enumerate() {
            sum[rolls + 1] += weight / 36.0 * chance;
        }
    }
    sum
}

fn wins(most: u32, mut progress: impl FnMut(f32) -> bool) -> Option<Vec<f64>> {
    let all = positions(most);
    let size = count(POINTS, most);
    let reached: Vec<Vec<(Vec<usize>, f64)>> = all
        .iter()
        .map(|&from| {
            let after = |dice| {
                let mut after = Vec::new();
                after_plays(from, dice, |to| after.push(rank(&to, most)));
                after.sort_unstable();
                after.dedup();
                after
            };
            rolls().map(|(dice, weight)| (after(dice), weight / 36.0)).collect()
        })
        .collect();
    let mut wins = vec![0.0; size * size];
    // After a play both numbers together are lower than before.
    for sum in 2..2 * size - 1 {
        for own in (sum + 1).saturating_sub(size).max(1)..sum.min(size) {
            let other = sum - own;
            let best = |after: &[usize]| {
                after.iter().map(|&to| if to == 0 { 1.0 } else { 1.0 - wins[other * size + to] }).fold(0.0, f64::max)
            };
            wins[own * size + other] = reached[own].iter().map(|(after, chance)| chance * best(after)).sum();
        }
        if sum % 64 == 0 && !progress(sum as f32 / (2 * size) as f32) {
            return None;
        }
    }
    Some(wins)
}
