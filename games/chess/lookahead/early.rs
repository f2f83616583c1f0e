//! The ends of a search that come before the position's moves: by the static score, by a pass, by a capture.

use shakmaty::{
    Chess, EnPassantMode, Position as _, Setup,
    zobrist::{Zobrist64, ZobristValue as _},
};

use super::{
    super::{
        encode,
        exchange::holds,
        key_after,
        quiesce::{captures, sort},
    },
    Known, Node, Over, SURE, Search, Terms, Window,
    order::{self, NO_MOVE},
    table::{Bound, Entry, Outcome},
};

/// Plies by which captures are searched shallower that may be far above the window.
const SHALLOWER: i32 = 4;

impl Search<'_> {
    /// The score of a position that is so far outside the window that its moves need not be searched.
    pub fn by_worth(&mut self, node: Node<'_>, window: Window, depth: i32, known: Known) -> Result<Option<i32>, Over> {
        let (alpha, beta) = (window.alpha, window.beta);
        let mut guess = known.worth;
        if let Some(entry) = known.entry {
            let score = entry.score(node.ply as i32);
            let better = match entry.bound {
                Bound::AtLeast => score > guess,
                Bound::AtMost => score < guess,
                Bound::Exact => true,
                Bound::Nothing => false,
            };
            if better && score.abs() < SURE {
                guess = score;
            }
        }
        let terms = self.terms;
        if depth <= terms.reverse_depth
            && guess - terms.reverse_each * (depth - i32::from(known.improves)) >= beta
            && beta.abs() < SURE
        {
            return Ok(Some(guess));
        }
        if depth <= terms.razor_depth && guess + terms.razor_each * depth <= alpha {
            let found = self.settle(node.chess, node.key, node.ply, window, 0);
            if found <= alpha {
                return Ok(Some(found));
            }
        }
        if let Some(found) = self.by_passing(node, beta, guess, depth)? {
            return Ok(Some(found));
        }
        self.by_captures(node, beta, depth, known)
    }

    /// The score of a capture that a shallow search finds to be far above `beta`.
    fn by_captures(&mut self, node: Node<'_>, beta: i32, depth: i32, known: Known) -> Result<Option<i32>, Over> {
        let Node { chess, key, ply, .. } = node;
        let above = beta + self.terms.probe_margin;
        let refuted = |entry: Entry| i32::from(entry.depth) > depth - SHALLOWER && entry.score(ply as i32) < above;
        if depth < self.terms.probe_depth || beta.abs() >= SURE || known.entry.is_some_and(refuted) {
            return Ok(None);
        }
        let mut moves = captures(chess, above - known.worth);
        sort(&mut moves);
        self.path.push(key);
        for &m in &moves {
            if !holds(chess.board(), chess.turn(), m) {
                continue;
            }
            let mut next = chess.clone();
            next.play_unchecked(m);
            let child_key = key_after(chess, key, m, &next);
            let before = [order::index(chess.turn(), m), node.before[0]];
            let child = Node { chess: &next, key: child_key, ply: ply + 1, before, cut: !node.cut, without: None };
            let window = Window::null(above - 1).turned();
            if -self.settle(&next, child_key, ply + 1, window, 0) < above {
                continue;
            }
            let found = self.search(child, window, depth - SHALLOWER);
            if let Ok(score) = found
                && -score < above
            {
                continue;
            }
            self.path.pop();
            let (score, action) = (-found?, encode(m) as u16);
            let depth = depth - SHALLOWER + 1;
            let outcome = Outcome { score, worth: known.plain, action, depth, bound: Bound::AtLeast };
            self.table.put(key, ply as i32, outcome);
            return Ok(Some(score));
        }
        self.path.pop();
        Ok(None)
    }

    /// The score that a player reaches who passes, if it is at least `beta`: then a move would do so too.
    fn by_passing(&mut self, node: Node<'_>, beta: i32, guess: i32, depth: i32) -> Result<Option<i32>, Over> {
        let Terms { null_base, null_plies, null_above, .. } = *self.terms;
        if node.before[0] == NO_MOVE || depth < null_base || guess < beta || !has_pieces(node.chess) {
            return Ok(None);
        }
        let Some((chess, key)) = passed(node.chess, node.key) else { return Ok(None) };
        self.path.push(node.key);
        let before = [NO_MOVE, node.before[0]];
        let child = Node { chess: &chess, key, ply: node.ply + 1, before, cut: !node.cut, without: None };
        let less = 1 + null_base + depth / null_plies + ((guess - beta) / null_above).min(3);
        let found = self.search(child, Window::null(beta - 1).turned(), depth - less);
        self.path.pop();
        let found = -found?;
        Ok((found >= beta).then_some(if found >= SURE { beta } else { found }))
    }
}

/// Whether the player to move has more than pawns: else to pass could be better than any move.
fn has_pieces(chess: &Chess) -> bool {
    let board = chess.board();
    (board.by_color(chess.turn()) & !board.pawns() & !board.kings()).any()
}

/// The position, and its key, if the player to move passes. Nothing that was played before is repeated after it.
pub fn passed(chess: &Chess, key: u64) -> Option<(Chess, u64)> {
    let mut setup: Setup = chess.to_setup(EnPassantMode::Legal);
    let Zobrist64(mut key) = Zobrist64(key) ^ Zobrist64::zobrist_for_white_turn();
    if let Some(square) = setup.ep_square.take() {
        key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
    }
    setup.halfmoves = 0;
    setup.swap_turn();
    Some((setup.position(chess.castles().mode()).ok()?, key))
}
