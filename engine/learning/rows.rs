//! Rows to learn from: positions of games as a net reads them, with what it should have said.

use std::{collections::HashMap, ops::Range};

use playout_games::{Action, Game, Input, NetShape, Views};

use crate::{
    outcomes::Outcomes,
    records::{GameRecord, Ply, Searched},
};

/// Rows one after another.
#[derive(Debug, Default)]
pub struct Rows {
    rows: Vec<Place>,
    inputs: Vec<Input>,
    targets: Vec<f32>,
    policies: Vec<(u32, f32)>,
    /// Those of the row that is added.
    views: Views,
}

#[derive(Debug)]
struct Place {
    phase: usize,
    /// Inputs of each point of view.
    inputs: [Range<usize>; 2],
    targets: Range<usize>,
    policies: Range<usize>,
}

/// A position as a net reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    pub phase: usize,
    /// Inputs of each point of view; the second has none where nets read one.
    pub inputs: [&'a [Input]; 2],
    /// Chances of the outcomes.
    pub target: &'a [f32],
    /// Shares of the slots of the legal actions.
    pub policy: &'a [(u32, f32)],
}

impl Rows {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn get(&self, number: usize) -> Row<'_> {
        let Place { phase, inputs, targets, policies } = &self.rows[number];
        Row {
            phase: *phase,
            inputs: inputs.each_ref().map(|range| &self.inputs[range.clone()]),
            target: &self.targets[targets.clone()],
            policy: &self.policies[policies.clone()],
        }
    }
}

/// Makes rows of games.
pub struct Replay<'a, G> {
    pub game: &'a G,
    pub shape: &'a NetShape,
    pub outcomes: &'a Outcomes,
    /// The policy's slots by action, where the game numbers its actions as they appear.
    pub slots: Option<&'a HashMap<Action, u32>>,
    /// Share of the game's result in the target of the outcomes, in [0, 1]; the rest is the search's value.
    pub result_share: f32,
}

impl<G: Game> Replay<'_, G> {
    /// Appends the rows of the image of a game under the symmetry `frame`; none where its start is not an image of itself.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the game.
    pub fn add(&self, record: &GameRecord, frame: u8, rows: &mut Rows) -> Result<(), String> {
        replay(self.game, record, frame, &mut |p, legal, ply| {
            if !ply.searched.visits().is_empty() {
                self.add_row(p, ply, record.result, (legal, frame), rows);
            }
        })
    }

    fn add_row(&self, p: &G::Position, ply: &Ply, result: f32, (legal, frame): (&[Action], u8), rows: &mut Rows) {
        let Some(judged) = rows.views.read(self.game, p, self.shape.views) else { return };
        let targets = rows.targets.len();
        self.add_target(judged.player.sign() * result, ply.searched.value(), &mut rows.targets);
        let policies = rows.policies.len();
        if self.shape.sharpness.is_none()
            && let Some(share) = ply.searched.shares()
        {
            let share = |action| share(self.game.undo_frame(frame, action));
            let slot = |action| match self.slots {
                Some(slots) => slots.get(&action).copied(),
                None => Some(self.game.slot(p, action)),
            };
            rows.policies.extend(legal.iter().filter_map(|&action| Some((slot(action)?, share(action)))));
        }
        let mut inputs = [rows.inputs.len(); 2].map(|end| end..end);
        for (range, view) in inputs.iter_mut().zip(rows.views.iter()) {
            let begin = rows.inputs.len();
            rows.inputs.extend_from_slice(view);
            *range = begin..rows.inputs.len();
        }
        rows.rows.push(Place {
            phase: judged.phase,
            inputs,
            targets: targets..rows.targets.len(),
            policies: policies..rows.policies.len(),
        });
    }

    /// The chances of the outcomes that mix the result with the value, if there is one, both for the judged player. The value
    /// is spread over the best and the worst outcome.
    fn add_target(&self, result: f32, value: Option<f32>, out: &mut Vec<f32>) {
        let results = &self.shape.results;
        let first = out.len();
        out.resize(first + results.len(), 0.0);
        let chances = &mut out[first..];
        self.outcomes.known(result, chances);
        let Some(value) = value else { return };
        chances.iter_mut().for_each(|chance| *chance *= self.result_share);
        let place = |better: fn(&f32, &f32) -> bool| {
            (0..results.len()).reduce(|a, b| if better(&results[b], &results[a]) { b } else { a }).unwrap_or(0)
        };
        let (best, worst) = (place(|a, b| a > b), place(|a, b| a < b));
        let part = ((value - results[worst]) / (results[best] - results[worst])).clamp(0.0, 1.0);
        chances[best] += (1.0 - self.result_share) * part;
        chances[worst] += (1.0 - self.result_share) * (1.0 - part);
    }
}

/// Plays the image of a game under the symmetry `frame`, and calls `each` with each position, its legal actions and the ply
/// that follows, whose actions are those of the game and not of the image. Does nothing where the start is not an image of
/// itself.
///
/// # Errors
///
/// One line that says what is wrong with the game.
pub fn replay<G: Game>(
    game: &G,
    record: &GameRecord,
    frame: u8,
    each: &mut impl FnMut(&G::Position, &[Action], &Ply),
) -> Result<(), String> {
    let mut p = match &record.start {
        Some(text) => game.parse_position(text)?,
        None => game.initial(),
    };
    if game.frame_key(&p, frame) != game.frame_key(&p, 0) {
        return Ok(());
    }
    let mut legal = Vec::new();
    for (number, ply) in (1..).zip(&record.plies) {
        if game.result(&p).is_some() {
            return Err(format!("the game is over before ply {number}"));
        }
        game.actions(&p, &mut legal);
        let image = |action| game.to_frame(frame, action);
        let taken = ply.searched.visits().iter().map(|&(action, _)| action).chain([ply.action]);
        if taken.into_iter().any(|action| !legal.contains(&image(action))) {
            return Err(format!("ply {number} has an illegal move"));
        }
        each(&p, &legal, ply);
        game.play(&mut p, image(ply.action));
    }
    let may_be_open = record.plies.iter().any(|ply| matches!(ply.searched, Searched::Given(_)));
    match game.result(&p) {
        Some(result) if (result - record.result).abs() < 1e-4 => Ok(()),
        Some(result) => Err(format!("the result is {} instead of {result}", record.result)),
        None if may_be_open => Ok(()),
        None => Err("the game is not over after its last ply".to_owned()),
    }
}
