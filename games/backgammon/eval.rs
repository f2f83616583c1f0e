//! A static evaluation by hand: points made, blots and the shots at them, primes, the bar; in a race the pip count.

use super::{
    side::{BAR, BOARD, CHECKERS, HOME, OFF, Side, descending, mirrored},
    weights::{FEATURES, ON_ROLL, WEIGHTS},
};

/// First features of each kind.
const MADE: usize = 0;
const BLOT: usize = 24;
const EXTRA: usize = 48;
const ON_BAR: usize = 72;
const BORNE_OFF: usize = 73;
const PIPS: usize = 74;
const BLOCKED: usize = 75;
const CLOSING: usize = 81;
const SHOTS: usize = 82;
const LOSS: usize = 83;

/// For each distance in pips, the rolls (of 36, as bits) that hit a blot there, by one die, both or a double. What stands
/// between is not looked at.
static HITS: [u64; 26] = {
    let mut hits = [0; 26];
    let mut roll = 0;
    while roll < 36 {
        let (one, two) = (roll / 6 + 1, roll % 6 + 1);
        hits[one] |= 1 << roll;
        hits[two] |= 1 << roll;
        hits[one + two] |= 1 << roll;
        if one == two {
            hits[3 * one] |= 1 << roll;
            hits[4 * one] |= 1 << roll;
        }
        roll += 1;
    }
    hits
};

/// Whether a checker of either side has yet to pass one of the other's.
pub fn contact(own: Side, other: Side) -> bool {
    let rear = |side: Side| side.occupied().checked_ilog2().unwrap_or(0);
    rear(own) + rear(other) > BAR
}

/// Expected points of the player on roll, before the roll, from -3 to 3 with gammons and from -1 to
/// 1 without. Nobody has finished.
pub fn expected(own: Side, other: Side, gammons: bool) -> f32 {
    if !contact(own, other) {
        return race(own, other, gammons);
    }
    let mut points = ON_ROLL;
    features(own, other, |index, amount| points += f32::from(WEIGHTS[index]) * amount * 1e-3);
    if gammons { points.clamp(-3.0, 3.0) } else { (SINGLE * points).tanh() }
}

/// Factor on expected points whose hyperbolic tangent is about the expected result without gammons.
const SINGLE: f32 = 0.75;

/// The expected result of a race: Kleinman's formula on Keith's counts for the game, and an estimate for the gammon.
fn race(own: Side, other: Side, gammons: bool) -> f32 {
    let (mine, theirs) = (count(own), count(other));
    let ahead = theirs - mine + 4.0;
    let deviations = ahead / (0.5 * (mine + theirs - 4.0).max(1.0)).sqrt();
    let wins = logistic(1.5976 * deviations + 0.0706 * deviations.powi(3));
    let mut points = 2.0 * wins - 1.0;
    if gammons {
        points += wins * gammon(own, other, 0.5) - (1.0 - wins) * gammon(other, own, -0.5);
    }
    points
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Pips with Keith's adjustments for what is wasted: 2 for each checker beyond one on the first point, 1 for each beyond
/// one on the second and beyond three on the third, 1 for each gap on points 4 to 6.
fn count(side: Side) -> f32 {
    let beyond = |point: u32, free: u32| side.count(point).saturating_sub(free);
    let gaps = (!side.occupied() & 0x70).count_ones();
    (side.pips() + 2 * beyond(1, 1) + beyond(2, 1) + beyond(3, 3) + gaps) as f32
}

/// Probability that `winner`, `ahead` rolls of the dice in front, bears all off before `loser` has borne one off.
fn gammon(winner: Side, loser: Side, ahead: f32) -> f32 {
    if loser.count(OFF) > 0 {
        return 0.0;
    }
    const PIPS_A_ROLL: f32 = 8.17;
    let rear = descending(loser.occupied() & !HOME & !1).map(|point| (point - 6) * loser.count(point)).sum::<u32>();
    let saved = rear as f32 / PIPS_A_ROLL + 1.0;
    let left = (CHECKERS - winner.count(OFF)) as f32;
    let done = (left / 1.9).max(count(winner) / PIPS_A_ROLL);
    logistic(2.0 * (saved - done + ahead))
}

/// Calls `add` with each feature of a position of contact that is not zero, and its amount. `own` is on roll.
pub fn features(own: Side, other: Side, mut add: impl FnMut(usize, f32)) {
    side_features(own, other, 0, &mut add);
    side_features(other, own, FEATURES, &mut add);
}

fn side_features(own: Side, other: Side, first: usize, add: &mut impl FnMut(usize, f32)) {
    let (occupied, held, theirs) = (own.occupied(), own.held(), other.occupied());
    let mut pips = 0;
    for point in descending(occupied) {
        let count = own.count(point);
        pips += point * count;
        let index = first + point as usize - 1;
        match count {
            _ if point == BAR => add(first + ON_BAR, count as f32),
            1 => add(index + BLOT, 1.0),
            _ => {
                add(index + MADE, 1.0);
                if count > 2 {
                    add(index + EXTRA, (count - 2) as f32);
                }
            }
        }
    }
    add(first + BORNE_OFF, own.count(OFF) as f32);
    add(first + PIPS, pips as f32 / 100.0);

    // The six points before the other's rear checker.
    let rear = theirs.ilog2();
    let ahead = mirrored(((1 << rear) - 1) & !((1 << rear.saturating_sub(6)) - 1)) & BOARD;
    let blocks = (held & ahead).count_ones();
    if blocks > 0 {
        add(first + BLOCKED + blocks as usize - 1, 1.0);
    }
    let waiting = other.count(BAR);
    if waiting > 0 {
        add(first + CLOSING, (waiting * (held & HOME).count_ones()) as f32);
    }

    let (mut rolls, mut loss) = (0_u64, 0);
    let enemies = mirrored(theirs);
    for blot in descending(occupied & !held & BOARD) {
        // Their checkers that have yet to pass it: those at lower numbers, as this side counts.
        let mut hitting = 0;
        for enemy in descending(enemies & ((1 << blot) - 1)) {
            hitting |= HITS[(blot - enemy) as usize];
        }
        rolls |= hitting;
        loss += hitting.count_ones() * (BAR - blot);
    }
    if rolls != 0 {
        add(first + SHOTS, rolls.count_ones() as f32 / 36.0);
        add(first + LOSS, loss as f32 / 3600.0);
    }
}
