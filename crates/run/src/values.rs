//! What the measures of every engine are made of.

use backwater_results::Table;
use backwater_results::sweep::FlowColumn;

/// The measures of an engine: name, unit, role, decimals that reports show, what it means; and the
/// value in what was seen of a run.
macro_rules! measures {
    ($run:ident: $seen:ty => $(
        $name:literal, $unit:expr, $role:ident, $digits:literal, $meaning:literal, $value:expr;
    )+) => {
        /// In the order of the values of a point.
        pub const MEASURES: &[Measure] = &[$(Measure {
            name: Cow::Borrowed($name),
            unit: Cow::Borrowed($unit),
            meaning: Cow::Borrowed($meaning),
            role: Role::$role,
            digits: $digits,
            may_be_bound: matches!(Role::$role, Role::Took),
        }),+];

        /// In the order of [`MEASURES`].
        fn values($run: $seen) -> Vec<f64> {
            vec![$($value),+]
        }
    };
}
pub(super) use measures;

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
