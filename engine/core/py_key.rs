//! A 64-bit key from a Python object, the same in every process: Python's own hash of text changes from run to run, and
//! that of an integer is the integer.

use playout_games::zobrist;
use pyo3::{
    prelude::*,
    types::{PyBool, PyBytes, PyFrozenSet, PyInt, PyString, PyTuple},
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
    if let Ok(fields) = object.get_type().getattr("__match_args__")
        && let Ok(fields) = fields.cast::<PyTuple>()
        && !fields.is_empty()
    {
        object.hash()?;
        return fields.iter().try_fold(mix(9, fields.len() as u64), |state, name| {
            Ok(mix(state, stable_key(&object.getattr(name.cast::<PyString>()?)?)?))
        });
    }
    Ok(mix(10, object.hash()? as u64))
}
