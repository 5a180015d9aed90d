//! Promises that were broken.

use backwater_kernel::{Duration, Place, Violation};
use backwater_net::outcome::Outcome;

use super::{Network, names, us};
use crate::model::Table;
use crate::table_of::TableOf;

/// A row for each that is kept word for word.
pub fn table(network: &impl Network, outcome: &Outcome, cell: Duration) -> Table {
    let ports = names::channels(network);
    let leg = |violation: &Violation| match violation.place {
        Place::Leg(leg) => outcome.legs.get(leg as usize),
        _ => None,
    };
    TableOf::of(outcome.violations.kept())
        .called("violations: Promises broken, oldest first.")
        .number("time [us]: when")
        .of(|violation| us(violation.at.ps()))
        .text("flow: the flow concerned")
        .of(|violation| {
            let flow = match violation.place {
                Place::Flow(flow) => Some(flow),
                _ => leg(violation).map(|leg| leg.flow),
            };
            flow.map(|flow| names::flow(network, flow))
        })
        .text("port: where")
        .of(|violation| {
            let channel = match violation.place {
                Place::Channel(channel) => Some(channel),
                _ => leg(violation).map(|leg| leg.channel),
            };
            channel.map(|channel| names::channel(&ports, channel))
        })
        .text("what: which promise, with numbers")
        .of(|violation| violation.what.clone())
        .in_cells("time", cell, |violation| Some(violation.at.ps() as f64))
        .done()
}
