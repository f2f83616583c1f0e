//! Zobrist keys drawn from a fixed generator: no tables to store, the same on every machine.

/// The `index`-th 64-bit key of `table` (splitmix64; Steele, Lea and Flood 2014).
///
/// Each table begins at a mixed place of its own. Twice the generator's state often gives twice the key: tables that
/// began at multiples of one number would hold keys that are multiples of each other, and sums of them would agree.
pub const fn key(table: u64, index: u64) -> u64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    mixed(mixed(table.wrapping_add(STEP)).wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
}

const fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
