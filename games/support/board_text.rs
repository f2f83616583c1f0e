//! The texts under which books know the boards of games with one kind of stone a player.

/// The most cells of a board.
const MOST_CELLS: usize = 26 * 26;

/// Appends the marks of a board of `count` cells: `.`, but for `stones`, which give cells and their marks.
pub fn push_board(out: &mut String, count: u32, stones: impl Iterator<Item = (u32, u8)>) {
    let mut cells = [b'.'; MOST_CELLS];
    for (cell, mark) in stones {
        cells[cell as usize] = mark;
    }
    out.push_str(std::str::from_utf8(&cells[..count as usize]).expect("marks are ASCII"));
}

/// The places of the bits of `bits`, lowest first.
pub fn places(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let place = bits.trailing_zeros();
            bits &= bits - 1;
            place
        })
    })
}
