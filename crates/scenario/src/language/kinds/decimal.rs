//! Decimal numbers, for what only random draws and reports use.

use serde_json::json;

use super::{Facts, Kind, of, usual};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::Node;

/// A decimal number.
pub struct Decimal {
    /// Least.
    pub min: f64,
    /// Most.
    pub max: f64,
}

/// A list of lists of decimal numbers from 0 on.
pub struct Rows;

impl Kind for Decimal {
    fn facts(&self) -> Facts {
        let (min, max) = (self.min, self.max);
        let example = if min > 0.5 { 1.5 * min } else { 0.5 };
        let schema = json!({ "type": "number", "minimum": min, "maximum": max });
        Facts::new("a decimal number", example.to_string(), schema)
            .allowed(format!("{min} to {max}"))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let Some(number) = node.number() else {
            return reader.wrong_type(key, node);
        };
        match number.parse::<f64>() {
            Ok(number) if (self.min..=self.max).contains(&number) => Some(Datum::Decimal(number)),
            Ok(number) if number.is_nan() => reader.out_of_range(key, node, "not a number"),
            _ => reader.out_of_range(key, node, "outside the range"),
        }
    }
}

impl Kind for Rows {
    fn facts(&self) -> Facts {
        let row = json!({ "type": "array", "items": { "type": "number", "minimum": 0 } });
        let schema = json!({ "type": "array", "minItems": 1, "items": row });
        Facts::new("a list of lists of numbers", "[[0, 1], [1, 0]]", schema)
            .allowed("a list of lists of numbers from 0 on, all of one length")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let rows = reader.items(key, node)?.iter();
        let rows = reader.within(|reader| rows.map(|item| row(reader, key, item)).collect());
        Option::map(rows, Datum::Rows)
    }
}

fn row(reader: &mut Reader<'_>, key: &Key, item: &Node) -> Option<Vec<f64>> {
    let mut row = Vec::new();
    for cell in reader.items(key, item)? {
        let Some(number) = cell.number() else {
            return reader.wrong_type(key, cell);
        };
        match number.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => row.push(number),
            _ => return reader.out_of_range(key, cell, "not a number from 0 on"),
        }
    }
    Some(row)
}

of! {
    Decimal for f64 { Datum::Decimal(number) => *number } else |kind| kind.min;
    Rows for Vec<Vec<f64>> { Datum::Rows(rows) => rows.clone() } else |_| Vec::new();
}
usual! { Vec<Vec<f64>>: Rows; }
