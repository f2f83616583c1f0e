//! Slots for moves: every piece has a fixed number of them, as many as it could have moves on the empty board.
//!
//! A rook has 14, one for each square of its rank and file. A slot holds a move if its target and the way there are
//! free, and nothing if they are not.

use shakmaty::{Bitboard, Board, Color, Rank, Role, Square, attacks};

/// Slots of 16 queens, which no position exceeds.
pub(super) const MOST_SLOTS: usize = 16 * 27;

/// The layout of a piece's slots, by role and, for pawns, colour and rank.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub role: Role,
    slots: u16,
    /// Where each slot leads from each square of the empty board. The square itself, which is never free, stands in
    /// slots left over and in those of castling, the last two of a king's.
    pub targets: [[Square; 27]; 64],
    /// The condition that each slot sets to its target.
    pub needs: [Need; 27],
    /// The role that arrives.
    pub becomes: [Role; 27],
}

#[derive(Clone, Copy)]
pub(super) enum Need {
    NotOurs,
    Empty,
    Enemy,
}

pub(super) static LAYOUTS: [Layout; 9] = [
    Layout::of_piece(Role::Knight, 8),
    Layout::of_piece(Role::Bishop, 13),
    Layout::of_piece(Role::Rook, 14),
    Layout::of_piece(Role::Queen, 27),
    Layout::of_piece(Role::King, 10),
    Layout::of_pawn(Color::Black, 4),
    Layout::of_pawn(Color::White, 4),
    Layout::of_pawn(Color::Black, 12),
    Layout::of_pawn(Color::White, 12),
];

impl Layout {
    const fn of_piece(role: Role, slots: u16) -> Layout {
        let mut layout =
            Layout { role, slots, targets: [[Square::A1; 27]; 64], needs: [Need::NotOurs; 27], becomes: [role; 27] };
        let mut from = 0;
        while from < 64 {
            let square = Square::new(from as u32);
            let mut reach = attacks::attacks(square, role.of(Color::White), Bitboard::EMPTY);
            let mut slot = 0;
            while slot < 27 {
                layout.targets[from][slot] = match reach.pop_front() {
                    Some(to) => to,
                    None => square,
                };
                slot += 1;
            }
            from += 1;
        }
        layout
    }

    /// A push, two captures and a double push; on the seventh rank a push and two captures for each promotion.
    const fn of_pawn(color: Color, slots: u16) -> Layout {
        let mut layout = Layout::of_piece(Role::Pawn, slots);
        let promotes = slots == 12;
        let mut slot = 0;
        while slot < slots as usize {
            let kind = if promotes { slot % 3 } else { slot };
            layout.needs[slot] = if kind == 1 || kind == 2 { Need::Enemy } else { Need::Empty };
            if promotes {
                layout.becomes[slot] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen][slot / 3];
            }
            let mut from = 8;
            while from < 56 {
                let square = Square::new(from as u32);
                let mut captures = attacks::pawn_attacks(color, square);
                if kind == 2 {
                    captures.discard_first();
                }
                let (ahead, home) = if color.is_white() { (from + 8, from < 16) } else { (from - 8, from >= 48) };
                let capture = captures.pop_front();
                layout.targets[from][slot] = match (kind, capture) {
                    (0, _) => Square::new(ahead as u32),
                    (1 | 2, Some(to)) => to,
                    (3, _) if home => Square::new((2 * ahead - from) as u32),
                    _ => square,
                };
                from += 1;
            }
            slot += 1;
        }
        layout
    }

    /// The index in `LAYOUTS` of that of a piece.
    fn index(role: Role, color: Color, square: Square) -> u8 {
        match role {
            Role::Pawn if square.rank() == color.relative_rank(Rank::Seventh) => 7 + color as u8,
            Role::Pawn => 5 + color as u8,
            _ => role as u8 - 2,
        }
    }
}

/// The pieces of one colour and their slots, one piece's after another's.
#[derive(Clone)]
pub(super) struct PieceSlots {
    pub squares: [Square; 16],
    pub layouts: [u8; 16],
    pub first_slots: [u16; 16],
    /// The piece that owns a slot.
    pub owners: [u8; MOST_SLOTS],
    pub slots: u16,
}

impl PieceSlots {
    pub fn new(board: &Board, color: Color) -> PieceSlots {
        let mut side = PieceSlots {
            squares: [Square::A1; 16],
            layouts: [0; 16],
            first_slots: [0; 16],
            owners: [0; MOST_SLOTS],
            slots: 0,
        };
        side.lay_out(board, color);
        side
    }

    /// Lays out the slots anew, after a piece has left or has become another.
    pub fn lay_out(&mut self, board: &Board, color: Color) {
        let mut piece = 0;
        self.slots = 0;
        for role in Role::ALL {
            for square in board.by_piece(role.of(color)) {
                let layout = Layout::index(role, color, square);
                let slots = LAYOUTS[layout as usize].slots;
                self.squares[piece] = square;
                self.layouts[piece] = layout;
                self.first_slots[piece] = self.slots;
                self.owners[self.slots as usize..][..slots as usize].fill(piece as u8);
                self.slots += slots;
                piece += 1;
            }
        }
    }
}
