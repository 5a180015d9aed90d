//! What comes out of files for the Ethernet engine that are right.

mod after;
mod bundles;
mod checks;
mod counters;
mod credit_cells;
mod credits;
mod datagrams;
mod deadlocks;
mod forms;
mod headroom;
mod lanes;
mod memory;
mod mixed;
mod multicast;
mod promises;
mod random;
mod rate_controls;
mod schedulers;
mod series;
mod spray;
mod stops;
mod tcp;
mod today;
mod transfers;
mod trimming;
mod workloads;

use backwater_ends::spec::{AckSpec, Congestion, Ecn, Recovery, Reuse, TcpSpec, TimerSpec};
use backwater_kernel::{Channels, Common, Duration, Rate, Time};
use backwater_net::frames::spec::{
    BackPressureSpec, BlockedSpec, ChannelSpec, Choose, Detect, EcnSpec, EthernetSpec, Forwarding,
    Measure, MemorySpec, Message, NodeKind, NodeSpec, Notify, QueueSpec, SchedulerSpec, Select,
    SeriesSpec, Span, Spread, StormSpec, Subject, SwitchSpec, TimeOutSpec, TrafficSpec,
    TransportSpec, WatchdogAction, WatchdogSpec,
};
use backwater_scenario::{Diagnostics, Limits, Scenario, Set, Source, parse_within};

fn try_read(text: &str, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let sets = sets.iter().map(|set| Set::new(set).expect("key=value"));
    let sets: Vec<Set> = sets.collect();
    parse_within(&Source::new("test.toml", text), &sets, &Limits::default())
}

fn read(text: &str) -> EthernetSpec {
    match try_read(text, &[]) {
        Ok(scenario) => scenario.ethernet().expect("for Ethernet").network.clone(),
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    }
}

/// All but the lines of the file, which a resolved one has elsewhere.
fn told(scenario: &Scenario) -> (&EthernetSpec, &[SeriesSpec]) {
    let ethernet = scenario.ethernet().expect("for Ethernet");
    (&ethernet.network, &ethernet.series)
}

fn codes(text: &str) -> Vec<&'static str> {
    match try_read(text, &[]) {
        Ok(scenario) => scenario.warnings.iter().map(|d| d.code).collect(),
        Err(mistakes) => mistakes.iter().map(|d| d.code).collect(),
    }
}

fn switch(spec: &EthernetSpec) -> &SwitchSpec {
    let mut switches = spec.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Switch(switch) => Some(switch),
        NodeKind::Station { .. } => None,
    });
    switches.next().expect("a switch")
}

/// The paper's Figure 1: a fast host and a slow one on one switch.
const ONE_SWITCH: &str = r#"
engine = "ethernet"
[run]
duration = "20 s"
warm_up = "10 s"
[network]
hosts = ["S", "D"]
switches = ["A"]
[link]
rate = "100 Mbps"
[[links]]
between = ["D", "A"]
rate = "10 Mbps"
[flow_control]
kind = "pause"
[[flows]]
name = "f"
from = "S"
to = "D"
count = 3
traffic = { kind = "files", size = "200 kB", think = { mean = "10 ms", law = "uniform" } }
"#;

#[test]
fn one_switch_gets_the_papers_defaults() {
    let spec = read(ONE_SWITCH);
    assert_eq!((spec.seed, spec.rules.spread), (1, Spread::Flows));
    assert_eq!(
        (spec.warm_up, spec.stop_at),
        (Time(10_000_000_000_000), Time(20_000_000_000_000))
    );
    assert_eq!(spec.rules.stall_after, Duration(200_000_000_000));
    let names: Vec<&str> = spec.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["S", "D", "A"]);
    let [slow, fast] = spec.links.as_slice() else {
        panic!("{} links", spec.links.len());
    };
    assert_eq!(
        (slow.ends[0], slow.ends[1], fast.ends[0], fast.ends[1]),
        (1, 2, 0, 2)
    );
    assert_eq!(
        (slow.channels[0].rate, fast.channels[0].rate),
        (Rate(10_000_000), Rate(100_000_000))
    );
    assert_eq!(slow.channels[0].delay, Duration(500_000));
    assert_eq!(slow.channels[0].scheduler, SchedulerSpec::StrictPriority);
    assert!(slow.channels[0].inputs.is_empty());
    let (to_d, from_d) = (slow.channels[1].queues[0], slow.channels[0].queues[0]);
    assert_eq!(
        (to_d.limit_bytes, to_d.high_bytes, to_d.low_bytes),
        (Some(70_000), 56_000, 49_000)
    );
    assert_eq!(fast.channels[1].queues[0].limit_bytes, Some(500_000));
    assert_eq!(
        (from_d.limit_bytes, from_d.high_bytes),
        (None, u64::MAX),
        "hosts are endless"
    );
    let switch = switch(&spec);
    assert_eq!(
        (switch.forwarding, switch.memory.clone()),
        (Forwarding::StoreAndForward, MemorySpec::Queues)
    );
    let pressure = switch.stops.common.expect("PAUSE");
    assert_eq!(
        (
            pressure.classes,
            pressure.select,
            pressure.detect,
            pressure.notify
        ),
        (1, Select::Port, Detect::Outputs, Notify::Others)
    );
    let names: Vec<&str> = spec.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["f[1]", "f[2]", "f[3]"]);
    let mut tcp = TcpSpec::modern();
    // 84 B over 100 and 10 Mbps, there and back, and twice two links.
    tcp.handshake_rtt = Some(Duration(2 * (6_720_000 + 67_200_000 + 2 * 500_000)));
    assert_eq!(spec.flows[0].transport, TransportSpec::Tcp(tcp));
    let files = TrafficSpec::Files {
        start: Time::ZERO,
        bytes: 200_000,
        think: Span::Uniform(Duration(10_000_000_000)),
        count: None,
    };
    assert_eq!(spec.flows[0].traffic, files);
}

#[test]
fn the_resolved_scenario_means_the_same() {
    let first = try_read(ONE_SWITCH, &[]).expect("no mistakes");
    let again = try_read(&first.resolved, &[]).expect("no mistakes");
    assert_eq!(told(&first), told(&again));
    assert_eq!(first.resolved, again.resolved, "resolving is idempotent");
}

#[test]
fn what_is_right_gets_no_warning() {
    assert_eq!(codes(ONE_SWITCH), [""; 0]);
}

const EVERYTHING: &str = include_str!("../../files/ethernet.toml");

#[test]
fn everything_is_read() {
    let scenario = try_read(EVERYTHING, &[]).expect("no mistakes");
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    assert_eq!((spec.seed, spec.rules.spread), (7, Spread::Frames));
    assert_eq!(spec.rules.stall_after, Duration(100_000_000_000));
    let [s1, .., b] = spec.nodes.as_slice() else {
        panic!("{} nodes", spec.nodes.len());
    };
    let last = spec.nodes.len() as u32 - 1;
    let of_node = |node| {
        let mut channels = spec.links.channels();
        let leaving = channels.find(|id| spec.links.ends(*id).0 == node);
        let id = leaving.expect("a link");
        spec.links.channel(id).stopped.response
    };
    assert_eq!(
        (of_node(0), of_node(last)),
        (Duration(9_000_000), Duration(1_000_000))
    );
    let watchdog = |action, detect, restore| {
        Some(WatchdogSpec {
            detect: Duration(detect),
            restore: Duration(restore),
            action,
        })
    };
    assert_eq!(
        s1.watchdog,
        watchdog(WatchdogAction::Drop, 10_000_000_000, 11_000_000_000)
    );
    assert_eq!(
        b.watchdog,
        watchdog(WatchdogAction::Forward, 100_000_000_000, 150_000_000_000)
    );
    let storm = StormSpec {
        from: Time(1_000_000_000_000),
        until: Time(1_500_000_000_000),
        classes: Some(0b100),
        quanta: 500,
    };
    assert_eq!(s1.kind, NodeKind::Station { storm: Some(storm) });
}

#[test]
fn everything_of_switches_is_read() {
    let scenario = try_read(EVERYTHING, &[]).expect("no mistakes");
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    let switch = switch(spec);
    assert_eq!(
        (switch.forwarding, switch.latency),
        (Forwarding::CutThrough, Duration(2_000_000))
    );
    let pressure = BackPressureSpec {
        classes: 0b101,
        select: Select::Destination(Choose::Random { frames: 2 }),
        detect: Detect::Outputs,
        notify: Notify::Contributing,
        message: Message::Quanta {
            quanta: 1000,
            refresh_percent: Some(40),
        },
        binding: Default::default(),
        time_out: Some(TimeOutSpec {
            after: Duration(20_000_000_000),
            grace: Duration(5_000_000_000),
        }),
        // The largest queue of A is the 2 MB towards B.
        blocked: Some(BlockedSpec {
            high_bytes: 1_000_000,
            low_bytes: 800_000,
        }),
    };
    assert_eq!(switch.stops.common, Some(pressure));
    let routes: Vec<(u32, u32, &[u32])> = spec
        .rules
        .routes
        .iter()
        .map(|r| (r.node, r.destination, r.channels.as_slice()))
        .collect();
    assert_eq!(routes, [(6, 4, [8].as_slice()), (6, 5, [8].as_slice())]);
    let series = &scenario.ethernet().expect("for Ethernet").series;
    let measures: Vec<(Measure, Subject)> = series
        .iter()
        .map(|series| (series.measure, series.of))
        .collect();
    let class = |channel, class| Subject::Class { channel, class };
    assert_eq!(
        measures,
        [
            (Measure::Queue, class(10, 2)),
            (Measure::Stopped, class(8, 0)),
            (Measure::Goodput, Subject::Flow(0)),
            (Measure::Window, Subject::Flow(4)),
        ]
    );
    assert_eq!(series[0].window, Some(Duration(1_000_000_000)));
    assert_eq!(
        series[1].window,
        Some(Duration(20_000_000_000)),
        "a hundredth of the run"
    );
}

#[test]
fn tables_of_queues_override_each_other() {
    let spec = read(EVERYTHING);
    let trunk = &spec.links[4];
    assert_eq!((trunk.ends[0], trunk.ends[1]), (6, 7));
    assert_eq!(
        (trunk.channels[0].rate, trunk.channels[1].rate),
        (Rate(1_000_000_000), Rate(100_000_000))
    );
    assert_eq!(trunk.channels[0].delay, Duration(10_000_000), "2 km");
    let is_strict =
        |channel: &Common<ChannelSpec>| channel.scheduler == SchedulerSpec::StrictPriority;
    assert!(!is_strict(&trunk.channels[0]));
    let to_d1 = &spec.links[5];
    assert_eq!(to_d1.channels.each_ref().map(is_strict), [true, false]);
    let marks = |low_bytes, high_bytes, probability| {
        Some(EcnSpec {
            low_bytes,
            high_bytes,
            probability,
            at: backwater_net::frames::spec::MarkAt::Join,
        })
    };
    // The link says more than the class.
    let queue = trunk.channels[0].queues[2];
    let expected = QueueSpec {
        limit_bytes: Some(2_000_000),
        high_bytes: 1_200_000,
        low_bytes: 1_000_000,
        priority: 0,
        quantum_bytes: 3_000,
        reserve: None,
        ecn: marks(150_000, 150_001, 1.0),
        rocc: None,
        trim: None,
    };
    assert_eq!(queue, expected);
    // One direction says more than the link.
    let queue = trunk.channels[1].queues[0];
    assert_eq!(
        (queue.limit_bytes, queue.high_bytes, queue.low_bytes),
        (Some(400_000), 240_000, 200_000)
    );
    // Where the link says nothing, the class says more than the buffer.
    let (plain, own) = (
        spec.links[0].channels[1].queues[0],
        spec.links[0].channels[1].queues[2],
    );
    assert_eq!(
        (plain.limit_bytes, plain.high_bytes),
        (Some(800_000), 600_000)
    );
    assert_eq!(
        (plain.ecn, plain.quantum_bytes),
        (marks(100_000, 300_000, 0.05), 2_000)
    );
    assert_eq!((own.limit_bytes, own.high_bytes), (Some(900_000), 500_000));
    assert_eq!(
        (own.ecn, own.quantum_bytes),
        (marks(90_000, 90_001, 1.0), 4_000)
    );
    // A class without back-pressure has no thresholds.
    let lossy = spec.links[0].channels[1].queues[1];
    assert_eq!(
        (lossy.limit_bytes, lossy.high_bytes),
        (Some(800_000), u64::MAX)
    );
}

#[test]
fn flows_have_their_transport_and_traffic() {
    let spec = read(EVERYTHING);
    let names: Vec<&str> = spec.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(
        names[..5],
        ["files[1]", "files[2]", "files[3]", "files[4]", "requests"]
    );
    assert_eq!(
        names[10..14],
        ["random[1]", "random[2]", "random[3]", "incast[1]"]
    );
    let pairs: Vec<(u32, u32)> = spec
        .flows
        .iter()
        .map(|f| (f.source, f.destination))
        .collect();
    assert_eq!(pairs[..4], [(0, 4), (0, 4), (1, 5), (1, 5)]);
    let common = TcpSpec {
        mss_bytes: 1_000,
        congestion: Congestion::Reno { eighth: true },
        recovery: Recovery::NewReno,
        initial_window_segments: 3,
        window_bytes: 100_000,
        timer: TimerSpec {
            tick: Some(Duration(100_000_000_000)),
            initial_rto: Duration(2_000_000_000_000),
            min_rto: Duration(300_000_000_000),
            max_rto: Duration(30_000_000_000_000),
        },
        acks: AckSpec::DelayedTick(Duration(150_000_000_000)),
        duplicate_threshold: 5,
        idle_restart: false,
        reuse: Reuse::Handshake,
        ecn: Ecn::Dctcp { gain_shift: 5 },
        quick_acks: 7,
        handshake_rtt: None,
        ..TcpSpec::bsd()
    };
    let own = TcpSpec {
        mss_bytes: 8_000,
        reuse: Reuse::Persistent,
        ..common.clone()
    };
    assert_eq!(spec.flows[0].transport, TransportSpec::Tcp(own));
    assert_eq!(
        spec.flows[4].transport,
        TransportSpec::Tcp(TcpSpec::bsd()),
        "it starts anew"
    );
    assert_eq!(spec.flows[10].transport, TransportSpec::Tcp(common));
}

#[test]
fn everything_resolved_means_the_same() {
    let first = try_read(EVERYTHING, &[]).expect("no mistakes");
    let again = try_read(&first.resolved, &[]).expect("no mistakes");
    assert_eq!(told(&first), told(&again));
    assert_eq!(first.resolved, again.resolved, "resolving is idempotent");
}

#[test]
fn sets_reach_every_table() {
    let sets = [
        "flow_control.xoff=72 %",
        "links.A-B.rate=400 Gbps",
        "flows.video.traffic.deadline=50 ms",
        "tcp.mss=512 B",
        "classes.0.limit=1 MB",
        "nodes.S3.ignores_stops=true",
    ];
    let scenario = try_read(EVERYTHING, &sets).expect("no mistakes");
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    assert_eq!(spec.links[4].channels[0].rate, Rate(400_000_000_000));
    assert_eq!(spec.links[0].channels[1].queues[0].high_bytes, 576_000);
    assert_eq!(
        spec.links[0].channels[1].queues[2].limit_bytes,
        Some(1_000_000)
    );
    assert!(spec.nodes[2].is_deaf);
    let TrafficSpec::Video(video) = &spec.flows[8].traffic else {
        panic!("no video");
    };
    assert_eq!(video.deadline, Duration(50_000_000_000));
}

fn generated(topology: &str) -> EthernetSpec {
    read(&format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[link]\nrate = \"10 Gbps\"\n\
         [topology]\n{topology}\n[[patterns]]\nname = \"p\"\nkind = \"permutation\"\n"
    ))
}

#[test]
fn topologies_have_the_nodes_and_links_of_their_rule() {
    for (topology, hosts, switches, links) in [
        ("kind = \"star\"\nhosts_per_switch = 5", 5, 1, 5),
        (
            "kind = \"line\"\nswitches = 3\nhosts_per_switch = 2",
            6,
            3,
            8,
        ),
        ("kind = \"ring\"\nswitches = 3", 3, 3, 6),
        (
            "kind = \"leaf-spine\"\nleaves = 3\nhosts_per_switch = 4\nspines = 2\n\
             trunk = { rate = \"40 Gbps\" }",
            12,
            5,
            18,
        ),
        ("kind = \"fat-tree\"\nports = 4", 16, 20, 48),
        ("kind = \"fat-tree\"\nports = 8", 128, 80, 384),
    ] {
        let spec = generated(topology);
        let is_host = |node: &&NodeSpec| matches!(node.kind, NodeKind::Station { .. });
        let found = spec.nodes.iter().filter(is_host).count();
        assert_eq!(
            (found, spec.nodes.len() - found, spec.links.len()),
            (hosts, switches, links),
            "{topology}"
        );
        assert_eq!(spec.flows.len(), hosts, "a permutation");
        let ports = |node: u32| {
            let own = spec.links.iter().filter(|l| l.ends.contains(&node));
            own.count()
        };
        if topology.contains("fat-tree") {
            let k = if hosts == 16 { 4 } else { 8 };
            let switches = found as u32..spec.nodes.len() as u32;
            let mut all = switches.into_iter();
            assert!(all.all(|node| ports(node) == k), "{k} ports each");
        }
        if topology.contains("leaf-spine") {
            assert_eq!(spec.links[12].channels[0].rate, Rate(40_000_000_000));
            assert_eq!(spec.links[0].channels[0].rate, Rate(10_000_000_000));
        }
    }
}
