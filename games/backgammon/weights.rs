//! The weights of the evaluation of backgammon, in thousandths of a point for the player on roll.
//!
//! A least-squares fit, rounded, to what gnubg-nn says at 0 ply of 81,000 positions of contact, the plays of 8,500
//! positions from its games with some random plays. Differences between the plays of a position weigh ten times as much
//! as the values themselves.

/// The number of features of each side: those of the player on roll come first, then those of the other.
pub const FEATURES: usize = 84;

pub static WEIGHTS: [i16; 2 * FEATURES] = [
    // The player on roll.
    // Points made, from 1 to 24.
    11, 74, 163, 222, 256, 289, 110, 111, 59, 8, 6, 29, 43, -30, -30, -26, -42, -70, -43, -66, -66, -49, -80, -143,
    // Blots.
    -95, -67, -30, 8, 17, 4, -5, -3, 13, -19, -27, -19, -50, -58, -68, -87, -87, -72, -107, -70, -65, -68, -83, -111,
    // Checkers beyond two.
    -13, -8, 1, 25, 37, 11, 15, 8, 17, 21, 66, 9, -29, 40, -4, -9, 18, -115, -56, -44, -1, -62, -21, -14,
    // On the bar, each.
    -183, // Borne off, each.
    173,  // 100 pips to go.
    -379, // 1 to 6 of the six points before their rear checker.
    15, 29, 64, 92, 7, 525, // Points made at home, for each of theirs on the bar.
    0,   // The chance of being hit.
    -21, // 100 pips lost by hits, expected.
    14,  // The other.
    // Points made, from 1 to 24.
    5, -53, -110, -150, -175, -191, -69, -83, -74, -60, -39, -45, -16, 13, 10, 21, 28, 40, 69, 39, 44, 55, 87, 144,
    // Blots.
    67, 44, 21, 11, 4, 9, -7, -17, -7, 4, 5, 12, 29, 37, 42, 47, 48, 54, 37, 36, 32, 34, 41, 49,
    // Checkers beyond two.
    55, 43, 23, -8, -17, -7, -5, -6, -2, 22, -24, -17, 19, 3, 55, 51, 25, 67, 72, 79, 95, 93, 72, 43,
    // On the bar, each.
    0,    // Borne off, each.
    -141, // 100 pips to go.
    321,  // 1 to 6 of the six points before their rear checker.
    -11, -32, -138, -318, -455, -555, // Points made at home, for each of theirs on the bar.
    -45,  // The chance of being hit.
    115,  // 100 pips lost by hits, expected.
    677,
];

/// Value of being on roll, features apart.
pub const ON_ROLL: f32 = 0.014;
