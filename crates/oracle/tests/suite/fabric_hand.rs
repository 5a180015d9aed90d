//! The reference of the cycle engine on cases worked out by hand.

use crate::fabric_common;

use backwater_flit::spec::{Allocator, Arbiter, FabricSpec, LaneChoice, Release, Sources, Switch};
use backwater_oracle::fabric::{Delivery, Fabric, Move, run, run_logged};
use fabric_common::{MULTIPLEXED, delivered, graph, line, network, queueing, trace};

fn ran(spec: &FabricSpec, cycles: u64) -> Fabric {
    run_logged(spec, cycles).expect("the laws hold")
}

/// Cycles in which flits of `source` left on a channel, by flit.
fn times(moves: &[Move], channel: u32, source: u32) -> Vec<u64> {
    let own = |entry: &&Move| entry.channel == channel && entry.source == source;
    moves.iter().filter(own).map(|entry| entry.cycle).collect()
}

const BUFFERED: Switch = Switch::Multiplexed {
    allocator: Allocator::SeparableInputFirst,
    output_buffer: 2,
    speedup: 1,
};

#[test]
fn a_lone_packet_takes_a_cycle_for_each_channel_and_each_flit_behind_the_header() {
    for routers in 1..=5 {
        for length in [1, 2, 20] {
            let spec = network(line(routers), &[(7, 0, 1, length)]);
            let fabric = ran(&spec, 100);
            let channels = routers + 1;
            let expected = Delivery {
                source: 0,
                destination: 1,
                class: 0,
                length,
                birth: 7,
                entered: 7,
                delivered: 7 + u64::from(channels) + u64::from(length) - 1,
                hops: channels,
            };
            assert_eq!(fabric.deliveries, [expected]);
            assert_eq!(fabric.flit_hops, u64::from(channels) * u64::from(length));
            assert_eq!(
                (fabric.created, fabric.delivered),
                (length.into(), length.into())
            );
        }
    }
}

/// Every delay counts as often as it is met.
#[test]
fn a_lone_packet_meets_every_delay() {
    for (switch, in_buffers) in [(Switch::Crossbar, 0), (MULTIPLEXED, 0), (BUFFERED, 1)] {
        let delays = [
            (0, 0, 0),
            (0, 0, 3),
            (2, 0, 0),
            (3, 0, 1),
            (0, 2, 0),
            (1, 2, 1),
        ];
        for (header_delay, allocation_delay, pipeline_delay) in delays {
            let mut spec = network(line(3), &[(0, 0, 1, 6)]);
            spec.router.switch = switch;
            spec.router.header_delay = header_delay;
            spec.router.allocation_delay = allocation_delay;
            spec.router.pipeline_delay = pipeline_delay;
            spec.router.depth = 20;
            spec.graph.channels[0].latency = 5;
            spec.graph.injection_latency = 2;
            spec.graph.ejection_latency = 3;
            let wires = 2 + 5 + 1 + 3;
            let header = header_delay + allocation_delay;
            let routers = 3 * (header + pipeline_delay + in_buffers);
            let latency = u64::from(wires + routers + 6 - 1);
            assert_eq!(delivered(&ran(&spec, 200).deliveries), [(0, latency)]);
        }
    }
}

/// A lane of `depth` flits carries `depth` of them per round trip: flight and credit delay.
#[test]
fn a_short_buffer_sends_once_per_round_trip() {
    for (depth, latency, credit_delay) in [(1, 1, 0), (1, 1, 1), (1, 3, 2), (2, 3, 2), (3, 2, 1)] {
        let mut spec = network(line(2), &[(0, 0, 1, 12)]);
        spec.router.depth = depth;
        spec.router.credit_delay = credit_delay;
        spec.graph.channels[0].latency = latency;
        let fabric = ran(&spec, 200);
        let round = latency + credit_delay;
        let at_injection = 1 + credit_delay;
        // The injection channel is shorter; the slower of the two sets the pace.
        let sent = times(&fabric.moves, 0, 0);
        let by = |flit: u16, round: u16| u64::from(flit / depth * round + flit % depth);
        let expected: Vec<u64> = (0..12)
            .map(|flit| 1 + by(flit, round.max(depth)).max(by(flit, at_injection.max(depth))))
            .collect();
        assert_eq!(sent, expected, "depth {depth}, {latency}, {credit_delay}");
    }
}

/// Two sources at one router want the one channel to the next.
fn contention(channel: Arbiter, lanes: u8, release: Release) -> Fabric {
    let graph = graph(2, &[(0, 1)], &[(0, 1), (0, 1)]);
    let mut spec = network(graph, &[(0, 0, 1, 3), (0, 1, 0, 3)]);
    spec.router.channel_arbiter = channel;
    spec.router.lanes = lanes;
    spec.router.release = release;
    ran(&spec, 40)
}

/// Cycle by cycle: which flit of which source leaves on which channel and lane.
#[test]
fn two_packets_in_turn_share_a_channel() {
    let fabric = contention(Arbiter::RoundRobin, 2, Release::Drained);
    let moves: Vec<[u64; 5]> = fabric
        .moves
        .iter()
        .map(|at| {
            let (channel, lane) = (u64::from(at.channel), u64::from(at.lane));
            [
                at.cycle,
                channel,
                lane,
                u64::from(at.source),
                u64::from(at.flit),
            ]
        })
        .collect();
    // Channel 0 joins the routers; 1 and 2 inject, 3 and 4 eject, at terminal 0 and 1.
    let expected = [
        // Both headers enter, each on lane 0 of its own channel.
        [0, 1, 0, 0, 0],
        [0, 2, 0, 1, 0],
        // Source 0 gets lane 0 of channel 0 and the first turn; source 1 gets lane 1.
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 1],
        [1, 2, 0, 1, 1],
        // Its slot was freed in cycle 1: the last flit of source 0 enters. That of source 1 waits.
        [2, 0, 1, 1, 0],
        [2, 1, 0, 0, 2],
        [2, 4, 0, 0, 0],
        [3, 0, 0, 0, 1],
        [3, 2, 0, 1, 2],
        [3, 3, 0, 1, 0],
        [4, 0, 1, 1, 1],
        [4, 4, 0, 0, 1],
        [5, 0, 0, 0, 2],
        [5, 3, 0, 1, 1],
        [6, 0, 1, 1, 2],
        [6, 4, 0, 0, 2],
        [7, 3, 0, 1, 2],
    ];
    assert_eq!(moves, expected);
    assert_eq!(delivered(&fabric.deliveries), [(0, 7), (1, 8)]);
}

#[test]
fn the_earliest_packet_keeps_the_channel() {
    let fabric = contention(Arbiter::Earliest, 2, Release::Drained);
    assert_eq!(times(&fabric.moves, 0, 0), [1, 2, 3]);
    assert_eq!(times(&fabric.moves, 0, 1), [4, 5, 6]);
    assert_eq!(delivered(&fabric.deliveries), [(0, 5), (1, 8)]);
}

/// The tail is sent in cycle 3 and leaves the buffer in cycle 4, which the sender knows in 5.
#[test]
fn one_lane_is_free_when_the_tail_was_sent_or_when_it_has_left() {
    let sent = contention(Arbiter::RoundRobin, 1, Release::TailSent);
    assert_eq!(times(&sent.moves, 0, 1), [4, 5, 6]);
    let drained = contention(Arbiter::RoundRobin, 1, Release::Drained);
    assert_eq!(times(&drained.moves, 0, 0), [1, 2, 3]);
    assert_eq!(times(&drained.moves, 0, 1), [5, 6, 7]);
}

/// After three flits sent in 1, 2, 3 and freed in 2, 3, 4 there are 3 of 4 credits in cycle 4.
#[test]
fn cut_through_waits_for_room_for_the_whole_packet() {
    for (depth, cut_through, first) in [(4, true, 4), (3, true, 5), (3, false, 4)] {
        let graph = graph(2, &[(0, 1)], &[(0, 1), (0, 1)]);
        let mut spec = network(graph, &[(0, 0, 1, 3), (0, 1, 0, 3)]);
        spec.router.lanes = 1;
        spec.router.release = Release::TailSent;
        spec.router.depth = depth;
        spec.router.cut_through = cut_through;
        let fabric = ran(&spec, 40);
        assert_eq!(times(&fabric.moves, 0, 1)[0], first, "depth {depth}");
    }
}

/// A packet behind another in one buffer: its header is ready a header delay after it is front.
#[test]
fn header_delay_counts_from_being_front() {
    for (header_delay, second) in [(0, 3), (1, 5), (3, 9)] {
        let mut spec = network(line(1), &[(0, 0, 1, 2), (0, 0, 1, 2)]);
        spec.router.lanes = 1;
        spec.router.depth = 4;
        spec.router.release = Release::TailSent;
        spec.router.header_delay = header_delay;
        let fabric = ran(&spec, 40);
        assert_eq!(times(&fabric.moves, 0, 0), [0, 1, 2, 3]);
        let first = 1 + u64::from(header_delay);
        let expected = [first, first + 1, second, second + 1];
        assert_eq!(times(&fabric.moves, 3, 0), expected);
    }
}

/// A header that waits for a lane meets the allocation delay after the lane is free, the header
/// delay before.
#[test]
fn a_lane_is_given_an_allocation_delay_before_it_is_used() {
    for (header_delay, allocation_delay) in [(0, 0), (2, 0), (0, 2), (1, 3)] {
        let packets = [(0, 0, 1, 3), (0, 1, 1, 3)];
        let mut spec = network(graph(1, &[], &[(0, 0), (0, 0)]), &packets);
        spec.router.lanes = 1;
        spec.router.depth = 4;
        spec.router.release = Release::TailSent;
        spec.router.header_delay = header_delay;
        spec.router.allocation_delay = allocation_delay;
        let fabric = ran(&spec, 40);
        let first = 1 + u64::from(header_delay + allocation_delay);
        let second = first + 3 + u64::from(allocation_delay);
        assert_eq!(times(&fabric.moves, 3, 0), [first, first + 1, first + 2]);
        assert_eq!(times(&fabric.moves, 3, 1), [second, second + 1, second + 2]);
    }
}

/// One flit a packet, three lanes that are free again in the next cycle.
#[test]
fn lanes_are_chosen_from_the_lowest_or_in_turn() {
    let packets: Vec<(u64, u32, u32, u16)> = (0..5).map(|cycle| (cycle, 0, 1, 1)).collect();
    let chosen = |lane_choice: LaneChoice| {
        let mut spec = network(line(1), &packets);
        spec.router.lanes = 3;
        spec.router.depth = 8;
        spec.router.release = Release::TailSent;
        spec.router.lane_choice = lane_choice;
        let fabric = ran(&spec, 40);
        let entering = fabric.moves.iter().filter(|entry| entry.channel == 0);
        entering.map(|entry| entry.lane).collect::<Vec<u8>>()
    };
    assert_eq!(chosen(LaneChoice::Lowest), [0; 5]);
    assert_eq!(chosen(LaneChoice::RoundRobin), [0, 1, 2, 0, 1]);
}

/// Packets enter by lanes 0 and 1 in turn. Those of each lane get lane 0, then lane 1 to the same
/// terminal, and lane 0 to another.
#[test]
fn every_lane_has_a_turn_of_its_own_for_the_channel_it_used_last() {
    let destinations = [0, 0, 0, 0, 1, 1, 0].iter().zip((0..).step_by(2));
    let packets: Vec<(u64, u32, u32, u16)> =
        destinations.map(|(to, cycle)| (cycle, 0, *to, 1)).collect();
    let mut spec = network(graph(1, &[], &[(0, 0), (0, 0)]), &packets);
    spec.router.release = Release::TailSent;
    spec.router.lane_choice = LaneChoice::RoundRobin;
    let fabric = ran(&spec, 40);
    let leaving = fabric.moves.iter().filter(|entry| entry.channel >= 2);
    let lanes: Vec<(u32, u8)> = leaving.map(|entry| (entry.channel, entry.lane)).collect();
    let expected = [(2, 0), (2, 0), (2, 1), (2, 1), (3, 0), (3, 0), (2, 0)];
    assert_eq!(lanes, expected);
}

/// Entered in cycles 0 to 3. Ready: the first header in 2; the second came in 1 but is in front
/// from 3 on, ready in 4; the third is in front from 6 on, ready in 7.
#[test]
fn three_packets_queue_in_one_buffer() {
    let fabric = ran(&queueing(), 40);
    assert_eq!(times(&fabric.moves, 0, 0), [0, 1, 2, 3]);
    assert_eq!(times(&fabric.moves, 4, 0), [2]);
    assert_eq!(times(&fabric.moves, 5, 0), [4, 5]);
    assert_eq!(times(&fabric.moves, 3, 0), [7]);
}

/// Two packets on two lanes of one channel go to two outputs: on a crossbar side by side, with
/// one input for both lanes in turn.
#[test]
fn lanes_of_one_input_share_it_only_if_multiplexed() {
    let mut spec = network(
        graph(1, &[], &[(0, 0), (0, 0), (0, 0)]),
        &[(0, 0, 1, 2), (0, 0, 2, 2)],
    );
    spec.router.depth = 4;
    spec.router.header_delay = 3;
    // Injected in turn in 0, 1, 2, 3; ready in 4 and 5. Channels 4 and 5 eject at 1 and 2.
    let own = ran(&spec, 40);
    assert_eq!(times(&own.moves, 4, 0), [4, 5]);
    assert_eq!(times(&own.moves, 5, 0), [5, 6]);
    spec.router.switch = MULTIPLEXED;
    let shared = ran(&spec, 40);
    assert_eq!(times(&shared.moves, 4, 0), [4, 6]);
    assert_eq!(times(&shared.moves, 5, 0), [5, 7]);
    // Twice as fast a switch makes up for the one input; the buffer costs a cycle.
    spec.router.switch = Switch::Multiplexed {
        allocator: Allocator::SeparableInputFirst,
        output_buffer: 2,
        speedup: 2,
    };
    let fast = ran(&spec, 40);
    assert_eq!(times(&fast.moves, 4, 0), [5, 6]);
    assert_eq!(times(&fast.moves, 5, 0), [6, 7]);
}

/// Three packets of one terminal: one after another, or side by side.
#[test]
fn sources_differ_in_who_waits_for_whom() {
    let packets = [(0, 0, 1, 3), (0, 0, 1, 3), (0, 0, 1, 3)];
    let entered = |sources: Sources| {
        let mut spec = network(line(1), &packets);
        spec.sources = sources;
        spec.router.depth = 8;
        let mut entered: Vec<u64> = ran(&spec, 60)
            .deliveries
            .iter()
            .map(|delivery| delivery.entered)
            .collect();
        entered.sort_unstable();
        entered
    };
    assert_eq!(entered(Sources::One), [0, 3, 6]);
    // Two lanes take turns; the tail on lane 0 enters in cycle 4, leaves the router in 5, and
    // the source knows in 6.
    assert_eq!(entered(Sources::Shared), [0, 1, 6]);
}

#[test]
fn higher_priority_then_the_nearer_deadline_goes_first() {
    let graph = graph(2, &[(0, 1)], &[(0, 1), (0, 1)]);
    let mut spec = network(graph, &[(0, 0, 1, 3)]);
    let mut other = spec.classes[0].clone();
    other.injection = trace(&[(0, 1, 0, 3)]);
    spec.classes.push(other);
    spec.router.channel_arbiter = Arbiter::Earliest;
    let second_first = |spec: &FabricSpec| {
        let moves = ran(spec, 40).moves;
        times(&moves, 0, 1)[0] < times(&moves, 0, 0)[0]
    };
    assert!(!second_first(&spec));
    spec.classes[0].deadline = Some(9);
    assert!(second_first(&spec));
    spec.classes[1].deadline = Some(10);
    assert!(!second_first(&spec));
    spec.classes[1].priority = 1;
    assert!(second_first(&spec));
}

#[test]
fn groups_of_lanes_are_kept_apart() {
    let mut spec = network(line(3), &[(0, 0, 1, 4), (0, 0, 1, 4)]);
    let mut other = spec.classes[0].clone();
    other.lane_group = 1;
    other.injection = trace(&[(0, 1, 0, 4), (0, 1, 0, 4)]);
    spec.classes.push(other);
    spec.router.lanes = 3;
    let fabric = ran(&spec, 100);
    assert_eq!(fabric.deliveries.len(), 4);
    for entry in &fabric.moves {
        assert_eq!(entry.lane > 0, entry.source == 1, "{entry}");
    }
}

#[test]
fn a_request_brings_a_reply_and_that_the_next_request() {
    let mut spec = network(line(1), &[]);
    spec.graph = graph(1, &[], &[(0, 0), (0, 0)]);
    spec.classes[0].injection = backwater_flit::spec::Injection::RequestReply {
        outstanding: 1,
        think: 10,
        reply_class: 1,
    };
    spec.classes[0].pattern = backwater_flit::spec::Pattern::Uniform {
        include_self: false,
    };
    spec.classes.push(spec.classes[0].clone());
    spec.classes[1].injection = backwater_flit::spec::Injection::Replies;
    spec.classes[1].size = backwater_flit::spec::Size::Fixed(4);
    let births: Vec<(u8, u64, u64)> = ran(&spec, 40)
        .deliveries
        .iter()
        .filter(|delivery| (delivery.source == 0) == (delivery.class == 0))
        .map(|delivery| (delivery.class, delivery.birth, delivery.delivered))
        .collect();
    // Two channels: a request takes 2 cycles, a reply of four flits 5.
    assert_eq!(
        births,
        [(0, 0, 2), (1, 2, 7), (0, 17, 19), (1, 19, 24), (0, 34, 36)]
    );
}

/// Five packets, each holding the channel that the one behind it needs.
#[test]
fn a_ring_without_rules_deadlocks() {
    let ends = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
    let at: Vec<(u32, u32)> = (0..5).map(|router| (router, router)).collect();
    let packets: Vec<(u64, u32, u32, u16)> =
        (0..5).map(|from| (0, from, (from + 2) % 5, 8)).collect();
    let mut spec = network(graph(5, &ends, &at), &packets);
    spec.router.lanes = 1;
    let fabric = ran(&spec, 500);
    assert_eq!(fabric.deliveries, []);
    // Two flits in each of the five buffers ahead and of the five behind them, for good.
    assert_eq!((fabric.inside, fabric.queued), (20, 20));
    assert!(fabric.last_move < Some(10), "{:?}", fabric.last_move);
    // A lane more for each, and nobody waits in a circle.
    spec.router.lanes = 2;
    assert_eq!(ran(&spec, 500).deliveries.len(), 5);
}

#[test]
fn what_cannot_run_is_refused() {
    type Change = fn(&mut FabricSpec);
    let refused = |change: Change| {
        let mut spec = network(line(2), &[(0, 0, 1, 1)]);
        change(&mut spec);
        run(&spec, 1).err().map(|error| error.0).unwrap_or_default()
    };
    assert_eq!(refused(|_| ()), "");
    let cases: [(Change, &str); 6] = [
        (|spec| spec.graph.inject[0] = 2, "sits at no router"),
        (|spec| spec.graph.channels[0].to = 2, "ends nowhere"),
        (|spec| spec.graph.ejection_latency = 0, "takes no time"),
        (|spec| spec.router.lanes = 33, "VCs"),
        (|spec| spec.router.depth = 0, "room"),
        (
            |spec| {
                spec.router.credit_delay = 0;
                spec.graph.channels.push(spec.graph.channels[0]);
                spec.graph.channels[1].from = 1;
                spec.graph.channels[1].to = 0;
            },
            "credit_delay 0",
        ),
    ];
    for (change, complaint) in cases {
        let error = refused(change);
        assert!(error.contains(complaint), "{error}");
    }
}
