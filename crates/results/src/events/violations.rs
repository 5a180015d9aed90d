//! Promises that were broken.

use backwater_kernel::{Place, Violation};

use super::{Findings, Network, us};
use crate::model::Table;
use crate::table_of::TableOf;

/// A row for each that is kept word for word.
pub fn table(run: &Findings<'_, impl Network>) -> Table {
    TableOf::of(run.outcome.violations.kept())
        .called("violations: Promises broken, oldest first.")
        .number("time [us]: when")
        .of(|violation| us(violation.at.ps()))
        .text("flow: the flow concerned")
        .of(|violation| place(run, violation).0)
        .text("port: where")
        .of(|violation| place(run, violation).1)
        .text("what: which promise, with numbers")
        .of(|violation| violation.what.clone())
        .in_cells("time", run.cell, |violation| Some(violation.at.ps() as f64))
        .done()
}

/// The flow and the port that it concerns, by their names.
fn place(
    run: &Findings<'_, impl Network>,
    violation: &Violation,
) -> (Option<String>, Option<String>) {
    let (flow, channel) = match violation.place {
        Place::Network => (None, None),
        Place::Flow(flow) => (Some(flow), None),
        Place::Channel(channel) => (None, Some(channel)),
        Place::FlowOnChannel(flow, channel) => (Some(flow), Some(channel)),
        Place::Leg(leg) => {
            let leg = run.outcome.legs.get(leg as usize);
            (leg.map(|leg| leg.flow), leg.map(|leg| leg.channel))
        }
    };
    let flow = flow.map(|flow| run.flow(flow));
    (flow, channel.map(|channel| run.port(channel)))
}

/// What was broken, and where, in a line.
pub fn told(run: &Findings<'_, impl Network>, violation: &Violation) -> String {
    let (flow, port) = place(run, violation);
    let names: Vec<String> = flow.into_iter().chain(port).collect();
    match names.is_empty() {
        true => violation.what.clone(),
        false => format!("{}: {}", names.join(", "), violation.what),
    }
}
