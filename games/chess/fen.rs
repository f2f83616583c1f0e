//! Reading positions: FEN, X-FEN and Shredder-FEN, held to what `chess.py` takes.

use shakmaty::{Bitboard, CastlingMode, Chess, Color, PositionError, Setup, fen::Fen};

/// The position that `text` describes. Fields that lack at the end are those of `... w - - 0 1`.
///
/// # Errors
///
/// One line that quotes the text's beginning and says what is wrong.
pub(super) fn read(text: &str, mode: CastlingMode) -> Result<Chess, String> {
    let bad = |why: &str| {
        let shown: String = text.trim().chars().take(80).collect();
        format!("not a chess position: {shown:?}: {why}")
    };
    let fields: Vec<&str> = text.split_whitespace().collect();
    check_fields(&fields).map_err(|why| bad(&why))?;
    let fen = Fen::from_ascii(fields.join(" ").as_bytes()).map_err(|error| bad(&error.to_string()))?;
    validate(fen.into_setup(), mode).map_err(|why| bad(&why))
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
fn validate(setup: Setup, mode: CastlingMode) -> Result<Chess, String> {
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
