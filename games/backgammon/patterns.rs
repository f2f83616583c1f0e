//! The board as patterns see it: points by the number of their checkers, and plays by the points that they name.

use super::{
    plays::{families, hop, hops},
    side::{BAR, BOARD, Side, mirrored},
};
use crate::{Action, Cells, Step, cell_set};

/// The relations that patterns ask for: whether the opponent has a checker on the bar.
pub const RELATIONS: [&str; 1] = ["bar"];

/// Kinds of points: 1 to 15 checkers of ours from bit 0 on, of the opponent's from this bit on, then the empty points.
const THEIRS: u32 = 15;
const EMPTY: u32 = 30;

/// Points of a player as cells.
fn set(points: u32, second: bool) -> u64 {
    u64::from((if second { mirrored(points) } else { points } & BOARD) >> 1)
}

pub fn cells(sides: [Side; 2]) -> Cells {
    let [first, second] = [sides[0].occupied() & BOARD, mirrored(sides[1].occupied() & BOARD)];
    let cells = |points| cell_set(set(points, false));
    Cells { men: [cells(first), cells(second)], empty: cells(!(first | second)) }
}

/// The cells that are of one of the kinds for the player `we`.
pub fn men_of(sides: [Side; 2], we: usize, kinds: u32) -> u64 {
    let counted = |side: Side, kinds: u32| {
        let counts = (1..=15).filter(|count| kinds >> (count - 1) & 1 != 0);
        counts.fold(0, |points, count| points | side.with_exactly(count))
    };
    let (own, other) = (sides[we], sides[1 - we]);
    let mut points = counted(own, kinds) | mirrored(counted(other, kinds >> THEIRS));
    if kinds >> EMPTY & 1 != 0 {
        points |= !(own.occupied() | mirrored(other.occupied()));
    }
    set(points, we == 1)
}

/// The legal play that leads where these steps of checkers lead, from points or from the bar.
pub fn play(own: Side, other: Side, dice: [u8; 2], second: bool, steps: &[Step]) -> Option<Action> {
    let point = |cell: u32| if second { 24 - cell } else { cell + 1 };
    let ends = |step: &Step| (step.from.map_or(BAR, point), point(step.to));
    let pips = dice.iter().map(|&die| u32::from(die)).sum::<u32>() * if dice[0] == dice[1] { 2 } else { 1 };
    let far = |(source, target): (u32, u32)| source.checked_sub(target);
    if steps.iter().map(|step| far(ends(step))).sum::<Option<u32>>() != Some(pips) {
        return None;
    }
    let mut wanted = (own, other);
    for (source, target) in steps.iter().map(ends) {
        if wanted.0.count(source) == 0 || mirrored(wanted.1.held()) >> target & 1 != 0 {
            return None;
        }
        hop(&mut wanted.0, &mut wanted.1, source, target);
    }
    let leads = |play: &Action| {
        let (mut own, mut other) = (own, other);
        hops(dice, *play).for_each(|(source, target)| {
            hop(&mut own, &mut other, source, target);
        });
        (own, other) == wanted
    };
    let mut found = None;
    families(own, other, dice, |family| found = found.or_else(|| family.plays().find(leads)));
    found
}
