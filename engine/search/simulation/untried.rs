//! Edges that a node does not have yet: in which order actions are tried, and how edges are appended.

use std::{
    rc::Rc,
    sync::{
        Arc,
        atomic::Ordering::{Acquire, Relaxed, Release},
    },
};

use playout_games::{Action, Game, Player, draw};

use super::{Shared, Worker, advice::Advice};
use crate::{
    config::Order,
    graph::{
        keys::own_symmetries,
        node::{FULL, GUIDED, LOCKED, Node, PATH_DEPENDENT, RESTRICTED, STUDIED, UNORDERED},
        store::Full,
    },
};

/// An action without an edge.
#[derive(Clone, Copy)]
struct Untried {
    action: Action,
    /// Sort key, the greatest first: hints of the guide, then H(s, a).
    preference: f32,
    /// The node's own random order decides between equals.
    rank: u64,
    prior: f32,
    /// Number and mean of the results that a hint has observed.
    observed: (u32, f32),
}

impl<G: Game> Worker<'_, G> {
    /// Fills `actions` with the node's legal actions in the canonical frame: one of each set that the position's own
    /// symmetries make equivalent, or those that a restriction permits. Fills `preferences` with theirs if `preferred` and
    /// the game has any; else it is empty.
    fn distinct_actions(&mut self, node: &Node, preferred: bool) {
        let Shared { game, evaluator, config, .. } = self.shared;
        game.actions(&self.position, &mut self.actions);
        let restricted = node.has(RESTRICTED);
        if restricted {
            self.keep_permitted();
        }
        let (position, frame) = (&self.position, self.frame);
        let own = if restricted { Vec::new() } else { own_symmetries(*game, config, position) };
        if !own.is_empty() {
            self.actions.retain(|&action| {
                let image = game.to_frame(frame, action);
                own.iter().all(|&f| image <= game.to_frame(frame, game.to_frame(f, action)))
            });
        }
        if let Some(left_out) = self.left_out(node) {
            self.actions.retain(|&action| !left_out.contains(&game.to_frame(frame, action)));
        }
        self.preferences.clear();
        if preferred && !evaluator.preferences(position, &self.actions, &mut self.preferences) {
            self.preferences.clear();
        }
        if preferred && let Some(history) = self.shared.history {
            self.preferences.resize(self.actions.len(), 0.0);
            for (preference, &action) in self.preferences.iter_mut().zip(&self.actions) {
                *preference += config.history_weight * history.worth(node.mover(), action);
            }
        }
        for action in &mut self.actions {
            *action = game.to_frame(frame, *action);
        }
    }

    /// The moves that proofs leave out, in the canonical frame; none where the user has chosen among the root's moves.
    fn left_out(&self, node: &Node) -> Option<Arc<[Action]>> {
        let Shared { studies, root, .. } = self.shared;
        let applies = node.has(STUDIED) && !(self.path.is_empty() && root.allowed.is_some());
        if applies { studies.left_out(node.key.load(Relaxed)) } else { None }
    }

    /// Appends the edge of the untried action that comes first, or those of several where the policy compares moves that
    /// have no visit; returns the edge that is to be taken, if that is clear. Nothing happens while another thread
    /// appends.
    pub(super) fn append(&mut self, node: &Node) -> Result<Option<u32>, Full> {
        if !try_lock(node) {
            return Ok(None);
        }
        let config = self.shared.config;
        let by_preference = config.expansion_order == Order::Preference || config.sampled_actions > 0;
        let preferred = by_preference || config.compares_unvisited();
        self.distinct_actions(node, preferred);
        if self.actions.is_empty() {
            // All are kept out: a leaf for good, about which nothing is proven.
            node.flags.fetch_and(!LOCKED, Release);
            return Ok(None);
        }
        let allowed = self.shared.root.allowed.filter(|_| self.path.is_empty());
        if allowed.is_some() {
            node.flags.fetch_or(UNORDERED, Relaxed);
        }
        let simple = !preferred
            && allowed.is_none()
            && self.trees.wanted().is_none()
            && !(node.has(GUIDED) && self.advice(node).leads(|action| !self.has_edge(node, action)));
        let appended = if simple { self.append_next(node) } else { self.append_preferred(node, allowed) };
        node.flags.fetch_and(!LOCKED, Release);
        appended
    }

    /// The node's salt, which makes the random order of its actions its own.
    fn salt(&self, node: &Node) -> u64 {
        node.key.load(Relaxed) ^ self.shared.config.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Appends the next edge in the node's random order.
    fn append_next(&mut self, node: &Node) -> Result<Option<u32>, Full> {
        let store = self.shared.store;
        let salt = self.salt(node);
        let last = store.last_edge(node).map(|edge| priority(salt, edge.action.load(Relaxed)));
        let ordered = !node.has(UNORDERED);
        let mut next: Option<(u64, Action)> = None;
        let mut untried = 0;
        for &action in &self.actions {
            let rank = priority(salt, action);
            let tried = if ordered { last.is_some_and(|last| rank <= last) } else { self.has_edge(node, action) };
            if !tried {
                untried += 1;
                if next.is_none_or(|next| rank < next.0) {
                    next = Some((rank, action));
                }
            }
        }
        let slot = match next {
            Some((_, action)) => Some(store.append_edge(node, action, 0.0, self.actions.len(), &mut self.stock)?),
            None => None,
        };
        if untried <= 1 {
            self.close(node);
        }
        Ok(slot)
    }

    /// Appends the edges of the actions that are hinted at or preferred most: one, or several where the policy compares
    /// them unvisited.
    fn append_preferred(&mut self, node: &Node, allowed: Option<&[Action]>) -> Result<Option<u32>, Full> {
        let Shared { store, config, .. } = self.shared;
        node.flags.fetch_or(UNORDERED, Relaxed);
        let total = self.actions.len();
        let mut untried = self.untried(node);
        let missing = untried.len();
        let several = config.compares_unvisited();
        let count = if several {
            self.next_size(node, total, allowed).saturating_sub(total - missing).max(1)
        } else {
            untried.retain(|next| allowed.is_none_or(|some| some.contains(&next.action)));
            1
        };
        let order = |a: &Untried, b: &Untried| b.preference.total_cmp(&a.preference).then(a.rank.cmp(&b.rank));
        if count < untried.len() {
            untried.select_nth_unstable_by(count, order);
            untried.truncate(count);
        }
        untried.sort_unstable_by(order);
        let mut slot = None;
        for next in &untried {
            let made = store.append_edge(node, next.action, 0.0, total, &mut self.stock)?;
            if several {
                store.tally(made).prior.set(next.prior);
            }
            if let (visits @ 1.., value) = next.observed {
                self.enter_observations(node, made, visits, value);
            }
            slot = Some(made);
        }
        if missing <= untried.len() {
            self.close(node);
        }
        Ok(slot.filter(|_| !several))
    }

    /// Number of edges after the next ones are appended, where the policy compares moves that have no visit.
    fn next_size(&mut self, node: &Node, total: usize, allowed: Option<&[Action]>) -> usize {
        let config = self.shared.config;
        let noisy = self.path.is_empty() && !self.shared.root.noise.is_empty();
        if allowed.is_some() || noisy || node.has(GUIDED) && self.advice(node).bans_any() {
            // They are compared by other things than their priors.
            total
        } else if config.reveals_by_prior() {
            larger(node.edge_count.load(Relaxed)).min(self.sample_size()) as usize
        } else {
            self.most_edges(node) as usize
        }
    }

    /// The actions without an edge.
    fn untried(&mut self, node: &Node) -> Vec<Untried> {
        let Shared { store, config, .. } = self.shared;
        let advice = if node.has(GUIDED) { self.advice(node) } else { Rc::new(Advice::none()) };
        let mut taken: Vec<Action> = store.edges_of(node).map(|(_, edge)| edge.action.load(Relaxed)).collect();
        taken.sort_unstable();
        self.priors.clone_from(&self.preferences);
        draw::softmax(&mut self.priors, config.prior_temperature);
        let salt = self.salt(node);
        let sampled = self.sample_size() < u32::MAX;
        let mut untried = Vec::with_capacity(self.actions.len());
        for (i, &action) in self.actions.iter().enumerate() {
            if taken.binary_search(&action).is_ok() {
                continue;
            }
            let prior = self.priors.get(i).copied().unwrap_or(1.0 / self.actions.len() as f32);
            let prior = advice.prior(action, prior);
            let rank = priority(salt, action);
            let (mut preference, observed) = match advice.place(action) {
                Some((place, visits, value)) => (f32::MAX / (1.0 + place as f32), (visits, value)),
                None if sampled => (prior.ln() + gumbel(rank), (0, 0.0)),
                None => (self.preferences.get(i).copied().unwrap_or(0.0), (0, 0.0)),
            };
            if self.trees.wanted() == Some(action) {
                preference = f32::INFINITY;
            }
            untried.push(Untried { action, preference, rank, prior, observed });
        }
        untried
    }

    /// Whether the node, which is not the root, is to take more samples before it gets children.
    #[inline]
    pub(super) fn stays_a_leaf(&self, node: &Node) -> bool {
        let config = self.shared.config;
        (config.is_flat() || config.expand_visits > 1 && node.visits.load(Relaxed) < config.expand_visits)
            && node.edge_count.load(Relaxed) == 0
            && node.mover() != Player::Chance
    }

    /// Whether the node, which lacks edges, gets one now: always, unless widening or preferential expansion say that the
    /// children that it has come first.
    #[inline]
    pub(super) fn wants_edge(&mut self, node: &Node) -> bool {
        let config = self.shared.config;
        let edges = node.edge_count.load(Relaxed);
        if edges == 0 || self.path.is_empty() && self.shared.root.allowed.is_some() {
            return true;
        }
        if config.reveals_by_prior() || edges >= self.sample_size() {
            return false;
        }
        if config.widening <= 0.0 && config.expansion_order == Order::Random {
            return true;
        }
        // Each time costs H(s, a) of all actions: those that come all at once double, the others come one by one.
        let more = if config.compares_unvisited() { 2 * edges } else { edges + 1 };
        more <= self.most_edges(node)
            && (config.expansion_order == Order::Random || self.rng.f32() >= config.expansion_epsilon)
    }

    /// Whether the node, which lacks edges and all of whose edges have been taken, gets those of the next best priors.
    #[inline]
    pub(super) fn reveals_more(&self, node: &Node) -> bool {
        let edges = node.edge_count.load(Relaxed);
        self.shared.config.reveals_by_prior()
            && edges < self.sample_size()
            && larger(edges).min(self.sample_size()) <= self.most_edges(node)
    }

    /// Notes that every legal action has an edge.
    fn close(&self, node: &Node) {
        let hidden = if self.shared.game.path_dependent(&self.position) { PATH_DEPENDENT } else { 0 };
        node.flags.fetch_or(FULL | hidden, Release);
    }

    /// Number of edges that the node may have: at its number of visits by progressive widening (Coulom 2007), and below
    /// the root by the size of the sample.
    pub(super) fn most_edges(&self, node: &Node) -> u32 {
        let config = self.shared.config;
        if config.widening <= 0.0 {
            return self.sample_size();
        }
        let visits = node.visits.load(Relaxed).max(1) as f32;
        let widened = (config.widening * visits.powf(config.widening_exponent)).max(1.0) as u32;
        widened.min(self.sample_size())
    }

    /// Number of actions that are drawn from p(a|s) at the current node, without replacement; all at the root (Hubert et
    /// al. 2021). Where all drawn ones are proven or banned, the next one is drawn.
    #[inline]
    fn sample_size(&self) -> u32 {
        match self.shared.config.sampled_actions {
            size @ 1.. if !self.path.is_empty() => size,
            _ => u32::MAX,
        }
    }

    pub(super) fn has_edge(&self, node: &Node, action: Action) -> bool {
        self.shared.store.edges_of(node).any(|(_, edge)| edge.action.load(Relaxed) == action)
    }

    /// The edge of `action` at a chance node, appended if need be; None if it is missing and another thread appends.
    pub(super) fn edge_for(&mut self, node: &Node, action: Action, probability: f32) -> Result<Option<u32>, Full> {
        let store = self.shared.store;
        let find = || store.edges_of(node).find(|(_, edge)| edge.action.load(Relaxed) == action).map(|(slot, _)| slot);
        if let Some(slot) = find() {
            return Ok(Some(slot));
        }
        if !try_lock(node) {
            return Ok(None);
        }
        let slot = match find() {
            Some(slot) => Ok(slot),
            None => store.append_edge(node, action, probability, usize::MAX, &mut self.stock),
        };
        node.flags.fetch_and(!LOCKED, Release);
        slot.map(Some)
    }
}

/// Takes the right to append edges; false if another thread has it. Nobody waits.
fn try_lock(node: &Node) -> bool {
    node.flags.fetch_or(LOCKED, Acquire) & LOCKED == 0
}

/// Number of edges to which a node with `edges` edges grows: about what its chunks hold.
fn larger(edges: u32) -> u32 {
    if edges == 0 { 3 } else { 2 * edges + 4 }
}

/// The rank of an action in the random order in which a node tries its actions.
#[inline]
fn priority(salt: u64, action: Action) -> u64 {
    let mut z = salt ^ u64::from(action).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ u64::from(action)
}

/// Noise of the standard Gumbel distribution. The greatest k of ln p(a) + noise are a sample of k actions from p without
/// replacement (Kool, van Hoof and Welling 2019).
fn gumbel(random: u64) -> f32 {
    let uniform = ((random >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    -(-uniform.ln()).ln() as f32
}
