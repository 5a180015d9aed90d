//! Columns of the tables that experiments show.

/// A column of numbers for an experiment's table.
pub(crate) fn column(name: &str, unit: &str, meaning: &str) -> backwater_results::Column {
    backwater_results::Column::number(name, unit, meaning)
}

/// A column of words.
pub(crate) fn words(name: &str, meaning: &str) -> backwater_results::Column {
    backwater_results::Column::text(name, meaning)
}
