//! The moves that macros have at a position, and the way through their trees.

use playout_games::{Action, CELL_WORDS, Game, Player, Step};

use super::{
    Macros,
    compile::{Play, Stage, Stamp, Start},
    drawn::{Move, PatternMacro, Turn},
    matcher::{Board, members},
    relate::{Asked, Candidates},
};
use crate::{
    guide::hint::Hint,
    meta::{Offer, TreeId},
};

/// Lines that are followed from one position.
const MOST_LINES: usize = 256;
/// Steps of a move.
const MOST_STEPS: usize = 4;

/// A macro that has begun at one place of the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    number: u32,
    stage: Stage,
    /// The cells of its letters.
    cells: Box<[(u8, u16)]>,
}

impl Line {
    /// The same line where each cell is the one that `image` gives.
    pub fn map(&self, image: impl Fn(u32) -> u32) -> Line {
        let cells = self.cells.iter().map(|&(letter, cell)| (letter, image(cell.into()) as u16));
        Line { cells: cells.collect(), ..*self }
    }

    /// Whether it is one of this macro on which the opponent is to reply.
    pub fn awaits_reply(&self, number: u32) -> bool {
        self.number == number && matches!(self.stage, Stage::Theirs(_))
    }

    fn cell(&self, letter: u8) -> Option<u32> {
        self.cells.iter().find(|&&(one, _)| one == letter).map(|&(_, cell)| cell.into())
    }

    /// The legal action of a move.
    fn action<G: Game>(&self, game: &G, position: &G::Position, one: &Move) -> Option<Action> {
        action_of(game, position, one, |letter| self.cell(letter))
    }
}

/// The legal action of a move, where `cell` gives the cells of its names.
fn action_of<G: Game>(
    game: &G,
    position: &G::Position,
    one: &Move,
    cell: impl Fn(u8) -> Option<u32>,
) -> Option<Action> {
    if let Some(taken) = one.taken() {
        return game.action_on(position, cell(taken)?);
    }
    let mut steps = [Step { from: None, to: 0 }; MOST_STEPS];
    let steps = steps.get_mut(..one.steps.len())?;
    for (step, &(from, to)) in steps.iter_mut().zip(&one.steps) {
        let from = match from {
            Some(name) => Some(cell(name)?),
            None => None,
        };
        *step = Step { from, to: cell(to)? };
    }
    game.action_by(position, steps, one.promotion)
}

/// The place of the player among the two.
fn side(player: Player) -> usize {
    usize::from(player == Player::Second)
}

impl Macros {
    /// Whether a move can lead into a tree.
    pub fn has_trees(&self) -> bool {
        let related = |one: &PatternMacro| !one.is_plain() && one.turns.first().is_some_and(|top| self.answers(top));
        self.starts.iter().flatten().chain(&self.others).any(|starts| !starts.is_empty())
            || self.list.iter().any(related)
    }

    /// Whether a macro begins with a move of its player.
    pub fn has_plays(&self) -> bool {
        self.plays.iter().any(|plays| !plays.is_empty())
    }

    fn turn(&self, number: u32, turn: u32) -> &Turn {
        &self.list[number as usize].turns[turn as usize]
    }

    /// Whether the macro allows its moves only.
    pub fn is_only(&self, line: &Line) -> bool {
        self.list[line.number as usize].only && matches!(line.stage, Stage::Ours(_))
    }

    /// The hint of a macro for a move of its player.
    fn hint(&self, number: u32, action: Action) -> Hint {
        let one = &self.list[number as usize];
        Hint { action, weight: one.weight, visits: one.visits, value: one.value, banned: false }
    }

    /// Gives the hints of the macros that begin at `position` with a move of the player to move, each with the tree that goes
    /// on after it and with the line after the move where that cannot be found again from the move, and says whether one of
    /// them allows its moves only.
    pub fn begin<G: Game>(
        &self,
        game: &G,
        position: &G::Position,
        mut give: impl FnMut(Hint, Option<Offer>, Option<Line>),
    ) -> bool {
        let we = side(game.player(position));
        let mut only = false;
        if self.plays[we].is_empty() {
            return only;
        }
        let board = Board::new(game, position, self.grid.words(), &self.kinds);
        let view = board.seen_by(we);
        for Play { number, is_plain, men, stamps } in &self.plays[we] {
            let one = &self.list[*number as usize];
            if *is_plain {
                let mut found = [0; CELL_WORDS];
                stamps.iter().for_each(|stamp| view.add_places(stamp, &mut found));
                for action in members(&found).filter_map(|cell| game.action_on(position, cell)) {
                    let hint = self.hint(*number, action);
                    give(hint, self.offer(*number, 0, hint), None);
                    only |= one.only;
                }
                continue;
            }
            let Some(men) = Candidates::of_men(men, &view) else { continue };
            for stamp in stamps {
                let mut found = 0;
                view.add_to_word(stamp, &mut found);
                while found != 0 {
                    let candidates = men.drawn(letters_at(stamp, found.trailing_zeros()));
                    found &= found - 1;
                    self.relate(game, position, *number, &candidates, &mut |hint, line| {
                        only |= one.only;
                        give(hint, self.offer(*number, 0, hint), line);
                    });
                }
            }
        }
        only
    }

    /// As `begin`, for a macro with relations or with moves from cell to cell whose drawing fits; `candidates` has its names.
    fn relate<G: Game>(
        &self,
        game: &G,
        position: &G::Position,
        number: u32,
        candidates: &Candidates,
        give: &mut dyn FnMut(Hint, Option<Line>),
    ) {
        let one = &self.list[number as usize];
        let (Some(top), mut lines) = (one.turns.first(), 0) else { return };
        let Some(play) = &top.play else { return };
        Asked::new(game, position).solve(&top.conditions, candidates, &mut |candidates| {
            let Some(action) = action_of(game, position, play, |name| candidates.cell(name)) else { return };
            let line = self.line(number, Stage::Theirs(0), candidates.cells());
            lines += 1;
            give(self.hint(number, action), Some(line).filter(|_| self.answers(top) && lines <= MOST_LINES));
        });
    }

    /// The tree of a macro that begins with the move of this turn; None if nothing follows it.
    fn offer(&self, number: u32, turn: u32, hint: Hint) -> Option<Offer> {
        let goes_on = self.answers(self.turn(number, turn));
        goes_on.then_some(Offer { tree: TreeId::Drawn(number), action: hint.action, weight: hint.weight })
    }

    /// The tree that begins with the move of the macro's player on the line, if one does.
    pub fn offer_of<G: Game>(&self, game: &G, position: &G::Position, line: &Line) -> Option<Offer> {
        let Stage::Ours(turn) = line.stage else { return None };
        let (turn, action) = self.chosen(game, position, line, turn)?;
        self.offer(line.number, turn, self.hint(line.number, action))
    }

    /// The line after `action`; None where it ends.
    pub fn step<G: Game>(&self, game: &G, position: &G::Position, line: &Line, action: Action) -> Option<Line> {
        self.advanced(game, position, line, action).filter(|line| self.goes_on(line))
    }

    /// As `step`, and also a line that ends with `action`.
    fn advanced<G: Game>(&self, game: &G, position: &G::Position, line: &Line, action: Action) -> Option<Line> {
        let stage = self.next(game, position, line, action)?;
        Some(self.line(line.number, stage, line.cells.iter().copied()))
    }

    /// The lines of the position after `action`: those of `lines` that the action continues, and those that it begins.
    /// `position` is the one before it, and the cells of the lines are its own. Unless it is `known`, no macro begins there
    /// with a move of the player to move.
    pub fn after<G: Game>(
        &self,
        game: &G,
        position: &G::Position,
        (lines, known): (&[Line], bool),
        action: Action,
    ) -> Vec<Line> {
        let mut found = Vec::new();
        let mut add = |line: Line| {
            if found.len() < MOST_LINES && self.goes_on(&line) && !found.contains(&line) {
                found.push(line);
            }
        };
        lines.iter().filter_map(|line| self.advanced(game, position, line, action)).for_each(&mut add);
        let mover = side(game.player(position));
        let [plays, replies] = &self.starts[mover];
        let plays = if known { plays.as_slice() } else { &[] };
        let others = &self.others[mover];
        if plays.is_empty() && replies.is_empty() && others.is_empty() {
            return found;
        }
        let board = Board::new(game, position, self.grid.words(), &self.kinds);
        let played = game.cell_of(position, action);
        for (we, starts) in [(mover, plays), (1 - mover, replies)] {
            let (Some(place), false) = (played, starts.is_empty()) else { continue };
            let view = board.seen_by(we);
            let near = view.near(&self.grid, place, self.edges_of(we));
            for Start { number, stamp, then, .. } in starts {
                if near & stamp.near == stamp.near && view.fits(stamp, place) {
                    add(self.line(*number, *then, letters_at(stamp, place)));
                }
            }
        }
        let view = board.seen_by(1 - mover);
        for Start { number, stamp, except, then } in others {
            let mut places = [0; CELL_WORDS];
            view.add_places(stamp, &mut places);
            for place in members(&places) {
                let mut excepted = letters_at(stamp, place).filter(|(letter, _)| except.contains(letter));
                if !excepted.any(|(_, cell)| Some(u32::from(cell)) == played) {
                    add(self.line(*number, *then, letters_at(stamp, place)));
                }
            }
        }
        found
    }

    /// The line of a macro at a stage, with those of the letters that are still to be played.
    fn line(&self, number: u32, stage: Stage, letters: impl Iterator<Item = (u8, u16)>) -> Line {
        let from = &self.letters[number as usize];
        let used = match stage {
            Stage::Ours(turn) => from[turn as usize][0],
            Stage::Theirs(turn) => from[turn as usize][1],
        };
        Line { number, stage, cells: letters.filter(|(letter, _)| used >> (letter - b'a') & 1 != 0).collect() }
    }

    /// Whether the player owns the edges at both ends of the lines that `View::near` reads, and those along them.
    fn edges_of(&self, player: usize) -> [bool; 2] {
        let (sides, above_and_below) = (self.owned_edges && player == 1, self.owned_edges && player == 0);
        if self.grid.across == 1 { [sides, above_and_below] } else { [above_and_below, sides] }
    }

    /// Whether something follows where the line stands.
    fn goes_on(&self, line: &Line) -> bool {
        match line.stage {
            Stage::Ours(turn) => self.turn(line.number, turn).play.is_some(),
            Stage::Theirs(turn) => self.answers(self.turn(line.number, turn)),
        }
    }

    /// Whether there is an answer after the move of the turn.
    fn answers(&self, turn: &Turn) -> bool {
        !turn.replies.is_empty() || turn.others.is_some()
    }

    /// The number of the first of the turns, this one and those instead of it, whose move can be made, and the action.
    fn chosen<G: Game>(&self, game: &G, position: &G::Position, line: &Line, turn: u32) -> Option<(u32, Action)> {
        let mut number = Some(turn);
        while let Some(at) = number {
            let turn = self.turn(line.number, at);
            let holds = || Asked::hold(game, position, &turn.conditions, line.cells.iter().copied());
            let action = turn.play.as_ref().and_then(|play| line.action(game, position, play));
            if let Some(action) = action.filter(|_| holds()) {
                return Some((at, action));
            }
            number = turn.instead;
        }
        None
    }

    /// Where the line stands after `action`; None where it ends.
    fn next<G: Game>(&self, game: &G, position: &G::Position, line: &Line, action: Action) -> Option<Stage> {
        match line.stage {
            Stage::Ours(turn) => {
                let (turn, chosen) = self.chosen(game, position, line, turn)?;
                (chosen == action).then_some(Stage::Theirs(turn))
            }
            Stage::Theirs(turn) => {
                let turn = self.turn(line.number, turn);
                let takes = |reply: &Move| line.action(game, position, reply) == Some(action);
                let named = turn.replies.iter().find(|(reply, _)| takes(reply)).map(|&(_, answer)| answer);
                named.or(turn.others).map(Stage::Ours)
            }
        }
    }

    /// The move of the macro's player, where that player is to move on the line; None if it is not legal.
    pub fn move_of<G: Game>(&self, game: &G, position: &G::Position, line: &Line) -> Option<Hint> {
        let Stage::Ours(turn) = line.stage else { return None };
        self.chosen(game, position, line, turn).map(|(_, action)| self.hint(line.number, action))
    }

    /// Adds the replies that the line answers, where the opponent is to reply; of a macro with relations those that it names.
    pub fn add_replies<G: Game>(&self, game: &G, position: &G::Position, line: &Line, replies: &mut Vec<Action>) {
        let Stage::Theirs(turn) = line.stage else { return };
        let turn = self.turn(line.number, turn);
        if turn.others.is_some() && self.list[line.number as usize].is_plain() {
            game.actions(position, replies);
        } else {
            replies.extend(turn.replies.iter().filter_map(|(reply, _)| line.action(game, position, reply)));
        }
    }
}

/// The cells of the stamp's letters at a place.
fn letters_at(stamp: &Stamp, place: u32) -> impl Iterator<Item = (u8, u16)> {
    stamp.letters.iter().map(move |&(letter, offset)| (letter, place.wrapping_add_signed(offset) as u16))
}
