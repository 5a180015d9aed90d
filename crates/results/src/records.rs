//! Tables as records, for `summary.json`.

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

impl From<&Cell> for Value {
    fn from(cell: &Cell) -> Value {
        match cell {
            Cell::Text(text) => text.as_str().into(),
            Cell::Int(count) => (*count).into(),
            Cell::Float { value, .. } => (*value).into(),
            Cell::Empty => Value::Null,
        }
    }
}

impl Table {
    /// A record for each row, by the names that programs know columns by.
    pub fn records(&self) -> Value {
        let keys = self.keys();
        let record = |row: &Vec<Cell>| -> Value {
            let cells = row.iter().map(Value::from);
            keys.iter()
                .cloned()
                .zip(cells)
                .collect::<Map<_, _>>()
                .into()
        };
        self.rows.iter().map(record).collect()
    }
}

/// What `head` says of a run, and the records of its tables, each by the name of the table.
pub fn summary(mut head: Value, tables: &[Table]) -> Value {
    for table in tables {
        let name = table.name.as_str();
        if name != OF_THE_HEAD && !LOOKED_UP.contains(&name) {
            head[key(&table.name, "")] = table.records();
        }
    }
    head
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
        let told = summary(json!({"name": "x"}), &[one("rm-cells"), one("legs")]);
        let wanted = json!({"name": "x", "rm_cells": [
            {"flow": "a", "sent_frames": 2, "rate_mbps": null},
            {"flow": "b", "sent_frames": null, "rate_mbps": null},
        ]});
        assert_eq!(told, wanted);
    }
}
