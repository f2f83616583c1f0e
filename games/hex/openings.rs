//! First moves whose result is known, on small boards.

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
