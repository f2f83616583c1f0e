//! What a search knows, for its user: root moves with their values, and principal variations.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player};

use crate::{
    keys::child_key,
    node::{Edge, Index, Node},
    search::Search,
    store::Store,
    tree_policy::view,
    trees::Tree,
};

/// Longest principal variation that is reported.
const LONGEST: usize = 64;

/// A root move; values are for the player to move at the root.
#[derive(Clone, Debug)]
pub struct MoveReport {
    pub action: Action,
    pub visits: u32,
    pub value: f32,
    pub win: f32,
    pub draw: f32,
    pub lower: f32,
    pub upper: f32,
    /// Plies from the root to the end, if proven.
    pub plies: Option<u32>,
    /// This move and what is expected to follow, in the game's notation.
    pub line: Vec<String>,
}

/// A search at one moment.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub seconds: f64,
    pub simulations: u64,
    pub mean_depth: f32,
    pub longest: u32,
    pub value: f32,
    pub visits: u32,
    pub fill: f32,
    /// Best first.
    pub moves: Vec<MoveReport>,
}

/// A root edge as the final choice sees it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub slot: u32,
    pub visits: u32,
    pub value: f32,
    pub lower: f32,
    pub upper: f32,
    pub plies: u32,
    /// Which of the search's trees has the slot.
    pub tree: usize,
}

impl Candidate {
    fn proven(&self) -> bool {
        self.lower >= self.upper
    }

    fn class(&self) -> u8 {
        match (self.proven(), self.lower) {
            (true, value) if value >= 1.0 => 0,
            (true, value) if value <= -1.0 => 2,
            _ => 1,
        }
    }
}

/// The candidates of a node, best first: the shortest proven win; then the most visited, except that a proven result
/// goes before moves that promise less; proven losses last, the longest of them first. The outcomes of a chance node, the
/// most frequent first.
pub fn ranked(store: &Store, node: &Node, allowed: impl Fn(Action) -> bool) -> Vec<Candidate> {
    let mover = node.mover();
    let mut candidates: Vec<Candidate> = store
        .edges_of(node)
        .filter(|(_, edge)| edge.visits.load(Relaxed) > 0 && allowed(edge.action.load(Relaxed)))
        .map(|(slot, edge)| {
            let seen = view(store, mover, edge);
            let child = edge.child.load(Relaxed);
            let plies = if child == 0 { 0 } else { store.node(child).plies.load(Relaxed) + 1 };
            let visits = edge.visits.load(Relaxed);
            Candidate { slot, visits, value: seen.value, lower: seen.lower, upper: seen.upper, plies, tree: 0 }
        })
        .collect();
    if mover == Player::Chance {
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.visits));
    } else {
        sort(&mut candidates);
    }
    candidates
}

pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| {
        a.class().cmp(&b.class()).then_with(|| match a.class() {
            0 => a.plies.cmp(&b.plies),
            2 => b.plies.cmp(&a.plies),
            _ => b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)),
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

impl<G: Game> Search<G> {
    /// The report at this moment; lines for the first `lines` moves only.
    pub fn report(&self, lines: usize) -> Report {
        let mover = self.trees()[0].store.node(self.trees()[0].root).mover();
        let root = self.root_state();
        let moves = self.ranked_root();
        Report {
            value: root.value,
            visits: root.visits,
            fill: self.trees().iter().map(|tree| tree.store.fill()).fold(0.0, f32::max),
            moves: moves
                .into_iter()
                .enumerate()
                .map(|(rank, candidate)| self.move_report(&candidate, mover, rank < lines))
                .collect(),
            ..Report::default()
        }
    }

    fn move_report(&self, candidate: &Candidate, mover: Player, with_line: bool) -> MoveReport {
        let tree = &self.trees()[candidate.tree];
        let edge = tree.store.edge(candidate.slot);
        let action = self.output_action(edge.action.load(Relaxed)).expect("only allowed actions are ranked");
        let child = edge.child.load(Relaxed);
        let [win, draw] = if candidate.lower >= candidate.upper {
            [f32::from(candidate.value > 0.0), f32::from(candidate.value == 0.0)]
        } else {
            self.over_trees(candidate, |store, slot| odds(store, mover, store.edge(slot)))
        };
        MoveReport {
            action,
            visits: candidate.visits,
            value: candidate.value,
            win,
            draw,
            lower: candidate.lower,
            upper: candidate.upper,
            plies: (candidate.lower >= candidate.upper).then_some(candidate.plies),
            line: if with_line { self.line(tree, action, child) } else { Vec::new() },
        }
    }

    /// The root move `action` and the best reply to each position after it, while the graph has one.
    fn line(&self, tree: &Tree, action: Action, child: Index) -> Vec<String> {
        let (game, store) = (self.game(), &tree.store);
        let mut position = self.position().clone();
        let mut line = vec![game.action_text(&position, action)];
        let mut seen = vec![tree.root];
        let canonical = game.to_frame(self.frame(), action);
        game.play(&mut position, action);
        let (mut key, mut frame) =
            child_key(game, self.config(), &position, store.node(tree.root).key.load(Relaxed), canonical);
        let mut index = child;
        while index != 0 && store.node(index).key.load(Relaxed) == key && line.len() < LONGEST && !seen.contains(&index)
        {
            if game.result(&position).is_some() {
                break;
            }
            seen.push(index);
            let node = store.node(index);
            let legal = |canonical| game.still_legal(&position, game.from_frame(frame, canonical));
            let Some(best) = ranked(store, node, legal).first().copied() else { break };
            let canonical = store.edge(best.slot).action.load(Relaxed);
            let action = game.from_frame(frame, canonical);
            line.push(game.action_text(&position, action));
            game.play(&mut position, action);
            (key, frame) = child_key(game, self.config(), &position, key, canonical);
            index = store.edge(best.slot).child.load(Relaxed);
        }
        line
    }
}

/// The shares of simulations along an edge that its parent's mover won, and that were drawn.
fn odds(store: &Store, mover: Player, edge: &Edge) -> [f32; 2] {
    let child = edge.child.load(Relaxed);
    if child == 0 {
        return [(1.0 + edge.extra.get()) / 2.0, 0.0];
    }
    let node = store.node(child);
    let total = node.visits.load(Relaxed).max(1) as f32;
    let own = node.wins.load(Relaxed) as f32 / total;
    let draw = (node.draws.load(Relaxed) as f32 / total).min(1.0);
    let win = if node.sign_for(mover) > 0.0 { own.min(1.0 - draw) } else { (1.0 - draw - own).max(0.0) };
    [win, draw]
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
            sort(&mut candidates);
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
}
