//! Nets of values and policies that learn from records.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    path::Path,
};

use playout_games::{Action, Game, Judged, NetShape, Rng, zobrist};
use playout_nets::{Activation, Layer, Net, Nets, Sizes, file};

use crate::{
    checkpoint,
    descent::Descent,
    outcomes::Outcomes,
    records::{Label, Reader, is_held_out},
    rows::{Aims, Goal, Replay, Row, Rows},
};

/// Steps by rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    pub steps: u64,
    /// Rows of a step.
    pub batch: usize,
    /// At the first step; it falls to `last_rate` along half a cosine.
    pub rate: f32,
    pub last_rate: f32,
    pub decay: f32,
}

impl Schedule {
    fn rate_at(&self, step: u64) -> f32 {
        let part = (step - 1) as f32 / self.steps as f32;
        self.last_rate + (self.rate - self.last_rate) * (1.0 + (part * std::f32::consts::PI).cos()) / 2.0
    }
}

/// Mean cross-entropies in nats, each over the rows that have such a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    pub outcome: f32,
    pub policy: f32,
}

/// Counts of a file that was read.
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
    aims: Aims,
    nets: Nets,
    descents: Vec<Descent>,
    /// The policy's slots by action, where the game numbers its actions as they appear.
    slots: Option<HashMap<Action, u32>>,
    /// Rows of each file, the oldest first.
    windows: VecDeque<Rows>,
    held_out: VecDeque<Rows>,
}

impl<G: Game> Trainer<G> {
    /// Starts with nets drawn at random, of these sizes.
    ///
    /// # Errors
    ///
    /// One line if the game has no inputs for nets, or none for a tower.
    pub fn new(
        game: G,
        (name, label): (String, Label),
        sizes: &Sizes,
        aims: Aims,
        seed: u64,
    ) -> Result<Trainer<G>, String> {
        let shape = NetShape::of(&game)?;
        if sizes.tower.is_some() && shape.board.is_none() {
            return Err("a tower of convolutions needs inputs that are planes of a board".to_owned());
        }
        let mut nets = Nets::random(&shape, sizes, Activation::Relu, &mut Rng::with_seed(zobrist::key(seed, 0)));
        for net in &mut nets.phases {
            if !aims.values {
                net.outcome = Layer::default();
            }
            if !aims.choices {
                net.policy = Layer::default();
            }
        }
        let descents = nets.phases.iter().map(Descent::new).collect();
        Trainer::with(game, (name, label), shape, aims, (nets, descents))
    }

    /// Takes up what `save` wrote.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn resume(game: G, (name, label): (String, Label), aims: Aims, path: &Path) -> Result<Trainer<G>, String> {
        let shape = NetShape::of(&game)?;
        let state = checkpoint::load(path, &name, &shape)?;
        let aims = Aims {
            values: aims.values && state.0.have_outcomes(),
            choices: aims.choices && (game.ledger().is_some() || state.0.slots() > 0),
            ..aims
        };
        Trainer::with(game, (name, label), shape, aims, state)
    }

    fn with(
        game: G,
        (name, label): (String, Label),
        shape: NetShape,
        aims: Aims,
        (nets, descents): (Nets, Vec<Descent>),
    ) -> Result<Trainer<G>, String> {
        let slots = match game.ledger() {
            Some(_) => Some(game.numbers_in(&nets.actions)?.into_iter().zip(0..).collect()),
            None => None,
        };
        let outcomes = Outcomes::new(&shape.results);
        let (windows, held_out) = (VecDeque::new(), VecDeque::new());
        Ok(Trainer { game, name, label, shape, outcomes, aims, nets, descents, slots, windows, held_out })
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
                aims: self.aims,
            };
            for record in &records {
                games += 1;
                let rows = if is_held_out(record) { &mut held } else { &mut learned };
                (0..self.game.frames())
                    .try_for_each(|frame| replay.add(record, frame, rows).map(drop))
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
        let Some(slots) = self.slots.as_mut().filter(|_| self.aims.choices) else { return };
        let texts = reader.texts();
        for &action in reader.actions() {
            let next = slots.len() as u32;
            slots.entry(action).or_insert_with(|| {
                self.nets.actions.push(texts[&action].to_owned());
                next
            });
        }
        for (net, descent) in self.nets.phases.iter_mut().zip(&mut self.descents) {
            let below = net.hidden.last().map_or(net.width() * usize::from(self.shape.views), |layer| layer.bias.len());
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
        let mut sums = Sums::default();
        let views = usize::from(self.shape.views);
        let count = self.rows();
        self.descents.iter_mut().for_each(|descent| descent.decay = schedule.decay);
        for step in 1..=schedule.steps {
            if count == 0 {
                break;
            }
            for _ in 0..schedule.batch {
                let Row { judged: Judged { phase, .. }, inputs, goal } = row(&self.windows, rng.usize(..count));
                let net = &self.nets.phases[phase];
                sums.add(self.descents[phase].add_with_policy(net, &inputs[..views], goal), goal);
            }
            for (net, descent) in self.nets.phases.iter_mut().zip(&mut self.descents) {
                descent.step(net, schedule.batch, schedule.rate_at(step));
            }
            if !go_on(step) {
                break;
            }
        }
        sums.mean()
    }

    /// The loss on the games that are held out.
    pub fn held_out_loss(&mut self) -> Loss {
        let (mut sums, views) = (Sums::default(), usize::from(self.shape.views));
        let count = self.held_out.iter().map(Rows::len).sum();
        for number in 0..count {
            let Row { judged: Judged { phase, .. }, inputs, goal } = row(&self.held_out, number);
            sums.add(self.descents[phase].measure(&self.nets.phases[phase], &inputs[..views], goal), goal);
        }
        sums.mean()
    }
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

/// Errors added up, with the number of rows that have each kind of target.
#[derive(Default)]
struct Sums {
    outcome: f64,
    outcomes: u64,
    policy: f64,
    policies: u64,
}

impl Sums {
    fn add(&mut self, (outcome, policy): (f32, f32), goal: Goal) {
        self.outcome += f64::from(outcome);
        self.outcomes += u64::from(!goal.target.is_empty());
        self.policy += f64::from(policy);
        self.policies += u64::from(!goal.policy.is_empty());
    }

    fn mean(&self) -> Loss {
        let mean = |sum: f64, count: u64| (sum / count.max(1) as f64) as f32;
        Loss { outcome: mean(self.outcome, self.outcomes), policy: mean(self.policy, self.policies) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use playout_games::tic_tac_toe::TicTacToe;
    use playout_search::{Config, Search};

    use super::*;
    use crate::{
        by_search::{Manner, play},
        records::{GameRecord, Writer},
    };

    const SCHEDULE: Schedule = Schedule { steps: 40, batch: 32, rate: 3e-3, last_rate: 3e-3, decay: 1e-4 };
    const AIMS: Aims = Aims { result_share: 0.5, every_value: false, values: true, choices: true };

    fn identity() -> (String, Label) {
        let label = Label { game: "tic_tac_toe".to_owned(), inputs: "tic-tac-toe-1".to_owned() };
        ("tic_tac_toe".to_owned(), label)
    }

    fn games() -> Vec<GameRecord> {
        let manner = Manner {
            config: Config { hash_mib: 8, ..Config::default() },
            simulations: 50,
            cheap_simulations: 10,
            full_share: 0.8,
            noise: 0.25,
            concentration: 10.0,
            temperature: 1.0,
            half_life: 8.0,
            random_plies: 1,
            openings: Vec::new(),
        };
        let mut search = Search::new(TicTacToe, manner.config.clone());
        (0..200).map(|seed| play(&mut search, &manner, seed).unwrap()).collect()
    }

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("playout-train-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        folder
    }

    fn start() -> Trainer<TicTacToe> {
        Trainer::new(TicTacToe, identity(), &Sizes::of(&[32]), AIMS, 1).unwrap()
    }

    #[test]
    fn training_goes_on_after_a_checkpoint_as_without_one() {
        let folder = folder("resume");
        let records = folder.join("records");
        Writer::open(&records, &TicTacToe, &identity().1).unwrap().append(&TicTacToe, &games()).unwrap();
        let mut trainer = start();
        let gathered = trainer.read(&records).unwrap();
        assert_eq!((gathered.games, &gathered.damage), (200, &None));
        assert!(gathered.rows > 600 && gathered.rows == trainer.rows(), "{gathered:?}");
        let first = trainer.train(SCHEDULE, 1, |_| true);
        trainer.save(&folder.join("checkpoint")).unwrap();
        let last = trainer.train(SCHEDULE, 2, |_| true);
        assert!(last.outcome < first.outcome && last.policy < first.policy, "{first:?} {last:?}");
        let mut again = Trainer::resume(TicTacToe, identity(), AIMS, &folder.join("checkpoint")).unwrap();
        again.read(&records).unwrap();
        assert_eq!(again.train(SCHEDULE, 2, |_| true), last);
        assert_eq!(again.nets, trainer.nets);
        assert_eq!(again.held_out_loss(), trainer.held_out_loss());
        let nets = folder.join("nets");
        trainer.write(&nets, BTreeMap::new()).unwrap();
        assert_eq!(file::load(&nets, "tic_tac_toe", &trainer.shape).as_ref(), Ok(&trainer.nets));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_game_that_breaks_the_rules_is_refused_by_record() {
        let folder = folder("illegal");
        let refused = |spoil: &dyn Fn(&mut GameRecord), what: &str| {
            let records = folder.join(what);
            let mut all = games();
            spoil(&mut all[7]);
            Writer::open(&records, &TicTacToe, &identity().1).unwrap().append(&TicTacToe, &all).unwrap();
            let error = start().read(&records).unwrap_err();
            assert!(error.starts_with(&records.display().to_string()) && error.contains("record 8: "), "{error}");
            assert!(error.contains(what), "{error}");
        };
        refused(&|game| game.plies[1].action = game.plies[0].action, "ply 2 has an illegal move");
        refused(&|game| game.result = -0.5, "the result is -0.5 instead of");
        refused(&|game| drop(game.plies.pop()), "the game is not over after its last ply");
        refused(&|game| game.plies.push(game.plies[0].clone()), "the game is over before ply");
        refused(&|game| game.start = Some("no board".to_owned()), "no board");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_oldest_rows_leave_the_window() {
        let folder = folder("window");
        let records = folder.join("records");
        Writer::open(&records, &TicTacToe, &identity().1).unwrap().append(&TicTacToe, &games()).unwrap();
        let mut trainer = start();
        let rows = trainer.read(&records).unwrap().rows;
        trainer.read(&records).unwrap();
        trainer.read(&records).unwrap();
        trainer.forget(rows + 1);
        assert_eq!(trainer.rows(), 2 * rows);
        trainer.forget(0);
        assert_eq!(trainer.rows(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
