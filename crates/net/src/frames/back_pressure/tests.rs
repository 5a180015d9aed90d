//! Blocked shares and time-outs, put together by hand.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::application::Payload;
use backwater_kernel::{Rate, Rings, Time};

use super::*;
use crate::classes::shape::ANYTHING;
use crate::hop::unit::Unit;
use crate::spec::frames::Message;
use crate::spec::frames::{
    BlockedSpec, ChannelSpec, Detect, EthernetSpec, FlowSpec, Forwarding, FrameRules, LinkSpec,
    MemorySpec, NodeKind, NodeSpec, QueueSpec, SchedulerSpec, SwitchSpec, TimeOutSpec, TrafficSpec,
    TransportSpec,
};

/// Channel from the first switch to the second.
const TRUNK: u32 = 4;
/// Channels from the first switch back to the two sources.
const BACK: [u32; 2] = [1, 3];
/// The two destinations.
const ENDS: [u32; 2] = [4, 5];

/// A flow that starts after the end of the run.
fn flow(source: u32, destination: u32) -> FlowSpec {
    FlowSpec {
        name: String::new(),
        source,
        destination,
        others: Vec::new(),
        class: 0,
        is_tagged: false,
        transport: TransportSpec::Udp {
            payload_bytes: 1_000,
            has_rtp: false,
            is_ect: false,
        },
        traffic: TrafficSpec::Infinite {
            start: Time(2_000),
            bytes: None,
        },
    }
}

/// Stations 0 and 1 at switch 2, a trunk to switch 3, stations 4 and 5 there: a flow from 0 to 4,
/// one from 1 to 5. Nothing moves by itself.
fn network(rules: BackPressureSpec) -> Simulation<Rings> {
    let node = |kind| NodeSpec {
        name: String::new(),
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    };
    let station = || node(NodeKind::Station { storm: None });
    let switch = || {
        node(NodeKind::Switch(SwitchSpec {
            forwarding: Forwarding::StoreAndForward,
            latency: Duration::ZERO,
            memory: MemorySpec::Queues,
            stops: Some(rules).into(),
        }))
    };
    let channel = ChannelSpec {
        counters: None,
        rate: Rate(1_000_000_000),
        delay: Duration(1),
        errors: Default::default(),
        scheduler: SchedulerSpec::StrictPriority,
        queues: Vec::from([QueueSpec {
            limit_bytes: Some(20_000),
            high_bytes: 10_000,
            low_bytes: 8_000,
            priority: 0,
            quantum_bytes: 1,
            reserve: None,
            ecn: None,
            rocc: None,
            trim: None,
        }]),
        inputs: Vec::new(),
        credits: Vec::new(),
        stopped: Default::default(),
    };
    let link = |a, b| LinkSpec {
        ends: [a, b],
        channels: [channel.clone(), channel.clone()].map(Into::into),
    };
    let spec = EthernetSpec {
        seed: 1,
        stop_at: Time(1_000),
        warm_up: Time::ZERO,
        nodes: Vec::from([
            station(),
            station(),
            switch(),
            switch(),
            station(),
            station(),
        ]),
        links: Vec::from([link(0, 2), link(1, 2), link(2, 3), link(3, 4), link(3, 5)]),
        rules: FrameRules::shortest(Duration(1_000)),
        flows: Vec::from([flow(0, 4), flow(1, 5)]),
        outages: Vec::new(),
    };
    Simulation::new(&spec).expect("a sound network")
}

fn rules(notify: Notify) -> BackPressureSpec {
    BackPressureSpec {
        classes: 1,
        select: Select::Destination(Choose::AllFound),
        detect: Detect::Outputs,
        notify,
        message: Message::UntilCancelled,
        binding: Default::default(),
        time_out: None,
        blocked: Some(BlockedSpec {
            high_bytes: 4_000,
            low_bytes: 2_000,
        }),
    }
}

/// A frame of a flow joins the queue of the trunk.
fn join(simulation: &mut Simulation<Rings>, flow: u32, bytes: u16) {
    let payload = Payload::Udp {
        bytes: 1,
        number: 0,
    };
    let frame = Unit {
        leg: 2 * flow,
        shared: 2 * flow,
        ..Unit::data(simulation.now, 0, bytes.into())
    };
    let id = simulation.network.units.frame(frame, 0, &payload);
    simulation.join::<ANYTHING>(TRUNK, id);
    simulation.detect_at_queue(2 * flow, TRUNK, 0, id);
}

fn gate(end: usize) -> Gate {
    Gate::Destination(0, ENDS[end])
}

/// The second switch stops frames to a station, or lets them go.
fn stop(simulation: &mut Simulation<Rings>, end: usize, is_on: bool) {
    simulation.set_gate(TRUNK, gate(end), is_on, Time::MAX);
}

/// What the sources are asked to stop, by source.
fn asked(simulation: &mut Simulation<Rings>) -> [Vec<Gate>; 2] {
    for channel in BACK {
        // What there is to say starts.
        while simulation.next_control(channel).is_some() {}
    }
    let of = |channel: u32| {
        let gates = simulation.network.classes.asked[channel as usize]
            .gates
            .iter();
        gates.map(|(gate, _)| *gate).collect()
    };
    BACK.map(of)
}

#[test]
fn a_blocked_share_is_stopped_above_its_high_and_resumed_below_its_low_threshold() {
    let mut simulation = network(rules(Notify::Others));
    let (nothing, both) = (Vec::new(), Vec::from([gate(0), gate(1)]));
    stop(&mut simulation, 0, true);
    stop(&mut simulation, 1, true);
    join(&mut simulation, 0, 1_500);
    join(&mut simulation, 1, 2_000);
    join(&mut simulation, 0, 500);
    // 4,000 bytes are not more than 4,000.
    assert_eq!(asked(&mut simulation), [nothing.clone(), nothing.clone()]);
    join(&mut simulation, 0, 1);
    assert_eq!(asked(&mut simulation), [both.clone(), both.clone()]);
    // 2,000 bytes are not less than 2,000.
    stop(&mut simulation, 0, false);
    assert_eq!(asked(&mut simulation), [both.clone(), both]);
    stop(&mut simulation, 1, false);
    assert_eq!(asked(&mut simulation), [nothing.clone(), nothing]);
    let counts = |channel: u32| {
        let asked = &simulation.network.classes.asked[channel as usize];
        (asked.stops, asked.resumes)
    };
    assert_eq!(BACK.map(counts), [(2, 2), (2, 2)]);
}

#[test]
fn a_neighbour_whose_blocked_frames_come_later_is_stopped_too() {
    let mut simulation = network(rules(Notify::Contributing));
    stop(&mut simulation, 0, true);
    join(&mut simulation, 0, 4_500);
    assert_eq!(asked(&mut simulation), [Vec::from([gate(0)]), Vec::new()]);
    // Frames that may go on are none of its business.
    join(&mut simulation, 1, 500);
    assert_eq!(asked(&mut simulation), [Vec::from([gate(0)]), Vec::new()]);
    join(&mut simulation, 0, 100);
    assert_eq!(asked(&mut simulation), [Vec::from([gate(0)]), Vec::new()]);
    stop(&mut simulation, 1, true);
    join(&mut simulation, 1, 500);
    let both = Vec::from([gate(0), gate(1)]);
    assert_eq!(asked(&mut simulation), [both.clone(), both]);
}

/// A frame takes effect at the first switch at `now`, and joins if `finds_room`.
fn arrive(simulation: &mut Simulation<Rings>, now: u64, flow: u32, finds_room: bool) {
    simulation.now = Time(now);
    let at = simulation.network.queue(2 * flow, 0);
    let station = simulation.network.classes.flows[flow as usize].destination;
    simulation.network.classes.account_times[at].note(Time(now), Some(station));
    if finds_room {
        join(simulation, flow, 6_000);
    }
}

#[test]
fn a_time_out_lets_those_go_who_sent_nothing_that_was_stopped() {
    let rules = BackPressureSpec {
        blocked: None,
        time_out: Some(TimeOutSpec {
            after: Duration(100),
            grace: Duration(20),
        }),
        ..rules(Notify::Others)
    };
    let both = Vec::from([gate(0), gate(1)]);
    // When the last frame of each flow comes; who is held on to then.
    let cases = [
        ([82, 82], [true, true]),
        ([81, 80], [true, false]),
        ([70, 99], [false, true]),
        // What came as it was asked was sent before.
        ([0, 0], [false, false]),
    ];
    for (last, is_held) in cases {
        let mut simulation = network(rules);
        arrive(&mut simulation, 0, 0, true);
        arrive(&mut simulation, 0, 1, true);
        assert_eq!(asked(&mut simulation), [both.clone(), both.clone()]);
        for flow in 0..2 {
            arrive(&mut simulation, last[flow as usize], flow, false);
        }
        simulation.now = Time(99);
        simulation.on_time_out(TRUNK, 0);
        assert_eq!(
            asked(&mut simulation),
            [both.clone(), both.clone()],
            "too early"
        );
        simulation.now = Time(100);
        simulation.on_time_out(TRUNK, 0);
        let held = is_held.map(|is_held| if is_held { both.clone() } else { Vec::new() });
        assert_eq!(asked(&mut simulation), held, "{last:?}");
    }
}

/// The second lot is drawn once, above `high + (limit - high) / 4`: 12,500 bytes.
#[test]
fn more_is_drawn_when_a_quarter_of_the_room_is_used() {
    let rules = BackPressureSpec {
        select: Select::Destination(Choose::Random { frames: 1 }),
        blocked: None,
        ..rules(Notify::Others)
    };
    let mut simulation = network(rules);
    let at = simulation.network.queue(TRUNK, 0);
    let mut state = |bytes: u16| {
        join(&mut simulation, 0, bytes);
        let requests = &simulation.network.classes.requests[at].congestion;
        (requests.gates.len(), requests.has_drawn_twice)
    };
    assert_eq!(state(10_000), (0, false));
    assert_eq!(state(1), (1, false));
    assert_eq!(state(2_499), (1, false));
    assert_eq!(state(1), (1, true));
}

/// Two queues that ask for the same are let go by the second that gives back.
#[test]
fn the_first_asks_and_the_last_gives_back() {
    let mut asked = crate::classes::requests::Asked::default();
    assert_eq!(
        [asked.add(Gate::Port), asked.add(Gate::Port)],
        [true, false]
    );
    assert!(asked.add(Gate::Class(1)));
    assert!(!asked.remove(Gate::Port), "another asks still");
    assert!(asked.remove(Gate::Port));
    assert!(!asked.remove(Gate::Port), "nobody asks");
}
