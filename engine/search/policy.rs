//! Tree policies: which edge a simulation takes.
//!
//! A policy gives each edge of a node a score, and the greatest one is taken. Policies that choose at random draw random
//! scores. A new policy is a file here, a line in the list below and its word in `config.rs`, where `uses_priors` names the policies
//! with priors.

mod boost;
mod epsilon_greedy;
mod flat;
pub(crate) mod points;
mod puct;
mod random;
mod rave;
mod scan;
mod thompson;
mod ucb1;
mod ucb1_sampled;
mod ucb1_tuned;

pub use points::{PointsTerm, decided};
pub use random::gamma;
pub use scan::{ChosenEdge, Scan};

use playout_games::Rng;

use crate::{
    config::{Config, PolicyKind},
    graph::node::Node,
};
use scan::best_edge;

/// Inputs of a policy that are the same for all edges of a node; values are its mover's.
pub struct Place<'a> {
    pub config: &'a Config,
    /// N(s).
    pub visits: u32,
    /// C: with priors, the root's own where it has one, and what the node's moves make of it.
    pub exploration: f32,
}

/// An edge as a policy sees it: virtual losses, AMAF statistics and biases are part of its numbers.
pub struct Seen<'a> {
    /// n(s, a), the virtual losses of other threads included; with AMAF statistics and no priors one more, so that no
    /// move has to be visited for its own sake.
    pub visits: f32,
    /// Q(child), blended with what AMAF and biases say.
    pub value: f32,
    /// Share of H(s, a) among all moves; 0 where priors are not kept.
    pub prior: f32,
    pub child: Option<&'a Node>,
}

impl Seen<'_> {
    /// Whether nothing at all is known of the move.
    #[inline]
    pub fn unknown(&self) -> bool {
        self.visits <= 0.0
    }

    /// Variance of the results, in [0, 1]: a win is 1, a draw 0, a loss -1.
    pub fn variance(&self) -> f32 {
        self.child.map_or(1.0, Node::variance)
    }
}

/// A rule that scores the edges of a node.
pub trait Policy: Sized {
    /// Whether the policy compares moves by their priors.
    const PRIORS: bool = false;

    /// Works out what is the same for all edges.
    fn at(place: &Place, rng: &mut Rng) -> Self;

    /// The edge's score; the greatest one is taken. A move of which nothing is known has an infinite one, unless the
    /// policy knows better.
    fn score(&self, edge: &Seen, rng: &mut Rng) -> f32;
}

macro_rules! policies {
    ($($kind:ident: $policy:ty),* $(,)?) => {
        impl PolicyKind {
            /// The edge that the policy takes; None if there is none that may be taken.
            #[inline(always)]
            pub fn choose(self, scan: &Scan, rng: &mut Rng, allowed: impl Fn(u32, u32) -> bool) -> Option<ChosenEdge> {
                match self {
                    $(PolicyKind::$kind => best_edge::<$policy>(scan, rng, allowed),)*
                    PolicyKind::Minimax => None,
                }
            }
        }

        $(const _: () = assert!(<$policy as Policy>::PRIORS == PolicyKind::$kind.uses_priors());)*
    };
}

policies! {
    Ucb1: ucb1::Ucb1,
    Ucb1Sampled: ucb1_sampled::Ucb1Sampled,
    Ucb1Tuned: ucb1_tuned::Ucb1Tuned,
    EpsilonGreedy: epsilon_greedy::EpsilonGreedy,
    Thompson: thompson::Thompson,
    Puct: puct::Puct,
    Rave: rave::Rave,
    Flat: flat::Flat,
    McEval: flat::Flat,
}
