//! Numbers of bursts, and of requests with their responses.

use super::{Declared, Shown, at, mean};
use crate::compare::{FlowKind, Observed, Workload};

/// Their times, slowdowns and numbers, where the workload has any.
pub(super) fn add(workload: &Workload, all: &mut Declared) {
    let is_message =
        |kind: &FlowKind| matches!(kind, FlowKind::Bursts(..) | FlowKind::Requests(..));
    if !workload.flows.iter().any(|flow| is_message(&flow.kind)) {
        return;
    }
    type Values = fn(&Workload, &Observed) -> Vec<f64>;
    let spread = |all: &mut Declared, what: &str, shown, (meaning, values): (&str, Values)| {
        all.main(
            format!("{what} mean"),
            shown,
            meaning,
            move |workload, seen| mean(&values(workload, seen)),
        );
        for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
            all.main(
                format!("{what} {name}"),
                shown,
                meaning,
                move |workload, seen| at(&values(workload, seen), percent),
            );
            // The largest slowdown is that of a small message.
            if percent == 50.0 || (percent, shown) == (100.0, Shown::Times) {
                all.in_tables();
            }
        }
    };
    let time = "from the start of a burst, or the first frame or cell of a request, to the arrival \
                of the last of the burst or response";
    spread(all, "message", Shown::Time, (time, times));
    let slowdown = "time of a message over the least time of the same payload on an idle network: \
                    in full frames back to back, the same for all schemes";
    spread(all, "slowdown", Shown::Times, (slowdown, slowdowns));
    all.main(
        "messages complete",
        Shown::Count,
        "bursts or responses that have arrived completely, of those that began after the warm-up",
        |workload, seen| times(workload, seen).len() as f64,
    );
    all.main(
        "messages incomplete",
        Shown::Count,
        "the others: part of them was lost, or the run was over",
        |workload, seen| {
            let open = seen.flows.iter().map(|flow| flow.open(workload.warm_up_ps));
            open.sum::<u64>() as f64
        },
    );
}

/// Times of all messages that arrived, ascending.
fn times(workload: &Workload, seen: &Observed) -> Vec<f64> {
    let flows = seen.flows.iter();
    let times = flows.flat_map(|flow| flow.times(workload.warm_up_ps));
    let mut times: Vec<f64> = times.map(|time| time as f64).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Slowdowns of all messages that arrived, ascending.
fn slowdowns(workload: &Workload, seen: &Observed) -> Vec<f64> {
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
