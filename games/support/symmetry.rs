//! The eight symmetries of the square, in the order of `symmetry.py`; the first four are those of a rectangle.
//!
//! Frame `f` transposes if `f & 4`, then mirrors the columns if `f & 1`, then the rows if `f & 2`.

/// Number of symmetries of a board.
pub const fn frames(columns: u32, rows: u32) -> u8 {
    if columns == rows { 8 } else { 4 }
}

/// The image of cell `row * columns + column` of a board under symmetry `frame`.
pub const fn rectangle(columns: u32, rows: u32, frame: u8, cell: u32) -> u32 {
    let (mut row, mut column) = (cell / columns, cell % columns);
    if frame & 4 != 0 {
        (row, column) = (column, row);
    }
    if frame & 1 != 0 {
        column = columns - 1 - column;
    }
    if frame & 2 != 0 {
        row = rows - 1 - row;
    }
    row * columns + column
}

/// The image of cell `row * n + column` of an `n` by `n` board under symmetry `frame`.
pub const fn square(n: u32, frame: u8, cell: u32) -> u32 {
    rectangle(n, n, frame, cell)
}

/// The symmetry that undoes `frame`.
pub const fn square_inverse(frame: u8) -> u8 {
    match frame {
        5 => 6,
        6 => 5,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symmetry_is_undone_by_its_inverse() {
        for (columns, rows) in (1..8).flat_map(|columns| (1..8).map(move |rows| (columns, rows))) {
            for frame in 0..frames(columns, rows) {
                for cell in 0..columns * rows {
                    let image = rectangle(columns, rows, frame, cell);
                    assert_eq!(rectangle(columns, rows, square_inverse(frame), image), cell);
                }
            }
        }
    }
}
