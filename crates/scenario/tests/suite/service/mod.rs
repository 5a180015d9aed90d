//! Schedulers, pools, reservations, envelopes, sessions and what is measured.

mod checks;
mod guarantees;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{
    EnvelopeRule, EnvelopeSpec, Excess, FlowSpec, Hold, NetworkSpec, OnAlarm, PoolSpec,
    ReserveSpec, Resync, SchedulerSpec, SessionSpec, SizeShare, Stamp, TrafficSpec,
    VirtualClockSpec, WhenFull,
};
use backwater_scenario::{Diagnostics, MeasureSpec, PacketScenario, Scenario, Set, Source, parse};

const MS: u64 = 1_000_000_000;
const SECOND: u64 = 1000 * MS;

fn try_read(text: &str, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::new(set).expect("key=value"))
        .collect();
    parse(&Source::new("test.toml", text), &sets)
}

fn packet(text: &str, sets: &[&str]) -> PacketScenario {
    let scenario = try_read(text, sets).expect("no mistakes");
    let packet = scenario.packet().expect("a scenario of the packet engine");
    packet.clone()
}

/// The tables of `tests/files/service.toml`, which has every key.
fn whole() -> PacketScenario {
    packet(include_str!("../../files/service.toml"), &[])
}

/// Two switches in a row at 1 Mbps, units of 250 bytes, with these tables and one flow `f`.
fn simple(tables: &str, flow: &str) -> String {
    format!(
        "[run]\nduration = \"10 s\"\n[unit]\nbytes = 250\n\
         [link]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
         [network]\nhosts = [\"A\", \"B\", \"C\"]\nswitches = [\"S\", \"T\"]\n\
         [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"S\", \"T\"]\n\
         [[links]]\nbetween = [\"T\", \"B\"]\n[[links]]\nbetween = [\"C\", \"S\"]\n\
         {tables}\n[[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n{flow}\n"
    )
}

/// A second flow, from `C`.
fn second(flow: &str) -> String {
    format!("[[flows]]\nname = \"g\"\nfrom = \"C\"\nto = \"B\"\n{flow}\n")
}

fn network(tables: &str, flow: &str) -> NetworkSpec {
    packet(&simple(tables, flow), &[]).network
}

fn flow(keys: &str) -> FlowSpec {
    network("", keys).flows.remove(0)
}

/// The disciplines of both channels of all links.
fn schedulers(network: &NetworkSpec) -> Vec<SchedulerSpec> {
    let links = network.links.iter();
    links
        .flat_map(|link| [link.channels[0].scheduler, link.channels[1].scheduler])
        .collect()
}

#[test]
fn every_key_of_a_port_is_read() {
    let network = whole().network;
    let clock = SchedulerSpec::VirtualClock(VirtualClockSpec {
        stamp: Stamp::AuxVc,
        resync: Resync::None,
        threshold: Some(Duration(5 * SECOND)),
        alarm_bytes: Some(64),
    });
    let drr = SchedulerSpec::Drr {
        quantum_bytes: 1500,
    };
    let ats = SchedulerSpec::Ats {
        max_residence: Some(Duration(10 * MS)),
    };
    assert_eq!(
        schedulers(&network),
        [drr, drr, clock, ats, clock, clock, clock, clock]
    );
    let pool = PoolSpec {
        limit_units: Some(100),
        limit_bytes: Some(64_000),
        when_full: WhenFull::PushOut,
        hold: Hold::Start,
        alpha: None,
    };
    let pools: Vec<_> = network.nodes.iter().map(|node| node.pool).collect();
    assert_eq!(pools, [None, None, None, Some(pool), Some(pool)]);
    let measure = MeasureSpec {
        ports: true,
        window: Duration(100 * MS),
    };
    assert_eq!(whole().measure, measure);
}

#[test]
fn every_key_of_a_flow_is_read() {
    let flows = whole().network.flows;
    let reserve = ReserveSpec {
        rate: Rate(20_000),
        interval: Some(Duration(5 * SECOND)),
        burst_bytes: Some(500),
        offset: Duration(MS),
        deadline: Some(Duration(20 * MS)),
    };
    assert_eq!(flows[0].reserve, Some(reserve));
    let window = EnvelopeRule::FixedWindow {
        units: 50,
        interval: Duration(5 * SECOND),
        phase: Some(Duration(SECOND)),
    };
    let held = |rule, excess| Some(EnvelopeSpec { rule, excess });
    assert_eq!(flows[0].envelope, held(window, Excess::Freeze));
    assert_eq!(flows[0].policer, None);
    assert_eq!(flows[0].on_alarm, OnAlarm::SlowDown { factor: 0.5 });
    let size = |bytes, share| SizeShare { bytes, share };
    assert_eq!(flows[1].sizes, [size(64, 0.75), size(1500, 0.25)]);
    assert_eq!(flows[1].unit_bytes, 1500);
    let bucket = EnvelopeRule::Bucket {
        rate: Rate(25_000),
        tolerance: Duration(150 * MS),
    };
    assert_eq!(flows[1].policer, held(bucket, Excess::Delay));
    let session = SessionSpec {
        open: Time(SECOND),
        close: Some(Time(15 * SECOND)),
        message_bytes: 128,
    };
    assert_eq!(flows[1].session, Some(session));
    let sliding = EnvelopeRule::SlidingWindow {
        units: 20,
        interval: Duration(SECOND),
    };
    assert_eq!(flows[2].policer, held(sliding, Excess::Drop));
}

#[test]
fn nothing_is_there_unless_it_is_given() {
    let scenario = packet(&simple("", ""), &[]);
    let flow = &scenario.network.flows[0];
    let none = (None, None, None, None);
    assert_eq!(
        (flow.reserve, flow.envelope, flow.policer, flow.session),
        none
    );
    assert_eq!((flow.on_alarm, flow.sizes.len()), (OnAlarm::Ignore, 0));
    assert!(scenario.network.nodes.iter().all(|n| n.pool.is_none()));
    assert_eq!(
        schedulers(&scenario.network),
        [SchedulerSpec::RoundRobin; 8]
    );
    assert!(!scenario.measure.ports);
    assert_eq!(
        scenario.measure.window,
        Duration(10 * MS),
        "a thousandth of the run"
    );
}

#[test]
fn every_discipline_has_its_word() {
    use SchedulerSpec as S;
    let clock = VirtualClockSpec {
        stamp: Stamp::AuxVc,
        resync: Resync::IdleLink,
        threshold: None,
        alarm_bytes: None,
    };
    let literal = VirtualClockSpec {
        stamp: Stamp::VirtualClock,
        resync: Resync::Literal,
        ..clock
    };
    let expected = [
        ("kind = \"round-robin\"", S::RoundRobin),
        ("", S::RoundRobin),
        ("kind = \"fifo\"", S::Fifo),
        ("kind = \"strict-priority\"", S::StrictPriority),
        ("kind = \"virtual-clock\"", S::VirtualClock(clock)),
        (
            "kind = \"virtual-clock\"\nstamp = \"virtual-clock\"\nresync = \"literal\"",
            S::VirtualClock(literal),
        ),
        ("kind = \"wfq\"", S::Wfq),
        ("kind = \"wf2q+\"", S::Wf2qPlus),
        ("kind = \"scfq\"", S::Scfq),
        ("kind = \"sfq\"", S::Sfq),
        ("kind = \"drr\"", S::Drr { quantum_bytes: 250 }),
        ("kind = \"edf\"", S::Edf),
        (
            "kind = \"ats\"",
            S::Ats {
                max_residence: None,
            },
        ),
    ];
    for (keys, spec) in expected {
        let network = network(&format!("[scheduler]\n{keys}"), "");
        assert_eq!(schedulers(&network), [spec; 8], "{keys}");
    }
}

#[test]
fn a_quantum_is_the_largest_unit_of_any_flow() {
    let sizes = "sizes = [{ bytes = \"64 B\", share = 1 }, { bytes = \"9 kB\", share = 0.1 }, \
                 { bytes = \"12 kB\", share = 0 }]";
    let text = simple("[scheduler]\nkind = \"drr\"", "") + &second(sizes);
    let drr = SchedulerSpec::Drr {
        quantum_bytes: 9000,
    };
    assert_eq!(schedulers(&packet(&text, &[]).network), [drr; 8]);
}

#[test]
fn the_nearest_scheduler_holds() {
    use SchedulerSpec as S;
    let text = simple("[scheduler]\nkind = \"fifo\"", "");
    let found = |sets: &[&str]| schedulers(&packet(&text, sets).network);
    assert_eq!(found(&[]), [S::Fifo; 8]);
    let link = "link.scheduler.kind=sfq";
    assert_eq!(found(&[link]), [S::Sfq; 8]);
    let one = "links.S-T.scheduler.kind=edf";
    let mut expected = [S::Sfq; 8];
    (expected[2], expected[3]) = (S::Edf, S::Edf);
    assert_eq!(found(&[link, one]), expected);
    expected[3] = S::Wfq;
    let side = "links.S-T.backward.scheduler.kind=wfq";
    assert_eq!(found(&[link, one, side]), expected);
}

#[test]
fn trunks_may_have_a_scheduler_of_their_own() {
    use SchedulerSpec as S;
    let text = "[run]\nduration = \"1 s\"\n[link]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
                [topology]\nkind = \"line\"\nswitches = 2\n\
                trunk = { scheduler = { kind = \"scfq\" } }\n\
                [[flows]]\nname = \"f\"\nfrom = \"H1_1\"\nto = \"H2_1\"\n";
    let scenario = packet(text, &[]);
    let mut expected = [S::RoundRobin; 6];
    (expected[0], expected[1]) = (S::Scfq, S::Scfq);
    assert_eq!(schedulers(&scenario.network), expected);
    assert!(scenario.measure.ports, "a scheduler is given");
    assert!(!packet(text, &["measure.ports=false"]).measure.ports);
    let fifo = packet(text, &["scheduler.kind=fifo"]);
    assert_eq!(schedulers(&fifo.network)[1..3], [S::Scfq, S::Fifo]);
}

#[test]
fn a_pool_alone_has_its_defaults_and_is_measured() {
    let scenario = packet(&simple("[buffer.shared]\nunits = 100", ""), &[]);
    let pool = PoolSpec {
        limit_units: Some(100),
        limit_bytes: None,
        when_full: WhenFull::TailDrop,
        hold: Hold::End,
        alpha: None,
    };
    assert_eq!(scenario.network.nodes[3].pool, Some(pool));
    assert!(scenario.measure.ports);
}

#[test]
fn envelopes_fill_in_from_the_reservation() {
    let rule = |keys: &str| {
        let flow = flow(keys);
        let held = flow.envelope.or(flow.policer);
        held.expect("an envelope").rule
    };
    let fixed = |units, ms| EnvelopeRule::FixedWindow {
        units,
        interval: Duration(ms * MS),
        phase: None,
    };
    let reserve = "reserve = { rate = \"20 kbps\", interval = \"5 s\" }\n";
    let window = "envelope = { kind = \"fixed-window\" }";
    assert_eq!(rule(&format!("{reserve}{window}")), fixed(50, 5000));
    // 20,000 bit/s times 599.9 ms is one bit short of six units of 2,000 bits.
    let short = "reserve = { rate = \"20 kbps\", interval = \"599.9 ms\" }\n";
    assert!(matches!(
        rule(&format!("{short}{window}")),
        EnvelopeRule::FixedWindow { units: 5, .. }
    ));
    let tiny = "reserve = { rate = \"1 bps\", interval = \"1 ms\" }\n";
    assert_eq!(rule(&format!("{tiny}{window}")), fixed(1, 1));
    let own = "envelope = { kind = \"fixed-window\", interval = \"1 s\" }";
    assert_eq!(rule(&format!("{reserve}{own}")), fixed(10, 1000));
    let bucket = |ps| EnvelopeRule::Bucket {
        rate: Rate(20_000),
        tolerance: Duration(ps),
    };
    let policer = |keys: &str| rule(&format!("{reserve}policer = {{ kind = \"bucket\"{keys} }}"));
    assert_eq!(policer(""), bucket(0));
    assert_eq!(policer(", burst = \"500 B\""), bucket(100 * MS));
    assert_eq!(policer(", tolerance = \"15 ms\""), bucket(15 * MS));
    let deep =
        "reserve = { rate = \"20 kbps\", burst = \"1 kB\" }\npolicer = { kind = \"bucket\" }";
    assert_eq!(rule(deep), bucket(300 * MS));
    let third = "policer = { kind = \"bucket\", rate = \"3 bps\", burst = \"251 B\" }";
    let up = EnvelopeRule::Bucket {
        rate: Rate(3),
        tolerance: Duration(2_666_666_666_667),
    };
    assert_eq!(rule(third), up, "rounded up");
}

#[test]
fn traffic_keeps_its_mean() {
    let traffic = |keys: &str| flow(&format!("traffic = {{ {keys} }}")).traffic;
    let trains = |gap: u64, pause: u64| TrafficSpec::Trains {
        start: Time::ZERO,
        mean_units: 1.5,
        gap: Duration(gap * MS),
        mean_pause: Duration(pause * MS),
        total: None,
    };
    // 250 bytes at 20 kbps: one unit in 100 ms.
    let some = "kind = \"trains\", rate = \"20 kbps\", length = 1.5";
    assert_eq!(traffic(some), trains(50, 75));
    assert_eq!(traffic(&format!("{some}, gap = \"80 ms\"")), trains(80, 30));
    let poisson = "kind = \"poisson\", load = \"2 %\", min_gap = \"50 ms\"";
    assert!(matches!(
        traffic(poisson),
        TrafficSpec::Poisson { mean_interval, min_interval, .. }
            if mean_interval.0 == 100 * MS && min_interval.0 == 50 * MS
    ));
    for (phase, random) in [("fixed", false), ("random", true)] {
        let keys = format!("kind = \"constant\", interval = \"1 ms\", phase = \"{phase}\"");
        assert!(matches!(
            traffic(&keys),
            TrafficSpec::Constant { random_phase, .. } if random_phase == random
        ));
    }
}

#[test]
fn loads_of_several_sizes_refer_to_the_mean() {
    let interval = |sizes: &str| {
        let keys =
            format!("sizes = [{sizes}]\ntraffic = {{ kind = \"constant\", load = \"50 %\" }}");
        match flow(&keys).traffic {
            TrafficSpec::Constant { interval, .. } => interval.0,
            other => panic!("{other:?}"),
        }
    };
    let half = "{ bytes = \"64 B\", share = 3 }, { bytes = \"1500 B\", share = 3 }";
    assert_eq!(interval(half), 2 * 782 * 8 * 1_000_000, "782 bytes");
    assert_eq!(
        interval("{ bytes = \"250 B\", share = 0.1 }"),
        2 * 250 * 8 * 1_000_000
    );
}

#[test]
fn sets_reach_every_part_of_a_flow() {
    let sets = [
        "flows.f.reserve.rate=\"30 kbps\"",
        "flows.f.envelope.kind=sliding-window",
        "flows.f.envelope.interval=\"1 s\"",
        "flows.f.sizes=[{ bytes = \"64 B\", share = 1 }]",
        "flows.f.sizes.0.bytes=\"100 B\"",
        "flows.f.session.open=\"1 ms\"",
        "buffer.shared.units=7",
        "measure.window=\"5 ms\"",
    ];
    let scenario = packet(&simple("", ""), &sets);
    let flow = &scenario.network.flows[0];
    assert_eq!(flow.reserve.map(|reserve| reserve.rate), Some(Rate(30_000)));
    let rule = EnvelopeRule::SlidingWindow {
        units: 37,
        interval: Duration(SECOND),
    };
    assert_eq!(flow.envelope.map(|envelope| envelope.rule), Some(rule));
    assert_eq!(flow.unit_bytes, 100);
    assert_eq!(
        flow.session.map(|s| (s.open, s.message_bytes)),
        Some((Time(MS), 64))
    );
    let pool = scenario.network.nodes[3].pool;
    assert_eq!(pool.and_then(|pool| pool.limit_units), Some(7));
    assert_eq!(scenario.measure.window, Duration(5 * MS));
}
