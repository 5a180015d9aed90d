//! Negative controls of the audit: records of what probes are told, changed by hand.

use crate::common;

use backwater_flit::Simulation;
use backwater_flit::probe::{Audit, Crossing, Probe, Tag};
use backwater_flit::spec::{Allocator, FabricSpec, Release, Sources, Switch};
use common::{ring, row};

const CYCLES: u64 = 150;

/// What a probe is told.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Told {
    Delivery(u64, Tag),
    Birth(Tag),
    Switch(Crossing),
    Channel(Crossing),
}

#[derive(Default)]
struct Recorder(Vec<Told>);

impl Probe for Recorder {
    fn on_delivery(&mut self, cycle: u64, packet: &Tag) {
        self.0.push(Told::Delivery(cycle, *packet));
    }
    fn on_birth(&mut self, packet: &Tag) {
        self.0.push(Told::Birth(*packet));
    }
    fn on_switch(&mut self, crossing: &Crossing) {
        self.0.push(Told::Switch(*crossing));
    }
    fn on_crossing(&mut self, crossing: &Crossing) {
        self.0.push(Told::Channel(*crossing));
    }
}

fn record(spec: &FabricSpec) -> Vec<Told> {
    let mut simulation = Simulation::with_probe(spec, Recorder::default()).expect("it builds");
    simulation.run_until(CYCLES);
    simulation.into_probe().0
}

/// All that the audit finds wrong with a record.
fn found(spec: &FabricSpec, record: &[Told]) -> String {
    let mut audit = Audit::new(spec).expect("it builds");
    for told in record {
        match told {
            Told::Delivery(cycle, packet) => audit.on_delivery(*cycle, packet),
            Told::Birth(packet) => audit.on_birth(packet),
            Told::Switch(crossing) => audit.on_switch(crossing),
            Told::Channel(crossing) => audit.on_crossing(crossing),
        }
    }
    let found = audit.violations();
    let lines: Vec<&str> = found
        .kept()
        .iter()
        .map(|found| found.what.as_str())
        .collect();
    lines.join("\n")
}

/// Changes the crossing of the `nth` that fits in a right record, and says what is found.
fn after(
    spec: &FabricSpec,
    nth: usize,
    fits: impl Fn(&Crossing) -> bool,
    change: impl Fn(&mut Crossing),
) -> String {
    let mut record = record(spec);
    assert_eq!(found(spec, &record), "", "as recorded");
    let mut crossings = record.iter_mut().filter_map(|told| match told {
        Told::Channel(crossing) if fits(crossing) => Some(crossing),
        _ => None,
    });
    change(crossings.nth(nth).expect("such a crossing"));
    found(spec, &record)
}

fn assert_names(what: &str, expected: &str) {
    assert!(what.contains(expected), "no `{expected}` in:\n{what}");
}

/// Network channels of the ring: 16; then injection, then ejection.
fn between(crossing: &Crossing) -> bool {
    crossing.channel < 16
}

#[test]
fn a_flit_on_another_lane_is_seen() {
    let body = |crossing: &Crossing| between(crossing) && crossing.flit == 2;
    let what = after(&ring(), 10, body, |crossing| crossing.lane ^= 1);
    assert_names(&what, "where it does not follow its header");
}

/// Two packets share a channel, each on its lane; the record is changed to speak of one lane.
#[test]
fn flits_of_two_packets_in_one_lane_are_seen() {
    let spec = row(&[(0, 0, 2, 5), (0, 1, 2, 5)]);
    let mut record = record(&spec);
    assert_eq!(found(&spec, &record), "");
    let mut lanes = [0, 0];
    for told in &mut record {
        if let Told::Channel(crossing) = told
            && crossing.channel == 1
        {
            lanes[usize::from(crossing.lane)] += 1;
            crossing.lane = 0;
        }
    }
    assert_eq!(lanes, [5, 5]);
    let what = found(&spec, &record);
    assert_names(&what, "while another packet has the VC");
    assert_names(&what, "between the flits of another packet");
}

#[test]
fn a_flit_left_out_is_seen() {
    let spec = ring();
    let mut record = record(&spec);
    let third = |told: &Told| matches!(told, Told::Channel(at) if between(at) && at.flit == 2);
    let at = record.iter().position(third).expect("a third flit");
    record.remove(at);
    let what = found(&spec, &record);
    assert_names(&what, "where flit 2 comes next");
    assert_names(&what, "is not first of channel");
}

#[test]
fn two_flits_in_a_cycle_are_seen() {
    let later = |crossing: &Crossing| between(crossing) && crossing.flit == 3;
    let what = after(&ring(), 4, later, |crossing| crossing.cycle -= 1);
    assert_names(&what, "carries two flits in a cycle");
}

#[test]
fn two_hops_in_a_cycle_are_seen() {
    let mut spec = row(&[(0, 0, 2, 1)]);
    for channel in &mut spec.graph.channels {
        channel.latency = 3;
    }
    let second = |crossing: &Crossing| crossing.channel == 1;
    let crossed_in = |cycle: u64| {
        after(&spec, 0, second, |crossing| {
            assert_eq!(crossing.cycle, 4);
            crossing.cycle = cycle;
        })
    };
    assert_names(&crossed_in(1), "its second hop in this cycle");
    assert_names(&crossed_in(3), "after it left for channel 0 in cycle 1");
}

#[test]
fn a_flit_at_the_wrong_end_is_seen() {
    let header = |crossing: &Crossing| between(crossing) && crossing.flit == 0;
    let astray = |crossing: &mut Crossing| crossing.channel = (crossing.channel + 8) % 16;
    assert_names(
        &after(&ring(), 3, header, astray),
        "which does not begin where",
    );
    let leaves = |crossing: &Crossing| (16..24).contains(&crossing.channel) && crossing.flit == 0;
    let elsewhere = |crossing: &mut Crossing| crossing.channel = 16 + (crossing.channel - 15) % 8;
    let what = after(&ring(), 3, leaves, elsewhere);
    assert_names(&what, "which does not begin at its source");
    let arrives = |crossing: &Crossing| crossing.channel >= 24 && crossing.flit == 0;
    let elsewhere = |crossing: &mut Crossing| crossing.channel = 24 + (crossing.channel - 23) % 8;
    assert_names(
        &after(&ring(), 3, arrives, elsewhere),
        "which ends at terminal",
    );
}

#[test]
fn a_flit_without_a_credit_is_seen() {
    let spec = ring();
    let record = record(&spec);
    let mut shallow = spec.clone();
    shallow.router.depth = 1;
    assert_names(&found(&shallow, &record), "without a credit");
    let mut slow = spec;
    slow.router.credit_delay += 2;
    assert_names(&found(&slow, &record), "without a credit");
}

#[test]
fn a_lane_taken_before_it_is_drained_is_seen() {
    let mut spec = ring();
    spec.router.release = Release::TailSent;
    let record = record(&spec);
    assert_eq!(found(&spec, &record), "");
    spec.router.release = Release::Drained;
    assert_names(&found(&spec, &record), "while another packet has the VC");
}

#[test]
fn packets_of_other_lanes_and_unknown_ones_are_seen() {
    let mut spec = ring();
    let what = after(&spec, 0, between, |crossing| {
        crossing.packet.destination ^= 1
    });
    assert_names(&what, "no such VC, flit or packet");
    let what = after(&spec, 0, between, |crossing| crossing.lane = 200);
    assert_names(&what, "no such VC, flit or packet");
    let record = record(&spec);
    let mut second = spec.classes[0].clone();
    second.lane_group = 1;
    spec.classes.push(second);
    spec.router.lanes = 4;
    let lifted: Vec<Told> = record
        .iter()
        .map(|told| match told {
            Told::Channel(crossing) => Told::Channel(Crossing {
                lane: crossing.lane + 2,
                ..*crossing
            }),
            told => *told,
        })
        .collect();
    assert_names(&found(&spec, &lifted), "which is no VC for its class");
}

#[test]
fn deliveries_that_are_not_whole_or_not_due_are_seen() {
    let spec = ring();
    let record = record(&spec);
    let delivery = |told: &Told| matches!(told, Told::Delivery(..));
    let at = record.iter().rposition(delivery).expect("a delivery");
    let Told::Delivery(cycle, packet) = record[at] else {
        panic!("it is one");
    };
    let mut late = record.clone();
    late[at] = Told::Delivery(cycle + 1, packet);
    assert_names(
        &found(&spec, &late),
        "is delivered with its tail due in cycle",
    );
    let mut twice = record.clone();
    twice.insert(at, record[at]);
    assert_names(&found(&spec, &twice), "is delivered, but not alive");
    let tail = |told: &Told| match told {
        Told::Channel(at) => at.packet == packet && at.flit + 1 == packet.length,
        _ => false,
    };
    let last = record.iter().rposition(tail).expect("a tail");
    let mut torn = record;
    torn.remove(last);
    assert_names(
        &found(&spec, &torn),
        "is delivered with its tail still under way",
    );
}

/// One lane and one way: packets keep their order; two lanes promise none.
#[test]
fn packets_out_of_order_are_seen() {
    let mut spec = row(&[(0, 0, 2, 3), (1, 0, 2, 3)]);
    spec.router.lanes = 1;
    let other = |tag: Tag| Tag {
        number: 1 - tag.number,
        birth: 1 - tag.birth,
        ..tag
    };
    let record = record(&spec);
    assert_eq!(found(&spec, &record), "");
    let exchanged: Vec<Told> = record
        .iter()
        .map(|told| match *told {
            Told::Delivery(cycle, packet) => Told::Delivery(cycle, other(packet)),
            told => told,
        })
        .collect();
    assert_names(&found(&spec, &exchanged), "after one that entered later");
    let mut wide = spec;
    wide.router.lanes = 2;
    assert!(!found(&wide, &exchanged).contains("entered later"));
}

#[test]
fn a_source_that_lets_another_packet_past_is_seen() {
    let mut spec = ring();
    spec.sources = Sources::Shared;
    let shared = record(&spec);
    assert_eq!(found(&spec, &shared), "");
    spec.sources = Sources::One;
    assert_names(&found(&spec, &shared), "enters after one born in cycle");
}

#[test]
fn small_buffers_that_overflow_or_mix_are_seen() {
    let mut spec = ring();
    let switch = |output_buffer, speedup| Switch::Multiplexed {
        allocator: Allocator::Islip { iterations: 2 },
        output_buffer,
        speedup,
    };
    spec.router.switch = switch(3, 2);
    let mut record = record(&spec);
    assert_eq!(found(&spec, &record), "");
    let mut other = spec.clone();
    other.router.switch = switch(1, 2);
    assert_names(&found(&other, &record), "in the small buffer of channel");
    other.router.switch = switch(3, 1);
    assert_names(&found(&other, &record), "in a cycle; 1 may");
    let buffered = |told: &Told| matches!(told, Told::Switch(at) if at.flit == 1);
    let at = record.iter().position(buffered).expect("a flit");
    record.remove(at);
    assert_names(&found(&spec, &record), "first in its small buffer is");
}
