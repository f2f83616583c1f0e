//! Columns and rows.

use std::{fmt, str::FromStr};

use crate::{
    Action,
    symmetry::{frames, rectangle},
};

/// Columns and rows of a board: `9` is 9 by 9, `13x9` has 13 columns.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Size {
    pub fn square(side: u16) -> Size {
        Size { columns: side, rows: side }
    }

    pub fn area(self) -> u16 {
        self.columns * self.rows
    }

    /// Number of symmetries.
    pub fn frames(self) -> u8 {
        frames(self.columns.into(), self.rows.into())
    }

    /// The image of a point under a symmetry.
    pub fn image(self, frame: u8, a: Action) -> Action {
        rectangle(self.columns.into(), self.rows.into(), frame, a)
    }
}

impl FromStr for Size {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Size, Self::Err> {
        let (columns, rows) = text.split_once('x').unwrap_or((text, text));
        Ok(Size { columns: columns.parse()?, rows: rows.parse()? })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.columns == self.rows { self.rows.fmt(f) } else { write!(f, "{}x{}", self.columns, self.rows) }
    }
}
