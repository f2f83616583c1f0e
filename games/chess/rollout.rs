//! Playouts of uniformly random legal moves, drawn without listing them.
//!
//! Each pseudo-legal move is in exactly one slot (`slots.rs`), and many slots hold nothing. So the first legal move that
//! a sequence of uniformly drawn slots meets is uniform among the legal moves. To look at a slot is far cheaper than to
//! list all moves, and few draws are needed. After many failures (in check, with few moves or none) all slots are looked
//! at and the move is drawn from the legal ones: uniform as well.

use shakmaty::{
    Bitboard, Board, ByColor, Castles, CastlingSide, Color, Position as _, Rank, Role, Square, attacks::between,
};

use super::{
    Action, FIFTY_MOVES, Played, Player, Rng, Trace, player,
    slots::{LAYOUTS, MOST_SLOTS, PieceSlots},
};

/// Draws before all slots are looked at.
const DRAWS: u32 = 60;

/// A pseudo-legal move of the `piece`-th piece; castling goes to the rook's square.
#[derive(Clone, Copy, Debug)]
struct Step {
    piece: u8,
    role: Role,
    from: Square,
    to: Square,
    becomes: Role,
}

impl Step {
    fn action(self) -> Action {
        let promotion = if self.becomes == self.role { 0 } else { self.becomes as u32 };
        self.from.to_u32() | self.to.to_u32() << 6 | promotion << 12
    }
}

/// A game being played out.
#[derive(Clone)]
pub(super) struct Playout {
    board: Board,
    mover: Color,
    castles: Castles,
    /// The square that a pawn has just passed over.
    en_passant: Option<Square>,
    clock: u32,
    sides: ByColor<PieceSlots>,
}

impl Playout {
    pub fn new(chess: &shakmaty::Chess) -> Playout {
        Playout {
            board: chess.board().clone(),
            mover: chess.turn(),
            castles: chess.castles().clone(),
            en_passant: chess.maybe_ep_square(),
            clock: chess.halfmoves(),
            sides: ByColor::new_with(|color| PieceSlots::new(chess.board(), color)),
        }
    }

    /// Plays to the end; the result from the first player's point of view.
    pub fn run(mut self, rng: &mut Rng, mut trace: Option<&mut Trace>) -> f32 {
        loop {
            if self.is_insufficient_material() {
                return 0.0;
            }
            let Some(step) = self.draw(rng) else {
                return if self.is_check() { -player(self.mover).sign() } else { 0.0 };
            };
            if self.clock >= FIFTY_MOVES {
                return 0.0;
            }
            if let Some(trace) = &mut trace {
                trace.push(Played { action: step.action(), second: player(self.mover) == Player::Second });
            }
            self.play(step);
        }
    }

    /// A uniformly random legal move; none if there is none.
    fn draw(&self, rng: &mut Rng) -> Option<Step> {
        let slots = u32::from(self.sides[self.mover].slots);
        let free = self.free();
        for _ in 0..DRAWS {
            if let Some(step) = self.slot(rng.u32(..slots), &free)
                && self.is_legal(step)
            {
                return Some(step);
            }
        }
        let mut legal = [0_u16; MOST_SLOTS];
        let mut count = 0;
        for slot in 0..slots {
            if self.slot(slot, &free).is_some_and(|step| self.is_legal(step)) {
                legal[count] = slot as u16;
                count += 1;
            }
        }
        if count == 0 { None } else { self.slot(legal[rng.usize(..count)].into(), &free) }
    }

    /// The squares that meet each `Need`.
    fn free(&self) -> [Bitboard; 3] {
        let capture = self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from);
        [!self.board.by_color(self.mover), !self.board.occupied(), self.board.by_color(!self.mover) | capture]
    }

    /// The pseudo-legal move that a slot holds, if any.
    #[inline]
    fn slot(&self, slot: u32, free: &[Bitboard; 3]) -> Option<Step> {
        let side = &self.sides[self.mover];
        let piece = side.owners[slot as usize];
        let index = usize::from(piece & 15);
        let layout = &LAYOUTS[side.layouts[index] as usize];
        let slot = slot as usize - side.first_slots[index] as usize;
        let from = side.squares[index];
        let to = layout.targets[from.to_usize()][slot];
        let step = Step { piece, role: layout.role, from, to, becomes: layout.becomes[slot] };
        if free[layout.needs[slot] as usize].contains(to) & between(from, to).is_disjoint(self.board.occupied()) {
            Some(step)
        } else if step.role == Role::King && slot >= 8 {
            self.castling(step, CastlingSide::from_king_side(slot == 8))
        } else {
            None
        }
    }

    fn castling(&self, step: Step, side: CastlingSide) -> Option<Step> {
        let rook = self.castles.rook(self.mover, side)?;
        let path = self.castles.path(self.mover, side);
        path.is_disjoint(self.board.occupied()).then_some(Step { to: rook, ..step })
    }

    /// Whether a pseudo-legal move leaves the king safe.
    fn is_legal(&self, step: Step) -> bool {
        let Step { role, from, to, .. } = step;
        let us = self.board.by_color(self.mover);
        if role == Role::King {
            if us.contains(to) {
                return self.may_castle(from, to);
            }
            return !self.attacked(to, self.board.occupied() ^ from, Bitboard::EMPTY);
        }
        let king = (self.board.kings() & us).first().expect("a king");
        let mut gone = Bitboard::from(to);
        if role == Role::Pawn && Some(to) == self.en_passant {
            gone = Square::from_coords(to.file(), from.rank()).into();
        }
        !self.attacked(king, (self.board.occupied() ^ from) & !gone | to, gone)
    }

    /// Whether the king passes no attacked square on its way to the other side of `rook`.
    fn may_castle(&self, king: Square, rook: Square) -> bool {
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(self.mover), side.rook_to(self.mover));
        let occupied = self.board.occupied() ^ king;
        (between(king, king_to) | king).into_iter().all(|square| !self.attacked(square, occupied, Bitboard::EMPTY))
            && !self.attacked(king_to, occupied ^ rook ^ rook_to, Bitboard::EMPTY)
    }

    fn is_check(&self) -> bool {
        let king = self.board.king_of(self.mover).expect("a king");
        self.attacked(king, self.board.occupied(), Bitboard::EMPTY)
    }

    /// Whether a piece of the opponent, but for those `gone`, attacks a square.
    fn attacked(&self, square: Square, occupied: Bitboard, gone: Bitboard) -> bool {
        self.board.attacks_to(square, !self.mover, occupied).intersects(!gone)
    }

    fn play(&mut self, step: Step) {
        let Step { piece, role, from, to, becomes } = step;
        let (us, them) = (self.mover, !self.mover);
        self.mover = them;
        self.clock += 1;
        let passed = self.en_passant.take();
        if role == Role::King && self.board.by_color(us).contains(to) {
            let side = CastlingSide::from_king_side(from < to);
            self.board.discard_piece_at(from);
            self.board.discard_piece_at(to);
            self.board.set_piece_at(side.king_to(us), us.king());
            self.board.set_piece_at(side.rook_to(us), us.rook());
            self.castles.discard_color(us);
            self.sides[us].lay_out(&self.board, us);
            return;
        }
        if self.castles.any() {
            self.castles.discard_rook(to);
            if role == Role::King {
                self.castles.discard_color(us);
            } else {
                self.castles.discard_rook(from);
            }
        }
        let mut captures = self.board.by_color(them).contains(to);
        if role == Role::Pawn && passed == Some(to) {
            self.board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
            captures = true;
        }
        self.board.discard_piece_at(from);
        self.board.set_piece_at(to, becomes.of(us));
        self.sides[us].squares[usize::from(piece)] = to;
        if captures {
            self.clock = 0;
            self.sides[them].lay_out(&self.board, them);
        }
        if role == Role::Pawn {
            self.clock = 0;
            if from.abs_diff(to) == 16 {
                self.en_passant = Some(Square::new((from.to_u32() + to.to_u32()) / 2));
            }
            if becomes != role || to.rank() == us.relative_rank(Rank::Seventh) {
                self.sides[us].lay_out(&self.board, us);
            }
        }
    }

    /// Whether neither side could mate, in the sense of python-chess and shakmaty.
    fn is_insufficient_material(&self) -> bool {
        let board = &self.board;
        if (board.pawns() | board.rooks_and_queens()).any() {
            return false;
        }
        if board.knights().any() {
            return board.occupied().count() <= 3;
        }
        board.bishops().is_disjoint(Bitboard::LIGHT_SQUARES) || board.bishops().is_disjoint(Bitboard::DARK_SQUARES)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chess, Game, Params, Position, encode};
    use super::*;

    fn games() -> [Chess; 6] {
        let parameters = |array: u32| [("chess960".into(), "true".into()), ("position".into(), array.to_string())];
        [518, 0, 279, 959, 100, 700].map(|array| Chess::new(&Params(parameters(array).into())).unwrap())
    }

    fn legal(p: &shakmaty::Chess) -> Vec<Action> {
        let mut actions: Vec<Action> = p.legal_moves().into_iter().map(encode).collect();
        actions.sort_unstable();
        actions
    }

    #[test]
    fn slots_hold_the_legal_moves_and_play_follows_the_rules_along_random_games() {
        let mut rng = Rng::with_seed(1);
        for game in games().iter().cycle().take(60) {
            let mut p: Position = game.initial();
            let mut playout = Playout::new(&p.chess);
            while game.result(&p).is_none() {
                let steps = (0..playout.sides[playout.mover].slots.into())
                    .filter_map(|slot| playout.slot(slot, &playout.free()))
                    .filter(|&step| playout.is_legal(step));
                let mut found: Vec<Action> = steps.map(Step::action).collect();
                found.sort_unstable();
                assert_eq!(found, legal(&p.chess), "{:?}", p.chess);
                let step = playout.draw(&mut rng).expect("a legal move");
                playout.play(step);
                game.play(&mut p, step.action());
                assert_eq!(playout.board, *p.chess.board());
                assert_eq!(playout.clock, p.chess.halfmoves());
                assert_eq!(playout.castles.castling_rights(), p.chess.castles().castling_rights());
                assert_eq!(playout.en_passant, p.chess.maybe_ep_square());
                assert_eq!(playout.is_insufficient_material(), p.chess.is_insufficient_material());
            }
        }
    }

    /// Pearson's chi-square over the legal moves stays below its mean plus five standard deviations.
    #[test]
    fn draws_are_uniform() {
        let game = &games()[0];
        let mut rng = Rng::with_seed(2);
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3",
            "4k3/8/4r3/8/1b6/2N5/4B3/4K2R w K - 0 1",
            "k7/8/8/8/8/1q6/8/K6R w - - 0 1",
        ] {
            let p = game.parse_position(fen).unwrap();
            let playout = Playout::new(&p.chess);
            let legal = legal(&p.chess);
            let mut drawn = vec![0_u32; legal.len()];
            for _ in 0..1000 * legal.len() {
                let step = playout.draw(&mut rng);
                drawn[legal.binary_search(&step.unwrap().action()).unwrap()] += 1;
            }
            let chi_square: f64 = drawn.iter().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
            let freedom = legal.len() as f64 - 1.0;
            assert!(chi_square <= freedom + 5.0 * (2.0 * freedom).sqrt(), "{fen}: {chi_square} of {freedom}");
        }
    }
}
