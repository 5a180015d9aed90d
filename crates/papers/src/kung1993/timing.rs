//! When a cell has arrived: with its first bit or with its last. The paper does not say.

use backwater_results::{Block, Cell, Table};

use crate::columns::{column, words};
use crate::lab::LabError;
use crate::measured::Finding;

/// Settings on top of a scenario's.
type Sets = &'static [(&'static str, &'static str)];

/// The scenarios have the first. With the last bit either the delay stays, and the loop is two
/// cell times longer, or the loop does.
const READINGS: [(&str, Sets); 3] = [
    ("first bit, loop of 155", &[]),
    (
        "last bit, loop of 157",
        &[("link.timing", "store-and-forward")],
    ),
    (
        "last bit, loop of 155",
        &[
            ("link.timing", "store-and-forward"),
            ("link.delay", "76.5 cells"),
        ],
    ),
];

/// What `measure` finds under each reading, in a table called `name`.
pub fn table(
    name: &str,
    measure: impl Fn(&[(&str, &str)]) -> Result<Vec<Finding>, LabError>,
) -> Result<Block, LabError> {
    let mut columns = vec![words("a cell arrives with its", "reading")];
    let mut rows = Vec::new();
    for (reading, sets) in READINGS {
        let values: Vec<(String, f64)> = measure(sets)?.iter().flat_map(values).collect();
        if rows.is_empty() {
            let named = |(name, _): &(String, f64)| column(name, "", "as the claim calls it");
            columns.extend(values.iter().map(named));
        }
        let shown = |(_, value): &(String, f64)| Cell::float(*value, digits(*value));
        let mut row = vec![Cell::from(reading)];
        row.extend(values.iter().map(shown));
        rows.push(row);
    }
    Ok(Block::Table(Table {
        name: name.into(),
        caption: "The paper does not say when a cell has arrived. The first row is judged.".into(),
        columns,
        rows,
    }))
}

/// Names and numbers; one without a name of its own is called as its claim ends.
fn values(finding: &Finding) -> Vec<(String, f64)> {
    let last = finding.claim.rsplit('.').next().unwrap_or(finding.claim);
    let of = |name: &str| if name == "value" { last } else { name }.to_owned();
    let measured = finding.measured.iter();
    measured.map(|one| (of(&one.name), one.value)).collect()
}

/// Counts have no decimals, shares have four.
fn digits(value: f64) -> u8 {
    match value {
        _ if value == value.trunc() => 0,
        _ if value.abs() < 1.0 => 4,
        _ => 2,
    }
}
