//! The value of a node, worked out from its edges: the mean, and the proven bounds.

use playout_games::{Game, Player};

use super::{Sample, Worker};
use crate::{
    config::PolicyKind,
    graph::{
        node::{KNOWN, Node, OVER, PATH_DEPENDENT, within},
        view::view,
    },
    sync::{
        add,
        atomic::{
            Ordering::{Acquire, Relaxed, Release},
            fence,
        },
    },
};

/// Rounding error that sums of probabilities may have.
const ROUNDING: f32 = 4e-6;

impl<G: Game> Worker<'_, G> {
    /// Q(s) = (own samples + sum of n(s,a) Q(child)) / N(s), kept within what is proven. At a chance node the mean by
    /// probability over the outcomes seen so far. With value initialisation by m, H(s) counts as m samples more.
    pub(crate) fn recompute(&self, node: &Node) {
        if node.has(OVER | KNOWN) {
            return;
        }
        let store = self.shared.store;
        let mover = node.mover();
        if mover != Player::Chance || node.edge_count.load(Relaxed) == 0 {
            let terms = store.edges_of(node).map(|(_, edge)| view(store, mover, edge));
            self.set_value(node, node.own.get() + terms.map(|seen| seen.visits * seen.value).sum::<f32>());
            return;
        }
        let (mut sum, mut mass) = (0.0, 0.0);
        for (_, edge) in store.edges_of(node).filter(|(_, edge)| edge.visits.load(Relaxed) > 0) {
            sum += edge.extra.get() * view(store, mover, edge).value;
            mass += edge.extra.get();
        }
        if mass > 0.0 {
            Self::set_mean(node, sum / mass);
        }
    }

    /// Makes `sum` over the visits the node's value.
    #[inline]
    pub(super) fn set_value(&self, node: &Node, sum: f32) {
        let config = self.shared.config;
        let visits = node.visits.load(Relaxed).max(1) as f32;
        if config.tree_policy == PolicyKind::McEval {
            Self::set_mean(node, node.decisive_mean());
        } else if config.value_initialisation > 0.0 && node.mover() != Player::Chance {
            let m = config.value_initialisation;
            Self::set_mean(node, (sum + m * node.heuristic.get()) / (visits + m));
        } else {
            Self::set_mean(node, sum / visits);
        }
    }

    #[inline]
    pub(super) fn set_mean(node: &Node, mean: f32) {
        node.value.set(within(mean, node.lower.get(), node.upper.get()));
    }

    /// The winner of the simulation: +1 the first player, -1 the second, 0 nobody. An estimate is drawn at random in its
    /// proportion.
    pub(super) fn outcome(&mut self, sample: Sample) -> i8 {
        let Sample { value, result, .. } = sample;
        if result || value.abs() >= 1.0 {
            return if value > 0.0 { 1 } else { -i8::from(value < 0.0) };
        }
        if self.rng.f32() < value.abs() { if value > 0.0 { 1 } else { -1 } } else { 0 }
    }

    pub(super) fn count(&self, node: &Node, outcome: i8) {
        add(&node.visits, 1, self.parallel);
        if outcome == 0 {
            add(&node.draws, 1, self.parallel);
        } else if (outcome > 0) == (node.mover().sign() > 0.0) {
            add(&node.wins, 1, self.parallel);
        }
    }

    /// Score-bounded MCTS-Solver (Winands, Bjornsson and Saito 2008; Cazenave and Saffidine 2010): a node is worth at
    /// least the best lower bound of its children and, once all moves are tried, at most the best upper bound; a
    /// chance node is worth the mean of its outcomes' bounds.
    pub(super) fn update_bounds(&self, node: &Node) {
        if node.has(OVER) || node.proven() {
            return;
        }
        let store = self.shared.store;
        let mover = node.mover();
        // Before the edges: another thread may append the last one meanwhile.
        let full = node.full();
        let (mut lower, mut upper) = (-1.0_f32, -1.0_f32);
        let (mut mean_lower, mut mean_upper, mut mass) = (0.0, 0.0, 0.0);
        for (_, edge) in store.edges_of(node) {
            let seen = view(store, mover, edge);
            if mover == Player::Chance {
                let p = edge.extra.get();
                mean_lower += p * seen.lower;
                mean_upper += p * seen.upper;
                mass += p;
            }
            lower = lower.max(seen.lower);
            upper = upper.max(seen.upper);
        }
        if mover == Player::Chance {
            // All outcomes were seen if their probabilities add up to 1, but for rounding.
            let unseen = 1.0 - mass;
            (lower, upper) = if unseen.abs() < ROUNDING {
                (mean_lower / mass, mean_upper / mass)
            } else {
                (mean_lower - unseen, mean_upper + unseen)
            };
            if upper - lower < ROUNDING {
                upper = lower;
            }
        } else if !full || node.has(PATH_DEPENDENT) {
            upper = 1.0;
        }
        lower = lower.max(node.lower.get());
        upper = upper.min(node.upper.get());
        if lower >= upper {
            // Other threads count on from here as soon as the bounds meet.
            upper = lower;
            node.value.set(lower);
            node.plies.store(self.proof_length(node, lower), Relaxed);
            fence(Release);
        }
        node.lower.raise(lower);
        node.upper.cut(upper);
    }

    /// Plies to the end of a node that is proven to be worth `value`: the winner hurries, the loser delays.
    pub(super) fn proof_length(&self, node: &Node, value: f32) -> u32 {
        let (store, mover) = (self.shared.store, node.mover());
        let lengths = store.edges_of(node).filter_map(|(_, edge)| {
            let seen = view(store, mover, edge);
            let exact = seen.lower >= seen.upper && (mover == Player::Chance || seen.lower >= value);
            exact.then(|| {
                fence(Acquire);
                store.node(edge.leads_to()).plies.load(Relaxed) + 1
            })
        });
        (if value > 0.0 && mover != Player::Chance { lengths.min() } else { lengths.max() }).unwrap_or(0)
    }
}
