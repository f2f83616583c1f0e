//! The contract between a game and the search.

use crate::{
    player::Player,
    support::{
        draw::{self, Rng},
        features::MoveFeatures,
        grid::{Cells, Grid, Step},
        inputs::{Input, Judged, NetShape},
        look_ahead::LookAhead,
        tables::TablePaths,
        zobrist,
    },
};

/// A move or a chance outcome, encoded densely enough to be a table index where a game can.
pub type Action = u32;

/// The way in which playouts choose their actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// At random, each sensible action with the same chance.
    Uniform,
    /// By the game's own knowledge, where it has some: replies, captures, patterns.
    Knowledge,
    /// With more of it, where a game tells the two apart: in Go the liberties of chains.
    Tactics,
}

/// The actions of a playout, for all-moves-as-first statistics: one entry for each action of a player, in order.
pub type Trace = Vec<Played>;

/// An action and who played it; dice are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    pub action: Action,
    /// Whether the second player played it.
    pub second: bool,
}

/// A proof about a position without play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The player to move wins; by this action, if one was found.
    Win(Option<Action>),
    Loss,
    /// Neither is proven. `losing` actions lose, and `inferior` ones are no better than others that are in neither list.
    Open {
        losing: Vec<Action>,
        inferior: Vec<Action>,
    },
}

/// A two-player zero-sum game with perfect information and, perhaps, dice: the rules with their parameters.
///
/// A `Position` is a value: everything that the rules look at (the game's history too, where they look back), and
/// nothing that the search keeps. `clone_from` must reuse the allocations of a position that has any, because the
/// search copies the root into a scratch position once per simulation.
///
/// # Frames
///
/// A game with symmetries has `frames()` of them, the identity first, in the order in which the Python definition
/// lists them. `frame_key(p, i)` is the key of the image of `p` under symmetry `i`, and `to_frame(i, a)` the image of
/// the action: `key(phi_i(p)) == frame_key(p, i)`. Kernels keep the keys of all frames incrementally.
pub trait Game: Send + Sync + 'static {
    type Position: Clone + Send + Sync;

    /// The position in which a game starts.
    fn initial(&self) -> Self::Position;

    /// The player who decides at `p`. The answer for a finished game is not used.
    fn player(&self, p: &Self::Position) -> Player;

    /// The result from the first player's point of view, in [-1, 1]; `None` while the game goes on.
    fn result(&self, p: &Self::Position) -> Option<f32>;

    /// The exact value of `p`, which is not over, from the first player's point of view, where the game's tables have it.
    /// Asked once for each position that the search meets; equal keys must give the same answer.
    fn known(&self, _p: &Self::Position) -> Option<f32> {
        None
    }

    /// The proof that a look at `p` of a millisecond or so gives, for positions that the search has come to often. None where
    /// the game has no such look, or it does not apply at `p`, which is not over and where a player moves.
    fn prove(&self, _p: &Self::Position) -> Option<Proof> {
        None
    }

    /// Takes tables of solved positions; `None` puts them away.
    ///
    /// # Errors
    ///
    /// One line that names the file, and nothing changes; always if the game has no tables.
    fn set_tables(&mut self, tables: Option<&TablePaths>) -> Result<(), String> {
        match tables {
            None => Ok(()),
            Some(_) => Err("this game has no tables of solved positions".to_owned()),
        }
    }

    /// Whether the result at `p`, or a move forbidden at `p`, depends on history that the key leaves out. The search
    /// draws no proof from such a position. Called only when a proof is about to be drawn.
    fn path_dependent(&self, _p: &Self::Position) -> bool {
        false
    }

    /// Replaces the contents of `out` by the legal actions, in a fixed order; empty exactly if the game is over.
    /// At a chance position: the outcomes that can occur.
    fn actions(&self, p: &Self::Position, out: &mut Vec<Action>);

    /// The probability of outcome `a` at a chance position `p`. Over all of `actions` they add up to 1.
    fn probability(&self, _p: &Self::Position, _a: Action) -> f32 {
        1.0
    }

    /// Draws an outcome of a chance position by its probability.
    fn sample(&self, p: &Self::Position, rng: &mut Rng) -> Action {
        let mut outcomes = Vec::new();
        self.actions(p, &mut outcomes);
        let drawn = draw::weighted(outcomes.iter().map(|&a| self.probability(p, a)), rng);
        outcomes[drawn.expect("an outcome has a probability")]
    }

    /// Plays a legal action, or an outcome that can occur.
    fn play(&self, p: &mut Self::Position, a: Action);

    /// Whether `a` may be played at `p`, where a position that shares the key may differ in that (superko).
    fn still_legal(&self, _p: &Self::Position, _a: Action) -> bool {
        true
    }

    /// Number of symmetries, 1 to 12, the identity included.
    fn frames(&self) -> u8 {
        1
    }

    /// The key of the image of `p` under symmetry `frame`. Equal keys mean equal futures.
    fn frame_key(&self, p: &Self::Position, frame: u8) -> u64;

    /// The image of an action under symmetry `frame`.
    fn to_frame(&self, _frame: u8, a: Action) -> Action {
        a
    }

    /// The action whose image under symmetry `frame` is `a`.
    fn undo_frame(&self, _frame: u8, a: Action) -> Action {
        a
    }

    /// The least key over all frames and the first frame that has it.
    fn canonical(&self, p: &Self::Position) -> (u64, u8) {
        let mut best = (self.frame_key(p, 0), 0);
        for frame in 1..self.frames() {
            let key = self.frame_key(p, frame);
            if key < best.0 {
                best = (key, frame);
            }
        }
        best
    }

    /// Plays `p` out, on from the end too, and adds for each point 1 if the first player holds it then and -1 if the
    /// second one does, by action. Nothing is added where points have no owners.
    fn add_owners(&self, _p: &mut Self::Position, _rng: &mut Rng, _owners: &mut Vec<i32>) {}

    /// Replaces `out` by who holds each cell of the grid at `p`, a game that is over: 1 the first player, -1 the second, 0
    /// nobody. Empty where cells have no owners.
    fn owners(&self, _p: &Self::Position, out: &mut Vec<i8>) {
        out.clear();
    }

    /// H(s): an estimate of the result in [-1, 1] from the point of view of the player to move at `p`, a position that
    /// is not over and not a chance position; `None` if the game has no such estimate. `p` is left as it was.
    fn evaluate(&self, _p: &mut Self::Position) -> Option<f32> {
        None
    }

    /// H(s, a): replaces the contents of `out` by one preference for each of `actions`, which are legal at `p`, where a
    /// player moves. Preferences are logits: `exp` of their difference says how many times more promising one action is
    /// than another for the player to move; 0 is an ordinary action. They order and weigh actions and are never values.
    /// False, and nothing written, if the game has no such knowledge.
    fn preferences(&self, _p: &Self::Position, _actions: &[Action], _out: &mut Vec<f32>) -> bool {
        false
    }

    /// The inputs and outputs of the nets that can judge positions of this game; None where there are none.
    fn net_shape(&self) -> Option<NetShape> {
        None
    }

    /// As `net_shape`, of the nets that may say which moves are promising while playouts or the game judge positions.
    fn policy_shape(&self) -> Option<NetShape> {
        self.net_shape()
    }

    /// Replaces `out` by the inputs that are not zero at `p`, which is not over, in the order of their numbers, as the
    /// judged player (`view` 0) or the opponent (`view` 1) sees the board. None where nets do not judge such a position but
    /// those that its actions or outcomes lead to.
    fn inputs(&self, _p: &Self::Position, _view: u8, _out: &mut Vec<Input>) -> Option<Judged> {
        None
    }

    /// A quiet position that play from `p` is sure to reach, where a net's value is safe to use: its value stands for that
    /// of `p`. None if `p` is quiet itself, or the game has no such thing. Asked where nets judge `p`.
    fn settled(&self, _p: &Self::Position) -> Option<Self::Position> {
        None
    }

    /// Adds a net's sum to the static evaluation; None puts the net away. The layers are those of `LookAhead::correct`.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong, and nothing changes.
    fn correct(&mut self, net: Option<[(&[f32], &[f32]); 2]>) -> Result<(), String> {
        net.map_or(Ok(()), |_| Err("the evaluation of this game takes no net".to_owned()))
    }

    /// A search of the game's own, whose memory takes at most `bytes`, which tells the tree which moves of the root to leave
    /// out. None where a game has none.
    fn look_ahead(&self, _bytes: usize) -> Option<Box<dyn LookAhead<Self::Position>>> {
        None
    }

    /// The name and version of the features of moves; None where the game has none. Another meaning of a feature has
    /// another name.
    fn features_name(&self) -> Option<&'static str> {
        None
    }

    /// Replaces the contents of `out` by the features of each of `actions`, which are legal at `p`, where a player moves.
    fn features(&self, _p: &Self::Position, _actions: &[Action], out: &mut MoveFeatures) {
        out.clear();
    }

    /// Appends the numbers, `NetShape::slots_each` of them and each below `NetShape::slots`, of an action that is legal at `p`
    /// in the policy of a net.
    fn slots(&self, _p: &Self::Position, a: Action, out: &mut Vec<u32>) {
        out.push(a);
    }

    /// The action that a playout plays at `p`, where a player moves. `Style::Uniform` must choose as `rollout` does.
    /// `buffer` is scratch. The default draws from the legal actions with equal chances.
    fn playout_action(&self, p: &Self::Position, _style: Style, rng: &mut Rng, buffer: &mut Vec<Action>) -> Action {
        self.actions(p, buffer);
        buffer[rng.usize(..buffer.len())]
    }

    /// Plays `p` out in the given style, appends to `trace`, if there is one, what was played, and returns the result
    /// from the first player's point of view. `p` is scratch. Kernels override it where they are faster whole.
    fn playout(&self, p: &mut Self::Position, style: Style, rng: &mut Rng, mut trace: Option<&mut Trace>) -> f32 {
        let mut buffer = Vec::new();
        loop {
            if let Some(result) = self.result(p) {
                return result;
            }
            let player = self.player(p);
            let action = if player == Player::Chance {
                self.sample(p, rng)
            } else {
                self.playout_action(p, style, rng, &mut buffer)
            };
            if let Some(trace) = trace.as_deref_mut().filter(|_| player != Player::Chance) {
                trace.push(Played { action, second: player == Player::Second });
            }
            self.play(p, action);
        }
    }

    /// Plays `p` out to the end and returns the result from the first player's point of view. `p` is scratch: it may
    /// be left in any state. The default plays uniformly random legal actions.
    fn rollout(&self, p: &mut Self::Position, rng: &mut Rng) -> f32 {
        self.playout(p, Style::Uniform, rng, None)
    }

    /// The board on which patterns of cells are matched; None where the game has none.
    fn grid(&self) -> Option<Grid> {
        None
    }

    /// The contents of the board's cells. Called where `grid` gives a board, as the next three are.
    fn cells(&self, _p: &Self::Position) -> Cells {
        Cells::default()
    }

    /// The cell on which a legal action puts a man of the player to move; None if it does something else.
    fn cell_of(&self, _p: &Self::Position, _a: Action) -> Option<u32> {
        None
    }

    /// The legal action that puts a man of the player to move on an empty cell, if there is one.
    fn action_on(&self, _p: &Self::Position, _cell: u32) -> Option<Action> {
        None
    }

    /// The image of a cell under symmetry `frame`. The default is right where actions are cells.
    fn cell_to_frame(&self, frame: u8, cell: u32) -> u32 {
        self.to_frame(frame, cell)
    }

    /// The cell whose image under symmetry `frame` is `cell`. The default is right where actions are cells.
    fn undo_cell_frame(&self, frame: u8, cell: u32) -> u32 {
        self.undo_frame(frame, cell)
    }

    /// The cells, on a board of at most 64, with men of some of the kinds that the game distinguishes, a bit of `kinds` each,
    /// as the player `we` calls them. The definition of macros in Python (`books/macros/words.py`) has the bits.
    fn men_of(&self, _p: &Self::Position, _we: Player, _kinds: u32) -> u64 {
        0
    }

    /// The legal action that moves men by these steps, where `promotion` is the game's number of what a man becomes, 0 for
    /// none. The default knows one step that puts a man on an empty cell.
    fn action_by(&self, p: &Self::Position, steps: &[Step], promotion: u8) -> Option<Action> {
        match steps {
            &[Step { from: None, to }] if promotion == 0 => self.action_on(p, to),
            _ => None,
        }
    }

    /// The relations between the cells of a board of at most 64 that patterns may ask for, by name.
    fn relations(&self) -> &'static [&'static str] {
        &[]
    }

    /// The cells of `last` that stand in relation number `relation` of `relations` as its last cell, after those of `others`,
    /// from the point of view of the player to move. A relation without cells gives `last` or nothing.
    fn related(&self, _p: &Self::Position, _relation: u8, _others: &[u32], _last: u64) -> u64 {
        0
    }

    /// Makes the other player the one to move, for interfaces that let a colour move twice; the rest of the history
    /// stands. False, and nothing changed, where the game has no such thing.
    fn set_player(&self, _p: &mut Self::Position, _player: Player) -> bool {
        false
    }

    /// Whether the game is decided by points, and `score` gives them.
    fn is_scored(&self) -> bool {
        false
    }

    /// The first player's lead in points where the game has ended at `p`, or where `playout` or `rollout` has left it.
    fn score(&self, _p: &Self::Position) -> f32 {
        0.0
    }

    /// The action that leaves the board as it is, in a scored game that ends when both players take it. All frames have
    /// the same.
    fn pass_action(&self) -> Option<Action> {
        None
    }

    /// Plays on at `p`, which is over, as players do who do not claim a draw. False, and nothing changed, where the game
    /// is over without a claim. The Python definition's `without_claim`.
    fn play_on(&self, _p: &mut Self::Position) -> bool {
        false
    }

    /// Whether nothing that led to `p` matters to what follows, and `position_text` gives its text.
    fn is_fresh(&self, _p: &Self::Position) -> bool {
        false
    }

    /// The text of `p`, which is fresh: `parse_position` and the Python definition read it.
    fn position_text(&self, _p: &Self::Position) -> String {
        unreachable!("no position of this game is fresh")
    }

    /// Appends the text under which books know the image of `p` in `frame`: that of the Python definition's `book_text`.
    /// Nothing where the kernel cannot write it, or at a chance position.
    fn book_text(&self, _p: &Self::Position, _frame: u8, _out: &mut String) {}

    /// The key of `p` in books of a format that other programs share; None where there is none.
    fn shared_book_key(&self, _p: &Self::Position) -> Option<u64> {
        None
    }

    /// The action in the game's notation, as the Python definition writes it.
    fn action_text(&self, p: &Self::Position, a: Action) -> String;

    /// The legal action that `text` names at `p`, if any.
    fn parse_action(&self, p: &Self::Position, text: &str) -> Option<Action> {
        let mut actions = Vec::new();
        self.actions(p, &mut actions);
        actions.into_iter().find(|&a| self.action_text(p, a) == text)
    }

    /// The position that `text` describes, in the same notation as the Python definition's `state_from_text`.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong.
    fn parse_position(&self, text: &str) -> Result<Self::Position, String>;

    /// The actions by their numbers, as texts that mean the same in every process, where the game numbers its actions as
    /// they appear. None where the numbers are the same in every process.
    ///
    /// The error is one line that says why there are no such texts.
    fn ledger(&self) -> Option<Result<Vec<String>, String>> {
        None
    }

    /// The numbers of the actions of a ledger that was written elsewhere.
    ///
    /// # Errors
    ///
    /// One line that names a text which is no action.
    fn numbers_in(&self, ledger: &[String]) -> Result<Vec<Action>, String> {
        Ok((0..ledger.len() as Action).collect())
    }

    /// Tells versions of the rules apart, in files: the keys of the start and of what follows it, with the numbers of the
    /// actions.
    fn fingerprint(&self) -> u64 {
        let start = self.initial();
        let mut actions = Vec::new();
        self.actions(&start, &mut actions);
        actions.iter().fold(self.canonical(&start).0, |sum, &action| {
            let mut next = start.clone();
            self.play(&mut next, action);
            zobrist::key(sum.rotate_left(7) ^ self.frame_key(&next, 0), u64::from(action))
        })
    }

    /// False if a line of play can come back to a key that it has passed: the search then looks for cycles.
    fn acyclic(&self) -> bool {
        true
    }

    /// True once a callback into user code has failed; the search then stops.
    fn faulty(&self) -> bool {
        false
    }

    /// Runs one simulation. A game that lives in an interpreter takes its lock here, once.
    fn simulation<R>(&self, run: impl FnOnce() -> R) -> R {
        run()
    }
}
