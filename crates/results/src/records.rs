//! Tables as records, for `summary.json`.

use serde_json::{Map, Value};

use crate::column::key;
use crate::model::{Cell, Table};

/// Tables in which something is looked up, with rows by the thousand: they are in files alone. And
/// `summary`, whose numbers are those of the head.
const LEFT_OUT: [&str; 9] = [
    "summary",
    "legs",
    "buffers",
    "waits",
    "terminals",
    "channels",
    "map",
    "course",
    "latency histogram",
];

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
        if !LEFT_OUT.contains(&table.name.as_str()) {
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
            TableOf::new(name, "", [("a", Some(2_u64)), ("b", None)])
                .text("flow", "", |(name, _)| *name)
                .number("sent", "frames", "", |(_, count)| *count)
                .number("rate", "Mbps", "", |_| Cell::float(f64::INFINITY, 1))
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
