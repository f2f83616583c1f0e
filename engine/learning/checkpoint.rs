//! Files from which training goes on: nets, and the means of their steps.

use std::{fs, io::Write, path::Path};

use playout_games::NetShape;
use playout_nets::{Net, Nets, file};
use playout_search::save;

use crate::descent::Descent;

/// First bytes of a checkpoint.
const MAGIC: &[u8; 16] = b"playout-trainer1";

/// Writes the state of training, as a whole or not at all.
///
/// # Errors
///
/// One line that names the file.
pub fn save(path: &Path, game: &str, shape: &NetShape, nets: &Nets, descents: &[Descent]) -> Result<(), String> {
    let mut bytes = MAGIC.to_vec();
    let part = |choose: fn(&Descent) -> &Net| Nets {
        phases: descents.iter().map(|descent| choose(descent).clone()).collect(),
        ..nets.clone()
    };
    let mut weights = nets.clone();
    let steps: Vec<String> = descents.iter().map(|descent| descent.steps.to_string()).collect();
    weights.provenance.insert("steps".to_owned(), steps.join(" "));
    for nets in [weights, part(|descent| &descent.mean), part(|descent| &descent.square)] {
        let one = file::write(&nets, game, shape);
        bytes.extend((one.len() as u64).to_le_bytes());
        bytes.extend(one);
    }
    replace(path, &bytes)
}

/// Reads what `save` wrote.
///
/// # Errors
///
/// One line that names the file and what is wrong with it.
pub fn load(path: &Path, game: &str, shape: &NetShape) -> Result<(Nets, Vec<Descent>), String> {
    let wrong = |what: &str| format!("{}: {what}", path.display());
    let bytes = fs::read(path).map_err(|error| wrong(&error.to_string()))?;
    let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("not a checkpoint of training"))?;
    let mut next = || {
        let (length, after) = rest.split_first_chunk().ok_or_else(|| wrong("the checkpoint is cut off"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (one, after) = after.split_at_checked(length).ok_or_else(|| wrong("the checkpoint is cut off"))?;
        rest = after;
        file::read(one, game, shape).map_err(|what| wrong(&what))
    };
    let [mut nets, mean, square] = [next()?, next()?, next()?];
    let steps: Option<Vec<u64>> =
        nets.provenance.remove("steps").and_then(|all| all.split(' ').map(|text| text.parse().ok()).collect());
    let steps = steps.filter(|steps| steps.len() == nets.phases.len()).ok_or_else(|| wrong("it has no counts"))?;
    let moments = mean.phases.into_iter().zip(square.phases);
    let descents = nets.phases.iter().zip(moments).zip(steps).map(|((net, (mean, square)), steps)| {
        let mut descent = Descent::new(net);
        (descent.mean, descent.square, descent.steps) = (mean, square, steps);
        descent
    });
    let descents = descents.collect();
    Ok((nets, descents))
}

/// Puts a new file in the place of an old one, whole or not at all.
///
/// # Errors
///
/// One line that names the file.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    save::replace(path, |file| file.write_all(bytes)).map_err(|error| format!("{}: {error}", path.display()))
}
