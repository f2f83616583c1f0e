//! Game parameters as they come from outside: names and texts.

use std::collections::BTreeMap;

/// The parameters of a game by name, as text; a kernel's `new` reads the ones it knows.
#[derive(Clone, Debug, Default)]
pub struct Params(pub BTreeMap<String, String>);

impl Params {
    /// The value of `name` parsed, or `default` where it is not given.
    ///
    /// # Errors
    ///
    /// One line that names the parameter and the text that does not parse.
    pub fn get<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        match self.0.get(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| format!("parameter {name}: cannot read {text:?}")),
        }
    }
}
