//! Runs that leap over what repeats itself find what those find that do not.

use backwater_ends::spec::collectives::{Collective, Operation, PhaseSpec, Schedule, program};
use backwater_ends::spec::{AckEvery, RoceSpec};
use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::{Forward, Watched};

use crate::frames::common::*;

const KINDS: [Collective; 7] = [
    Collective::RingAllReduce,
    Collective::HalvingDoublingAllReduce,
    Collective::TreeAllReduce,
    Collective::PairwiseAllToAll,
    Collective::RingAllGather,
    Collective::TreeBroadcast,
    Collective::Pipeline,
];

/// Hosts around one switch, or around two with a link between them; all stops are by class.
fn hosts(count: u32, (leaves, mbps): (u32, u64), stops: bool) -> Net {
    let mut net = Net::new(1, stops.then(simple));
    for leaf in 0..leaves {
        net.switch(&format!("S{leaf}"));
    }
    if leaves == 2 {
        net.link(0, 1, mbps);
    }
    for host in 0..count {
        let station = net.station(&format!("H{host}"));
        net.link(station, host % leaves, mbps);
    }
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(400 * MS);
    net
}

/// A job whose ranks, size and phases are drawn.
fn job(seed: u64) -> Net {
    let mut draw = Stream::new(seed, 0, Purpose::Pattern);
    let ranks = 2 + draw.below(5) as u32;
    let leaves = 1 + draw.below(2) as u32;
    let mbps = [1_000, 10_000, 100_000][draw.below(3) as usize];
    let mut net = hosts(ranks, (leaves, mbps), draw.below(2) == 0);
    let iterations = 8 + draw.below(40) as u32;
    let phases = (0..1 + draw.below(2)).map(|_| PhaseSpec {
        compute: Duration(US * (1 + draw.below(30))),
        beside: Duration(US * draw.below(2) * 10),
        operation: Some(Operation::whole(
            KINDS[draw.below(7) as usize],
            4_000 + draw.below(40_000),
        )),
        groups: vec![(0..ranks).collect()],
        times: 1,
        schedule: Schedule::Forward,
    });
    let phases: Vec<PhaseSpec> = phases.collect();
    let acks = [AckEvery::Message, AckEvery::Packets(2)][draw.below(2) as usize];
    let Some((lanes, _)) = program((ranks, Time::ZERO, 0), &phases, iterations) else {
        return job(seed + 1_000);
    };
    let flows = 0..lanes.len() as u32;
    for lane in lanes {
        let roce = RoceSpec {
            mtu_bytes: 1_000,
            acks,
            ..RoceSpec::plain(Rate(mbps * MBPS))
        };
        let (from, to) = (leaves + lane.from, leaves + lane.to);
        let list = TrafficSpec::Messages(lane.list);
        net.add(from, to, 0, TransportSpec::Roce(roce), list);
    }
    net.spec.rules.jobs.push(JobSpec {
        name: "train".into(),
        hosts: (leaves..leaves + ranks).collect(),
        start: Time::ZERO,
        iterations,
        phases,
        flows,
        collectives: 0..0,
    });
    net
}

/// All that was found; how many events were handled depends on how it was.
fn told(outcome: &Outcome) -> String {
    let outcome = Outcome {
        events: 0,
        ..outcome.clone()
    };
    format!("{outcome:#?}")
}

/// Both ways: periods leapt over, and both lengths in events.
fn both(net: &Net) -> (u64, [u64; 2]) {
    let mut plain = Watched::new(&net.spec, &[], None).expect("sound");
    plain.run_until(Time::MAX);
    let plain = plain.outcome();
    let mut forward = Forward::of(&net.spec);
    let mut ahead = Watched::new(&net.spec, &[], None).expect("sound");
    assert_eq!(ahead.never_forward(&forward), None);
    while ahead.run_forward(Time::MAX, 5_000, &mut forward) != Some(false) {}
    let ahead = ahead.outcome();
    let (one, other) = (told(&plain), told(&ahead));
    let differs = one.lines().zip(other.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "after {:?}", forward.leapt());
    assert_eq!(one.len(), other.len());
    assert_eq!(plain.trace_hash, ahead.trace_hash);
    let periods = forward.leapt().iter().map(|own| own.times).sum();
    (periods, [plain.events, ahead.events])
}

/// Outcomes and hashes are those of the whole run, and many jobs leap over most of themselves.
#[test]
fn random_jobs_find_the_same_with_leaps() {
    let (mut leapt, mut short) = (0, 0);
    for seed in 0..200 {
        let (periods, [whole, gone_through]) = both(&job(seed));
        leapt += u64::from(periods > 0);
        short += u64::from(gone_through * 2 < whole);
    }
    assert!(leapt > 80 && short > 50, "{leapt} leapt, {short} by half");
}

/// Where anything is drawn at random nothing repeats itself: arrivals, or losses.
#[test]
fn what_is_drawn_at_random_never_leaps() {
    let mut control = 0;
    for seed in 0..12 {
        let mut net = job(seed);
        control += both(&net).0;
        let losses = backwater_net::spec::ErrorSpec {
            data_loss: 0.001,
            ..Default::default()
        };
        for link in &mut net.spec.links {
            link.channels[0].errors = losses;
            link.channels[1].errors = losses;
        }
        assert_eq!(both(&net).0, 0, "losses, seed {seed}");
        let mut net = job(seed);
        let (stations, rate) = (net.spec.nodes.len() as u32, Rate(50 * MBPS));
        let start = Time::ZERO;
        let random = TrafficSpec::Poisson { start, rate };
        net.udp(stations - 1, stations - 2, 1_000, random);
        assert_eq!(both(&net).0, 0, "arrivals, seed {seed}");
    }
    assert!(control > 0, "without them they leap");
}

/// Traffic that goes on and on becomes periodic.
#[test]
fn even_traffic_leaps() {
    for traffic in [constant(300.0), endless()] {
        let mut net = hosts(3, (1, 1_000), false);
        net.udp(1, 3, 1_000, traffic);
        net.spec.stop_at = Time(20 * MS);
        let (periods, [whole, gone_through]) = both(&net);
        assert!(periods > 0 && gone_through * 2 < whole, "{periods}");
    }
}
