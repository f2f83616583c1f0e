//! Nodes and edges: plain atomics, so that threads read and write them without locks.
//!
//! A node stands for a canonical position. Its value is from the point of view of its own mover; at chance nodes and
//! finished positions, of the first player. An edge counts how often its parent took it; what it is worth is read from
//! the child, which other parents may share.

#[cfg(not(all(loom, test)))]
use bytemuck::Zeroable;
use playout_games::{Action, Player};

use crate::sync::{
    AtomicF32, add,
    atomic::{
        AtomicU32, AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
        fence,
    },
};

/// Index of a node or an edge slot; 0 is none.
pub type Index = u32;

const MOVER: u32 = 0b11;
/// The game is over here.
pub const OVER: u32 = 1 << 2;
/// Every legal action has an edge.
pub const FULL: u32 = 1 << 3;
/// The result, or which moves are legal, depends on history that the key leaves out. Such a node draws no bound from having tried all moves.
pub const PATH_DEPENDENT: u32 = 1 << 4;
/// Edges were appended out of the usual order.
pub const UNORDERED: u32 = 1 << 5;
/// Some thread is appending an edge.
pub const LOCKED: u32 = 1 << 6;
/// The reclaimer keeps this node.
pub const KEPT: u32 = 1 << 7;
/// Not in use.
pub const FREE: u32 = 1 << 8;
/// The guide has hints for this position.
pub const GUIDED: u32 = 1 << 9;
/// The game's tables, or a proof of the game's, have the exact value: nothing is searched below, unless the node becomes
/// the root.
pub const KNOWN: u32 = 1 << 10;
/// Moves are kept out here: the node has edges for permitted ones only, and only such searches meet it.
pub const RESTRICTED: u32 = 1 << 11;
/// The guide's books and macros have been asked about this position.
pub const ASKED: u32 = 1 << 12;
/// Its hints have had the most simulations that they claim, and ban no move.
pub const SETTLED: u32 = 1 << 13;

/// The game has been asked what it can prove of this position.
pub const STUDIED: u32 = 1 << 14;

/// Plies to the end, at least, where nobody has counted them.
pub const UNCOUNTED: u32 = 1 << 20;

/// A position met by the search.
#[cfg_attr(not(all(loom, test)), derive(Zeroable))]
#[cfg_attr(all(loom, test), derive(Default))]
#[repr(C)]
pub struct Node {
    pub key: AtomicU64,
    /// Own samples plus descents along the edges.
    pub visits: AtomicU32,
    /// The mean result, in [-1, 1], as the last thread worked it out that was here. It may lag behind a proof: see `mean`.
    pub value: AtomicF32,
    /// Proven bounds of the exact value.
    pub lower: AtomicF32,
    pub upper: AtomicF32,
    /// Sum and number of the node's own samples (playouts that began here).
    pub own: AtomicF32,
    pub own_visits: AtomicU32,
    /// First chunk of edges.
    pub edges: AtomicU32,
    pub edge_count: AtomicU32,
    pub flags: AtomicU32,
    /// Simulations through here that the mover won, and that were drawn.
    pub wins: AtomicU32,
    pub draws: AtomicU32,
    /// Simulations of other threads that are below here now.
    pub pending: AtomicU32,
    /// Plies to the end along the line that gives the lower bound, once the node is proven.
    pub plies: AtomicU32,
    /// H(s) for the mover, where the configuration keeps it; else 0.
    pub heuristic: AtomicF32,
}

/// A choice of a node's mover, or an outcome of chance.
#[cfg_attr(not(all(loom, test)), derive(Zeroable))]
#[cfg_attr(all(loom, test), derive(Default))]
#[repr(C)]
pub struct Edge {
    /// In the frame of the parent's canonical position.
    pub action: AtomicU32,
    pub child: AtomicU32,
    pub visits: AtomicU32,
    /// At a chance node the outcome's probability. Otherwise, once the child has been reclaimed, its last value for
    /// the parent's mover.
    pub extra: AtomicF32,
}

/// Statistics of an edge besides its visits, for tree policies that need more. They lie in an array beside the edges.
#[cfg_attr(not(all(loom, test)), derive(Zeroable))]
#[cfg_attr(all(loom, test), derive(Default))]
#[repr(C)]
pub struct Tally {
    /// The action's prior probability, before any simulation.
    pub prior: AtomicF32,
    /// All moves as first: simulations below the parent in which its mover played the action at any time, and their
    /// mean result for that mover.
    pub amaf_visits: AtomicU32,
    pub amaf_value: AtomicF32,
}

/// The points by which games from a node end, in a game that counts them. The scores lie in an array beside the nodes.
#[cfg_attr(not(all(loom, test)), derive(Zeroable))]
#[cfg_attr(all(loom, test), derive(Default))]
#[repr(C)]
pub struct Score {
    pub samples: AtomicU32,
    /// Mean of the first player's leads.
    pub mean: AtomicF32,
    /// Mean of their squares.
    pub square: AtomicF32,
}

/// All-moves-as-first statistics of a move: samples and their mean for the mover.
#[derive(Clone, Copy, Debug, Default)]
pub struct Amaf {
    pub visits: f32,
    pub value: f32,
}

impl Amaf {
    /// With wins added, as a `share` of the samples.
    pub fn with_wins(self, share: f32) -> Amaf {
        let (visits, sum) = (self.visits * (1.0 + share), self.visits * (self.value + share));
        if visits > 0.0 { Amaf { visits, value: sum / visits } } else { self }
    }
}

/// `mean`, or the bound beyond which it lies.
#[inline]
pub fn within(mean: f32, lower: f32, upper: f32) -> f32 {
    if mean < lower {
        lower
    } else if mean > upper {
        upper
    } else {
        mean
    }
}

impl Node {
    /// Makes a fresh node; nobody else may see it yet.
    pub fn reset(&self, key: u64, mover: Player) {
        self.key.store(key, Relaxed);
        for counter in [&self.visits, &self.own_visits, &self.edges, &self.edge_count] {
            counter.store(0, Relaxed);
        }
        for counter in [&self.wins, &self.draws, &self.pending, &self.plies] {
            counter.store(0, Relaxed);
        }
        self.value.set(0.0);
        self.heuristic.set(0.0);
        self.own.set(0.0);
        self.lower.set(-1.0);
        self.upper.set(1.0);
        self.flags.store(mover as u32, Relaxed);
    }

    /// Whether every legal action has an edge; who learns so sees them all.
    #[inline]
    pub fn full(&self) -> bool {
        self.flags.load(Acquire) & FULL != 0
    }

    #[inline]
    pub fn has(&self, flag: u32) -> bool {
        self.flags.load(Relaxed) & flag != 0
    }

    #[inline]
    pub fn mover(&self) -> Player {
        match self.flags.load(Relaxed) & MOVER {
            0 => Player::First,
            1 => Player::Second,
            _ => Player::Chance,
        }
    }

    /// Q(s): the mean result, kept within what is proven. A thread that is late may write its mean after another's proof, so
    /// the bounds have the last word here.
    #[inline]
    pub fn mean(&self) -> f32 {
        within(self.value.get(), self.lower.get(), self.upper.get())
    }

    /// Variance of the results seen here, in [0, 1]: a win counts 1, a draw 0, a loss -1; 1 before the first.
    pub fn variance(&self) -> f32 {
        let visits = self.visits.load(Relaxed);
        if visits == 0 {
            return 1.0;
        }
        let decisive = 1.0 - self.draws.load(Relaxed) as f32 / visits as f32;
        (decisive - self.value.get() * self.value.get()).clamp(0.0, 1.0)
    }

    /// (wins - losses) / (wins + losses) of the mover; 0 where all were draws.
    pub fn decisive_mean(&self) -> f32 {
        let (wins, draws) = (self.wins.load(Relaxed) as f32, self.draws.load(Relaxed) as f32);
        let losses = self.visits.load(Relaxed) as f32 - wins - draws;
        if wins + losses > 0.0 { (wins - losses) / (wins + losses) } else { 0.0 }
    }

    /// Whether the exact value is known.
    #[inline]
    pub fn proven(&self) -> bool {
        self.lower.get() >= self.upper.get()
    }

    /// +1 or -1: turns a value of this node into one for `mover` and back.
    #[inline]
    pub fn sign_for(&self, mover: Player) -> f32 {
        self.mover().sign() * mover.sign()
    }

    /// Adds a sample of the node's own, `value` for its mover.
    pub fn add_own(&self, value: f32, shared: bool) {
        if shared {
            self.own.add(value);
        } else {
            self.own.set(self.own.get() + value);
        }
        add(&self.own_visits, 1, shared);
    }

    /// Gives a fresh node that had been reclaimed the value that its parent remembers, as `visits` samples of its own.
    pub fn revive(&self, value: f32, visits: u32) {
        self.own.set(value * visits as f32);
        self.own_visits.store(visits, Relaxed);
        self.visits.store(visits, Relaxed);
        self.value.set(value);
        self.wins.store((visits as f32 * (1.0 + value) / 2.0) as u32, Relaxed);
    }

    /// Fixes the exact value of a finished position.
    pub fn set_result(&self, value: f32, proven: bool) {
        self.value.set(value);
        if proven {
            self.lower.set(value);
            self.upper.set(value);
        }
        self.flags.fetch_or(OVER, Relaxed);
    }
}

impl Node {
    /// Fixes the exact value, for the mover, that tables have or the game has proven.
    pub fn set_known(&self, value: f32) {
        self.value.set(value);
        self.plies.store(UNCOUNTED, Relaxed);
        // Other threads count on from here as soon as the bounds meet.
        fence(Release);
        self.lower.set(value);
        self.upper.set(value);
        self.flags.fetch_or(KNOWN, Relaxed);
    }

    /// Makes a node with a value from tables, or from a proof, one to be searched; no thread may be at it.
    pub fn open(&self) {
        if self.has(KNOWN) && self.edge_count.load(Relaxed) > 0 {
            // It was proven after it had been searched.
            self.lower.set(-1.0);
            self.upper.set(1.0);
            self.plies.store(0, Relaxed);
            self.flags.fetch_and(!(KNOWN | STUDIED), Relaxed);
        } else if self.has(KNOWN) {
            let (flags, heuristic) = (self.flags.load(Relaxed) & !(KNOWN | STUDIED), self.heuristic.get());
            self.reset(self.key.load(Relaxed), self.mover());
            self.flags.store(flags, Relaxed);
            self.heuristic.set(heuristic);
        }
    }
}

impl Tally {
    /// Adds a simulation with `value` for the parent's mover, as this many samples. Threads that add at once may lose one
    /// of them.
    pub fn add(&self, value: f32, samples: u32) {
        let visits = self.amaf_visits.load(Relaxed).saturating_add(samples);
        self.amaf_visits.store(visits, Relaxed);
        let mean = self.amaf_value.get();
        self.amaf_value.set(mean + (value - mean) * samples as f32 / visits as f32);
    }

    #[inline]
    pub fn amaf(&self) -> Amaf {
        Amaf { visits: self.amaf_visits.load(Relaxed) as f32, value: self.amaf_value.get() }
    }

    pub fn reset(&self) {
        self.prior.set(0.0);
        self.amaf_visits.store(0, Relaxed);
        self.amaf_value.set(0.0);
    }
}

impl Score {
    /// Adds a simulation that ended with `lead` for the first player. Threads that add at once may lose one of them.
    pub fn add(&self, lead: f32) {
        let samples = self.samples.load(Relaxed).saturating_add(1);
        self.samples.store(samples, Relaxed);
        let weight = 1.0 / samples as f32;
        for (mean, sample) in [(&self.mean, lead), (&self.square, lead * lead)] {
            mean.set(mean.get() + (sample - mean.get()) * weight);
        }
    }

    /// The mean of the leads; None before the first.
    pub fn lead(&self) -> Option<f32> {
        (self.samples.load(Relaxed) > 0).then(|| self.mean.get())
    }

    pub fn reset(&self) {
        self.samples.store(0, Relaxed);
        self.mean.set(0.0);
        self.square.set(0.0);
    }
}

impl Edge {
    /// The child, 0 if there is none. Who learns of it finds its node ready.
    #[inline]
    pub fn leads_to(&self) -> Index {
        self.child.load(Acquire)
    }

    pub fn reset(&self, action: Action, extra: f32) {
        self.action.store(action, Relaxed);
        self.child.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.extra.set(extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_a_cache_line_an_edge_a_quarter_and_its_tally_less() {
        assert_eq!((size_of::<Node>(), size_of::<Edge>(), size_of::<Tally>()), (64, 16, 12));
    }
}
