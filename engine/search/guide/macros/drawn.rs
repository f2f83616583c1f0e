//! Macros as their files have them: drawings of cells, conditions that relate cells, and trees of moves.

/// A linear map of the grid: (a, b, c, d) takes (column, row) to (a column + b row, c column + d row).
pub type Matrix = (i32, i32, i32, i32);

/// Names of a macro with relations or with moves from cell to cell: the first letters (`PatternMacro::compact`).
pub const NAMES: usize = 8;

/// The symmetry images in which drawings apply, and the players to whom edges of the board belong.
#[derive(Clone, Debug, Default)]
pub struct Images {
    pub matrices: Vec<Matrix>,
    /// The images of drawings with a direction.
    pub directed: Vec<Matrix>,
    /// The map from the first player's view of the board to the second's, which follows each image. None where they are the same.
    pub second: Option<Matrix>,
    /// Whether a place beyond top or bottom counts as a man of the first player, and one beyond left or right as the second's.
    pub owned_edges: bool,
}

/// The demand of a drawing on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symbol {
    /// A man of one of these kinds (`Game::men_of`).
    Kinds(u32),
    Ours,
    Theirs,
    /// A man of either player, or a place beyond the edge.
    Taken,
    Empty,
    /// A cell of the board, whatever is on it.
    Any,
    /// A place beyond the edge.
    Edge,
}

/// A cell of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct DrawnCell {
    pub column: i32,
    pub row: i32,
    pub symbol: Symbol,
    /// The letter by which moves and relations call the cell.
    pub name: Option<u8>,
}

#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub cells: Vec<DrawnCell>,
    /// Whether it applies in the images of drawings with a direction only.
    pub directed: bool,
}

/// A move by the names of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Move {
    /// From a cell, or from beyond the board, to a cell.
    pub steps: Box<[(Option<u8>, u8)]>,
    /// As for `Game::action_by`.
    pub promotion: u8,
}

/// The move that puts a man on an empty cell.
impl From<u8> for Move {
    fn from(name: u8) -> Move {
        Move { steps: [(None, name)].into(), promotion: 0 }
    }
}

impl Move {
    /// The cell that is taken, where the move does nothing else.
    pub fn taken(&self) -> Option<u8> {
        match *self.steps {
            [(None, to)] if self.promotion == 0 => Some(to),
            _ => None,
        }
    }

    pub fn names(&self) -> impl Iterator<Item = u8> {
        self.steps.iter().flat_map(|&(from, to)| from.into_iter().chain([to]))
    }
}

/// A condition that relates cells.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// Number of the relation in `Game::relations`.
    pub relation: u8,
    pub names: Box<[u8]>,
    /// Whether the relation must not hold.
    pub negated: bool,
}

/// One turn of a macro: our move, if we are to move, and our answers to the replies.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// None only for the first turn, in a tree that begins with the opponent's replies.
    pub play: Option<Move>,
    /// Conditions of our move.
    pub conditions: Vec<Phrase>,
    /// Replies, and the turn that answers each.
    pub replies: Vec<(Move, u32)>,
    /// The turn that answers all other replies.
    pub others: Option<u32>,
    /// The turn that comes in place of this one where its move is not legal or its conditions do not hold.
    pub instead: Option<u32>,
}

/// A macro with drawings.
#[derive(Clone, Debug, Default)]
pub struct PatternMacro {
    pub weight: f32,
    pub visits: u32,
    /// From the point of view of the macro's player, in [-1, 1].
    pub value: f32,
    /// Whether other moves are banned where the macro has one.
    pub only: bool,
    pub drawings: Vec<Drawing>,
    /// Men by name that are found by the conditions of the first turn instead of a place in the drawing.
    pub men: Vec<(u8, Symbol)>,
    /// Turns of the tree, the first one at its root. All other names stand in every drawing.
    pub turns: Vec<Turn>,
}

impl PatternMacro {
    /// The same macro with the first letters as its names; None if it has more than `most`.
    pub fn compact(&self, most: usize) -> Option<PatternMacro> {
        let mut names = Vec::new();
        let mut new = |name: &mut u8| {
            let place = names.iter().position(|one| one == name).unwrap_or_else(|| {
                names.push(*name);
                names.len() - 1
            });
            *name = b'a' + place as u8;
        };
        let mut one = self.clone();
        one.drawings
            .iter_mut()
            .flat_map(|drawing| &mut drawing.cells)
            .filter_map(|cell| cell.name.as_mut())
            .for_each(&mut new);
        one.men.iter_mut().for_each(|(name, _)| new(name));
        for turn in &mut one.turns {
            turn.conditions.iter_mut().flat_map(|phrase| phrase.names.iter_mut()).for_each(&mut new);
            let moves = turn.play.iter_mut().chain(turn.replies.iter_mut().map(|(reply, _)| reply));
            moves.flat_map(|one| one.steps.iter_mut()).for_each(|(from, to)| {
                from.iter_mut().for_each(&mut new);
                new(to);
            });
        }
        (names.len() <= most).then_some(one)
    }

    /// Whether its moves take empty cells, and nothing but a drawing has to fit.
    pub fn is_plain(&self) -> bool {
        let plain = |turn: &Turn| {
            let moves = turn.play.iter().chain(turn.replies.iter().map(|(reply, _)| reply));
            turn.conditions.is_empty() && turn.instead.is_none() && moves.into_iter().all(|one| one.taken().is_some())
        };
        self.men.is_empty() && self.turns.iter().all(plain)
    }
}
