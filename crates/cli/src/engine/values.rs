//! What the measures of every engine are made of.

use std::borrow::Cow;

use backwater_results::Table;
use backwater_results::sweep::{FlowColumn, Measure, Role};

/// A measure of an engine.
pub const fn number(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    role: Role,
    digits: u8,
) -> Measure {
    Measure {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        meaning: Cow::Borrowed(meaning),
        role,
        digits,
    }
}

/// The values of columns, from the tables of their flows.
pub fn chosen(columns: &[FlowColumn], tables: impl Fn(&str) -> Option<Vec<Table>>) -> Vec<f64> {
    let value = |column: &FlowColumn| {
        let tables = tables(&column.flow);
        tables.map_or(f64::NAN, |tables| column.value(&tables))
    };
    columns.iter().map(value).collect()
}

/// 1 or 0.
pub fn flag(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{cells, flits, frames};

    /// An axis may be called like a measure; measures among themselves may not.
    #[test]
    fn measures_have_names_of_their_own() {
        for measures in [
            cells::measures::MEASURES,
            flits::measures::MEASURES,
            frames::measures::MEASURES,
        ] {
            let keys = measures
                .iter()
                .map(|one| backwater_results::key(&one.name, &one.unit));
            let keys: BTreeSet<String> = keys.collect();
            assert_eq!(keys.len(), measures.len());
            let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
            assert!(keys.iter().all(|key| key.bytes().all(is_plain)), "{keys:?}");
            assert!(keys.iter().any(|key| key.contains("_p99_")), "{keys:?}");
        }
    }
}
