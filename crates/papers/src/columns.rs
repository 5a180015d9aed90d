//! Columns of the tables that experiments show.

/// A column of numbers for an experiment's table.
pub(crate) fn column(name: &str, unit: &str, meaning: &str) -> results::Column {
    results::Column {
        name: name.into(),
        unit: unit.into(),
        meaning: meaning.into(),
        align: results::Align::Right,
    }
}

/// A column of words.
pub(crate) fn words(name: &str, meaning: &str) -> results::Column {
    results::Column {
        align: results::Align::Left,
        ..column(name, "", meaning)
    }
}
