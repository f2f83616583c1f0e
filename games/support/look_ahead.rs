//! A search of a game's own beside the tree.

use crate::TablePaths;

/// A move that a look-ahead takes for one of the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub action: u32,
    /// Its value in [-1, 1] for the player who makes it: of the best move exact for the depth, of others a bound from below.
    pub value: f32,
}

/// The result of a look-ahead.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// The best move first, and those that come near it; empty if nothing was found in time.
    pub moves: Vec<Seen>,
    /// Best play as far as it is remembered, the best move first.
    pub line: Vec<u32>,
    /// Plies to the end of the game by best play, where the best move is known to win or to lose.
    pub plies: Option<u32>,
    /// Plies of the last depth that was searched whole.
    pub depth: u32,
    /// Plies of the longest line that was searched.
    pub longest: u32,
    /// Positions that were searched.
    pub nodes: u64,
    /// Share of them that were searched after the best move.
    pub effort: f32,
    /// The next best moves, where several lines were asked for.
    pub others: Vec<Variation>,
}

/// A move and best play after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// The move, with its exact value for the depth.
    pub seen: Seen,
    /// As in `Sight`, the move first.
    pub line: Vec<u32>,
    /// As in `Sight`.
    pub plies: Option<u32>,
    /// Positions that were searched after the move.
    pub nodes: u64,
}

/// The demands on a look-ahead.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The moves to look at; empty for all.
    pub only: Vec<u32>,
    /// Number of the best moves whose values are exact, each with best play after it; at least 1.
    pub lines: usize,
    /// Moves whose value is less than that of the best one by more than this are left out; by less, where the game is nearly
    /// decided.
    pub margin: f32,
    /// Threads that search, at least 1.
    pub threads: usize,
    /// Positions after which the first thread ends, and the others with it.
    pub positions: u64,
    /// Hundredths of the game's unit, in chess of a pawn, by which a draw is worse than even for the player to move.
    pub contempt: i32,
}

impl Default for Wish {
    /// For the best move alone, by one thread, as long as there is time.
    fn default() -> Wish {
        Wish { only: Vec::new(), lines: 1, margin: 0.0, threads: 1, positions: u64::MAX, contempt: 0 }
    }
}

/// Looks ahead by alpha-beta, or another search whose errors are others than those of a tree of mean values. Keeps what it
/// learned of positions from one call to the next.
pub trait LookAhead<P>: Send {
    /// Adds a net's sum to the static evaluation, and forgets what was learned of positions; None puts the net away. Of its
    /// two layers, each with weights and bias, the first goes from `NetShape::correction` inputs of a point of view to sums,
    /// input by input, the second from the sums of the mover and of the opponent to one number for each stage of the game,
    /// told by the number of inputs that are not 0 (`inputs::correction_stage`).
    ///
    /// # Errors
    ///
    /// One line that says what is wrong; the look-ahead is as before.
    fn correct(&mut self, net: Option<[(&[f32], &[f32]); 2]>) -> Result<(), String> {
        net.map_or(Ok(()), |_| Err("the look-ahead of this game takes no net".to_owned()))
    }

    /// Takes tables of solved positions, in which positions are looked up from `depth` plies below the root on, and forgets
    /// what was learned of positions; None puts the tables away.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the tables; the look-ahead is as before.
    fn set_tables(&mut self, tables: Option<&TablePaths>, _depth: u32) -> Result<(), String> {
        tables.map_or(Ok(()), |_| Err("the look-ahead of this game takes no tables".to_owned()))
    }

    /// Looks at the moves of `p`, where a player moves, deeper and deeper until `spent`, which is asked now and then, says
    /// that the effort is spent: from 0 to 1, or more where it is to end at once. `heard` gets the best move, without those
    /// near it, after each depth, and says whether to look deeper: if not, the rest of the time is as if the effort were
    /// that of the depths so far.
    fn see(
        &mut self,
        p: &P,
        wish: &Wish,
        spent: &mut dyn FnMut() -> f32,
        heard: &mut dyn FnMut(&Sight) -> bool,
    ) -> Sight;
}
