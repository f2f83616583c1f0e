//! Connect four as two words: the discs of the player to move, and all discs.
//!
//! Cells lie as in the kernel: a column is `rows + 1` bits from the bottom up, the highest of which stays empty.

/// The size of the board and the sets of cells that follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    pub columns: u32,
    pub rows: u32,
    pub stride: u32,
    /// The lowest cell of each column.
    pub bottom: u64,
    pub cells: u64,
    /// The cells above which, itself included, a column has an even number of cells.
    pub lower: u64,
}

/// A position in which nobody has four in a row yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// The discs of the player to move.
    pub own: u64,
    /// The discs of both.
    pub all: u64,
}

impl Geometry {
    pub fn new(columns: u32, rows: u32) -> Geometry {
        let stride = rows + 1;
        let bottom = (0..columns).fold(0, |cells, column| cells | 1 << (column * stride));
        let lower = (0..rows).filter(|row| (rows - row).is_multiple_of(2)).fold(0, |cells, row| cells | bottom << row);
        Geometry { columns, rows, stride, bottom, cells: bottom * ((1 << rows) - 1), lower }
    }

    pub fn size(&self) -> u32 {
        self.columns * self.rows
    }

    pub fn column(&self, column: u32) -> u64 {
        ((1 << self.rows) - 1) << (column * self.stride)
    }

    /// The cells on which a disc comes to rest.
    pub fn landings(&self, node: Discs) -> u64 {
        (node.all + self.bottom) & self.cells
    }

    pub fn play(&self, node: Discs, cell: u64) -> Discs {
        Discs { own: node.own ^ node.all, all: node.all | cell }
    }

    /// The cells, empty or not, that make four in a row together with three of `discs`.
    fn completions(&self, discs: u64) -> u64 {
        let mut found = discs << 1 & discs << 2 & discs << 3;
        for step in [self.stride - 1, self.stride, self.stride + 1] {
            let (up, down) = (discs << step, discs >> step);
            let pair_below = up & discs << (2 * step);
            let pair_above = down & discs >> (2 * step);
            found |= pair_below & (discs << (3 * step) | down) | pair_above & (discs >> (3 * step) | up);
        }
        found
    }

    /// The empty cells that win for the player to move, once a disc can be placed there.
    pub fn threats(&self, node: Discs) -> u64 {
        self.completions(node.own) & self.cells & !node.all
    }

    /// The empty cells that win for the other player.
    pub fn dangers(&self, node: Discs) -> u64 {
        self.completions(node.own ^ node.all) & self.cells & !node.all
    }

    /// Whether four of `discs` are in a row.
    pub fn has_four(&self, discs: u64) -> bool {
        let line = |step: u32| {
            let pairs = discs & discs >> step;
            pairs & pairs >> (2 * step)
        };
        line(1) | line(self.stride - 1) | line(self.stride) | line(self.stride + 1) != 0
    }

    /// A number that no other position has: in each column a bit above the highest disc marks its height.
    pub fn key(&self, node: Discs) -> u64 {
        node.own + node.all + self.bottom
    }

    /// The position seen in a mirror.
    pub fn mirrored(&self, node: Discs) -> Discs {
        let turn = |cells: u64| {
            (0..self.columns).fold(0, |turned, column| {
                let height = cells >> (column * self.stride) & ((1 << self.rows) - 1);
                turned | height << ((self.columns - 1 - column) * self.stride)
            })
        };
        Discs { own: turn(node.own), all: turn(node.all) }
    }
}
