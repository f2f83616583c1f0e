//! The bear-off database of backgammon: what is known of positions in which all checkers that are left are at home.
//!
//! One-sided, for every such position of 15 checkers: how many rolls it takes to bear all off, by the play that makes
//! their mean least, and to bear the first of 15 off. Two-sided, with few checkers on both sides: the exact chance to win
//! without the cube.

mod file;
mod index;
mod solve;

use std::path::Path;

use super::side::{CHECKERS, Side};
use index::{Home, POINTS, count, home, rank};
use solve::{Chances, Solved, solve};

/// Most checkers a side in the two-sided table, which grows with the square of their positions.
pub const MOST: u32 = 9;
/// The whole of which shares are parts.
const ALL: u16 = u16::MAX;
/// Bytes of a chance to win, a whole number out of 2^24 - 1.
const WIN_BYTES: usize = 3;
const CERTAIN: u32 = (1 << (8 * WIN_BYTES)) - 1;
/// A place has the first share's index below and the number of its roll above.
const ROLL_SHIFT: u32 = 24;

/// A table for each position of how many rolls something takes.
#[derive(Debug)]
struct Counted {
    /// For each position where its shares begin, and the roll to which the first of them belongs; at last their end.
    places: Vec<u32>,
    /// Out of `ALL`.
    shares: Vec<u16>,
}

/// The tables.
#[derive(Debug)]
pub struct Bearoff {
    all_off: Counted,
    /// By the checkers on points 2 to 6.
    first_off: Counted,
    /// Checkers of each side in the two-sided table.
    most: u32,
    /// The chance of the side on roll, by its position and the other's.
    wins: Vec<[u8; WIN_BYTES]>,
}

/// The shares of a position, the first of them for roll number `first`.
#[derive(Clone, Copy)]
struct Shares<'a> {
    first: usize,
    shares: &'a [u16],
}

impl Shares<'_> {
    /// The chance that it takes exactly `rolls` rolls, out of `ALL`.
    fn at(self, rolls: usize) -> u32 {
        rolls.checked_sub(self.first).and_then(|place| self.shares.get(place)).copied().unwrap_or(0).into()
    }

    /// The chance that this one takes no fewer rolls than `quick` takes, and `handicap` more.
    fn outlasts(self, quick: Shares, handicap: usize) -> f32 {
        let mut left = u32::from(ALL);
        let mut rolls = 0;
        let mut sum = 0_u64;
        for (done, &share) in (quick.first + handicap..).zip(quick.shares) {
            while rolls < done {
                left -= self.at(rolls).min(left);
                rolls += 1;
            }
            sum += u64::from(share) * u64::from(left);
        }
        (sum as f64 / f64::from(ALL).powi(2)) as f32
    }
}

impl Counted {
    /// Reads the tables from the bytes of a file.
    fn new(places: &[u8], shares: &[u8]) -> Result<Counted, String> {
        let places: Vec<u32> = places.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        let shares: Vec<u16> = shares.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect();
        let index = |place: u32| (place & ((1 << ROLL_SHIFT) - 1)) as usize;
        let rises = places.windows(2).all(|pair| index(pair[0]) <= index(pair[1]));
        if !rises || places.last().map(|&place| index(place)) != Some(shares.len()) {
            return Err("its tables make no sense".into());
        }
        Ok(Counted { places, shares })
    }

    fn pack(solved: &[Chances]) -> Counted {
        let mut counted = Counted { places: Vec::with_capacity(solved.len() + 1), shares: Vec::new() };
        for chances in solved {
            let shares = shares(chances);
            let first = shares.iter().position(|&share| share > 0).expect("something happens");
            let end = shares.iter().rposition(|&share| share > 0).expect("something happens") + 1;
            counted.places.push(counted.shares.len() as u32 | (first as u32) << ROLL_SHIFT);
            counted.shares.extend(&shares[first..end]);
        }
        counted.places.push(counted.shares.len() as u32);
        counted
    }

    fn get(&self, position: usize) -> Shares<'_> {
        const INDEX: u32 = (1 << ROLL_SHIFT) - 1;
        let [place, end] = [self.places[position], self.places[position + 1]];
        let shares = &self.shares[(place & INDEX) as usize..(end & INDEX) as usize];
        Shares { first: (place >> ROLL_SHIFT) as usize, shares }
    }
}

/// Chances in whole shares that add up to `ALL` (largest remainders).
fn shares(chances: &[f64]) -> Vec<u16> {
    let exact: Vec<f64> = chances.iter().map(|chance| chance * f64::from(ALL)).collect();
    let mut whole: Vec<u16> = exact.iter().map(|share| *share as u16).collect();
    let missing = u32::from(ALL) - whole.iter().map(|&share| u32::from(share)).sum::<u32>();
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    for place in order.into_iter().take(missing as usize) {
        whole[place] += 1;
    }
    whole
}

impl Bearoff {
    /// Computes the tables, the two-sided one for at most `most` checkers a side. `progress` gets parts of 1 and says
    /// whether to go on; None if it did not.
    ///
    /// # Panics
    ///
    /// If `most` is not between 1 and `MOST`.
    pub fn solve(most: u32, progress: impl FnMut(f32) -> bool) -> Option<Bearoff> {
        assert!((1..=MOST).contains(&most), "{most} checkers");
        let Solved { all_off, first_off, wins } = solve(most, progress)?;
        let packed = |chance: f64| {
            let [one, two, three, _] = ((chance * f64::from(CERTAIN)).round() as u32).to_le_bytes();
            [one, two, three]
        };
        Some(Bearoff {
            all_off: Counted::pack(&all_off),
            first_off: Counted::pack(&first_off),
            most,
            wins: wins.into_iter().map(packed).collect(),
        })
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::write(self)
    }

    /// # Errors
    ///
    /// One line that says what is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bearoff, String> {
        file::read(bytes)
    }

    /// # Errors
    ///
    /// One line that names the file and says what is wrong.
    pub fn open(path: &Path) -> Result<Bearoff, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Bearoff::from_bytes(&bytes).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// The exact chance of `own`, who is on roll, to be off first; None if the two-sided table does not have it. Nobody
    /// has finished.
    pub fn wins(&self, own: Side, other: Side) -> Option<f32> {
        let few = |side| home(side).filter(|home| u32::from(home.iter().sum::<u8>()) <= self.most);
        let [own, other] = [few(own)?, few(other)?].map(|home| rank(&home, self.most));
        let [one, two, three] = self.wins[own * count(POINTS, self.most) + other];
        Some((f64::from(u32::from_le_bytes([one, two, three, 0])) / f64::from(CERTAIN)) as f32)
    }

    /// The points that `own`, who is on roll, can expect; None unless all checkers are at home. Where the two-sided table
    /// ends, both sides are taken to play as if they were alone. Nobody has finished.
    pub fn points(&self, own: Side, other: Side, gammons: bool) -> Option<f32> {
        if let Some(wins) = self.wins(own, other) {
            return Some(2.0 * wins - 1.0);
        }
        let [own, other] = [home(own)?, home(other)?];
        let [mine, theirs] = [own, other].map(|home| self.all_off.get(rank(&home, CHECKERS)));
        let mut points = 2.0 * theirs.outlasts(mine, 0) - 1.0;
        if gammons {
            if let Some(first) = self.first(other) {
                points += first.outlasts(mine, 0);
            }
            if let Some(first) = self.first(own) {
                points -= first.outlasts(theirs, 1);
            }
        }
        Some(points)
    }

    /// The chances of each number of rolls until the side has borne all off, from 0; None unless all are at home.
    pub fn rolls(&self, side: Side) -> Option<Vec<f32>> {
        let shares = self.all_off.get(rank(&home(side)?, CHECKERS));
        Some((0..shares.first + shares.shares.len()).map(|rolls| shares.at(rolls) as f32 / f32::from(ALL)).collect())
    }

    /// Rolls until the first checker is off; None if one is.
    fn first(&self, home: Home) -> Option<Shares<'_>> {
        let all = home.iter().sum::<u8>() == CHECKERS as u8;
        all.then(|| self.first_off.get(rank(&home[1..], CHECKERS)))
    }
}

#[cfg(test)]
mod tests;
