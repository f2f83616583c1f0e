//! First moves: their results where these are known, on small boards, and whether they are to be swapped.

/// The first moves with which Black wins, by row from the first, on boards of one, two and more rows: B those, w all others.
/// Up to seven rows they are what `playout solve hex:N --all-moves` finds; the last board is that of benzene's tests, which
/// solve it by df-pn.
const MAPS: [&str; 8] = [
    "B",
    "wB Bw",
    "wwB BBB Bww",
    "wwwB wwBw wBww Bwww",
    "wwwwB wBBBB wBBBw BBBBw Bwwww",
    "wwwwwB wBBBBB BBBBBB BBBBBB BBBBBw Bwwwww",
    "wwwwwwB wwBwBBB wBBBBBw BBBBBBB wBBBBBw BBBwBww Bwwwwww",
    "wwwwwwwB wwwwwwBB wBBBBBBw wBBBBBBB BBBBBBBw wBBBBBBw BBwwwwww Bwwwwwww",
];

/// Whether Black wins after this first move of his, counted by rows; None if the board is too large to know.
pub fn wins(size: u32, cell: u32) -> Option<bool> {
    let map = MAPS.get(size as usize - 1)?;
    map.as_bytes().get((cell + cell / size) as usize).map(|&mark| mark == b'B')
}

/// Whether a first move is better for Black than for White: as it is known, or away from the edges, or on the short diagonal.
pub fn is_good(size: u32, cell: u32) -> bool {
    if let Some(known) = wins(size, cell) {
        return known;
    }
    let (row, column) = (cell / size, cell % size);
    let line = [row, column].map(|at| at.min(size - 1 - at)).into_iter().min().expect("two lines");
    row + column == size - 1 || line >= (size / 5).clamp(1, 2)
}

/// Preference of a first move that White may swap: b4, c2, the first cell of the last row but one, and their images are
/// worth at most 0.25 to either side by the net that ships, on boards of 9 to 26 rows; a good one is White's.
pub fn preference(size: u32, cell: u32) -> f32 {
    let even = [(3, 1), (1, 2), (size.saturating_sub(2), 0)];
    let is_even = |cell: u32| even.contains(&(cell / size, cell % size));
    if size >= LEAST_EVEN && (is_even(cell) || is_even(size * size - 1 - cell)) {
        2.0
    } else if is_good(size, cell) {
        -2.0
    } else {
        0.0
    }
}

/// The smallest board on which these moves are nearly even.
const LEAST_EVEN: u32 = 9;
