//! What a sweep measures of the Ethernet engine.
//!
//! Rates, shares and delays are of the time after the warm-up; drops, stops and queues of the
//! whole run. A standstill is a result like any other, so that a sweep shows where it begins.

use std::time::Duration as WallTime;

use backwater_kernel::{DelayOutcome, Duration, Rings, Stop, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::outcome::{EthernetOutcome, FlowOutcome, QueueOutcome};
use backwater_net::frames::spec::EthernetSpec;
use backwater_results::ethernet::{fairness, flow_tables, goodputs};
use backwater_results::sweep::{FlowColumn, Measure, Role};
use backwater_scenario::EthernetScenario;

use super::store::Point;
use super::values::{chosen, flag, number};
use crate::run::pace::Pace;
use crate::{interrupt, memory};

/// The first slice.
const FIRST_SLICE: Duration = Duration(1_000_000_000);

/// In the order of the values of a point.
pub const MEASURES: &[Measure] = &[
    number(
        "goodput",
        "Mbps",
        "payload that applications received in order, all flows",
        Role::Accepted,
        3,
    ),
    number(
        "goodput min",
        "Mbps",
        "of the flow with the smallest",
        Role::Other,
        3,
    ),
    number(
        "goodput max",
        "Mbps",
        "of the flow with the largest",
        Role::Other,
        3,
    ),
    number(
        "fairness",
        "",
        "Jain's index of goodputs: 1 if all flows got the same",
        Role::Other,
        4,
    ),
    number(
        "returned",
        "Mbps",
        "payload of responses, all flows",
        Role::Other,
        3,
    ),
    number(
        "transfers",
        "1/s",
        "files, requests and pictures complete",
        Role::Other,
        3,
    ),
    number(
        "FCT mean",
        "ms",
        "mean over all of them, files to their last byte at the receiver",
        Role::Other,
        3,
    ),
    number("FCT p99", "ms", "99th percentile", Role::Other, 3),
    number(
        "FCT acked mean",
        "ms",
        "mean over all files, to their last acknowledgement",
        Role::Other,
        3,
    ),
    number("FCT acked p99", "ms", "99th percentile", Role::Other, 3),
    number(
        "last transfer",
        "ms",
        "when the last of the whole run was complete",
        Role::Other,
        3,
    ),
    number(
        "delay mean",
        "us",
        "mean from the host's port to delivery, over all data frames",
        Role::Latency,
        3,
    ),
    number("delay p99", "us", "99th percentile", Role::Other, 3),
    number(
        "late share",
        "",
        "video datagrams that missed their deadline, over those due",
        Role::Other,
        4,
    ),
    number(
        "dropped",
        "frames",
        "whatever the cause, whole run",
        Role::Other,
        0,
    ),
    number(
        "dropped share",
        "",
        "the same over frames created",
        Role::Other,
        5,
    ),
    number(
        "stopped share max",
        "",
        "largest share of time that a queue was stopped",
        Role::Other,
        4,
    ),
    number(
        "stops",
        "frames",
        "stop frames sent, whole run",
        Role::Other,
        0,
    ),
    number(
        "queue max",
        "bytes",
        "largest number of bytes in a queue with a limit, whole run",
        Role::Other,
        0,
    ),
    number(
        "headroom max",
        "bytes",
        "largest at any input, whole run",
        Role::Other,
        0,
    ),
    number("ECN-marked", "frames", "by switches", Role::Other, 0),
    number(
        "retransmitted share",
        "",
        "payload that TCP retransmitted, over all it sent, whole run",
        Role::Other,
        5,
    ),
    number(
        "timeouts",
        "",
        "of TCP's retransmission timers, whole run",
        Role::Other,
        0,
    ),
    number("watchdog trips", "", "whole run", Role::Other, 0),
    number(
        "standstill",
        "",
        "1 if queues that can never move ended the run, else 0",
        Role::Other,
        0,
    ),
    number("broken promises", "", "of the whole run", Role::Broken, 0),
];

/// Runs the scenario to its end; `None` if Ctrl-C came first.
pub fn measure(
    scenario: &EthernetScenario,
    columns: &[FlowColumn],
) -> Result<Option<Point>, String> {
    let spec = &scenario.network;
    let mut engine = Simulation::<Rings>::new(spec).map_err(|error| error.to_string())?;
    let mut pace = Pace::new(FIRST_SLICE.ps(), WallTime::MAX);
    let mut until = Time::ZERO;
    let mut more = true;
    while more && until < spec.stop_at {
        if interrupt::is_set() || memory::is_short() {
            return Ok(None);
        }
        until = Time(until.ps().saturating_add(pace.slice())).min(spec.stop_at);
        more = engine.run_until(until);
        pace.look_up();
    }
    let outcome = engine.frame_outcome();
    let mut values = values(spec, &outcome);
    values.extend(chosen(columns, |flow| flow_tables(spec, &outcome, flow)));
    Ok(Some(Point {
        values,
        trace_hash: format!("{:016x}", outcome.trace_hash),
    }))
}

/// `part / whole`; not a number where there is nothing.
fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => f64::NAN,
        whole => part as f64 / whole as f64,
    }
}

/// Of transfers, ms: mean and 99 % to their completion and to their last acknowledgement, and when
/// the last one was complete; not a number where there was none.
fn transfer_times(outcome: &EthernetOutcome) -> [f64; 5] {
    let flows = || outcome.flows.iter();
    let ms = |count: u64, ps: f64| if count > 0 { ps / 1e9 } else { f64::NAN };
    let done = DelayOutcome::merged(flows().map(|flow| &flow.ends.transfer_time));
    let acknowledged = DelayOutcome::merged(flows().map(|flow| &flow.ends.acknowledged_time));
    let most = |times: &DelayOutcome| ms(times.count, times.histogram.percentile(99.0) as f64);
    let total = flows().map(|flow| flow.ends.transfers_total).sum();
    let last = flows().map(|flow| flow.ends.last_transfer.ps()).max();
    [
        ms(done.count, done.mean),
        most(&done),
        ms(acknowledged.count, acknowledged.mean),
        most(&acknowledged),
        ms(total, last.unwrap_or(0) as f64),
    ]
}

/// In the order of [`MEASURES`].
fn values(spec: &EthernetSpec, outcome: &EthernetOutcome) -> Vec<f64> {
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    let rate = |count: f64| {
        if seconds > 0.0 {
            count / seconds
        } else {
            f64::NAN
        }
    };
    let total = |of: fn(&FlowOutcome) -> u64| outcome.flows.iter().map(of).sum::<u64>();
    let rates = goodputs(spec, outcome);
    let mbps = |bps: f64| if seconds > 0.0 { bps / 1e6 } else { f64::NAN };
    let some = |count: u64, value: f64| if count > 0 { value } else { f64::NAN };
    let [
        transfer_mean,
        transfer_most,
        acknowledged_mean,
        acknowledged_most,
        last_transfer,
    ] = transfer_times(outcome);
    let delays = DelayOutcome::merged(outcome.flows.iter().map(|flow| &flow.ends.delay));
    let queues = || outcome.channels.iter().flat_map(|channel| &channel.queues);
    let sum = |of: fn(&QueueOutcome) -> u64| queues().map(of).sum::<u64>() as f64;
    let (dropped, created) = (total(|f| f.dropped_total), total(|f| f.created_total));
    let stops: u64 = outcome
        .channels
        .iter()
        .map(|channel| channel.stops_sent)
        .sum();
    let headroom = outcome
        .channels
        .iter()
        .map(|channel| channel.headroom_most_bytes);
    let time = |ps: u64| ps as f64;
    vec![
        mbps(rates.iter().sum()),
        mbps(rates.iter().copied().fold(f64::INFINITY, f64::min)),
        mbps(rates.iter().copied().fold(0.0, f64::max)),
        fairness(&rates),
        mbps(rate(total(|f| f.ends.returned_bytes) as f64 * 8.0)),
        rate(total(|f| f.ends.transfers) as f64),
        transfer_mean,
        transfer_most,
        acknowledged_mean,
        acknowledged_most,
        last_transfer,
        some(delays.count, delays.mean / 1e6),
        some(delays.count, time(delays.histogram.percentile(99.0)) / 1e6),
        share(total(|f| f.ends.late), total(|f| f.ends.due)),
        dropped as f64,
        share(dropped, created),
        queues()
            .map(|queue| queue.stopped_share)
            .fold(0.0, f64::max),
        stops as f64,
        largest_queue(spec, outcome) as f64,
        headroom.max().unwrap_or(0) as f64,
        sum(|queue| queue.marked),
        share(
            total(|f| f.ends.tcp.again_bytes),
            total(|f| f.ends.tcp.sent_bytes),
        ),
        total(|f| f.ends.tcp.time_outs) as f64,
        sum(|queue| queue.watchdog_trips),
        flag(outcome.stop == Stop::Standstill),
        outcome.violations.total() as f64,
    ]
}

/// Hosts hold what they have; only queues with a limit are of interest.
fn largest_queue(spec: &EthernetSpec, outcome: &EthernetOutcome) -> u64 {
    let channels = spec.links.iter().flat_map(|link| &link.channels);
    let found = outcome.channels.iter().flat_map(|channel| &channel.queues);
    let told = channels.flat_map(|channel| &channel.queues);
    let limited = told
        .zip(found)
        .filter(|(told, _)| told.limit_bytes.is_some());
    limited
        .map(|(_, found)| found.most_bytes)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_net::frames::outcome::EndsOutcome;

    #[test]
    fn a_value_for_each_measure() {
        let spec = EthernetSpec {
            seed: 1,
            stop_at: Time(1),
            warm_up: Time::ZERO,
            nodes: Vec::new(),
            links: Vec::new(),
            routes: Vec::new(),
            spread: backwater_net::frames::spec::Spread::Flows,
            flows: Vec::new(),
            outages: Vec::new(),
            stall_after: Duration(1),
        };
        let mut engine = Simulation::<Rings>::new(&spec).unwrap();
        engine.run();
        let times = |ps: u64| {
            let mut times = backwater_kernel::Delays::default();
            times.record(ps);
            times.outcome()
        };
        let flow = FlowOutcome {
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
        let outcome = EthernetOutcome {
            flows: vec![flow],
            stop: Stop::Standstill,
            violations,
            ..engine.frame_outcome()
        };
        let values = values(&spec, &outcome);
        assert_eq!(values.len(), MEASURES.len());
        let value = |name: &str| values[MEASURES.iter().position(|m| m.name == name).unwrap()];
        for (name, is) in [
            ("FCT mean", 1.0),
            ("FCT acked mean", 2.0),
            ("last transfer", 3.0),
        ] {
            assert_eq!(value(name), is, "{name}");
        }
        assert_eq!(value("standstill"), 1.0);
        assert_eq!(value("broken promises"), 7.0);
        assert!(value("delay mean").is_nan() && value("late share").is_nan());
    }
}
