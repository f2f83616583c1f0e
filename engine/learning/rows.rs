//! Rows to learn from: positions of games as a net reads them, with what it should have said.

use std::{collections::HashMap, ops::Range, path::PathBuf};

use playout_games::{Action, Game, Input, Judged, NetShape, Player, Views, own_logit};

use crate::{
    outcomes::Outcomes,
    records::{GameRecord, Label, Ply, Reader, Searched},
};

/// Rows one after another.
#[derive(Debug, Default)]
pub struct Rows {
    rows: Vec<Place>,
    inputs: Vec<Input>,
    targets: Vec<f32>,
    owns: Vec<f32>,
    slots: Vec<u32>,
    policies: Vec<Choice>,
    /// Those of the row that is added.
    views: Views,
}

#[derive(Debug)]
struct Place {
    judged: Judged,
    /// Inputs of each point of view.
    inputs: [Range<usize>; 2],
    targets: Range<usize>,
    owns: Range<usize>,
    slots: Range<usize>,
    policies: Range<usize>,
}

/// Where the parts of the next row begin.
struct Begin {
    targets: usize,
    owns: usize,
    slots: usize,
    policies: usize,
}

/// The target of a policy for a legal action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// In [0, 1]; those of all legal actions add up to 1.
    pub share: f32,
    /// The game's own preference, to which the policy's logit is added; 0 where it takes its place.
    pub own: f32,
}

/// A position as a net reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    pub judged: Judged,
    /// Inputs of each point of view; the second has none where nets read one.
    pub inputs: [&'a [Input]; 2],
    pub goal: Goal<'a>,
}

/// The targets of a net.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Goal<'a> {
    /// Chances of the outcomes; empty where only the policy learns.
    pub target: &'a [f32],
    /// The game's own logits of the outcomes, to which the net's are added; empty where they take their place.
    pub own: &'a [f32],
    /// Slots of the legal actions, for each as many.
    pub slots: &'a [u32],
    /// Choices of the legal actions; empty where only the outcomes learn.
    pub policy: &'a [Choice],
}

/// Number of slots that each of `choices` choices has, at least 1.
pub fn slots_each(slots: usize, choices: usize) -> usize {
    slots.checked_div(choices).unwrap_or(0).max(1)
}

impl Rows {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn get(&self, number: usize) -> Row<'_> {
        let Place { judged, inputs, targets, owns, slots, policies } = &self.rows[number];
        Row {
            judged: *judged,
            inputs: inputs.each_ref().map(|range| &self.inputs[range.clone()]),
            goal: Goal {
                target: &self.targets[targets.clone()],
                own: &self.owns[owns.clone()],
                slots: &self.slots[slots.clone()],
                policy: &self.policies[policies.clone()],
            },
        }
    }

    fn begin(&self) -> Begin {
        let Rows { targets, owns, slots, policies, .. } = self;
        Begin { targets: targets.len(), owns: owns.len(), slots: slots.len(), policies: policies.len() }
    }

    /// Adds a row of the inputs read last, with the targets and choices from these places on.
    fn push(&mut self, judged: Judged, begin: &Begin) {
        let mut inputs = [self.inputs.len(); 2].map(|end| end..end);
        for (range, view) in inputs.iter_mut().zip(self.views.iter()) {
            let begin = self.inputs.len();
            self.inputs.extend_from_slice(view);
            *range = begin..self.inputs.len();
        }
        let end = self.begin();
        self.rows.push(Place {
            judged,
            inputs,
            targets: begin.targets..end.targets,
            owns: begin.owns..end.owns,
            slots: begin.slots..end.slots,
            policies: begin.policies..end.policies,
        });
    }
}

/// Makes rows of games.
pub struct Replay<'a, G> {
    pub game: &'a G,
    pub shape: &'a NetShape,
    pub outcomes: &'a Outcomes,
    /// The policy's slots by action, where the game numbers its actions as they appear.
    pub slots: Option<&'a HashMap<Action, u32>>,
    pub aims: Aims,
}

/// The parts of a search that are learned from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aims {
    /// Share of the game's result in the target of the outcomes, in [0, 1]; the rest is the search's value.
    pub result_share: f32,
    /// Whether values are learned from cheap searches too.
    pub every_value: bool,
    /// Whether outcomes are learned, and choices.
    pub values: bool,
    pub choices: bool,
}

impl<G: Game> Replay<'_, G> {
    /// Appends the rows of the image of a game under the symmetry `frame`, and returns its last position; does nothing where
    /// its start is not an image of itself.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the game.
    pub fn add(&self, record: &GameRecord, frame: u8, rows: &mut Rows) -> Result<Option<G::Position>, String> {
        replay(self.game, record, frame, &mut |p, legal, ply| {
            if !ply.searched.visits().is_empty() {
                self.add_choice(p, ply, record.result, (legal, frame), rows);
            } else if self.aims.values && self.aims.every_value && ply.searched.value().is_some() {
                self.add_value(p, ply, record.result, rows);
            }
        })
    }

    /// Adds the choice at `p`, and what `p` is worth: in a row of its own where a quiet position stands for it.
    fn add_choice(&self, p: &G::Position, ply: &Ply, result: f32, (legal, frame): (&[Action], u8), rows: &mut Rows) {
        let Some(judged) = rows.views.read(self.game, p, self.shape.views) else { return };
        let begin = rows.begin();
        if self.aims.choices
            && self.shape.sharpness.is_none()
            && let Some(share) = ply.searched.shares()
        {
            let mut own = Vec::new();
            if !(self.shape.over_own && self.game.preferences(p, legal, &mut own)) {
                own = vec![0.0; legal.len()];
            }
            for (&action, own) in legal.iter().zip(own) {
                match self.slots {
                    Some(slots) => match slots.get(&action) {
                        Some(&slot) => rows.slots.push(slot),
                        None => continue,
                    },
                    None => self.game.slots(p, action, &mut rows.slots),
                }
                rows.policies.push(Choice { share: share(self.game.undo_frame(frame, action)), own });
            }
        }
        if !self.aims.values {
            rows.push(judged, &begin);
            return;
        }
        let settled = self.game.settled(p);
        if settled.is_none() {
            self.add_target((judged.player, self.game.player(p)), result, ply, &mut rows.targets);
            self.add_own(p, judged.player, &mut rows.owns);
        }
        rows.push(judged, &begin);
        if settled.is_some() {
            self.add_value(p, ply, result, rows);
        }
    }

    /// Adds what `p` is worth, or the quiet position that stands for it.
    fn add_value(&self, p: &G::Position, ply: &Ply, result: f32, rows: &mut Rows) {
        let settled = self.game.settled(p);
        let quiet = settled.as_ref().unwrap_or(p);
        if self.game.result(quiet).is_some() {
            return;
        }
        let Some(judged) = rows.views.read(self.game, quiet, self.shape.views) else { return };
        let begin = rows.begin();
        self.add_target((judged.player, self.game.player(p)), result, ply, &mut rows.targets);
        self.add_own(quiet, judged.player, &mut rows.owns);
        rows.push(judged, &begin);
    }

    /// The game's own logits of the outcomes, where the nets' are added to them.
    fn add_own(&self, p: &G::Position, judged: Player, out: &mut Vec<f32>) {
        if let Some(own) = own_logit(self.game, p, self.shape, judged) {
            out.extend(self.shape.results.iter().map(|result| own * result));
        }
    }

    /// The chances of the outcomes that mix the first player's result with the value that the search found for the mover, if
    /// there is one. The value is spread over the best and the worst outcome.
    fn add_target(&self, (judged, mover): (Player, Player), result: f32, ply: &Ply, out: &mut Vec<f32>) {
        let results = &self.shape.results;
        let first = out.len();
        out.resize(first + results.len(), 0.0);
        let chances = &mut out[first..];
        self.outcomes.known(judged.sign() * result, chances);
        let Some(value) = ply.searched.value() else { return };
        let value = value * mover.sign() * judged.sign();
        chances.iter_mut().for_each(|chance| *chance *= self.aims.result_share);
        let place = |better: fn(&f32, &f32) -> bool| {
            (0..results.len()).reduce(|a, b| if better(&results[b], &results[a]) { b } else { a }).unwrap_or(0)
        };
        let (best, worst) = (place(|a, b| a > b), place(|a, b| a < b));
        let part = ((value - results[worst]) / (results[best] - results[worst])).clamp(0.0, 1.0);
        chances[best] += (1.0 - self.aims.result_share) * part;
        chances[worst] += (1.0 - self.aims.result_share) * (1.0 - part);
    }
}

/// Plays the image of a game under the symmetry `frame`, and calls `each` with each position, its legal actions and the ply
/// that follows, whose actions are those of the game and not of the image. Returns the last position; does nothing where the
/// start is not an image of itself.
///
/// # Errors
///
/// One line that says what is wrong with the game.
pub fn replay<G: Game>(
    game: &G,
    record: &GameRecord,
    frame: u8,
    each: &mut impl FnMut(&G::Position, &[Action], &Ply),
) -> Result<Option<G::Position>, String> {
    let mut p = match &record.start {
        Some(text) => game.parse_position(text)?,
        None => game.initial(),
    };
    if game.frame_key(&p, frame) != game.frame_key(&p, 0) {
        return Ok(None);
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
        Some(result) if (result - record.result).abs() < 1e-4 => Ok(Some(p)),
        Some(result) => Err(format!("the result is {} instead of {result}", record.result)),
        None if may_be_open => Ok(Some(p)),
        None => Err("the game is not over after its last ply".to_owned()),
    }
}

/// Calls `each` with each ply of the games in files, the position before it and the legal actions there, until it returns
/// false; a game that was begun is read to its end. Returns the number of games read, and lines on damage.
///
/// # Errors
///
/// One line that names the file and the record.
pub fn each_ply<G: Game>(
    game: &G,
    label: &Label,
    files: &[PathBuf],
    mut each: impl FnMut(&GameRecord, &G::Position, &[Action], &Ply) -> bool,
) -> Result<(u64, Vec<String>), String> {
    let (mut games, mut damage, mut go_on) = (0, Vec::new(), true);
    for path in files {
        let mut reader = Reader::open(path, game, label)?;
        let mut number = 0;
        while go_on && let Some(records) = reader.next(game)? {
            for record in &records {
                if !go_on {
                    break;
                }
                number += 1;
                let mut visit = |p: &G::Position, legal: &[Action], ply: &Ply| {
                    go_on &= each(record, p, legal, ply);
                };
                replay(game, record, 0, &mut visit)
                    .map_err(|what| format!("{}: record {number}: {what}", path.display()))?;
            }
        }
        games += number;
        damage.extend(reader.damage().filter(|_| go_on));
    }
    Ok((games, damage))
}
