//! Which stops a port obeys, from when on they count, and what control frames say.

use crate::frames::common::*;
use backwater_kernel::{Duration, Time};
use backwater_net::frames::probe::{Content, Frame, Gate, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

/// Writes down what happens.
#[derive(Default)]
struct Log {
    /// Starts of data on channel 2: time in ps, class.
    starts: Vec<(u64, u8)>,
    /// Starts of control frames on channel 1: time in ps, and what they say.
    said: Vec<(u64, Content)>,
    /// Starts there: whether it is control, and whether that stops something.
    back: Vec<(u64, bool, bool)>,
    gates: Vec<(u64, u32, Gate, bool)>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        if channel == 1 {
            self.back.push((at.0, frame.is_control(), frame.stops()));
        }
        match (channel, frame.is_control()) {
            (2, false) => self.starts.push((at.0, frame.class)),
            (1, true) => self.said.push((at.0, frame.content)),
            _ => {}
        }
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

/// S sends to D over A, in two classes, and D stops A: `from` a host on, or never.
fn storm(classes: Option<u8>, by: Obeyed) -> Net {
    let mut net = Net::new(2, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.spec.nodes[d as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(MS),
            until: Time(2 * MS),
            classes,
            quanta: 100,
        }),
    };
    net.spec.links[1].channels[0].stopped.by = by;
    net.udp(s, d, 954, constant(10.0));
    net.udp(s, d, 954, constant(10.0));
    net.spec.flows[1].class = 1;
    net.spec.stop_at = Time(4 * MS);
    net.spec.warm_up = Time::ZERO;
    net
}

/// Stops obeyed, stops ignored, and what was stopped.
fn told(net: &Net) -> (bool, bool, Vec<Gate>) {
    let (log, outcome) = run(net);
    let channel = &outcome.channels[2].by_class;
    let mut gates: Vec<Gate> = log.gates.iter().map(|gate| gate.2).collect();
    gates.sort_unstable();
    gates.dedup();
    (channel.stops_obeyed > 0, channel.stops_ignored > 0, gates)
}

#[test]
fn a_port_obeys_stops_of_what_is_under_flow_control_alone() {
    let pause = Obeyed {
        port: true,
        ..Obeyed::NONE
    };
    let pfc = |classes| Obeyed {
        classes,
        ..Obeyed::NONE
    };
    let destinations = Obeyed {
        destinations: 0b11,
        ..Obeyed::NONE
    };
    let class = Gate::Class;
    for (storms, by, gates, is_ignored) in [
        (None, pause, vec![Gate::Port], false),
        (None, pfc(0b11), vec![], true),
        (None, destinations, vec![], true),
        (None, Obeyed::NONE, vec![], true),
        (Some(0b01), pause, vec![], true),
        (Some(0b01), pfc(0b01), vec![class(0)], false),
        (Some(0b01), pfc(0b10), vec![], true),
        (Some(0b11), pfc(0b10), vec![class(1)], true),
        (Some(0b11), pfc(0b11), vec![class(0), class(1)], false),
        (Some(0b11), destinations, vec![], true),
        (Some(0b11), Obeyed::NONE, vec![], true),
    ] {
        let found = told(&storm(storms, by));
        let wanted = (!gates.is_empty(), is_ignored, gates);
        assert_eq!(found, wanted, "{storms:?} at {by:?}");
    }
}

/// A switch that ignores stops ignores, and counts, them all.
#[test]
fn a_deaf_node_counts_what_it_ignores() {
    let mut net = storm(None, Obeyed::ALL);
    net.spec.nodes[1].is_deaf = true;
    assert_eq!(told(&net), (false, true, vec![]));
}

/// Hosts, too.
#[test]
fn a_host_obeys_stops_of_what_is_under_flow_control_alone() {
    let rules = BackPressureSpec {
        select: Select::Class,
        ..simple()
    };
    for (classes, is_obeyed) in [(0b1, true), (0b10, false)] {
        let mut net = Net::new(2, Some(rules));
        let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
        net.link(s, a, 100);
        net.link(a, d, 10);
        let queue = &mut net.spec.links[1].channels[0].queues[0];
        (queue.high_bytes, queue.low_bytes) = (5_000, 4_000);
        net.spec.links[0].channels[0].stopped.by = Obeyed {
            classes,
            ..Obeyed::NONE
        };
        net.udp(s, d, 954, endless());
        net.spec.stop_at = Time(20 * MS);
        net.spec.warm_up = Time::ZERO;
        let outcome = run(&net).1;
        let port = &outcome.channels[0].by_class;
        let counts = (port.stops_obeyed > 0, port.stops_ignored > 0);
        assert_eq!(counts, (is_obeyed, !is_obeyed), "{classes:b}");
    }
}

/// Bits of a quantum at 10 Gbps, ps.
const QUANTUM: u64 = 512 * 100;
/// A frame of 1,518 bytes there, with preamble and gap, and without.
const FRAME: u64 = 1_538 * 800;
const FRAME_ALONE: u64 = 1_518 * 800;

/// A at 10 Gbps sends frames of 1,518 bytes to D, and D stops it once for so many quanta, at
/// `from`. When frames start behind the stop.
fn paused(quanta: u16, from: u64, stopped: StoppedSpec) -> Vec<u64> {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 10_000);
    net.link(a, d, 10_000);
    for channel in net
        .spec
        .links
        .iter_mut()
        .flat_map(|link| &mut link.channels)
    {
        channel.delay = Duration(1);
    }
    net.spec.nodes[d as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(from),
            until: Time(from + 1),
            classes: None,
            quanta,
        }),
    };
    net.spec.links[1].channels[0].stopped = stopped;
    net.udp(s, d, 1_472, endless());
    net.spec.stop_at = Time(MS);
    net.spec.warm_up = Time::ZERO;
    let log = run(&net).0;
    log.starts.into_iter().map(|start| start.0).collect()
}

/// The gap behind the frame that was in progress as the stop came, from its last bit on.
fn gap(quanta: u16, from: u64, stopped: StoppedSpec) -> u64 {
    let starts = paused(quanta, from, stopped);
    let hit = from + 84 * 800 + 1;
    let next = starts
        .iter()
        .position(|at| *at > hit)
        .expect("frames go on");
    assert!(starts[next - 1] <= hit && hit < starts[next - 1] + FRAME);
    starts[next] - starts[next - 1] - FRAME_ALONE
}

const FRAME_END: StoppedSpec = StoppedSpec {
    by: Obeyed::ALL,
    response: Duration::ZERO,
    counted_from: CountedFrom::FrameEnd,
    pipeline: Duration::ZERO,
};

/// IEEE 802.3, annex 31B: the time starts when the frame in progress has ended, so that all of it
/// is silence, whatever the phase.
#[test]
fn a_pause_is_so_many_quanta_of_silence() {
    let usual = 20 * 800;
    for quanta in [1, 2, 5, 10, 20, 30, 100, 1_000] {
        for phase in [0, 1, 200_000, 600_000, 1_100_000] {
            let silence = gap(quanta, 100 * US + phase, FRAME_END) - usual;
            assert_eq!(silence, u64::from(quanta) * QUANTUM, "{quanta} at {phase}");
        }
    }
}

/// Counted from reception the frame in progress eats the time.
#[test]
fn a_stop_that_counts_from_reception_may_have_no_effect() {
    let reception = StoppedSpec {
        counted_from: CountedFrom::Reception,
        ..FRAME_END
    };
    let usual = 20 * 800;
    assert_eq!(gap(1, 100 * US, reception), usual);
    let from = 100 * US;
    let starts = paused(30, from, reception);
    let end = from + 84 * 800 + 1 + 30 * QUANTUM;
    assert!(starts.contains(&end), "exactly 30 quanta after the stop");
}

/// What an open MAC in RTL does (`verilog-ethernet`, 10 Gbps): gaps of 2.0, 3.0 and 6.0 quanta for
/// 1, 2 and 5. One quantum is its pipeline and the usual gap.
#[test]
fn the_gaps_of_a_real_mac() {
    let usual = 20 * 800;
    let mac = StoppedSpec {
        pipeline: Duration(QUANTUM - usual),
        ..FRAME_END
    };
    for (quanta, gap_quanta) in [(1, 2), (2, 3), (5, 6), (100, 101), (9_000, 9_001)] {
        let found = gap(quanta, 100 * US + 300_000, mac);
        assert_eq!(found, gap_quanta * QUANTUM, "{quanta}");
    }
}

/// The longest stop: 33,553,920 bit times.
#[test]
fn the_longest_stop_lasts_to_the_bit() {
    let found = {
        let mut net = storm(Some(0b01), Obeyed::ALL);
        if let NodeKind::Station { storm: Some(storm) } = &mut net.spec.nodes[2].kind {
            storm.quanta = u16::MAX;
            storm.until = Time(MS + 1);
        }
        net.spec.stop_at = Time(S);
        run(&net).0.gates
    };
    // At 100 Mbps.
    assert_eq!(found[1].0 - found[0].0, 33_553_920 * 10_000);
}

/// A stop of two classes is one frame, and both stop at once.
#[test]
fn one_frame_says_all_stopped_classes() {
    let net = storm(Some(0b11), Obeyed::ALL);
    let (log, outcome) = run(&net);
    // 100 quanta are 512 us, said again every 256 us for 1 ms.
    assert_eq!(outcome.channels[3].by_class.stops_sent, 4);
    assert_eq!(outcome.channels[2].by_class.stops_obeyed, 4);
    assert_eq!(log.gates[0].0, log.gates[1].0);
}

/// S sends to D over A; what A is congested with has it stop S.
fn congested(classes: usize, rules: BackPressureSpec) -> Net {
    let mut net = Net::new(classes, Some(rules));
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 10);
    for queue in &mut net.spec.links[1].channels[0].queues {
        (queue.high_bytes, queue.low_bytes) = (5_000, 4_000);
    }
    for class in 0..classes {
        net.udp(s, d, 954, endless());
        net.spec.flows[class].class = class as u8;
    }
    net.spec.stop_at = Time(60 * MS);
    net.spec.warm_up = Time::ZERO;
    net
}

#[test]
fn a_refresh_states_all_classes_and_sets_the_one_timer_anew() {
    let mut net = congested(
        2,
        BackPressureSpec {
            select: Select::Class,
            message: Message::Quanta {
                quanta: 2_000,
                refresh_percent: Some(50),
            },
            ..simple()
        },
    );
    // D lets nothing go: both classes stay congested.
    net.spec.nodes[2].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time::ZERO,
            until: Time(S),
            classes: None,
            quanta: u16::MAX,
        }),
    };
    // Class 1 goes first.
    net.spec.flows[1].traffic = constant(50.0);
    let (log, outcome) = run(&net);
    let said: Vec<(u64, u8)> = log
        .said
        .iter()
        .map(|(at, content)| match content {
            Content::Pfc { stops, .. } => (*at, *stops),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(said[0].1.count_ones(), 1, "{said:?}");
    // 2,000 quanta are 10.24 ms: from the second frame on stated again every 5.12 ms.
    let last = said[1].0;
    let again = (60 * MS - last) / (5_120 * US);
    let wanted = (0..=again).map(|times| (last + times * 5_120 * US, 0b11));
    assert_eq!(said[1..], wanted.collect::<Vec<_>>());
    let channel = &outcome.channels[1].by_class;
    assert_eq!(
        (
            channel.refreshes_sent,
            channel.stops_sent,
            channel.resumes_sent
        ),
        (again, again + 2, 0)
    );
}

/// What starts on the way back, on which a frame takes so long that the queue turns meanwhile.
fn way_back(binding: Binding) -> Vec<(u64, bool, bool)> {
    let mut net = congested(
        1,
        BackPressureSpec {
            binding,
            ..simple()
        },
    );
    net.spec.links[0].channels[1].rate = backwater_kernel::Rate(MBPS);
    net.udp(2, 0, 1_472, endless());
    net.spec.stop_at = Time(2 * S);
    run(&net).0.back
}

#[test]
fn what_is_taken_back_before_it_starts_is_not_said() {
    let back = way_back(Binding::Start);
    let controls: Vec<bool> = back.iter().filter(|it| it.1).map(|it| it.2).collect();
    assert!(controls.len() > 10);
    // Stops and resumes take turns, the first a stop.
    let turns = (0..controls.len()).map(|at| at % 2 == 0);
    assert_eq!(controls, turns.collect::<Vec<_>>());
    // None is followed at once by its opposite that was asked for within the same data frame.
    let frame = 1_538 * 8 * US;
    for pair in back.windows(3) {
        let [data, one, two] = pair else { continue };
        let within = !data.1 && one.1 && two.1;
        assert!(
            !within || one.0 - data.0 == frame && two.0 > one.0,
            "{pair:?}"
        );
    }
}

/// An open MAC freezes what a frame says as it is handed over: a stop and a resume asked for within
/// one data frame go with another one between them.
#[test]
fn what_was_handed_over_is_said_and_lets_data_go_before_the_next() {
    let back = way_back(Binding::Handover);
    let controls: Vec<bool> = back.iter().filter(|it| it.1).map(|it| it.2).collect();
    assert!(controls.len() > 10);
    let turns = (0..controls.len()).map(|at| at % 2 == 0);
    assert_eq!(controls, turns.collect::<Vec<_>>());
    // Once data always waits, one frame of it goes between.
    let busy = back.iter().skip_while(|it| it.0 < 100 * MS);
    let busy: Vec<bool> = busy.map(|it| it.1).collect();
    assert!(!busy.windows(2).any(|pair| pair[0] && pair[1]));
    let turned = busy
        .windows(3)
        .filter(|three| three[0] && !three[1] && three[2]);
    assert!(turned.count() > 5);
}
