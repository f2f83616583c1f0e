//! Carriers of proofs: the cells of a board on which a proof rests.

use std::fmt::Debug;

use playout_games::hex::cells::Cells;

/// A set of cells by their bits. `()` is for games whose proofs are not told apart by cells.
pub trait Carrier: Copy + Debug + Send + 'static {
    const NONE: Self;
    /// Every cell.
    const ALL: Self;

    fn union(self, other: Self) -> Self;
    fn meet(self, other: Self) -> Self;
    fn is_none(self) -> bool;
}

impl Carrier for () {
    const NONE: () = ();
    const ALL: () = ();

    fn union(self, (): ()) {}

    fn meet(self, (): ()) {}

    fn is_none(self) -> bool {
        false
    }
}

macro_rules! bits {
    ($word:ty) => {
        impl Carrier for $word {
            const NONE: $word = 0;
            const ALL: $word = <$word>::MAX;

            fn union(self, other: $word) -> $word {
                self | other
            }

            fn meet(self, other: $word) -> $word {
                self & other
            }

            fn is_none(self) -> bool {
                self == 0
            }
        }
    };
}

impl<const W: usize> Carrier for Cells<W> {
    const NONE: Cells<W> = Cells::EMPTY;
    const ALL: Cells<W> = Cells::FULL;

    fn union(self, other: Cells<W>) -> Cells<W> {
        self.or(&other)
    }

    fn meet(self, other: Cells<W>) -> Cells<W> {
        self.and(&other)
    }

    fn is_none(self) -> bool {
        self.is_empty()
    }
}

bits!(u64);
bits!(u128);
