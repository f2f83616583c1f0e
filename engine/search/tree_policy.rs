//! The tree policy: which edge a simulation takes.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::Player;

use crate::{
    node::{Edge, Node},
    store::Store,
};

/// UCB1 (Auer, Cesa-Bianchi and Fischer 2002): `value + exploration * sqrt(ln parent_visits / edge_visits)`.
/// `scale` is `exploration^2 * ln parent_visits`, which is the same for all edges of a node.
#[inline]
pub fn ucb1(value: f32, scale: f32, edge_visits: f32) -> f32 {
    value + (scale / edge_visits).sqrt()
}

/// ln(1 + x) for x in [0, 1), the constant first: a least-squares fit at Chebyshev points, good to 7e-5.
const LN: [f32; 5] = [6.944_574e-5, 0.996_262, -0.466_442_4, 0.218_665_5, -0.055_459_3];

/// The natural logarithm of a visit count, to 1e-4: the same on every machine, and quicker than the C library's.
#[inline]
pub fn ln(visits: u32) -> f32 {
    let bits = (visits.max(1) as f32).to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let x = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    exponent * std::f32::consts::LN_2 + LN.iter().rev().fold(0.0, |sum, &c| sum * x + c)
}

/// What the parent's mover sees of an edge.
pub struct View {
    pub visits: f32,
    pub value: f32,
    pub lower: f32,
    pub upper: f32,
}

/// Reads an edge and its child for `mover`; a child that has been reclaimed left its last value on the edge.
#[inline]
pub fn view(store: &Store, mover: Player, edge: &Edge) -> View {
    view_among(&store.nodes, mover, edge)
}

#[inline]
fn view_among(nodes: &[Node], mover: Player, edge: &Edge) -> View {
    let visits = edge.visits.load(Relaxed) as f32;
    let child = edge.child.load(Relaxed);
    if child == 0 {
        return View { visits, value: edge.extra.get(), lower: -1.0, upper: 1.0 };
    }
    let child = &nodes[child as usize];
    let (value, lower, upper) = (child.value.get(), child.lower.get(), child.upper.get());
    if child.sign_for(mover) < 0.0 {
        View { visits, value: -value, lower: -upper, upper: -lower }
    } else {
        View { visits, value, lower, upper }
    }
}

/// What the tree policy chose at a node.
pub struct Choice {
    pub slot: u32,
    /// Sum of n(s,a) Q(child) over all other edges.
    pub others: f32,
    /// The greatest lower and upper bound among all children.
    pub lower: f32,
    pub upper: f32,
}

/// The edge with the highest UCB1 score among those that are `allowed` and, with `solver`, could still beat what is
/// proven for the node; None if there is none. Threads below an edge count as `virtual_loss` lost visits each.
#[inline]
pub fn best_edge(
    store: &Store,
    node: &Node,
    exploration: f32,
    virtual_loss: f32,
    solver: bool,
    allowed: impl Fn(u32, u32) -> bool,
) -> Option<Choice> {
    let nodes = &*store.nodes;
    let mover = node.mover();
    let scale = exploration * exploration * ln(node.visits.load(Relaxed));
    let floor = if solver { node.lower.get() } else { f32::NEG_INFINITY };
    let (mut best, mut best_slot, mut best_sum) = (f32::NEG_INFINITY, 0, 0.0);
    let (mut sum, mut lower, mut upper) = (0.0, -1.0_f32, -1.0_f32);
    for (first, run) in store.runs(node) {
        for (offset, edge) in run.iter().enumerate() {
            let slot = first + offset as u32;
            let mut view = view_among(nodes, mover, edge);
            let weighted = view.visits * view.value;
            sum += weighted;
            lower = lower.max(view.lower);
            upper = upper.max(view.upper);
            if view.upper <= floor || !allowed(slot, edge.action.load(Relaxed)) {
                continue;
            }
            if virtual_loss > 0.0 {
                let child = edge.child.load(Relaxed);
                let pending = if child == 0 { 0 } else { nodes[child as usize].pending.load(Relaxed) };
                if pending > 0 {
                    let lost = pending as f32 * virtual_loss;
                    view.value = (weighted - lost) / (view.visits + lost);
                    view.visits += lost;
                }
            }
            let score = if view.visits > 0.0 { ucb1(view.value, scale, view.visits) } else { f32::INFINITY };
            if score > best {
                (best, best_slot, best_sum) = (score, slot, weighted);
            }
        }
    }
    (best_slot != 0).then_some(Choice { slot: best_slot, others: sum - best_sum, lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ln_is_the_logarithm() {
        for visits in (0..30).map(|power| 1 << power).chain(1..5000) {
            assert!((ln(visits) - (visits as f32).ln()).abs() < 1e-4, "{visits}");
        }
    }

    #[test]
    fn ucb1_is_its_formula() {
        let (parent, edge) = (3.0_f32, 2.0);
        assert!((ucb1(10.0, 4.0 * parent.ln(), edge) - (10.0 + 2.0 * (parent.ln() / edge).sqrt())).abs() < 1e-6);
    }
}
