//! Shapes of three by three points.

use super::board::{BLACK, Board, EMPTY, OFF, Point, WHITE};
use crate::symmetry::square;

/// Three by three points, row by row, with the move in the middle. X and O are stones, `.` is empty, `x` anything but
/// X, `o` anything but O, `?` anything, `#` off the board. Each holds for its eight images and with the colours
/// exchanged, whoever moves.
///
/// Hane, cut and edge as in MoGo's playouts (Gelly, Wang, Munos and Teytaud 2006, "Modification of UCT with Patterns in
/// Monte-Carlo Go", section 3.2), with the diagonal attachment and the cut of a knight's move that later programs have.
const SHAPES: [[&[u8; 3]; 3]; 13] = [
    // Hane: around one stone from two sides, at the head of one, bending around one, and the attachment.
    [b"XOX", b".+.", b"???"],
    [b"XO.", b".+.", b"?.?"],
    [b"XO?", b"X+.", b"x.?"],
    [b".O.", b"X+.", b"..."],
    // Cuts: of a diagonal that nothing protects, of one that is peeped at, between two stones, of a knight's move.
    [b"XO?", b"O+o", b"?o?"],
    [b"XO?", b"O+X", b"???"],
    [b"?X?", b"O+O", b"ooo"],
    [b"OX?", b"o+O", b"???"],
    // At the edge: chase, block a cut, block a connection, descend, cut.
    [b"X.?", b"O+?", b"###"],
    [b"OX?", b"X+O", b"###"],
    [b"?X?", b"x+O", b"###"],
    [b"?XO", b"x+x", b"###"],
    [b"?OX", b"X+O", b"###"],
];

/// The surroundings of an empty point that are among the shapes: a bit for each.
#[derive(Debug)]
pub struct Shapes(Vec<u64>);

impl Shapes {
    pub fn new() -> Shapes {
        let mut shapes = Shapes(vec![0; 1 << 10]);
        for shape in SHAPES {
            for image in 0..8 {
                let mut symbols = [b'?'; 9];
                for (cell, &symbol) in (0..9).zip(shape.into_iter().flatten()) {
                    symbols[square(3, image, cell) as usize] = symbol;
                }
                for x in [BLACK, WHITE] {
                    shapes.add(&symbols, x, 0, 0);
                }
            }
        }
        shapes
    }

    /// Adds all surroundings that agree with the symbols from `cell` on and have `code` before it.
    fn add(&mut self, symbols: &[u8; 9], x: u8, cell: usize, code: u16) {
        if cell == 9 {
            self.0[usize::from(code >> 6)] |= 1 << (code & 63);
            return;
        }
        let colours = [BLACK, WHITE, EMPTY, OFF];
        let fits = |colour: u8| match symbols[cell] {
            b'X' => colour == x,
            b'O' => colour == 1 - x,
            b'.' => colour == EMPTY,
            b'x' => colour != x,
            b'o' => colour != 1 - x,
            b'#' => colour == OFF,
            _ => true,
        };
        if cell == 4 {
            self.add(symbols, x, cell + 1, code);
        } else {
            for colour in colours.into_iter().filter(|&colour| fits(colour)) {
                self.add(symbols, x, cell + 1, code | part(cell, colour));
            }
        }
    }

    /// Whether the empty point `p` and what is around it is one of the shapes.
    #[inline(always)]
    pub fn fit(&self, board: &Board, p: Point) -> bool {
        let code = surroundings(board, p);
        self.0[usize::from(code >> 6)] >> (code & 63) & 1 != 0
    }
}

/// A neighbour's part of the code of its surroundings, rows counted from the south: the low half is that of
/// `Board::ring`, and two bits for each diagonal follow.
fn part(cell: usize, colour: u8) -> u16 {
    let ring = |side: u16| {
        (u16::from(colour == BLACK || colour == OFF) | u16::from(colour == WHITE || colour == OFF) << 4) << side
    };
    let diagonal = |corner: u16| u16::from(colour) << (8 + 2 * corner);
    match cell {
        0 => diagonal(0),
        1 => ring(2),
        2 => diagonal(1),
        3 => ring(0),
        5 => ring(1),
        6 => diagonal(2),
        7 => ring(3),
        _ => diagonal(3),
    }
}

/// The code of what is around the empty point `p`.
#[inline(always)]
fn surroundings(board: &Board, p: Point) -> u16 {
    let [a, b, c, d] = board.diagonals(p).map(|q| u16::from(board.colour(q)));
    u16::from(board.ring(p)) | (a | b << 2 | c << 4 | d << 6) << 8
}
