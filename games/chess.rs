//! Chess and Chess960: the kernel of `chess.py`. Moves and keys are shakmaty's.

mod eval;
mod rollout;
mod slots;

pub use eval::{evaluate, quiesce};

use shakmaty::{
    Bitboard, Board, CastlingMode, Color, EnPassantMode, Move, Position as _, PositionError, Role, Setup, Square,
    fen::Fen, uci::UciMove, zobrist::Zobrist64,
};

use crate::{Action, Game, Params, Player, Rng, zobrist};

/// The Scharnagl number of the array of standard chess.
const STANDARD: u32 = 518;
/// Halfmoves without a capture or a pawn move that end a game.
const FIFTY_MOVES: u32 = 100;

/// The rules of chess, from one of the 960 arrays.
#[derive(Clone, Debug)]
pub struct Chess {
    mode: CastlingMode,
    array: u32,
}

/// A position, and the keys of those that could still be repeated.
#[derive(Debug)]
pub struct Position {
    chess: shakmaty::Chess,
    /// Zobrist key (Polyglot's numbers) of what a repetition repeats: pieces, mover, castling rights and the en
    /// passant file if a capture there is legal.
    key: u64,
    /// How often the position occurred before: 0, 1 or 2, which stands for more.
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
        let Zobrist64(key) = chess.zobrist_hash(EnPassantMode::Legal);
        Position { chess, key, repetitions: 0, earlier: Vec::new() }
    }

    /// Whether the game is drawn, whatever moves there are, unless the mover is mated.
    fn is_drawn(&self) -> bool {
        self.drawn_by_history() || self.chess.is_insufficient_material()
    }

    fn drawn_by_history(&self) -> bool {
        self.chess.halfmoves() >= FIFTY_MOVES || self.repetitions >= 2
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

/// The index in `Role::ALL` of the piece that a pawn becomes; out of its range if it stays a pawn.
fn promotion(a: Action) -> usize {
    (a as usize >> 12).wrapping_sub(1)
}

/// `from | to << 6 | promotion << 12`; castling goes from the king's square to the rook's.
fn encode(m: Move) -> Action {
    let from = m.from().expect("no drops in chess");
    from.to_u32() | m.to().to_u32() << 6 | m.promotion().map_or(0, |role| role as u32) << 12
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
        Ok(Chess { mode, array })
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
        if p.chess.legal_moves().is_empty() {
            return Some(if p.chess.is_check() { -player(p.chess.turn()).sign() } else { 0.0 });
        }
        p.is_drawn().then_some(0.0)
    }

    /// Draws by repetition and by 50 moves, and positions from which the latter is near. The key's coarse clock still
    /// lets a mate in more than 30 moves without a capture or a pawn move count as proven where it comes too late.
    fn path_dependent(&self, p: &Position) -> bool {
        p.chess.halfmoves() >= 80 || p.repetitions >= 2
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
        let update = p.chess.update_zobrist_hash(Zobrist64(p.key), m, EnPassantMode::Legal);
        p.chess.play_unchecked(m);
        p.key = update.unwrap_or_else(|| p.chess.zobrist_hash(EnPassantMode::Legal)).0;
        let same_mover = p.earlier.iter().rev().skip(1).step_by(2);
        p.repetitions = same_mover.filter(|&&key| key == p.key).take(2).count() as u8;
    }

    /// The key of the position, how often it occurred before, and of the halfmove clock, coarse while far from 100.
    fn frame_key(&self, p: &Position, _: u8) -> u64 {
        let clock = match p.chess.halfmoves() {
            0..40 => 0,
            clock @ 40..80 => clock / 8,
            clock => clock.min(FIFTY_MOVES),
        };
        p.key ^ zobrist::key(u64::from(p.repetitions), u64::from(clock))
    }

    /// Uniformly random legal moves; repetitions are not looked at.
    fn rollout(&self, p: &mut Position, rng: &mut Rng) -> f32 {
        rollout::Playout::new(&p.chess).run(rng)
    }

    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        Some(quiesce(p))
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
        let bad = |why: &str| {
            let text = text.trim();
            let shown: String = if text.chars().count() <= 80 { text.into() } else { text.chars().take(77).collect() };
            format!("not a chess position: {shown:?}: {why}")
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        check_fields(&fields).map_err(|why| bad(&why))?;
        let fen = Fen::from_ascii(fields.join(" ").as_bytes()).map_err(|error| bad(&error.to_string()))?;
        validate(fen.into_setup(), self.mode).map(Position::new).map_err(|why| bad(&why))
    }
}

/// Holds the fields of a FEN to their alphabets, where shakmaty's reader takes more.
fn check_fields(fields: &[&str]) -> Result<(), String> {
    if !(1..=6).contains(&fields.len()) {
        return Err(format!("{} fields instead of 6", fields.len()));
    }
    let digit = |c: u8| c.is_ascii_digit();
    let within = |field: &str, letters: &str| field.bytes().all(|c| letters.as_bytes().contains(&c));
    let board = fields[0].as_bytes();
    if !within(fields[0], "12345678/pnbrqkPNBRQK")
        || board.iter().filter(|&&c| c == b'/').count() != 7
        || board.windows(2).any(|pair| digit(pair[0]) && digit(pair[1]))
    {
        return Err("board".into());
    }
    let castling = |field: &str| {
        let (white, black) = field.split_at(field.find(|c: char| c.is_ascii_lowercase()).unwrap_or(field.len()));
        let sides = [(white, "KQABCDEFGH"), (black, "kqabcdefgh")];
        field == "-" || sides.iter().all(|(side, letters)| side.len() <= 2 && within(side, letters))
    };
    let en_passant = |field: &str| field == "-" || !within(field, "ABCDEFGH12345678");
    let counter = |field: &str| field.len() <= 4 && field.bytes().all(digit);
    let rest: [(&str, &dyn Fn(&str) -> bool); 4] = [
        ("castling rights", &castling),
        ("en passant square", &en_passant),
        ("halfmove clock", &counter),
        ("move number", &counter),
    ];
    match fields.iter().skip(2).zip(rest).find(|(field, (_, ok))| !ok(field)) {
        Some((_, (name, _))) => Err(name.into()),
        None => Ok(()),
    }
}

/// The position if python-chess calls it valid. Unlike shakmaty, that lets a side have any 16 pieces with at most 8
/// pawns, and check by two pawns or knights at once.
fn validate(setup: Setup, mode: CastlingMode) -> Result<shakmaty::Chess, String> {
    let (board, mover, en_passant) = (setup.board.clone(), setup.turn, setup.ep_square);
    for color in Color::ALL {
        let pieces = board.by_color(color);
        if pieces.count() > 16 || (pieces & board.pawns()).count() > 8 {
            return Err(format!("too many pieces of {}", color.fold_wb("White", "Black")));
        }
    }
    let checkers =
        board.king_of(mover).map_or(Bitboard::EMPTY, |king| board.attacks_to(king, !mover, board.occupied()));
    let two_steppers = checkers.count() == 2 && (checkers & board.steppers()) == checkers && en_passant.is_none();
    setup
        .position(mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(|error| if two_steppers { error.ignore_impossible_check() } else { Err(error) })
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::perft;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    fn game(parameters: &[(&str, &str)]) -> Result<Chess, String> {
        let owned = parameters.iter().map(|&(name, value)| (name.into(), value.into()));
        Chess::new(&Params(owned.collect()))
    }

    fn standard() -> Chess {
        game(&[]).unwrap()
    }

    fn count(game: &Chess, fen: &str, depth: u32) -> u64 {
        perft(game, &game.parse_position(fen).unwrap(), depth)
    }

    #[test]
    fn perft_of_the_well_known_positions() {
        let g = standard();
        assert_eq!(perft(&g, &g.initial(), 4), 197_281);
        assert_eq!(count(&g, KIWIPETE, 3), 97_862);
        assert_eq!(count(&g, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 4), 43_238);
        assert_eq!(count(&g, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3), 9_467);
        assert_eq!(count(&g, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3), 62_379);
        assert_eq!(count(&g, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3), 89_890);
    }
}
