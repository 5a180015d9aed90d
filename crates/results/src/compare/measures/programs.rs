//! Numbers of collective operations and of jobs.

use std::cmp::Ordering;

use super::{Declared, Shown};
use crate::compare::{FlowKind, Observed, ProgramSeen, Workload};

/// Times and bandwidths of each.
pub(super) fn add(workload: &Workload, all: &mut Declared) {
    for (at, flow) in workload.flows.iter().enumerate() {
        let mut number =
            |what: &str, shown, meaning: &str, value: fn(&ProgramSeen) -> Option<f64>| {
                let name = format!("{what} {}", flow.name);
                all.main(name, shown, meaning, move |_, seen: &Observed| {
                    let seen = seen.programs.get(at).and_then(Option::as_ref);
                    seen.and_then(value).unwrap_or(f64::NAN)
                });
            };
        match flow.kind {
            FlowKind::Collective => {
                let time = "mean of all times that it was done, from the first message begun to \
                            the last byte received; empty where none is complete";
                number("time", Shown::Time, time, |seen| seen.time_ps);
                let busbw = "its size over that time, times the factor of nccl-tests";
                number("busbw", Shown::Rate, busbw, |seen| seen.busbw_bps);
                all.better(Some(Ordering::Greater));
            }
            FlowKind::Job => {
                let jct = "from the start of the job to the end of its last iteration on the last \
                           rank; empty where that is not in the run";
                number("JCT", Shown::Time, jct, |seen| seen.time_ps);
                let ratio = "that over the roofline: computing, and bytes at line rate";
                number("JCT ratio", Shown::Times, ratio, |seen| seen.ratio);
            }
            FlowKind::Greedy
            | FlowKind::Constant(_)
            | FlowKind::Bursts(..)
            | FlowKind::Requests(..) => {}
        }
    }
}
