//! Forced mates by trying all moves: a mate that is found is real, and none is overlooked.

use shakmaty::{Chess, Move, MoveList, Position as _};

use super::{exchange::gain, key_of};

/// Most moves of a mate.
pub const LONGEST: usize = 8;

/// Positions between two looks at the clock.
pub const GLANCE: u64 = 512;

/// The search has ended before an answer was found: it looked at all positions that it may look at, or was stopped.
#[derive(Debug, PartialEq)]
pub struct Ended;

/// A search for mates.
pub struct Mates<'a> {
    /// Positions that were looked at.
    nodes: u64,
    most: u64,
    stop: &'a mut dyn FnMut() -> bool,
    /// Keys of positions that occurred twice: each of them is a draw.
    drawn: Vec<u64>,
    /// The reply that refuted the last attempt with this number of moves left.
    refutations: [Option<Move>; LONGEST + 1],
}

impl Mates<'_> {
    /// Looks at no more than `most` positions, and asks `stop` now and then, and first of all, whether to end.
    pub fn new(most: u64, stop: &mut dyn FnMut() -> bool) -> Mates<'_> {
        Mates { nodes: 0, most, stop, drawn: Vec::new(), refutations: [None; LONGEST + 1] }
    }

    /// No mate goes through a position that occurs for the third time, after those with these keys.
    pub fn without_repetitions(mut self, earlier: &[u64]) -> Self {
        let twice = |&(place, key): &(usize, &u64)| earlier[..place].contains(key);
        self.drawn = earlier.iter().enumerate().filter(twice).map(|(_, &key)| key).collect();
        self
    }

    fn is_drawn(&self, chess: &Chess) -> bool {
        chess.is_insufficient_material() || !self.drawn.is_empty() && self.drawn.contains(&key_of(chess))
    }

    /// The number of positions that were looked at.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The least number of moves, up to `longest`, in which the player to move mates, and the first one; None if there is no
    /// such mate.
    pub fn shortest(&mut self, chess: &Chess, longest: usize) -> Result<Option<(usize, Move)>, Ended> {
        for moves in 1..=longest.min(LONGEST) {
            if let Some(m) = self.first(chess, moves)? {
                return Ok(Some((moves, m)));
            }
        }
        Ok(None)
    }

    /// A move that mates in at most this many `moves`, whatever the answers are.
    fn first(&mut self, chess: &Chess, moves: usize) -> Result<Option<Move>, Ended> {
        let legal = chess.legal_moves();
        // Checks leave the fewest answers, and only a check mates at once.
        let mut later = MoveList::new();
        for &m in &legal {
            let after = after(chess, m);
            if !after.is_check() {
                later.push(m);
            } else if self.mated(&after, moves)? {
                return Ok(Some(m));
            }
        }
        if moves > 1 {
            for &m in &later {
                if self.mated(&after(chess, m), moves)? {
                    return Ok(Some(m));
                }
            }
        }
        Ok(None)
    }

    /// Whether the player to move is mated, now or whatever it answers, where the opponent has `moves` in all.
    fn mated(&mut self, chess: &Chess, moves: usize) -> Result<bool, Ended> {
        if self.nodes >= self.most || self.nodes.is_multiple_of(GLANCE) && (self.stop)() {
            return Err(Ended);
        }
        self.nodes += 1;
        let mut answers = chess.legal_moves();
        if answers.is_empty() {
            return Ok(chess.is_check());
        }
        if moves == 1 || self.is_drawn(chess) {
            return Ok(false);
        }
        // The answer that helped last, then captures.
        let known = self.refutations[moves];
        answers.sort_by_key(|&m| (Some(m) != known, -gain(m)));
        for &m in &answers {
            let next = after(chess, m);
            if self.is_drawn(&next) || self.first(&next, moves - 1)?.is_none() {
                self.refutations[moves] = Some(m);
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn after(chess: &Chess, m: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, uci::UciMove};

    use super::{super::fen, *};

    fn shortest(fen: &str, longest: usize) -> Option<(usize, String)> {
        let chess = fen::read(fen, CastlingMode::Standard).unwrap();
        let found = Mates::new(1 << 20, &mut || false).shortest(&chess, longest).unwrap();
        found.map(|(moves, m)| (moves, UciMove::from_standard(m).to_string()))
    }

    #[test]
    fn mates_are_found_with_their_lengths() {
        for (fen, moves, first) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1, "a1a8"),
            ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 2, "g3g6"),
            ("8/8/8/8/8/4k3/8/r3K3 w - - 0 1", 0, ""),
            ("8/8/8/8/8/2k5/7r/K7 b - - 0 1", 2, "c3b3"),
        ] {
            let found = shortest(fen, 3);
            assert_eq!(found, (moves > 0).then(|| (moves, first.into())), "{fen}");
        }
    }

    #[test]
    fn a_shorter_bound_has_none() {
        assert_eq!(shortest("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", 1), None);
        // Stalemate is no mate.
        assert_eq!(shortest("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", 2).unwrap().0, 1);
        assert_eq!(shortest("k7/8/8/8/8/8/5Q2/2K5 w - - 0 1", 2), None);
    }

    #[test]
    fn the_effort_is_bounded() {
        let start = Chess::default();
        assert_eq!(Mates::new(100, &mut || false).shortest(&start, 3), Err(Ended));
        let mut asked = 0;
        let mut stop = || {
            asked += 1;
            asked > 3
        };
        let mut mates = Mates::new(1 << 20, &mut stop);
        assert_eq!((mates.shortest(&start, 4), mates.nodes()), (Err(Ended), 3 * GLANCE));
    }
}
