//! Cells that need not be played: filled without a change of the winner, or never better than another cell.
//!
//! A cell is dead if no way to fill the board makes its colour matter. Cells are captured by a colour that, moving
//! second among them, makes the opponent's stones there dead: they are as good as its own. A move is vulnerable if a
//! reply makes it dead, and dominated by another that would capture or kill its cell. The definitions and the proofs are
//! those of Björnsson, Hayward, Johanson and van Rijswijck (2006) and of Henderson and Hayward (2013). Deadness is seen
//! in a cell's own ring here, captures in sets of two and three cells.

use std::sync::LazyLock;

use super::{
    Cells,
    lattice::{EMPTY, Lattice, stone},
};

const POWERS: [usize; 6] = [1, 3, 9, 27, 81, 243];

/// By the contents of a ring, its places as digits to base 3: whether the cell within is dead. A cell matters only where
/// it joins two runs of one colour and so parts two of the other: a ring of four changes of colour.
static DEAD: LazyLock<[bool; 729]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let ring = POWERS.map(|power| (code / power % 3) as u8);
        (0..64_u32).all(|choice| {
            let colours: [u8; 6] =
                std::array::from_fn(|i| if ring[i] == EMPTY { 1 + (choice >> i & 1) as u8 } else { ring[i] });
            (0..6).filter(|&i| colours[i] != colours[(i + 1) % 6]).count() < 4
        })
    })
});

/// The cells that may be filled.
#[derive(Clone, Copy, Debug, Default)]
pub struct FillIn<const W: usize> {
    /// The stones with the filled cells.
    pub stones: [Cells<W>; 2],
    /// The cells that each colour captures.
    pub captured: [Cells<W>; 2],
    /// The cells that are dead; they count as Black's among `stones`.
    pub dead: Cells<W>,
}

/// The moves of a player that are left.
#[derive(Clone, Copy, Debug)]
pub struct Worth<const W: usize> {
    /// If any move wins, one of these does.
    pub moves: Cells<W>,
    /// The replies that make the vulnerable moves dead.
    pub killers: Cells<W>,
}

/// The contents of the cells and of the edges.
struct Board<'a, const W: usize> {
    lattice: &'a Lattice<W>,
    contents: Vec<u8>,
    dead: &'static [bool; 729],
}

impl<'a, const W: usize> Board<'a, W> {
    fn new(lattice: &'a Lattice<W>, stones: &[Cells<W>; 2]) -> Board<'a, W> {
        let mut contents = vec![EMPTY; lattice.places() + 2];
        for (colour, set) in stones.iter().enumerate() {
            set.for_each(|cell| contents[cell as usize] = stone(colour));
            contents[lattice.places() + colour] = stone(colour);
        }
        Board { lattice, contents, dead: &DEAD }
    }

    fn code(&self, cell: u32) -> usize {
        let ring = &self.lattice.ring[cell as usize];
        (0..6).map(|i| usize::from(self.contents[usize::from(ring[i])]) * POWERS[i]).sum()
    }

    /// The empty cell at a direction of the ring.
    fn free(&self, cell: u32, direction: usize) -> Option<u32> {
        let place = self.lattice.ring[cell as usize][direction];
        (self.contents[usize::from(place)] == EMPTY).then_some(place.into())
    }

    /// Calls `found` with each captured set of two or three cells that `cell`, which is empty, lies in the middle of. The
    /// owner moves second in it.
    fn captures(&self, cell: u32, owner: usize, mut found: impl FnMut(&[u32])) {
        let own = usize::from(stone(owner));
        let code = self.code(cell);
        for (d, power) in POWERS.into_iter().enumerate() {
            let Some(next) = self.free(cell, d) else { continue };
            let next_code = self.code(next);
            let back = (d + 3) % 6;
            if self.dead[code + own * power] && self.dead[next_code + own * POWERS[back]] {
                found(&[cell, next]);
                continue;
            }
            for e in d + 1..6 {
                let Some(third) = self.free(cell, e) else { continue };
                if self.takes([code, next_code, self.code(third)], [d, e], owner) {
                    found(&[cell, next, third]);
                }
            }
        }
    }

    /// Whether the owner, moving second, makes every stone of the opponent dead among a cell and its neighbours at the
    /// directions `d < e`. The codes are those of the three.
    fn takes(&self, codes: [usize; 3], [d, e]: [usize; 2], owner: usize) -> bool {
        let (own, other) = (usize::from(stone(owner)), usize::from(stone(1 - owner)));
        // `at[x][y]`: the weight of cell y in the code of cell x.
        let mut at = [[0; 3]; 3];
        (at[0][1], at[0][2]) = (POWERS[d], POWERS[e]);
        (at[1][0], at[2][0]) = (POWERS[(d + 3) % 6], POWERS[(e + 3) % 6]);
        if e - d == 1 {
            (at[1][2], at[2][1]) = (POWERS[(d + 2) % 6], POWERS[(d + 5) % 6]);
        } else if e - d == 5 {
            (at[1][2], at[2][1]) = (POWERS[(d + 4) % 6], POWERS[(d + 1) % 6]);
        }
        (0..3).all(|x| {
            (0..3).filter(|&y| y != x).any(|y| {
                let z = 3 - x - y;
                // The dead one of the two becomes the owner's before the other is looked at.
                let first_x = self.dead[codes[x] + own * at[x][y]] && self.dead[codes[z] + own * (at[z][x] + at[z][y])];
                let first_z = self.dead[codes[z] + other * at[z][x] + own * at[z][y]]
                    && self.dead[codes[x] + own * (at[x][y] + at[x][z])];
                first_x || first_z
            })
        })
    }
}

impl<const W: usize> Lattice<W> {
    /// Fills dead and captured cells until none is left.
    pub fn fill_in(&self, stones: &[Cells<W>; 2]) -> FillIn<W> {
        let occupied = stones[0].or(&stones[1]);
        // Where no stone and no edge is near, nothing can be dead or captured.
        let mut todo = self.near_to(&occupied);
        for edge in self.edges.iter().flatten() {
            todo = todo.or(edge).or(&self.around(edge));
        }
        self.fill_in_near(stones, todo)
    }

    /// The same where new stones may matter to the cells of `todo` alone.
    pub fn fill_in_near(&self, stones: &[Cells<W>; 2], todo: Cells<W>) -> FillIn<W> {
        let mut filled = FillIn { stones: *stones, ..FillIn::default() };
        let mut board = Board::new(self, stones);
        let mut todo = todo.minus(&stones[0]).minus(&stones[1]);
        loop {
            self.fill_rings(&mut board, &mut filled, todo);
            let cut_off = self.cut_off(&filled.stones);
            if cut_off.is_empty() {
                return filled;
            }
            filled.dead = filled.dead.or(&cut_off);
            filled.stones[0] = filled.stones[0].or(&cut_off);
            cut_off.for_each(|cell| board.contents[cell as usize] = stone(0));
            todo = self.near_to(&cut_off).minus(&filled.stones[0]).minus(&filled.stones[1]);
        }
    }

    /// Fills what rings show to be dead or captured, among the empty cells of `todo` and around what is filled.
    fn fill_rings(&self, board: &mut Board<W>, filled: &mut FillIn<W>, mut todo: Cells<W>) {
        let mut empty = self.all.minus(&filled.stones[0]).minus(&filled.stones[1]);
        while !todo.is_empty() {
            let cell = todo.first();
            todo.remove(cell);
            let (mut taken, mut owner) = (Cells::EMPTY, 0);
            if board.dead[board.code(cell)] {
                taken.insert(cell);
                filled.dead.insert(cell);
            } else {
                for colour in 0..2 {
                    if taken.is_empty() {
                        owner = colour;
                        board.captures(cell, colour, |set| {
                            if taken.is_empty() {
                                set.iter().for_each(|&cell| taken.insert(cell));
                            }
                        });
                    }
                }
                filled.captured[owner] = filled.captured[owner].or(&taken);
            }
            taken.for_each(|cell| {
                board.contents[cell as usize] = stone(owner);
                todo = todo.or(&self.near[cell as usize]);
            });
            filled.stones[owner] = filled.stones[owner].or(&taken);
            empty = empty.minus(&taken);
            todo = todo.and(&empty);
        }
    }

    /// The cells at one step or two from a set, some of its own among them.
    fn near_to(&self, set: &Cells<W>) -> Cells<W> {
        let mut near = Cells::EMPTY;
        set.for_each(|cell| near = near.or(&self.near[cell as usize]));
        near
    }

    /// The moves of the player `mover` that are left when vulnerable and dominated ones are dropped. `stones` are filled
    /// in.
    pub fn worth(&self, stones: &[Cells<W>; 2], mover: usize) -> Worth<W> {
        let mut board = Board::new(self, stones);
        let empty = self.all.minus(&stones[0]).minus(&stones[1]);
        let (own, other) = (usize::from(stone(mover)), usize::from(stone(1 - mover)));
        let mut worth = Worth { moves: empty, killers: Cells::EMPTY };
        let mut pairs = Vec::new();
        empty.for_each(|cell| {
            let code = board.code(cell);
            for (d, power) in POWERS.into_iter().enumerate() {
                let Some(next) = board.free(cell, d) else { continue };
                if board.dead[code + other * power] {
                    worth.moves.remove(cell);
                    worth.killers.insert(next);
                    return;
                }
                if board.dead[code + own * power] {
                    pairs.push((cell, next));
                }
            }
        });
        // What a move captures at once it dominates.
        worth.moves.for_each(|cell| {
            board.contents[cell as usize] = stone(mover);
            self.near[cell as usize].and(&empty).for_each(|middle| {
                board.captures(middle, mover, |set| pairs.extend(set.iter().map(|&taken| (taken, cell))));
            });
            board.contents[cell as usize] = EMPTY;
        });
        for (cell, better) in pairs {
            if worth.moves.has(better) {
                worth.moves.remove(cell);
            }
        }
        worth
    }
}
