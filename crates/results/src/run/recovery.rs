//! How flows came back after outages.

use backwater_net::outcome::{FlowRecovery, OutageOutcome, RecoveryOutcome};

use super::Circuits;
use crate::events::names;
use crate::lines::first_of;
use crate::model::{Cell, Table};
use crate::number::span;
use crate::table_of::TableOf;
use backwater_kernel::words::counted;

/// Outages in the terminal; the rest are counted.
const OUTAGES: usize = 3;

/// A row for each flow and outage on its way.
pub fn table(run: &Circuits<'_>, found: &RecoveryOutcome) -> Table {
    let ms = |ps: u64, digits| Cell::float(ps as f64 / 1e9, digits);
    let outages = found.outages.iter();
    let rows = outages.flat_map(|outage| outage.flows.iter().map(move |flow| (outage, flow)));
    TableOf::of(rows)
        .called(
            "recovery: Flows whose path was cut: time from the repair until they had nine tenths \
             of their rate again.",
        )
        .text("link: that was cut; the port, if only one direction was")
        .of(|(outage, _)| link(run.ports(), outage))
        .number("from [ms]: cut from here")
        .of(|(outage, _)| ms(outage.from.ps(), 3))
        .number("until [ms]: repaired here")
        .of(|(outage, _)| ms(outage.until.ps(), 3))
        .flow(run, |(_, flow)| flow.flow)
        .number("before [Mbps]: rate delivered before the outage, on the wire")
        .of(|(_, flow)| Cell::float(flow.before_bps / 1e6, 4))
        .number("recovered after [ms]: from the repair; empty: not before the end")
        .of(|(_, flow)| flow.recovered_after.map(|after| ms(after.ps(), 4)))
        .done()
}

/// The channel that was cut, or both of its link.
fn link(channels: &[String], outage: &OutageOutcome) -> String {
    let name = names::channel(channels, outage.channel);
    match outage.is_both_ways {
        true => name.replace("->", "<->"),
        false => name,
    }
}

/// A line for each of the first outages; at most four.
pub fn lines(run: &Circuits<'_>, found: &RecoveryOutcome) -> Vec<String> {
    first_of(&found.outages, OUTAGES, ("", "outage"), |outage| {
        line(run.ports(), outage)
    })
}

fn line(channels: &[String], outage: &OutageOutcome) -> String {
    let name = link(channels, outage);
    // A flow that had nothing before has nothing to come back to.
    let had = |flow: &&FlowRecovery| flow.before_bps > 0.0;
    let flows: Vec<&FlowRecovery> = outage.flows.iter().filter(had).collect();
    let mut back: Vec<u64> = flows
        .iter()
        .filter_map(|flow| Some(flow.recovered_after?.ps()))
        .collect();
    back.sort_unstable();
    let times = match (back.first(), back.last()) {
        (Some(first), Some(last)) if first == last => span(*first as f64),
        (Some(first), Some(last)) => format!("{} to {}", span(*first as f64), span(*last as f64)),
        _ => {
            return match flows.len() {
                0 => format!("{name}: nothing was sent before the outage"),
                some => format!("{name}: {} not recovered", counted(some, "flow")),
            };
        }
    };
    let mut text = format!("{name}: recovered {times} after repair");
    if back.len() < flows.len() {
        let not = flows.len() - back.len();
        text.push_str(&format!(", {} not recovered", counted(not, "flow")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_kernel::{Duration, Time};

    fn outage(flows: &[(f64, Option<u64>)]) -> OutageOutcome {
        OutageOutcome {
            channel: 0,
            is_both_ways: true,
            from: Time(100_000_000_000),
            until: Time(150_000_000_000),
            flows: (0..)
                .zip(flows)
                .map(|(flow, (before_bps, ms))| FlowRecovery {
                    flow,
                    before_bps: *before_bps,
                    recovered_after: ms.map(|ms| Duration(ms * 1_000_000_000)),
                })
                .collect(),
        }
    }

    #[test]
    fn outages_in_a_line() {
        let channels = ["S1 -> S2".to_owned()];
        for (flows, must) in [
            (
                &[(1e6, Some(12)), (1e6, Some(12))][..],
                "S1 <-> S2: recovered 12 ms after repair",
            ),
            (
                &[(1e6, Some(40)), (1e6, Some(12)), (1e6, None), (0.0, None)],
                "S1 <-> S2: recovered 12 ms to 40 ms after repair, 1 flow not recovered",
            ),
            (
                &[(1e6, None), (1e6, None)],
                "S1 <-> S2: 2 flows not recovered",
            ),
            (
                &[(0.0, None)],
                "S1 <-> S2: nothing was sent before the outage",
            ),
        ] {
            assert_eq!(line(&channels, &outage(flows)), must);
        }
    }
}
