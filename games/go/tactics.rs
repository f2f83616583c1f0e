//! Liberties as points: chains in atari, and what becomes of a stone.

use super::board::{Board, NONE, OFF, Point};

/// Liberties are told apart up to this many.
pub const MANY: usize = 3;

/// Some different points, `MOST` at most.
#[derive(Clone, Copy, Debug)]
pub struct Liberties<const MOST: usize = MANY> {
    points: [Point; MOST],
    len: usize,
}

impl<const MOST: usize> Default for Liberties<MOST> {
    fn default() -> Self {
        Liberties { points: [NONE; MOST], len: 0 }
    }
}

impl<const MOST: usize> Liberties<MOST> {
    /// Adds a point that is not among them. True once there are `MOST`.
    fn add(&mut self, p: Point) -> bool {
        if self.len < MOST && !self.points[..self.len].contains(&p) {
            self.points[self.len] = p;
            self.len += 1;
        }
        self.len == MOST
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn points(&self) -> &[Point] {
        &self.points[..self.len]
    }
}

/// The chain that a stone would lead to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prospect {
    /// The liberties of its chain, as far as they are counted.
    pub liberties: Liberties,
    /// The stones of its chain.
    pub stones: u16,
    /// The stones that it takes.
    pub taken: u16,
}

impl Board {
    /// Calls `each` with the empty points beside `p` until it returns true. Returns whether it did.
    #[inline(always)]
    fn any_empty_side(&self, p: Point, mut each: impl FnMut(Point) -> bool) -> bool {
        let (mut empty, sides) = (self.empty_sides(p), self.sides(p));
        while empty != 0 {
            if each(sides[empty.trailing_zeros() as usize]) {
                return true;
            }
            empty &= empty - 1;
        }
        false
    }

    /// The liberty of a chain that has only one, else `NONE`. `stone` is any of its stones.
    #[inline(always)]
    pub fn last_liberty(&self, stone: Point) -> Point {
        // No point is beside more than four stones of a chain.
        if self.pseudo_liberties(stone) > 4 {
            return NONE;
        }
        let mut last = NONE;
        let mut at = stone;
        loop {
            let another = self.any_empty_side(at, |p| {
                let different = last != NONE && p != last;
                last = p;
                different
            });
            if another {
                return NONE;
            }
            at = self.next(at);
            if at == stone {
                return last;
            }
        }
    }

    /// The liberties of the chain of `stone`, told apart up to `MANY`.
    pub fn liberties(&self, stone: Point) -> Liberties {
        self.liberties_up_to(stone)
    }

    /// The liberties of the chain of `stone`, told apart up to `MOST`.
    pub fn liberties_up_to<const MOST: usize>(&self, stone: Point) -> Liberties<MOST> {
        let mut liberties = Liberties::default();
        self.add_liberties(stone, NONE, &mut liberties);
        liberties
    }

    /// Adds the liberties of the chain of `stone`, but for one. True once there are `MOST`.
    fn add_liberties<const MOST: usize>(&self, stone: Point, except: Point, liberties: &mut Liberties<MOST>) -> bool {
        let mut at = stone;
        loop {
            if self.any_empty_side(at, |p| p != except && liberties.add(p)) {
                return true;
            }
            at = self.next(at);
            if at == stone {
                return false;
            }
        }
    }

    /// The chain that a stone of `colour` at the empty point `p` would lead to.
    pub fn prospect(&self, p: Point, colour: u8) -> Prospect {
        let mut prospect = Prospect { stones: 1, ..Prospect::default() };
        self.any_empty_side(p, |side| prospect.liberties.add(side));
        let (sides, smothered) = (self.sides(p), self.smothered(p));
        let mut friends = [NONE; 4];
        for (d, side) in sides.into_iter().enumerate() {
            let head = self.head(side);
            if self.colour(side) == colour && !friends.contains(&head) {
                friends[d] = head;
                prospect.stones += self.chain_size(side);
                self.add_liberties(side, p, &mut prospect.liberties);
            }
        }
        for (d, side) in sides.into_iter().enumerate() {
            let doomed = smothered >> d & 1 != 0 && self.colour(side) == 1 - colour;
            if !doomed || sides[..d].iter().any(|&other| self.head(other) == self.head(side)) {
                continue;
            }
            prospect.taken += self.chain_size(side);
            self.for_each_stone(side, |stone| {
                let freed = |q: Point| q == p || self.colour(q) == colour && friends.contains(&self.head(q));
                if prospect.liberties.len < MANY && self.sides(stone).into_iter().any(freed) {
                    prospect.liberties.add(stone);
                }
            });
        }
        prospect
    }

    /// The opposing chains in atari beside the chain of `stone`: calls `each` with a stone and the last liberty of
    /// each, perhaps more than once.
    pub fn for_each_attacker_in_atari(&self, stone: Point, mut each: impl FnMut(Point, Point)) {
        let other = 1 - self.colour(stone);
        self.for_each_stone(stone, |at| {
            for side in self.sides(at) {
                if self.colour(side) == other {
                    let last = self.last_liberty(side);
                    if last != NONE {
                        each(side, last);
                    }
                }
            }
        });
    }

    /// Whether `p` is on the edge.
    pub fn on_edge(&self, p: Point) -> bool {
        self.sides(p).into_iter().any(|side| self.colour(side) == OFF)
    }
}
