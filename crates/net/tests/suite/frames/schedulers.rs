//! Classes under schedulers: small cases by hand.

use crate::frames::common::*;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::probe::{Frame, Probe};
use backwater_net::frames::spec::*;
use backwater_net::watched;

/// A frame of 1,000 bytes at 10 Mbps, preamble and gap included.
const FRAME: u64 = 1020 * 800_000;

/// Start and class of all that leaves on the first link.
#[derive(Default)]
struct Log(Vec<(u64, u8)>);

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        if channel == 0 {
            self.0.push((at.0, frame.class));
        }
    }
}

/// Frames of 1,000 bytes of each class, so many, come at once over links of 1 Gbps to a port of 10
/// Mbps that serves by `scheduler`; `change` sets what the classes have there. Start and class of
/// all that leaves.
fn served(
    scheduler: SchedulerSpec,
    counts: &[u64],
    change: impl Fn(&mut [QueueSpec]),
) -> Vec<(u64, u8)> {
    let mut net = Net::new(counts.len(), None);
    let (a, d) = (net.switch("A"), net.station("D"));
    net.link(a, d, 10);
    let port = &mut net.spec.links[0].channels[0];
    port.scheduler = scheduler;
    change(&mut port.queues);
    let udp = TransportSpec::Udp {
        payload_bytes: 954,
        has_rtp: false,
        is_ect: false,
    };
    for (class, frames) in (0..).zip(counts) {
        let s = net.station(&format!("S{class}"));
        net.link(s, a, 1000);
        let traffic = TrafficSpec::Infinite {
            start: Time::ZERO,
            bytes: Some(frames * 954),
        };
        net.add(s, d, class, udp.clone(), traffic);
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(S), Time::ZERO);
    let (probe, outcome) = watched(&net.spec, Log::default()).expect("a sound network");
    assert_eq!(outcome.violations.total(), 0);
    probe.0
}

fn classes(scheduler: SchedulerSpec, counts: &[u64], change: impl Fn(&mut [QueueSpec])) -> Vec<u8> {
    let served = served(scheduler, counts, change).into_iter();
    served.map(|(_, class)| class).collect()
}

fn reserve(kbps: u64) -> Option<ReserveSpec> {
    Some(ReserveSpec {
        rate: Rate(kbps * 1_000),
        interval: None,
        // A frame with preamble and gap.
        burst_bytes: Some(1_020),
        offset: Duration::ZERO,
        deadline: None,
    })
}

fn deadline(ms: u64) -> Option<ReserveSpec> {
    let reserve = reserve(1_000);
    reserve.map(|reserve| ReserveSpec {
        deadline: Some(Duration(ms * MS)),
        ..reserve
    })
}

#[test]
fn the_earliest_deadline_goes_first_whatever_the_class() {
    let far = |queues: &mut [QueueSpec]| {
        queues[0].reserve = deadline(1);
        queues[1].reserve = deadline(10);
    };
    assert_eq!(
        classes(SchedulerSpec::Edf, &[3, 3], far),
        [0, 0, 0, 1, 1, 1]
    );
    let strict = classes(SchedulerSpec::StrictPriority, &[3, 3], far);
    assert_eq!(strict, [1, 1, 1, 0, 0, 0]);
}

#[test]
fn weighted_fair_queueing_serves_by_finish_in_the_fluid_server() {
    let quarter = |queues: &mut [QueueSpec]| {
        queues[0].reserve = reserve(2_500);
        queues[1].reserve = reserve(7_500);
    };
    // Finish after 3.264 ms a frame and after 1.088 ms; of equal ones what came first.
    let order = [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1];
    assert_eq!(classes(SchedulerSpec::Wfq, &[3, 9], quarter), order);
}

#[test]
fn shaping_holds_a_class_to_its_rate_and_lets_others_go_between() {
    let ats = SchedulerSpec::Ats {
        max_residence: None,
    };
    let shaped = |queues: &mut [QueueSpec]| queues[1].reserve = reserve(1_000);
    let alone = served(ats, &[0, 4], shaped);
    let gaps: Vec<u64> = alone.windows(2).map(|two| two[1].0 - two[0].0).collect();
    // 1,020 bytes at 1 Mbps.
    assert_eq!(gaps, [10 * FRAME; 3]);
    // Class 0 reserves nothing: it fills the gaps, and class 1 waits for no more than one frame.
    let both = served(ats, &[15, 3], shaped);
    let order: Vec<u8> = both.iter().map(|(_, class)| *class).collect();
    let expected = [vec![1], vec![0; 9], vec![1], vec![0; 6], vec![1]].concat();
    assert_eq!(order, expected);
}

#[test]
fn classes_of_a_larger_priority_go_first_and_equal_ones_take_turns() {
    let first = |queues: &mut [QueueSpec]| queues[0].priority = 1;
    let order = classes(SchedulerSpec::RoundRobin, &[2, 3, 3], first);
    assert_eq!(order, [0, 0, 2, 1, 2, 1, 2, 1]);
    // In order of arrival, there are no priorities: the highest class first of what came at once.
    let order = classes(SchedulerSpec::Fifo, &[2, 2, 2], first);
    assert_eq!(order, [2, 1, 0, 2, 1, 0]);
}

#[test]
fn what_a_scheduler_of_classes_cannot_do_is_refused() {
    let refused = |change: fn(&mut ChannelSpec)| {
        let mut net = Net::new(2, None);
        let (a, b) = (net.station("A"), net.station("B"));
        net.link(a, b, 10);
        change(&mut net.spec.links[0].channels[0]);
        verify(&net.spec).is_err()
    };
    assert!(!refused(|_| {}));
    assert!(refused(|channel| {
        channel.scheduler = SchedulerSpec::Drr { quantum_bytes: 1 };
        channel.queues[1].quantum_bytes = 0;
    }));
    assert!(refused(|channel| {
        channel.scheduler = SchedulerSpec::Ats {
            max_residence: Some(Duration(MS)),
        };
    }));
    assert!(refused(|channel| channel.queues[0].reserve = reserve(0)));
}
