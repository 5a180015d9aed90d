//! Numbers of bursts, and of requests with their responses.

use super::{Shown, What};
use crate::compare::{FlowKind, Observed, Workload};

/// Their times, slowdowns and numbers, where the workload has any.
pub(super) fn add(workload: &Workload, add: &mut impl FnMut(&str, Shown, bool, What, &str)) {
    let is_message =
        |kind: &FlowKind| matches!(kind, FlowKind::Bursts(..) | FlowKind::Requests(..));
    if !workload.flows.iter().any(|flow| is_message(&flow.kind)) {
        return;
    }
    const TIME: &str = "from the start of a burst, or the first frame or cell of a request, to the \
                        arrival of the last of the burst or response";
    add("message mean", Shown::Time, true, What::MessageMean, TIME);
    for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
        let is_main = percent > 50.0;
        let name = format!("message {name}");
        add(&name, Shown::Time, is_main, What::MessageAt(percent), TIME);
    }
    const SLOWDOWN: &str = "time of a message over the least time of the same payload on an idle \
                            network: in full frames back to back, the same for all schemes";
    add(
        "slowdown mean",
        Shown::Times,
        true,
        What::SlowdownMean,
        SLOWDOWN,
    );
    for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
        let is_main = percent == 99.0;
        let name = format!("slowdown {name}");
        add(
            &name,
            Shown::Times,
            is_main,
            What::SlowdownAt(percent),
            SLOWDOWN,
        );
    }
    add(
        "messages complete",
        Shown::Count,
        true,
        What::MessagesDone,
        "bursts or responses that have arrived completely, of those that began after the warm-up",
    );
    add(
        "messages incomplete",
        Shown::Count,
        true,
        What::MessagesOpen,
        "the others: part of them was lost, or the run was over",
    );
}

/// Times of all messages that arrived, ascending.
pub(super) fn times(workload: &Workload, seen: &Observed) -> Vec<f64> {
    let flows = seen.flows.iter();
    let times = flows.flat_map(|flow| flow.times(workload.warm_up_ps));
    let mut times: Vec<f64> = times.map(|time| time as f64).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Slowdowns of all messages that arrived, ascending.
pub(super) fn slowdowns(workload: &Workload, seen: &Observed) -> Vec<f64> {
    let flows = workload.flows.iter().zip(&seen.flows);
    let slowdowns = flows.flat_map(|(flow, seen)| {
        let alone = flow.alone_ps.filter(|alone| *alone > 0);
        let times = seen.times(workload.warm_up_ps).into_iter();
        times.filter_map(move |time| Some(time as f64 / alone? as f64))
    });
    let mut slowdowns: Vec<f64> = slowdowns.collect();
    slowdowns.sort_by(f64::total_cmp);
    slowdowns
}
