//! H(s): who is ahead, by the points that each side is nearer to.

use super::{
    Go, Position,
    blunder::escapes,
    board::{BLACK, Board, EMPTY, NONE, OFF, Point, WHITE},
    score::{CELLS, POINTS},
};

/// Worth of a point, in points, for the side that is nearer to it by no step, by one, by two or more.
const NEARER: [f32; 3] = [0.0, 0.6, 0.9];
/// Worth, in points, of being on the move on an empty board; less in proportion to the empty points left.
const TEMPO: f32 = 3.0;
/// The margin that counts as tanh(1) of a win, on a full board and more of it on an empty one.
const SURE: f32 = 6.0;
const UNSURE: f32 = 30.0;

/// Farther than any point.
const FAR: u8 = u8::MAX;

/// Steps over points to the nearest of some stones.
pub struct Distances([u8; CELLS]);

impl Distances {
    pub fn of(&self, p: Point) -> u8 {
        self.0[usize::from(p)]
    }
}

/// Number of steps over `open` points from each point to the nearest `source`; from 254 on it counts as 254.
pub fn distances(board: &Board, source: impl Fn(Point) -> bool, open: impl Fn(Point) -> bool) -> Distances {
    let mut distances = [FAR; CELLS];
    let mut queue = [NONE; POINTS];
    let mut len = 0;
    for p in board.points().filter(|&p| source(p)) {
        distances[usize::from(p)] = 0;
        queue[len] = p;
        len += 1;
    }
    let mut next = 0;
    while next < len {
        let p = queue[next];
        let distance = distances[usize::from(p)].saturating_add(1).min(FAR - 1);
        next += 1;
        for q in board.sides(p) {
            if distances[usize::from(q)] == FAR && open(q) {
                distances[usize::from(q)] = distance;
                queue[len] = q;
                len += 1;
            }
        }
    }
    Distances(distances)
}

impl Go {
    /// An estimate of the result from the mover's point of view.
    pub(super) fn estimate(&self, p: &Position) -> f32 {
        let empty = f32::from(p.board.empties()) / f32::from(p.board.area());
        let sign = if p.mover == BLACK { 1.0 } else { -1.0 };
        let lead = nearer_lead(p) - self.stones_already_played(p) as f32 - self.komi as f32;
        ((sign * lead + TEMPO * empty) / (SURE + UNSURE * empty)).tanh()
    }
}

/// Points that Black holds or is nearer to, less White's. Chains that the mover can take, and those of the mover that
/// cannot be saved from atari, count as taken.
fn nearer_lead(p: &Position) -> f32 {
    let board = &p.board;
    let mut dead = [false; CELLS];
    for i in 0..board.empties() {
        let liberty = board.empty(i);
        let smothered = board.smothered(liberty);
        for (d, side) in board.sides(liberty).into_iter().enumerate() {
            let in_atari = smothered >> d & 1 != 0 && board.colour(side) < EMPTY && !dead[usize::from(side)];
            if in_atari && is_taken(p, side, liberty) {
                board.for_each_stone(side, |stone| dead[usize::from(stone)] = true);
            }
        }
    }
    let stands = |q: Point| board.colour(q) < EMPTY && !dead[usize::from(q)];
    let open = |q: Point| board.colour(q) != OFF && !stands(q);
    let [black, white] =
        [BLACK, WHITE].map(|colour| distances(board, |q| board.colour(q) == colour && stands(q), open));
    board.points().map(|q| share(black.of(q), white.of(q))).sum()
}

/// Worth of a point for Black, given the steps to the nearest stones.
fn share(black: u8, white: u8) -> f32 {
    let lead = NEARER[usize::from(black.abs_diff(white)).min(NEARER.len() - 1)];
    let held = if black == 0 || white == 0 || black == FAR || white == FAR {
        f32::from(u8::from(black != white))
    } else {
        lead
    };
    if black < white { held } else { -held }
}

/// Whether the chain of `stone` is lost, of which `liberty` is the last liberty.
fn is_taken(p: &Position, stone: Point, liberty: Point) -> bool {
    if p.board.colour(stone) != p.mover {
        return liberty != p.ko;
    }
    let mut helped = false;
    p.board.for_each_attacker_in_atari(stone, |_, taking| helped |= taking != p.ko);
    !helped && !escapes(&p.board, liberty, p.mover)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Params};

    /// Rows of stones with gaps at alternating ends: the way through them has 337 points.
    #[test]
    fn far_points_of_a_long_way_are_far() {
        let params = Params([("size".to_owned(), "25".to_owned())].into());
        let game = Go::new(&params).unwrap();
        let wall = "O".repeat(24);
        let rows: Vec<String> = (0..25)
            .map(|row| match row % 4 {
                1 => format!("{wall}1"),
                3 => format!("1{wall}"),
                _ => "25".to_owned(),
            })
            .collect();
        let p = game.parse_position(&format!("{} b", rows.join("/"))).unwrap();
        let board = &p.board;
        let start = board.point(0);
        let found = distances(board, |p| p == start, |p| board.colour(p) == EMPTY);
        assert_eq!([0, 24, 26].map(|cell| found.of(board.point(cell))), [0, 24, FAR]);
        assert_eq!(board.points().filter(|&p| board.colour(p) == EMPTY && found.of(p) == FAR).count(), 0);
        assert_eq!(found.of(board.point(25 * 25 - 1)), FAR - 1);
    }
}
