//! Playouts of backgammon, and dice.

use super::{
    Backgammon,
    plays::{PASS, families, hop, hops},
    position::{Phase, Position},
    side::Side,
};
use crate::{Action, Game, Played, Rng, Trace};

/// The 36 ways in which two dice fall, as outcomes.
pub(super) const THROWS: [u8; 36] = {
    let mut throws = [0; 36];
    let mut i = 0;
    while i < 36 {
        let (one, two) = (i as u8 / 6 + 1, i as u8 % 6 + 1);
        throws[i] = if one > two { 10 * one + two } else { 10 * two + one };
        i += 1;
    }
    throws
};

impl Backgammon {
    /// Plays `p` to the end with the plays that `choose` gives.
    pub(super) fn run(
        &self,
        p: &mut Position,
        rng: &mut Rng,
        mut trace: Option<&mut Trace>,
        choose: impl Fn(Side, Side, [u8; 2], &mut Rng) -> Action,
    ) -> f32 {
        if let Some(result) = self.result(p) {
            return result;
        }
        if p.phase == Phase::Opening {
            let roll = self.sample(p, rng);
            Game::play(self, p, roll);
        }
        let (mut own, mut other) = p.own_and_other();
        let mut second = p.player == 1;
        let mut dice = if let Phase::Play(dice) = p.phase { dice } else { throw(rng) };
        loop {
            let action = choose(own, other, dice, rng);
            if let Some(trace) = &mut trace {
                trace.push(Played { action, second });
            }
            for (source, target) in hops(dice, action) {
                hop(&mut own, &mut other, source, target);
            }
            if own.finished() {
                return if second { -self.stake(other) } else { self.stake(other) };
            }
            (own, other, second) = (other, own, !second);
            dice = throw(rng);
        }
    }
}

/// Two dice, the higher first.
fn throw(rng: &mut Rng) -> [u8; 2] {
    let roll = THROWS[rng.usize(..36)];
    [roll / 10, roll % 10]
}

/// One of the plays with equal probabilities, the pass if there is none.
pub(super) fn random_play(own: Side, other: Side, dice: [u8; 2], rng: &mut Rng) -> Action {
    let (mut chosen, mut seen) = (PASS, 0);
    families(own, other, dice, |family| {
        seen += family.len();
        let index = rng.u32(..seen);
        if index < family.len() {
            chosen = family.play(index);
        }
    });
    chosen
}
