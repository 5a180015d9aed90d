//! Promises that were broken.

use backwater_kernel::{Place, Violation};

use super::{Findings, Network, us};
use crate::model::Table;
use crate::table_of::TableOf;

/// A row for each that is kept word for word.
pub fn table(run: &Findings<'_, impl Network>) -> Table {
    let leg = |violation: &Violation| match violation.place {
        Place::Leg(leg) => run.outcome.legs.get(leg as usize),
        _ => None,
    };
    TableOf::of(run.outcome.violations.kept())
        .called("violations: Promises broken, oldest first.")
        .number("time [us]: when")
        .of(|violation| us(violation.at.ps()))
        .text("flow: the flow concerned")
        .of(|violation| {
            let flow = match violation.place {
                Place::Flow(flow) => Some(flow),
                _ => leg(violation).map(|leg| leg.flow),
            };
            flow.map(|flow| run.flow(flow))
        })
        .text("port: where")
        .of(|violation| {
            let channel = match violation.place {
                Place::Channel(channel) => Some(channel),
                _ => leg(violation).map(|leg| leg.channel),
            };
            channel.map(|channel| run.port(channel))
        })
        .text("what: which promise, with numbers")
        .of(|violation| violation.what.clone())
        .in_cells("time", run.cell, |violation| Some(violation.at.ps() as f64))
        .done()
}
