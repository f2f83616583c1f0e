//! All-moves-as-first: a move is credited with every simulation in which its player played it later on (Brügmann 1993;
//! Gelly and Silver 2011), and GRAVE's loan of such statistics from an ancestor (Cazenave 2015).

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Played, Player};

use super::{PathStep, Shared, Worker};
use crate::graph::node::{Amaf, Index, Node};

/// Actions with greater numbers have no statistics.
const MOST_ACTIONS: usize = 1 << 20;

/// A play in a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Play {
    /// Whether it was the second player's.
    second: bool,
    /// Plies to the end of the simulation.
    plies_left: u32,
}

/// Tables by action, as the rules number them. An entry counts if it carries the number of the simulation.
#[derive(Default)]
pub struct Statistics {
    simulation: u32,
    /// The first play of each action after the node that is being credited.
    plays: Vec<(u32, Play)>,
    /// The statistics that are on loan, and the loan to which they belong.
    loans: Vec<(u32, Amaf)>,
    loan: u32,
    /// The last node passed with visits enough to lend, for each player to move, with its frame.
    lenders: [Option<(Index, u8)>; 2],
    lender: Option<Index>,
}

impl Statistics {
    /// Makes ready for a simulation.
    pub fn begin(&mut self) {
        self.simulation = self.simulation.wrapping_add(1);
        self.lenders = [None; 2];
        self.lender = None;
    }

    /// The statistics that the lender has of `action`.
    pub fn reference(&self, action: Action) -> Amaf {
        match self.loans.get(action as usize) {
            Some(&(loan, amaf)) if loan == self.loan => amaf,
            _ => Amaf::default(),
        }
    }

    fn note(&mut self, action: Action, play: Play) {
        if let Some(entry) = entry(&mut self.plays, action) {
            *entry = (self.simulation, play);
        }
    }

    /// The first play of `action`, if it was this player's.
    fn play_of(&self, action: Action, second: bool) -> Option<Play> {
        let &(simulation, play) = self.plays.get(action as usize)?;
        (simulation == self.simulation && play.second == second).then_some(play)
    }
}

/// Samples for which a move counts that is played when `plies_left` of the `plies` from a node are left: one, and up to
/// `nearness` more.
fn samples(nearness: u32, plies_left: u32, plies: u32) -> u32 {
    if nearness == 0 { 1 } else { 1 + (nearness as f32 * plies_left as f32 / plies.max(1) as f32).round() as u32 }
}

fn entry<T: Clone + Default>(table: &mut Vec<T>, action: Action) -> Option<&mut T> {
    let index = action as usize;
    if index >= table.len() {
        if index >= MOST_ACTIONS {
            return None;
        }
        table.resize((index + 1).next_power_of_two(), T::default());
    }
    Some(&mut table[index])
}

impl<G: Game> Worker<'_, G> {
    /// Credits the moves of each node on the path with the simulation's worth, for the first player, if they were played
    /// there or later by the node's mover. A point that both played is the one's who came first.
    pub(super) fn add_amaf(&mut self, value: f32) {
        let Shared { store, game, config, .. } = self.shared;
        let mut plies_left = 0;
        for &Played { action, second } in self.trace.iter().rev() {
            self.amaf.note(action, Play { second, plies_left });
            plies_left += 1;
        }
        for i in (0..self.path.len()).rev() {
            let PathStep { node, action, frame, .. } = self.path[i];
            let node = store.node(node);
            let mover = node.mover();
            if mover == Player::Chance {
                continue;
            }
            let second = mover == Player::Second;
            self.amaf.note(action, Play { second, plies_left });
            for (slot, edge) in store.edges_of(node) {
                if let Some(play) = self.amaf.play_of(game.undo_frame(frame, edge.action.load(Relaxed)), second) {
                    let samples = samples(config.rave_nearness, play.plies_left, plies_left);
                    store.tally(slot).add(value * mover.sign(), samples);
                }
            }
            plies_left += 1;
        }
    }

    /// Whether the node is to take its statistics from an ancestor with the same player to move; they are then at hand.
    pub(super) fn refer(&mut self, node: &Node) -> bool {
        let Shared { store, game, config, .. } = self.shared;
        let mover = node.mover() as usize;
        if mover > 1 {
            return false;
        }
        if node.visits.load(Relaxed) >= config.grave_visits {
            self.amaf.lenders[mover] = Some((self.node, self.frame));
            return false;
        }
        let Some((lender, frame)) = self.amaf.lenders[mover] else { return false };
        if self.amaf.lender != Some(lender) {
            self.amaf.lender = Some(lender);
            self.amaf.loan = self.amaf.loan.wrapping_add(1);
            for (slot, edge) in store.edges_of(store.node(lender)) {
                let amaf = store.tally(slot).amaf();
                if let Some(entry) = entry(&mut self.amaf.loans, game.undo_frame(frame, edge.action.load(Relaxed))) {
                    *entry = (self.amaf.loan, amaf);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_counts_the_more_the_sooner_it_is_played() {
        assert_eq!([10, 7, 3, 0].map(|left| samples(3, left, 10)), [4, 3, 2, 1]);
        assert_eq!([10, 0].map(|left| samples(0, left, 10)), [1, 1]);
        assert_eq!(samples(3, 0, 0), 1, "the last move of a game");
    }
}
