//! Games that wait to become rows of numbers, each as wide as the other.

use std::{collections::VecDeque, path::Path};

use playout_games::{Game, NetShape, Player, Rng};

use crate::{
    outcomes::Outcomes,
    records::{GameRecord, Label, Reader},
    rows::{Aims, Replay, Row, Rows},
};

/// The preference of an action that is not legal, which half precision can hold.
const ILLEGAL: f32 = -3e4;

/// Rows to fill, one after another.
pub struct Dense<'a> {
    pub inputs: &'a mut [f32],
    /// Chances of the outcomes.
    pub targets: &'a mut [f32],
    /// The game's own logits of the outcomes, to which the net's are added.
    pub own_outcomes: &'a mut [f32],
    /// Share of each slot in the choice; all 0 where none is learned.
    pub shares: &'a mut [f32],
    /// The game's own preference of each slot, to which the net's logit is added; `ILLEGAL` where no action has it.
    pub own_policies: &'a mut [f32],
    /// The holder of each cell in the end, 1 the judged player and -1 the other; empty but in games with points
    /// (`Game::is_scored`).
    pub owners: &'a mut [f32],
    /// The points by which the judged player wins; empty likewise.
    pub points: &'a mut [f32],
}

/// Rows of a game, of which `used` are taken, and how it ended.
struct Ready {
    rows: Rows,
    used: usize,
    owners: Vec<i8>,
    points: f32,
}

/// Games that are over.
pub struct Queue<G: Game> {
    game: G,
    shape: NetShape,
    outcomes: Outcomes,
    aims: Aims,
    rng: Rng,
    games: VecDeque<GameRecord>,
    ready: Option<Ready>,
}

impl<G: Game> Queue<G> {
    /// # Errors
    ///
    /// One line if no net judges positions of the game.
    pub fn new(game: G, aims: Aims, seed: u64) -> Result<Queue<G>, String> {
        let shape = NetShape::of(&game)?;
        let outcomes = Outcomes::new(&shape.results);
        let rng = Rng::with_seed(seed);
        Ok(Queue { game, shape, outcomes, aims, rng, games: VecDeque::new(), ready: None })
    }

    /// Adds games.
    pub fn add(&mut self, games: Vec<GameRecord>) {
        self.games.extend(games);
    }

    /// Adds the games of a file; returns their number.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn read(&mut self, path: &Path, label: &Label) -> Result<u64, String> {
        let mut reader = Reader::open(path, &self.game, label)?;
        let mut count = 0;
        while let Some(games) = reader.next(&self.game)? {
            count += games.len() as u64;
            self.games.extend(games);
        }
        Ok(count)
    }

    /// Takes all rows that have room, of an image of each game under a symmetry drawn at random; returns their number.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with a game.
    pub fn take(&mut self, out: &mut Dense) -> Result<usize, String> {
        let room = out.inputs.len() / self.shape.inputs;
        let mut taken = 0;
        while taken < room {
            let Some(ready) = &mut self.ready else {
                let Some(record) = self.games.pop_front() else { break };
                self.ready = self.prepare(&record)?;
                continue;
            };
            while ready.used < ready.rows.len() && taken < room {
                let row = ready.rows.get(ready.used);
                fill(&row, taken, &self.shape, out);
                fill_end(row.judged.player, ready, taken, out);
                ready.used += 1;
                taken += 1;
            }
            if ready.used == ready.rows.len() {
                self.ready = None;
            }
        }
        Ok(taken)
    }

    /// Makes rows of a game; none where its start is not an image of itself.
    fn prepare(&mut self, record: &GameRecord) -> Result<Option<Ready>, String> {
        let Queue { game, shape, outcomes, aims, rng, .. } = self;
        let (mut rows, mut owners) = (Rows::default(), Vec::new());
        let replay = Replay { game, shape, outcomes, slots: None, aims: *aims };
        let Some(p) = replay.add(record, rng.u8(..game.frames()), &mut rows)? else { return Ok(None) };
        let is_over = game.is_scored() && game.result(&p).is_some();
        if is_over {
            game.owners(&p, &mut owners);
        }
        Ok(Some(Ready { rows, used: 0, owners, points: if is_over { game.score(&p) } else { 0.0 } }))
    }
}

/// Writes how the game of a row ended.
fn fill_end(judged: Player, game: &Ready, number: usize, out: &mut Dense) {
    if let Some(points) = out.points.get_mut(number) {
        *points = judged.sign() * game.points;
        let cells = out.owners.len() / out.points.len();
        let owners = &mut out.owners[number * cells..(number + 1) * cells];
        owners.fill(0.0);
        owners.iter_mut().zip(&game.owners).for_each(|(out, &owner)| *out = judged.sign() * f32::from(owner));
    }
}

/// Writes a row.
fn fill(row: &Row, number: usize, shape: &NetShape, out: &mut Dense) {
    let part = |width: usize| number * width..(number + 1) * width;
    let inputs = &mut out.inputs[part(shape.inputs)];
    inputs.fill(0.0);
    row.inputs[0].iter().for_each(|input| inputs[input.index as usize] = input.value);
    let results = part(shape.results.len());
    out.targets[results.clone()].copy_from_slice(row.goal.target);
    let own = &mut out.own_outcomes[results];
    match row.goal.own {
        [] => own.fill(0.0),
        logits => own.copy_from_slice(logits),
    }
    let (shares, owns) = (&mut out.shares[part(shape.slots)], &mut out.own_policies[part(shape.slots)]);
    shares.fill(0.0);
    owns.fill(ILLEGAL);
    for (&slot, choice) in row.goal.slots.iter().zip(row.goal.policy) {
        shares[slot as usize] = choice.share;
        owns[slot as usize] = choice.own;
    }
}
