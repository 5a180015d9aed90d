//! Small cases by hand: when frames start and arrive, when stops take effect and end.

use crate::frames::common::*;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::probe::{Content, Frame, Gate, LossCause, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

/// Writes down what happens.
#[derive(Default)]
struct Log {
    /// Starts of data: time in ps, channel, class, bytes.
    starts: Vec<(u64, u32, u8, u32)>,
    /// Starts of control frames: time in ps, channel, quanta.
    controls: Vec<(u64, u32, u16)>,
    delivered: Vec<u64>,
    gates: Vec<(u64, u32, Gate, bool)>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        match frame.content {
            Content::Pause { quanta }
            | Content::Pfc { quanta, .. }
            | Content::StopDestination { quanta, .. } => {
                self.controls.push((at.0, channel, quanta));
            }
            _ => self.starts.push((at.0, channel, frame.class, frame.bytes)),
        }
    }

    fn on_frame_delivered(&mut self, at: Time, _: &Frame<'_>) {
        self.delivered.push(at.0);
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.gates.push((at.0, channel, gate, is_stopped));
    }
}

fn run(net: &Net) -> (Log, Outcome) {
    let (probe, outcome) = watched(&net.spec, Log::default()).expect("a sound network");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    (probe, outcome)
}

/// `bytes` of payload at once, from `start` on.
fn burst(start: u64, bytes: u64) -> TrafficSpec {
    TrafficSpec::Infinite {
        start: Time(start),
        bytes: Some(bytes),
    }
}

fn short(net: &mut Net, stop_at: u64) {
    net.spec.stop_at = Time(stop_at);
    net.spec.warm_up = Time::ZERO;
}

#[test]
fn a_frame_takes_its_wire_time_on_each_link_and_waits_for_its_last_bit() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 10);
    // 954 + 28 + 18 = 1,000 bytes; with 20 more 81.6 us at 100 Mbps, 816 us at 10 Mbps.
    net.udp(s, d, 954, burst(0, 954));
    short(&mut net, S);
    let (log, _) = run(&net);
    let (fast, slow, delay) = (1020 * 80_000, 1020 * 800_000, US / 2);
    assert_eq!(log.starts, [(0, 0, 0, 1000), (fast + delay, 2, 0, 1000)]);
    assert_eq!(log.delivered, [fast + delay + slow + delay]);
}

#[test]
fn a_switch_that_cuts_through_waits_for_64_bytes_unless_it_would_run_dry() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    if let NodeKind::Switch(switch) = &mut net.spec.nodes[a as usize].kind {
        switch.forwarding = Forwarding::CutThrough;
        switch.latency = Duration(3 * US);
    }
    net.link(s, a, 10);
    net.link(a, d, 10);
    net.udp(s, d, 954, burst(0, 954));
    short(&mut net, S);
    let header = 84 * 800_000 + US / 2 + 3 * US;
    assert_eq!(run(&net).0.starts[1].0, header);
    // Out faster than in: the whole frame first.
    net.spec.links[1].channels[0].rate = Rate(100 * MBPS);
    let whole = 1020 * 800_000 + US / 2 + 3 * US;
    assert_eq!(run(&net).0.starts[1].0, whole);
}

#[test]
fn a_small_payload_is_padded_and_a_tag_counts() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.udp(s, d, 1, burst(0, 1));
    let tagged = net.udp(s, d, 100, burst(S / 2, 100));
    net.spec.flows[tagged as usize].is_tagged = true;
    short(&mut net, S);
    let bytes: Vec<u32> = run(&net).0.starts.iter().map(|start| start.3).collect();
    assert_eq!(bytes, [64, 64, 150, 150]);
}

#[test]
fn the_urgent_class_goes_first_and_a_frame_in_progress_completes() {
    let mut net = Net::new(2, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    let udp = TransportSpec::Udp {
        payload_bytes: 954,
        has_rtp: false,
        is_ect: false,
    };
    net.add(s, d, 0, udp.clone(), burst(0, 3 * 954));
    net.add(s, d, 1, udp, burst(10 * US, 2 * 954));
    short(&mut net, S);
    let at_source = |start: &&(u64, u32, u8, u32)| start.1 == 0;
    let log = run(&net).0;
    let classes: Vec<u8> = log
        .starts
        .iter()
        .filter(at_source)
        .map(|start| start.2)
        .collect();
    assert_eq!(classes, [0, 1, 1, 0, 0]);
}

#[test]
fn deficit_round_robin_shares_by_quanta() {
    let mut net = Net::new(2, None);
    let (a, d) = (net.switch("A"), net.station("D"));
    net.link(a, d, 100);
    let port = &mut net.spec.links[0].channels[0];
    port.scheduler = SchedulerSpec::Drr { quantum_bytes: 1 };
    port.queues[0].quantum_bytes = 1000;
    port.queues[1].quantum_bytes = 3000;
    let udp = TransportSpec::Udp {
        payload_bytes: 954,
        has_rtp: false,
        is_ect: false,
    };
    for class in 0..2 {
        let s = net.station(&format!("S{class}"));
        net.link(s, a, 100);
        net.add(s, d, class, udp.clone(), endless());
    }
    short(&mut net, 100 * MS);
    let log = run(&net).0;
    let late = |s: &&(u64, u32, u8, u32)| s.1 == 0 && s.0 > 10 * MS;
    let sent = |class: u8| {
        log.starts
            .iter()
            .filter(late)
            .filter(|s| s.2 == class)
            .count()
    };
    let (one, three) = (sent(0), sent(1));
    assert!(
        one > 200 && three.abs_diff(3 * one) <= 3,
        "{one} and {three}"
    );
}

/// Frames of 1,000 bytes in two classes come to a port at 10 Mbps at once, and more of class 1
/// later: the classes in the order in which they leave.
fn turns(rules: Option<BackPressureSpec>) -> Vec<u8> {
    let mut net = Net::new(2, rules);
    let (a, d) = (net.switch("A"), net.station("D"));
    net.link(a, d, 10);
    let port = &mut net.spec.links[0].channels[0];
    port.scheduler = SchedulerSpec::Drr { quantum_bytes: 1 };
    port.queues[0].quantum_bytes = 1000;
    port.queues[1].quantum_bytes = 3000;
    let udp = TransportSpec::Udp {
        payload_bytes: 954,
        has_rtp: false,
        is_ect: false,
    };
    for (class, start, frames) in [(0, 0, 9), (1, 0, 4), (1, 6 * MS, 5)] {
        let s = net.station(&format!("S{}", net.spec.flows.len()));
        net.link(s, a, 1000);
        net.add(s, d, class, udp.clone(), burst(start, frames * 954));
    }
    short(&mut net, S);
    let log = run(&net).0;
    let starts = log.starts.iter().filter(|start| start.1 == 0);
    starts.map(|start| start.2).collect()
}

/// A turn lasts while the deficit covers the next frame to the byte, and what is left of it when
/// the queue is empty is gone.
#[test]
fn deficit_round_robin_goes_turn_by_turn() {
    // The first of class 1 goes as it comes, alone, and leaves nothing of its turn.
    let order = [1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0];
    assert_eq!(turns(None), order);
    // The same where queues are sorted by destination.
    let rules = BackPressureSpec {
        select: Select::Destination(Choose::AllFound),
        ..simple()
    };
    assert_eq!(turns(Some(rules)), order);
}

/// S at 100 Mbps sends frames of 1,000 bytes to D at 10 Mbps; stopped above 5 frames at A.
fn stopped_source(message: Message) -> Net {
    let rules = BackPressureSpec {
        message,
        ..simple()
    };
    let mut net = Net::new(1, Some(rules));
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 10);
    let queue = &mut net.spec.links[1].channels[0].queues[0];
    (queue.high_bytes, queue.low_bytes) = (5_000, 4_000);
    net.udp(s, d, 954, endless());
    short(&mut net, 20 * MS);
    net
}

/// When the sixth frame is in the switch: the first frame is still being sent (816 us).
const SIXTH: u64 = 6 * 1020 * 80_000 + US / 2;
/// A control frame over the 100 Mbps link.
const CONTROL: u64 = 84 * 80_000 + US / 2;

#[test]
fn a_stop_takes_effect_when_its_last_bit_is_in() {
    let net = stopped_source(Message::UntilCancelled);
    let log = run(&net).0;
    assert_eq!(log.controls[0], (SIXTH, 1, u16::MAX));
    assert_eq!(log.gates[0], (SIXTH + CONTROL, 0, Gate::Port, true));
    // The seventh frame was under way: it completes, and the eighth waits for the resume.
    let starts: Vec<u64> = log
        .starts
        .iter()
        .filter(|s| s.1 == 0)
        .map(|s| s.0)
        .collect();
    assert_eq!(starts[6], 6 * 1020 * 80_000);
    // Seven frames of 1,000 bytes; below 4,000 after the fourth has left, at 10 Mbps.
    let resumed = 1020 * 80_000 + US / 2 + 4 * 1020 * 800_000;
    assert_eq!(log.controls[1], (resumed, 1, 0));
    assert_eq!(log.gates[1], (resumed + CONTROL, 0, Gate::Port, false));
    assert_eq!(starts[7], resumed + CONTROL);
}

#[test]
fn a_node_takes_its_response_time() {
    let mut net = stopped_source(Message::UntilCancelled);
    net.spec.links[0].channels[0].stopped.response = Duration(7 * US);
    let log = run(&net).0;
    assert_eq!(log.gates[0].0, SIXTH + CONTROL + 7 * US);
}

#[test]
fn quanta_are_bit_times_of_the_link_that_is_stopped() {
    let net = stopped_source(Message::Quanta {
        quanta: 20,
        refresh_percent: None,
    });
    let log = run(&net).0;
    let stop = SIXTH + CONTROL;
    // 20 * 512 bits at 100 Mbps are 102.4 us, long before the queue is below its threshold.
    assert_eq!(
        log.gates[1],
        (stop + 20 * 512 * 10_000, 0, Gate::Port, false)
    );
}

#[test]
fn a_refreshed_stop_does_not_end() {
    let mut net = stopped_source(Message::Quanta {
        quanta: 100,
        refresh_percent: Some(50),
    });
    let (log, outcome) = run(&net);
    let resumed = 1020 * 80_000 + US / 2 + 4 * 1020 * 800_000;
    assert_eq!(log.gates[1].0, resumed + CONTROL);
    // 100 quanta last 512 us: again every 256 us from the stop on.
    let again: Vec<u64> = log.controls[1..4].iter().map(|control| control.0).collect();
    assert_eq!(again, [1, 2, 3].map(|k| SIXTH + k * 256 * US));
    assert!(outcome.channels[1].by_class.refreshes_sent > 20);
    // Nothing is lost, and without refreshes something is.
    assert_eq!(outcome.flows[0].lost_total, 0);
    let queue = &mut net.spec.links[1].channels[0].queues[0];
    queue.limit_bytes = Some(8_000);
    assert_eq!(run(&net).1.flows[0].lost_total, 0);
    let Some(NodeKind::Switch(switch)) = net.spec.nodes.get_mut(1).map(|node| &mut node.kind)
    else {
        panic!("node 1 is the switch");
    };
    if let Some(rules) = &mut switch.stops.common {
        rules.message = Message::Quanta {
            quanta: 20,
            refresh_percent: None,
        };
    }
    assert!(run(&net).1.flows[0].lost_total > 0);
}

/// The time of a stop is counted in bits of the channel that is stopped, and so is that to the
/// next: not of the one that carries it.
#[test]
fn a_refresh_is_timed_by_the_channel_that_is_stopped() {
    let mut net = stopped_source(Message::Quanta {
        quanta: 100,
        refresh_percent: Some(50),
    });
    net.spec.links[0].channels[1].rate = Rate(50 * MBPS);
    let (log, _) = run(&net);
    let again: Vec<u64> = log.controls[..3].iter().map(|control| control.0).collect();
    assert_eq!(again, [0, 1, 2].map(|k| SIXTH + k * 256 * US));
    assert_eq!(log.gates[0].0, SIXTH + 84 * 160_000 + US / 2);
}

#[test]
fn a_deaf_source_fills_the_queue() {
    let mut net = stopped_source(Message::UntilCancelled);
    net.spec.nodes[0].is_deaf = true;
    let (log, outcome) = run(&net);
    assert_eq!(log.gates, []);
    assert!(outcome.flows[0].lost_total > 50);
}

#[test]
fn a_storm_stops_its_neighbour_and_a_watchdog_lets_it_go() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.spec.nodes[d as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(10 * MS),
            until: Time(60 * MS),
            classes: Some(1),
            quanta: 1000,
        }),
    };
    net.udp(s, d, 954, constant(50.0));
    short(&mut net, 100 * MS);
    let (log, still) = run(&net);
    let hit = 10 * MS + CONTROL;
    assert_eq!(log.gates[0], (hit, 2, Gate::Class(0), true));
    // 1,000 quanta are 5.12 ms, said again every 2.56 ms: the last before 60 ms is at 58.64 ms.
    let last = 10 * MS + 19 * 2_560 * US + CONTROL;
    assert_eq!(log.gates[1], (last + 5_120 * US, 2, Gate::Class(0), false));
    net.spec.nodes[a as usize].watchdog = Some(WatchdogSpec {
        detect: Duration(15 * MS),
        restore: Duration(4 * MS),
        action: WatchdogAction::Forward,
    });
    let (log, forwarded) = run(&net);
    assert_eq!(forwarded.channels[2].by_class.queues[0].watchdog_trips, 1);
    let starts = log.starts.iter().filter(|start| start.1 == 2);
    let first = starts.map(|start| start.0).find(|at| *at > hit + MS);
    // Something has waited since the first frame after the stop.
    let tripped = first.expect("it sends in spite of the stop");
    assert!(
        (hit + 15 * MS..hit + 16 * MS).contains(&tripped),
        "{tripped}"
    );
    assert!(
        forwarded.channels[2].by_class.queues[0].most_bytes
            < still.channels[2].by_class.queues[0].most_bytes
    );
    if let Some(watchdog) = &mut net.spec.nodes[a as usize].watchdog {
        watchdog.action = WatchdogAction::Drop;
    }
    let (_, dropped) = run(&net);
    assert!(
        dropped.channels[2].by_class.queues[0]
            .drops
            .by(LossCause::Watchdog)
            > 100
    );
    assert_eq!(
        dropped.flows[0].lost_total,
        dropped.channels[2].by_class.queues[0]
            .drops
            .by(LossCause::Watchdog)
    );
}

/// A storm against one class: its watchdog drops that class alone, and lets it go afterwards.
#[test]
fn a_watchdog_restores_the_class_that_it_broke() {
    let mut net = Net::new(2, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.spec.nodes[d as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(10 * MS),
            until: Time(30 * MS),
            classes: Some(0b10),
            quanta: 1000,
        }),
    };
    net.spec.nodes[a as usize].watchdog = Some(WatchdogSpec {
        detect: Duration(5 * MS),
        restore: Duration(10 * MS),
        action: WatchdogAction::Drop,
    });
    let udp = TransportSpec::Udp {
        payload_bytes: 954,
        has_rtp: false,
        is_ect: false,
    };
    for class in 0..2 {
        net.add(s, d, class, udp.clone(), constant(10.0));
    }
    short(&mut net, 100 * MS);
    let (log, outcome) = run(&net);
    assert_eq!(outcome.flows[0].lost_total, 0);
    assert!(outcome.flows[1].lost_total > 5);
    assert_eq!(outcome.channels[2].by_class.queues[1].watchdog_trips, 1);
    // The last stop comes before 30 ms; 10 ms later at most the class is let go.
    let late = |class: u8| {
        let starts = log.starts.iter();
        let late = starts.filter(|start| start.1 == 2 && start.2 == class && start.0 > 40 * MS);
        late.count()
    };
    assert!(late(1).abs_diff(late(0)) <= 1, "{}, {}", late(0), late(1));
    assert!(late(1) > 70, "{}", late(1));
}

#[test]
fn marks_begin_at_the_threshold_and_not_on_bare_acknowledgements() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 10);
    for link in &mut net.spec.links {
        for channel in &mut link.channels {
            channel.queues[0].ecn = Some(EcnSpec {
                low_bytes: 10_000,
                high_bytes: 10_000,
                probability: 1.0,
                at: MarkAt::Join,
            });
        }
    }
    let tcp = TransportSpec::Tcp(backwater_ends::TcpSpec::dctcp());
    net.add(s, d, 0, tcp, endless());
    short(&mut net, 2 * S);
    let outcome = run(&net).1;
    let queue = &outcome.channels[2].by_class.queues[0];
    assert!(queue.marked > 100 && outcome.flows[0].lost_total == 0);
    assert!(queue.most_bytes < 40_000, "{}", queue.most_bytes);
    // A threshold of nothing on the way back marks nothing: only acknowledgements go there.
    for link in &mut net.spec.links {
        link.channels[1].queues[0].ecn = Some(EcnSpec {
            low_bytes: 0,
            high_bytes: 0,
            probability: 1.0,
            at: MarkAt::Join,
        });
    }
    let outcome = run(&net).1;
    assert_eq!(outcome.channels[1].by_class.queues[0].marked, 0);
}

#[test]
fn a_channel_that_never_rests_is_busy_all_the_time_wherever_the_warm_up_ends() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 10);
    net.link(a, d, 10);
    net.udp(s, d, 1000, endless());
    // A frame takes 852.8 us: a few of them, cut at both ends. One warm-up ends with the second
    // frame; nothing happens after the last, in the middle of the seventh.
    short(&mut net, 5 * MS + 123_456_789);
    for warm_up in [0, 400 * US, 2 * 852_800_000, 4 * MS + 1, 5 * MS + 120 * US] {
        net.spec.warm_up = Time(warm_up);
        let channel = &run(&net).1.channels[0];
        for share in [channel.data_share, channel.by_class.queues[0].data_share] {
            assert!((share - 1.0).abs() < 1e-9, "{share} after {warm_up} ps");
        }
        assert!(channel.control_share == 0.0);
    }
}
