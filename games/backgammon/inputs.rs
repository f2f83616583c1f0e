//! What nets read of a position before a roll, first of the player on roll, then of the other, then of both.
//!
//! For each side: its checkers by point, then counts for races, and with contact what both sides' points and blots mean:
//! the chances to hit, to get away and to come in. The second group is 0 in a race.

use super::{
    eval,
    shots::shots,
    side::{BAR, BOARD, CHECKERS, HOME, OFF, Side, descending, mirrored},
    walks::{PIPS_A_ROLL, Walk, walk},
};
use crate::Input;

/// Inputs of a point: one checker, two, three or more, and half of those beyond three.
const OF_POINT: u32 = 4;
/// Inputs of the checkers of a side: 24 points, two for the bar, three for those borne off.
const CHECKERS_OF_SIDE: u32 = 24 * OF_POINT + 5;
const RACE_OF_SIDE: u32 = 6;
const CONTACT_OF_SIDE: u32 = 24;
const OF_SIDE: u32 = CHECKERS_OF_SIDE + RACE_OF_SIDE + CONTACT_OF_SIDE;
/// Those of both sides together.
const COMMON: u32 = 2;
/// Number of inputs.
pub const INPUTS: usize = (2 * OF_SIDE + COMMON) as usize;

/// The kinds of position: both sides can still hit and move freely; a side has few checkers left to move; no contact.
pub const PHASES: [&str; 3] = ["contact", "crashed", "race"];
const CONTACT: usize = 0;
const CRASHED: usize = 1;
const RACE: usize = 2;

/// Most checkers in play of a crashed side, and most checkers on each of its two lowest points that count as in play. The
/// idea is gnubg's: a board that has crashed plays by other rules; the numbers are ours.
const FEW: u32 = 6;
const IN_PLAY: u32 = 1;

/// The kind of a position in which nobody has finished.
pub fn phase(own: Side, other: Side) -> usize {
    if !eval::contact(own, other) {
        RACE
    } else if crashed(own) || crashed(other) {
        CRASHED
    } else {
        CONTACT
    }
}

fn crashed(side: Side) -> bool {
    let dead: u32 = [1, 2].map(|point| side.count(point).saturating_sub(IN_PLAY)).iter().sum();
    CHECKERS - side.count(OFF) - dead <= FEW
}

/// Replaces `out` by the inputs of a position that are not 0; `own` is on roll. Returns the phase.
pub fn inputs(own: Side, other: Side, out: &mut Vec<Input>) -> usize {
    out.clear();
    let phase = phase(own, other);
    let mut writer = Writer { out, next: 0 };
    let pips = [own, other].map(Side::pips);
    for (number, (us, them)) in [(own, other), (other, own)].into_iter().enumerate() {
        writer.next = number as u32 * OF_SIDE;
        checkers(us, &mut writer);
        race(us, pips[number], &mut writer);
        if phase != RACE {
            contact(us, them, pips[number], &mut writer);
        }
    }
    writer.next = 2 * OF_SIDE;
    let [mine, theirs] = pips.map(|pips| pips as f32);
    let lead = (theirs - mine + 0.5 * PIPS_A_ROLL) / (mine + theirs).sqrt();
    writer.put(lead.clamp(-6.0, 6.0) / 3.0);
    writer.put((1.1 * lead).tanh());
    phase
}

/// Writes inputs one after the other.
struct Writer<'a> {
    out: &'a mut Vec<Input>,
    next: u32,
}

impl Writer<'_> {
    fn put(&mut self, value: f32) {
        if value != 0.0 {
            self.out.push(Input { index: self.next, value });
        }
        self.next += 1;
    }

    /// A number between 0 and 1 and its square.
    fn curve(&mut self, value: f32) {
        self.put(value);
        self.put(value * value);
    }
}

fn checkers(side: Side, writer: &mut Writer) {
    let first = writer.next;
    let mut points = side.occupied() & BOARD;
    while points != 0 {
        let point = points.trailing_zeros();
        points &= points - 1;
        let count = side.count(point);
        writer.next = first + (point - 1) * OF_POINT + count.min(3) - 1;
        writer.put(1.0);
        if count > 3 {
            writer.put((count - 3) as f32 / 2.0);
        }
    }
    writer.next = first + 24 * OF_POINT;
    let (bar, off) = (side.count(BAR), side.count(OFF));
    writer.put(bar.min(1) as f32);
    writer.put(bar.saturating_sub(1) as f32);
    for begun in [0, 5, 10] {
        writer.put(off.saturating_sub(begun).min(5) as f32 / 5.0);
    }
}

/// What matters without contact too.
fn race(side: Side, pips: u32, writer: &mut Writer) {
    let (mut outside, mut to_home, mut behind) = (0, 0, 0);
    for point in descending(side.occupied() & !HOME) {
        let count = side.count(point);
        outside += count;
        to_home += count * (point - 6);
        behind += if point > 18 { count } else { 0 };
    }
    let beyond = |point: u32, free: u32| side.count(point).saturating_sub(free);
    let wasted = 2 * beyond(1, 1) + beyond(2, 1) + beyond(3, 3);
    let gaps = (HOME & !side.occupied()).count_ones();
    let in_danger = side.count(OFF) == 0;
    writer.put(pips as f32 / 100.0);
    writer.put(outside as f32 / 10.0);
    // A gammon and a backgammon are lost with no checker off.
    writer.put(if in_danger { to_home as f32 / 50.0 } else { 0.0 });
    writer.put(if in_danger { behind as f32 / 4.0 } else { 0.0 });
    writer.put(wasted as f32 / 8.0);
    writer.put(gaps as f32 / 6.0);
}

/// What `us` can do to `them`, and where our checkers stand with regard to theirs.
fn contact(us: Side, them: Side, pips: u32, writer: &mut Writer) {
    let (occupied, held, theirs) = (us.occupied(), us.held() & BOARD, them.held() & BOARD);
    let rear = occupied.ilog2();
    // Our checkers on points beyond this one have yet to pass one of theirs.
    let line = BAR - them.occupied().ilog2();
    let part = |rolls: u32| rolls as f32 / 36.0;

    let shots = shots(us, them);
    writer.put(part(shots.any));
    writer.put(part(shots.several));
    writer.put(shots.pips as f32 / (36.0 * 10.0));

    let (mut to_pass, mut passing, mut stuck, mut run, mut spare, mut home_spare) = (0, 0, 0, 0, 0, 0);
    let left = (CHECKERS - us.count(OFF)) as f32;
    let mean = pips as f32 / left;
    let mut moment = 0.0;
    for point in descending(occupied) {
        let count = us.count(point);
        let Walk { escapes, pips } = walk(theirs, point);
        let beyond = point.saturating_sub(line);
        to_pass += count * beyond;
        passing += if beyond > 0 { count } else { 0 };
        stuck += if point > 18 { count * u32::from(36 - escapes) } else { 0 };
        run += if point > 6 { count * u32::from(pips) } else { 0 };
        spare += if (7..19).contains(&point) { count * (point - 6) } else { 0 };
        home_spare += if point < 7 { count.saturating_sub(2) * (point - 1) } else { 0 };
        let behind = (point as f32 - mean).max(0.0);
        moment += count as f32 * behind * behind;
    }
    writer.put(to_pass as f32 / 100.0);
    writer.put(passing as f32 / 10.0);
    writer.put(part(walk(theirs, rear).escapes.into()));
    writer.put(part(stuck) / 3.0);
    writer.put(run as f32 / (36.0 * PIPS_A_ROLL * 8.0));
    writer.put(moment / left / 50.0);
    writer.put((spare + home_spare) as f32 / 50.0);

    // The worst block on the way of our rear checker, and on the way from the bar.
    let (mut trapped, mut blocked) = (36, 36);
    for point in 7..=BAR {
        blocked = walk(theirs, point).escapes.min(blocked);
        trapped = if point <= rear { blocked } else { trapped };
    }
    writer.curve(1.0 - part(trapped.into()));
    writer.curve(1.0 - part(blocked.into()));

    // Our points among the six before their rear checker, and side by side.
    let their_rear = BAR - line;
    let ahead = mirrored(held) & ((1 << their_rear) - 1) & !((1 << their_rear.saturating_sub(6)) - 1);
    writer.curve(ahead.count_ones() as f32 / 6.0);
    writer.curve(longest_run(held) as f32 / 6.0);

    let home = (held & HOME).count_ones() as f32 / 6.0;
    writer.curve(home);
    writer.put(home * home * them.count(BAR).min(3) as f32);
    let anchors = held >> 18 & 0x7f;
    writer.put(anchors.count_ones().min(1) as f32);
    writer.put(anchors.count_ones().saturating_sub(1) as f32 / 2.0);
    writer.put(if anchors != 0 { (7 - anchors.trailing_zeros()) as f32 / 7.0 } else { 0.0 });
}

/// Length of the longest run of points side by side.
fn longest_run(mut points: u32) -> u32 {
    let mut length = 0;
    while points != 0 {
        points &= points >> 1;
        length += 1;
    }
    length
}
