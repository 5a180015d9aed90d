//! Whole numbers.

use std::ops::RangeInclusive;

use serde_json::json;

use super::{Facts, Kind, Of, of};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::{self, Node};

/// A whole number with its unit in words.
#[derive(Clone, Copy)]
pub struct Whole {
    /// Least.
    pub min: u64,
    /// Most.
    pub max: u64,
    /// What is counted, in words.
    pub unit: &'static str,
}

/// A whole number that may be below zero.
#[derive(Clone, Copy)]
pub struct Signed {
    /// Least.
    pub min: i64,
    /// Most.
    pub max: i64,
    /// What is counted, in words.
    pub unit: &'static str,
}

/// A list of whole numbers.
pub struct Wholes(pub Whole);

impl Kind for Whole {
    fn facts(&self) -> Facts {
        let Self { min, max, unit } = *self;
        let schema = json!({ "type": "integer", "minimum": min, "maximum": max });
        let space = if unit.is_empty() { "" } else { " " };
        let allowed = match max {
            u64::MAX => format!("whole numbers from {min} on{space}{unit}"),
            _ => format!("whole numbers from {min} to {max}{space}{unit}"),
        };
        Facts::new("a whole number", min.max(10).min(max).to_string(), schema)
            .allowed(allowed)
            .counted(unit)
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let range = i128::from(self.min)..=i128::from(self.max);
        within(range, reader, key, node, |number| {
            Datum::Whole(number as u64)
        })
    }
}

impl Kind for Signed {
    fn facts(&self) -> Facts {
        let Self { min, max, unit } = *self;
        let schema = json!({ "type": "integer", "minimum": min, "maximum": max });
        let space = if unit.is_empty() { "" } else { " " };
        Facts::new("a whole number", "0", schema)
            .allowed(format!("whole numbers from {min} to {max}{space}{unit}"))
            .counted(unit)
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let range = i128::from(self.min)..=i128::from(self.max);
        within(range, reader, key, node, |number| {
            Datum::Signed(number as i64)
        })
    }
}

of! {
    Signed for i32 { Datum::Signed(number) => i32::try_from(*number).ok()? }
        else |kind| i32::try_from(kind.min).unwrap_or(i32::MIN);
}

/// A whole number in a range, as `datum` holds it.
fn within(
    range: RangeInclusive<i128>,
    reader: &mut Reader<'_>,
    key: &Key,
    node: &Node,
    datum: fn(i128) -> Datum,
) -> Option<Datum> {
    let tree::Value::Integer(text, radix) = &node.value else {
        return reader.wrong_type(key, node);
    };
    match i128::from_str_radix(text, *radix) {
        Ok(number) if number < *range.start() => reader.out_of_range(key, node, "too small"),
        Ok(number) if number <= *range.end() => Some(datum(number)),
        _ => reader.out_of_range(key, node, "too large"),
    }
}

impl Kind for Wholes {
    fn facts(&self) -> Facts {
        let item = self.0.facts();
        let example = if self.0.min == 0 { "[0, 1]" } else { "[8, 8]" };
        let schema = json!({ "type": "array", "minItems": 1, "items": item.schema });
        Facts::new("a list of whole numbers", example, schema)
            .allowed(format!("a list of {}", item.allowed))
            .counted(item.counted)
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let items = reader.items(key, node)?.iter();
        reader.within(|reader| {
            let numbers = items.map(|item| {
                let datum = self.0.read(reader, key, item)?;
                u64::of(&self.0, &datum)
            });
            numbers.collect::<Option<_>>().map(Datum::Wholes)
        })
    }
}

/// The types that hold counts; their keys limit the number to what the type holds.
macro_rules! counts {
    ($($kind:ident for $type:ty;)*) => {$(of! {
        $kind for $type { Datum::Whole(number) => narrow(*number)? }
            else |kind| narrow(kind.min).unwrap_or(<$type>::MAX);
    })*};
}
pub(super) use counts;

counts! {
    Whole for u8;
    Whole for u16;
    Whole for u32;
    Whole for u64;
    Whole for usize;
}

pub(super) fn narrow<T: TryFrom<u64>>(number: u64) -> Option<T> {
    let narrow = T::try_from(number).ok();
    debug_assert!(narrow.is_some(), "the key's range is wider than the type");
    narrow
}

impl<T: Of<Whole>> Of<Wholes> for Vec<T> {
    fn of(kind: &Wholes, datum: &Datum) -> Option<Self> {
        let Datum::Wholes(numbers) = datum else {
            return None;
        };
        let item = |number: &u64| T::of(&kind.0, &Datum::Whole(*number));
        numbers.iter().map(item).collect()
    }

    fn stand_in(kind: &Wholes) -> Self {
        vec![T::stand_in(&kind.0)]
    }
}
