//! What the tests of the Ethernet engine share.

pub mod watch;

use backwater_kernel::Time;
use backwater_net::frames::probe::{Frame, LossCause, Probe};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{ChannelOutcome, Outcome, QueueOutcome};
use backwater_net::watched;
use backwater_oracle::ethernet::{
    CONTROL_FLOW, ChannelCounts, Delivery, Drop, FlowCounts, Report, Start, first_difference,
};

/// Keeps what happens in the oracle's words.
#[derive(Default)]
pub struct Log {
    pub starts: Vec<Start>,
    pub drops: Vec<Drop>,
    pub deliveries: Vec<Delivery>,
    /// Payload that applications got, by flow, there and back.
    pub payload: Vec<[u64; 2]>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let is_control = frame.is_control();
        self.starts.push(Start {
            at_ps: at.ps(),
            channel,
            flow: frame.flow,
            bytes: frame.bytes,
            number: if is_control { 0 } else { frame.number },
            control: is_control.then_some(frame.content),
        });
        assert_eq!(is_control, frame.flow == CONTROL_FLOW);
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, cause: LossCause) {
        let frame = frame.view();
        if frame.is_control() {
            return;
        }
        self.drops.push(Drop {
            at_ps: at.ps(),
            channel,
            flow: frame.flow,
            number: frame.number,
            cause,
        });
    }

    fn on_frame_delivered(&mut self, at: Time, frame: &Frame<'_>) {
        let frame = frame.view();
        self.deliveries.push(Delivery {
            at_ps: at.ps(),
            flow: frame.flow,
            number: frame.number,
            station: frame.destination,
            is_marked: frame.is_marked,
        });
    }

    fn on_payload(&mut self, _at: Time, flow: u32, is_forward: bool, bytes: u64) {
        let flow = flow as usize;
        self.payload
            .resize(self.payload.len().max(flow + 1), [0; 2]);
        self.payload[flow][usize::from(!is_forward)] += bytes;
    }
}

/// The fast engine's run, to the end.
pub fn fast(spec: &EthernetSpec) -> (Log, Outcome) {
    let (probe, outcome) = watched(spec, Log::default()).expect("a sound network");
    let mut log = probe;
    log.starts.sort_by_key(|start| (start.at_ps, start.channel));
    log.drops
        .sort_by_key(|drop| (drop.at_ps, drop.channel, drop.flow, drop.number));
    log.deliveries
        .sort_by_key(|it| (it.at_ps, it.flow, it.number, it.station));
    log.payload.resize(spec.flows.len(), [0; 2]);
    (log, outcome)
}

/// The slow engine's run.
pub fn slow(spec: &EthernetSpec) -> Report {
    let mut report = backwater_oracle::ethernet::run(spec).expect("the oracle can run it");
    report
        .drops
        .sort_by_key(|drop| (drop.at_ps, drop.channel, drop.flow, drop.number));
    report
        .deliveries
        .sort_by_key(|it| (it.at_ps, it.flow, it.number, it.station));
    report
}

/// Where the two engines part: starts, drops, deliveries and counts.
pub fn difference(spec: &EthernetSpec) -> Result<Report, String> {
    let report = slow(spec);
    let (log, outcome) = fast(spec);
    let same = |text: Option<String>| text.map_or(Ok(()), Err);
    if let Some(until) = report.close_call_ps {
        let before = |starts: &[Start]| {
            let count = starts.partition_point(|start| start.at_ps < until);
            starts[..count].to_vec()
        };
        same(first_difference(
            &before(&report.starts),
            &before(&log.starts),
        ))?;
        return Ok(report);
    }
    same(first_difference(&report.starts, &log.starts))?;
    same(first_difference(&report.drops, &log.drops))?;
    same(first_difference(&report.deliveries, &log.deliveries))?;
    counts_differ(&report, &log, &outcome)?;
    Ok(report)
}

fn counts_differ(report: &Report, log: &Log, outcome: &Outcome) -> Result<(), String> {
    for (index, (slow, fast)) in report.flows.iter().zip(&outcome.flows).enumerate() {
        let bytes = fast.bytes.expect("bytes of frames are counted");
        let fast = FlowCounts {
            created: fast.offered_total,
            created_bytes: bytes.offered,
            delivered: fast.delivered_total,
            delivered_bytes: bytes.delivered,
            dropped: fast.lost_total,
            dropped_bytes: bytes.dropped,
            trimmed: fast.trimmed,
            payload_bytes: log.payload[index][0],
            returned_bytes: log.payload[index][1],
        };
        if *slow != fast {
            return Err(format!("flow {index}: {slow:?} and {fast:?}"));
        }
    }
    let time_outs: Vec<u64> = outcome.nodes.iter().map(|node| node.time_outs).collect();
    if report.time_outs != time_outs {
        return Err(format!(
            "time-outs: {:?} and {time_outs:?}",
            report.time_outs
        ));
    }
    for (index, (slow, fast)) in report.channels.iter().zip(&outcome.channels).enumerate() {
        for (what, slow, fast) in counts_of(slow, fast) {
            if slow != fast {
                return Err(format!("channel {index}, {what}: {slow:?} and {fast:?}"));
            }
        }
        let drops: Vec<_> = fast.by_class.queues.iter().map(|it| it.drops).collect();
        if slow.drops != drops {
            return Err(format!("channel {index}: {:?} and {drops:?}", slow.drops));
        }
    }
    Ok(())
}

/// What both engines count of a channel.
fn counts_of(
    slow: &ChannelCounts,
    fast: &ChannelOutcome,
) -> [(&'static str, Vec<u64>, Vec<u64>); 7] {
    let of = |count: fn(&QueueOutcome) -> u64| fast.by_class.queues.iter().map(count).collect();
    let stops = vec![
        slow.stops_sent,
        slow.resumes_sent,
        slow.refreshes_sent,
        slow.stops_obeyed,
        slow.stops_ignored,
    ];
    let stops_of = vec![
        fast.by_class.stops_sent,
        fast.by_class.resumes_sent,
        fast.by_class.refreshes_sent,
        fast.by_class.stops_obeyed,
        fast.by_class.stops_ignored,
    ];
    [
        ("joined", slow.joined.clone(), of(|it| it.joined_total)),
        ("most", slow.most_bytes.clone(), of(|it| it.most_bytes)),
        (
            "congestions",
            slow.congestions.clone(),
            of(|it| it.congestions),
        ),
        ("marked", slow.marked.clone(), of(|it| it.marked)),
        ("trimmed", slow.trimmed.clone(), of(|it| it.trimmed)),
        (
            "trips",
            slow.watchdog_trips.clone(),
            of(|it| it.watchdog_trips),
        ),
        ("stops, resumes, refreshes, obeyed", stops, stops_of),
    ]
}
