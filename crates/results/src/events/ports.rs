//! Ports: each direction of each link.

use backwater_net::outcome::ChannelOutcome;

use super::{Findings, Network, names, percent, us};
use crate::model::Cell;
use crate::rows::{kept, limit};
use crate::table_of::TableOf;

/// A channel and what was found of it.
pub type Port<'a> = (u32, &'a ChannelOutcome);

/// Share of the time after the warm-up in which it carried anything.
fn load(found: &ChannelOutcome) -> f64 {
    found.data_share + found.control_share
}

/// The busiest port: its name, and its shares of data and of control.
pub fn busiest(run: &Findings<'_, impl Network>) -> Option<(String, f64, f64)> {
    let all = (0..).zip(&run.outcome.channels);
    let (port, found) = all.reduce(|best, next| match load(next.1) > load(best.1) {
        true => next,
        false => best,
    })?;
    let name = run.port(port);
    Some((name, found.data_share, found.control_share))
}

/// A row for each, the busiest alone where there are very many.
pub fn table<'a, N: Network>(run: &'a Findings<'_, N>) -> TableOf<Port<'a>> {
    let all = &run.outcome.channels;
    let shown = kept(all.len(), |index| load(&all[index])).into_iter();
    let line = |(port, _): &Port<'_>| names::channel_spec(run.network, *port).map(N::line);
    let units = N::UNITS;
    TableOf::of(shown.map(|index| (index as u32, &all[index])))
        .called(format!(
            "ports: Each direction of each link: what its port sent.{}",
            limit(all.len(), "ports")
        ))
        .port(run, "from which node to which", |(port, _)| *port)
        .number("rate [Mbps]: line rate")
        .of(|row| line(row).map(|(rate, _)| Cell::float(rate.0 as f64 / 1e6, 3)))
        .number("propagation [us]: delay of the link")
        .of(|row| line(row).map(|(_, delay)| us(delay.ps())))
        .number("data [%]: share of the time after the warm-up spent sending data")
        .of(|(_, found)| percent(found.data_share))
        .number("control [%]: the same of control units")
        .of(|(_, found)| percent(found.control_share))
        .number("idle [%]: the rest of the time")
        .of(|(_, found)| percent((1.0 - found.data_share - found.control_share).max(0.0)))
        .number(format!(
            "data sent [{units}]: data that it sent after the warm-up"
        ))
        .of(|(_, found)| found.data_units)
        .number(format!(
            "control sent [{units}]: control {units} that it sent after the warm-up"
        ))
        .of(|(_, found)| found.control_units)
}
