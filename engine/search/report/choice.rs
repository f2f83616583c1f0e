//! The final choice: which root move a search plays.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Player};

use crate::{
    config::RootChoice,
    graph::{node::Node, store::Store, view::view},
};

/// A of the secure child's bound Q - A / sqrt(n) (Chaslot et al. 2008).
const CAUTION: f64 = 1.0;

/// A root edge as the final choice sees it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub slot: u32,
    pub visits: u32,
    pub value: f32,
    pub lower: f32,
    pub upper: f32,
    pub plies: u32,
    /// Index of the search's tree that has the slot.
    pub tree: usize,
}

impl Candidate {
    pub(super) fn proven(&self) -> bool {
        self.lower >= self.upper
    }

    /// The number by which `choice` ranks moves that are neither proven wins nor proven losses.
    fn merit(&self, choice: RootChoice) -> f64 {
        let (visits, value) = (f64::from(self.visits), f64::from(self.value));
        match choice {
            RootChoice::Visits | RootChoice::MaxRobust => visits,
            RootChoice::Value => value,
            RootChoice::Secure => value - CAUTION / visits.max(1.0).sqrt(),
        }
    }

    fn class(&self) -> u8 {
        match (self.proven(), self.lower) {
            (true, value) if value >= 1.0 => 0,
            (true, value) if value <= -1.0 => 2,
            _ => 1,
        }
    }
}

/// The candidates of a node, best first: the shortest proven win; then by `choice`, except that a proven result goes
/// before moves that promise less; proven losses last, the longest of them first. The outcomes of a chance node, the most
/// frequent first.
pub fn ranked(store: &Store, node: &Node, choice: RootChoice, allowed: impl Fn(Action) -> bool) -> Vec<Candidate> {
    let mover = node.mover();
    let mut candidates: Vec<Candidate> = store
        .edges_of(node)
        .filter(|(_, edge)| allowed(edge.action.load(Relaxed)))
        .map(|(slot, edge)| {
            let seen = view(store, mover, edge);
            let child = edge.leads_to();
            let plies = if child == 0 { 0 } else { store.node(child).plies.load(Relaxed) + 1 };
            let visits = edge.visits.load(Relaxed);
            Candidate { slot, visits, value: seen.value, lower: seen.lower, upper: seen.upper, plies, tree: 0 }
        })
        .filter(|candidate| candidate.visits > 0 || candidate.proven() && mover != Player::Chance)
        .collect();
    if mover == Player::Chance {
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.visits));
    } else {
        sort(&mut candidates, choice);
    }
    candidates
}

/// Best first, as `ranked` says.
pub fn sort(candidates: &mut [Candidate], choice: RootChoice) {
    candidates.sort_by(|a, b| {
        a.class().cmp(&b.class()).then_with(|| match a.class() {
            0 => a.plies.cmp(&b.plies),
            2 => b.plies.cmp(&a.plies),
            _ => b.merit(choice).total_cmp(&a.merit(choice)).then(b.value.total_cmp(&a.value)),
        })
    });
    let (mut exact, open): (Vec<Candidate>, Vec<Candidate>) =
        candidates.iter().filter(|candidate| candidate.class() == 1).partition(|candidate| candidate.proven());
    // Plus 0 makes the two zeros one.
    exact.sort_by(|a, b| (b.value + 0.0).total_cmp(&(a.value + 0.0)));
    let mut exact = exact.into_iter().peekable();
    let mut merged = Vec::with_capacity(candidates.len());
    for next in open {
        while let Some(sure) = exact.next_if(|sure| sure.value >= next.value) {
            merged.push(sure);
        }
        merged.push(next);
    }
    merged.extend(exact);
    let first = candidates.iter().filter(|candidate| candidate.class() == 0).count();
    candidates[first..first + merged.len()].copy_from_slice(&merged);
}

/// Whether the best of `ranked` moves is proven, or has both the most visits and the greatest value.
pub fn is_max_robust(ranked: &[Candidate]) -> bool {
    ranked.first().is_none_or(|best| {
        best.proven() || ranked.iter().all(|other| other.visits <= best.visits && other.value <= best.value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sure_goes_before_what_promises_less_and_after_what_promises_more() {
        let candidate = |visits, value, exact: bool| {
            let (lower, upper) = if exact { (value, value) } else { (-1.0, 1.0) };
            Candidate { slot: 0, visits, value, lower, upper, plies: 1, tree: 0 }
        };
        let order = |mut candidates: Vec<Candidate>| {
            sort(&mut candidates, RootChoice::Visits);
            candidates.iter().map(|candidate| candidate.visits).collect::<Vec<_>>()
        };
        let (win, loss) = (candidate(1, 1.0, true), candidate(900, -1.0, true));
        assert_eq!(order(vec![loss, candidate(9, 0.5, false), win]), [1, 9, 900]);
        // Two draws are sure; one more visited move promises more, another less.
        let draws = [candidate(100, 0.0, true), candidate(5, 0.0, true)];
        assert_eq!(order(vec![draws[0], draws[1], candidate(50, 0.2, false), win, loss]), [1, 50, 100, 5, 900]);
        assert_eq!(order(vec![draws[0], draws[1], candidate(500, -0.2, false)]), [100, 5, 500]);
        // The most visited of the sure ones is not the best of them.
        let poor = candidate(100, -0.3, true);
        assert_eq!(order(vec![poor, candidate(5, 0.0, true), candidate(50, 0.2, false)]), [50, 5, 100]);
        assert_eq!(order(vec![poor, candidate(5, 0.3, true)]), [5, 100]);
    }

    #[test]
    fn each_choice_has_its_own_best_move() {
        let candidate =
            |visits, value| Candidate { slot: visits, visits, value, lower: -1.0, upper: 1.0, plies: 0, tree: 0 };
        let moves = [candidate(100, 0.1), candidate(2, 0.9), candidate(90, 0.35)];
        let best = |choice| {
            let mut candidates = moves;
            sort(&mut candidates, choice);
            candidates[0].visits
        };
        assert_eq!(best(RootChoice::Visits), 100);
        assert_eq!(best(RootChoice::Value), 2);
        assert_eq!(best(RootChoice::Secure), 90);
        assert!(!is_max_robust(&moves) && is_max_robust(&[candidate(3, 0.2), candidate(2, 0.1)]));
    }
}
