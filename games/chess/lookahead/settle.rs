//! The search of captures at the leaves of the look-ahead.

use shakmaty::{Chess, Position as _, Role};

use super::{
    super::{
        encode,
        exchange::{WORTH, gain, holds},
        key_of_men, key_with_rights,
        quiesce::{MATE, captures, sort},
    },
    PLIES, Search, Window, settled,
    table::{Bound, Outcome},
};

/// Plies of captures and of answers to checks after which a player in check is judged as if there were none.
const CHECKS: usize = 8;

impl Search<'_> {
    /// The best of the static score and what captures and promotions to queens that hold their ground lead to; a check
    /// is met by any move. `plies` of captures were made before.
    pub fn settle(&mut self, chess: &Chess, key: u64, ply: usize, window: Window, plies: usize) -> i32 {
        self.count(ply);
        let Window { mut alpha, beta } = window;
        let known = self.table.get(key);
        if let Some(score) = known.and_then(|entry| settled(entry, chess, ply, window)) {
            return score;
        }
        let check = chess.is_check();
        if ply >= PLIES || check && plies >= CHECKS {
            return self.judge.score(chess, ply);
        }
        // In check the table has no static score either.
        let worth = match known {
            _ if check => -MATE,
            Some(entry) => entry.worth.into(),
            None => self.judge.score(chess, ply),
        };
        let mut best = worth;
        if best >= beta {
            return best;
        }
        let begun = alpha;
        alpha = alpha.max(best);
        // The least that a capture has to win.
        let floor = alpha - best - self.terms.capture_margin;
        let mut moves = if check { chess.legal_moves() } else { captures(chess, floor) };
        if check && moves.is_empty() {
            return ply as i32 - MATE;
        }
        sort(&mut moves);
        if let Some(place) = known.and_then(|entry| moves.iter().position(|&m| encode(m) as u16 == entry.action)) {
            moves[..=place].rotate_right(1);
        }
        let mut best_action = 0;
        for &m in &moves {
            let quiet = gain(m) == 0;
            if (!check || best > -MATE / 2 && !quiet) && !holds(chess.board(), chess.turn(), m) {
                continue;
            }
            let moved = key_of_men(chess.turn(), key, m);
            self.table.fetch(moved);
            let mut next = chess.clone();
            next.play_unchecked(m);
            let window = Window { alpha, beta }.turned();
            let found = -self.settle(&next, key_with_rights(chess, moved, &next), ply + 1, window, plies + 1);
            if found > best {
                best = found;
                if found > alpha {
                    alpha = found;
                    best_action = encode(m) as u16;
                }
            }
            if best >= beta {
                break;
            }
        }
        if !check && best <= begun && floor >= WORTH[Role::Pawn as usize] {
            best = best.max(worth + floor); // Captures that were left out may reach this.
        }
        let bound = Bound::of(best, begun, beta);
        self.table.put(key, ply as i32, Outcome { score: best, worth, action: best_action, depth: 0, bound });
        best
    }
}
