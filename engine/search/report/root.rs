//! The root of a search, whose statistics are those of all its trees together.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player};

use super::choice::{Candidate, ranked, sort};
use crate::{
    graph::{
        node::{Index, Node, OVER},
        store::Store,
        tree::Tree,
    },
    report::PointsLead,
    search::Search,
};

/// Difference of values up to which they count as equal: a thousandth of the chances to win.
const EQUAL: f32 = 0.002;
/// Value from which on, won or lost, such a difference says something: elsewhere it is less than the values' error.
const DECIDED: f32 = 0.995;
/// A move of equal value counts if it has at least this part of the first move's visits.
const OFTEN: u32 = 2;
/// Least visits of a pass that counts and is not proven: the search knows few reasons to look at it.
const PASSED: u32 = 10;
/// Points that are not worth a move.
const NOTHING: f32 = 0.5;
/// The most by which simulations after a pass on a settled board differ in the mean from the lead on it.
const SETTLED: f32 = 1.0;

/// Statistics of the root over all trees, for its mover.
#[derive(Clone, Copy, Debug)]
pub struct RootState {
    pub visits: u32,
    pub value: f32,
    pub lower: f32,
    pub upper: f32,
    pub plies: u32,
}

impl RootState {
    pub fn proven(&self) -> bool {
        self.lower >= self.upper
    }
}

/// Mean of `(visits, value)`; of the values if there are no visits.
fn mean(parts: impl Iterator<Item = (u32, f32)>) -> f32 {
    let (mut sum, mut visits, mut plain, mut count) = (0.0, 0.0, 0.0, 0.0);
    for (n, value) in parts {
        sum += f64::from(n) * f64::from(value);
        visits += f64::from(n);
        plain += f64::from(value);
        count += 1.0;
    }
    (if visits > 0.0 { sum / visits } else { plain / f64::max(count, 1.0) }) as f32
}

impl<G: Game> Search<G> {
    /// The root: visits added, the value weighted by visits, the tightest bounds.
    pub(crate) fn root_state(&self) -> RootState {
        let roots = || self.trees.iter().map(|tree| tree.store.node(tree.root));
        let visits = |node: &Node| node.visits.load(Relaxed);
        let lower = roots().map(|node| node.lower.get()).fold(-1.0, f32::max);
        let upper = roots().map(|node| node.upper.get()).fold(1.0, f32::min);
        let plies = roots().filter(|node| node.proven()).map(|node| node.plies.load(Relaxed)).min();
        RootState {
            visits: roots().map(visits).fold(0, u32::saturating_add),
            value: if self.trees.len() == 1 {
                self.trees[0].store.node(self.trees[0].root).mean()
            } else {
                mean(roots().map(|node| (visits(node), node.mean()))).max(lower).min(upper.max(lower))
            },
            lower,
            upper,
            plies: plies.unwrap_or(0),
        }
    }

    /// The root's candidates, best first. Those of several trees are merged: visits added, values weighted by visits,
    /// bounds the tightest; slot and tree are those of the tree that visited the move most.
    pub(crate) fn ranked_root(&self) -> Vec<Candidate> {
        let of = |number: usize| {
            let tree = &self.trees[number];
            let node = tree.store.node(tree.root);
            let allowed = |action| self.output_action(action).is_some();
            ranked(&tree.store, node, self.config().final_choice(), allowed)
                .into_iter()
                .map(move |candidate| Candidate { tree: number, ..candidate })
        };
        if self.trees.len() == 1 {
            return of(0).collect();
        }
        let mut groups: Vec<(Action, Vec<Candidate>)> = Vec::new();
        for candidate in (0..self.trees.len()).flat_map(of) {
            let action = self.action_of(&candidate);
            match groups.iter_mut().find(|(known, _)| *known == action) {
                Some((_, group)) => group.push(candidate),
                None => groups.push((action, vec![candidate])),
            }
        }
        let mut merged: Vec<Candidate> = groups.iter().map(|(_, group)| merge(group)).collect();
        sort(&mut merged, self.config().final_choice());
        merged
    }

    /// In a game that counts points and is as good as decided, puts that one of the moves of equal value first which
    /// leads by most, or the pass if no other move gains anything. Where points count in the search, too, a lost game is
    /// lost: it does not matter which of its moves are proven to lose.
    pub(crate) fn settle_by_points(&self, moves: &mut [Candidate]) {
        if !self.game().is_scored() {
            return;
        }
        let for_points = self.config().points_weight > 0.0;
        let lost = |candidate: &Candidate| for_points && candidate.value <= -DECIDED;
        let Some(&best) = moves.first().filter(|best| lost(best) || !best.proven() && best.value.abs() >= DECIDED)
        else {
            return;
        };
        let most = moves.iter().filter(|other| lost(other)).map(|other| other.visits).fold(best.visits, u32::max);
        let mover = self.trees[0].store.node(self.trees[0].root).mover();
        let mut choice: Option<(usize, f32)> = None;
        let mut pass = None;
        for (place, candidate) in moves.iter().enumerate() {
            let passes = Some(self.action_of(candidate)) == self.game().pass_action();
            let least = match passes {
                true if candidate.proven() => 1,
                true => PASSED,
                false => most / OFTEN,
            };
            let equal = !candidate.proven() && (candidate.value - best.value).abs() <= EQUAL;
            if !(equal || lost(candidate)) || candidate.visits < least {
                continue;
            }
            let Some(PointsLead { mean, deviation }) = self.lead_after(candidate, mover) else { continue };
            let doubt = deviation / (candidate.visits.max(1) as f32).sqrt();
            if passes {
                let hope = if for_points { self.settled_lead(candidate, mean, mover) } else { Some(mean + doubt) };
                pass = hope.map(|hope| (place, hope));
            } else if choice.is_none_or(|(_, lead)| mean - doubt > lead) {
                choice = Some((place, mean - doubt));
            }
        }
        let Some((mut place, lead)) = choice else { return };
        if let Some((passing, hope)) = pass
            && hope + NOTHING >= lead
        {
            place = passing;
        }
        moves[..=place].rotate_right(1);
    }

    /// The lead with which the game ends by the pass that is `candidate`, and by another if it goes on. None if the
    /// simulations after it, whose mean lead is `mean`, say that more would happen: the opponent can play on.
    fn settled_lead(&self, candidate: &Candidate, mean: f32, mover: Player) -> Option<f32> {
        let store = &self.trees[candidate.tree].store;
        let child = store.node(store.edge(candidate.slot).leads_to());
        if child.has(OVER) {
            return Some(mean);
        }
        let mut replies = store.edges_of(child);
        let (_, reply) = replies.find(|(_, edge)| Some(edge.action.load(Relaxed)) == self.game().pass_action())?;
        let end = self.lead_of(std::iter::once((store, reply.leads_to())), mover)?.mean;
        ((end - mean).abs() <= SETTLED).then_some(end)
    }

    fn action_of(&self, candidate: &Candidate) -> Action {
        self.trees[candidate.tree].store.edge(candidate.slot).action.load(Relaxed)
    }

    /// The edges that stand for the candidate's move, one in each tree that has it.
    pub(crate) fn edges_for(&self, candidate: &Candidate) -> impl Iterator<Item = (&Store, u32)> {
        let (action, Candidate { tree: own, slot, .. }) = (self.action_of(candidate), *candidate);
        self.trees.iter().enumerate().filter_map(move |(number, Tree { store, root, .. })| {
            if number == own {
                return Some((store, slot));
            }
            let mut edges = store.edges_of(store.node(*root));
            edges.find(|(_, edge)| edge.action.load(Relaxed) == action).map(|(slot, _)| (store, slot))
        })
    }

    /// The lead after the candidate's move, as `lead_of` has it.
    pub(crate) fn lead_after(&self, candidate: &Candidate, mover: Player) -> Option<PointsLead> {
        self.lead_of(self.edges_for(candidate).map(|(store, slot)| (store, store.edge(slot).leads_to())), mover)
    }

    /// The scores of these nodes together, for `mover`; None before the first simulation, and in a game without points.
    pub(crate) fn lead_of<'a>(
        &self,
        nodes: impl Iterator<Item = (&'a Store, Index)>,
        mover: Player,
    ) -> Option<PointsLead> {
        let (mut samples, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for (store, index) in nodes.filter(|(store, index)| store.has_scores() && *index != 0) {
            let score = store.score(index);
            let count = f64::from(score.samples.load(Relaxed));
            samples += count;
            sum += count * f64::from(score.mean.get());
            squares += count * f64::from(score.square.get());
        }
        (samples > 0.0).then(|| {
            let mean = sum / samples;
            let deviation = (squares / samples - mean * mean).max(0.0).sqrt();
            PointsLead { mean: mean as f32 * mover.sign(), deviation: deviation as f32 }
        })
    }

    /// The mean of `of(tree, slot)` over the edges that stand for the candidate's move, weighted by their visits.
    pub(crate) fn over_trees<const N: usize>(
        &self,
        candidate: &Candidate,
        of: impl Fn(&Store, u32) -> [f32; N],
    ) -> [f32; N] {
        let parts: Vec<(u32, [f32; N])> = self
            .edges_for(candidate)
            .map(|(store, slot)| (store.edge(slot).visits.load(Relaxed), of(store, slot)))
            .filter(|(visits, _)| *visits > 0)
            .collect();
        std::array::from_fn(|i| mean(parts.iter().map(|(visits, values)| (*visits, values[i]))))
    }
}

fn merge(group: &[Candidate]) -> Candidate {
    let most = *group.iter().max_by_key(|candidate| candidate.visits).expect("a group has a member");
    let lower = group.iter().map(|candidate| candidate.lower).fold(-1.0, f32::max);
    let upper = group.iter().map(|candidate| candidate.upper).fold(1.0, f32::min).max(lower);
    // The line of a proof comes from the tree that has it.
    let shown = group.iter().find(|candidate| candidate.lower >= candidate.upper).copied().unwrap_or(most);
    Candidate {
        visits: group.iter().map(|candidate| candidate.visits).fold(0, u32::saturating_add),
        value: mean(group.iter().map(|candidate| (candidate.visits, candidate.value))).max(lower).min(upper),
        lower,
        upper,
        ..shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_moves_have_all_visits_their_mean_and_the_tightest_bounds() {
        let candidate =
            |visits, value, lower, upper, tree| Candidate { slot: 1, visits, value, lower, upper, plies: 3, tree };
        let open = merge(&[candidate(30, 0.5, -1.0, 0.75, 0), candidate(10, -0.5, -0.5, 1.0, 1)]);
        assert_eq!((open.visits, open.value, open.lower, open.upper, open.tree), (40, 0.25, -0.5, 0.75, 0));
        let sure = merge(&[candidate(30, 0.5, -1.0, 1.0, 0), candidate(10, 1.0, 1.0, 1.0, 1)]);
        assert_eq!((sure.visits, sure.value, sure.lower, sure.upper, sure.tree), (40, 1.0, 1.0, 1.0, 1));
    }
}
