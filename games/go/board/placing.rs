//! Stones come and go: chains join and are taken, and the counts of their liberties follow.

use super::{ALL, Board, COUNT, EMPTY, FACING, NONE, Point, Sides};

impl Board {
    /// Puts a stone on an empty point and takes what it captures. Returns how many stones that is and, if it is one
    /// that could be retaken at once but for the ko rule, its point, else `NONE`. A stone that captures nothing and
    /// has no liberty stays on the board.
    #[inline(always)]
    pub fn place(&mut self, p: Point, colour: u8) -> (u16, Point) {
        let in_other_eye = self.surrounded(p, 1 - colour);
        let mut dead = self.put(p, colour);
        if dead == 0 {
            return (0, NONE);
        }
        let sides = self.sides(p);
        let (mut taken, mut last) = (0, NONE);
        while dead != 0 {
            last = sides[dead.trailing_zeros() as usize];
            taken += self.remove(last);
            dead &= dead - 1;
        }
        (taken, if taken == 1 && in_other_eye { last } else { NONE })
    }

    /// Puts a stone on an empty point. Returns a side of each opposing chain that this leaves without a liberty.
    #[inline(always)]
    pub fn put(&mut self, p: Point, colour: u8) -> Sides {
        let (own, other) = (self.around(p, colour), self.around(p, 1 - colour));
        let sides = self.sides(p);
        self.unlist_empty(p);
        self.stones[usize::from(colour)] += 1;

        let mut dead = 0;
        for d in 0..4 {
            let side = &mut self.cells[sides[d]];
            side.around |= FACING[d] << (4 * colour);
            let head = side.head;
            let chain = &mut self.cells[head];
            chain.liberties = chain.liberties.wrapping_sub(1);
            dead |= u8::from(chain.liberties == 0) << d;
        }

        let cell = &mut self.cells[p];
        cell.colour = colour;
        (cell.head, cell.next, cell.size) = (p, p, 1);
        cell.liberties = COUNT[usize::from(!(own | other) & ALL)];
        let mut friends = own & !other;
        while friends != 0 {
            let friend = self.cells[sides[friends.trailing_zeros() as usize]].head;
            friends &= friends - 1;
            let head = self.cells[p].head;
            if friend != head {
                self.join(friend, head);
            }
        }
        dead & other & !own
    }

    /// Makes one chain of two, named by the head of the larger.
    #[inline(always)]
    fn join(&mut self, a: Point, b: Point) {
        let (kept, lost) = if self.cells[a].size >= self.cells[b].size { (a, b) } else { (b, a) };
        let mut stone = lost;
        loop {
            self.cells[stone].head = kept;
            stone = self.cells[stone].next;
            if stone == lost {
                break;
            }
        }
        let (size, liberties, next) = (self.cells[lost].size, self.cells[lost].liberties, self.cells[lost].next);
        let chain = &mut self.cells[kept];
        chain.size += size;
        chain.liberties += liberties;
        let after = std::mem::replace(&mut chain.next, next);
        self.cells[lost].next = after;
    }

    /// Takes the chain of the stone at `p` off the board and returns its size.
    pub fn remove(&mut self, p: Point) -> u16 {
        let (colour, size) = (self.cells[p].colour, self.cells[self.cells[p].head].size);
        self.stones[usize::from(colour)] -= size;
        let mut stone = p;
        loop {
            for (side, facing) in self.sides(stone).into_iter().zip(FACING) {
                let side = &mut self.cells[side];
                side.around &= !(facing << (4 * colour));
                let head = side.head;
                let chain = &mut self.cells[head];
                chain.liberties = chain.liberties.wrapping_add(1);
            }
            let cell = &mut self.cells[stone];
            (cell.colour, cell.head) = (EMPTY, NONE);
            let next = cell.next;
            self.list_empty(stone);
            stone = next;
            if stone == p {
                return size;
            }
        }
    }

    #[inline(always)]
    pub(super) fn list_empty(&mut self, p: Point) {
        self.cells[self.empties].empty = p;
        self.cells[p].slot = self.empties;
        self.empties += 1;
    }

    #[inline(always)]
    fn unlist_empty(&mut self, p: Point) {
        self.empties -= 1;
        let (slot, last) = (self.cells[p].slot, self.cells[self.empties].empty);
        self.cells[slot].empty = last;
        self.cells[last].slot = slot;
    }
}
