//! The largest rank at the end of a queue, against a look at every queue.

use backwater_kernel::Rings;

use super::*;
use crate::Simulation;
use crate::network::Network;
use crate::probe::{Audit, Probe};
use crate::scheduler::Scheduler;
use crate::scheduler::testing::{busy, idle, share};
use crate::spec::*;

fn groups(sizes: &[u32]) -> Vec<Vec<(u32, Share)>> {
    let mut leg = 100;
    let mut next = |_| {
        leg += 1;
        (leg, share(10))
    };
    let group = |&size: &u32| (0..size).map(&mut next).collect();
    sizes.iter().map(group).collect()
}

fn unit(rank: u64) -> Packet {
    Packet {
        rank,
        came: Time::ZERO,
        bytes: 1,
    }
}

#[test]
fn the_group_served_last_is_asked_first() {
    let mut ranked = Ranked::new(&SchedulerSpec::Fifo, Rate(1), groups(&[2, 2]), true);
    assert_eq!(ranked.largest_tail(), None);
    ranked.on_tail(Seat::new(0, 0), unit(900));
    assert_eq!(ranked.largest_tail(), Some(101));
    ranked.on_tail(Seat::new(1, 0), unit(5));
    ranked.on_tail(Seat::new(1, 1), unit(5));
    assert_eq!(ranked.largest_tail(), Some(104), "the later flow");
    ranked.on_empty(Seat::new(1, 1));
    assert_eq!(ranked.largest_tail(), Some(103));
    ranked.on_empty(Seat::new(1, 0));
    ranked.on_tail(Seat::new(0, 1), unit(901));
    assert_eq!(ranked.largest_tail(), Some(102));
}

#[test]
fn ends_are_not_kept_unless_asked_for() {
    let mut ranked = Ranked::new(&SchedulerSpec::Fifo, Rate(1), groups(&[1]), false);
    ranked.on_tail(Seat::new(0, 0), unit(1));
    ranked.on_empty(Seat::new(0, 0));
    assert!(!ranked.tracks_tails && ranked.largest_tail().is_none());
}

#[test]
fn the_least_instant_of_groups_that_hold_is_waited_for() {
    let ats = SchedulerSpec::Ats {
        max_residence: None,
    };
    let mut seats = groups(&[1, 1]);
    seats
        .iter_mut()
        .flatten()
        .for_each(|(_, share)| share.unit_bytes = 3);
    let mut ranked = Ranked::new(&ats, Rate(1), seats, false);
    for (group, bytes) in [(0, 3), (1, 2)] {
        let place = Seat::new(group, 0);
        let mut arrive = || ranked.on_arrival(&idle(0), place, bytes);
        arrive().expect("it is admitted");
        let rank = arrive().expect("it is admitted").rank;
        let came = Time(0);
        ranked.ready(came, place, Packet { rank, came, bytes });
    }
    // Second units: of the first group at 30, of the other, smaller than its burst, at 10.
    assert_eq!(ranked.choose(Time(1)), Choice::Wait(Time(10)));
    assert!(!ranked.may_start(Time(9)) && ranked.may_start(Time(10)));
    assert_eq!(ranked.choose(Time(10)), Choice::Leg(102));
}

/// What the port says of a unit that comes at `now` and finds it idle, or not.
fn arrive(ranked: &mut Ranked, now: u64, group: u32, seat: u32) -> u64 {
    let port = match ranked.is_empty() {
        true => idle(now),
        false => busy(now, None),
    };
    let place = Seat::new(group, seat);
    let admitted = ranked.on_arrival(&port, place, 1).expect("it is admitted");
    let (rank, came) = (admitted.rank, Time(now));
    let bytes = 1;
    ranked.ready(came, place, Packet { rank, came, bytes });
    rank
}

fn serve(ranked: &mut Ranked, place: Seat, rank: u64) {
    let (came, bytes) = (Time(0), 1);
    ranked.on_start(Time(0), place, Packet { rank, came, bytes }, None);
    ranked.not_ready(place);
}

/// The busy period is one of the port, whatever group it begins with.
#[test]
fn tags_of_all_groups_start_anew_with_a_busy_period() {
    // Group 1 has two flows, a byte in 10 ps each.
    let begin = |spec: &SchedulerSpec| {
        let mut ranked = Ranked::new(spec, Rate(1), groups(&[1, 2]), false);
        let first = arrive(&mut ranked, 0, 1, 0);
        serve(&mut ranked, Seat::new(1, 0), first);
        // The port is idle, then a unit of group 0 comes.
        let other = arrive(&mut ranked, 100, 0, 0);
        let ranks = [0, 1].map(|seat| arrive(&mut ranked, 100, 1, seat));
        (first, other, ranks)
    };
    assert_eq!(begin(&SchedulerSpec::Scfq), (10, 10, [10, 10]));
    assert_eq!(begin(&SchedulerSpec::Sfq), (0, 0, [10, 10]));
}

/// Compares after each instant; how often something waited.
struct Compare(u64);

impl Probe for Compare {
    fn after_instant(&mut self, at: Time, network: &Network) {
        let Scheduler::Ranked(ranked) = &network.channels[0].scheduler else {
            panic!("the port ranks");
        };
        let legs = (0..network.legs.len() as u32).filter_map(|id| {
            let sender = &network.legs[id as usize].sender;
            let last = (sender.queue.len > 0).then(|| network.units.packet(sender.queue.tail))?;
            Some((sender.place.group(), last.rank, last.came, id))
        });
        let largest = legs.max().map(|(.., leg)| leg);
        assert_eq!(ranked.largest_tail(), largest, "{at:?}");
        self.0 += u64::from(largest.is_some());
    }
}

/// Six flows in two groups at one port of a node that pushes out.
fn network(scheduler: SchedulerSpec) -> NetworkSpec {
    let node = |when_full: Option<WhenFull>| NodeSpec {
        name: "N".into(),
        kind: NodeKind::Host,
        pool: when_full.map(|when_full| PoolSpec {
            limit_units: None,
            limit_bytes: None,
            when_full,
            hold: Hold::Start,
            alpha: None,
        }),
    };
    let channel = |scheduler| ChannelSpec {
        rate: Rate(1_000_000_000),
        delay: Duration(1000),
        handling: Duration::ZERO,
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler,
    };
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed: 3,
        stop_at: Time(2_000_000_000),
        warm_up: Time::ZERO,
        nodes: [Some(WhenFull::PushOut), None].map(node).into(),
        links: [LinkSpec {
            ends: [0, 1],
            channels: [channel(scheduler), channel(SchedulerSpec::RoundRobin)],
        }]
        .into(),
        flows: (0..6).map(flow).collect(),
    }
}

fn flow(id: u32) -> FlowSpec {
    let leg = LegSpec {
        channel: 0,
        parent: None,
        flow_control: FlowControlSpec::None,
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Drop,
        },
    };
    FlowSpec {
        name: "F".into(),
        source: 0,
        legs: [leg].into(),
        priority: (id % 2) as u8,
        unit_bytes: 100 * (1 + id),
        sizes: Vec::new(),
        traffic: TrafficSpec::Poisson {
            start: Time::ZERO,
            mean_interval: Duration(5_600_000 * (1 + id as u64)),
            min_interval: Duration::ZERO,
            total: None,
        },
        source_control: SourceControlSpec::None,
        sink: SinkSpec::Infinite,
        partner: None,
        reserve: (id != 5).then_some(ReserveSpec {
            rate: Rate(100_000_000),
            interval: Some(Duration(40_000_000)),
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        }),
        envelope: None,
        policer: None,
        on_alarm: OnAlarm::Ignore,
        session: None,
    }
}

#[test]
fn a_port_knows_what_it_would_serve_last() {
    let clock = |resync| {
        SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp: Stamp::AuxVc,
            resync,
            threshold: None,
            alarm_bytes: None,
        })
    };
    let kinds = [
        SchedulerSpec::Fifo,
        SchedulerSpec::StrictPriority,
        SchedulerSpec::Edf,
        clock(Resync::None),
        clock(Resync::Literal),
    ];
    for kind in kinds {
        let mut spec = network(kind);
        let mut simulation =
            Simulation::<Rings, _>::with_probe(&spec, Compare(0)).expect("it is sound");
        simulation.run();
        let compared = simulation.into_probe().0;
        assert!(compared > 500, "{kind:?}: {compared}");
        // Only a node that pushes out keeps them.
        spec.nodes[0].pool = None;
        let simulation = Simulation::<Rings>::new(&spec).expect("it is sound");
        match &simulation.network.channels[0].scheduler {
            Scheduler::Ranked(ranked) => assert!(!ranked.tracks_tails),
            Scheduler::Line(_) => assert_eq!(kind, SchedulerSpec::Fifo),
            Scheduler::RoundRobin(_) => panic!("{kind:?} is not round robin"),
        }
    }
}

#[test]
fn the_audit_sees_a_held_unit_that_nobody_will_wake() {
    let spec = network(SchedulerSpec::Ats {
        max_residence: None,
    });
    let mut simulation = Simulation::<Rings>::new(&spec).expect("it is sound");
    let holds = |network: &Network, now: Time| {
        let channel = &network.channels[0];
        channel.free_at <= now && channel.has_work()
    };
    let mut now = Time::ZERO;
    while !holds(&simulation.network, now) {
        now += Duration(100_000);
        assert!(simulation.run_until(now), "the port holds some time");
    }
    let violations = |at: Time, network: &Network| {
        let mut audit = Audit::new(&spec);
        audit.on_rank(at, 0, 0, 0);
        audit.after_instant(at, network);
        audit.checks().violations().total()
    };
    let network = &mut simulation.network;
    assert_eq!(violations(now, network), 0);
    // Past the instant for which it waits nothing has started; or nothing will ask.
    let until = network.channels[0].held_until;
    assert_eq!(violations(until, network), 1);
    network.channels[0].held_until = now;
    assert_eq!(violations(now, network), 1);
}
