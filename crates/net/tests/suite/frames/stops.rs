//! Which stops a port obeys, from when on they count, and what control frames say.

use crate::frames::common::*;
use backwater_kernel::Time;
use backwater_net::frames::probe::{Frame, Gate, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

/// Writes down what happens.
#[derive(Default)]
struct Log {
    /// Starts of data on channel 2: time in ps, class.
    starts: Vec<(u64, u8)>,
    gates: Vec<(u64, u32, Gate, bool)>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        if channel == 2 && !frame.is_control() {
            self.starts.push((at.0, frame.class));
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
