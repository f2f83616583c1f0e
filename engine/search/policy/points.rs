//! Points beside results: once a game is as good as decided, the tree policy looks at the leads of moves, too.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::Player;

use crate::{
    config::Config,
    graph::{node::Index, store::Store},
};

/// Simulations before the value of the root says whether the game is decided.
const FEWEST: u32 = 32;
/// The most that a difference in points counts for, in results.
const MOST: f32 = 0.5;

/// Share to which the game is decided at `root`, and the first player's lead there: 0 where the root's value is `from`,
/// 1 where it is 1. None for values below `from`, after too few simulations, and without leads.
pub fn decided(store: &Store, root: Index, from: f32) -> Option<(f32, f32)> {
    if !store.has_scores() {
        return None;
    }
    let node = store.node(root);
    let share = (node.mean().abs() - from) / (1.0 - from);
    let lead = store.score(root).lead()?;
    (share > 0.0 && node.visits.load(Relaxed) >= FEWEST).then_some((share, lead))
}

/// The worth of leads during one simulation, added to values wherever moves are compared. Values themselves stay means of
/// results, and bounds stay exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointsTerm {
    /// Worth of a point, in results; 0 where points do not count.
    weight: f32,
    /// The first player's lead at the root, from which leads are measured.
    centre: f32,
}

impl PointsTerm {
    /// The term for simulations from `root`: PointsWeight, less the nearer the root's value is to `points_from`, and
    /// nothing below.
    #[inline]
    pub fn at(config: &Config, store: &Store, root: Index) -> PointsTerm {
        if config.points_weight <= 0.0 {
            return PointsTerm::default();
        }
        match decided(store, root, config.points_from) {
            Some((share, centre)) => PointsTerm { weight: config.points_weight * share, centre },
            None => PointsTerm::default(),
        }
    }

    /// Whether points count at all.
    #[inline]
    pub fn acts(&self) -> bool {
        self.weight > 0.0
    }

    /// The worth of a lead of the first player, for the first player.
    #[inline]
    pub fn worth(&self, lead: f32) -> f32 {
        (self.weight * (lead - self.centre)).clamp(-MOST, MOST)
    }

    /// The worth of the leads seen from a node on, for `mover`; 0 where there are none, and for no node.
    #[inline]
    pub fn worth_of(&self, store: &Store, node: Index, mover: Player) -> f32 {
        let lead = if self.acts() && node != 0 { store.score(node).lead() } else { None };
        lead.map_or(0.0, |lead| self.worth(lead) * mover.sign())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::graph::store::StoreParts;

    const CONFIG: fn() -> Config = || Config { points_weight: 0.01, points_from: 0.8, ..Config::default() };

    /// A store whose first node has been the root of `visits` simulations of this value and lead.
    pub(crate) fn store(visits: u32, value: f32, lead: f32) -> Store {
        let store = Store::new(1 << 20, StoreParts { tallies: false, scores: true });
        let node = store.node(1);
        node.reset(1, Player::First);
        node.visits.store(visits, Relaxed);
        node.value.set(value);
        store.score(1).add(lead);
        store
    }

    #[test]
    fn points_count_the_more_the_surer_the_result() {
        let weight = |value| PointsTerm::at(&CONFIG(), &store(100, value, 3.0), 1).weight;
        assert_eq!([0.0, 0.5, -0.8, 0.8].map(weight), [0.0; 4]);
        for (value, expected) in [(0.9, 0.005), (-0.9, 0.005), (1.0, 0.01), (-1.0, 0.01)] {
            assert!((weight(value) - expected).abs() < 1e-6, "{value}: {}", weight(value));
        }
        assert!(!PointsTerm::at(&CONFIG(), &store(FEWEST - 1, 1.0, 3.0), 1).acts(), "the root was hardly searched");
        assert!(!PointsTerm::at(&Config::default(), &store(100, 1.0, 3.0), 1).acts(), "it is off by default");
    }

    #[test]
    fn a_lead_is_worth_its_distance_from_the_roots() {
        let store = store(100, -1.0, -40.0);
        let term = PointsTerm::at(&CONFIG(), &store, 1);
        assert!((term.worth(-30.0) - 0.1).abs() < 1e-6 && (term.worth(-45.0) + 0.05).abs() < 1e-6);
        assert_eq!((term.worth(80.0), term.worth(-400.0)), (MOST, -MOST));
        store.score(1).add(-20.0);
        assert!((term.worth_of(&store, 1, Player::First) - 0.1).abs() < 1e-6);
        assert!((term.worth_of(&store, 1, Player::Second) + 0.1).abs() < 1e-6);
        assert_eq!(term.worth_of(&store, 0, Player::First), 0.0);
    }
}
