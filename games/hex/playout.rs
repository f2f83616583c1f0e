//! Playouts: the moves at the start of the game, then the board is filled.

use super::{Cells, Hex, Position, WORDS, fill};
use crate::{Game, Played, Rng, Style, Trace};

impl Hex {
    /// Plays from `p` to the end, and returns who wins, from Black's point of view. `trace` takes the moves.
    pub(super) fn play_out(&self, p: &mut Position, style: Style, rng: &mut Rng, mut trace: Option<&mut Trace>) -> f32 {
        if let Some(result) = p.result {
            return result;
        }
        self.open(p, style, rng, &mut trace);
        match self.swap_action().div_ceil(64) {
            0..=1 => self.finish::<1>(p, style, rng, trace),
            2 => self.finish::<2>(p, style, rng, trace),
            3 => self.finish::<3>(p, style, rng, trace),
            4 => self.finish::<4>(p, style, rng, trace),
            5..=6 => self.finish::<6>(p, style, rng, trace),
            7..=8 => self.finish::<8>(p, style, rng, trace),
            _ => self.finish::<WORDS>(p, style, rng, trace),
        }
    }

    /// Plays from `p` to the full board, and adds 1 for each cell that Black has then, -1 for each that White has.
    pub(super) fn add_stones(&self, p: &mut Position, rng: &mut Rng, owners: &mut Vec<i32>) {
        let (style, mut trace) = (Style::Knowledge, Trace::new());
        if p.result.is_none() {
            self.open(p, style, rng, &mut None);
        }
        if p.result.is_none() {
            self.finish::<WORDS>(p, style, rng, Some(&mut trace));
        }
        owners.resize(self.swap_action() as usize, 0);
        for (cell, owner) in (0..).zip(owners.iter_mut()) {
            *owner += i32::from(p.stones[0].has(cell)) - i32::from(p.stones[1].has(cell));
        }
        for played in trace {
            owners[played.action as usize] += if played.second { -1 } else { 1 };
        }
    }

    /// Plays the moves at the start of the game that are not a matter of filling the board: Black's first stone and
    /// White's swap.
    fn open(&self, p: &mut Position, style: Style, rng: &mut Rng, trace: &mut Option<&mut Trace>) {
        if !self.swap {
            return;
        }
        let mut play = |p: &mut Position, action| {
            if let Some(trace) = trace.as_deref_mut() {
                trace.push(Played { action, second: p.second });
            }
            self.play(p, action);
        };
        if self.opens(p) {
            play(p, rng.u32(..self.swap_action()));
        }
        if self.swap_is_open(p) && self.swaps(p, style, rng) {
            play(p, self.swap_action());
        }
    }

    /// Whether a playout takes the swap that is open.
    pub(super) fn swaps(&self, p: &Position, style: Style, rng: &mut Rng) -> bool {
        match style {
            // The swap is one of as many actions as there are cells: one cell is taken.
            Style::Uniform => rng.u32(..self.swap_action()) == 0,
            Style::Knowledge | Style::Tactics => self.swap_is_good(p),
        }
    }

    /// The result of random play from `p`, computed in sets of `W` words, enough for the board.
    fn fill<const W: usize>(&self, p: &Position, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        let empty = self.empty(p).narrow::<W>();
        let share = (empty.len() + u32::from(!p.second)) / 2;
        let chosen = fill::random_share(&empty, share, rng);
        if let Some(trace) = trace {
            fill::record(&empty, &chosen, trace);
        }
        self.winner(&p.stones[0].narrow().or(&chosen))
    }

    /// The result of a full board on which Black has these stones.
    #[inline]
    fn winner<const W: usize>(&self, black: &Cells<W>) -> f32 {
        if self.board.narrow().joins_top_to_bottom(black) { 1.0 } else { -1.0 }
    }

    /// The result of play from `p` in which broken bridges are mended.
    fn fill_with_replies<const W: usize>(&self, p: &Position, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        let mut grid = self.grid.with(&p.stones.map(|stones| stones.narrow::<W>()));
        let last = self.last_place(p);
        if let Some(trace) = trace {
            trace.reserve(self.swap_action() as usize);
            let cell_at = |place: u32| (place >> 5) * self.size + (place & 31);
            grid.fill(p.second, last, rng, |place, second| trace.push(Played { action: cell_at(place), second }));
        } else {
            grid.fill(p.second, last, rng, |_, _| ());
        }
        self.winner(&grid.black::<W>())
    }

    fn finish<const W: usize>(&self, p: &Position, style: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        match style {
            Style::Uniform => self.fill::<W>(p, rng, trace),
            Style::Knowledge | Style::Tactics => self.fill_with_replies::<W>(p, rng, trace),
        }
    }
}
