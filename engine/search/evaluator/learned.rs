//! The nets of a game: what they say of positions and of actions.

use std::{
    cell::RefCell,
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use playout_games::{Action, Game, Judged, MoveFeatures, NetShape, Player, Views, draw::softmax, own_logit, zobrist};
use playout_nets::{Digest, Nets, Scratch, file, shared::Shared};

use super::memory::Memory;

/// The nets of a game, ready for it.
#[derive(Debug)]
pub struct Learned {
    weights: Arc<Weights>,
    pub(super) shape: NetShape,
    /// The policy's slots by action, where the game numbers its actions as they appear.
    slots: Option<HashMap<Action, u32>>,
    /// Tells what is remembered of these nets, and of the game as it was, from all else.
    epoch: u64,
    /// The values after actions, by the keys of positions with the actions.
    values: Memory<Vec<f32>>,
    /// The results of towers of convolutions, which are dear.
    entered: Memory<Digest>,
    /// Whether towers of convolutions count in bytes, where the processor is quick at it.
    in_bytes: bool,
}

/// Numbers of a thread under way.
#[derive(Default)]
pub(super) struct Buffers {
    views: Views,
    scratch: Scratch,
    outcomes: Vec<f32>,
    slots: Vec<u32>,
    /// The game's own preferences.
    pub(super) own: Vec<f32>,
    pub(super) features: MoveFeatures,
}

/// A number that no nets have had, from 1 on.
fn next_epoch() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Relaxed) + 1
}

/// The nets of a file.
#[derive(Debug)]
struct Weights {
    nets: Nets,
    fingerprint: u64,
}

impl Weights {
    fn read(bytes: &[u8], name: &str, shape: &NetShape) -> Result<Weights, String> {
        let mut nets = file::read_to_play(bytes, name, shape)?;
        nets.settle();
        let fingerprint = nets.numbers().fold(0, |sum, number| zobrist::key(u64::from(number.to_bits()), sum));
        Ok(Weights { nets, fingerprint })
    }
}

/// Puts the sum of each `count` numbers in their place.
fn sum_each(numbers: &mut Vec<f32>, count: usize) {
    if count > 1 {
        let sums = numbers.len() / count;
        for i in 0..sums {
            numbers[i] = numbers[i * count..][..count].iter().sum();
        }
        numbers.truncate(sums);
    }
}

/// Actions between which a player chooses at `p`.
pub(super) struct Choice<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) p: &'a G::Position,
    pub(super) actions: &'a [Action],
}

impl<G: Game> Clone for Choice<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Choice<'_, G> {}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

pub(super) fn with_buffers<T>(run: impl FnOnce(&mut Buffers) -> T) -> T {
    // A user's game may search in the method that gives its inputs.
    BUFFERS.with(|buffers| match buffers.try_borrow_mut() {
        Ok(mut buffers) => run(&mut buffers),
        Err(_) => run(&mut Buffers::default()),
    })
}

impl Learned {
    /// Reads the nets of `game`, which is called `name` with its parameters.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn open<G: Game>(path: &Path, game: &G, name: &str) -> Result<Learned, String> {
        Learned::open_as(path, game, name, NetShape::of(game))
    }

    /// As `open`, of nets of which the policy alone counts.
    ///
    /// # Errors
    ///
    /// As `open`.
    pub(super) fn open_policy<G: Game>(path: &Path, game: &G, name: &str) -> Result<Learned, String> {
        Learned::open_as(path, game, name, NetShape::of_policy(game))
    }

    fn open_as<G: Game>(path: &Path, game: &G, name: &str, shape: Result<NetShape, String>) -> Result<Learned, String> {
        static HELD: Shared<Weights> = Shared::none();
        let wrong = |what: String| format!("{}: {what}", path.display());
        let shape = shape.map_err(wrong)?;
        let weights = HELD.open(path, format!("{name} {shape:?}"), |bytes| Weights::read(bytes, name, &shape))?;
        Learned::with(game, shape, weights).map_err(wrong)
    }

    /// As `open`, from the bytes of a file, which the error does not name.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong.
    pub fn read<G: Game>(bytes: &[u8], game: &G, name: &str) -> Result<Learned, String> {
        let shape = NetShape::of(game)?;
        let weights = Weights::read(bytes, name, &shape)?;
        Learned::with(game, shape, Arc::new(weights))
    }

    fn with<G: Game>(game: &G, shape: NetShape, weights: Arc<Weights>) -> Result<Learned, String> {
        let actions = &weights.nets.actions;
        let slots = match game.ledger() {
            Some(_) => Some(game.numbers_in(actions)?.into_iter().zip(0..).collect()),
            None if actions.is_empty() => None,
            None => return Err("it names its actions, which this game numbers".to_owned()),
        };
        let (epoch, values, entered) = (next_epoch(), Memory::default(), Memory::default());
        let learned = Learned { weights, shape, slots, epoch, values, entered, in_bytes: false };
        if learned.judges_finitely(game) {
            Ok(learned)
        } else {
            Err("its weights are too large to judge by".to_owned())
        }
    }

    /// Whether what is said of the game's first position are numbers: sums of great weights may not be.
    fn judges_finitely<G: Game>(&self, game: &G) -> bool {
        let (p, mut actions) = (game.initial(), Vec::new());
        with_buffers(|buffers| {
            let value = self.value(game, &p, buffers).is_none_or(|(value, _)| value.is_finite());
            if !value || game.player(&p) == Player::Chance {
                return value;
            }
            game.actions(&p, &mut actions);
            let mut logits = vec![0.0; actions.len()];
            let choice = Choice { game, p: &p, actions: &actions };
            !self.logits(choice, buffers, &mut logits) || logits.iter().all(|logit| logit.is_finite())
        })
    }

    /// Takes note that the game's tables have changed.
    pub(crate) fn renew(&mut self) {
        self.epoch = next_epoch();
    }

    /// Makes towers of convolutions count in bytes, where the processor is quick at it, or in exact numbers.
    pub fn count_in_bytes(&mut self, bytes: bool) {
        if self.in_bytes != bytes {
            self.in_bytes = bytes;
            self.renew();
        }
    }

    /// A number that other weights do not share.
    pub fn fingerprint(&self) -> u64 {
        self.weights.fingerprint
    }

    /// The layers of the net that corrects the evaluation of the game's look-ahead, each with weights and bias.
    pub fn correction(&self) -> Option<[(&[f32], &[f32]); 2]> {
        self.nets().correction_layers()
    }

    /// The same, where the nets themselves do not judge positions.
    pub fn correction_of_own(&self) -> Option<[(&[f32], &[f32]); 2]> {
        self.correction().filter(|_| !self.nets().have_outcomes())
    }

    pub(super) fn nets(&self) -> &Nets {
        &self.weights.nets
    }

    /// Whether the nets say which moves are promising.
    pub(super) fn has_policy(&self) -> bool {
        self.nets().slots() > 0 && self.shape.sharpness.is_none()
    }

    /// Whether the nets lack a slot, as `NetShape::served_by` allows.
    pub(super) fn is_served(&self) -> bool {
        self.slots.is_none() && (1..self.shape.slots).contains(&self.nets().slots())
    }

    fn is_beyond(&self, slot: u32) -> bool {
        slot as usize >= self.nets().slots()
    }

    /// The legal action whose slot the nets lack.
    pub(super) fn action_beyond<G: Game>(&self, game: &G, p: &G::Position) -> Option<Action> {
        let (mut actions, mut slots) = (Vec::new(), Vec::new());
        game.actions(p, &mut actions);
        actions.into_iter().find(|&action| {
            slots.clear();
            game.slots(p, action, &mut slots);
            slots.iter().any(|&slot| self.is_beyond(slot))
        })
    }

    /// The same of the opponent, after one of these actions.
    fn answer_beyond<G: Game>(&self, game: &G, p: &G::Position, actions: &[Action]) -> Option<Action> {
        let mut after = p.clone();
        game.play(&mut after, *actions.first()?);
        game.result(&after).is_none().then(|| self.action_beyond(game, &after)).flatten()
    }

    /// Takes the position's inputs up through the net of its phase; None where nets do not judge it.
    fn enter<G: Game>(&self, game: &G, p: &G::Position, buffers: &mut Buffers) -> Option<Judged> {
        let Buffers { views, scratch, .. } = buffers;
        let judged = views.read(game, p, self.shape.views)?;
        let net = &self.nets().phases[judged.phase];
        if net.tower.is_none() {
            net.enter(views.iter(), scratch);
            return Some(judged);
        }
        // Some inputs, such as the last moves in Go, are not in the key of the position.
        let key = zobrist::key(views.key(), judged.phase as u64);
        if !self.entered.recall(key, self.epoch, |digest| scratch.put_back(digest)) {
            scratch.count_in_bytes(self.in_bytes);
            net.enter(views.iter(), scratch);
            self.entered.keep(key, self.epoch, |digest| scratch.keep(digest));
        }
        Some(judged)
    }

    /// The mean result of `p`, or of the quiet position that stands for it, where nets judge it, and the player for whom
    /// it is.
    pub(super) fn value<G: Game>(&self, game: &G, p: &G::Position, buffers: &mut Buffers) -> Option<(f32, Player)> {
        let settled = game.settled(p);
        if let Some(result) = settled.as_ref().and_then(|quiet| game.result(quiet)) {
            return Some((result, Player::First));
        }
        let p = settled.as_ref().unwrap_or(p);
        let judged = self.enter(game, p, buffers)?;
        let Buffers { scratch, outcomes, .. } = buffers;
        outcomes.clear();
        outcomes.resize(self.shape.results.len(), 0.0);
        self.nets().phases[judged.phase].outcome_logits(scratch, outcomes);
        if let Some(own) = own_logit(game, p, &self.shape, judged.player) {
            outcomes.iter_mut().zip(&self.shape.results).for_each(|(logit, result)| *logit += own * result);
        }
        softmax(outcomes, 1.0);
        let value = outcomes.iter().zip(&self.shape.results).map(|(chance, result)| chance * result).sum();
        Some((value, judged.player))
    }

    /// The values of the positions after the actions, for the player to move before; false if one of them is not judged.
    pub(super) fn values_after<G: Game>(&self, choice: Choice<G>, buffers: &mut Buffers, out: &mut Vec<f32>) -> bool {
        let Choice { game, p, actions } = choice;
        let key = actions.iter().fold(game.frame_key(p, 0), |key, &action| zobrist::key(key, action.into()));
        if self.values.recall(key, self.epoch, |values| out.clone_from(values)) {
            return true;
        }
        let sign = game.player(p).sign();
        out.clear();
        let mut after = p.clone();
        for &action in actions {
            after.clone_from(p);
            game.play(&mut after, action);
            let exact = game.result(&after).or_else(|| game.known(&after));
            out.push(match exact {
                Some(value) => sign * value,
                None => match self.value(game, &after, buffers) {
                    Some((value, player)) => sign * player.sign() * value,
                    None => return false,
                },
            });
        }
        self.values.keep(key, self.epoch, |values| values.clone_from(out));
        true
    }

    /// The policy's logits of the actions; false where there is none.
    pub(super) fn logits<G: Game>(&self, choice: Choice<G>, buffers: &mut Buffers, out: &mut Vec<f32>) -> bool {
        let Choice { game, p, actions } = choice;
        if !self.has_policy() {
            return false;
        }
        let Some(judged) = self.enter(game, p, buffers) else { return false };
        let Buffers { scratch, slots, .. } = buffers;
        slots.clear();
        let Some(known) = &self.slots else {
            actions.iter().for_each(|&action| game.slots(p, action, slots));
            let beyond = self.is_served().then(|| slots.iter().position(|&slot| self.is_beyond(slot))).flatten();
            if let Some(place) = beyond {
                slots.remove(place);
            }
            self.nets().phases[judged.phase].logits(scratch, slots, out);
            if let Some(place) = beyond {
                out.insert(place, out.iter().copied().reduce(f32::max).unwrap_or(0.0));
            } else if self.is_served() && self.answer_beyond(game, p, actions).is_some() {
                // The net has not learned to choose what the opponent may answer in this way.
                if !game.preferences(p, actions, out) {
                    out.fill(0.0);
                }
            }
            sum_each(out, self.shape.slots_each);
            return true;
        };
        slots.extend(actions.iter().filter_map(|action| known.get(action)));
        self.nets().phases[judged.phase].logits(scratch, slots, out);
        if slots.len() < actions.len() {
            // An action that the net has never met counts as its least promising one.
            let least = out.iter().copied().fold(0.0, f32::min);
            let mut met = std::mem::take(out).into_iter();
            let all = actions.iter().map(|action| match known.contains_key(action) {
                true => met.next().unwrap_or(least),
                false => least,
            });
            *out = all.collect();
        }
        true
    }
}
