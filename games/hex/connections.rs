//! Virtual connections: what a colour can join whatever the opponent does (the H-search of Anshelevich 2002).
//!
//! Ends are a colour's chains, its two edges and the empty cells. Two ends have a full connection if the colour joins them
//! although the opponent moves first, and a semi-connection if it has to move first itself, on the key. The carrier of
//! either is the empty cells that it may need, without the ends. The AND rule puts two full connections with a common end
//! and disjoint carriers together: over a chain to a full one, over an empty cell to a semi-connection with that key. The
//! OR rule makes semi-connections of one pair of ends, whose carriers have no cell in common, a full connection.
//!
//! Few representative connections of each pair are kept (as Pawlewicz, Hayward, Henderson and Arneson did, 2014): a new
//! one has to shrink the set of cells that all of them need, or to be part of one. Small carriers come first.

use super::{Cells, lattice::Lattice};

const NONE: u32 = u32::MAX;
/// Ends of the two edges.
const START: usize = 0;
const GOAL: usize = 1;

/// Most cells of a carrier.
const MOST_CELLS: u32 = 40;
/// Semi-connections that are kept of a pair.
const KEPT_SEMIS: u32 = 16;
/// Full connections that are put together with others.
const MOST_FULLS: u32 = 20_000;

/// The ways of a colour to join its two edges.
#[derive(Clone, Debug)]
pub enum Joined<const W: usize> {
    /// It is sure although the opponent moves; with the carrier.
    Sure(Cells<W>),
    /// The carriers with which the colour joins them if it moves, and the key of each.
    ByMoving(Vec<(Cells<W>, u32)>),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Edge,
    Chain,
    Empty,
}

#[derive(Clone, Copy, Debug)]
struct Connection<const W: usize> {
    carrier: Cells<W>,
    ends: [u16; 2],
    /// The next one of the pair.
    next: u32,
    /// The key of a semi-connection.
    key: u16,
    dropped: bool,
}

/// Connections of two ends.
#[derive(Clone, Copy, Debug)]
struct Pair<const W: usize> {
    /// The cells that all full connections need, and that all semi-connections need.
    needs: [Cells<W>; 2],
    /// The latest full connection and the latest semi-connection.
    latest: [u32; 2],
    semis: u32,
}

/// Finds connections; its memory serves for one position after another.
#[derive(Debug, Default)]
pub struct Connector<const W: usize> {
    kinds: Vec<Kind>,
    /// The cell of an empty end as a set.
    cells: Vec<Cells<W>>,
    /// The end that a cell is, or belongs to.
    end_of: Vec<u16>,
    pairs: Vec<Pair<W>>,
    pool: Vec<Connection<W>>,
    /// The full connections that were put together with others, by their ends.
    done: Vec<Vec<u32>>,
    /// The full connections that were not yet, by the size of the carrier.
    waiting: Vec<Vec<u32>>,
    first: usize,
    /// The cells that any carrier needs, while there is none.
    all: Cells<W>,
}

const FULL: usize = 0;
const SEMI: usize = 1;

impl<const W: usize> Connector<W> {
    /// The ways of `colour`, which has no chain from edge to edge yet, to join its edges.
    pub fn join(&mut self, lattice: &Lattice<W>, stones: &[Cells<W>; 2], colour: usize) -> Joined<W> {
        self.start(lattice, stones, colour);
        let mut left = MOST_FULLS;
        while let Some(full) = self.take() {
            self.put_together(full);
            if let Some(carrier) = self.sure() {
                return Joined::Sure(carrier);
            }
            left -= 1;
            if left == 0 {
                break;
            }
        }
        let mut ways = Vec::new();
        let mut at = self.pairs[self.pair(START, GOAL)].latest[SEMI];
        while at != NONE {
            let semi = &self.pool[at as usize];
            ways.push((semi.carrier, semi.key.into()));
            at = semi.next;
        }
        Joined::ByMoving(ways)
    }

    fn pair(&self, a: usize, b: usize) -> usize {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        b * (b - 1) / 2 + a
    }

    fn sure(&self) -> Option<Cells<W>> {
        let at = self.pairs[self.pair(START, GOAL)].latest[FULL];
        (at != NONE).then(|| self.pool[at as usize].carrier)
    }

    /// Names the ends and the neighbours among them.
    fn start(&mut self, lattice: &Lattice<W>, stones: &[Cells<W>; 2], colour: usize) {
        let own = &stones[colour];
        let empty = lattice.all.minus(&stones[0]).minus(&stones[1]);
        self.all = empty;
        self.pool.clear();
        self.waiting.resize_with(MOST_CELLS as usize + 1, Vec::new);
        self.waiting.iter_mut().for_each(Vec::clear);
        self.first = 0;
        self.kinds.clear();
        self.cells.clear();
        self.end_of.clear();
        self.end_of.resize(lattice.places(), u16::MAX);
        // The empty cells beside each edge and each chain.
        let mut beside = Vec::new();
        let mut rest = *own;
        for edge in &lattice.edges[colour] {
            let chain = lattice.chain(edge, &rest);
            rest = rest.minus(&chain);
            self.add_end(Kind::Edge, Cells::EMPTY);
            beside.push(lattice.around(&chain).or(edge).and(&empty));
        }
        while !rest.is_empty() {
            let mut seed = Cells::EMPTY;
            seed.insert(rest.first());
            let chain = lattice.chain(&seed, &rest);
            rest = rest.minus(&chain);
            self.add_end(Kind::Chain, Cells::EMPTY);
            beside.push(lattice.around(&chain).and(&empty));
        }
        empty.for_each(|cell| {
            self.end_of[cell as usize] = self.kinds.len() as u16;
            let mut set = Cells::EMPTY;
            set.insert(cell);
            self.add_end(Kind::Empty, set);
        });
        let ends = self.kinds.len();
        let pair = Pair { needs: [self.all; 2], latest: [NONE; 2], semis: 0 };
        self.pairs.clear();
        self.pairs.resize(ends * (ends - 1) / 2, pair);
        self.done.iter_mut().for_each(Vec::clear);
        self.done.resize_with(ends.max(self.done.len()), Vec::new);
        for (end, cells) in beside.iter().enumerate() {
            cells.for_each(|cell| self.add_full(end, self.end_of[cell as usize].into(), Cells::EMPTY));
        }
        empty.for_each(|cell| {
            let end = usize::from(self.end_of[cell as usize]);
            lattice.beside[cell as usize].and(&empty).for_each(|next| {
                if next > cell {
                    self.add_full(end, self.end_of[next as usize].into(), Cells::EMPTY);
                }
            });
        });
    }

    fn add_end(&mut self, kind: Kind, cells: Cells<W>) {
        self.kinds.push(kind);
        self.cells.push(cells);
    }

    /// The full connection that waits with the smallest carrier.
    fn take(&mut self) -> Option<u32> {
        while self.first < self.waiting.len() {
            while let Some(full) = self.waiting[self.first].pop() {
                if !self.pool[full as usize].dropped {
                    return Some(full);
                }
            }
            self.first += 1;
        }
        None
    }

    /// The AND rule, with each full connection that shares an end.
    fn put_together(&mut self, full: u32) {
        let Connection { carrier, ends, .. } = self.pool[full as usize];
        for (middle, end) in [(ends[0], ends[1]), (ends[1], ends[0])].map(|(a, b)| (usize::from(a), usize::from(b))) {
            let kind = self.kinds[middle];
            if matches!(kind, Kind::Edge) {
                continue;
            }
            let taken = carrier.or(&self.cells[end]);
            let mut i = 0;
            while i < self.done[middle].len() {
                let other = &self.pool[self.done[middle][i] as usize];
                if other.dropped {
                    self.done[middle].swap_remove(i);
                    continue;
                }
                i += 1;
                let far = usize::from(other.ends[usize::from(usize::from(other.ends[0]) == middle)]);
                if far == end || other.carrier.or(&self.cells[far]).meets(&taken) {
                    continue;
                }
                let both = carrier.or(&other.carrier);
                match kind {
                    Kind::Chain => self.add_full(end, far, both),
                    _ => self.add_semi(end, far, both.or(&self.cells[middle]), middle),
                }
            }
        }
        for end in ends {
            self.done[usize::from(end)].push(full);
        }
    }

    fn add_full(&mut self, a: usize, b: usize, carrier: Cells<W>) {
        let size = carrier.len();
        if size > MOST_CELLS {
            return;
        }
        let at = self.pair(a, b);
        let Some(better) = self.drop_worse(at, FULL, &carrier) else { return };
        let needs = self.pairs[at].needs[FULL];
        if !better && needs.within(&carrier) && self.pairs[at].latest[FULL] != NONE {
            return;
        }
        self.pairs[at].needs[FULL] = needs.and(&carrier);
        let id = self.push(at, FULL, [a, b], carrier, 0);
        self.waiting[size as usize].push(id);
        self.first = self.first.min(size as usize);
        // Semi-connections that need more than a full one are dropped.
        self.drop_worse(at, SEMI, &carrier);
    }

    fn add_semi(&mut self, a: usize, b: usize, carrier: Cells<W>, middle: usize) {
        if carrier.len() > MOST_CELLS {
            return;
        }
        let at = self.pair(a, b);
        let mut full = self.pairs[at].latest[FULL];
        while full != NONE {
            let known = &self.pool[full as usize];
            if known.carrier.within(&carrier) {
                return;
            }
            full = known.next;
        }
        let Some(better) = self.drop_worse(at, SEMI, &carrier) else { return };
        let needs = self.pairs[at].needs[SEMI];
        let shrinks = !needs.within(&carrier);
        if !better && !shrinks && self.pairs[at].semis >= KEPT_SEMIS {
            return;
        }
        self.pairs[at].needs[SEMI] = needs.and(&carrier);
        self.pairs[at].semis += 1;
        let key = self.cells[middle].first() as u16;
        self.push(at, SEMI, [a, b], carrier, key);
        if self.pairs[at].needs[SEMI].is_empty() {
            self.join_semis(at, a, b);
        }
    }

    /// Drops the connections of a pair that need more than `carrier`. None if one needs no more than that, else whether
    /// any was dropped.
    fn drop_worse(&mut self, at: usize, which: usize, carrier: &Cells<W>) -> Option<bool> {
        let (mut better, mut before, mut id) = (false, NONE, self.pairs[at].latest[which]);
        while id != NONE {
            let known = &mut self.pool[id as usize];
            let next = known.next;
            if known.carrier.within(carrier) {
                return None;
            }
            if carrier.within(&known.carrier) {
                known.dropped = true;
                better = true;
                match before {
                    NONE => self.pairs[at].latest[which] = next,
                    _ => self.pool[before as usize].next = next,
                }
                if which == SEMI {
                    self.pairs[at].semis -= 1;
                }
            } else {
                before = id;
            }
            id = next;
        }
        Some(better)
    }

    fn push(&mut self, at: usize, which: usize, ends: [usize; 2], carrier: Cells<W>, key: u16) -> u32 {
        let id = self.pool.len() as u32;
        let next = self.pairs[at].latest[which];
        self.pool.push(Connection { carrier, ends: ends.map(|end| end as u16), next, key, dropped: false });
        self.pairs[at].latest[which] = id;
        id
    }

    /// The OR rule: full connections from semi-connections of a pair, one for each cell that those known all need.
    fn join_semis(&mut self, at: usize, a: usize, b: usize) {
        let mut carriers = Vec::new();
        let mut id = self.pairs[at].latest[SEMI];
        while id != NONE {
            let semi = &self.pool[id as usize];
            carriers.push(semi.carrier);
            id = semi.next;
        }
        carriers.sort_unstable_by_key(Cells::len);
        if self.pairs[at].latest[FULL] == NONE {
            let Some(union) = join(&carriers, &self.all) else { return };
            self.add_full(a, b, union);
        }
        let mut needs = self.pairs[at].needs[FULL];
        while !needs.is_empty() {
            let cell = needs.first();
            needs.remove(cell);
            let without: Vec<Cells<W>> = carriers.iter().filter(|carrier| !carrier.has(cell)).copied().collect();
            if let Some(union) = join(&without, &self.all) {
                self.add_full(a, b, union);
                needs = needs.and(&union);
            }
        }
    }
}

/// A small union of carriers that have no cell in common; None if all have one.
fn join<const W: usize>(carriers: &[Cells<W>], all: &Cells<W>) -> Option<Cells<W>> {
    let mut common = carriers.iter().fold(*all, |common, carrier| common.and(carrier));
    if carriers.is_empty() || !common.is_empty() {
        return None;
    }
    common = *all;
    let mut union = Cells::EMPTY;
    while !common.is_empty() {
        let best = carriers
            .iter()
            .filter(|carrier| !common.within(carrier))
            .min_by_key(|carrier| (carrier.minus(&union).len() + common.and(carrier).len(), carrier.len()))?;
        common = common.and(best);
        union = union.or(best);
    }
    Some(union)
}
