//! Exploration that depends on a node's moves: on the evenness of their priors, and on the spread of their values.

use std::sync::atomic::Ordering::Relaxed;

use crate::{
    config::Config,
    graph::{
        node::{Edge, Node},
        store::Store,
        view::view,
    },
};

/// The greatest factor.
const MOST: f32 = 2.0;
/// Visits that the expected spread counts for.
const EXPECTED: f32 = 2.0;
/// Keeps the logarithm finite where one move has all of the prior.
const LEAST_IMPURITY: f32 = 1e-3;

/// The factor of C at `node`, in [0, 2]: by `puct_gini` (as in Monty) and `puct_spread` (as KataGo's standard deviation of
/// utilities, here of the moves' mean values).
#[inline]
pub fn boost(config: &Config, store: &Store, node: &Node) -> f32 {
    if config.puct_gini <= 0.0 && config.puct_spread <= 0.0 { 1.0 } else { measured(config, store, node) }
}

#[inline(never)]
fn measured(config: &Config, store: &Store, node: &Node) -> f32 {
    let mover = node.mover();
    let tallies = store.tallies();
    let mut evenness = Evenness::default();
    let mut spread = Spread::default();
    for (slot, edge) in store.edges_of(node) {
        evenness.add(tallies[slot as usize].prior.get());
        if config.puct_spread > 0.0 && taken(edge) {
            let seen = view(store, mover, edge);
            spread.add(seen.visits, seen.value);
        }
    }
    let by_priors = 1.0 - config.puct_gini * evenness.impurity().ln();
    let by_values =
        1.0 + config.puct_spread * (spread.deviation(config.puct_spread_base) / config.puct_spread_base - 1.0);
    (by_priors * by_values).clamp(0.0, MOST)
}

fn taken(edge: &Edge) -> bool {
    edge.visits.load(Relaxed) > 0
}

/// The priors of a node's moves: their Gini impurity.
#[derive(Default)]
struct Evenness {
    squares: f32,
}

impl Evenness {
    fn add(&mut self, prior: f32) {
        self.squares += prior * prior;
    }

    /// The chance that two moves drawn by their priors differ. Moves without an edge count as many small ones.
    fn impurity(&self) -> f32 {
        (1.0 - self.squares).max(LEAST_IMPURITY)
    }
}

/// The values of a node's moves, each weighed by its visits.
#[derive(Default)]
struct Spread {
    visits: f32,
    sum: f32,
    squares: f32,
}

impl Spread {
    fn add(&mut self, visits: f32, value: f32) {
        self.visits += visits;
        self.sum += visits * value;
        self.squares += visits * value * value;
    }

    /// Standard deviation, with two visits of the `expected` one.
    fn deviation(&self, expected: f32) -> f32 {
        let within = if self.visits > 0.0 { self.squares - self.sum * self.sum / self.visits } else { 0.0 };
        ((within.max(0.0) + EXPECTED * expected * expected) / (self.visits + EXPECTED)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impurity_is_the_chance_of_different_moves() {
        let mut evenness = Evenness::default();
        for prior in [0.5, 0.25, 0.25] {
            evenness.add(prior);
        }
        assert!((evenness.impurity() - 0.625).abs() < 1e-6);
        let mut one = Evenness::default();
        one.add(1.0);
        assert_eq!(one.impurity(), LEAST_IMPURITY);
    }

    #[test]
    fn the_spread_begins_as_expected_and_becomes_what_is_seen() {
        let mut spread = Spread::default();
        assert!((spread.deviation(0.2) - 0.2).abs() < 1e-6);
        spread.add(1e6, 0.5);
        spread.add(1e6, -0.5);
        assert!((spread.deviation(0.2) - 0.5).abs() < 1e-3);
    }
}
