//! Columns of the tables that experiments show.

/// A column of numbers for an experiment's table.
pub(crate) fn column(name: &str, unit: &str, meaning: &str) -> results::Column {
    results::Column::number(name, unit, meaning)
}

/// A column of words.
pub(crate) fn words(name: &str, meaning: &str) -> results::Column {
    results::Column::text(name, meaning)
}
