//! Strengths of the features of moves by what playouts come to in which moves are drawn in proportion to their strength.
//!
//! With the logarithms of the strengths as weights w, the chance of a move a is pi(a|s), and the slope of its logarithm is
//! psi(s, a) = phi(a) - sum over b of pi(b|s) phi(b), phi(a) the move's features. Of a playout with the result z, in which the
//! moves a(t) were drawn at s(t):
//!
//! - simulation balancing (Silver and Tesauro 2009, "Monte-Carlo Simulation Balancing") moves w by (v - E z) E[z sum psi(t)],
//!   down the slope of the squared bias of the mean result against the value v of a search;
//! - policy gradient (Williams 1992, REINFORCE) moves w by E[sum z(t) psi(t)], z(t) the result for the player of a(t): up the
//!   slope of what a player wins against the policy as it is.
//!
//! Results z are from the first player's point of view. Both take z less the mean of other playouts of the same position, which
//! changes no mean, because that of psi is 0.

use std::path::PathBuf;

use playout_games::{Action, Game, MoveFeatures, Player, Rng, draw, zobrist};
use playout_nets::{Gammas, gammas};

use crate::{
    crew::in_order,
    patterns::{Known, NONE},
    records::{GameRecord, Label, is_held_out},
    rows::each_ply,
};

/// Positions whose slopes make one step.
const BATCH: usize = 16;
/// Plies after which a playout counts as drawn: a game in which nobody ends it.
const PLIES: usize = 2000;

/// The slope that the weights follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Balance,
    Gradient,
}

/// Settings of the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    pub method: Method,
    /// Positions that are learned from, at most: games beyond are passed over.
    pub positions: usize,
    /// Times that each position is learned from.
    pub sweeps: u32,
    /// Playouts of a position for its mean, and as many for the slope; at least 1.
    pub playouts: u32,
    /// Size of the first steps; it falls in equal parts to 0.
    pub rate: f32,
    pub seed: u64,
    pub threads: usize,
}

/// The distance of the means of playouts from the values of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bias {
    pub positions: usize,
    /// The root of the mean squared bias, without the noise of the playouts.
    pub root: f32,
    /// The mean of v - E z, from the first player's point of view.
    pub mean: f32,
}

/// The result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Balanced {
    pub games: u64,
    pub positions: usize,
    pub gammas: Gammas,
    /// On the games that were held out, with the strengths of the start, and with those learned.
    pub before: Bias,
    pub after: Bias,
    /// Lines on files that end with damage.
    pub damage: Vec<String>,
}

/// A position with the value that a search found, for the first player.
struct Aim<P> {
    p: P,
    value: f32,
}

/// Learns from the positions in files of records that a search has judged, beginning with the strengths `start`. `on_batch`
/// gets the number of positions so far, and returns whether to go on. The same seed gives the same strengths, whatever the
/// number of threads.
///
/// # Errors
///
/// One line that names the file and the record, or that says that there is nothing to learn, or that it was stopped.
pub fn balance<G: Game>(
    game: &G,
    label: &Label,
    files: &[PathBuf],
    start: &Gammas,
    settings: Settings,
    mut on_batch: impl FnMut(usize) -> bool,
) -> Result<Balanced, String> {
    gammas::name_of(game)?;
    let known = Known::of(start.logits().into_keys().collect());
    let mut weights: Vec<f32> = start.logits().into_values().collect();
    let mut balanced = Balanced::default();
    let (mut learned, mut held_out) = (Vec::new(), Vec::new());
    (balanced.games, balanced.damage) = each_value(game, label, files, |record, aim| {
        if is_held_out(record) {
            held_out.push(aim)
        } else {
            learned.push(aim)
        }
        learned.len() < settings.positions
    })?;
    if weights.is_empty() {
        return Err("there are no strengths to begin with".to_owned());
    }
    if learned.is_empty() {
        let nothing = || "there is no position with the value of a search to learn from".to_owned();
        return Err(balanced.damage.into_iter().next().unwrap_or_else(nothing));
    }
    balanced.positions = learned.len();
    let mut crew: Vec<Walker<'_, G>> =
        (0..settings.threads.max(1)).map(|_| Walker::new(game, &known, weights.len())).collect();
    balanced.before = bias(&mut crew, &held_out, &weights, settings)?;
    let mut order: Vec<usize> = (0..learned.len()).collect();
    let (mut rng, mut done) = (Rng::with_seed(zobrist::key(settings.seed, 2)), 0);
    let all = learned.len() * settings.sweeps as usize;
    for sweep in 0..settings.sweeps {
        rng.shuffle(&mut order);
        for batch in order.chunks(BATCH) {
            let rate = settings.rate * (1.0 - done as f32 / all as f32) / batch.len() as f32;
            let mut slope = vec![0.0; weights.len()];
            let seed = zobrist::key(settings.seed, 3 + u64::from(sweep));
            let work = |walker: &mut Walker<'_, G>, number: u64| {
                let place = batch[number as usize];
                let mut rng = Rng::with_seed(zobrist::key(seed, place as u64));
                Ok(walker.slope(&learned[place], &weights, settings, &mut rng))
            };
            in_order(&mut crew, 0..batch.len() as u64, work, |_, parts| {
                parts.into_iter().for_each(|(number, part): (u32, f32)| slope[number as usize] += part);
                Ok(true)
            })?;
            weights.iter_mut().zip(&slope).for_each(|(weight, slope)| *weight += rate * slope);
            done += batch.len();
            if !on_batch(done) {
                return Err("it was stopped".to_owned());
            }
        }
    }
    if weights.iter().any(|weight| !weight.is_finite()) {
        return Err(format!("the steps are too large: a strength is not finite with the rate {}", settings.rate));
    }
    balanced.after = bias(&mut crew, &held_out, &weights, settings)?;
    balanced.gammas = Gammas::new(known.features.iter().copied().zip(weights));
    Ok(balanced)
}

/// The bias of the mean of playouts. Two means of different playouts give its square without their noise.
fn bias<G: Game>(
    crew: &mut [Walker<'_, G>],
    aims: &[Aim<G::Position>],
    weights: &[f32],
    settings: Settings,
) -> Result<Bias, String> {
    let (mut squares, mut sum) = (0.0, 0.0);
    let seed = zobrist::key(settings.seed, 1);
    let work = |walker: &mut Walker<'_, G>, number: u64| {
        let aim = &aims[number as usize];
        let mut rng = Rng::with_seed(zobrist::key(seed, number));
        Ok([(); 2].map(|()| aim.value - walker.mean(&aim.p, weights, settings.playouts, &mut rng)))
    };
    in_order(crew, 0..aims.len() as u64, work, |_, [one, two]| {
        squares += f64::from(one * two);
        sum += f64::from((one + two) / 2.0);
        Ok(true)
    })?;
    let count = aims.len().max(1) as f64;
    Ok(Bias { positions: aims.len(), root: (squares / count).max(0.0).sqrt() as f32, mean: (sum / count) as f32 })
}

/// Calls `each` with each position that a search has judged until it returns false; a game that was begun is read to its end.
/// Returns the number of games read, and lines on damage.
fn each_value<G: Game>(
    game: &G,
    label: &Label,
    files: &[PathBuf],
    mut each: impl FnMut(&GameRecord, Aim<G::Position>) -> bool,
) -> Result<(u64, Vec<String>), String> {
    each_ply(game, label, files, |record, p, _, ply| match (ply.searched.value(), game.player(p)) {
        (Some(value), player @ (Player::First | Player::Second)) => {
            each(record, Aim { p: p.clone(), value: value * player.sign() })
        }
        _ => true,
    })
}

/// Plays playouts. All but `game` and `known` is scratch.
struct Walker<'a, G: Game> {
    game: &'a G,
    known: &'a Known,
    legal: Vec<Action>,
    features: MoveFeatures,
    /// Numbers of the features of each move, one for each group, or `NONE`.
    numbers: Vec<u32>,
    chances: Vec<f32>,
    /// The sum of psi along the playout, and the places where it may not be 0.
    trace: Vec<f32>,
    touched: Vec<u32>,
}

impl<'a, G: Game> Walker<'a, G> {
    fn new(game: &'a G, known: &'a Known, weights: usize) -> Walker<'a, G> {
        Walker {
            game,
            known,
            legal: Vec::new(),
            features: MoveFeatures::default(),
            numbers: Vec::new(),
            chances: Vec::new(),
            trace: vec![0.0; weights],
            touched: Vec::new(),
        }
    }

    /// The mean result of playouts.
    fn mean(&mut self, p: &G::Position, weights: &[f32], playouts: u32, rng: &mut Rng) -> f32 {
        let sum: f32 = (0..playouts).map(|_| self.playout(p.clone(), weights, rng, |_, _| {})).sum();
        sum / playouts as f32
    }

    /// The part of a position in the slope, by number of the weight.
    fn slope(&mut self, aim: &Aim<G::Position>, weights: &[f32], settings: Settings, rng: &mut Rng) -> Vec<(u32, f32)> {
        let mean = self.mean(&aim.p, weights, settings.playouts, rng);
        let scale = match settings.method {
            Method::Balance => aim.value - mean,
            Method::Gradient => 1.0,
        } / settings.playouts as f32;
        let mut slope = vec![0.0; weights.len()];
        for _ in 0..settings.playouts {
            let result = self.playout(aim.p.clone(), weights, rng, |walker, (player, chosen)| {
                walker.follow(chosen, if settings.method == Method::Gradient { player.sign() } else { 1.0 });
            });
            for number in self.touched.drain(..) {
                let sum = std::mem::take(&mut self.trace[number as usize]);
                slope[number as usize] += scale * (result - mean) * sum;
            }
        }
        (0..).zip(slope).filter(|&(_, part)| part != 0.0).collect()
    }

    /// Plays to the end; returns the result. `each` gets the player of each move and its place among the legal ones, whose
    /// features and chances are those at hand.
    fn playout(
        &mut self,
        mut p: G::Position,
        weights: &[f32],
        rng: &mut Rng,
        mut each: impl FnMut(&mut Self, (Player, usize)),
    ) -> f32 {
        for _ in 0..PLIES {
            if let Some(result) = self.game.result(&p) {
                return result;
            }
            let player = self.game.player(&p);
            if player == Player::Chance {
                let outcome = self.game.sample(&p, rng);
                self.game.play(&mut p, outcome);
                continue;
            }
            self.weigh(&p, weights);
            let chosen = draw::weighted(self.chances.iter().copied(), rng).expect("a move has a chance");
            each(self, (player, chosen));
            self.game.play(&mut p, self.legal[chosen]);
        }
        0.0
    }

    /// Finds the legal moves of `p`, their features and their chances.
    fn weigh(&mut self, p: &G::Position, weights: &[f32]) {
        let Walker { game, known, legal, features, numbers, chances, .. } = self;
        game.actions(p, legal);
        game.features(p, legal, features);
        numbers.clear();
        features.iter().for_each(|features| known.add(features, numbers));
        let groups = known.groups.len();
        let weight = |moves: &[u32]| moves.iter().filter(|&&one| one != NONE).map(|&one| weights[one as usize]).sum();
        chances.clear();
        chances.extend(numbers.chunks_exact(groups).map(|moves| -> f32 { weight(moves) }));
        draw::softmax(chances, 1.0);
    }

    /// Adds psi of the move at this place, times `sign`, to the trace.
    fn follow(&mut self, chosen: usize, sign: f32) {
        let groups = self.known.groups.len();
        for (place, moves) in self.numbers.chunks_exact(groups).enumerate() {
            let part = sign * (f32::from(u8::from(place == chosen)) - self.chances[place]);
            for &number in moves.iter().filter(|&&one| one != NONE) {
                let sum = &mut self.trace[number as usize];
                if *sum == 0.0 {
                    self.touched.push(number);
                }
                *sum += part;
            }
        }
    }
}

#[cfg(test)]
#[path = "balance/tests.rs"]
mod tests;
