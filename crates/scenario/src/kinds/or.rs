//! A word beside the values of another kind, or a share of a whole.

use std::any::Any;

use serde_json::{Value, json};

use super::{Facts, Kind, Of, any_of};
use crate::reader::Reader;
use crate::record::Datum;
use crate::table::Key;
use crate::tree::{self, Node};
use crate::units;

/// A kind that is another one with a word besides.
pub trait Or: Any + Sync {
    /// The other kind.
    type Other: Kind;

    /// The word.
    fn word(&self) -> &'static str;

    /// What may be given instead of the word.
    fn other(&self) -> Self::Other;

    /// The schemas of both, in the order to show them.
    fn alternatives(&self, word: Value, other: Value) -> [Value; 2] {
        [word, other]
    }
}

impl<O: Or> Kind for O {
    fn facts(&self) -> Facts {
        let (word, other) = (self.word(), self.other().facts());
        let allowed = format!("`\"{word}\"`, or {}", other.allowed);
        Facts {
            noun: format!("{} or `\"{word}\"`", other.noun),
            schema: any_of(self.alternatives(json!({ "const": word }), other.schema)),
            ..other
        }
        .allowed(allowed)
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        word(node, self.word()).or_else(|| self.other().read(reader, key, node))
    }
}

/// The word itself; anything else is left to the caller.
pub(super) fn word(node: &Node, word: &'static str) -> Option<Datum> {
    match &node.value {
        tree::Value::Text(text) if text == word => Some(Datum::Word(word)),
        _ => None,
    }
}

/// Kinds that have a word besides those of the other kind with the same fields.
macro_rules! or {
    ($($kind:ident: $other:ident { $($field:ident),* };)*) => {$(
        impl crate::kinds::Or for $kind {
            type Other = $other;

            fn word(&self) -> &'static str {
                self.word
            }

            fn other(&self) -> $other {
                $other { $($field: self.$field),* }
            }
        }
    )*};
}
pub(super) use or;

/// A value, or the word that may stand in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrWord<T> {
    /// The word.
    Word,
    /// A value.
    Value(T),
}

impl<O: Or, T: Of<O::Other>> Of<O> for OrWord<T> {
    fn of(kind: &O, datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Word(_) => Some(Self::Word),
            _ => T::of(&kind.other(), datum).map(Self::Value),
        }
    }

    fn stand_in(kind: &O) -> Self {
        Self::Value(T::stand_in(&kind.other()))
    }
}

/// A value, or a share of what the key is measured by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrShare<T> {
    /// A value.
    Value(T),
    /// A share.
    Share(units::Decimal),
}
