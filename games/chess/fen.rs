//! Reading positions: FEN, X-FEN and Shredder-FEN, held to what `chess.py` takes.

use shakmaty::{Bitboard, CastlingMode, Chess, Color, PositionError, Setup, fen::Fen};

const FIELDS: [&str; 6] =
    ["board", "side to move", "castling rights", "en passant square", "halfmove clock", "move number"];

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
    let within = |field: &str, letters: &str| field.bytes().all(|c| letters.as_bytes().contains(&c));
    for (field, what) in fields.iter().zip(FIELDS) {
        let taken = match what {
            "board" => {
                let two_digits = field.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
                within(field, "12345678/pnbrqkPNBRQK") && field.matches('/').count() == 7 && !two_digits
            }
            "side to move" => matches!(*field, "w" | "b"),
            "castling rights" => {
                let black = field.find(|c: char| c.is_ascii_lowercase()).unwrap_or(field.len());
                let sides = [(&field[..black], "KQABCDEFGH"), (&field[black..], "kqabcdefgh")];
                *field == "-" || sides.iter().all(|(side, letters)| side.len() <= 2 && within(side, letters))
            }
            "en passant square" => *field == "-" || within(field, "abcdefgh12345678"),
            _ => field.len() <= 6 && within(field, "0123456789"),
        };
        if !taken {
            return Err(what.into());
        }
    }
    Ok(())
}

/// The position if python-chess calls it valid. Unlike shakmaty, that lets a side have any 16 pieces with at most 8
/// pawns, and check by two pawns or knights at once.
pub(super) fn validate(setup: Setup, mode: CastlingMode) -> Result<Chess, String> {
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
    let position = setup.position(mode).or_else(PositionError::ignore_too_much_material);
    let position = if two_steppers { position.or_else(PositionError::ignore_impossible_check) } else { position };
    position.map_err(|error| error.to_string())
}
