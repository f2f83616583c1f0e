//! Numbers for the ways in which checkers can stand in a home board.
//!
//! Positions are counted in lexicographic order of their numbers of checkers, the rear point first: a play only ever leads
//! to a position with a lower number, and number 0 is the empty board (the combinatorial number system).

use crate::backgammon::side::{CHECKERS, OFF, Side};

/// The points of a home board.
pub const POINTS: usize = 6;

/// Checkers on points 1 to 6.
pub type Home = [u8; POINTS];

/// `CHOOSE[n][k]`: the ways to choose k of n.
const CHOOSE: [[u32; POINTS + 1]; CHECKERS as usize + POINTS + 1] = {
    let mut choose = [[0; POINTS + 1]; CHECKERS as usize + POINTS + 1];
    let mut n = 0;
    while n < choose.len() {
        choose[n][0] = 1;
        let mut k = 1;
        while k <= POINTS && n > 0 {
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// Number of positions with at most `most` checkers on the given number of points.
pub fn count(points: usize, most: u32) -> usize {
    CHOOSE[most as usize + points][points] as usize
}

/// The number of a position among those with at most `most` checkers on as many points; point 1 comes first.
pub fn rank(counts: &[u8], most: u32) -> usize {
    let mut left = most as usize;
    let mut rank = 0;
    for (index, &here) in counts.iter().enumerate().rev() {
        let (point, after) = (index + 1, left - usize::from(here));
        rank += CHOOSE[left + point][point] - CHOOSE[after + point][point];
        left = after;
    }
    rank as usize
}

/// All positions with at most `most` checkers, each at its rank.
pub fn positions(most: u32) -> Vec<Home> {
    fn fill(home: Home, point: usize, left: u8, all: &mut Vec<Home>) {
        for here in 0..=left {
            let mut longer = home;
            longer[point] = here;
            if point == 0 {
                all.push(longer);
            } else {
                fill(longer, point - 1, left - here, all);
            }
        }
    }
    let mut all = Vec::with_capacity(count(POINTS, most));
    fill([0; POINTS], POINTS - 1, most as u8, &mut all);
    all
}

/// The checkers in the home board if no others are left.
pub fn home(side: Side) -> Option<Home> {
    const BEYOND: u32 = !0x7f;
    (side.occupied() & BEYOND == 0).then(|| std::array::from_fn(|i| side.count(i as u32 + 1) as u8))
}

/// The side with these checkers; all others are off.
pub fn side(home: Home) -> Side {
    let mut counts = [0; 26];
    counts[1..=POINTS].copy_from_slice(&home);
    counts[OFF as usize] = CHECKERS as u8 - home.iter().sum::<u8>();
    Side::new(&counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_has_the_number_of_its_place() {
        for (most, number) in [(0, 1), (3, 84), (6, 924), (15, 54_264)] {
            let all = positions(most);
            assert_eq!((all.len(), count(POINTS, most)), (number, number));
            assert!(all.iter().enumerate().all(|(index, home)| rank(home, most) == index));
        }
        let full: Vec<usize> = positions(15)
            .iter()
            .filter(|home| home.iter().sum::<u8>() == 15)
            .map(|home| rank(&home[1..], 15))
            .collect();
        assert_eq!(full, (0..count(5, 15)).collect::<Vec<_>>());
    }

    #[test]
    fn sides_come_back() {
        for home_board in positions(5) {
            assert_eq!(home(side(home_board)), Some(home_board));
        }
        let mut outside = side([0, 0, 0, 0, 0, 2]);
        outside.shift(6, 7);
        assert_eq!(home(outside), None);
    }
}
