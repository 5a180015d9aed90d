//! Shares of a whole: as numbers, percentages and fractions.

use serde_json::json;

use super::or::word;
use super::{Facts, Kind, OrWord, any_of, of, quantity};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::Node;
use crate::language::units;

/// 0 to 1, or a percentage.
pub struct Probability;

/// 0 to 1 of a whole, or a percentage.
pub struct Portion;

/// A word, or a part of a whole that is neither nothing nor all.
pub struct PortionOr {
    /// The word.
    pub word: &'static str,
}

/// A share of a rate, above 0 and at most 100 times it.
pub struct Share;

/// A fraction, as `1/8` or as a decimal number.
pub struct Ratio {
    /// Most.
    pub max: u64,
}

impl Kind for Probability {
    fn facts(&self) -> Facts {
        Facts::new("a probability", "0.001", Portion.facts().schema)
            .allowed(Portion.facts().allowed)
            .units(vec!["%"], "%")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        part(reader, key, node, "more than certain").map(Datum::Decimal)
    }
}

impl Kind for Portion {
    fn facts(&self) -> Facts {
        let number = json!({ "type": "number", "minimum": 0, "maximum": 1 });
        Facts::new(
            "a number from 0 to 1",
            "0.3",
            any_of([number, quantity(&["%"])]),
        )
        .allowed("0 to 1, or `\"0 %\"` to `\"100 %\"`")
        .units(vec!["%"], "%")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        part(reader, key, node, "more than all of it").map(Datum::Decimal)
    }
}

impl Kind for PortionOr {
    fn facts(&self) -> Facts {
        let word = self.word;
        let number = json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 });
        let schema = any_of([json!({ "const": word }), number, quantity(&["%"])]);
        Facts::new(format!("a share or `\"{word}\"`"), "\"50 %\"", schema)
            .allowed(format!("`\"{word}\"`, or above 0 and below 1: `\"50 %\"`"))
            .units(vec!["%"], "%")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        if let Some(word) = word(node, self.word) {
            return Some(word);
        }
        match part(reader, key, node, "more than all of it")? {
            part if part <= 0.0 || part >= 1.0 => {
                reader.out_of_range(key, node, "nothing, or all of it")
            }
            part => Some(Datum::Decimal(part)),
        }
    }
}

impl Kind for Share {
    fn facts(&self) -> Facts {
        let number = json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 100 });
        let schema = any_of([number, quantity(&["%"])]);
        Facts::new("a share of a rate", "\"33 %\"", schema)
            .allowed("above 0, at most 100; or a percentage, `\"33 %\"`")
            .units(vec!["%"], "%")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        share(reader, key, node).map(Datum::Share)
    }
}

impl Kind for Ratio {
    fn facts(&self) -> Facts {
        let max = self.max;
        let number = json!({ "type": "number", "exclusiveMinimum": 0, "maximum": max });
        let fraction = json!({ "type": "string", "pattern": r"^\s*[0-9]+\s*/\s*[0-9]+\s*$" });
        let schema = any_of([number, fraction, quantity(&["", "%"])]);
        Facts::new("a fraction", "\"1/8\"", schema)
            .allowed(format!(
                "above 0, at most {max}: `\"1/8\"`, `0.125` or `\"12.5 %\"`"
            ))
            .units(vec!["%"], "%")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::ratio)? {
            (0, _) | (_, 0) => reader.out_of_range(key, node, "nothing, or without end"),
            (above, below) if u64::from(above) > self.max * u64::from(below) => {
                reader.out_of_range(key, node, "too large")
            }
            (above, below) => Some(Datum::Ratio(above, below)),
        }
    }
}

/// A part of a whole, which is at most all of it.
fn part(reader: &mut Reader<'_>, key: &Key, node: &Node, beyond: &str) -> Option<f64> {
    whole_or_less(reader, key, node, beyond).map(units::Decimal::approximate)
}

/// The same, exactly.
pub(super) fn whole_or_less(
    reader: &mut Reader<'_>,
    key: &Key,
    node: &Node,
    beyond: &str,
) -> Option<units::Decimal> {
    match reader.quantity(key, node, units::share)? {
        share if share.exceeds(1) => reader.out_of_range(key, node, beyond),
        share => Some(share),
    }
}

pub(super) fn share(reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<units::Decimal> {
    match reader.quantity(key, node, units::share)? {
        share if share.is_zero() => reader.out_of_range(key, node, "nothing at all"),
        share if share.exceeds(100) => reader.out_of_range(key, node, "too large"),
        share => Some(share),
    }
}

const ALL: units::Decimal = units::Decimal {
    digits: 1,
    scale: 0,
};

of! {
    Probability for f64 { Datum::Decimal(number) => *number } else |_| 0.0;
    Portion for f64 { Datum::Decimal(number) => *number } else |_| 0.0;
    PortionOr for OrWord<f64> {
        Datum::Word(_) => Self::Word,
        Datum::Decimal(number) => Self::Value(*number),
    } else |_| Self::Word;
    Share for units::Decimal { Datum::Share(share) => *share } else |_| ALL;
    Ratio for (u32, u32) { Datum::Ratio(above, below) => (*above, *below) } else |_| (1, 1);
}
