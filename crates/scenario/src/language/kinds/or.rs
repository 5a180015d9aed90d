//! A word beside the values of another kind, or a share of a whole.

use backwater_kernel::Rate;
use serde_json::json;

use super::{Facts, Kind, Of, Whole, any_of};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::{self, Node};
use crate::language::units;

/// A word, or a value of another kind.
pub struct Or<K>(pub &'static str, pub K);

impl<K: Kind> Kind for Or<K> {
    fn facts(&self) -> Facts {
        let (word, other) = (self.0, self.1.facts());
        let allowed = format!("`\"{word}\"`, or {}", other.allowed);
        let own = json!({ "const": word });
        // A number stands before the word.
        let both = match (&self.1 as &dyn Kind).is::<Whole>() {
            true => [other.schema, own],
            false => [own, other.schema],
        };
        Facts {
            noun: format!("{} or `\"{word}\"`", other.noun),
            schema: any_of(both),
            ..other
        }
        .allowed(allowed)
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        word(node, self.0).or_else(|| self.1.read(reader, key, node))
    }
}

/// The word itself; anything else is left to the caller.
pub(super) fn word(node: &Node, word: &'static str) -> Option<Datum> {
    match &node.value {
        tree::Value::Text(text) if text == word => Some(Datum::Word(word)),
        _ => None,
    }
}

/// A value, or the word that may stand in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrWord<T> {
    /// The word.
    Word,
    /// A value.
    Value(T),
}

impl<K: Kind, T: Of<K>> Of<Or<K>> for OrWord<T> {
    fn of(kind: &Or<K>, datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Word(_) => Some(Self::Word),
            _ => T::of(&kind.1, datum).map(Self::Value),
        }
    }

    fn stand_in(kind: &Or<K>) -> Self {
        Self::Value(T::stand_in(&kind.1))
    }
}

impl<T> OrWord<T> {
    /// The value, unless it is the word.
    pub(crate) fn value(self) -> Option<T> {
        match self {
            Self::Word => None,
            Self::Value(value) => Some(value),
        }
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

impl OrShare<Rate> {
    /// The rate, where this one is the whole.
    pub(crate) fn of(self, whole: Rate) -> Rate {
        match self {
            Self::Value(rate) => rate,
            Self::Share(share) => units::share_of(whole, share),
        }
    }
}

impl OrShare<u64> {
    /// The bytes, where so many are the whole, rounded half up; `None` if they are too many.
    pub(crate) fn of(self, whole: u64) -> Option<u64> {
        match self {
            Self::Value(bytes) => Some(bytes),
            Self::Share(share) => u64::try_from(share.times(whole.into())?).ok(),
        }
    }
}
