//! The board of cells of a user's game, for patterns: its hooks `cells` and `cell`.

use playout_games::{Cells, Grid, insert_cell as insert};
use pyo3::prelude::*;

use super::{faults::wrong, hooks::Hooks};

/// A board, and the image of each cell under each of the game's symmetries and under their inverses.
pub struct PyBoard {
    pub grid: Grid,
    images: Vec<[Vec<u32>; 2]>,
    cells: Py<PyAny>,
    cell: Py<PyAny>,
}

impl PyBoard {
    /// The board that the game declares; None if it declares none, or its symmetries are not those of a rectangle.
    ///
    /// # Errors
    ///
    /// Exceptions of the game's methods.
    pub fn new(game: &Bound<'_, PyAny>) -> PyResult<Option<PyBoard>> {
        let declared = game.py().import("playout.books.macros.declared_boards")?;
        let board: Option<(u32, u32, Vec<Vec<u32>>)> = declared.call_method1("cell_images", (game,))?.extract()?;
        let Some((columns, rows, images)) = board else { return Ok(None) };
        let images = images.into_iter().map(|image| {
            let mut inverse = vec![0; image.len()];
            (0..).zip(&image).for_each(|(cell, &to)| inverse[to as usize] = cell);
            [image, inverse]
        });
        Ok(Some(PyBoard {
            grid: Grid::by_rows(columns, rows),
            images: images.collect(),
            cells: game.getattr("cells")?.unbind(),
            cell: game.getattr("cell")?.unbind(),
        }))
    }

    /// The image of a cell under a symmetry or, with `inverse`, under its inverse.
    pub fn image(&self, frame: u8, cell: u32, inverse: bool) -> u32 {
        let image =
            self.images.get(usize::from(frame)).and_then(|images| images[usize::from(inverse)].get(cell as usize));
        image.copied().unwrap_or(cell)
    }

    /// The contents of the cells of a state.
    pub fn contents(&self, hooks: &Hooks, state: &Bound<'_, PyAny>) -> PyResult<Cells> {
        let answer = hooks.call(&self.cells, "cells", &[state])?;
        let rows: Option<Vec<Vec<Option<i64>>>> = answer.extract().ok();
        let Grid { columns, rows: count, .. } = self.grid;
        let fits = |rows: &Vec<Vec<Option<i64>>>| {
            rows.len() == count as usize && rows.iter().all(|row| row.len() == columns as usize)
        };
        let what = format!("must give {count} rows of {columns} cells, each with its owner or None");
        let rows = rows.filter(fits).ok_or_else(|| wrong(state.py(), "cells", &[state], &what))?;
        let mut cells = Cells::default();
        for (cell, owner) in (0..).zip(rows.iter().flatten()) {
            match owner {
                None => insert(&mut cells.empty, cell),
                Some(0) => insert(&mut cells.men[0], cell),
                Some(1) => insert(&mut cells.men[1], cell),
                Some(_) => {}
            }
        }
        Ok(cells)
    }

    /// The cell that an action takes; None if it takes none.
    pub fn taken(&self, hooks: &Hooks, state: &Bound<'_, PyAny>, action: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let place: Option<(i32, i32)> = hooks.call(&self.cell, "cell", &[state, action])?.extract()?;
        Ok(place.and_then(|(column, row)| self.grid.cell(column, row)))
    }
}
