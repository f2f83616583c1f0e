//! The ko rules that look at the history of the game.

use super::{
    Go, Position,
    board::{BLACK, Effect, Point, WHITE},
    history::{mover_key, toggle},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ko {
    Positional,
    Situational,
    Simple,
}

impl Go {
    /// Whether an allowed move recreates an earlier board.
    pub(super) fn closes_cycle(&self, p: &Position, point: Point) -> bool {
        let suicide = self.suicide && !p.board.open(point) && p.board.effect(point, p.mover) == Effect::Suicide;
        if !suicide && !p.history.was_removed(point, p.mover) {
            return false;
        }
        let (mut key, removed) =
            if suicide { (p.keys[0], p.mover) } else { (p.keys[0] ^ self.keys.stone(point, p.mover)[0], 1 - p.mover) };
        p.board.for_each_removed(point, p.mover, |stone| key ^= self.keys.stone(stone, removed)[0]);
        p.history.contains(if self.ko == Ko::Situational { key ^ mover_key(p.mover == BLACK) } else { key })
    }

    pub(super) fn is_superko(&self, p: &Position, point: Point) -> bool {
        self.ko != Ko::Simple && self.closes_cycle(p, point)
    }

    /// Brings `cycles` up to date.
    pub(super) fn find_cycles(&self, p: &mut Position) {
        p.cycles = [0; 8];
        if p.history.is_small() || !(self.suicide || p.history.any_removed()) {
            return;
        }
        for point in (0..p.board.empties()).map(|i| p.board.empty(i)) {
            if self.closes_cycle(p, point) && self.is_allowed(p, point) {
                toggle(&mut p.cycles, self.keys.cycle(point));
            }
        }
    }

    /// Appends the present board to the history.
    pub(super) fn remember(&self, p: &mut Position) {
        let mut keys = p.keys;
        if self.ko == Ko::Situational {
            toggle(&mut keys, &[mover_key(p.mover == WHITE); 8]);
        }
        p.history.push(&keys);
    }
}
