//! A board as an electrical circuit for one player (Shannon's machine; Anshelevich 2002).
//!
//! Every cell has a resistance, neighbours are joined through both of theirs, and the player's borders are the poles.
//! The conductance measures how nearly the borders are joined. The current through a cell measures how much of
//! that depends on the cell.

/// The currents when one border is held at +1/2 and the other at -1/2.
pub struct Circuit {
    /// The current from border to border.
    pub conductance: f32,
    /// The current through each cell, rows from the first border.
    pub currents: Vec<f32>,
}

/// Conductance from each cell to potential 0. It keeps the equations solvable where cells are cut off.
const LEAK: f32 = 1e-3;

/// Potentials are found by elimination in the symmetric band matrix of the conductances, row by row of the board.
struct Equations {
    size: usize,
    /// Length of a row of the matrix: the band from the diagonal on, then zeros to read beyond it.
    stride: usize,
    band: Vec<f32>,
    right: Vec<f32>,
}

/// The conductance between two neighbours.
fn link(a: f32, b: f32) -> f32 {
    1.0 / (a + b)
}

/// The conductance between a cell and the border that it touches with two sides.
fn border(a: f32) -> f32 {
    2.0 / a
}

impl Equations {
    fn new(size: usize, resistances: &[f32]) -> Equations {
        let cells = size * size;
        let stride = 2 * (size + 1).next_multiple_of(4);
        let mut equations = Equations { size, stride, band: vec![0.0; cells * stride], right: vec![0.0; cells] };
        for cell in 0..cells {
            equations.band[cell * stride] += LEAK;
        }
        for (cell, &own) in resistances.iter().enumerate() {
            let (row, column) = (cell / size, cell % size);
            if row == 0 {
                equations.join_border(cell, own, 0.5);
            }
            if row == size - 1 {
                equations.join_border(cell, own, -0.5);
            } else {
                equations.join(cell, size, link(own, resistances[cell + size]));
                if column > 0 {
                    equations.join(cell, size - 1, link(own, resistances[cell + size - 1]));
                }
            }
            if column < size - 1 {
                equations.join(cell, 1, link(own, resistances[cell + 1]));
            }
        }
        equations
    }

    fn join(&mut self, cell: usize, ahead: usize, conductance: f32) {
        self.band[cell * self.stride] += conductance;
        self.band[(cell + ahead) * self.stride] += conductance;
        self.band[cell * self.stride + ahead] -= conductance;
    }

    fn join_border(&mut self, cell: usize, resistance: f32, potential: f32) {
        self.band[cell * self.stride] += border(resistance);
        self.right[cell] += potential * border(resistance);
    }

    /// The potential of each cell.
    fn solve(mut self) -> Vec<f32> {
        match self.stride / 8 {
            1 => self.eliminate::<1>(),
            2 => self.eliminate::<2>(),
            3 => self.eliminate::<3>(),
            4 => self.eliminate::<4>(),
            5 => self.eliminate::<5>(),
            6 => self.eliminate::<6>(),
            _ => self.eliminate::<7>(),
        }
        let (size, stride, cells) = (self.size, self.stride, self.right.len());
        for cell in (0..cells).rev() {
            let row = &self.band[cell * stride..];
            let (own, ahead) = self.right[cell..].split_first_mut().expect("a cell");
            let known: f32 = row[1..=size].iter().zip(ahead).map(|(a, b)| a * *b).sum();
            *own = (*own - known) / row[0];
        }
        self.right
    }
}

impl Equations {
    /// Makes the matrix triangular; `F` is the number of fours of numbers that hold the band.
    fn eliminate<const F: usize>(&mut self) {
        let stride = 8 * F;
        let mut rows = self.band.as_mut_slice();
        for cell in 0..self.right.len() {
            let (pivot, ahead) = rows.split_at_mut(stride);
            let scale = 1.0 / pivot[0];
            let (known, right) = self.right[cell..].split_first_mut().expect("a cell");
            for (i, (row, right)) in ahead.chunks_exact_mut(stride).zip(right).take(self.size).enumerate() {
                let factor = pivot[i + 1] * scale;
                if factor != 0.0 {
                    // By fours, which one instruction handles; loops over single numbers are not compiled to that.
                    let (from, to) = (pivot[i + 1..].as_chunks::<4>().0, row.as_chunks_mut::<4>().0);
                    for (to, from) in to[..F].iter_mut().zip(&from[..F]) {
                        *to = std::array::from_fn(|number| to[number] - factor * from[number]);
                    }
                    *right -= factor * *known;
                }
            }
            rows = ahead;
        }
    }
}

impl Circuit {
    /// The circuit between the first and the last row of a board of `size` by `size` resistances, row by row; those of
    /// cells that do not conduct are infinite.
    pub fn new(size: usize, resistances: &[f32]) -> Circuit {
        let potentials = Equations::new(size, resistances).solve();
        let mut currents = vec![0.0; size * size];
        let mut conductance = 0.0;
        for (cell, &own) in resistances.iter().enumerate() {
            let (row, column) = (cell / size, cell % size);
            let mut flow = |ahead: usize| {
                let current =
                    (potentials[cell] - potentials[cell + ahead]).abs() * link(own, resistances[cell + ahead]);
                currents[cell] += current / 2.0;
                currents[cell + ahead] += current / 2.0;
            };
            if row < size - 1 {
                flow(size);
                if column > 0 {
                    flow(size - 1);
                }
            }
            if column < size - 1 {
                flow(1);
            }
            if row == 0 {
                let current = (0.5 - potentials[cell]) * border(own);
                currents[cell] += current / 2.0;
                conductance += current;
            }
            if row == size - 1 {
                currents[cell] += (0.5 + potentials[cell]) * border(own) / 2.0;
            }
        }
        Circuit { conductance, currents }
    }
}
