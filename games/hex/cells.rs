//! Sets of cells, one bit each.

/// A set of cells below `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Default for Cells<W> {
    fn default() -> Cells<W> {
        Cells::EMPTY
    }
}

impl<const W: usize> Cells<W> {
    pub const EMPTY: Cells<W> = Cells([0; W]);
    /// Every cell that a set can hold.
    pub const FULL: Cells<W> = Cells([u64::MAX; W]);

    /// One word of 64 cells after another, as `word` gives them.
    pub fn from_words(word: impl FnMut(usize) -> u64) -> Cells<W> {
        Cells(std::array::from_fn(word))
    }

    /// The cells below `64 * V`, the only ones that a board of that size has.
    pub fn narrow<const V: usize>(&self) -> Cells<V> {
        Cells::from_words(|i| self.0[i])
    }

    /// The cells `64 * i` to `64 * i + 63`.
    pub fn word(&self, i: usize) -> u64 {
        self.0[i]
    }

    pub fn has(&self, cell: u32) -> bool {
        self.0[cell as usize / 64] >> (cell % 64) & 1 != 0
    }

    pub fn insert(&mut self, cell: u32) {
        self.0[cell as usize / 64] |= 1 << (cell % 64);
    }

    pub fn remove(&mut self, cell: u32) {
        self.0[cell as usize / 64] &= !(1 << (cell % 64));
    }

    /// Cells `start` to `start + count - 1` as the low bits of a word; `count` is 1 to 63.
    pub fn bits(&self, start: u32, count: u32) -> u64 {
        let (i, shift) = (start as usize / 64, start % 64);
        let next = if i + 1 < W { self.0[i + 1] } else { 0 };
        (self.0[i] >> shift | next << 1 << (63 - shift)) & ((1 << count) - 1)
    }

    /// Adds the cells from `start` on whose bits are set.
    pub fn insert_bits(&mut self, start: u32, bits: u64) {
        let (i, shift) = (start as usize / 64, start % 64);
        self.0[i] |= bits << shift;
        if i + 1 < W {
            self.0[i + 1] |= bits >> 1 >> (63 - shift);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn and(&self, other: &Cells<W>) -> Cells<W> {
        Cells::from_words(|i| self.0[i] & other.0[i])
    }

    pub fn or(&self, other: &Cells<W>) -> Cells<W> {
        Cells::from_words(|i| self.0[i] | other.0[i])
    }

    pub fn minus(&self, other: &Cells<W>) -> Cells<W> {
        Cells::from_words(|i| self.0[i] & !other.0[i])
    }

    /// Whether the sets share a cell.
    pub fn meets(&self, other: &Cells<W>) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether `other` has every cell of this set.
    pub fn within(&self, other: &Cells<W>) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// Each cell moved `by` places up in number, 1 to 63.
    pub fn later(&self, by: u32) -> Cells<W> {
        Cells::from_words(|i| self.0[i] << by | if i == 0 { 0 } else { self.0[i - 1] >> (64 - by) })
    }

    /// Each cell moved `by` places down in number, 1 to 63.
    pub fn earlier(&self, by: u32) -> Cells<W> {
        Cells::from_words(|i| self.0[i] >> by | if i + 1 == W { 0 } else { self.0[i + 1] << (64 - by) })
    }

    /// The set with the cells beside it, all rows at once, on a board of `size` rows whose first and last columns are
    /// `left` and `right`; also cells below the last row.
    pub fn spread(&self, size: u32, left: &Cells<W>, right: &Cells<W>) -> Cells<W> {
        // Below a cell lie its own column and the one to the left; above it, its own and the one to the right.
        let leftwards = self.or(&self.minus(left).earlier(1));
        let rightwards = self.or(&self.minus(right).later(1));
        let upright = leftwards.later(size).or(&rightwards.earlier(size));
        leftwards.or(&rightwards).or(&upright)
    }

    /// Calls `visit` with each cell in rising order.
    pub fn for_each(&self, mut visit: impl FnMut(u32)) {
        for (i, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(64 * i as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }

    /// The least cell of a set that is not empty.
    pub fn first(&self) -> u32 {
        let i = self.0.iter().position(|&word| word != 0).expect("a set that is not empty");
        64 * i as u32 + self.0[i].trailing_zeros()
    }
}
