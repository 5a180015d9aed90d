//! Numbers of bursts, and of requests with their responses.

use std::cmp::Ordering;

use super::{Declared, Shown, at, mean};
use crate::compare::{FlowKind, Observed, Workload, WorkloadFlow};

/// Their times, slowdowns and numbers, where the workload has any.
pub(super) fn add(workload: &Workload, all: &mut Declared) {
    let is_message =
        |kind: &FlowKind| matches!(kind, FlowKind::Bursts(..) | FlowKind::Requests(..));
    if !workload.flows.iter().any(|flow| is_message(&flow.kind)) {
        return;
    }
    type Values = fn(&Workload, &Observed) -> Times;
    let spread = |all: &mut Declared, what: &str, shown, (meaning, values): (&str, Values)| {
        all.main(
            format!("{what} mean"),
            shown,
            meaning,
            move |workload, seen| values(workload, seen).mean(),
        );
        all.may_be_bound();
        for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
            all.main(
                format!("{what} {name}"),
                shown,
                meaning,
                move |workload, seen| values(workload, seen).percentile(percent),
            );
            all.may_be_bound();
            // The largest slowdown is that of a small message.
            if percent == 50.0 || (percent, shown) == (100.0, Shown::Times) {
                all.in_tables();
            }
        }
    };
    let time = "from the start of a burst, or the first frame or cell of a request, to the arrival \
                of the last of the burst or response; those incomplete count with their age: then \
                it is a bound from below, and empty where more than the share above are incomplete";
    spread(all, "message", Shown::Time, (time, times));
    let slowdown = "time of a message over the least time of the same payload on an idle network: \
                    in full frames back to back, the same for all schemes";
    spread(all, "slowdown", Shown::Times, (slowdown, slowdowns));
    all.main(
        "messages complete",
        Shown::Count,
        "bursts or responses that have arrived completely, of those that began after the warm-up",
        |workload, seen| times(workload, seen).ended as f64,
    );
    all.better(Some(Ordering::Greater));
    all.main(
        "messages incomplete",
        Shown::Count,
        "part of them was lost, or the run was over; those that began before the warm-up too",
        |_, seen| {
            let open = seen.flows.iter().map(|flow| flow.open());
            open.sum::<u64>() as f64
        },
    );
}

/// Times, ascending; what had not ended has its age.
#[derive(Default)]
struct Times {
    all: Vec<f64>,
    ended: usize,
}

impl Times {
    fn mean(&self) -> f64 {
        mean(&self.all)
    }

    /// Nothing where more than the share above it had not ended.
    fn percentile(&self, percent: f64) -> f64 {
        let all = self.all.len() as f64;
        let open = (self.all.len() - self.ended) as f64;
        match percent < 100.0 && open * 100.0 > (100.0 - percent) * all {
            true => f64::NAN,
            false => at(&self.all, percent),
        }
    }
}

/// Times of all messages that began after the warm-up, and ages of those that did not end.
fn times(workload: &Workload, seen: &Observed) -> Times {
    over(workload, seen, |_| Some(1))
}

/// Slowdowns of the same.
fn slowdowns(workload: &Workload, seen: &Observed) -> Times {
    over(workload, seen, |flow| {
        flow.alone_ps.filter(|alone| *alone > 0)
    })
}

fn over(
    workload: &Workload,
    seen: &Observed,
    unit: impl Fn(&WorkloadFlow) -> Option<u64>,
) -> Times {
    let mut sums = Times::default();
    for (flow, seen) in workload.flows.iter().zip(&seen.flows) {
        let Some(unit) = unit(flow) else {
            continue;
        };
        let ended = seen.times(workload.warm_up_ps);
        sums.ended += ended.len();
        let ages = seen.ages(workload.duration_ps);
        // Nothing takes less than it does alone.
        let ages = ages.map(|age| age.max(flow.alone_ps.unwrap_or(0)));
        let times = ended.into_iter().chain(ages);
        sums.all.extend(times.map(|time| time as f64 / unit as f64));
    }
    sums.all.sort_by(f64::total_cmp);
    sums
}
