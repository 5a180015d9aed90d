//! Shares of a whole: as numbers, percentages and fractions.

use serde_json::{Value, json};

use super::or::word;
use super::{Kind, OrWord, of};
use crate::reader::Reader;
use crate::record::Datum;
use crate::schema::quantity;
use crate::table::Key;
use crate::tree::Node;
use crate::units;

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
    fn noun(&self) -> String {
        "a probability".into()
    }

    fn example(&self) -> String {
        "0.001".into()
    }

    fn allowed(&self) -> String {
        Portion.allowed()
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["%"]
    }

    fn usual_unit(&self) -> &'static str {
        "%"
    }

    fn schema(&self) -> Value {
        Portion.schema()
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        part(reader, key, node, "more than certain").map(Datum::Decimal)
    }
}

impl Kind for Portion {
    fn noun(&self) -> String {
        "a number from 0 to 1".into()
    }

    fn example(&self) -> String {
        "0.3".into()
    }

    fn allowed(&self) -> String {
        "0 to 1, or `\"0 %\"` to `\"100 %\"`".into()
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["%"]
    }

    fn usual_unit(&self) -> &'static str {
        "%"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, quantity(&["%"])] })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        part(reader, key, node, "more than all of it").map(Datum::Decimal)
    }
}

impl Kind for PortionOr {
    fn noun(&self) -> String {
        format!("a share or `\"{}\"`", self.word)
    }

    fn example(&self) -> String {
        "\"50 %\"".into()
    }

    fn allowed(&self) -> String {
        let word = self.word;
        format!("`\"{word}\"`, or above 0 and below 1: `\"50 %\"`")
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["%"]
    }

    fn usual_unit(&self) -> &'static str {
        "%"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [
            { "const": self.word },
            { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            quantity(&["%"]),
        ] })
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
    fn noun(&self) -> String {
        "a share of a rate".into()
    }

    fn example(&self) -> String {
        "\"33 %\"".into()
    }

    fn allowed(&self) -> String {
        "above 0, at most 100; or a percentage, `\"33 %\"`".into()
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["%"]
    }

    fn usual_unit(&self) -> &'static str {
        "%"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": 100 }, quantity(&["%"]),
        ] })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        share(reader, key, node).map(Datum::Share)
    }
}

impl Kind for Ratio {
    fn noun(&self) -> String {
        "a fraction".into()
    }

    fn example(&self) -> String {
        "\"1/8\"".into()
    }

    fn allowed(&self) -> String {
        let max = self.max;
        format!("above 0, at most {max}: `\"1/8\"`, `0.125` or `\"12.5 %\"`")
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["%"]
    }

    fn usual_unit(&self) -> &'static str {
        "%"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": self.max },
            { "type": "string", "pattern": r"^\s*[0-9]+\s*/\s*[0-9]+\s*$" },
            quantity(&["", "%"]),
        ] })
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
    Probability for f64: Datum::Decimal(number) => *number, else |_| 0.0;
    Portion for f64: Datum::Decimal(number) => *number, else |_| 0.0;
    PortionOr for OrWord<f64>:
        datum @ (Datum::Word(_) | Datum::Decimal(_)) => match datum {
            Datum::Decimal(number) => Self::Value(*number),
            _ => Self::Word,
        },
        else |_| Self::Word;
    Share for units::Decimal: Datum::Share(share) => *share, else |_| ALL;
    Ratio for (u32, u32): Datum::Ratio(above, below) => (*above, *below), else |_| (1, 1);
}
