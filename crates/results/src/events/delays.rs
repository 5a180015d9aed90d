//! Delays of flows, and the columns of times whatever they are of.

use backwater_kernel::{DelayOutcome, Duration};
use backwater_net::outcome::Outcome;

use super::Network;
use super::flows::found;
use crate::column::Column;
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

impl<R> TableOf<R> {
    /// Statistics of times such as the `delay`, in a unit of so many picoseconds; empty where
    /// nothing was measured.
    pub fn times(
        self,
        what: &str,
        (unit, unit_ps): (&str, f64),
        times: impl Fn(&R) -> &DelayOutcome,
    ) -> Self {
        self.columns(columns(what, unit), |row| cells(times(row), unit_ps))
    }
}

fn columns(what: &str, unit: &str) -> Vec<Column> {
    let number = |of: &str, meaning: &str| Column::number(&format!("{what} {of}"), unit, meaning);
    vec![
        number("mean", "mean").short(what),
        Column::interval(
            &format!("{what} mean"),
            unit,
            "half width of the mean's 95 % interval, by batch means; empty if the run is too short \
             for one",
        ),
        number("deviation", "standard deviation").short("deviation"),
        number("min", "smallest"),
        number("p50", "half are no longer"),
        number("p90", "nine in ten are no longer"),
        number("p99", "99 in 100 are no longer").short("p99"),
        number("p99.9", "999 in 1000 are no longer"),
        number("max", "largest"),
    ]
}

fn cells(times: &DelayOutcome, unit_ps: f64) -> Vec<Cell> {
    let of = |ps: f64| match times.count {
        0 => Cell::Empty,
        _ => Cell::float(ps / unit_ps, 3),
    };
    let mut cells = vec![
        of(times.mean),
        times.half_width.map_or(Cell::Empty, of),
        of(times.deviation),
        of(times.min as f64),
    ];
    cells.extend(times.percentiles.iter().map(|ps| of(*ps as f64)));
    cells.push(of(times.max as f64));
    cells
}

/// A row for each flow of which something was delivered after the warm-up; in cell times too, where
/// those are the unit of time.
pub fn table<N: Network>(network: &N, outcome: &Outcome, cell: Duration) -> Table {
    TableOf::new(
        "delays",
        "Time from being offered at the source to delivery, of what reached its destination after \
         the warm-up.",
        found(outcome).filter(|(_, found)| found.delay.count > 0),
    )
    .flow(network, |(flow, _)| *flow)
    .number(
        "samples",
        N::UNITS,
        "delivered after the warm-up",
        |(_, found)| found.delay.count,
    )
    .times("delay", ("us", 1e6), |(_, found)| &found.delay)
    .in_cells("delay mean", cell, |(_, found)| Some(found.delay.mean))
    .done()
}
