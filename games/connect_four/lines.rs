//! Lines of four as sets of bits, one bit for each cell.

/// The rows, columns and diagonals of a board, in the layout that `ConnectFour` describes.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    pub stride: u32,
    /// Every cell.
    pub board: u64,
}

impl Lines {
    /// Distances from one cell of a line to the next: up, and to the right downwards, level and upwards.
    fn steps(self) -> [u32; 4] {
        [1, self.stride - 1, self.stride, self.stride + 1]
    }

    /// Whether the set of discs holds four in a row.
    pub fn has_four(self, discs: u64) -> bool {
        let line = |step: u32| {
            let pairs = discs & discs >> step;
            pairs & pairs >> (2 * step)
        };
        self.steps().map(line).into_iter().any(|four| four != 0)
    }

    /// The cells that make four in a row of three of the discs, whoever holds them.
    pub fn completing(self, discs: u64) -> u64 {
        let upright = discs << 1 & discs << 2 & discs << 3;
        let others = [self.stride - 1, self.stride, self.stride + 1].map(|step| {
            let (after, before) = (discs << step & discs << (2 * step), discs >> step & discs >> (2 * step));
            after & (discs << (3 * step) | discs >> step) | before & (discs << step | discs >> (3 * step))
        });
        (upright | others[0] | others[1] | others[2]) & self.board
    }

    /// Numbers of lines with one and with two of `own` discs and none of the `other` player's.
    pub fn live(self, own: u64, other: u64) -> [u32; 2] {
        let usable = self.board & !other;
        let mut counts = [0; 2];
        for step in self.steps() {
            let (pairs, along) = (usable & usable >> step, own >> step);
            let whole = pairs & pairs >> (2 * step);
            // A half-adder for each pair of neighbours, then the two sums together.
            let (odd, both) = (own ^ along, own & along);
            let (odd_after, both_after) = (odd >> (2 * step), both >> (2 * step));
            let two = ((both ^ both_after) & !(odd | odd_after) | odd & odd_after) & whole;
            let one = (odd ^ odd_after) & !(both | both_after) & whole;
            for (count, lines) in counts.iter_mut().zip([one, two]) {
                *count += lines.count_ones();
            }
        }
        counts
    }
}
