//! The search's parameters as Python sees them: their table, and the configuration that it passes.

use playout_search::{
    Config,
    params::{Kind, Need, Param, Term, Value},
};
use pyo3::{IntoPyObjectExt, exceptions::PyValueError, prelude::*};

/// (parameter or empty, relation, values)
type TermTuple = (&'static str, &'static str, Vec<String>);
/// (values that need it, terms of which one is needed)
type NeedTuple = (Vec<&'static str>, Vec<TermTuple>);
/// (field, option, kind, default, bounds, words, help, needs)
type ParamTuple = (
    &'static str,
    &'static str,
    &'static str,
    Py<PyAny>,
    Option<(f64, f64)>,
    Vec<&'static str>,
    &'static str,
    Vec<NeedTuple>,
);

fn term(term: &Term) -> TermTuple {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    match *term {
        Term::Is(name, values) => (name, "is", words(values)),
        Term::IsNot(name, values) => (name, "is not", words(values)),
        Term::Above(name, least) => (name, "above", vec![least.to_string()]),
        Term::Game(ability) => ("", "game", vec![ability.to_owned()]),
    }
}

fn need(need: &Need) -> NeedTuple {
    (need.values.to_vec(), need.any.iter().map(term).collect())
}

fn row(py: Python<'_>, param: &'static Param) -> PyResult<ParamTuple> {
    let kind = match param.kind {
        Kind::Flag => "check",
        Kind::Count => "spin",
        Kind::Number => "float",
        Kind::Word => "combo",
    };
    let default = match &param.default {
        Value::Flag(flag) => flag.into_py_any(py),
        Value::Count(count) => count.into_py_any(py),
        Value::Number(number) => number.into_py_any(py),
        Value::Word(word) => word.into_py_any(py),
    };
    let needs = param.needs.iter().map(need).collect();
    Ok((param.name, &param.option, kind, default?, param.bounds, param.words.to_vec(), &param.help, needs))
}

/// The table of the search's parameters, in the order of their declarations.
#[pyfunction]
pub fn search_params(py: Python<'_>) -> PyResult<Vec<ParamTuple>> {
    Config::params().iter().map(|param| row(py, param)).collect()
}

/// The configuration that an object with the parameters as attributes stands for.
///
/// # Errors
///
/// ValueError: a value of another type, out of its bounds, or a word that names no choice.
pub fn read_config(settings: &Bound<'_, PyAny>) -> PyResult<Config> {
    let mut config = Config::default();
    for param in Config::params() {
        let given = settings.getattr(param.name)?;
        let value = match param.kind {
            Kind::Flag => given.extract().map(Value::Flag),
            Kind::Count => given.extract().map(Value::Count),
            Kind::Number => given.extract().map(Value::Number),
            Kind::Word => given.extract().map(Value::Word),
        };
        let value = value.map_err(|_| PyValueError::new_err(format!("{}: {given} is no value of it", param.name)))?;
        config.set(param.name, &value).map_err(PyValueError::new_err)?;
    }
    Ok(config)
}
