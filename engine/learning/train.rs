//! Nets of values and policies that learn from records.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    path::Path,
};

use playout_games::{Action, Game, NetShape, Rng, zobrist};
use playout_nets::{Activation, Layer, Net, Nets, file};

use crate::{
    checkpoint,
    descent::Descent,
    outcomes::Outcomes,
    records::{Label, Reader},
    rows::{Replay, Row, Rows},
};

/// One game in this many is held out: nothing is learned from it, and the loss is measured on it.
const HELD_OUT: u64 = 20;

/// How nets learn from rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    pub steps: u64,
    /// Rows of a step.
    pub batch: usize,
    pub rate: f32,
    pub decay: f32,
}

/// Mean cross-entropies over rows, in nats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    pub outcome: f32,
    pub policy: f32,
}

/// What reading a file gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    pub games: u64,
    pub rows: usize,
    /// One line if the end of the file is damaged.
    pub damage: Option<String>,
}

/// Nets under training, with the rows that they learn from.
pub struct Trainer<G: Game> {
    game: G,
    /// The name of the game in files of weights.
    name: String,
    label: Label,
    shape: NetShape,
    outcomes: Outcomes,
    /// See `Replay::result_share`.
    result_share: f32,
    nets: Nets,
    descents: Vec<Descent>,
    /// The policy's slots by action, where the game numbers its actions as they appear.
    slots: Option<HashMap<Action, u32>>,
    /// Rows of each file, the oldest first.
    windows: VecDeque<Rows>,
    held_out: VecDeque<Rows>,
}

impl<G: Game> Trainer<G> {
    /// Starts with nets drawn at random, with layers of these widths.
    ///
    /// # Errors
    ///
    /// One line if nets of the game are of another kind.
    pub fn new(
        game: G,
        (name, label): (String, Label),
        widths: &[usize],
        result_share: f32,
        seed: u64,
    ) -> Result<Trainer<G>, String> {
        let shape = shape_of(&game)?;
        let nets = Nets::random(&shape, widths, Activation::Relu, &mut Rng::with_seed(zobrist::key(seed, 0)));
        let descents = nets.phases.iter().map(Descent::new).collect();
        Trainer::with(game, (name, label), shape, result_share, (nets, descents))
    }

    /// Takes up what `save` wrote.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn resume(
        game: G,
        (name, label): (String, Label),
        result_share: f32,
        path: &Path,
    ) -> Result<Trainer<G>, String> {
        let shape = shape_of(&game)?;
        let state = checkpoint::load(path, &name, &shape)?;
        Trainer::with(game, (name, label), shape, result_share, state)
    }

    fn with(
        game: G,
        (name, label): (String, Label),
        shape: NetShape,
        result_share: f32,
        (nets, descents): (Nets, Vec<Descent>),
    ) -> Result<Trainer<G>, String> {
        let slots = match game.ledger() {
            Some(_) => Some(game.numbers_in(&nets.actions)?.into_iter().zip(0..).collect()),
            None => None,
        };
        let outcomes = Outcomes::new(&shape.results);
        let (windows, held_out) = (VecDeque::new(), VecDeque::new());
        Ok(Trainer { game, name, label, shape, outcomes, result_share, nets, descents, slots, windows, held_out })
    }

    /// Writes what is needed to go on, as a whole or not at all.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        checkpoint::save(path, &self.name, &self.shape, &self.nets, &self.descents)
    }

    /// Writes the nets alone, as they play, with where they come from.
    ///
    /// # Errors
    ///
    /// One line that names the file.
    pub fn write(&self, path: &Path, provenance: BTreeMap<String, String>) -> Result<(), String> {
        let nets = Nets { provenance, ..self.nets.clone() };
        checkpoint::replace(path, &file::write(&nets, &self.name, &self.shape))
    }

    /// Reads the games of a file of records, which are newer than those read before.
    ///
    /// # Errors
    ///
    /// One line that names the file and the record.
    pub fn read(&mut self, path: &Path) -> Result<Gathered, String> {
        let mut reader = Reader::open(path, &self.game, &self.label)?;
        let [mut learned, mut held] = [Rows::default(), Rows::default()];
        let mut games = 0;
        while let Some(records) = reader.next(&self.game)? {
            self.add_slots(&reader);
            let replay = Replay {
                game: &self.game,
                shape: &self.shape,
                outcomes: &self.outcomes,
                slots: self.slots.as_ref(),
                result_share: self.result_share,
            };
            for record in &records {
                games += 1;
                let drawn = zobrist::key(record.seed, 1);
                let rows = if drawn % HELD_OUT == 0 { &mut held } else { &mut learned };
                let frame = (drawn / HELD_OUT % u64::from(self.game.frames())) as u8;
                replay
                    .add(record, frame, rows)
                    .map_err(|what| format!("{}: record {games}: {what}", path.display()))?;
            }
        }
        let gathered = Gathered { games, rows: learned.len(), damage: reader.damage() };
        self.windows.push_back(learned);
        self.held_out.push_back(held);
        Ok(gathered)
    }

    /// Gives new actions slots of the policy.
    fn add_slots(&mut self, reader: &Reader) {
        let Some(slots) = &mut self.slots else { return };
        let texts = reader.texts();
        for &action in reader.actions() {
            let next = slots.len() as u32;
            slots.entry(action).or_insert_with(|| {
                self.nets.actions.push(texts[&action].to_owned());
                next
            });
        }
        for (net, descent) in self.nets.phases.iter_mut().zip(&mut self.descents) {
            let below = net.hidden.last().map_or(net.width(), |layer| layer.bias.len());
            for net in descent.nets().into_iter().chain([net]) {
                let Net { policy: Layer { weights, bias }, .. } = net;
                weights.resize(slots.len() * below, 0.0);
                bias.resize(slots.len(), 0.0);
            }
        }
    }

    /// Number of rows to learn from.
    pub fn rows(&self) -> usize {
        self.windows.iter().map(Rows::len).sum()
    }

    /// Forgets the oldest files, as long as `rows` are left.
    pub fn forget(&mut self, rows: usize) {
        while let Some(oldest) = self.windows.front()
            && self.rows() - oldest.len() >= rows
        {
            self.windows.pop_front();
            self.held_out.pop_front();
        }
    }

    /// Takes steps by rows drawn at random; `go_on` is asked after each one, with the number of steps taken.
    pub fn train(&mut self, schedule: Schedule, seed: u64, mut go_on: impl FnMut(u64) -> bool) -> Loss {
        let mut rng = Rng::with_seed(zobrist::key(seed, 2));
        let (mut loss, mut seen) = (Loss::default(), 0_u64);
        let count = self.rows();
        self.descents.iter_mut().for_each(|descent| descent.decay = schedule.decay);
        for step in 1..=schedule.steps {
            if count == 0 {
                break;
            }
            for _ in 0..schedule.batch {
                let Row { phase, inputs, target, policy } = row(&self.windows, rng.usize(..count));
                let net = &self.nets.phases[phase];
                let (outcome, policy) = self.descents[phase].add_with_policy(net, inputs, target, policy);
                loss.outcome += outcome;
                loss.policy += policy;
                seen += 1;
            }
            for (net, descent) in self.nets.phases.iter_mut().zip(&mut self.descents) {
                descent.step(net, schedule.batch, schedule.rate);
            }
            if !go_on(step) {
                break;
            }
        }
        mean(loss, seen)
    }

    /// The loss on the games that are held out.
    pub fn held_out_loss(&mut self) -> Loss {
        let mut loss = Loss::default();
        let count = self.held_out.iter().map(Rows::len).sum();
        for number in 0..count {
            let Row { phase, inputs, target, policy } = row(&self.held_out, number);
            let (outcome, policy) = self.descents[phase].measure(&self.nets.phases[phase], inputs, target, policy);
            loss.outcome += outcome;
            loss.policy += policy;
        }
        mean(loss, count as u64)
    }
}

/// # Errors
///
/// One line if nets of the game are of another kind than these learn from.
fn shape_of<G: Game>(game: &G) -> Result<NetShape, String> {
    let shape = game.net_shape().ok_or("this game has no inputs for nets")?;
    if shape.views != 1 {
        return Err("nets of two points of view do not learn from records yet".to_owned());
    }
    Ok(shape)
}

fn row(windows: &VecDeque<Rows>, mut number: usize) -> Row<'_> {
    for rows in windows {
        if number < rows.len() {
            return rows.get(number);
        }
        number -= rows.len();
    }
    unreachable!("there are as many rows")
}

fn mean(loss: Loss, count: u64) -> Loss {
    let count = count.max(1) as f32;
    Loss { outcome: loss.outcome / count, policy: loss.policy / count }
}
