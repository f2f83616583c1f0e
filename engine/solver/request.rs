//! The question that a solver answers.

/// The method of solving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The solver of its own for connect four, proof-number search for Hex, else alpha-beta.
    Auto,
    AlphaBeta,
    ProofNumber,
}

/// A question to the solver.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub method: Method,
    /// The value of every legal move, not of the best ones alone.
    pub all_moves: bool,
    /// With `all_moves`, also the lengths of moves that are not the best, and best play. Without them connect four is
    /// solved sooner.
    pub lengths: bool,
    /// Bound of the transposition table.
    pub hash_bytes: usize,
    /// Threads; the solver of connect four alone uses more than one, and with `all_moves` only.
    pub threads: usize,
}
