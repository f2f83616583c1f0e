//! Many games at once.

use std::{num::NonZero, thread};

use playout_games::{Game, NetShape, zobrist};

use super::{Manner, table::Table, tree::Opinion};
use crate::{outcomes::Outcomes, records::GameRecord};

/// Games under way, each of which waits for the judgement of a position.
pub struct Pool<G: Game> {
    game: G,
    shape: NetShape,
    outcomes: Outcomes,
    manner: Manner,
    threads: NonZero<usize>,
    tables: Vec<Table<G>>,
    over: Vec<GameRecord>,
}

impl<G: Game> Pool<G> {
    /// Begins `count` games.
    ///
    /// # Errors
    ///
    /// One line if no net judges positions of the game in which a player moves.
    pub fn new(game: G, manner: Manner, count: usize, seed: u64, threads: NonZero<usize>) -> Result<Pool<G>, String> {
        let shape = NetShape::of(&game)?;
        if shape.views != 1 || shape.phases.len() != 1 || shape.sharpness.is_some() || shape.slots == 0 {
            return Err("such self-play needs one net with a policy, from one point of view".to_owned());
        }
        let tables = (0..count as u64).map(|number| Table::new(&game, &manner, zobrist::key(seed, number))).collect();
        let outcomes = Outcomes::new(&shape.results);
        Ok(Pool { game, shape, outcomes, manner, threads, tables, over: Vec::new() })
    }

    /// Games at once.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub fn shape(&self) -> &NetShape {
        &self.shape
    }

    /// Plays each game on until it waits for a judgement, and writes the inputs of the positions, one after another.
    ///
    /// # Errors
    ///
    /// One line if nets do not judge one of them.
    pub fn ask(&mut self, inputs: &mut [f32]) -> Result<(), String> {
        let Pool { game, shape, manner, tables, over, threads, .. } = self;
        inputs.fill(0.0);
        let (part, width) = (tables.len().div_ceil(threads.get()).max(1), shape.inputs);
        thread::scope(|scope| {
            let work = |(tables, inputs): (&mut [Table<G>], &mut [f32])| -> Result<Vec<GameRecord>, String> {
                let mut over = Vec::new();
                for (table, inputs) in tables.iter_mut().zip(inputs.chunks_exact_mut(width)) {
                    table.ask(game, shape, manner, inputs, &mut |record| over.push(record))?;
                }
                Ok(over)
            };
            let parts = tables.chunks_mut(part).zip(inputs.chunks_mut(part * width));
            let workers: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
            for worker in workers {
                over.extend(worker.join().expect("a worker does not fail")?);
            }
            Ok(())
        })
    }

    /// Takes opinions of the positions that were asked for, one after another.
    pub fn tell(&mut self, outcomes: &[f32], policies: &[f32]) {
        let Pool { game, shape, manner, tables, threads, outcomes: kinds, .. } = self;
        let part = tables.len().div_ceil(threads.get()).max(1);
        let (wide, slots) = (shape.results.len(), shape.slots);
        thread::scope(|scope| {
            let parts = outcomes.chunks(part * wide).zip(policies.chunks(part * slots));
            for (tables, (outcomes, policies)) in tables.chunks_mut(part).zip(parts) {
                let (game, shape, manner, kinds) = (&*game, &*shape, &*manner, &*kinds);
                scope.spawn(move || {
                    let opinions = outcomes.chunks_exact(wide).zip(policies.chunks_exact(slots));
                    for (table, (outcomes, policy)) in tables.iter_mut().zip(opinions) {
                        table.tell(game, shape, kinds, manner, &Opinion { outcomes, policy });
                    }
                });
            }
        });
    }

    /// Takes the games that are over.
    pub fn take(&mut self) -> Vec<GameRecord> {
        std::mem::take(&mut self.over)
    }
}
