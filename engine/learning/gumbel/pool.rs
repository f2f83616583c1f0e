//! Many games at once.

use playout_games::{Game, NetShape, zobrist};

use super::{Manner, table::Table, tree::Opinion};
use crate::{outcomes::Outcomes, records::GameRecord};

/// Games under way, each of which waits for the judgement of a position.
pub struct Pool<G: Game> {
    game: G,
    shape: NetShape,
    outcomes: Outcomes,
    manner: Manner,
    tables: Vec<Table<G>>,
    over: Vec<GameRecord>,
}

impl<G: Game> Pool<G> {
    /// Begins `count` games.
    ///
    /// # Errors
    ///
    /// One line if no net judges positions of the game in which a player moves.
    pub fn new(game: G, manner: Manner, count: usize, seed: u64) -> Result<Pool<G>, String> {
        let shape = NetShape::of(&game)?;
        if shape.views != 1 || shape.phases.len() != 1 || shape.sharpness.is_some() || shape.slots == 0 {
            return Err("such self-play needs one net with a policy, from one point of view".to_owned());
        }
        let tables = (0..count as u64).map(|number| Table::new(&game, &manner, zobrist::key(seed, number))).collect();
        let outcomes = Outcomes::new(&shape.results);
        Ok(Pool { game, shape, outcomes, manner, tables, over: Vec::new() })
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
        let Pool { game, shape, manner, tables, over, .. } = self;
        inputs.fill(0.0);
        for (table, inputs) in tables.iter_mut().zip(inputs.chunks_exact_mut(shape.inputs)) {
            table.ask(game, shape, manner, inputs, &mut |record| over.push(record))?;
        }
        Ok(())
    }

    /// Takes opinions of the positions that were asked for, one after another.
    pub fn tell(&mut self, outcomes: &[f32], policies: &[f32]) {
        let Pool { game, shape, manner, tables, outcomes: kinds, .. } = self;
        let opinions = outcomes.chunks_exact(shape.results.len()).zip(policies.chunks_exact(shape.slots));
        for (table, (outcomes, policy)) in tables.iter_mut().zip(opinions) {
            table.tell(game, shape, kinds, manner, &Opinion { outcomes, policy });
        }
    }

    /// Takes the games that are over.
    pub fn take(&mut self) -> Vec<GameRecord> {
        std::mem::take(&mut self.over)
    }
}
