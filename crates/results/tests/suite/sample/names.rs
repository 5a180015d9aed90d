//! What holds of the names of columns in every table.

use std::collections::BTreeSet;

use backwater_results::Table;

/// Units of columns, and how a name ends in them.
const UNITS: [(&str, &str); 21] = [
    ("us", "_us"),
    ("ms", "_ms"),
    ("Mbps", "_mbps"),
    ("kbps", "_kbps"),
    ("%", "_pct"),
    ("1/s", "_per_s"),
    ("units/s", "_units_per_s"),
    ("bytes", "bytes"),
    ("kB", "_kbytes"),
    ("cells", "cells"),
    ("units", "units"),
    ("frames", "frames"),
    ("datagrams", "datagrams"),
    ("packets", "packets"),
    ("flits", "flits"),
    ("hops", "_hops"),
    ("circuits", "_circuits"),
    ("cycle", "cycle"),
    ("cycles", "cycles"),
    ("flits/cycle", "_flits_per_cycle"),
    ("flits/cycle/terminal", "_flits_per_cycle"),
];

/// They can be typed in pandas and R, are unique, and end in the unit.
pub fn assert_names(table: &Table) {
    let keys: Vec<String> = table.columns.iter().map(|column| column.key()).collect();
    let unique: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(unique.len(), keys.len(), "{}: {keys:?}", table.name);
    assert_eq!(table.keys(), keys);
    for (column, key) in table.columns.iter().zip(&keys) {
        let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
        assert!(key.bytes().all(is_plain), "{}: {key}", table.name);
        assert!(
            key.as_bytes()[0].is_ascii_lowercase(),
            "{}: {key}",
            table.name
        );
        if column.unit.is_empty() {
            continue;
        }
        let unit = UNITS.iter().find(|(unit, _)| *unit == column.unit);
        let (_, ending) = unit.unwrap_or_else(|| panic!("unit {} of {key}", column.unit));
        let value = key.trim_end_matches("_ci95");
        assert!(
            value.ends_with(ending),
            "{}: {key} in {}",
            table.name,
            column.unit
        );
    }
}
