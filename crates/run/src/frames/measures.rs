//! What a sweep measures of runs in frames.
//!
//! Rates, shares and delays are of the time after the warm-up; drops, stops and queues of the
//! whole run. A standstill has a column, so that a sweep shows where it begins.

use std::borrow::Cow;

use backwater_kernel::{DelayOutcome, Distribution, Stop};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{ChannelOutcome, FlowOutcome, Outcome, QueueOutcome};
use backwater_results::ethernet::{
    Completion, Training, fairness, goodputs, lasting, members_goodput,
};
use backwater_results::sweep::{FlowColumn, Measure, Role};
use backwater_results::{Findings, number};
use backwater_scenario::EthernetScenario;

use super::super::events::FoundEvents;
use super::super::values::{chosen, flag, measures};
use super::super::{Found, Point};

const MS: f64 = 1e9;
const US: f64 = 1e6;

measures! { run: &Seen<'_> =>
    "goodput", "Mbps", Accepted, 3, "payload that applications received in order, all flows",
        run.mbps(run.rates.iter().sum());
    "goodput min", "Mbps", Other, 3,
        "of the flow with the smallest; empty where the transfers of one end",
        run.extreme(f64::min);
    "goodput max", "Mbps", Other, 3, "of the flow with the largest; empty likewise",
        run.extreme(f64::max);
    "fairness", "", Other, 4,
        "Jain's index of goodputs: 1 if all flows got the same; empty likewise",
        run.lasting.as_deref().map_or(f64::NAN, fairness);
    "returned", "Mbps", Other, 3, "payload of responses, all flows",
        run.mbps(run.per_second(run.total(|f| f.ends.returned_bytes)) * 8.0);
    "transfers", "1/s", Other, 3, "files, requests and pictures complete",
        run.per_second(run.total(|f| f.ends.transfers));
    "unfinished", "transfers", Unfinished, 0,
        "begun, and not complete when the run ended; they count with their age: then times and \
         slowdowns are bounds from below, and empty where more than the share above is unfinished",
        run.total(|f| f.ends.unfinished()) as f64;
    "oldest unfinished", "ms", Other, 3, "age of the oldest of these at the end of the run",
        run.done.fct.oldest().map_or(f64::NAN, |ps| ps / MS);
    "FCT mean", "ms", Took, 3, "mean over all of them, files to their last byte at the receiver",
        run.done.fct.mean().map_or(f64::NAN, |ps| ps / MS);
    "FCT p50", "ms", Took, 3, "median; empty below 2 transfers",
        at(&run.done.fct, 50.0, MS);
    "FCT p95", "ms", Took, 3, "95th percentile; empty below 20 transfers",
        at(&run.done.fct, 95.0, MS);
    "FCT p99", "ms", Took, 3, "99th percentile; empty below 100 transfers",
        at(&run.done.fct, 99.0, MS);
    "FCT p99.9", "ms", Took, 3, "99.9th percentile; empty below 1,000 transfers",
        at(&run.done.fct, 99.9, MS);
    "FCT max", "ms", Took, 3, "largest",
        run.done.fct.max().map_or(f64::NAN, |ps| ps / MS);
    "slowdown mean", "", Took, 3, "FCT over that of the same transfer alone on the idle path",
        run.done.slowdown.mean().unwrap_or(f64::NAN);
    "slowdown p50", "", Took, 3, "median; empty below 2 transfers",
        at(&run.done.slowdown, 50.0, 1.0);
    "slowdown p95", "", Took, 3, "95th percentile; empty below 20 transfers",
        at(&run.done.slowdown, 95.0, 1.0);
    "slowdown p99", "", Took, 3, "99th percentile; empty below 100 transfers",
        at(&run.done.slowdown, 99.0, 1.0);
    "slowdown p99.9", "", Took, 3, "99.9th percentile; empty below 1,000 transfers",
        at(&run.done.slowdown, 99.9, 1.0);
    "slowdown max", "", Took, 3, "largest",
        run.done.slowdown.max().unwrap_or(f64::NAN);
    "FCT acked mean", "ms", Took, 3, "mean over all files, to their last acknowledgement",
        run.acked.mean().map_or(f64::NAN, |ps| ps / MS);
    "FCT acked p99", "ms", Took, 3, "99th percentile; empty below 100 files",
        at(&run.acked, 99.0, MS);
    "last transfer", "ms", Other, 3, "when the last of the whole run was complete",
        run.last_transfer();
    "algbw", "Mbps", Other, 3,
        "size over the mean time of a collective operation, of several the least; empty before \
         all are complete",
        run.training.algorithm.map_or(f64::NAN, |bps| bps / 1e6);
    "busbw", "Mbps", Other, 3, "that times the factor of nccl-tests; likewise",
        run.training.bus.map_or(f64::NAN, |bps| bps / 1e6);
    "operation mean", "ms", Other, 3, "mean time of a collective operation, of several the longest",
        run.training.operation.map_or(f64::NAN, |ps| ps / MS);
    "JCT", "ms", Other, 3,
        "job completion time, of several jobs the longest; empty before all are complete",
        run.training.completion.map_or(f64::NAN, |ps| ps / MS);
    "JCT ratio", "", Other, 4, "JCT over the roofline, the largest",
        run.training.ratio.unwrap_or(f64::NAN);
    "iteration mean", "ms", Other, 3, "mean time of an iteration, the longest",
        run.training.iteration.map_or(f64::NAN, |ps| ps / MS);
    "exposed", "ms", Other, 3, "mean of an iteration in which ranks do not compute, the most",
        run.training.exposed.map_or(f64::NAN, |ps| ps / MS);
    "exposed share", "", Other, 4, "that over the mean iteration, the largest",
        run.training.exposed_share.unwrap_or(f64::NAN);
    "delay mean", "us", Latency, 3, "mean from the host's port to delivery, over all data frames",
        mean(&run.delays, US);
    "delay p99", "us", Other, 3, "99th percentile",
        most(&run.delays, US);
    "late share", "", Other, 4, "video datagrams that missed their deadline, over those due",
        share(run.total(|f| f.ends.late), run.total(|f| f.ends.due));
    "dropped", "frames", Other, 0, "whatever the cause, whole run",
        run.total(|f| f.lost_total) as f64;
    "dropped share", "", Other, 5, "the same over frames created",
        share(run.total(|f| f.lost_total), run.total(|f| f.offered_total));
    "stopped share max", "", Other, 4, "largest share of time that a queue was stopped",
        run.queues().map(|queue| queue.stopped_share).fold(0.0, f64::max);
    "stops", "frames", Other, 0, "stop frames sent, whole run",
        run.channels().map(|channel| channel.by_class.stops_sent).sum::<u64>() as f64;
    "queue max", "bytes", Other, 0, "largest number of bytes in a queue with a limit, whole run",
        run.largest_queue() as f64;
    "headroom max", "bytes", Other, 0, "largest at any input, whole run",
        run.largest_headroom() as f64;
    "ECN-marked", "frames", Other, 0, "by switches",
        run.queues().map(|queue| queue.marked).sum::<u64>() as f64;
    "trimmed", "frames", Other, 0, "that found a queue full and went on as headers, whole run",
        run.queues().map(|queue| queue.trimmed).sum::<u64>() as f64;
    "retransmitted share", "", Other, 5,
        "payload that TCP retransmitted, over all it sent, whole run",
        share(run.total(|f| f.ends.tcp.again_bytes), run.total(|f| f.ends.tcp.sent_bytes));
    "timeouts", "", Other, 0, "of TCP's retransmission timers, whole run",
        run.total(|f| f.ends.tcp.time_outs) as f64;
    "watchdog trips", "", Other, 0, "whole run",
        run.queues().map(|queue| queue.watchdog_trips).sum::<u64>() as f64;
    "standstill", "", Standstill, 0, "1 if queues that can never move ended the run, else 0",
        flag(run.outcome.stop == Stop::Standstill);
    "broken promises", "", Broken, 0, "of the whole run",
        run.outcome.violations.total() as f64;
}

/// What a run measured.
pub fn point(found: &FoundEvents<'_, EthernetScenario>, columns: &[FlowColumn]) -> Point {
    let mut values = values(&Seen::of(&found.run));
    values.extend(chosen(columns, |flow| found.flow_tables(flow)));
    Point {
        values,
        trace_hash: number::hash(found.run.outcome.trace_hash),
    }
}

/// What was seen of a run.
struct Seen<'a> {
    spec: &'a EthernetSpec,
    outcome: &'a Outcome,
    seconds: f64,
    /// Goodputs, bps,
    rates: Vec<f64>,
    /// and where they are rates of each flow.
    lasting: Option<Vec<f64>>,
    delays: DelayOutcome,
    /// Transfers to their completion, and to their last acknowledgement.
    done: Completion,
    acked: Distribution,
    training: Training,
}

impl<'a> Seen<'a> {
    fn of(run: &'a Findings<'_, EthernetSpec>) -> Seen<'a> {
        let outcome = &run.outcome;
        let flows = || outcome.all_flows().map(|flow| &flow.ends);
        Seen {
            spec: run.network,
            outcome,
            seconds: run.seconds(),
            rates: goodputs(run)
                .into_iter()
                .chain([members_goodput(run)])
                .collect(),
            lasting: (lasting(run).into_iter().collect::<Option<_>>())
                .filter(|_| outcome.members.is_empty()),
            delays: DelayOutcome::merged(outcome.all_flows().map(|flow| &flow.delay)),
            training: Training::of(run),
            done: Completion::of(outcome.all_flows()),
            acked: Distribution::merged(flows().map(|ends| &ends.acknowledged_time)),
        }
    }

    fn mbps(&self, bps: f64) -> f64 {
        if self.seconds > 0.0 {
            bps / 1e6
        } else {
            f64::NAN
        }
    }

    /// Of the goodputs of flows, Mbps.
    fn extreme(&self, of: fn(f64, f64) -> f64) -> f64 {
        let rates = self.lasting.iter().flatten().copied();
        self.mbps(rates.reduce(of).unwrap_or(f64::NAN))
    }

    fn per_second(&self, count: u64) -> f64 {
        match self.seconds > 0.0 {
            true => count as f64 / self.seconds,
            false => f64::NAN,
        }
    }

    fn total(&self, of: fn(&FlowOutcome) -> u64) -> u64 {
        self.outcome.all_flows().map(of).sum()
    }

    fn channels(&self) -> impl Iterator<Item = &ChannelOutcome> {
        self.outcome.channels.iter()
    }

    fn queues(&self) -> impl Iterator<Item = &QueueOutcome> {
        self.channels().flat_map(|channel| &channel.by_class.queues)
    }

    /// When the last transfer was complete, ms.
    fn last_transfer(&self) -> f64 {
        let flows = self.outcome.all_flows();
        let last = flows.map(|flow| flow.ends.last_transfer.ps()).max();
        match self.total(|f| f.ends.transfers_total) {
            0 => f64::NAN,
            _ => last.unwrap_or(0) as f64 / MS,
        }
    }

    fn largest_headroom(&self) -> u64 {
        let inputs = self.channels();
        let most = inputs.map(|channel| channel.by_class.headroom_most_bytes);
        most.max().unwrap_or(0)
    }

    /// Hosts hold what they have; only queues with a limit are of interest.
    fn largest_queue(&self) -> u64 {
        let channels = self.spec.links.iter().flat_map(|link| &link.channels);
        let told = channels.flat_map(|channel| &channel.queues);
        let limited = told
            .zip(self.queues())
            .filter(|(told, _)| told.limit_bytes.is_some());
        limited
            .map(|(_, found)| found.most_bytes)
            .max()
            .unwrap_or(0)
    }
}

/// `part / whole`; not a number where there is nothing.
fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => f64::NAN,
        whole => part as f64 / whole as f64,
    }
}

/// In units of so many ps; not a number where there was none.
fn mean(times: &DelayOutcome, unit: f64) -> f64 {
    match times.count {
        0 => f64::NAN,
        _ => times.mean / unit,
    }
}

/// What so many percent are no larger than, over `unit`; not a number where there are too few.
fn at(found: &Distribution, percent: f64, unit: f64) -> f64 {
    found
        .percentile(percent)
        .map_or(f64::NAN, |value| value / unit)
}

/// 99 % take no longer.
fn most(times: &DelayOutcome, unit: f64) -> f64 {
    match times.count {
        0 => f64::NAN,
        _ => times.histogram.percentile(99.0) as f64 / unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventRun;
    use backwater_kernel::Time;
    use backwater_net::outcome::EndsOutcome;

    #[test]
    fn a_value_for_each_measure() {
        let scenario = super::super::tests::merge();
        let mut run = EventRun::plain(&scenario).expect("it runs");
        let times = |ps: u64| {
            let mut times = backwater_kernel::Collected::new(9);
            times.record(ps);
            times.distribution()
        };
        let flow = FlowOutcome {
            slowdown: times(4),
            ends: EndsOutcome {
                transfer_time: times(1_000_000_000),
                acknowledged_time: times(2_000_000_000),
                transfers_total: 1,
                last_transfer: Time(3_000_000_000),
                ..EndsOutcome::default()
            },
            ..FlowOutcome::default()
        };
        let mut violations = backwater_kernel::Violations::default();
        for _ in 0..7 {
            let network = backwater_kernel::Place::Network;
            violations.note(Time::ZERO, network, String::new);
        }
        let mut found = run.so_far().run;
        found.outcome.flows = vec![flow];
        found.outcome.stop = Stop::Standstill;
        found.outcome.violations = violations;
        let values = values(&Seen::of(&found));
        assert_eq!(values.len(), MEASURES.len());
        let value = |name: &str| values[MEASURES.iter().position(|m| m.name == name).unwrap()];
        for (name, is) in [
            ("FCT mean", 1.0),
            ("slowdown mean", 4.0),
            ("slowdown max", 4.0),
            ("FCT acked mean", 2.0),
            ("last transfer", 3.0),
        ] {
            assert_eq!(value(name), is, "{name}");
        }
        assert_eq!(value("standstill"), 1.0);
        assert_eq!(value("broken promises"), 7.0);
        assert!(value("FCT p50").is_nan() && value("slowdown p99").is_nan());
        assert!(value("delay mean").is_nan() && value("late share").is_nan());
    }
}
