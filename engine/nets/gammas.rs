//! Strengths (gammas) of the features of moves: safetensors with `playout-gammas` 1 in their metadata.
//!
//! The tensors `features` of U64, in rising order, and `logits` of F32, the logarithm of each one's strength. Metadata are
//! texts: `format`, `version`, `game`, `features` (the name of the features) and, under names that begin with
//! `provenance.`, where the strengths come from.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasherDefault, Hasher},
};

use playout_games::{FEATURE_VALUE_BITS as VALUE_BITS, Game, group_of};
use safetensors::{Dtype, tensor::TensorView};

use crate::file::{metadata, opened, said};

const FORMAT: &str = "playout-gammas";
const VERSION: &str = "1";

/// The strengths of the features of a game's moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gammas {
    /// Logits of the features with small values, by group and value; most features of a move are such.
    small: Vec<Option<f32>>,
    others: HashMap<u64, f32, BuildHasherDefault<Mixed>>,
    /// Where the strengths come from: data, command, date, commit.
    pub provenance: BTreeMap<String, String>,
}

/// A hash of one number, most of which are hashes themselves.
#[derive(Clone, Copy, Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// The name of the features of the moves of `game`.
///
/// # Errors
///
/// One line if they have none.
pub fn name_of<G: Game>(game: &G) -> Result<&'static str, String> {
    game.features_name().ok_or_else(|| "the moves of this game have no features".to_owned())
}

/// Values below this one are small.
const SMALL: u64 = 64;

/// The place of a feature whose value is small.
fn place_of(feature: u64) -> Option<usize> {
    let group = u64::from(group_of(feature));
    let value = feature & ((1 << VALUE_BITS) - 1);
    (value < SMALL).then_some((group * SMALL + value) as usize)
}

/// The feature of a place.
fn feature_at(place: u64) -> u64 {
    ((place / SMALL) << VALUE_BITS) | (place % SMALL)
}

impl Gammas {
    /// Features with the logarithms of their strengths.
    pub fn new(logits: impl IntoIterator<Item = (u64, f32)>) -> Gammas {
        let mut gammas = Gammas::default();
        for (feature, logit) in logits {
            match place_of(feature) {
                Some(place) => {
                    gammas.small.resize(gammas.small.len().max(place + 1), None);
                    gammas.small[place] = Some(logit);
                }
                None => drop(gammas.others.insert(feature, logit)),
            }
        }
        gammas
    }

    /// The features with the logarithms of their strengths, in rising order.
    pub fn logits(&self) -> BTreeMap<u64, f32> {
        let small = self.small.iter().zip(0..).filter_map(|(&logit, place)| Some((feature_at(place), logit?)));
        self.others.iter().map(|(&feature, &logit)| (feature, logit)).chain(small).collect()
    }

    fn get(&self, feature: u64) -> Option<f32> {
        match place_of(feature) {
            Some(place) => self.small.get(place).copied().flatten(),
            None => self.others.get(&feature).copied(),
        }
    }

    /// The logarithm of the strength of a move with these features (`MoveFeatures`): in each group that of the last known one.
    pub fn logit(&self, features: &[u64]) -> f32 {
        let of_group = |group: &[u64]| group.iter().rev().find_map(|&feature| self.get(feature));
        features.chunk_by(|&a, &b| group_of(a) == group_of(b)).filter_map(of_group).sum()
    }

    /// Reads the strengths of the moves of `game`, whose features have this name, from the bytes of a file.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong.
    pub fn read(bytes: &[u8], game: &str, features: &str) -> Result<Gammas, String> {
        let (header, tensors) = opened(bytes)?;
        let provenance =
            said(&header, &[("format", FORMAT), ("version", VERSION), ("game", game), ("features", features)])?;
        let data = |name: &str, kind: Dtype| match tensors.tensor(name) {
            Err(_) => Err(format!("there is no tensor {name}")),
            Ok(tensor) if tensor.dtype() != kind || tensor.shape().len() != 1 => Err(format!(
                "{name} has the sides {:?} of {:?} instead of one of {kind:?}",
                tensor.shape(),
                tensor.dtype()
            )),
            Ok(tensor) => Ok(tensor.data()),
        };
        let (features, logits) = (data("features", Dtype::U64)?, data("logits", Dtype::F32)?);
        let features = features.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let logits = logits.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        if features.len() != logits.len() {
            return Err(format!("{} features have {} logits", features.len(), logits.len()));
        }
        if let Some((place, logit)) = logits.clone().enumerate().find(|(_, logit)| !logit.is_finite()) {
            return Err(format!("logits has {logit} at place {place}"));
        }
        if !features.clone().is_sorted_by(|a, b| a < b) {
            return Err("the features are not in rising order".to_owned());
        }
        Ok(Gammas { provenance, ..Gammas::new(features.zip(logits)) })
    }

    /// The bytes of a file.
    pub fn write(&self, game: &str, features: &str) -> Vec<u8> {
        let logits = self.logits();
        let keys: Vec<u8> = logits.keys().flat_map(|feature| feature.to_le_bytes()).collect();
        let numbers: Vec<u8> = logits.values().flat_map(|logit| logit.to_le_bytes()).collect();
        let view = |kind, bytes| TensorView::new(kind, vec![logits.len()], bytes).expect("the sides are the length");
        let views = [("features", view(Dtype::U64, &keys)), ("logits", view(Dtype::F32, &numbers))];
        let own = [("format", FORMAT), ("version", VERSION), ("game", game), ("features", features)];
        safetensors::serialize(views, Some(metadata(&own, &self.provenance))).expect("names and sides are in order")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(group: u64, value: u64) -> u64 {
        group << 56 | value
    }

    fn gammas() -> Gammas {
        let all = [(feature(0, 1), 0.5), (feature(2, 7), -1.0), (feature(2, 1 << 50), 2.0), (feature(3, 1), 4.0)];
        Gammas { provenance: [("data".to_owned(), "none".to_owned())].into(), ..Gammas::new(all) }
    }

    #[test]
    fn of_each_group_the_last_known_feature_counts() {
        let logit = |features: &[u64]| gammas().logit(features);
        assert_eq!(logit(&[]), 0.0);
        assert_eq!(logit(&[feature(0, 1), feature(2, 7), feature(2, 1 << 50), feature(2, 9)]), 2.5);
        assert_eq!(logit(&[feature(2, 1 << 50), feature(2, 7), feature(3, 1)]), 3.0);
        assert_eq!(logit(&[feature(0, 2), feature(3, 2)]), 0.0);
    }

    #[test]
    fn a_file_gives_back_what_was_written_and_says_what_is_wrong() {
        let bytes = gammas().write("go", "go-1");
        assert_eq!(Gammas::read(&bytes, "go", "go-1"), Ok(gammas()));
        let wrong = |bytes: &[u8], game, features| Gammas::read(bytes, game, features).unwrap_err();
        assert_eq!(wrong(&bytes, "hex", "go-1"), "game is \"go\" instead of \"hex\"");
        assert_eq!(wrong(&bytes, "go", "go-2"), "features is \"go-1\" instead of \"go-2\"");
        assert!(wrong(&bytes[..bytes.len() - 4], "go", "go-1").starts_with("not a file of weights: "));
        let spoilt = Gammas::new([(1, 1.0), (1 << 40, f32::NAN)]);
        assert_eq!(wrong(&spoilt.write("go", "go-1"), "go", "go-1"), "logits has NaN at place 1");
    }
}
