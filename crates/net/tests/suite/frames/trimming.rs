//! Queues that trim: by hand, and what holds of every run.

use backwater_ends::spec::{PairRecovery, RoceSpec};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::bound::frames::{NoBound, bounds};
use backwater_net::frames::probe::{Audit, Frame, LossCause, Probe};
use backwater_net::frames::spec::*;
use backwater_net::frames::verify;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

use crate::frames::common::*;

/// Bytes of a full frame, 1,024 of payload.
const FRAME: u64 = 1_086;

/// What starts on a channel: time in ps, class, bytes.
#[derive(Default)]
struct Starts {
    on: u32,
    seen: Vec<(u64, u8, u32)>,
    trimmed: Vec<(u64, u32)>,
}

impl Probe for Starts {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        if channel == self.on {
            self.seen.push((at.0, frame.class, frame.bytes));
        }
    }

    fn on_frame_trimmed(&mut self, at: Time, channel: u32, frame: &Frame<'_>, bytes: u32) {
        assert_eq!((channel, frame.class, bytes), (self.on, 0, 64));
        self.trimmed.push((at.0, frame.bytes));
    }
}

fn pairs(recovery: PairRecovery) -> TransportSpec {
    TransportSpec::Roce(RoceSpec {
        recovery,
        ..RoceSpec::plain(Rate(1_000 * MBPS))
    })
}

/// A host at 1 Gbps sends so many bytes to one at 100 Mbps over a switch, in class 0, whose queue
/// holds two frames and trims into class 1.
fn mismatch(bytes: u64, transport: TransportSpec) -> Net {
    let mut net = Net::new(2, None);
    let (a, s, d) = (net.station("A"), net.switch("S"), net.station("D"));
    net.link(a, s, 1_000);
    net.link(s, d, 100);
    let queues = &mut net.spec.links[1].channels[0].queues;
    queues[0].limit_bytes = Some(2 * FRAME);
    queues[0].trim = Some(1);
    let start = Time::ZERO;
    let traffic = TrafficSpec::Infinite {
        start,
        bytes: Some(bytes),
    };
    net.add(a, d, 0, transport, traffic);
    (net.spec.stop_at, net.spec.warm_up) = (Time(S), Time::ZERO);
    net
}

fn audited(net: &Net) -> Outcome {
    let (audit, outcome) = watched(&net.spec, Audit::new(&net.spec)).expect("a sound network");
    let broken = audit.checks().violations();
    assert_eq!(broken.total(), 0, "{broken:?}");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    for balance in outcome.balances() {
        assert_eq!(balance.missing(), 0, "{balance:?}");
    }
    outcome
}

/// Four packets come 8.848 us apart; one takes 88.48 us to leave, a header 6.72 us, an
/// acknowledgement 6.88 us there and 0.688 us on the fast link. The third and the fourth are
/// trimmed, go again 8.848 us apart as their headers are in, and the fourth is trimmed once more.
#[test]
fn what_is_trimmed_goes_again_at_once() {
    let net = mismatch(4 * 1_024, pairs(PairRecovery::Selective));
    let probe = Starts {
        on: 2,
        ..Starts::default()
    };
    let (log, outcome) = watched(&net.spec, probe).expect("a sound network");
    let ns = 1_000;
    let full = FRAME as u32;
    assert_eq!(
        log.seen,
        [
            (9_348 * ns, 0, full),
            (97_828 * ns, 1, 64),
            (104_548 * ns, 1, 64),
            (111_268 * ns, 0, full),
            (199_748 * ns, 1, 64),
            (206_468 * ns, 0, full),
            (294_948 * ns, 0, full),
        ]
    );
    let trimmed = [27_044, 35_892, 131_972].map(|at| (at * ns, full));
    assert_eq!(log.trimmed, trimmed);
    let flow = &outcome.flows[0];
    assert_eq!(flow.ends.last_transfer, Time(383_928 * ns));
    assert_eq!((flow.trimmed, flow.lost_total), (3, 0));
    assert_eq!(flow.bytes.map(|it| it.dropped), Some(3 * (FRAME - 64)));
    assert_eq!(flow.ends.tcp.again_bytes, 3 * 1_024);
    assert_eq!((flow.ends.tcp.time_outs, flow.ends.tcp.duplicates), (0, 0));
    // Headers are no data: their delay is not in that of frames.
    assert_eq!(flow.delay.count, 4);
    assert_eq!(outcome.channels[2].by_class.queues[0].trimmed, 3);
}

/// A header that finds its own queue full is lost, and a time-out mends that.
#[test]
fn headers_that_find_no_room_are_dropped() {
    let mut net = mismatch(4 * 1_024, pairs(PairRecovery::Selective));
    net.spec.links[1].channels[0].queues[1].limit_bytes = Some(64);
    let outcome = audited(&net);
    let flow = &outcome.flows[0];
    let queues = &outcome.channels[2].by_class.queues;
    let lost = queues[1].drops.by(LossCause::QueueFull);
    assert_eq!((lost, flow.lost_total, queues[0].drops.total()), (1, 1, 0));
    assert_eq!((flow.ends.tcp.time_outs, flow.ends.transfers_total), (1, 1));
}

/// Where order is kept, all behind the packet that was trimmed goes again with it.
#[test]
fn go_back_n_goes_back_for_a_header() {
    let transport = TransportSpec::Roce(RoceSpec {
        window_bytes: 4 * 1_024,
        ..RoceSpec::plain(Rate(1_000 * MBPS))
    });
    let outcome = audited(&mismatch(40 * 1_024, transport));
    let flow = &outcome.flows[0];
    let again = flow.ends.tcp.again_bytes;
    assert!(flow.trimmed > 10, "{}", flow.trimmed);
    assert!(again > flow.trimmed * 1_024, "{again} {}", flow.trimmed);
    assert_eq!((flow.ends.transfers_total, flow.lost_total), (1, 0));
}

/// Datagrams, and packets in frames of no more than 64 bytes, are dropped.
#[test]
fn only_packets_of_more_than_64_bytes_are_trimmed() {
    let udp = TransportSpec::Udp {
        payload_bytes: 1_024,
        has_rtp: false,
        is_ect: false,
    };
    let outcome = audited(&mismatch(40 * 1_024, udp));
    let flow = &outcome.flows[0];
    assert!(flow.lost_total > 10 && flow.trimmed == 0, "{flow:?}");
    for (mtu_bytes, is_cut) in [(2, false), (3, true)] {
        let transport = TransportSpec::Roce(RoceSpec {
            mtu_bytes,
            recovery: PairRecovery::Selective,
            timeout: Duration(MS),
            ..RoceSpec::plain(Rate(1_000 * MBPS))
        });
        let mut net = mismatch(400, transport);
        net.spec.links[1].channels[0].queues[0].limit_bytes = Some(200);
        let outcome = audited(&net);
        let flow = &outcome.flows[0];
        assert_eq!(flow.trimmed > 10, is_cut, "{mtu_bytes}: {flow:?}");
        assert!(flow.lost_total > 10, "{mtu_bytes}: {flow:?}");
    }
}

/// Hosts that send 2 MB each to one, all at 100 Gbps, and what the queue of the receiver's port
/// holds; headers have room.
fn incast(hosts: u32, limit_bytes: u64, trim: Option<u8>) -> Net {
    let mut net = Net::new(2, None);
    let switch = net.switch("S");
    let line = Rate(100_000 * MBPS);
    for host in 0..=hosts {
        let host = net.station(&format!("H{host}"));
        let link = net.link(host, switch, 100_000) as usize;
        for channel in &mut net.spec.links[link].channels {
            channel.delay = Duration(US);
            let [data, headers] = &mut channel.queues[..] else {
                panic!("two classes");
            };
            (data.limit_bytes, data.trim) = (Some(limit_bytes), trim);
            headers.limit_bytes = Some(10_000_000);
        }
    }
    for host in 0..hosts {
        let transport = TransportSpec::Roce(RoceSpec {
            mtu_bytes: 4_096,
            recovery: PairRecovery::Selective,
            timeout: Duration(MS),
            window_bytes: 100_000,
            ..RoceSpec::plain(line)
        });
        let traffic = TrafficSpec::Infinite {
            start: Time::ZERO,
            bytes: Some(2_000_000),
        };
        net.add(1 + host, 1 + hosts, 0, transport, traffic);
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(50 * MS), Time::ZERO);
    net
}

/// With room for headers nothing is lost without a word, each packet that was trimmed went again
/// once for it, and the last port sends headers in at most 64 of 4,158 bytes that came for it. The
/// receiver's port never rests, so that the last of 30 MB is in when it could be; without trimming
/// the same queue waits for time-outs.
#[test]
fn an_incast_loses_no_packet_and_ends_near_its_bound() {
    let last = |outcome: &Outcome| {
        let ends = outcome.flows.iter().map(|flow| flow.ends.last_transfer.0);
        ends.max().unwrap_or(0)
    };
    let outcome = audited(&incast(15, 150_000, Some(1)));
    let trimmed: u64 = outcome.flows.iter().map(|flow| flow.trimmed).sum();
    let again: u64 = outcome.flows.iter().map(|it| it.ends.tcp.again_bytes).sum();
    let sent: u64 = outcome.flows.iter().map(|it| it.ends.tcp.sent_bytes).sum();
    assert!(trimmed > 1_000, "{trimmed}");
    assert_eq!(sent - again, 15 * 2_000_000);
    for flow in &outcome.flows {
        assert_eq!((flow.lost_total, flow.ends.tcp.time_outs), (0, 0));
        assert_eq!(flow.ends.tcp.fast_retransmits, flow.trimmed);
        assert!(flow.ends.tcp.again_bytes <= flow.trimmed * 4_096);
    }
    let port = &outcome.channels[31].by_class.queues;
    assert_eq!(port[1].sent_bytes, 64 * trimmed);
    let came = port[0].sent_bytes + trimmed * 4_158;
    assert!(port[1].sent_bytes * 4_158 <= 64 * came);
    // 489 packets each, of which the last is shorter, with headers, preambles and gaps.
    let packets = 15 * 489;
    let wire = 15 * 2_000_000 + packets * (62 + 20) + trimmed * 84;
    let bound = Rate(100_000 * MBPS).serialization(wire).0;
    let took = last(&outcome);
    assert!(took >= bound, "{took} {bound}");
    assert!(took <= bound + 10 * US, "{took} {bound}");
    let dropping = audited(&incast(15, 150_000, None));
    let lost: u64 = dropping.flows.iter().map(|flow| flow.lost_total).sum();
    assert!(lost > 100, "{lost}");
    assert!(
        last(&dropping) > took + 100 * US,
        "{} {took}",
        last(&dropping)
    );
}

/// Headers of data in a lower class may come before anything: no bound is known.
#[test]
fn nothing_is_bounded_where_headers_go_first() {
    let mut net = mismatch(1_024, pairs(PairRecovery::Selective));
    let high = net.udp(0, 2, 500, constant(1.0));
    net.spec.flows[high as usize].class = 1;
    let why = |net: &Net| bounds(&net.spec)[1].err();
    assert_eq!(why(&net), Some(NoBound::SourceControl));
    net.spec.links[1].channels[0].queues[0].trim = None;
    assert_eq!(why(&net), None);
}

#[test]
fn queues_trim_into_a_class_that_is_there_and_does_not_itself() {
    let net = || mismatch(1_024, pairs(PairRecovery::Selective));
    assert!(verify(&net().spec).is_ok());
    let wrong: [fn(&mut Vec<QueueSpec>); 4] = [
        |queues| queues[0].trim = Some(0),
        |queues| queues[0].trim = Some(2),
        |queues| queues[1].trim = Some(0),
        |queues| queues[0].limit_bytes = None,
    ];
    for change in wrong {
        let mut net = net();
        change(&mut net.spec.links[1].channels[0].queues);
        let found = verify(&net.spec).expect_err("it is refused");
        assert!(found.to_string().contains("trims into a class"), "{found}");
    }
}
