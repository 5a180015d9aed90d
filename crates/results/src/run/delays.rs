//! The columns of delays.

use backwater_kernel::DelayOutcome;

use crate::model::{Cell, Column};

/// Statistics of `what`, such as delays.
pub fn delay_columns(what: &str, unit: &str) -> Vec<Column> {
    let number = |of: &str, meaning: &str| Column::number(&format!("{what} {of}"), unit, meaning);
    vec![
        number("mean", "mean"),
        Column::interval(
            &format!("{what} mean"),
            unit,
            "half width of the mean's 95 % interval, by batch means; empty if the run is too short \
             for one",
        ),
        number("deviation", "standard deviation"),
        number("min", "smallest"),
        number("p50", "half are no longer"),
        number("p90", "nine in ten are no longer"),
        number("p99", "99 in 100 are no longer"),
        number("p99.9", "999 in 1000 are no longer"),
        number("max", "largest"),
    ]
}

/// The cells of [`delay_columns`], each so many picoseconds to the unit.
pub fn delay_cells(delay: &DelayOutcome, unit_ps: f64, digits: u8) -> Vec<Cell> {
    let of = |ps: f64| Cell::float(ps / unit_ps, digits);
    let mut cells = vec![
        of(delay.mean),
        delay.half_width.map_or(Cell::Empty, of),
        of(delay.deviation),
        of(delay.min as f64),
    ];
    cells.extend(delay.percentiles.iter().map(|ps| of(*ps as f64)));
    cells.push(of(delay.max as f64));
    cells
}
