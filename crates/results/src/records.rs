//! Tables as records, for `summary.json`.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::column::key;
use crate::model::{Cell, Table};

/// Tables in which something is looked up, with rows by the thousand: the page of a run folds them,
/// and `summary.json` has none of them.
pub const LOOKED_UP: [&str; 17] = [
    "destinations",
    "steps",
    "tcp",
    "pauses",
    "end-to-end",
    "queues",
    "credits",
    "waits",
    "legs",
    "buffers",
    "ports",
    "nodes",
    "terminals",
    "channels",
    "map",
    "course",
    "latency-histogram",
];

/// What `head` says already: the numbers of a run of flits.
const OF_THE_HEAD: &str = "summary";

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Int(count) => serializer.serialize_i64(*count),
            // What JSON has no number for is nothing.
            Cell::Float { value, .. } if value.is_finite() => serializer.serialize_f64(*value),
            Cell::Float { .. } | Cell::Empty => serializer.serialize_unit(),
        }
    }
}

/// What `head` says of a run, and the records of its tables, each by the name of the table. It is
/// written record by record: of a run with many flows it is longer than all else.
#[derive(Clone, Debug)]
pub struct Summary<'a> {
    head: Map<String, Value>,
    tables: Cow<'a, [Table]>,
}

impl<'a> Summary<'a> {
    /// Of a run, of all whose tables some are left out.
    pub fn new(head: Value, tables: &'a [Table]) -> Summary<'a> {
        let mut summary = Summary::from(head);
        summary.tables = tables.into();
        summary
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().filter(|table| {
            let name = table.name.as_str();
            name != OF_THE_HEAD && !LOOKED_UP.contains(&name)
        })
    }
}

impl From<Value> for Summary<'_> {
    fn from(head: Value) -> Self {
        let head = match head {
            Value::Object(head) => head,
            _ => Map::new(),
        };
        Summary {
            head,
            tables: Cow::Borrowed(&[]),
        }
    }
}

impl From<Summary<'_>> for Value {
    fn from(summary: Summary<'_>) -> Value {
        serde_json::to_value(&summary).unwrap_or_default()
    }
}

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let tables: Vec<(String, &Table)> = self
            .tables()
            .map(|table| (key(&table.name, ""), table))
            .collect();
        for (name, value) in &self.head {
            // A table says more.
            match tables.iter().find(|(key, _)| key == name) {
                Some((_, table)) => map.serialize_entry(name, &Records(table))?,
                None => map.serialize_entry(name, value)?,
            }
        }
        let others = tables
            .iter()
            .filter(|(key, _)| !self.head.contains_key(key));
        for (name, table) in others {
            map.serialize_entry(name, &Records(table))?;
        }
        map.end()
    }
}

/// A record for each row, by the names that programs know columns by.
struct Records<'a>(&'a Table);

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = self.0.keys();
        let rows = self
            .0
            .rows
            .iter()
            .map(|cells| Record { keys: &keys, cells });
        serializer.collect_seq(rows)
    }
}

struct Record<'a> {
    keys: &'a [String],
    cells: &'a [Cell],
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.keys.iter().zip(self.cells))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table_of::TableOf;

    #[test]
    fn a_row_is_a_record_by_the_keys_of_columns() {
        let one = |name: &str| {
            TableOf::of([("a", Some(2_u64)), ("b", None)])
                .called(name)
                .text("flow")
                .of(|(name, _)| *name)
                .number("sent [frames]")
                .of(|(_, count)| *count)
                .number("rate [Mbps]")
                .of(|_| Cell::float(f64::INFINITY, 1))
                .done()
        };
        let tables = [one("rm-cells"), one("legs")];
        let told = Summary::new(json!({"name": "x"}), &tables);
        let wanted = json!({"name": "x", "rm_cells": [
            {"flow": "a", "sent_frames": 2, "rate_mbps": null},
            {"flow": "b", "sent_frames": null, "rate_mbps": null},
        ]});
        let text = serde_json::to_string_pretty(&told).unwrap();
        assert_eq!(text, serde_json::to_string_pretty(&wanted).unwrap());
        assert_eq!(Value::from(told), wanted);
    }
}
