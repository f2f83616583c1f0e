//! Moves and positions as text, in the notation of `go.py`.

use super::{
    Go, Ko, Position,
    board::{BLACK, EMPTY, Effect, WHITE},
    history::toggle,
    size::Size,
};
use crate::{Action, Game};

const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

impl Go {
    pub(super) fn text(&self, a: Action) -> String {
        if a == self.pass() {
            return "pass".to_string();
        }
        let columns = u32::from(self.size.columns);
        let (row, column) = (a / columns, (a % columns) as usize);
        format!("{}{}", COLUMNS[column] as char, row + 1)
    }

    /// The point or pass that `word` names, legal or not.
    pub(super) fn action(&self, word: &str) -> Option<Action> {
        if word.eq_ignore_ascii_case("pass") {
            return Some(self.pass());
        }
        let (letter, digits) = word.split_at_checked(1)?;
        let column = COLUMNS.iter().position(|c| c.eq_ignore_ascii_case(&letter.as_bytes()[0]))? as u32;
        let row = number(digits).filter(|_| digits.len() <= 2 && !digits.starts_with('0'))?;
        let (columns, rows) = (u32::from(self.size.columns), u32::from(self.size.rows));
        (column < columns && row <= rows).then(|| (row - 1) * columns + column)
    }

    pub(super) fn position(&self, text: &str) -> Result<Position, String> {
        let bad = |what: String| format!("not a go position: {what}");
        let words: Vec<&str> = text.split_whitespace().collect();
        if !(2..=7).contains(&words.len()) {
            return Err(bad(format!("{:?} (rows, b or w, ko, passes, captures of both, plies)", text.trim())));
        }
        let word = |i: usize, default| words.get(i).copied().unwrap_or(default);

        let mut p = self.initial();
        let Size { columns, rows } = self.size;
        self.set_up(&mut p, words[0])
            .ok_or_else(|| bad(format!("{:?} is not {rows} rows of {columns} (X, O, runs of empty)", words[0])))?;
        if let Some(point) = p.board.smothered_stone() {
            let stone = self.text(p.board.action(point).into());
            return Err(bad(format!("the stone at {stone} has no liberty")));
        }
        p.mover = match words[1] {
            "b" | "B" => BLACK,
            "w" | "W" => WHITE,
            other => return Err(bad(format!("{other:?} moves (b or w)"))),
        };
        match word(3, "0") {
            "0" => {}
            "1" => p.passes = 1,
            "2" => p.passes = 2,
            "=" if self.ko == Ko::Simple => p.repeated = true,
            other => return Err(bad(format!("passes {other:?} (0, 1 or 2; = only with ko=simple)"))),
        }
        if word(2, "-") != "-" {
            p.ko = self.ko_point(&p, words[2]).ok_or_else(|| bad(format!("no ko at {:?}", words[2])))?;
        }
        let count =
            |i| number(word(i, "0")).ok_or_else(|| bad(format!("{:?} is not a number below a million", words[i])));
        p.captures = [count(4)?, count(5)?];
        p.plies = count(6)?;
        Ok(p)
    }

    /// Puts the stones of `rows`, the top one first, on an empty board.
    fn set_up(&self, p: &mut Position, rows: &str) -> Option<()> {
        let columns = self.size.columns;
        let mut row = self.size.rows;
        for text in rows.split('/') {
            row = row.checked_sub(1)?;
            let mut column = 0;
            let mut text = text.as_bytes();
            while let Some((&c, rest)) = text.split_first() {
                let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
                if digits > 0 {
                    let run = number(std::str::from_utf8(&text[..digits]).ok()?).filter(|_| c != b'0')?;
                    column += u16::try_from(run).ok().filter(|&run| run <= columns)?;
                    text = &text[digits..];
                } else {
                    let colour = b"XO".iter().position(|stone| stone.eq_ignore_ascii_case(&c))? as u8;
                    if column >= columns {
                        return None;
                    }
                    let point = p.board.point(row * columns + column);
                    p.board.put(point, colour);
                    toggle(&mut p.keys, self.keys.stone(point, colour));
                    column += 1;
                    text = rest;
                }
            }
            if column != columns {
                return None;
            }
        }
        (row == 0).then_some(())
    }

    /// The point that `word` names, where the mover could retake one stone that has just taken one there.
    fn ko_point(&self, p: &Position, word: &str) -> Option<u16> {
        let action = self.action(word).filter(|&a| a != self.pass() && p.passes == 0)?;
        let point = p.board.point(action as u16);
        let mut taken = 0;
        p.board.for_each_removed(point, p.mover, |_| taken += 1);
        let retakes = p.board.colour(point) == EMPTY
            && p.board.surrounded(point, 1 - p.mover)
            && p.board.effect(point, p.mover) == Effect::Capture
            && taken == 1;
        if retakes { Some(point) } else { None }
    }
}

/// A number of one to six digits.
fn number(text: &str) -> Option<u32> {
    if (1..=6).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit()) { text.parse().ok() } else { None }
}
