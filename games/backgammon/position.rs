//! A position of backgammon: the checkers of both players, who is on roll, the dice, and the key.

use super::{
    plays::{hop, hops},
    side::{BAR, Side},
};
use crate::{Action, zobrist};

/// `KEYS[player][point]`, added once for each checker there.
pub(super) const KEYS: [[u64; 26]; 2] = {
    let mut keys = [[0; 26]; 2];
    let mut i = 0;
    while i < 2 * 26 {
        keys[i / 26][i % 26] = zobrist::key(1 + i as u64 / 26, i as u64 % 26);
        i += 1;
    }
    keys
};

/// The kind of decision that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The roll that decides who starts.
    Opening,
    Roll,
    /// A play with these dice, the higher first.
    Play([u8; 2]),
}

/// The checkers of both players, who is on roll, and the dice.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(super) sides: [Side; 2],
    /// The sum of the `KEYS` of all checkers.
    pub(super) key: u64,
    pub(super) player: u8,
    pub(super) phase: Phase,
}

impl Position {
    pub(super) fn new(sides: [Side; 2], player: u8, phase: Phase) -> Position {
        let mut key = 0u64;
        for (side, keys) in sides.iter().zip(&KEYS) {
            for (point, part) in (0..).zip(keys) {
                key = key.wrapping_add(part.wrapping_mul(u64::from(side.count(point))));
            }
        }
        Position { sides, key, player, phase }
    }

    /// The first player is on roll.
    #[cfg(test)]
    pub(crate) fn rolling(sides: [Side; 2]) -> Position {
        Position::new(sides, 0, Phase::Roll)
    }

    /// The checkers of the player on roll and of the other.
    pub(super) fn own_and_other(&self) -> (Side, Side) {
        let player = usize::from(self.player);
        (self.sides[player], self.sides[1 - player])
    }

    pub(super) fn is_over(&self) -> bool {
        self.sides[0].finished() || self.sides[1].finished()
    }

    pub(super) fn play(&mut self, dice: [u8; 2], play: Action) {
        let (mut own, mut other) = self.own_and_other();
        let mover = usize::from(self.player);
        for (source, target) in hops(dice, play) {
            self.move_key(mover, source, target);
            if hop(&mut own, &mut other, source, target) {
                self.move_key(1 - mover, BAR - target, BAR);
            }
        }
        (self.sides[mover], self.sides[1 - mover]) = (own, other);
        self.player ^= 1;
        self.phase = Phase::Roll;
    }

    fn move_key(&mut self, player: usize, source: u32, target: u32) {
        let keys = &KEYS[player];
        self.key = self.key.wrapping_sub(keys[source as usize]).wrapping_add(keys[target as usize]);
    }
}
