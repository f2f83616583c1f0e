//! Strengths of the features of moves by maximum likelihood: minorization-maximization (Coulom 2007, "Computing Elo Ratings
//! of Move Patterns in the Game of Go"; Hunter 2004).
//!
//! A move is chosen with a chance in proportion to its strength, the product of the strengths (gammas) of its features. Of the
//! features of one group at a time, gamma <- (W + 1) / (sum over positions of C / E + 2 / (gamma + 1)): W is the sum of its
//! shares of chosen moves, E the strength of all moves of a position, C that of those with the feature, without it. The
//! 1 and the 2 stand for a game won and one lost against a move of strength 1.

use std::{collections::HashMap, path::PathBuf};

use playout_games::{Action, Game, MoveFeatures, Player, group_of};
use playout_nets::{Gammas, gammas};

use crate::{
    records::{GameRecord, Label, is_held_out},
    rows::each_ply,
};

/// Settings of the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Number of moves with a feature from which on its strength is learned, at least 1.
    pub least: u32,
    /// Positions that are learned from, at most: games beyond are passed over.
    pub positions: usize,
    /// Times that each group of features is fitted.
    pub sweeps: u32,
}

/// A measure of the strengths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    pub positions: usize,
    /// Mean logarithm of the chance of the chosen move.
    pub log_likelihood: f32,
    /// Share of the positions where the strongest move is the chosen one.
    pub first: f32,
    /// Share of the positions where it is among the five strongest.
    pub first_five: f32,
}

/// The result of the fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    pub games: u64,
    pub gammas: Gammas,
    pub learned: Fit,
    /// On the games that were held out.
    pub held_out: Fit,
    /// There, by the game's own preferences.
    pub by_hand: Fit,
    /// Lines on files that end with damage.
    pub damage: Vec<String>,
}

/// No feature of a group.
pub(crate) const NONE: u32 = u32::MAX;

/// Positions, each with its moves.
#[derive(Default)]
struct Positions {
    /// Numbers of the features of each move, one for each group, or `NONE`.
    features: Vec<u32>,
    /// Shares of the moves in the choice: they add up to 1 in a position.
    shares: Vec<f32>,
    /// Where the moves of each position end.
    ends: Vec<usize>,
}

impl Positions {
    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        [0].into_iter().chain(self.ends.iter().copied()).zip(&self.ends).map(|(begin, &end)| begin..end)
    }
}

/// Features that are learned, by number.
pub(crate) struct Known {
    pub(crate) features: Vec<u64>,
    numbers: HashMap<u64, u32>,
    /// The groups, in order.
    pub(crate) groups: Vec<u8>,
}

impl Known {
    fn new(counts: &HashMap<u64, u32>, least: u32) -> Known {
        let mut features: Vec<u64> =
            counts.iter().filter(|&(_, &count)| count >= least).map(|(&feature, _)| feature).collect();
        features.sort_unstable();
        Known::of(features)
    }

    /// These features, which are in rising order.
    pub(crate) fn of(features: Vec<u64>) -> Known {
        let numbers = features.iter().copied().zip(0..).collect();
        let mut groups: Vec<u8> = features.iter().map(|&feature| group_of(feature)).collect();
        groups.dedup();
        Known { features, numbers, groups }
    }

    /// Appends the number of a move's feature in each group.
    pub(crate) fn add(&self, features: &[u64], out: &mut Vec<u32>) {
        let begin = out.len();
        out.resize(begin + self.groups.len(), NONE);
        for feature in features {
            if let Some(&number) = self.numbers.get(feature)
                && let Ok(place) = self.groups.binary_search(&group_of(*feature))
            {
                out[begin + place] = number;
            }
        }
    }
}

/// Fits strengths to the chosen moves in files of records. `on_sweep` gets the number of each sweep and the log-likelihood
/// after it, and returns whether to go on.
///
/// # Errors
///
/// One line that names the file and the record, or that says that there is nothing to learn, or that the fit was stopped.
pub fn fit<G: Game>(
    game: &G,
    label: &Label,
    files: &[PathBuf],
    settings: Settings,
    mut on_sweep: impl FnMut(u32, f32) -> bool,
) -> Result<Fitted, String> {
    let mut fitted = Fitted::default();
    let mut counts: HashMap<u64, u32> = HashMap::new();
    let mut positions = 0;
    let (_, damage) = each_choice(game, label, files, |record, choice| {
        if !is_held_out(record) {
            positions += 1;
            choice.features.iter().flatten().for_each(|&feature| *counts.entry(feature).or_default() += 1);
        }
        positions < settings.positions
    })?;
    if positions == 0 {
        let nothing = || "there is no position with a choice to learn from".to_owned();
        return Err(damage.into_iter().next().unwrap_or_else(nothing));
    }
    gammas::name_of(game)?;
    let known = Known::new(&counts, settings.least);
    drop(counts);
    if known.features.is_empty() {
        return Err(format!("no feature is that of {} moves", settings.least));
    }
    let (mut learned, mut held_out) = (Positions::default(), Positions::default());
    let (mut by_hand, mut preferences) = (Vec::new(), Vec::new());
    let (games, damage) = each_choice(game, label, files, |record, choice| {
        let into = if is_held_out(record) { &mut held_out } else { &mut learned };
        choice.features.iter().for_each(|features| known.add(features, &mut into.features));
        into.shares.extend_from_slice(choice.shares);
        into.ends.push(into.shares.len());
        if is_held_out(record) && game.preferences(choice.p, choice.legal, &mut preferences) {
            by_hand.extend(preferences.iter().map(|logit| logit.exp()));
        }
        learned.ends.len() < settings.positions
    })?;
    (fitted.games, fitted.damage) = (games, damage);
    let mut gammas = vec![1.0_f32; known.features.len()];
    let mut strengths = vec![1.0_f32; learned.shares.len()];
    for sweep in 1..=settings.sweeps {
        for group in 0..known.groups.len() {
            fit_group(&learned, known.groups.len(), group, &mut gammas, &mut strengths);
        }
        if !on_sweep(sweep, measure(&learned, &strengths).log_likelihood) {
            return Err("the fit was stopped".to_owned());
        }
    }
    fitted.learned = measure(&learned, &strengths);
    fitted.held_out = measure(&held_out, &strengths_of(&held_out, known.groups.len(), &gammas));
    if by_hand.len() == held_out.shares.len() {
        fitted.by_hand = measure(&held_out, &by_hand);
    }
    fitted.gammas = Gammas::new(known.features.into_iter().zip(gammas.into_iter().map(f32::ln)));
    Ok(fitted)
}

/// Updates the strengths of the features of a group, and of the moves.
fn fit_group(positions: &Positions, groups: usize, group: usize, gammas: &mut [f32], strengths: &mut [f32]) {
    let feature_of = |number: usize| positions.features[number * groups + group];
    let (mut wins, mut parts) = (vec![0.0; gammas.len()], vec![0.0; gammas.len()]);
    for range in positions.ranges() {
        let all: f32 = strengths[range.clone()].iter().sum();
        for number in range {
            let feature = feature_of(number);
            if feature != NONE {
                wins[feature as usize] += f64::from(positions.shares[number]);
                parts[feature as usize] += f64::from(strengths[number] / gammas[feature as usize] / all);
            }
        }
    }
    let mut factors = vec![1.0; gammas.len()];
    for (((gamma, factor), won), part) in gammas.iter_mut().zip(&mut factors).zip(wins).zip(parts) {
        // The features of other groups have no part.
        if part > 0.0 {
            let new = ((won + 1.0) / (part + 2.0 / (f64::from(*gamma) + 1.0))) as f32;
            *factor = new / *gamma;
            *gamma = new;
        }
    }
    for (number, strength) in strengths.iter_mut().enumerate() {
        let feature = feature_of(number);
        if feature != NONE {
            *strength *= factors[feature as usize];
        }
    }
}

fn strengths_of(positions: &Positions, groups: usize, gammas: &[f32]) -> Vec<f32> {
    let product =
        |features: &[u32]| features.iter().filter(|&&one| one != NONE).map(|&one| gammas[one as usize]).product();
    positions.features.chunks_exact(groups).map(product).collect()
}

/// The measure of these strengths of the moves.
fn measure(positions: &Positions, strengths: &[f32]) -> Fit {
    let mut fit = Fit { positions: positions.ends.len(), ..Fit::default() };
    for range in positions.ranges() {
        let (strengths, shares) = (&strengths[range.clone()], &positions.shares[range]);
        let all: f32 = strengths.iter().sum();
        let logs = strengths.iter().zip(shares).filter(|&(_, &share)| share > 0.0);
        fit.log_likelihood += logs.map(|(strength, share)| share * (strength / all).ln()).sum::<f32>();
        let chosen = (0..shares.len()).reduce(|a, b| if shares[b] > shares[a] { b } else { a }).unwrap_or(0);
        // Of equal ones half are taken to come before it.
        let rank: f32 = strengths
            .iter()
            .enumerate()
            .filter(|&(number, _)| number != chosen)
            .map(|(_, strength)| match strength.total_cmp(&strengths[chosen]) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
            .sum();
        fit.first += f32::from(u8::from(rank < 1.0));
        fit.first_five += f32::from(u8::from(rank < 5.0));
    }
    let count = fit.positions.max(1) as f32;
    Fit {
        log_likelihood: fit.log_likelihood / count,
        first: fit.first / count,
        first_five: fit.first_five / count,
        ..fit
    }
}

/// A choice between moves.
struct Choice<'a, G: Game> {
    p: &'a G::Position,
    legal: &'a [Action],
    features: &'a MoveFeatures,
    /// Shares of the moves, which add up to 1.
    shares: &'a [f32],
}

/// Calls `each` with each choice in the records until it returns false; a game that was begun is read to its end. Returns the
/// number of games read, and lines on damage.
fn each_choice<G: Game>(
    game: &G,
    label: &Label,
    files: &[PathBuf],
    mut each: impl FnMut(&GameRecord, Choice<G>) -> bool,
) -> Result<(u64, Vec<String>), String> {
    let (mut features, mut shares) = (MoveFeatures::default(), Vec::new());
    each_ply(game, label, files, |record, p, legal, ply| {
        let Some(share) = ply.searched.shares() else { return true };
        if legal.len() < 2 || game.player(p) == Player::Chance {
            return true;
        }
        game.features(p, legal, &mut features);
        shares.clear();
        shares.extend(legal.iter().map(|&action| share(action)));
        each(record, Choice { p, legal, features: &features, shares: &shares })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of three moves: one with the feature 0, one with 1, and one with both of another group; the chosen ones have
    /// shares.
    fn positions(shares: &[[f32; 3]]) -> Positions {
        let mut all = Positions::default();
        for shares in shares {
            all.features.extend([0, NONE, 1, NONE, NONE, 2]);
            all.shares.extend(shares);
            all.ends.push(all.shares.len());
        }
        all
    }

    fn fitted(positions: &Positions, sweeps: u32) -> (Vec<f32>, Vec<f32>) {
        let (mut gammas, mut strengths) = (vec![1.0; 3], vec![1.0; positions.shares.len()]);
        for _ in 0..sweeps {
            (0..2).for_each(|group| fit_group(positions, 2, group, &mut gammas, &mut strengths));
        }
        (gammas, strengths)
    }

    #[test]
    fn a_step_is_that_of_the_formula() {
        // The first move wins two of three; each one is a third of the strength of each position.
        let all = positions(&[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        let (mut gammas, mut strengths) = (vec![1.0; 3], vec![1.0; 9]);
        fit_group(&all, 2, 0, &mut gammas, &mut strengths);
        assert_eq!(gammas, [3.0 / 2.0, 1.0 / 2.0, 1.0]);
        assert_eq!(strengths[..3], [1.5, 0.5, 1.0]);
        fit_group(&all, 2, 1, &mut gammas, &mut strengths);
        assert!((gammas[2] - 2.0 / 2.0).abs() < 1e-6);
    }

    /// The slope of the likelihood, with those of the two games against a move of strength 1, is 0 at the end.
    #[test]
    fn the_end_is_the_greatest_likelihood() {
        let all = positions(&[[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.0, 0.0, 1.0], [0.7, 0.3, 0.0]]);
        let (gammas, strengths) = fitted(&all, 200);
        for (feature, gamma) in gammas.iter().enumerate() {
            let won: f32 = all.shares.iter().skip(feature).step_by(3).sum();
            let chance: f32 = strengths.chunks(3).map(|moves| moves[feature] / moves.iter().sum::<f32>()).sum();
            let prior = 1.0 - 2.0 * gamma / (gamma + 1.0);
            assert!((won - chance + prior).abs() < 1e-3, "{feature}: {won} {chance} {prior}");
        }
        let found = measure(&all, &strengths);
        assert_eq!((found.positions, found.first, found.first_five), (4, 0.75, 1.0));
    }

    #[test]
    fn strengths_that_made_the_choices_are_found_again() {
        let mut rng = playout_games::Rng::with_seed(1);
        let truth = [0.5_f32, 1.0, 4.0];
        let draw = |rng: &mut playout_games::Rng| {
            let mut shares = [0.0; 3];
            let mut left = rng.f32() * truth.iter().sum::<f32>();
            let chosen = truth.iter().position(|strength| {
                left -= strength;
                left < 0.0
            });
            shares[chosen.unwrap_or(2)] = 1.0;
            shares
        };
        let shares: Vec<[f32; 3]> = (0..20_000).map(|_| draw(&mut rng)).collect();
        let (gammas, _) = fitted(&positions(&shares), 50);
        assert!((gammas[0] / gammas[1] - 0.5).abs() < 0.03, "{gammas:?}");
        assert!((gammas[2] / gammas[1] - 4.0).abs() < 0.15, "{gammas:?}");
    }

    #[test]
    fn equal_moves_are_half_before_each_other() {
        let all = positions(&[[1.0, 0.0, 0.0]]);
        let found = measure(&all, &[1.0; 3]);
        assert_eq!((found.first, found.first_five), (0.0, 1.0));
        assert!((found.log_likelihood + 3.0_f32.ln()).abs() < 1e-6);
    }
}
