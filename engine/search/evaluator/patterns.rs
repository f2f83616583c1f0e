//! Weights that say which moves are promising, in place of the game's H(s, a): strengths of the features of moves, or nets with
//! a policy.

use std::{fs, path::Path, sync::Arc};

use playout_games::{Game, zobrist};
use playout_nets::{Gammas, file::is_of_nets, gammas, shared::Shared};

use super::learned::{Buffers, Choice, Learned};

/// Weights for the moves of a game, ready for it.
#[derive(Debug)]
pub struct Patterns {
    kind: Kind,
    fingerprint: u64,
}

#[derive(Debug)]
enum Kind {
    Strengths(Gammas),
    Nets(Box<Learned>),
}

impl Patterns {
    /// Reads the weights for the moves of `game`, which is called `name`.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn open<G: Game>(path: &Path, game: &G, name: &str) -> Result<Arc<Patterns>, String> {
        static HELD: Shared<Patterns> = Shared::none();
        let features = gammas::name_of(game).map_err(|what| format!("{}: {what}", path.display()))?;
        if fs::read(path).is_ok_and(|bytes| is_of_nets(&bytes)) {
            return Patterns::of_nets(path, game, name).map(Arc::new);
        }
        let read = |bytes: &[u8]| Gammas::read(bytes, name, features).map(Patterns::new);
        HELD.open(path, format!("{name} {features}"), read)
    }

    pub fn new(gammas: Gammas) -> Patterns {
        let mixed = |sum: u64, (feature, logit): (u64, f32)| zobrist::key(u64::from(logit.to_bits()), sum ^ feature);
        let fingerprint = gammas.logits().into_iter().fold(0, mixed);
        Patterns { kind: Kind::Strengths(gammas), fingerprint }
    }

    fn of_nets<G: Game>(path: &Path, game: &G, name: &str) -> Result<Patterns, String> {
        let mut learned = Learned::open_policy(path, game, name)?;
        if !learned.has_policy() {
            return Err(format!("{}: its nets have no policy", path.display()));
        }
        // Moves are ordered by it alone, for which bytes are exact enough.
        learned.count_in_bytes(true);
        Ok(Patterns { fingerprint: learned.fingerprint(), kind: Kind::Nets(Box::new(learned)) })
    }

    /// A number that other weights do not share.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Replaces `out` by preferences for the actions, which are legal: the logarithms of their strengths, or the policy's logits.
    /// False, and `out` is of no meaning, where nothing is known. `buffers` is scratch.
    pub(super) fn preferences<G: Game>(&self, choice: Choice<G>, buffers: &mut Buffers, out: &mut Vec<f32>) -> bool {
        match &self.kind {
            Kind::Strengths(gammas) => {
                let features = &mut buffers.features;
                choice.game.features(choice.p, choice.actions, features);
                out.clear();
                out.extend(features.iter().map(|features| gammas.logit(features)));
                true
            }
            Kind::Nets(learned) => learned.logits(choice, buffers, out),
        }
    }
}
