//! One look at all edges of a node: what the tree policy compares, and what backup needs of it.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use playout_games::{Action, Player, Rng};

use super::{Place, PointsTerm, Policy, Seen, boost::boost};
use crate::{
    config::Config,
    graph::{
        node::{Amaf, Edge, Index, Node, Tally},
        store::Store,
        view::{child_of, view_of},
    },
    meta::MetaEdge,
};

/// A node whose edges are to be compared, and by what.
pub struct Scan<'a> {
    pub store: &'a Store,
    pub node: &'a Node,
    pub index: Index,
    pub config: &'a Config,
    /// Losses that each thread below an edge counts for; 0 with one thread.
    pub virtual_loss: f32,
    /// Whether edges that cannot beat what is proven for the node are left out.
    pub solver: bool,
    /// Whether the node is the root of the search.
    pub at_root: bool,
    /// Dirichlet noise for the priors of some actions.
    pub noise: &'a [(Action, f32)],
    /// Source of an action's AMAF statistics, if not its edge.
    pub amaf: Option<&'a dyn Fn(Action) -> Amaf>,
    /// Share of the AMAF samples of an action that are added as wins, if any are.
    pub wins: Option<&'a dyn Fn(Action) -> f32>,
    /// Worth of leads.
    pub points: PointsTerm,
    /// Choices beside the edges: trees that begin with the move of one.
    pub metas: &'a [Arc<MetaEdge>],
}

impl Scan<'_> {
    /// C at the node, for policies with priors.
    #[inline]
    fn exploration(&self) -> f32 {
        let config = self.config;
        let own = self.at_root && config.root_exploration > 0.0;
        let c = if own { config.root_exploration } else { config.exploration };
        c * boost(config, self.store, self.node)
    }
}

/// The tree policy's choice at a node.
pub struct ChosenEdge {
    pub slot: u32,
    /// The place in `Scan::metas` of the meta-edge that was chosen, if one was; it begins with the edge.
    pub meta: Option<usize>,
    /// Sum of n(s,a) Q(child) over all other edges; not worked out for a meta-edge.
    pub others: f32,
    /// The greatest lower and upper bound among all children.
    pub lower: f32,
    pub upper: f32,
    /// Whether the node has an edge that nobody ever took.
    pub fresh: bool,
}

/// The edge with the policy's greatest score among those that are `allowed` and, with the solver, could still beat what
/// is proven for the node; None if there is none.
#[inline(always)]
pub fn best_edge<P: Policy>(scan: &Scan, rng: &mut Rng, allowed: impl Fn(u32, u32) -> bool) -> Option<ChosenEdge> {
    if scan.points.acts() {
        choose::<P, true, true>(scan, rng, allowed)
    } else if P::PRIORS || scan.config.uses_amaf() || scan.config.progressive_bias > 0.0 {
        choose::<P, true, false>(scan, rng, allowed)
    } else {
        choose::<P, false, false>(scan, rng, allowed)
    }
}

/// `RICH` policies look at priors, AMAF statistics and biases, too, with `POINTS` also at leads. Not inlined, so that each
/// policy's loop has the registers for itself.
#[inline(never)]
fn choose<P: Policy, const RICH: bool, const POINTS: bool>(
    scan: &Scan,
    rng: &mut Rng,
    allowed: impl Fn(u32, u32) -> bool,
) -> Option<ChosenEdge> {
    let Scan { store, node, virtual_loss, .. } = *scan;
    let nodes = &*store.nodes;
    let mover = node.mover();
    let exploration = if P::PRIORS { scan.exploration() } else { scan.config.exploration };
    let policy = P::at(&Place { config: scan.config, visits: node.visits.load(Relaxed), exploration }, rng);
    let extras = Extras::of::<P>(scan);
    let floor = if scan.solver { node.lower.get() } else { f32::NEG_INFINITY };
    let (mut best, mut best_slot, mut best_sum) = (f32::NEG_INFINITY, 0, 0.0);
    let (mut sum, mut lower, mut upper, mut fresh) = (0.0, -1.0_f32, -1.0_f32, false);
    for (first, run) in store.runs(node) {
        for (offset, edge) in run.iter().enumerate() {
            let slot = first + offset as u32;
            let child = child_of(nodes, edge);
            let view = view_of(mover, edge, child);
            let weighted = view.visits * view.value;
            sum += weighted;
            lower = lower.max(view.lower);
            upper = upper.max(view.upper);
            if RICH {
                fresh |= child.is_none() && view.visits <= 0.0;
            }
            if view.upper <= floor || !allowed(slot, edge.action.load(Relaxed)) {
                continue;
            }
            let mut seen = Seen { visits: view.visits, value: view.value, prior: 0.0, child };
            if virtual_loss > 0.0 {
                let pending = child.map_or(0, |child| child.pending.load(Relaxed));
                if pending > 0 {
                    let lost = pending as f32 * virtual_loss;
                    seen.value = (weighted - lost) / (view.visits + lost);
                    seen.visits += lost;
                }
            }
            let score = extras.score::<P, RICH, POINTS>(&policy, (slot, edge), seen, rng);
            if score > best {
                (best, best_slot, best_sum) = (score, slot, weighted);
            }
        }
    }
    let mut meta = None;
    if !scan.metas.is_empty()
        && let Some((place, slot)) = better_meta::<P, RICH, POINTS>(scan, (&policy, &extras, floor), best, rng, allowed)
    {
        (meta, best_slot) = (Some(place), slot);
    }
    (best_slot != 0).then_some(ChosenEdge { slot: best_slot, meta, others: sum - best_sum, lower, upper, fresh })
}

/// The place of the meta-edge with the greatest score, and the slot of its first move, if the score is above `best`. A meta-edge
/// counts where its value is greater than its first move's. All else is that of the first move, whose visits include its own: so
/// the two are explored as one.
#[cold]
#[inline(never)]
fn better_meta<P: Policy, const RICH: bool, const POINTS: bool>(
    scan: &Scan,
    (policy, extras, floor): (&P, &Extras, f32),
    mut best: f32,
    rng: &mut Rng,
    allowed: impl Fn(u32, u32) -> bool,
) -> Option<(usize, u32)> {
    let Scan { store, node, virtual_loss, .. } = *scan;
    let mover = node.mover();
    let mut chosen = None;
    for (place, meta) in scan.metas.iter().enumerate().filter(|(_, meta)| meta.visits.load(Relaxed) > 0) {
        let first = store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == meta.action);
        let Some((slot, edge)) = first.filter(|&(slot, _)| allowed(slot, meta.action)) else { continue };
        let child = child_of(&store.nodes, edge);
        let view = view_of(mover, edge, child);
        // What the tree is worth is no more than what its first move is proven to be.
        let value = meta.value.get().min(view.upper);
        if view.upper <= floor || value <= view.value {
            continue;
        }
        let visits = view.visits.max(1.0);
        let lost = child.map_or(0, |child| child.pending.load(Relaxed)) as f32 * virtual_loss;
        let seen = Seen { visits: visits + lost, value: (visits * value - lost) / (visits + lost), prior: 0.0, child };
        let score = extras.score::<P, RICH, POINTS>(policy, (slot, edge), seen, rng);
        if score > best {
            (best, chosen) = (score, Some((place, slot)));
        }
    }
    chosen
}

/// Statistics of edges besides the visits, and the terms that are the same for all edges of a node.
struct Extras<'a> {
    scan: &'a Scan<'a>,
    tallies: &'a [Tally],
    mover: Player,
    /// The value of an unvisited move.
    first_play: f32,
    uses_amaf: bool,
    bias: f32,
    /// At a root with a temperature of its own.
    heat: Option<Heat>,
}

/// The priors of the root at another temperature: p ^ exponent times a factor, by which all edges together keep their prior.
struct Heat {
    exponent: f32,
    factor: f32,
}

impl Heat {
    #[cold]
    fn of(scan: &Scan) -> Heat {
        let exponent = scan.config.prior_temperature / scan.config.root_prior_temperature;
        let tallies = scan.store.tallies();
        let priors = || scan.store.edges_of(scan.node).map(|(slot, _)| tallies[slot as usize].prior.get());
        let (before, after): (f32, f32) = (priors().sum(), priors().map(|prior| prior.powf(exponent)).sum());
        Heat { exponent, factor: if after > 0.0 { before / after } else { 0.0 } }
    }
}

impl Extras<'_> {
    fn of<'a, P: Policy>(scan: &'a Scan<'a>) -> Extras<'a> {
        let Scan { store, node, config, points, index, .. } = *scan;
        let mover = node.mover();
        Extras {
            scan,
            tallies: store.tallies(),
            mover,
            first_play: node.value.get() + points.worth_of(store, index, mover) - config.first_play_urgency,
            uses_amaf: config.uses_amaf(),
            bias: config.progressive_bias,
            heat: (P::PRIORS && scan.at_root && config.root_prior_temperature > 0.0).then(|| Heat::of(scan)),
        }
    }

    /// The score of an edge, of which `seen` has the visits and the value.
    #[inline(always)]
    fn score<P: Policy, const RICH: bool, const POINTS: bool>(
        &self,
        policy: &P,
        (slot, edge): (u32, &Edge),
        mut seen: Seen,
        rng: &mut Rng,
    ) -> f32 {
        if POINTS {
            seen.value += self.scan.points.worth_of(self.scan.store, edge.leads_to(), self.mover);
        }
        if RICH {
            self.enrich::<P>(slot, edge, &mut seen);
        }
        policy.score(&seen, rng)
    }

    /// Adds prior, first-play urgency, AMAF value and progressive bias.
    #[inline(always)]
    fn enrich<P: Policy>(&self, slot: u32, edge: &Edge, seen: &mut Seen) {
        let n = seen.visits;
        if P::PRIORS || self.uses_amaf {
            let tally = &self.tallies[slot as usize];
            seen.prior = tally.prior.get();
            if let Some(heat) = &self.heat {
                seen.prior = heat.factor * seen.prior.powf(heat.exponent);
            }
            if !self.scan.noise.is_empty() {
                self.disturb(edge, seen);
            }
            if n <= 0.0 {
                seen.value = self.first_play;
            }
            if self.uses_amaf {
                let amaf = match self.scan.amaf {
                    Some(amaf) => amaf(edge.action.load(Relaxed)),
                    None => tally.amaf(),
                };
                let amaf = match self.scan.wins {
                    Some(wins) => amaf.with_wins(wins(edge.action.load(Relaxed))),
                    None => amaf,
                };
                let weight = rave_weight(n, amaf.visits, self.scan.config);
                seen.value += weight * (amaf.value - seen.value);
                if !P::PRIORS {
                    seen.visits = n + 1.0;
                }
            }
        }
        if self.bias > 0.0 {
            // Chaslot et al. 2008; here with the weight m / (n + m) H(s).
            let h = seen.child.map_or(0.0, |child| child.heuristic.get() * child.sign_for(self.mover));
            seen.value += self.bias / (n + self.bias) * h;
        }
    }

    /// Adds the root noise of the edge's action.
    #[cold]
    fn disturb(&self, edge: &Edge, seen: &mut Seen) {
        let action = edge.action.load(Relaxed);
        if let Some((_, noise)) = self.scan.noise.iter().find(|(noisy, _)| *noisy == action) {
            seen.prior += self.scan.config.root_noise * (noise - seen.prior);
        }
    }
}

/// The share of the AMAF value, r / (n + r + m + n r / k) (Gelly and Silver 2011, equation 12, with k = 1 / (4 b^2) for a
/// bias b of AMAF values, and m samples before it counts): r / (r + m) before the first visit, and n / k to 1 against the
/// own value in the long run.
#[inline]
pub fn rave_weight(visits: f32, amaf_visits: f32, config: &Config) -> f32 {
    if amaf_visits <= 0.0 {
        return 0.0;
    }
    amaf_visits / (visits + amaf_visits + config.rave_delay + visits * amaf_visits / config.rave_equivalence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amaf_weighs_all_at_first_and_little_in_the_end() {
        let config = Config { rave_equivalence: 1000.0, ..Config::default() };
        let weight = |visits, amaf_visits| rave_weight(visits, amaf_visits, &config);
        assert_eq!(weight(0.0, 5.0), 1.0);
        assert_eq!(weight(3.0, 0.0), 0.0);
        assert!((weight(1000.0, 1e9) - 0.5).abs() < 1e-3);
        assert!(weight(1e6, 1e6) < 1.1e-3);
    }

    #[test]
    fn amaf_waits_for_as_many_samples_as_the_delay() {
        let config = Config { rave_delay: 20.0, ..Config::default() };
        assert_eq!(rave_weight(0.0, 20.0, &config), 0.5);
        assert!(rave_weight(0.0, 1.0, &config) < 0.05);
    }
}
