//! Inputs of nets at a position before a roll, first those of the player on roll, then of the other, then of both.
//!
//! For each side: its checkers by point, then counts for races, and with contact the meaning of both sides' points and blots:
//! the chances to hit, to get away and to come in. The second group is 0 in a race.

use super::{
    eval,
    shots::shots,
    side::{BAR, BOARD, CHECKERS, HOME, OFF, Side, descending, mirrored},
    walks::{PIPS_A_ROLL, Walks},
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

/// The kinds of position, each with a net of its own. With contact: the side on roll has a checker on the bar; the other alone
/// has one; both have checkers in the other's home board, the side on roll alone, the other alone, neither; a side has few
/// checkers left to move. And no contact.
pub const PHASES: [&str; 8] = ["entering", "hit", "mutual", "behind", "ahead", "middle", "crashed", "race"];
const ENTERING: usize = 0;
const HIT: usize = 1;
const MUTUAL: usize = 2;
const BEHIND: usize = 3;
const AHEAD: usize = 4;
const MIDDLE: usize = 5;
const CRASHED: usize = 6;
const RACE: usize = 7;

/// Points 19 to 24, the other's home board, as bits.
const BACK: u32 = HOME << 18;

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
    } else if own.occupied() >> BAR != 0 {
        ENTERING
    } else if other.occupied() >> BAR != 0 {
        HIT
    } else {
        match [own, other].map(|side| side.occupied() & BACK != 0) {
            [true, true] => MUTUAL,
            [true, false] => BEHIND,
            [false, true] => AHEAD,
            [false, false] => MIDDLE,
        }
    }
}

fn crashed(side: Side) -> bool {
    let dead: u32 = [1, 2].map(|point| side.count(point).saturating_sub(IN_PLAY)).iter().sum();
    CHECKERS - side.count(OFF) - dead <= FEW
}

/// Replaces `out` by the inputs of a position that are not 0; `own` is on roll. Returns the phase.
pub fn inputs(own: Side, other: Side, out: &mut Vec<Input>) -> usize {
    let phase = phase(own, other);
    let sides = [Men::new(own), Men::new(other)];
    out.clear();
    out.resize(MOST, Input { index: 0, value: 0.0 });
    let mut writer = Writer { out, len: 0, next: 0 };
    for us in 0..2 {
        writer.next = us as u32 * OF_SIDE;
        checkers(&sides[us], &mut writer);
        race(&sides[us], &mut writer);
        if phase != RACE {
            contact(&sides[us], sides[1 - us].side, &mut writer);
            debug_assert_eq!(writer.next, (us as u32 + 1) * OF_SIDE);
        }
    }
    writer.next = 2 * OF_SIDE;
    let [mine, theirs] = sides.map(|men| men.pips as f32);
    let lead = (theirs - mine + 0.5 * PIPS_A_ROLL) / (mine + theirs).sqrt();
    writer.put(lead.clamp(-6.0, 6.0) / 3.0);
    writer.put((1.1 * lead).tanh());
    let len = writer.len;
    out.truncate(len);
    phase
}

/// The most inputs of a position that are not 0: each checker gives at most one.
const MOST: usize = (2 * (CHECKERS + 5 + RACE_OF_SIDE + CONTACT_OF_SIDE) + COMMON) as usize;

/// Writes inputs one after the other.
struct Writer<'a> {
    out: &'a mut [Input],
    len: usize,
    next: u32,
}

impl Writer<'_> {
    fn put(&mut self, value: f32) {
        self.out[self.len] = Input { index: self.next, value };
        self.len += usize::from(value != 0.0);
        self.next += 1;
    }

    /// A number between 0 and 1 and its square.
    fn curve(&mut self, value: f32) {
        self.put(value);
        self.put(value * value);
    }
}

/// A side with its points written out.
struct Men {
    side: Side,
    pips: u32,
    /// The points with a checker, the bar too, from the highest down, and the numbers of their checkers.
    points: [(u32, u32); CHECKERS as usize],
    len: usize,
}

impl Men {
    fn new(side: Side) -> Men {
        let mut men = Men { side, pips: 0, points: [(0, 0); CHECKERS as usize], len: 0 };
        for (place, point) in men.points.iter_mut().zip(descending(side.occupied())) {
            *place = (point, side.count(point));
            men.pips += place.0 * place.1;
            men.len += 1;
        }
        men
    }

    fn points(&self) -> &[(u32, u32)] {
        &self.points[..self.len]
    }
}

fn checkers(men: &Men, writer: &mut Writer) {
    let first = writer.next;
    for &(point, count) in men.points().iter().rev() {
        if point < BAR {
            writer.next = first + (point - 1) * OF_POINT + count.min(3) - 1;
            writer.put(1.0);
            writer.next = first + point * OF_POINT - 1;
            writer.put(count.saturating_sub(3) as f32 / 2.0);
        }
    }
    writer.next = first + 24 * OF_POINT;
    let (bar, off) = (men.side.count(BAR), men.side.count(OFF));
    writer.put(bar.min(1) as f32);
    writer.put(bar.saturating_sub(1) as f32);
    for begun in [0, 5, 10] {
        writer.put(off.saturating_sub(begun).min(5) as f32 / 5.0);
    }
}

/// Counts that matter without contact too.
fn race(men: &Men, writer: &mut Writer) {
    let side = men.side;
    let (mut outside, mut to_home, mut behind) = (0, 0, 0);
    for &(point, count) in men.points().iter().take_while(|&&(point, _)| point > 6) {
        outside += count;
        to_home += count * (point - 6);
        behind += if point > 18 { count } else { 0 };
    }
    let beyond = |point: u32, free: u32| side.count(point).saturating_sub(free);
    let wasted = 2 * beyond(1, 1) + beyond(2, 1) + beyond(3, 3);
    let gaps = (HOME & !side.occupied()).count_ones();
    // A gammon and a backgammon are lost with no checker off.
    let in_danger = f32::from(u8::from(side.count(OFF) == 0));
    writer.put(men.pips as f32 / 100.0);
    writer.put(outside as f32 / 10.0);
    writer.put(in_danger * to_home as f32 / 50.0);
    writer.put(in_danger * behind as f32 / 4.0);
    writer.put(wasted as f32 / 8.0);
    writer.put(gaps as f32 / 6.0);
}

/// Our chances against `them`, and the places of our checkers with regard to theirs.
fn contact(men: &Men, them: Side, writer: &mut Writer) {
    let us = men.side;
    let (held, theirs) = (us.held() & BOARD, them.held() & BOARD);
    let rear = men.points[0].0;
    let their_rear = them.occupied().ilog2();
    // Our checkers on points beyond this one have yet to pass one of theirs.
    let line = BAR - their_rear;
    let part = |rolls: u32| rolls as f32 / 36.0;

    let shots = shots(us, them);
    writer.put(part(shots.any));
    writer.put(part(shots.several));
    writer.put(shots.pips as f32 / (36.0 * 10.0));

    let walks = Walks::past(theirs);
    let (mut to_pass, mut passing, mut stuck, mut run, mut spare) = (0, 0, 0, 0, 0);
    let left = (CHECKERS - us.count(OFF)) as f32;
    let mean = men.pips as f32 / left;
    let mut moment = 0.0;
    for &(point, count) in men.points() {
        let behind = (point as f32 - mean).max(0.0);
        moment += count as f32 * behind * behind;
        let beyond = point.saturating_sub(line);
        to_pass += count * beyond;
        passing += if beyond > 0 { count } else { 0 };
        if point < 7 {
            spare += count.saturating_sub(2) * (point - 1);
            continue;
        }
        let walk = walks.from(point);
        run += count * u32::from(walk.pips);
        if point > 18 {
            stuck += count * u32::from(36 - walk.escapes);
        } else {
            spare += count * (point - 6);
        }
    }
    writer.put(to_pass as f32 / 100.0);
    writer.put(passing as f32 / 10.0);
    writer.put(part(walks.from(rear).escapes.into()));
    writer.put(part(stuck) / 3.0);
    writer.put(run as f32 / (36.0 * PIPS_A_ROLL * 8.0));
    writer.put(moment / left / 50.0);
    writer.put(spare as f32 / 50.0);

    // The worst block on the way of our rear checker, and on the way from the bar.
    let (mut trapped, mut blocked) = (36, 36);
    for point in 7..=BAR {
        blocked = walks.from(point).escapes.min(blocked);
        trapped = if point <= rear { blocked } else { trapped };
    }
    writer.curve(1.0 - part(trapped.into()));
    writer.curve(1.0 - part(blocked.into()));

    // Our points among the six before their rear checker, and side by side.
    let ahead = mirrored(held) & ((1 << their_rear) - 1) & !((1 << their_rear.saturating_sub(6)) - 1);
    writer.curve(ahead.count_ones() as f32 / 6.0);
    writer.curve(longest_run(held) as f32 / 6.0);

    let home = (held & HOME).count_ones() as f32 / 6.0;
    writer.put(home * home);
    writer.put(home * home * them.count(BAR).min(3) as f32);
    writer.put(part(shots.any) * home);

    let anchors = held >> 18 & 0x7f;
    let many = anchors.count_ones();
    writer.put(many.min(1) as f32);
    writer.put(many.saturating_sub(1) as f32 / 2.0);
    writer.put(if many > 0 { (7 - anchors.trailing_zeros()) as f32 / 7.0 } else { 0.0 });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Game, Player, Rng, Style,
        backgammon::START,
        backgammon::tests::{GAME, side},
    };

    fn dense(own: Side, other: Side) -> (usize, Vec<f32>) {
        let (mut found, mut all) = (Vec::new(), vec![0.0; INPUTS]);
        let phase = inputs(own, other, &mut found);
        for Input { index, value } in found {
            all[index as usize] = value;
        }
        (phase, all)
    }

    #[test]
    fn the_start_by_hand() {
        let (phase, all) = dense(START, START);
        assert_eq!(phase, MUTUAL);
        // Five checkers on the 6 point, three on the 8 point, two on the 24 point, none on the first.
        assert_eq!(all[20..24], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(all[28..32], [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(all[92..96], [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(all[..4], [0.0; 4]);
        let race = CHECKERS_OF_SIDE as usize;
        // 167 pips; ten checkers outside, 2 x 18 + 5 x 7 + 3 x 2 pips from home, two of them in the other's home.
        assert_eq!(all[race..race + 6], [1.67, 1.0, 77.0 / 50.0, 0.5, 0.0, 5.0 / 6.0]);
        let contact = race + RACE_OF_SIDE as usize;
        // No blots; all but the other's two are passed by the rear two, and all of ours but the home five by theirs.
        assert_eq!(all[contact..contact + 3], [0.0; 3]);
        assert_eq!(all[contact + 3], (2 * 23 + 5 * 12 + 3 * 7 + 5 * 5) as f32 / 100.0);
        // Both see the same, and the one on roll is half a roll ahead.
        assert_eq!(all[..OF_SIDE as usize], all[OF_SIDE as usize..2 * OF_SIDE as usize]);
        assert!(all[2 * OF_SIDE as usize] > 0.0);
    }

    #[test]
    fn phases_by_hand() {
        assert_eq!(phase(side(&[(6, 15)]), side(&[(6, 15)])), RACE);
        assert_eq!(phase(side(&[(6, 14), (19, 1)]), side(&[(6, 14), (7, 1)])), BEHIND);
        // Five off and five dead on the ace and deuce points leave five to move, and one each on the two.
        let broken = side(&[(1, 4), (2, 3), (24, 2), (5, 1)]);
        assert_eq!(phase(broken, START), CRASHED);
        assert_eq!(phase(START, broken), CRASHED);
        assert_eq!(phase(side(&[(1, 4), (2, 3), (24, 2), (5, 3)]), START), MUTUAL);
        let passed = side(&[(13, 7), (6, 8)]);
        assert_eq!(phase(START, passed), BEHIND);
        assert_eq!(phase(passed, START), AHEAD);
        assert_eq!(phase(passed, passed), MIDDLE);
        let on_bar = side(&[(25, 1), (24, 1), (13, 5), (8, 3), (6, 5)]);
        assert_eq!(phase(on_bar, on_bar), ENTERING);
        assert_eq!(phase(on_bar, START), ENTERING);
        assert_eq!(phase(START, on_bar), HIT);
    }

    #[test]
    fn a_closed_board_holds_the_bar() {
        let closed = side(&[(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 3)]);
        let (_, all) = dense(closed, side(&[(25, 1), (6, 14)]));
        let second = (OF_SIDE + CHECKERS_OF_SIDE + RACE_OF_SIDE) as usize;
        // The one on the bar has no escapes: all ways on are blocked.
        assert_eq!(all[second + 5], 0.0);
        assert_eq!(all[second + 10..second + 14], [1.0; 4]);
        let first = (CHECKERS_OF_SIDE + RACE_OF_SIDE) as usize;
        // Six points before it, side by side with the bar point; a full home board against one on the bar.
        assert_eq!(all[first + 14..first + 16], [1.0, 1.0]);
        assert_eq!(all[first + 16], 7.0 / 6.0);
        assert_eq!(all[first + 18..first + 20], [1.0, 1.0]);
    }

    #[test]
    fn inputs_are_in_order_and_of_the_order_of_1_and_the_same_for_both_players() {
        let mut rng = Rng::with_seed(1);
        let (mut buffer, mut found, mut seen) = (Vec::new(), Vec::new(), [0; 8]);
        for number in 0..60 {
            let style = if number % 2 == 0 { Style::Uniform } else { Style::Knowledge };
            let mut p = GAME.initial();
            while GAME.result(&p).is_none() {
                if let Some(judged) = GAME.inputs(&p, 0, &mut found) {
                    assert_eq!(judged.player == Player::Second, p.player == 1);
                    seen[judged.phase] += 1;
                    assert!(found.is_sorted_by(|a, b| a.index < b.index) && found.len() < MOST);
                    assert!(found.iter().all(|input| (input.index as usize) < INPUTS && input.value != 0.0));
                    assert!(found.iter().all(|input| input.value.abs() < 6.0), "{found:?}");
                    let (own, other) = p.own_and_other();
                    let ((_, here), (_, there)) = (dense(own, other), dense(other, own));
                    let half = OF_SIDE as usize;
                    assert_eq!(here[..half], there[half..2 * half]);
                    assert_eq!(here[half..2 * half], there[..half]);
                }
                let action = GAME.playout_action(&p, style, &mut rng, &mut buffer);
                let action = if GAME.player(&p) == Player::Chance { GAME.sample(&p, &mut rng) } else { action };
                GAME.play(&mut p, action);
            }
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }
}
