//! Reports of a search for its user: root moves with their values, and principal variations.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player};

use crate::{
    config::RootChoice,
    control::Reason,
    graph::{
        node::{Edge, Index, Node, UNCOUNTED},
        store::Store,
        tree::Tree,
    },
    search::Search,
};

pub mod choice;
mod root;
pub mod temperature;

use choice::{Candidate, ranked};

/// Longest principal variation that is reported, but for those that lead to a proven end.
const LONGEST: usize = 64;

/// A root move; values are for the player to move at the root.
#[derive(Clone, Debug)]
pub struct MoveReport {
    pub action: Action,
    pub visits: u32,
    /// Probability before any simulation, without noise, where the policy asks for it; else 0.
    pub prior: f32,
    pub value: f32,
    pub win: f32,
    pub draw: f32,
    pub lower: f32,
    pub upper: f32,
    /// Plies from the root to the end, if proven and not by tables, which do not count them.
    pub plies: Option<u32>,
    /// This move and what is expected to follow, in the game's notation.
    pub line: Vec<String>,
    /// For each move of the line: simulations from the position after it, by any path, and simulations that took the move.
    pub line_visits: Vec<(u32, u32)>,
    /// Lead in points after the move.
    pub score: Option<PointsLead>,
}

/// The lead in points with which simulations ended, for the player to move at the root: mean and standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointsLead {
    pub mean: f32,
    pub deviation: f32,
}

/// A search at one moment.
#[derive(Clone, Debug, Default)]
pub struct SearchReport {
    pub seconds: f64,
    pub simulations: u64,
    pub mean_depth: f32,
    pub longest: u32,
    pub value: f32,
    /// Mean result of this search's simulations for the player to move at the root: no hints, nothing from before.
    pub simulated: Option<f32>,
    pub visits: u32,
    pub fill: f32,
    /// Lead in points, where the game counts them.
    pub score: Option<PointsLead>,
    /// Best first.
    pub moves: Vec<MoveReport>,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    pub reason: Reason,
    pub report: SearchReport,
}

impl<G: Game> Search<G> {
    /// The report at this moment; lines for the first `lines` moves only.
    pub fn report(&self, lines: usize) -> SearchReport {
        let mover = self.trees[0].store.node(self.trees[0].root).mover();
        let root = self.root_state();
        let mut moves = self.ranked_root();
        self.settle_by_points(&mut moves);
        SearchReport {
            value: root.value,
            visits: root.visits,
            score: self.lead_of(self.trees.iter().map(|tree| (&tree.store, tree.root)), mover),
            fill: self.trees.iter().map(|tree| tree.store.fill()).fold(0.0, f32::max),
            moves: moves
                .into_iter()
                .enumerate()
                .map(|(rank, candidate)| self.move_report(&candidate, mover, rank < lines))
                .collect(),
            ..SearchReport::default()
        }
    }

    fn move_report(&self, candidate: &Candidate, mover: Player, with_line: bool) -> MoveReport {
        let tree = &self.trees[candidate.tree];
        let edge = tree.store.edge(candidate.slot);
        let action = self.output_action(edge.action.load(Relaxed)).expect("only allowed actions are ranked");
        let plies = (candidate.lower >= candidate.upper && candidate.plies < UNCOUNTED).then_some(candidate.plies);
        let longest = LONGEST.max(plies.unwrap_or(0) as usize);
        let (line, line_visits) =
            if with_line { self.line(tree, action, candidate.slot, longest) } else { (Vec::new(), Vec::new()) };
        let [win, draw] = if candidate.lower >= candidate.upper {
            [f32::from(candidate.value > 0.0), f32::from(candidate.value == 0.0)]
        } else {
            self.over_trees(candidate, |store, slot| odds(store, mover, store.edge(slot)))
        };
        MoveReport {
            action,
            visits: candidate.visits,
            prior: if self.config.compares_unvisited() { tree.store.tally(candidate.slot).prior.get() } else { 0.0 },
            value: candidate.value,
            win,
            draw,
            lower: candidate.lower,
            upper: candidate.upper,
            plies,
            line,
            line_visits,
            score: self.lead_after(candidate, mover),
        }
    }

    /// The root move `action` and the best reply to each position after it, while the graph has one; with what
    /// `MoveReport::line_visits` says of each.
    fn line(&self, tree: &Tree, action: Action, slot: u32, longest: usize) -> (Vec<String>, Vec<(u32, u32)>) {
        let (game, store) = (self.game(), &tree.store);
        let mut position = self.position().clone();
        let (mut line, mut visits) = (Vec::new(), Vec::new());
        let mut seen = vec![tree.root];
        let (mut node, mut action, mut slot) = (store.node(tree.root), action, slot);
        let mut canonical = store.edge(slot).action.load(Relaxed);
        let mut key = node.key.load(Relaxed);
        let mut ply = 0;
        loop {
            line.push(game.action_text(&position, action));
            game.play(&mut position, action);
            ply += u32::from(node.mover() != Player::Chance);
            let frame;
            (key, frame) = self.key_at(&position, (key, canonical), ply);
            let edge = store.edge(slot);
            let taken = edge.visits.load(Relaxed);
            let Some(index) = self.follow(store, edge, key) else {
                visits.push((taken, taken));
                break;
            };
            node = store.node(index);
            visits.push((node.visits.load(Relaxed), taken));
            if line.len() >= longest || seen.contains(&index) || game.result(&position).is_some() {
                break;
            }
            seen.push(index);
            let legal = |canonical| game.still_legal(&position, game.undo_frame(frame, canonical));
            let moves = ranked(store, node, RootChoice::Visits, legal);
            let Some(best) = moves.iter().find(|best| proves(best, node)).or(moves.first()) else { break };
            slot = best.slot;
            canonical = store.edge(slot).action.load(Relaxed);
            action = game.undo_frame(frame, canonical);
        }
        (line, visits)
    }

    /// The node to which a variation goes on along `edge`, to a position with this key. Where the edge leads to the same
    /// position with another history and has a proof from there, the proof goes on as it was found.
    fn follow(&self, store: &Store, edge: &Edge, key: u64) -> Option<Index> {
        let child = edge.leads_to();
        let own = || store.find(key);
        if child == 0 {
            return own();
        }
        let linked = store.node(child);
        // Elsewhere another history may mean another frame.
        let same_frame = self.game().frames() == 1 || !self.config().symmetries;
        let proof = || same_frame && self.config().transpositions && linked.proven();
        let equal = |index| {
            let node = store.node(index);
            node.proven() && node.mean() == linked.mean() && node.plies.load(Relaxed) == linked.plies.load(Relaxed)
        };
        match linked.key.load(Relaxed) == key {
            true => Some(child),
            false if proof() => own().filter(|&index| equal(index)).or(Some(child)),
            false => own(),
        }
    }
}

/// Whether the node is proven by this move: so its mover wins soonest, or loses last.
fn proves(candidate: &Candidate, node: &Node) -> bool {
    node.proven()
        && candidate.lower >= candidate.upper
        && candidate.value == node.mean()
        && candidate.plies == node.plies.load(Relaxed)
}

/// The shares of simulations along an edge that its parent's mover won, and that were drawn.
fn odds(store: &Store, mover: Player, edge: &Edge) -> [f32; 2] {
    let child = edge.leads_to();
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
