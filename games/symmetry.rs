//! The eight symmetries of the square, in the order of `symmetry.py`.
//!
//! Frame `f` transposes if `f & 4`, then mirrors the columns if `f & 1`, then the rows if `f & 2`.

/// Where symmetry `frame` of an `n` by `n` board takes cell `row * n + column`.
pub const fn square(n: u32, frame: u8, cell: u32) -> u32 {
    let (mut row, mut column) = (cell / n, cell % n);
    if frame & 4 != 0 {
        (row, column) = (column, row);
    }
    if frame & 1 != 0 {
        column = n - 1 - column;
    }
    if frame & 2 != 0 {
        row = n - 1 - row;
    }
    row * n + column
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
        for n in 1..8 {
            for frame in 0..8 {
                for cell in 0..n * n {
                    assert_eq!(square(n, square_inverse(frame), square(n, frame, cell)), cell);
                }
            }
        }
    }
}
