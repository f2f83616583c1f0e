//! Boards of cells as patterns see them.

/// Words of a set of cells.
pub const CELL_WORDS: usize = 11;

/// A set of cells, one bit each.
pub type CellSet = [u64; CELL_WORDS];

/// A rectangle of cells: the one in `column` and `row` has the number `column * across + row * up`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub columns: u32,
    pub rows: u32,
    pub across: u32,
    pub up: u32,
}

/// The contents of a board's cells. A cell in none of the sets can hold nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cells {
    /// The cells with men of the first and of the second player.
    pub men: [CellSet; 2],
    pub empty: CellSet,
}

/// A step of a move that patterns name: a man goes from one cell to another, or comes to a cell from beyond the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: Option<u32>,
    pub to: u32,
}

impl Grid {
    /// Cells that are numbered row by row.
    pub fn by_rows(columns: u32, rows: u32) -> Grid {
        Grid { columns, rows, across: 1, up: columns }
    }

    /// The number of the cell in a column and row; None beyond the edges.
    pub fn cell(&self, column: i32, row: i32) -> Option<u32> {
        let (column, row) = (u32::try_from(column).ok()?, u32::try_from(row).ok()?);
        (column < self.columns && row < self.rows).then(|| column * self.across + row * self.up)
    }

    /// Number of words that hold all cells.
    pub fn words(&self) -> usize {
        let last = (self.columns - 1) * self.across + (self.rows - 1) * self.up;
        last as usize / 64 + 1
    }
}

impl Cells {
    /// Whether a cell is empty.
    pub fn is_empty(&self, cell: u32) -> bool {
        self.empty[cell as usize / 64] >> (cell % 64) & 1 != 0
    }
}

/// Puts the cell into the set.
pub fn insert(set: &mut CellSet, cell: u32) {
    set[cell as usize / 64] |= 1 << (cell % 64);
}

/// The set of some of the first 64 cells.
pub fn of_word(word: u64) -> CellSet {
    let mut set = [0; CELL_WORDS];
    set[0] = word;
    set
}
