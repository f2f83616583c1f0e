//! Errors about a failing method of a user's game: one line with the method, its arguments and what is wrong. The
//! exception that the method raised is the cause of the reported one.

use pyo3::{exceptions::PyException, prelude::*, sync::PyOnceLock};

/// Maximum number of characters shown of an argument or a wrong value.
const SHOWN: usize = 200;

/// `method(arguments)`, as a user knows the call.
pub fn call_text(method: &str, arguments: &[&Bound<'_, PyAny>]) -> String {
    let arguments: Vec<String> = arguments.iter().map(|argument| shown(argument)).collect();
    format!("{method}({})", arguments.join(", "))
}

/// A value on one line, shortened; its type if its `repr` fails.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = match value.repr().and_then(|text| text.extract::<String>()) {
        Ok(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Err(_) => match value.get_type().name() {
            Ok(name) => format!("<a {name}>"),
            Err(_) => "<?>".to_owned(),
        },
    };
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// A `GameError` with this message.
pub fn game_error(py: Python<'_>, message: &str) -> PyErr {
    static GAME_ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    match GAME_ERROR.import(py, "playout.games.errors", "GameError").and_then(|class| class.call1((message,))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// Whether `error` was set in this thread from outside, because a method of the user's did not return.
pub fn interrupted(py: Python<'_>, error: &PyErr) -> bool {
    static INTERRUPTED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    INTERRUPTED
        .import(py, "playout.games.errors", "Interrupted")
        .is_ok_and(|class| error.value(py).is_instance(class).unwrap_or(false))
}

/// The error for a forbidden return value of `method`.
pub fn wrong(py: Python<'_>, method: &str, arguments: &[&Bound<'_, PyAny>], what: &str) -> PyErr {
    game_error(py, &format!("{} {what}", call_text(method, arguments)))
}

/// `method` raised `error`. What is no exception but leaves the program stays as it is.
pub fn raised(py: Python<'_>, error: PyErr, method: &str, arguments: &[&Bound<'_, PyAny>]) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let kind = error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let said = error.value(py).str().and_then(|text| text.extract::<String>()).unwrap_or_default();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let what = if said.is_empty() { kind } else { format!("{kind}: {said}") };
    let fault = wrong(py, method, arguments, &format!("raised {what}"));
    fault.set_cause(py, Some(error));
    fault
}
