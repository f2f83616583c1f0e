//! Games that wait to become rows of numbers, each as wide as the other.

use std::{collections::VecDeque, num::NonZero, path::Path, thread};

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

/// Rows of some games.
#[derive(Default)]
struct Ready {
    rows: Rows,
    /// Rows that are taken, and games whose rows all are.
    used: usize,
    over: usize,
    ends: Vec<End>,
}

/// The end of a game.
struct End {
    /// The number of the row after its last one.
    rows: usize,
    owners: Vec<i8>,
    points: f32,
}

/// Games that are over.
pub struct Queue<G: Game> {
    game: G,
    shape: NetShape,
    outcomes: Outcomes,
    aims: Aims,
    threads: NonZero<usize>,
    rng: Rng,
    games: VecDeque<GameRecord>,
    ready: VecDeque<Ready>,
}

impl<G: Game> Queue<G> {
    /// # Errors
    ///
    /// One line if no net judges positions of the game.
    pub fn new(game: G, aims: Aims, seed: u64, threads: NonZero<usize>) -> Result<Queue<G>, String> {
        let shape = NetShape::of(&game)?;
        let outcomes = Outcomes::new(&shape.results);
        let (games, ready) = (VecDeque::new(), VecDeque::new());
        Ok(Queue { game, shape, outcomes, aims, threads, rng: Rng::with_seed(seed), games, ready })
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
            let Some(Ready { rows, used, over, ends }) = self.ready.front_mut() else {
                if self.games.is_empty() {
                    break;
                }
                self.prepare()?;
                continue;
            };
            while *used < rows.len() && taken < room {
                while ends[*over].rows <= *used {
                    *over += 1;
                }
                fill(&rows.get(*used), taken, &self.shape, out);
                fill_end(rows.get(*used).judged.player, &ends[*over], taken, out);
                *used += 1;
                taken += 1;
            }
            if *used == rows.len() {
                self.ready.pop_front();
            }
        }
        Ok(taken)
    }

    /// Makes rows of some games.
    fn prepare(&mut self) -> Result<(), String> {
        let replay =
            Replay { game: &self.game, shape: &self.shape, outcomes: &self.outcomes, slots: None, aims: self.aims };
        let frames = self.game.frames();
        let each = 4;
        let count = self.games.len().min(each * self.threads.get());
        let games: Vec<(GameRecord, u8)> =
            self.games.drain(..count).map(|game| (game, self.rng.u8(..frames))).collect();
        thread::scope(|scope| {
            let work = |games: &[(GameRecord, u8)]| {
                let mut ready = Ready::default();
                for (game, frame) in games {
                    let last = replay.add(game, *frame, &mut ready.rows)?;
                    ready.ends.extend(last.map(|p| end(replay.game, &p, ready.rows.len())));
                }
                Ok::<Ready, String>(ready)
            };
            let workers: Vec<_> = games.chunks(each).map(|games| scope.spawn(move || work(games))).collect();
            for worker in workers {
                self.ready.push_back(worker.join().expect("a worker does not fail")?);
            }
            Ok(())
        })
    }
}

fn end<G: Game>(game: &G, p: &G::Position, rows: usize) -> End {
    let mut owners = Vec::new();
    let is_over = game.is_scored() && game.result(p).is_some();
    if is_over {
        game.owners(p, &mut owners);
    }
    End { rows, owners, points: if is_over { game.score(p) } else { 0.0 } }
}

/// Writes how the game of a row ended.
fn fill_end(judged: Player, end: &End, number: usize, out: &mut Dense) {
    if let Some(points) = out.points.get_mut(number) {
        *points = judged.sign() * end.points;
        let cells = out.owners.len() / out.points.len();
        let owners = &mut out.owners[number * cells..(number + 1) * cells];
        owners.fill(0.0);
        owners.iter_mut().zip(&end.owners).for_each(|(out, &owner)| *out = judged.sign() * f32::from(owner));
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
