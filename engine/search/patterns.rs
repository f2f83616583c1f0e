//! Strengths of the features of moves, which take the place of the game's H(s, a).

use std::{path::Path, sync::Arc};

use playout_games::{Action, Game, MoveFeatures, zobrist};
use playout_nets::{Gammas, gammas, shared::Shared};

/// The strengths of a game's features, ready for it.
#[derive(Debug)]
pub struct Patterns {
    gammas: Gammas,
    fingerprint: u64,
}

impl Patterns {
    /// Reads the strengths of `game`, which is called `name`.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn open<G: Game>(path: &Path, game: &G, name: &str) -> Result<Arc<Patterns>, String> {
        static HELD: Shared<Patterns> = Shared::none();
        let features = gammas::name_of(game).map_err(|what| format!("{}: {what}", path.display()))?;
        let read = |bytes: &[u8]| Gammas::read(bytes, name, features).map(Patterns::new);
        HELD.open(path, format!("{name} {features}"), read)
    }

    pub fn new(gammas: Gammas) -> Patterns {
        let mixed = |sum: u64, (feature, logit): (u64, f32)| zobrist::key(u64::from(logit.to_bits()), sum ^ feature);
        let fingerprint = gammas.logits().into_iter().fold(0, mixed);
        Patterns { gammas, fingerprint }
    }

    /// A number that other strengths do not share.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Replaces `out` by the logarithms of the strengths of the actions, which are legal at `p`. `features` is scratch.
    pub(crate) fn preferences<G: Game>(
        &self,
        game: &G,
        p: &G::Position,
        actions: &[Action],
        features: &mut MoveFeatures,
        out: &mut Vec<f32>,
    ) {
        game.features(p, actions, features);
        out.clear();
        out.extend(features.iter().map(|features| self.gammas.logit(features)));
    }
}
