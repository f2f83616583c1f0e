//! The moves that macros have at a position, and the way through their trees.

use playout_games::{Action, CELL_WORDS, Game, Player};

use super::{
    Macros,
    compile::{Stamp, Start, Turn},
    matcher::{View, members},
};
use crate::guide::Hint;

/// Lines that are followed from one position.
const MOST_LINES: usize = 256;

/// Where a line stands in its macro's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The macro's player is to make the move of this turn.
    Ours(u32),
    /// The opponent is to reply to the move of this turn.
    Theirs(u32),
}

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
        self.starts.iter().chain(&self.others).any(|starts| !starts.is_empty())
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

    /// Gives the hints of the macros that begin at `position` with a move of the player to move, and says whether one of
    /// them allows its moves only.
    pub fn begin<G: Game>(&self, game: &G, position: &G::Position, mut give: impl FnMut(Hint)) -> bool {
        let we = side(game.player(position));
        let mut only = false;
        if self.plays[we].is_empty() {
            return only;
        }
        let view = View::new(&game.cells(position), we, self.grid.words());
        for play in &self.plays[we] {
            let mut found = [0; CELL_WORDS];
            play.stamps.iter().for_each(|stamp| view.add_places(stamp, &mut found));
            for action in members(&found).filter_map(|cell| game.action_on(position, cell)) {
                give(self.hint(play.number, action));
                only |= self.list[play.number as usize].only;
            }
        }
        only
    }

    /// The lines of the position after `action`: those of `lines` that the action continues, and those that it begins.
    /// `position` is the one before it, and the cells of the lines are its own.
    pub fn after<G: Game>(&self, game: &G, position: &G::Position, lines: &[Line], action: Action) -> Vec<Line> {
        let mut found = Vec::new();
        let mut add = |line: Line| {
            if found.len() < MOST_LINES && self.goes_on(&line) && !found.contains(&line) {
                found.push(line);
            }
        };
        for line in lines {
            if let Some(stage) = self.next(game, position, line, action) {
                add(Line { stage, ..line.clone() });
            }
        }
        let mover = side(game.player(position));
        let (starts, others) = (&self.starts[mover], &self.others[mover]);
        if starts.is_empty() && others.is_empty() {
            return found;
        }
        let cells = game.cells(position);
        let views = [0, 1].map(|we| View::new(&cells, we, self.grid.words()));
        let begun = |start: &Start, place: u32| Line {
            number: start.number,
            stage: start.then,
            cells: cells_of(&start.stamp, place),
        };
        let played = game.cell_of(position, action);
        if let Some(place) = played {
            for start in starts.iter().filter(|start| views[start.we].fits(&start.stamp, place)) {
                add(begun(start, place));
            }
        }
        for start in others {
            let mut places = [0; CELL_WORDS];
            views[start.we].add_places(&start.stamp, &mut places);
            for line in members(&places).map(|place| begun(start, place)) {
                if !start.except.iter().any(|&letter| played.is_some() && line.cell(letter) == played) {
                    add(line);
                }
            }
        }
        found
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
fn cells_of(stamp: &Stamp, place: u32) -> Box<[(u8, u16)]> {
    stamp.letters.iter().map(|&(letter, offset)| (letter, place.wrapping_add_signed(offset) as u16)).collect()
}
