//! The moves that macros have at a position, and the way through their trees.

use playout_games::{Action, CELL_WORDS, Game, Player};

use super::{
    Macros,
    compile::{Stage, Stamp, Start, Turn},
    matcher::{Board, members},
};
use crate::{
    hint::Hint,
    meta::{Offer, TreeId},
};

/// Lines that are followed from one position.
const MOST_LINES: usize = 256;

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

    /// The legal action on the cell of a letter.
    fn action<G: Game>(&self, game: &G, position: &G::Position, letter: u8) -> Option<Action> {
        self.cell(letter).and_then(|cell| game.action_on(position, cell))
    }
}

/// The place of the player among the two.
fn side(player: Player) -> usize {
    usize::from(player == Player::Second)
}

impl Macros {
    /// Whether a move can lead into a tree.
    pub fn has_trees(&self) -> bool {
        self.starts.iter().flatten().chain(&self.others).any(|starts| !starts.is_empty())
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
    /// on after it, and says whether one of them allows its moves only.
    pub fn begin<G: Game>(&self, game: &G, position: &G::Position, mut give: impl FnMut(Hint, Option<Offer>)) -> bool {
        let we = side(game.player(position));
        let mut only = false;
        if self.plays[we].is_empty() {
            return only;
        }
        let board = Board::new(game.cells(position), self.grid.words());
        let view = board.seen_by(we);
        for play in &self.plays[we] {
            let mut found = [0; CELL_WORDS];
            play.stamps.iter().for_each(|stamp| view.add_places(stamp, &mut found));
            for action in members(&found).filter_map(|cell| game.action_on(position, cell)) {
                let hint = self.hint(play.number, action);
                give(hint, self.offer(play.number, 0, hint));
                only |= self.list[play.number as usize].only;
            }
        }
        only
    }

    /// The tree of a macro that begins with the move of this turn; None if nothing follows it.
    fn offer(&self, number: u32, turn: u32, hint: Hint) -> Option<Offer> {
        let Turn { replies, others, .. } = self.turn(number, turn);
        let goes_on = !replies.is_empty() || others.is_some();
        goes_on.then_some(Offer { tree: TreeId::Drawn(number), action: hint.action, weight: hint.weight })
    }

    /// The tree that begins with the move of the macro's player on the line, if one does.
    pub fn offer_of<G: Game>(&self, game: &G, position: &G::Position, line: &Line) -> Option<Offer> {
        let Stage::Ours(turn) = line.stage else { return None };
        self.offer(line.number, turn, self.move_of(game, position, line)?)
    }

    /// The line after `action`; None where it ends.
    pub fn step<G: Game>(&self, game: &G, position: &G::Position, line: &Line, action: Action) -> Option<Line> {
        let stage = self.next(game, position, line, action)?;
        Some(self.line(line.number, stage, line.cells.iter().copied())).filter(|line| self.goes_on(line))
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
        lines.iter().filter_map(|line| self.step(game, position, line, action)).for_each(&mut add);
        let mover = side(game.player(position));
        let [plays, replies] = &self.starts[mover];
        let plays = if known { plays.as_slice() } else { &[] };
        let others = &self.others[mover];
        if plays.is_empty() && replies.is_empty() && others.is_empty() {
            return found;
        }
        let board = Board::new(game.cells(position), self.grid.words());
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
            Stage::Theirs(turn) => {
                let turn = self.turn(line.number, turn);
                !turn.replies.is_empty() || turn.others.is_some()
            }
        }
    }

    /// Where the line stands after `action`; None where it ends.
    fn next<G: Game>(&self, game: &G, position: &G::Position, line: &Line, action: Action) -> Option<Stage> {
        let takes = |letter: u8| line.action(game, position, letter) == Some(action);
        match line.stage {
            Stage::Ours(turn) => takes(self.turn(line.number, turn).play?).then_some(Stage::Theirs(turn)),
            Stage::Theirs(turn) => {
                let turn = self.turn(line.number, turn);
                let named = turn.replies.iter().find(|&&(letter, _)| takes(letter)).map(|&(_, answer)| answer);
                named.or(turn.others).map(Stage::Ours)
            }
        }
    }

    /// The move of the macro's player, where that player is to move on the line; None if it is not legal.
    pub fn move_of<G: Game>(&self, game: &G, position: &G::Position, line: &Line) -> Option<Hint> {
        let Stage::Ours(turn) = line.stage else { return None };
        let action = line.action(game, position, self.turn(line.number, turn).play?)?;
        Some(self.hint(line.number, action))
    }

    /// Adds the replies that the line answers, where the opponent is to reply.
    pub fn add_replies<G: Game>(&self, game: &G, position: &G::Position, line: &Line, replies: &mut Vec<Action>) {
        let Stage::Theirs(turn) = line.stage else { return };
        let turn = self.turn(line.number, turn);
        if turn.others.is_some() {
            game.actions(position, replies);
        } else {
            replies.extend(turn.replies.iter().filter_map(|&(letter, _)| line.action(game, position, letter)));
        }
    }
}

/// The cells of the stamp's letters at a place.
fn letters_at(stamp: &Stamp, place: u32) -> impl Iterator<Item = (u8, u16)> {
    stamp.letters.iter().map(move |&(letter, offset)| (letter, place.wrapping_add_signed(offset) as u16))
}
