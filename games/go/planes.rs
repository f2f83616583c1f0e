//! Inputs of nets for Go: planes of points, as the mover sees the board.

use super::{
    Go, Position,
    board::{BLACK, EMPTY, Point, WHITE},
    score::POINTS,
};
use crate::{Input, NetShape, Planes};

/// Planes: the mover's stones, the other's; chains of one, two and three liberties; empty points where the mover may not play;
/// the last stone, the one before; what would be the mover's area if the game ended here, and the other's; all points; all
/// points after a pass; komi in `KOMI` points for the mover; his lead if the game ended here, in (-1, 1).
pub const COUNT: usize = 14;
/// Those that differ from point to point.
const BY_POINT: usize = 10;
const LIBERTIES: u16 = 3;
const KOMI: f64 = 10.0;
/// The lead that counts as tanh(1).
const LEAD: f64 = 10.0;

impl Go {
    /// The shape of nets, which know area scoring.
    pub(super) fn shape_of_nets(&self) -> NetShape {
        let board = Planes { columns: self.size.columns.into(), rows: self.size.rows.into(), count: COUNT };
        let shape = NetShape::of_planes(format!("go-{}-1", self.size), board, board.cells() + 1);
        NetShape { results: vec![1.0, -1.0], any_size: Some("go-any-1".to_owned()), ..shape }
    }

    /// Replaces `out` by the inputs at `p`.
    pub(super) fn add_planes(&self, p: &Position, out: &mut Vec<Input>) {
        out.clear();
        let (area, sign) = (self.size.area().into(), if p.mover == BLACK { 1.0 } else { -1.0 });
        let mut owners = [EMPTY; POINTS];
        p.board.area_owners(&mut owners[..area]);
        let mut held = [0; POINTS];
        for ((held, &owner), point) in held.iter_mut().zip(&owners).zip(p.board.points()) {
            *held = self.planes_of(p, point, owner);
        }
        for plane in 0..BY_POINT {
            let first = (plane * area) as u32;
            for (at, held) in (first..).zip(&held[..area]) {
                if held >> plane & 1 != 0 {
                    out.push(Input { index: at, value: 1.0 });
                }
            }
        }
        let owned = |colour| owners[..area].iter().filter(|&&owner| owner == colour).count() as f64;
        let lead = owned(BLACK) - owned(WHITE) - self.komi;
        let whole = [1.0, f64::from(u8::from(p.passes > 0)), -sign * self.komi / KOMI, (sign * lead / LEAD).tanh()];
        for (plane, value) in (BY_POINT..).zip(whole) {
            if value != 0.0 {
                let cells = (plane * area) as u32..((plane + 1) * area) as u32;
                out.extend(cells.map(|index| Input { index, value: value as f32 }));
            }
        }
    }

    /// A bit for each of the first planes that hold `point`, of the area of `owner`.
    fn planes_of(&self, p: &Position, point: Point, owner: u8) -> u16 {
        let colour = p.board.colour(point);
        let side = |colour: u8| u16::from(colour != p.mover);
        let mut held = if owner == EMPTY { 0 } else { 1 << (8 + side(owner)) };
        if colour < EMPTY {
            held |= 1 << side(colour);
            // A pseudo-liberty is counted four times at most.
            if p.board.pseudo_liberties(point) <= 4 * LIBERTIES {
                let liberties = p.board.liberties_up_to::<{ LIBERTIES as usize + 1 }>(point).len() as u16;
                held |= u16::from(liberties <= LIBERTIES) << (1 + liberties);
            }
        } else if !self.is_allowed(p, point) || self.is_superko(p, point) {
            held |= 1 << 5;
        }
        for (plane, recent) in (6..).zip(p.recent) {
            held |= u16::from(point == recent) << plane;
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Game,
        go::{
            Go, Position,
            tests::{go, play},
        },
    };

    fn after(go: &Go, moves: &str) -> Position {
        let mut p = go.initial();
        play(go, &mut p, moves);
        p
    }

    /// The points of each plane, and its value at the last of them.
    fn planes(go: &Go, p: &Position) -> Vec<(Vec<usize>, f32)> {
        let mut inputs = Vec::new();
        go.inputs(p, 0, &mut inputs).unwrap();
        assert!(inputs.is_sorted_by_key(|input| input.index));
        let shape = go.net_shape().unwrap();
        let board = shape.board.unwrap();
        let mut planes = vec![(Vec::new(), 0.0); board.count];
        for input in inputs {
            let (plane, point) = board.place_of(input.index);
            planes[plane].0.push(point);
            planes[plane].1 = input.value;
        }
        planes
    }

    #[test]
    fn planes_by_hand() {
        let go = go("size=3 komi=2.5");
        // Black a2, b1, c3; White b2, a3; White is to move. a1 is Black's eye, where White may not play.
        //   3 O . X
        //   2 X O .
        //   1 . X .
        let p = after(&go, "a2 b2 b1 a3 c3");
        let found = planes(&go, &p);
        let points: Vec<&[usize]> = found.iter().map(|(points, _)| &points[..]).collect();
        let all: Vec<usize> = (0..9).collect();
        assert_eq!(points[0], [4, 6]);
        assert_eq!(points[1], [1, 3, 8]);
        // Of one liberty: Black a2 (a1) and White a3 (b3).
        assert_eq!(points[2], [3, 6]);
        // Of two: b1 (a1, c1), b2 (b3, c2), c3 (b3, c2).
        assert_eq!(points[3], [1, 4, 8]);
        assert!(points[4].is_empty());
        assert!(points[5].is_empty(), "a1 takes a2: {:?}", points[5]);
        assert_eq!((points[6], points[7]), (&[8][..], &[6][..]));
        assert_eq!((points[8], points[9]), (&[4, 6][..], &[0, 1, 3, 8][..]));
        assert_eq!((points[10], points[11].len()), (&all[..], 0));
        assert_eq!(found[12], (all.clone(), 0.25));
        // Black leads by 4 - 2 - 2.5 = -0.5 points.
        assert_eq!(found[13], (all, (0.05_f64).tanh() as f32));
        let p = after(&go, "a2 b2 b1 a3 c3 pass");
        let found = planes(&go, &p);
        assert_eq!(found[11].0.len(), 9);
        assert_eq!((found[6].0.len(), &found[7].0[..]), (0, &[8][..]));
        assert_eq!(found[12].1, -0.25);
    }

    #[test]
    fn points_where_superko_forbids_a_stone_have_a_plane() {
        let go = go("size=5");
        let p = after(&go, "b1 c1 a2 d2 b3 c3 c2 b2");
        assert_eq!(planes(&go, &p)[5].0, [7]);
    }

    #[test]
    fn symmetries_move_points_and_keep_planes() {
        let go = go("size=4");
        let mut p = after(&go, "b2 c3 a1 d2 b4 pass c1");
        let mut images: Vec<Position> = (0..8).map(|_| go.initial()).collect();
        for (frame, image) in (0..).zip(&mut images) {
            for text in "b2 c3 a1 d2 b4 pass c1".split_whitespace() {
                go.play(image, go.to_frame(frame, go.parse_action(&go.initial(), text).unwrap()));
            }
            let (plain, seen) = (planes(&go, &p), planes(&go, image));
            for ((points, value), (images, same)) in plain.into_iter().zip(seen) {
                let mut moved: Vec<usize> =
                    points.into_iter().map(|point| go.to_frame(frame, point as u32) as usize).collect();
                moved.sort_unstable();
                assert_eq!((moved, value), (images, same));
            }
        }
        // The game ends: owners are those of its last board.
        for _ in 0..2 {
            let pass = go.parse_action(&p, "pass").unwrap();
            go.play(&mut p, pass);
        }
        let mut owners = Vec::new();
        go.owners(&p, &mut owners);
        let lead: i32 = owners.iter().map(|&owner| i32::from(owner)).sum();
        assert_eq!(f64::from(lead) - 7.5, f64::from(go.score(&p)));
    }

    #[test]
    fn nets_know_area_scoring() {
        let territory = go("scoring=territory");
        assert!(territory.net_shape().is_none());
        assert_eq!(territory.policy_shape().unwrap().name, "go-9-1");
        let shape = go("size=9").net_shape().unwrap();
        assert_eq!((shape.name.as_str(), shape.slots), ("go-9-1", 82));
    }
}
