//! H(s, a): which moves look promising before anything is read.

use super::{
    Go, Position,
    blunder::LARGEST_NAKADE,
    board::{EMPTY, NONE, Point},
    evaluate::{Distances, distances},
    tactic::Tactic,
    tactics::Prospect,
};
use crate::Action;

const PASS: f32 = -4.0;
/// Preference for a pass where nothing else makes sense.
const LAST_RESORT: f32 = 2.0;
const OWN_EYE: f32 = -8.0;
/// A self-atari of one stone, of a few that could be a nakade, of more.
const SELF_ATARI: [f32; 3] = [-2.0, -2.5, -4.0];
/// At or below this a move makes no sense.
const SENSELESS: f32 = -1.9;

/// Preference for taking a chain, for saving one from atari, for a ladder; each more by `DOUBLED` when the stones double.
const CAPTURE: f32 = 1.2;
const SAVE: f32 = 1.2;
const LADDER: f32 = 1.2;
const DOUBLED: f32 = 0.5;
/// Preference for running with a chain that is lost all the same.
const RUN_IN_VAIN: f32 = -1.5;
const ATARI: f32 = 0.4;
const SHAPE: f32 = 0.8;
/// By distance from the last move, dx + dy + max(dx, dy); half as much from the move before.
const NEAR: [f32; 8] = [0.0, 0.0, 0.8, 0.8, 0.6, 0.4, 0.3, 0.2];
/// On the first, second, third and fourth line where no stone is near.
const EMPTY_LINE: [f32; 4] = [-2.0, -1.0, 0.4, 0.3];
/// Steps from the nearest stone at which a point counts as empty land.
pub(super) const EMPTY_LAND: u8 = 4;
/// On the first line elsewhere.
const EDGE: f32 = -0.6;

fn more_by_stones(stones: u16) -> f32 {
    DOUBLED * f32::from(stones).log2()
}

impl Go {
    /// Replaces `out` by a preference for each action.
    pub(super) fn prefer(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) {
        let stones = distances(&p.board, |q| p.board.colour(q) < EMPTY, |q| p.board.colour(q) == EMPTY);
        out.clear();
        out.extend(actions.iter().map(|&a| if a == self.pass() { PASS } else { self.prefer_point(p, a, &stones) }));
        if out.iter().all(|&preference| preference <= SENSELESS)
            && let Some(i) = actions.iter().position(|&a| a == self.pass())
        {
            out[i] = LAST_RESORT;
        }
    }

    fn prefer_point(&self, p: &Position, a: Action, stones: &Distances) -> f32 {
        let (board, mover) = (&p.board, p.mover);
        let point = board.point(a as u16);
        if board.is_eye(point, mover) {
            return OWN_EYE;
        }
        let prospect = board.prospect(point, mover);
        let tactics = self.prefer_tactics(p, point, &prospect);
        let shape = if self.shapes.fit(board, point) { SHAPE } else { 0.0 };
        let near = |recent: Point| match recent {
            NONE => 0.0,
            recent => NEAR.get(self.distance(a, board.action(recent).into())).copied().unwrap_or(0.0),
        };
        let line = self.line(a);
        let place = if stones.of(point) >= EMPTY_LAND {
            EMPTY_LINE.get(line).copied().unwrap_or(0.0)
        } else if line == 0 && tactics <= 0.0 {
            EDGE
        } else {
            0.0
        };
        tactics + shape + near(p.recent[0]) + near(p.recent[1]) / 2.0 + place
    }

    /// The part of a move's preference for captures, ataris and blunders.
    fn prefer_tactics(&self, p: &Position, point: Point, prospect: &Prospect) -> f32 {
        let mut preference = 0.0;
        p.tactics(point, prospect, |tactic| {
            preference += match tactic {
                Tactic::SelfAtari(1) => SELF_ATARI[0],
                Tactic::SelfAtari(2..=LARGEST_NAKADE) => SELF_ATARI[1],
                Tactic::SelfAtari(_) => SELF_ATARI[2],
                Tactic::Takes(stones) => CAPTURE + more_by_stones(stones),
                Tactic::Saves(stones) | Tactic::Rescues(stones) => SAVE + more_by_stones(stones),
                Tactic::RunsInVain(_) => RUN_IN_VAIN,
                Tactic::Ataris(_) => ATARI,
                Tactic::Ladders(stones) => LADDER + more_by_stones(stones),
            }
        });
        preference
    }

    /// The line of a point, 0 at the edge.
    pub(super) fn line(&self, a: Action) -> usize {
        let [columns, rows] = [self.size.columns, self.size.rows].map(usize::from);
        let (row, column) = (a as usize / columns, a as usize % columns);
        row.min(column).min(rows - 1 - row).min(columns - 1 - column)
    }

    /// dx + dy + max(dx, dy).
    pub(super) fn distance(&self, a: Action, b: Action) -> usize {
        let columns = u32::from(self.size.columns);
        let (dy, dx) = ((a / columns).abs_diff(b / columns), (a % columns).abs_diff(b % columns));
        (dx + dy + dx.max(dy)) as usize
    }
}
