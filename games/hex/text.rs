//! Positions as text.

use super::{Hex, NO_CELL, Position, START};

impl Hex {
    pub(super) fn read_position(&self, text: &str) -> Result<Position, String> {
        let bad = |what: &str| format!("not a hex position: {:?} ({what})", text.trim());
        let (rows, mover, swap) = match text.split_whitespace().collect::<Vec<_>>()[..] {
            [rows, mover @ ("b" | "w")] => (rows, mover, false),
            [rows, mover @ ("b" | "w"), "swap"] => (rows, mover, true),
            _ => {
                return Err(bad("rows from the top, then the mover b or w, then perhaps swap, as in '3/1b1/3 w swap'"));
            }
        };
        let mut p = Position { second: mover == "w", swap, ..START };
        if rows.split('/').count() != self.size as usize {
            return Err(bad(&format!("{} rows", self.size)));
        }
        for (row, text) in (0..).zip(rows.split('/')) {
            self.parse_row(&mut p, row, text).map_err(|what| bad(&what))?;
        }
        p.last = NO_CELL;
        let stones = p.stones.map(|stones| stones.len());
        if swap && !(self.swap && stones == [1, 0]) {
            return Err(bad("swap needs the swap rule and Black's first stone alone on the board"));
        }
        Ok(p)
    }

    /// Places the stones of one row of a position's text.
    fn parse_row(&self, p: &mut Position, row: u32, text: &str) -> Result<(), String> {
        let (mut column, mut rest) = (0, text);
        while let Some(mark) = rest.chars().next() {
            match mark {
                'b' | 'w' if column < self.size => {
                    self.place(p, usize::from(mark == 'w'), row * self.size + column);
                    column += 1;
                    rest = &rest[1..];
                }
                '1'..='9' => {
                    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                    let run = rest[..end].parse().unwrap_or(self.size + 1);
                    column += run.min(self.size + 1);
                    rest = &rest[end..];
                }
                _ => break,
            }
        }
        if column == self.size && rest.is_empty() {
            Ok(())
        } else {
            Err(format!("rows of {} cells: b, w and numbers for empty ones", self.size))
        }
    }
}
