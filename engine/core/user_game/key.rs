//! A 64-bit key from a Python object, the same in every process: Python's own hash of text changes from run to run, and
//! that of an integer is the integer.

use playout_games::zobrist;
use pyo3::{
    prelude::*,
    types::{PyBool, PyBytes, PyFloat, PyFrozenSet, PyInt, PyString, PyTuple},
};

fn mix(state: u64, word: u64) -> u64 {
    zobrist::key(state.rotate_left(5) ^ word, state)
}

fn bytes(mut state: u64, data: &[u8]) -> u64 {
    for chunk in data.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = mix(state, u64::from_le_bytes(word));
    }
    mix(state, data.len() as u64)
}

/// The key of `object`. Tuples, frozen sets, numbers, texts, bytes and frozen dataclasses are read through; anything
/// else counts by its hash.
///
/// # Errors
///
/// Python's exception, usually about an unhashable object.
pub fn stable_key(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter().try_fold(mix(1, tuple.len() as u64), |state, item| Ok(mix(state, stable_key(&item)?)));
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(mix(2, u64::from(truth.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        if let Ok(number) = object.extract::<i64>() {
            return Ok(mix(3, number as u64));
        }
        let text = object.str()?;
        return Ok(bytes(4, text.to_str()?.as_bytes()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(bytes(5, text.to_str()?.as_bytes()));
    }
    if let Ok(data) = object.cast::<PyBytes>() {
        return Ok(bytes(6, data.as_bytes()));
    }
    if object.is_none() {
        return Ok(mix(7, 0));
    }
    if let Ok(set) = object.cast::<PyFrozenSet>() {
        let sum = set.iter().try_fold(0_u64, |sum, item| PyResult::Ok(sum.wrapping_add(stable_key(&item)?)))?;
        return Ok(mix(mix(8, set.len() as u64), sum));
    }
    if let Some(fields) = fields_of(object) {
        object.hash()?;
        return fields.iter().try_fold(mix(9, fields.len() as u64), |state, name| {
            Ok(mix(state, stable_key(&object.getattr(name.cast::<PyString>()?)?)?))
        });
    }
    Ok(mix(10, object.hash()? as u64))
}

/// The names of a dataclass's fields.
fn fields_of<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyTuple>> {
    let fields = object.get_type().getattr("__match_args__").ok()?.cast_into::<PyTuple>().ok()?;
    (!fields.is_empty()).then_some(fields)
}

/// Whether the key of `object` is the same in every process, because no part of it counts by its hash alone.
///
/// # Errors
///
/// Python's exception, of a field that cannot be read.
pub fn lasts(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let all = |mut items: Box<dyn Iterator<Item = PyResult<Bound<'_, PyAny>>> + '_>| {
        items.try_fold(true, |all, item| Ok(all && lasts(&item?)?))
    };
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return all(Box::new(tuple.iter().map(Ok)));
    }
    if let Ok(set) = object.cast::<PyFrozenSet>() {
        return all(Box::new(set.iter().map(Ok)));
    }
    if object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_none()
    {
        return Ok(true);
    }
    let Some(fields) = fields_of(object) else { return Ok(false) };
    all(Box::new(fields.iter().map(|name| object.getattr(name.cast::<PyString>()?))))
}
