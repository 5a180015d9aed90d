//! Collective operations on a star: closed forms of when they are over.

use backwater_ends::spec::collectives::{Collective, Cut, Operation, Order, lanes};
use backwater_ends::spec::{AckEvery, RoceSpec};
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::*;

use crate::frames::common::*;

const GBPS: u64 = 1_000_000_000;
const MB: u64 = 1_000_000;

/// Hosts at 100 Gbps around a switch, 1 us away from it.
pub(super) fn star(ranks: u32) -> Net {
    let mut net = Net::new(1, None);
    let switch = net.switch("S");
    for host in 0..ranks {
        let host = net.station(&format!("H{host}"));
        let link = net.link(host, switch, 100_000);
        for channel in &mut net.spec.links[link as usize].channels {
            channel.delay = Duration(US);
            channel.queues[0].limit_bytes = None;
        }
    }
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(1_000 * MS);
    net
}

/// One acknowledgement for each message: they share the links with data.
fn roce() -> RoceSpec {
    RoceSpec {
        mtu_bytes: 1_000,
        acks: AckEvery::Message,
        ..RoceSpec::plain(Rate(100 * GBPS))
    }
}

/// Adds an operation of the first hosts.
pub(super) fn add(net: &mut Net, operation: Operation, ranks: u32, transport: &TransportSpec) {
    let once = (1, Duration::ZERO);
    let lanes = lanes(operation, ranks, once, (Time::ZERO, 0)).expect("it is sound");
    for lane in lanes.0 {
        let traffic = TrafficSpec::Messages(lane.list);
        net.add(1 + lane.from, 1 + lane.to, 0, transport.clone(), traffic);
    }
}

/// When the last message is in, us, and bytes that came.
pub(super) fn end_us(net: &Net) -> (f64, u64) {
    let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    run.run();
    let outcome = run.outcome();
    let flows = || outcome.flows.iter().map(|flow| &flow.ends);
    for ends in flows() {
        assert_eq!(ends.transfers_planned, Some(ends.transfers_total));
    }
    let last = flows().map(|ends| ends.last_transfer.ps()).max();
    (
        last.unwrap_or(0) as f64 / 1e6,
        flows().map(|ends| ends.goodput_bytes).sum(),
    )
}

fn took_cut(operation: Operation, ranks: u32) -> (f64, u64) {
    let mut net = star(ranks);
    add(&mut net, operation, ranks, &TransportSpec::Roce(roce()));
    end_us(&net)
}

fn took(kind: Collective, ranks: u32, bytes: u64) -> (f64, u64) {
    took_cut(Operation::whole(kind, bytes), ranks)
}

/// Bytes of a full packet on the wire.
const WIRE_BYTES: f64 = 1_082.0;

/// Of a step in which each message has so many bytes: its packets one after another, and the last
/// one once more behind the switch.
fn step_us(bytes: f64) -> f64 {
    let packet_us = WIRE_BYTES * 8.0 / 100_000.0;
    (bytes / 1_000.0 + 1.0) * packet_us + 2.0
}

pub(super) fn is_near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 0.001 * wanted
}

#[test]
fn operations_take_what_their_steps_take() {
    let bytes = 64.0 * MB as f64;
    let halves = [2.0, 4.0, 8.0].map(|part| 2.0 * step_us(bytes / part));
    let cases = [
        (Collective::RingAllReduce, 14.0 * step_us(bytes / 8.0), 112),
        (
            Collective::RingReduceScatter,
            7.0 * step_us(bytes / 8.0),
            56,
        ),
        (Collective::RingAllGather, 7.0 * step_us(bytes / 8.0), 56),
        (
            Collective::HalvingDoublingAllReduce,
            halves.iter().sum(),
            112,
        ),
        (Collective::PairwiseAllToAll, 7.0 * step_us(bytes / 8.0), 56),
        (Collective::TreeAllReduce, 6.0 * step_us(bytes), 112),
        (Collective::TreeBroadcast, 3.0 * step_us(bytes), 56),
        (Collective::Pipeline, 7.0 * step_us(bytes), 56),
    ];
    // When the last byte is in, and bytes that all ranks get, in blocks of an eighth.
    for (operation, wanted_us, sent) in cases {
        let (found_us, came) = took(operation, 8, 64 * MB);
        assert!(
            is_near(found_us, wanted_us),
            "{operation:?}: {found_us} {wanted_us}"
        );
        // Of each rank on average.
        assert_eq!(came, sent * 8 * MB, "{operation:?}");
    }
}

/// Along two trees each rank has to send and to receive twice the bytes, and with many chunks
/// little more than that takes time.
#[test]
fn two_trees_use_both_directions_of_all_ports() {
    let bytes = 32 * MB;
    let chunk = 100_000;
    let two_trees = |chunk: u64, bytes: u64| Operation {
        cut: Cut {
            chunk: Some(chunk),
            ..Cut::default()
        },
        ..Operation::whole(Collective::DoubleTreeAllReduce, bytes)
    };
    let (found_us, came) = took_cut(two_trees(chunk, bytes), 8);
    assert_eq!(came, 2 * 7 * bytes);
    let least_us = 2.0 * bytes as f64 / 1_000.0 * WIRE_BYTES * 8.0 / 100_000.0;
    assert!(found_us > least_us, "{found_us} {least_us}");
    assert!(found_us < 1.15 * least_us, "{found_us} {least_us}");
    // In one chunk each level of the tree takes its time.
    let (found_us, _) = took_cut(two_trees(bytes, bytes), 8);
    assert!(found_us > 1.9 * least_us, "{found_us} {least_us}");
    for ranks in 2..=17 {
        let bytes = 10_007 * u64::from(ranks) + 1;
        let (_, came) = took_cut(two_trees(3_000, bytes), ranks);
        assert_eq!(came, 2 * (u64::from(ranks) - 1) * bytes);
    }
}

/// Parts of blocks go on by themselves: of all steps but the last the wires and the switch are
/// hidden, and ports never rest.
#[test]
fn parts_of_blocks_hide_the_wires() {
    let packet_us = WIRE_BYTES * 8.0 / 100_000.0;
    for ranks in [2, 5, 8] {
        let bytes = 400_000 * u64::from(ranks);
        let whole = took(Collective::RingAllReduce, ranks, bytes);
        let cut = |chunk: u64, channels: u32| {
            let cut = Cut {
                channels,
                chunk: Some(chunk),
                ..Cut::default()
            };
            let ring = Operation::whole(Collective::RingAllReduce, bytes);
            took_cut(Operation { cut, ..ring }, ranks)
        };
        let (found_us, came) = cut(100_000, 1);
        let steps = 2.0 * f64::from(ranks - 1);
        let wanted_us = steps * 400.0 * packet_us + packet_us + 2.0;
        assert!(is_near(found_us, wanted_us), "{found_us} {wanted_us}");
        assert_eq!(came, whole.1);
        // A chunk that is no less than a block changes nothing.
        assert_eq!(cut(400_000, 1), whole);
        // Channels take turns at the port packet by packet: they hide a part of the wires.
        let (found_us, came) = cut(400_000, 4);
        assert!(found_us > 0.999 * wanted_us, "{found_us} {wanted_us}");
        assert!(found_us < whole.0, "{found_us} {}", whole.0);
        assert_eq!(came, whole.1);
    }
}

/// Channels in any order: all bytes come, whatever does not divide.
#[test]
fn channels_lose_no_byte() {
    for ranks in [2, 3, 6, 12] {
        let bytes = 10_007 * u64::from(ranks) + 1;
        for order in [
            Order::Same,
            Order::Rotated,
            Order::Rails { node: ranks / 2 },
        ] {
            let cut = |kind: Collective| {
                let cut = Cut {
                    channels: 3,
                    order,
                    chunk: Some(1_500),
                };
                took_cut(Operation { kind, bytes, cut }, ranks).1
            };
            for kind in [
                Collective::RingAllReduce,
                Collective::RingAllGather,
                Collective::TreeAllReduce,
                Collective::DoubleTreeAllReduce,
                Collective::HalvingDoublingAllReduce,
                Collective::PairwiseAllToAll,
                Collective::AllToAll,
                Collective::TreeBroadcast,
                Collective::Pipeline,
            ] {
                let whole = took(kind, ranks, bytes).1;
                assert_eq!(cut(kind), whole, "{kind:?} {ranks}");
            }
        }
    }
}

/// Any number of ranks, blocks that do not divide: each byte comes once, in as many steps.
#[test]
fn odd_numbers_of_ranks_lose_no_byte() {
    for ranks in 2..=17 {
        let bytes = 10_007 * u64::from(ranks) + 1;
        let (found_us, came) = took(Collective::RingAllReduce, ranks, bytes);
        assert_eq!(came, 2 * (u64::from(ranks) - 1) * bytes);
        // The last packet of a block is a short one: seven or eight bytes.
        let short_us = 90.0 * 8.0 / 100_000.0;
        let step_us = step_us(10_000.0) + 2.0 * short_us;
        let wanted_us = 2.0 * f64::from(ranks - 1) * step_us;
        assert!(
            (found_us / wanted_us - 1.0).abs() < 0.01,
            "{ranks}: {found_us} {wanted_us}"
        );
        let (_, came) = took(Collective::HalvingDoublingAllReduce, ranks, bytes);
        let count = 1 << ranks.ilog2();
        let pairs = u64::from(ranks - count) * 2 * bytes;
        assert_eq!(came, 2 * (u64::from(count) - 1) * bytes + pairs);
        let (_, came) = took(Collective::AllToAll, ranks, bytes);
        assert_eq!(came, (u64::from(ranks) - 1) * bytes);
    }
}

/// A rank that computes for so long before each operation delays all of it, once: the ring stands
/// until its first block has gone round.
#[test]
fn a_slow_rank_delays_all_by_what_it_is_slow() {
    let with = |slow_us: u64| {
        let mut net = star(4);
        let ring = Operation::whole(Collective::RingAllReduce, 4 * MB);
        add(&mut net, ring, 4, &TransportSpec::Roce(roce()));
        if let TrafficSpec::Messages(list) = &mut net.spec.flows[0].traffic {
            list.messages[0].think = Duration(slow_us * US);
        }
        end_us(&net).0
    };
    let least_us = with(0);
    for slow_us in [30, 700] {
        let found_us = with(slow_us);
        assert!(
            (found_us - least_us - slow_us as f64).abs() < 1.0,
            "{found_us} {least_us}"
        );
    }
}

/// A ring of four of which these lists are changed; what is said of it.
fn refused(change: fn(&mut [MessagesSpec])) -> Option<String> {
    let mut net = star(4);
    let ring = Operation::whole(Collective::RingAllReduce, 4 * MB);
    add(&mut net, ring, 4, &TransportSpec::Roce(roce()));
    let lists = net
        .spec
        .flows
        .iter()
        .filter_map(|flow| match &flow.traffic {
            TrafficSpec::Messages(list) => Some(list.clone()),
            _ => None,
        });
    let mut lists: Vec<MessagesSpec> = lists.collect();
    change(&mut lists);
    for (flow, list) in net.spec.flows.iter_mut().zip(lists) {
        flow.traffic = TrafficSpec::Messages(list);
    }
    Simulation::<Rings>::new(&net.spec)
        .err()
        .map(|error| error.0)
}

/// What is done again stands in the list, waits for what is done as often, and can be counted.
#[test]
fn rounds_that_can_not_be_are_refused() {
    fn again(lists: &mut [MessagesSpec], times: u32) {
        for list in lists {
            list.again.times = times;
        }
    }
    assert_eq!(refused(|lists| again(lists, 7)), None);
    let longer = refused(|lists| lists[1].again.messages = 7);
    assert_eq!(
        longer.as_deref(),
        Some("flow 1: a round is longer than its list")
    );
    let other = refused(|lists| lists[1].again.times = 7).expect("flow 0 is done once");
    assert!(
        other.starts_with("flow 1: message 1 is done again"),
        "{other}"
    );
    assert!(other.contains("message 0 of flow 0"), "{other}");
    let many = refused(|lists| again(lists, 1 << 30));
    let wanted = "flow 0: 6442450950 messages, at most 2147483648";
    assert_eq!(many.as_deref(), Some(wanted));
    let large = refused(|lists| {
        again(lists, 1 << 20);
        lists[2].messages[0].bytes = 1 << 44;
    });
    assert_eq!(
        large.as_deref(),
        Some("flow 2: more bytes than can be counted")
    );
}

/// What can't be is refused, and said of the flow that asks for it.
#[test]
fn lists_that_never_begin_are_refused() {
    assert_eq!(refused(|_| {}), None);
    let none = refused(|lists| lists[1].messages[2].bytes = 0);
    assert_eq!(none.as_deref(), Some("flow 1: message 2 has no bytes"));
    let unknown = refused(|lists| {
        lists[1].messages[2].after.push(Happened::Sent {
            flow: 1,
            message: 6,
        })
    });
    let wanted = "flow 1: message 2 waits for message 6 of flow 1: there is none";
    assert_eq!(unknown.as_deref(), Some(wanted));
    let unseen = refused(|lists| {
        lists[1].messages[2].after.push(Happened::Sent {
            flow: 2,
            message: 0,
        })
    });
    let wanted = "flow 1: message 2 waits for message 0 of flow 2, which its host does not see";
    assert_eq!(unseen.as_deref(), Some(wanted));
    let circle = refused(|lists| {
        lists[0].messages[0].after.push(Happened::Received {
            flow: 3,
            message: 0,
        })
    });
    assert_eq!(circle, None);
    let circle = refused(|lists| {
        for flow in 0..4 {
            let before = Happened::Received {
                flow: (flow + 3) % 4,
                message: 0,
            };
            lists[flow as usize].messages[0].after.push(before);
        }
    });
    let wanted = "flow 0: message 0 waits for itself, by what it waits for";
    assert_eq!(circle.as_deref(), Some(wanted));
}
