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
pub use cycles::Cycles;
pub use decimal::{Decimal, Rows};
pub use name::{Name, Names, Path, Reference, ReferenceList, References, Text};
pub use or::{Or, OrShare, OrWord};
pub use rate::{CellRate, Pace, PortRate, Rate, RateOrShare};
pub use share::{Portion, PortionOr, Probability, Ratio, Share};
pub use size::{Size, Threshold};
pub(crate) use sweep::MOST_SEEDS;
pub use sweep::{Axes, Seeds};
pub use table::{One, Short, Table, Tables};
pub use time::{Cable, Clock, ClockSpan, Drawn, Lasting, Span, Time};
pub use whole::{Signed, Whole, Wholes};
pub use word::{Truth, Words};

pub use crate::language::table::{Facts, Form, Kind};

use serde_json::{Value, json};

use crate::language::record::Datum;
use crate::language::units::Unit;

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
        impl crate::language::kinds::Of<$kind> for $type {
            fn of(_: &$kind, datum: &crate::language::record::Datum) -> Option<Self> {
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
        impl crate::language::kinds::Usual for $type {
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

/// A string that holds a number and one of these units.
fn quantity(units: &[&str]) -> Value {
    let number = r"^\s*\+?([0-9][0-9_]*\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*";
    json!({ "type": "string", "pattern": format!("{number}({})\\s*$", units.join("|")) })
}
