//! What a value may be: a type for each kind of value, which names it, shows it and reads it.
//!
//! The reader, `explain`, the editor schema, the reference page and the resolved scenario ask a
//! key's kind, so what a value may be is said once. [`Of`] is the other side: which types of Rust
//! hold values of a kind.

mod amount;
mod cycles;
mod decimal;
mod name;
mod or;
mod rate;
mod share;
mod size;
mod sweep;
mod table;
#[cfg(test)]
mod tests;
mod time;
mod whole;
mod word;

pub use amount::Amount;
pub use cycles::{Cycles, CyclesOr};
pub use decimal::{Decimal, Rows};
pub use name::{Name, Names, Path, Reference, ReferenceList, References, Text};
pub use or::{Or, OrShare, OrWord};
pub use rate::{CellRate, Rate, RateOrShare};
pub use share::{Portion, PortionOr, Probability, Ratio, Share};
pub use size::{Size, Threshold};
pub use sweep::{Axes, Seeds};
pub use table::{Short, Table, Tables};
pub use time::{Cable, Clock, ClockOr, ClockSpan, Span, Time, TimeOr};
pub use whole::{Whole, WholeOr, Wholes};
pub use word::{Truth, Words};

use std::any::Any;
use std::fmt::Display;

use serde_json::{Value, json};

use crate::reader::Reader;
use crate::record::Datum;
use crate::table::{Choice, Key, Section};
use crate::tree::Node;
use crate::units::Unit;

/// What a value may be.
pub trait Kind: Any + Sync {
    /// What is said of it.
    fn facts(&self) -> Facts;

    /// Reads a value for this key and tells what is wrong with it.
    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum>;

    /// A value for the key of this name, as TOML.
    fn example_for(&self, _key: &str) -> String {
        self.facts().example
    }

    /// How a value is laid out in a file.
    fn form(&self) -> Form {
        Form::Value
    }

    /// The section that describes the table or tables.
    fn section(&self) -> Option<&'static Section> {
        None
    }

    /// The words of which a value is one.
    fn choices(&self) -> Option<&'static [Choice]> {
        None
    }

    /// The key whose value may stand for the whole table.
    fn short_key(&self) -> Option<&'static Key> {
        None
    }
}

impl dyn Kind {
    /// Is it a `K`?
    pub fn is<K: Kind>(&self) -> bool {
        self.cast::<K>().is_some()
    }

    /// This kind, if it is a `K`.
    pub fn cast<K: Kind>(&self) -> Option<&K> {
        (self as &dyn Any).downcast_ref()
    }
}

/// What is said of a kind of values.
pub struct Facts {
    /// "a span of time".
    pub noun: String,
    /// A value, as TOML.
    pub example: String,
    /// What may be given, with units and range.
    pub allowed: String,
    /// The same where words and tables have a place of their own.
    pub summary: String,
    /// The units a value may have.
    pub units: Vec<&'static str>,
    /// The unit to show in an example with the user's own number.
    pub usual_unit: &'static str,
    /// As JSON schema.
    pub schema: Value,
}

impl Facts {
    fn new(noun: impl Into<String>, example: impl Into<String>, schema: Value) -> Self {
        let noun = noun.into();
        Self {
            allowed: noun.clone(),
            summary: noun.clone(),
            noun,
            example: example.into(),
            units: Vec::new(),
            usual_unit: "us",
            schema,
        }
    }

    fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self.summary = self.allowed.clone();
        self
    }

    fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    /// A range with its units.
    fn range(self, range: impl Display, units: Vec<&'static str>, usual: &'static str) -> Self {
        self.allowed(format!("{range}, in {}", units.join(", ")))
            .units(units, usual)
    }

    fn units(mut self, units: Vec<&'static str>, usual: &'static str) -> Self {
        self.units = units;
        self.usual_unit = usual;
        self
    }
}

/// How a value is laid out in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `key = value`.
    Value,
    /// `[key]`, once.
    Table,
    /// `[[key]]`, once for each.
    Tables,
}

/// A type of Rust that holds values of the kind `K`.
pub trait Of<K>: Sized {
    /// The value; `None` only if the datum is of another kind (which the types exclude).
    fn of(kind: &K, datum: &Datum) -> Option<Self>;

    /// What stands for a value that was not given as it should be: the mistake is told, no run
    /// follows.
    fn stand_in(kind: &K) -> Self;
}

/// A type with a kind that goes without saying.
pub trait Usual {
    /// The kind.
    type Kind: Kind + 'static;
    /// It, as a value.
    const KIND: Self::Kind;
}

/// Which types hold a kind: the datum, the value in it, and what stands in for one.
macro_rules! of {
    ($($kind:ident for $type:ty
        { $($datum:pat => $value:expr),+ $(,)? } else $stand_in:expr;)*) => {$(
        impl crate::kinds::Of<$kind> for $type {
            fn of(_: &$kind, datum: &crate::record::Datum) -> Option<Self> {
                match datum {
                    $($datum => Some($value),)+
                    _ => None,
                }
            }

            fn stand_in(kind: &$kind) -> Self {
                let stand_in: fn(&$kind) -> Self = $stand_in;
                stand_in(kind)
            }
        }
    )*};
}
use of;

/// The kinds that go without saying for these types.
macro_rules! usual {
    ($($type:ty: $kind:ident;)*) => {$(
        impl crate::kinds::Usual for $type {
            type Kind = $kind;
            const KIND: $kind = $kind;
        }
    )*};
}
use usual;

fn names(units: &[Unit]) -> Vec<&'static str> {
    units.iter().map(|unit| unit.0).collect()
}

fn any_of<const N: usize>(schemas: [Value; N]) -> Value {
    json!({ "anyOf": schemas.as_slice() })
}
