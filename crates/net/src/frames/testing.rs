//! A small network for unit tests, put together by hand.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::application::Payload;
use backwater_kernel::{Duration, Rate, Rings, Time};

use crate::classes::shape::ANYTHING;
use crate::hop::unit::Unit;
use crate::simulation::Simulation;
use crate::spec::frames::{
    BackPressureSpec, ChannelSpec, Detect, EthernetSpec, FlowSpec, Forwarding, FrameRules,
    LinkSpec, MemorySpec, Message, NodeKind, NodeSpec, Notify, QueueSpec, SchedulerSpec, Select,
    SwitchSpec, TrafficSpec, TransportSpec, WatchdogSpec,
};

pub(crate) type Run = Simulation<Rings>;

/// Channel from the switch to the second station.
pub(crate) const OUT: u32 = 2;

fn node(kind: NodeKind, watchdog: Option<WatchdogSpec>) -> NodeSpec {
    NodeSpec {
        name: String::new(),
        kind,
        is_deaf: false,
        watchdog,
        promised: 0,
    }
}

fn channel() -> ChannelSpec {
    let queue = QueueSpec {
        limit_bytes: Some(20_000),
        high_bytes: 2_000,
        low_bytes: 1_000,
        priority: 0,
        quantum_bytes: 1,
        reserve: None,
        ecn: None,
        rocc: None,
        trim: None,
    };
    ChannelSpec {
        counters: None,
        rate: Rate(1_000_000_000),
        delay: Duration(1),
        errors: Default::default(),
        scheduler: SchedulerSpec::StrictPriority,
        queues: Vec::from([queue; 2]),
        inputs: Vec::new(),
        credits: Vec::new(),
        stopped: Default::default(),
    }
}

/// Stations 0 and 2 at switch 1, two classes, PFC; a flow of each class from 0 to 2 that starts
/// after the end of the run. Nothing moves by itself.
pub(crate) fn spec(watchdog: Option<WatchdogSpec>) -> EthernetSpec {
    let rules = BackPressureSpec {
        classes: 3,
        select: Select::Class,
        detect: Detect::Outputs,
        notify: Notify::Others,
        message: Message::UntilCancelled,
        binding: Default::default(),
        time_out: None,
        blocked: None,
    };
    let switch = NodeKind::Switch(SwitchSpec {
        forwarding: Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        memory: MemorySpec::Queues,
        stops: Some(rules).into(),
    });
    let station = || node(NodeKind::Station { storm: None }, None);
    let link = |a, b| LinkSpec {
        ends: [a, b],
        channels: [channel(), channel()].map(Into::into),
    };
    let flow = |class| FlowSpec {
        name: String::new(),
        source: 0,
        destination: 2,
        others: Vec::new(),
        class,
        is_tagged: false,
        transport: TransportSpec::Udp {
            payload_bytes: 1_000,
            has_rtp: false,
            is_ect: false,
        },
        traffic: TrafficSpec::Infinite {
            start: Time(2_000_000_000),
            bytes: None,
        },
    };
    EthernetSpec {
        seed: 1,
        stop_at: Time(1_000_000_000),
        warm_up: Time::ZERO,
        nodes: Vec::from([station(), node(switch, watchdog), station()]),
        links: Vec::from([link(0, 1), link(1, 2)]),
        rules: FrameRules::shortest(Duration(1_000_000_000)),
        flows: Vec::from([flow(0), flow(1)]),
        outages: Vec::new(),
    }
}

pub(crate) fn network(watchdog: Option<WatchdogSpec>) -> Run {
    Simulation::new(&spec(watchdog)).expect("a sound network")
}

/// A frame of a class joins the queue to the second station.
pub(crate) fn join(run: &mut Run, class: u8, bytes: u16) {
    let payload = Payload::Udp {
        bytes: 1,
        number: 0,
    };
    let frame = Unit {
        leg: 2 * u32::from(class),
        shared: run.network.queue(0, class) as u32,
        class,
        ..Unit::data(run.now, 0, bytes.into())
    };
    let id = run.network.units.frame(frame, 0, &payload);
    run.join::<ANYTHING>(OUT, id);
}
