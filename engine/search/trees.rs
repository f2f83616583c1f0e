//! The graphs of a search: one that all threads share, or one for each thread (root parallelism; Chaslot, Winands and
//! van den Herik 2008), whose root statistics are merged when they are read.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game};

use crate::{
    choice::{Candidate, ranked, sort},
    config::{Config, Parallelism},
    guide::Guide,
    halve::{greatest, halve},
    keys::Graph,
    node::{GUIDED, Index, OVER},
    reclaim::reclaim,
    search::Search,
    store::{Full, LEAST, Store},
};

/// A graph and where its simulations begin.
pub struct Tree {
    pub store: Store,
    pub root: Index,
    /// The search's, but for the seed: trees try their actions in orders of their own.
    pub config: Config,
    /// No node has more visits.
    ceiling: u64,
}

/// How many trees `config` asks for: no more than the memory bound has room for.
pub fn count(config: &Config) -> usize {
    match config.parallelism {
        Parallelism::Tree => 1,
        Parallelism::Root => config.threads.min(config.hash_bytes() / LEAST).max(1),
    }
}

/// The configuration of a tree.
pub fn config_of(config: &Config, number: usize) -> Config {
    Config { seed: config.seed ^ (number as u64) << 32, ..config.clone() }
}

/// Empty trees, which share the memory evenly.
pub fn plant(config: &Config) -> Vec<Tree> {
    let count = count(config);
    let tree = |number| Tree {
        store: Store::new(config.hash_bytes() / count, config.compares_unvisited()),
        root: 0,
        config: config_of(config, number),
        ceiling: 0,
    };
    (0..count).map(tree).collect()
}

/// What making room did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Times that the least-visited part of a graph went.
    pub reclaims: u64,
    /// Times that all visit counts of a graph were halved.
    pub halvings: u64,
}

impl Tree {
    /// Makes the node of `position` the root, and one to be searched, whatever tables know of it. `restricted` says
    /// whether moves are kept out there.
    pub fn enter<G: Game>(
        &mut self,
        game: &G,
        guide: &Guide,
        position: &mut G::Position,
        (key, restricted): (u64, bool),
        upkeep: &mut Upkeep,
    ) {
        let mut stock = self.store.take_stock();
        loop {
            let graph = Graph { game, store: &self.store, config: &self.config, guide, ask_tables: false, restricted };
            match graph.find_or_make(position, key, &mut stock, |_| ()) {
                Ok(root) => {
                    self.root = root;
                    let node = self.store.node(root);
                    node.open();
                    // The guide may have come after the node.
                    if !restricted && !node.has(OVER) && guide.hints(game, position).is_some() {
                        node.flags.fetch_or(GUIDED, Relaxed);
                    }
                    break;
                }
                Err(Full) => {
                    self.store.park(std::mem::take(&mut stock));
                    self.make_room(upkeep);
                }
            }
        }
        self.store.park(stock);
    }

    pub fn make_room(&mut self, upkeep: &mut Upkeep) {
        if self.store.table_is_full() {
            self.store.grow_table();
        } else {
            self.root = reclaim(&mut self.store, self.root);
            upkeep.reclaims += 1;
        }
    }

    /// Whether after `simulations` more a node may have more than `most` visits.
    pub fn nears(&self, most: u32, simulations: u64) -> bool {
        self.ceiling + simulations > u64::from(most)
    }

    /// Takes note of `simulations`, and halves all visit counts if one comes near `most`.
    pub fn count(&mut self, simulations: u64, most: u32, upkeep: &mut Upkeep) {
        self.ceiling += simulations;
        if self.nears(most, 0) {
            if greatest(&self.store) > most / 2 {
                halve(&self.store);
                upkeep.halvings += 1;
            }
            self.measure();
        }
    }

    /// Finds the greatest visit count.
    pub fn measure(&mut self) {
        self.ceiling = u64::from(greatest(&self.store));
    }
}

/// What the trees know of the root together, for its mover.
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
        let roots = || self.trees().iter().map(|tree| tree.store.node(tree.root));
        let visits = |node: &crate::node::Node| node.visits.load(Relaxed);
        let lower = roots().map(|node| node.lower.get()).fold(-1.0, f32::max);
        let upper = roots().map(|node| node.upper.get()).fold(1.0, f32::min);
        let plies = roots().filter(|node| node.proven()).map(|node| node.plies.load(Relaxed)).min();
        RootState {
            visits: roots().map(visits).fold(0, u32::saturating_add),
            value: if self.trees().len() == 1 {
                self.trees()[0].store.node(self.trees()[0].root).value.get()
            } else {
                mean(roots().map(|node| (visits(node), node.value.get()))).max(lower).min(upper.max(lower))
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
            let tree = &self.trees()[number];
            let node = tree.store.node(tree.root);
            let allowed = |action| self.output_action(action).is_some();
            ranked(&tree.store, node, self.config().final_choice(), allowed)
                .into_iter()
                .map(move |candidate| Candidate { tree: number, ..candidate })
        };
        if self.trees().len() == 1 {
            return of(0).collect();
        }
        let mut groups: Vec<(Action, Vec<Candidate>)> = Vec::new();
        for candidate in (0..self.trees().len()).flat_map(of) {
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

    fn action_of(&self, candidate: &Candidate) -> Action {
        self.trees()[candidate.tree].store.edge(candidate.slot).action.load(Relaxed)
    }

    /// The mean of `of(tree, slot)` over the edges that stand for the candidate's move, weighted by their visits.
    pub(crate) fn over_trees<const N: usize>(
        &self,
        candidate: &Candidate,
        of: impl Fn(&Store, u32) -> [f32; N],
    ) -> [f32; N] {
        let action = self.action_of(candidate);
        let parts: Vec<(u32, [f32; N])> = self
            .trees()
            .iter()
            .filter_map(|Tree { store, root, .. }| {
                let (slot, edge) =
                    store.edges_of(store.node(*root)).find(|(_, edge)| edge.action.load(Relaxed) == action)?;
                Some((edge.visits.load(Relaxed), of(store, slot))).filter(|(visits, _)| *visits > 0)
            })
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
