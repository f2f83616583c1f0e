//! Search parameters, declared once: `params!` makes the struct, its default and its table of one declaration for each
//! parameter, `words!` an enum whose values users write as words. `config.rs` holds the declarations.

use std::fmt;

/// A value as users and other languages give it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Flag(bool),
    Count(u64),
    Number(f64),
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Flag(flag) => flag.fmt(f),
            Value::Count(count) => count.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => write!(f, "{word:?}"),
        }
    }
}

/// Kind of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Flag,
    Count,
    Number,
    /// One of the parameter's words.
    Word,
}

/// A condition under which a parameter acts. Parameters are named by their fields, values as users write them.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// The other parameter has one of these values.
    Is(&'static str, &'static [&'static str]),
    /// The other parameter has none of these values.
    IsNot(&'static str, &'static [&'static str]),
    /// The other parameter is greater than this number.
    Above(&'static str, u32),
    /// The game offers this.
    Game(&'static str),
}

/// A condition that a parameter needs in order to act: one of several terms holds.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub any: &'static [Term],
    /// The values that need it; empty is all but the default.
    pub values: &'static [&'static str],
}

/// A need of every value but the default.
pub const fn any(terms: &'static [Term]) -> Need {
    Need { any: terms, values: &[] }
}

/// A need of these `values` alone.
pub const fn only(values: &'static [&'static str], terms: &'static [Term]) -> Need {
    Need { any: terms, values }
}

/// The declaration of one parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// The field of the struct.
    pub name: &'static str,
    /// The name of the option that sets it.
    pub option: String,
    pub kind: Kind,
    pub default: Value,
    /// The least and the greatest value of counts and numbers.
    pub bounds: Option<(f64, f64)>,
    pub words: &'static [&'static str],
    pub help: String,
    /// All of these are needed.
    pub needs: &'static [Need],
}

impl Param {
    /// Whether the parameter may have `value`.
    ///
    /// # Errors
    ///
    /// One line that names the parameter, the value and what is allowed.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let name = self.name;
        let number = match (self.kind, value) {
            (Kind::Flag, Value::Flag(_)) => return Ok(()),
            (Kind::Word, Value::Word(word)) if self.words.contains(&word.as_str()) => return Ok(()),
            (Kind::Word, _) => return Err(format!("{name}: {value} is not one of {}", self.words.join(", "))),
            (Kind::Count, Value::Count(count)) => *count as f64,
            (Kind::Number, Value::Number(number)) => *number,
            _ => return Err(format!("{name}: {value} is not a {:?}", self.kind)),
        };
        match self.bounds {
            Some((low, high)) if !(low..=high).contains(&number) => {
                Err(format!("{name}: {value} is not between {low} and {high}"))
            }
            _ => Ok(()),
        }
    }
}

/// A type that a parameter may have.
pub trait ParamType: Copy {
    const KIND: Kind;
    const WORDS: &'static [&'static str] = &[];

    fn value(self) -> Value;

    /// None if `value` is of another kind.
    fn read(value: &Value) -> Option<Self>;
}

impl ParamType for bool {
    const KIND: Kind = Kind::Flag;

    fn value(self) -> Value {
        Value::Flag(self)
    }

    fn read(value: &Value) -> Option<bool> {
        if let Value::Flag(flag) = value { Some(*flag) } else { None }
    }
}

impl ParamType for f32 {
    const KIND: Kind = Kind::Number;

    /// The shortest decimal number that is read back as this one: 0.1, not 0.10000000149.
    fn value(self) -> Value {
        Value::Number(self.to_string().parse().expect("a number is written as one"))
    }

    fn read(value: &Value) -> Option<f32> {
        if let Value::Number(number) = value { Some(*number as f32) } else { None }
    }
}

macro_rules! counts {
    ($($count:ty),*) => {$(
        impl ParamType for $count {
            const KIND: Kind = Kind::Count;

            fn value(self) -> Value {
                Value::Count(self as u64)
            }

            fn read(value: &Value) -> Option<$count> {
                if let Value::Count(count) = value { <$count>::try_from(*count).ok() } else { None }
            }
        }
    )*};
}

counts!(u32, u64, usize);

/// `GraveVisits` for `grave_visits`.
pub fn camel_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capital).collect()
}

/// Declares an enum with the word that stands for each of its values.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $kind:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$meaning])* $kind,)+
        }

        impl $name {
            /// All values with their words.
            pub const ALL: &[(&str, $name)] = &[$(($word, $name::$kind)),+];
        }

        impl $crate::params::ParamType for $name {
            const KIND: $crate::params::Kind = $crate::params::Kind::Word;
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn value(self) -> $crate::params::Value {
                $crate::params::Value::Word(match self { $($name::$kind => $word),+ }.to_owned())
            }

            fn read(value: &$crate::params::Value) -> Option<$name> {
                let $crate::params::Value::Word(word) = value else { return None };
                $name::ALL.iter().find(|(known, _)| known == word).map(|&(_, value)| value)
            }
        }
    };
}

/// Declares a struct of parameters:
///
/// ```text
/// /// The parameter's help, for users and for rustdoc.
/// name ("Option"): type = default, least ..= greatest; needs [need, need];
/// ```
///
/// The option's name, where it is left out, is the field's in camel case. Bounds are for counts and numbers.
macro_rules! params {
    ($(#[$about:meta])* $config:ident {
        $(
            $(#[doc = $help:literal])+
            $name:ident $(($option:literal))? : $kind:ty = $default:expr
            $(, $low:literal ..= $high:literal)?
            $(; needs [$($need:expr),+])? ;
        )+
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $config {
            $($(#[doc = $help])+ pub $name: $kind,)+
        }

        impl Default for $config {
            fn default() -> $config {
                $config { $($name: $default,)+ }
            }
        }

        impl $config {
            /// The table of the parameters, in the order of their declarations.
            pub fn params() -> &'static [$crate::params::Param] {
                use $crate::params::{ParamType, Param, camel_case};
                static PARAMS: std::sync::LazyLock<Vec<Param>> = std::sync::LazyLock::new(|| vec![$(Param {
                    name: stringify!($name),
                    option: [$($option.to_owned(),)? camel_case(stringify!($name))].into_iter().next().expect("one at least"),
                    kind: <$kind as ParamType>::KIND,
                    default: ParamType::value($config::default().$name),
                    bounds: [$(Some(($low as f64, $high as f64)),)? None][0],
                    words: <$kind as ParamType>::WORDS,
                    help: concat!($($help),+).trim().to_owned(),
                    needs: const { &[$($($need),+)?] },
                }),+]);
                &PARAMS
            }

            /// Sets the parameter called `name`.
            ///
            /// # Errors
            ///
            /// One line, and nothing changes, if there is no such parameter or it may not have `value`.
            pub fn set(&mut self, name: &str, value: &$crate::params::Value) -> Result<(), String> {
                let known = $config::params().iter().find(|param| param.name == name);
                let param = known.ok_or_else(|| format!("{name}: no such parameter"))?;
                param.check(value)?;
                match name {
                    $(stringify!($name) => {
                        self.$name = $crate::params::ParamType::read(value).ok_or_else(|| format!("{name}: {value} is too large"))?;
                    })+
                    _ => unreachable!("the table has the same names"),
                }
                Ok(())
            }
        }
    };
}

pub(crate) use {params, words};
