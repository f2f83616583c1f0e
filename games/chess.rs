//! Chess and Chess960: the kernel of `chess.py`. Moves and keys are shakmaty's.

mod correction;
mod endings;
mod eval;
mod exchange;
mod fen;
mod guided;
mod inputs;
mod lookahead;
mod mates;
mod phase_weight;
mod prefer;
mod quiesce;
mod relations;
mod rollout;
mod slots;
mod syzygy;
mod threats;

pub use eval::evaluate;

use std::sync::Arc;

use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Color, EnPassantMode, Move, Position as _, Role, Setup, Square,
    attacks,
    fen::Fen,
    uci::UciMove,
    zobrist::{Zobrist64, ZobristValue as _},
};

use crate::{
    Action, Cells, Game, Grid, Input, Judged, LookAhead, NetShape, Params, Played, Player, Rng, Step, Style,
    TablePaths, Trace, cell_set, zobrist,
};
use correction::Correction;
pub use lookahead::{Lookahead, Terms};
pub use mates::Mates;
use prefer::MoveContext;
pub use quiesce::quiesce;
pub use syzygy::Syzygy;

/// The Scharnagl number of the array of standard chess.
const STANDARD: u32 = 518;
/// Halfmoves without a capture or a pawn move that end a game.
const FIFTY_MOVES: u32 = 100;
/// The halfmove clock from which the key holds it exactly.
const EXACT_CLOCK: u32 = 80;

const CASTLINGS: [(Color, CastlingSide); 4] = [
    (Color::White, CastlingSide::KingSide),
    (Color::White, CastlingSide::QueenSide),
    (Color::Black, CastlingSide::KingSide),
    (Color::Black, CastlingSide::QueenSide),
];

/// The rules of chess, from one of the 960 arrays.
#[derive(Clone, Debug)]
pub struct Chess {
    mode: CastlingMode,
    array: u32,
    syzygy: Option<Arc<Syzygy>>,
    /// The net whose sum is added to the static evaluation.
    correction: Option<Arc<Correction>>,
}

/// A position, and the keys of those that could still be repeated.
#[derive(Debug)]
pub struct Position {
    chess: shakmaty::Chess,
    /// Zobrist key (Polyglot's numbers) of what a repetition repeats: pieces, mover, castling rights and the en
    /// passant file if a capture there is legal.
    key: u64,
    /// Number of earlier occurrences of the position: 0, 1 or 2, which stands for more.
    repetitions: u8,
    /// The keys before this one, back to the last capture or pawn move, latest last.
    earlier: Vec<u64>,
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position { chess: self.chess.clone(), earlier: self.earlier.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Position) {
        self.chess.clone_from(&source.chess);
        self.key = source.key;
        self.repetitions = source.repetitions;
        self.earlier.clone_from(&source.earlier);
    }
}

impl Position {
    fn new(chess: shakmaty::Chess) -> Position {
        let key = key_of(&chess);
        Position { chess, key, repetitions: 0, earlier: Vec::new() }
    }

    /// Whether the game is drawn, whatever moves there are, unless the mover is mated.
    fn is_drawn(&self) -> bool {
        self.chess.halfmoves() >= FIFTY_MOVES || self.repetitions >= 2 || self.chess.is_insufficient_material()
    }

    /// The legal move that an action encodes.
    fn decode(&self, a: Action) -> Move {
        let (from, to) = (Square::new(a & 63), Square::new(a >> 6 & 63));
        let board = self.chess.board();
        let role = board.role_at(from).expect("a piece moves");
        if role == Role::King && self.chess.us().contains(to) {
            Move::Castle { king: from, rook: to }
        } else if role == Role::Pawn && from.file() != to.file() && !board.occupied().contains(to) {
            Move::EnPassant { from, to }
        } else {
            Move::Normal { role, from, capture: board.role_at(to), to, promotion: Role::ALL.get(promotion(a)).copied() }
        }
    }
}

/// The key of a position, as `Position` holds it.
fn key_of(chess: &shakmaty::Chess) -> u64 {
    let Zobrist64(key) = chess.zobrist_hash(EnPassantMode::Legal);
    key
}

/// The index in `Role::ALL` of the piece that a pawn becomes; out of its range if it stays a pawn.
fn promotion(a: Action) -> usize {
    (a as usize >> 12).wrapping_sub(1)
}

/// `from | to << 6 | promotion << 12`; castling goes from the king's square to the rook's.
fn encode(m: Move) -> Action {
    let from = m.from().expect("no drops in chess");
    from.to_u32() | m.to().to_u32() << 6 | m.promotion().map_or(0, |role| role as u32) << 12
}

/// Whether there is a legal move. Almost always a piece that cannot be pinned has one.
fn has_move(chess: &shakmaty::Chess) -> bool {
    let (board, us) = (chess.board(), chess.turn());
    let king = board.king_of(us).expect("a king");
    if !chess.is_check() {
        let pinnable = attacks::queen_attacks(king, Bitboard::EMPTY);
        let free = board.by_color(us) & !pinnable;
        if (board.pawns() & free).shift(us.fold_wb(8, -8)).intersects(!board.occupied()) {
            return true;
        }
        for from in free & board.knights() {
            if attacks::knight_attacks(from).intersects(!board.by_color(us)) {
                return true;
            }
        }
    }
    !chess.legal_moves().is_empty()
}

/// The Zobrist key of a position that has `key` after the move `m`.
fn key_after(before: &shakmaty::Chess, key: u64, m: Move, after: &shakmaty::Chess) -> u64 {
    key_with_rights(before, key_of_men(before.turn(), key, m), after)
}

/// The key after the move `m` of `us`, with the castling rights and the capture en passant of the position before.
fn key_of_men(us: Color, key: u64, m: Move) -> u64 {
    let piece = |square: Square, role: Role, color: Color| Zobrist64::zobrist_for_piece(square, role.of(color)).0;
    let Zobrist64(mut key) = Zobrist64(key) ^ Zobrist64::zobrist_for_white_turn();
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            key ^= piece(from, role, us) ^ piece(to, promotion.unwrap_or(role), us);
            if let Some(captured) = capture {
                key ^= piece(to, captured, !us);
            }
        }
        Move::EnPassant { from, to } => {
            let captured = Square::from_coords(to.file(), from.rank());
            key ^= piece(from, Role::Pawn, us) ^ piece(to, Role::Pawn, us) ^ piece(captured, Role::Pawn, !us);
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            key ^= piece(king, Role::King, us) ^ piece(side.king_to(us), Role::King, us);
            key ^= piece(rook, Role::Rook, us) ^ piece(side.rook_to(us), Role::Rook, us);
        }
        Move::Put { .. } => unreachable!("no drops in chess"),
    }
    key
}

/// A key with the castling rights and the capture en passant of `after` in place of those of `before`.
fn key_with_rights(before: &shakmaty::Chess, mut key: u64, after: &shakmaty::Chess) -> u64 {
    if before.castles().castling_rights() != after.castles().castling_rights() {
        for (color, side) in CASTLINGS {
            if before.castles().has(color, side) != after.castles().has(color, side) {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    for chess in [before, after] {
        if let Some(square) = chess.legal_ep_square() {
            key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
        }
    }
    key
}

fn player(color: Color) -> Player {
    color.fold_wb(Player::First, Player::Second)
}

impl Chess {
    /// # Errors
    ///
    /// One line that names the parameter and what is allowed.
    pub fn new(params: &Params) -> Result<Chess, String> {
        let mode = CastlingMode::from_chess960(params.get("chess960", false)?);
        let array = params.get("position", STANDARD)?;
        if array >= 960 {
            return Err(format!("chess: position={array} is not a Scharnagl number (0 to 959)"));
        }
        if array != STANDARD && mode.is_standard() {
            return Err(format!("chess: position={array} needs chess960=true"));
        }
        Ok(Chess { mode, array, syzygy: None, correction: None })
    }
}

impl Game for Chess {
    type Position = Position;

    fn initial(&self) -> Position {
        let board = Board::chess960(self.array);
        let setup = Setup { castling_rights: board.rooks(), board, ..Setup::initial() };
        Position::new(setup.position(self.mode).expect("an array is a position"))
    }

    fn player(&self, p: &Position) -> Player {
        player(p.chess.turn())
    }

    fn result(&self, p: &Position) -> Option<f32> {
        if !has_move(&p.chess) {
            return Some(if p.chess.is_check() { -player(p.chess.turn()).sign() } else { 0.0 });
        }
        p.is_drawn().then_some(0.0)
    }

    fn known(&self, p: &Position) -> Option<f32> {
        self.syzygy.as_ref().and_then(|tables| tables.value(&p.chess))
    }

    /// Syzygy tablebases, in directories.
    fn set_tables(&mut self, tables: Option<&TablePaths>) -> Result<(), String> {
        self.syzygy = tables.map(|tables| Syzygy::open(tables).map(Arc::new)).transpose()?;
        Ok(())
    }

    /// A draw by repetition or by 50 moves, or a game that comes near the latter: the coarse clock below 80 merges lines
    /// that have more time with lines that have less.
    fn path_dependent(&self, p: &Position) -> bool {
        let ends_anyway = p.chess.is_insufficient_material() || !has_move(&p.chess);
        !ends_anyway && (p.repetitions >= 2 || p.chess.halfmoves() >= EXACT_CLOCK)
    }

    fn actions(&self, p: &Position, out: &mut Vec<Action>) {
        out.clear();
        if !p.is_drawn() {
            out.extend(p.chess.legal_moves().into_iter().map(encode));
        }
    }

    fn play(&self, p: &mut Position, a: Action) {
        let m = p.decode(a);
        if m.is_zeroing() {
            p.earlier.clear();
        } else {
            p.earlier.push(p.key);
        }
        let before = p.chess.clone();
        p.chess.play_unchecked(m);
        p.key = key_after(&before, p.key, m, &p.chess);
        let same_mover = p.earlier.iter().rev().skip(1).step_by(2);
        p.repetitions = same_mover.filter(|&&key| key == p.key).take(2).count() as u8;
    }

    /// The key of the position, how often it occurred before, and of the halfmove clock, coarse while far from 100; but
    /// where tables know of wins with the clock at 0, that 0 has a key of its own.
    fn frame_key(&self, p: &Position, _: u8) -> u64 {
        let clock = match p.chess.halfmoves() {
            0 if self.syzygy.as_ref().is_some_and(|tables| tables.covers(&p.chess)) => u32::MAX,
            0..40 => 0,
            clock @ 40..EXACT_CLOCK => clock / 8,
            clock => clock.min(FIFTY_MOVES),
        };
        p.key ^ zobrist::key(u64::from(p.repetitions), u64::from(clock))
    }

    fn net_shape(&self) -> Option<NetShape> {
        Some(inputs::net_shape())
    }

    fn inputs(&self, p: &Position, view: u8, out: &mut Vec<Input>) -> Option<Judged> {
        let us = p.chess.turn();
        inputs::inputs(&p.chess, if view == 0 { us } else { us.other() }, out);
        Some(Judged { phase: 0, player: self.player(p) })
    }

    /// The end of the captures that `evaluate` expects.
    fn settled(&self, p: &Position) -> Option<Position> {
        let line = quiesce::settling(&p.chess);
        line.moves().fold(None, |quiet, m| {
            let mut quiet = quiet.unwrap_or_else(|| p.clone());
            self.play(&mut quiet, encode(m));
            Some(quiet)
        })
    }

    fn correct(&mut self, net: Option<[(&[f32], &[f32]); 2]>) -> Result<(), String> {
        self.correction = net.map(|[first, last]| Correction::new(first, last)).transpose()?.map(Arc::new);
        Ok(())
    }

    fn look_ahead(&self, bytes: usize) -> Option<Box<dyn LookAhead<Position>>> {
        Some(Box::new(Lookahead::new(bytes)))
    }

    fn slots(&self, p: &Position, a: Action, out: &mut Vec<u32>) {
        out.extend(inputs::slots(p.chess.board(), p.chess.turn(), p.decode(a)));
    }

    fn playout_action(&self, p: &Position, style: Style, rng: &mut Rng, buffer: &mut Vec<Action>) -> Action {
        match style {
            Style::Uniform => {
                self.actions(p, buffer);
                buffer[rng.usize(..buffer.len())]
            }
            Style::Knowledge | Style::Tactics => encode(guided::choose(&p.chess, &p.chess.legal_moves(), rng)),
        }
    }

    /// Repetitions are not looked at.
    fn playout(&self, p: &mut Position, style: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        match style {
            Style::Uniform => rollout::Playout::new(&p.chess).run(rng, trace),
            Style::Knowledge | Style::Tactics => guided::run(p.chess.clone(), rng, trace),
        }
    }

    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        Some(quiesce(p, self.correction.as_ref()))
    }

    fn preferences(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        let view = MoveContext::new(&p.chess);
        out.clear();
        out.extend(actions.iter().map(|&a| view.preference(p.decode(a))));
        true
    }

    fn grid(&self) -> Option<Grid> {
        Some(Grid::by_rows(8, 8))
    }

    fn cells(&self, p: &Position) -> Cells {
        let board = p.chess.board();
        let men = [Color::White, Color::Black].map(|color| cell_set(board.by_color(color).0));
        Cells { men, empty: cell_set((!board.occupied()).0) }
    }

    fn men_of(&self, p: &Position, we: Player, kinds: u32) -> u64 {
        relations::men_of(p.chess.board(), Color::from_white(we == Player::First), kinds)
    }

    fn action_by(&self, p: &Position, steps: &[Step], promotion: u8) -> Option<Action> {
        let &[Step { from: Some(from), to }] = steps else { return None };
        if p.is_drawn() {
            return None;
        }
        relations::legal(&p.chess, from, to, promotion).map(encode)
    }

    fn relations(&self) -> &'static [&'static str] {
        &relations::NAMES
    }

    fn related(&self, p: &Position, relation: u8, others: &[u32], last: u64) -> u64 {
        relations::related(&p.chess, relation, others, last)
    }

    /// The clock stands at 0 after a draw by 50 moves, and the earlier positions are forgotten.
    fn play_on(&self, p: &mut Position) -> bool {
        if p.chess.is_insufficient_material() || !has_move(&p.chess) {
            return false;
        }
        if p.chess.halfmoves() >= FIFTY_MOVES {
            let setup = Setup { halfmoves: 0, ..p.chess.to_setup(EnPassantMode::Legal) };
            p.chess = fen::validate(setup, self.mode).expect("only the clock has changed");
        }
        p.earlier.clear();
        p.repetitions = 0;
        true
    }

    fn is_fresh(&self, p: &Position) -> bool {
        p.earlier.is_empty()
    }

    fn position_text(&self, p: &Position) -> String {
        Fen::from_position(&p.chess, EnPassantMode::Legal).to_string()
    }

    /// The first four fields of X-FEN.
    fn book_text(&self, p: &Position, _: u8, out: &mut String) {
        let text = self.position_text(p);
        let end = text.match_indices(' ').nth(3).map_or(text.len(), |(place, _)| place);
        out.push_str(&text[..end]);
    }

    /// Polyglot's key, which counts an en passant capture that a pin forbids.
    fn shared_book_key(&self, p: &Position) -> Option<u64> {
        Some(p.chess.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0)
    }

    fn action_text(&self, p: &Position, a: Action) -> String {
        p.decode(a).to_uci(self.mode).to_string()
    }

    fn parse_action(&self, p: &Position, text: &str) -> Option<Action> {
        let word: UciMove = text.trim().to_ascii_lowercase().parse().ok()?;
        if p.is_drawn() {
            return None;
        }
        word.to_move(&p.chess).ok().map(encode)
    }

    fn parse_position(&self, text: &str) -> Result<Position, String> {
        fen::read(text, self.mode).map(Position::new)
    }
}

#[cfg(test)]
mod tests;
