//! Delays of flows, and the statistics of times whatever they are of.

use backwater_kernel::DelayOutcome;

use super::Findings;
use super::Network;
use super::flows::found;
use crate::column::Column;
use crate::distribution::Statistics;
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

impl<const FINE: u32> Statistics for DelayOutcome<FINE> {
    fn columns(what: &str, unit: &str) -> Vec<Column> {
        let number = |of: &str, says: &str| Column::number(&format!("{what} {of}"), unit, says);
        vec![
            number("mean", "mean").short(what),
            Column::interval(
                &format!("{what} mean"),
                unit,
                "half width of the mean's 95 % interval, by batch means; empty if the run is too \
                 short for one",
            ),
            number("deviation", "standard deviation").short("deviation"),
            number("min", "smallest"),
            number("p50", "half are no larger"),
            number("p90", "nine in ten are no larger"),
            number("p99", "99 in 100 are no larger").short("p99"),
            number("p99.9", "999 in 1000 are no larger"),
            number("max", "largest"),
        ]
    }

    fn cells(&self, unit: f64) -> Vec<Cell> {
        if self.count == 0 {
            return Vec::new();
        }
        let of = |steps: f64| Cell::float(steps / unit, 3);
        // Whole numbers of steps are counts.
        let whole = |steps: u64| match unit {
            1.0 => steps.into(),
            _ => of(steps as f64),
        };
        if self.open > 0 {
            let mean = Cell::at_least(self.mean / unit, 3);
            let mut cells = vec![mean, Cell::Empty, Cell::Empty, whole(self.min)];
            let delayed = self.told().into_iter();
            cells.extend(delayed.map(|steps| steps.map(whole).into()));
            cells.push(whole(self.max));
            return cells;
        }
        let interval = self.half_width.map(of).into();
        let mut cells = vec![of(self.mean), interval, of(self.deviation), whole(self.min)];
        cells.extend(self.percentiles.map(whole));
        cells.push(whole(self.max));
        cells
    }
}

/// A row for each flow of which something was delivered after the warm-up; in cell times too, where
/// those are the unit of time.
pub fn table<N: Network>(run: &Findings<'_, N>) -> Table {
    TableOf::of(found(&run.outcome).filter(|(_, found)| found.delay.count > 0))
        .called(
            "delays: Time from being offered at the source to delivery, of what reached its \
             destination after the warm-up.",
        )
        .flow(run, |(flow, _)| *flow)
        .number(format!(
            "samples [{}]: delivered after the warm-up",
            N::UNITS
        ))
        .of(|(_, found)| found.delay.count)
        .times("delay", ("us", 1e6), |(_, found)| &found.delay)
        .in_cells("delay mean", run.cell, |(_, found)| Some(found.delay.mean))
        .done()
}
