//! How long a transfer takes that has the network to itself: the closed form of the fast engine is
//! what the slow one takes step by step, and in a crowd nobody is faster.

use backwater_kernel::{Duration, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::{FlowOutcome, Outcome};
use backwater_oracle::ethernet::{Mix, SCHEMES, Scheme, random_spec, run};

const SEEDS: u64 = 25;
const START: Time = Time(1_000);

/// Nothing is broken: frames may be dropped for want of room, and stopped.
fn sound(scheme: Scheme) -> Mix {
    Mix {
        has_faults: false,
        has_watchdogs: false,
        has_time_outs: false,
        has_tcp: false,
        ..Mix::of(scheme)
    }
}

fn file(bytes: u64) -> TrafficSpec {
    TrafficSpec::Infinite {
        start: START,
        bytes: Some(bytes),
    }
}

/// Every flow of a random network sends a file, over links and switches as they come.
fn files(seed: u64, scheme: Scheme) -> EthernetSpec {
    let mut spec = random_spec(seed, sound(scheme));
    (spec.warm_up, spec.stop_at) = (Time::ZERO, Time(10_000_000_000_000));
    for (index, flow) in (0..).zip(&mut spec.flows) {
        flow.traffic = file(1 + (seed * 977 + index * 1_409) % 12_000);
    }
    spec
}

fn fast(spec: &EthernetSpec) -> Outcome {
    let mut simulation = Simulation::<Rings>::new(spec).expect("a sound network");
    simulation.run();
    simulation.outcome()
}

/// When the last frame of a lone flow came in the slow engine, since its start; nothing if one was
/// dropped or the flow was stopped.
fn step_by_step(spec: &EthernetSpec) -> Option<Duration> {
    let report = run(spec).expect("the slow engine takes it");
    let stops: u64 = report.channels.iter().map(|own| own.stops_obeyed).sum();
    if !report.drops.is_empty() || stops > 0 {
        return None;
    }
    let last = report.deliveries.last().expect("it arrives");
    Some(Time(last.at_ps).since(START))
}

fn slowdown(flow: &FlowOutcome) -> Option<f64> {
    flow.slowdown.min()
}

#[test]
fn alone_takes_what_the_closed_form_says() {
    let (mut compared, mut hops) = (0, 0);
    for scheme in SCHEMES {
        for seed in 0..SEEDS {
            let crowd = files(seed, scheme);
            for flow in &crowd.flows {
                let lone = EthernetSpec {
                    flows: vec![flow.clone()],
                    ..crowd.clone()
                };
                let Some(took) = step_by_step(&lone) else {
                    continue;
                };
                let outcome = fast(&lone);
                let found = &outcome.flows[0];
                assert_eq!(found.alone, Some(took), "seed {seed}: {}", flow.name);
                assert_eq!(slowdown(found), Some(1.0), "seed {seed}: {}", flow.name);
                (compared, hops) = (compared + 1, hops + outcome.unit_hops);
            }
        }
    }
    assert!(compared > 300 && hops > 4_000, "{compared} {hops}");
}

#[test]
fn in_a_crowd_nobody_is_faster() {
    let (mut finished, mut slower) = (0, 0);
    for scheme in SCHEMES {
        for seed in 0..SEEDS {
            let crowd = files(seed, scheme);
            for flow in &fast(&crowd).flows {
                if let Some(slowdown) = slowdown(flow) {
                    assert!(slowdown >= 1.0, "seed {seed}: {slowdown}");
                    finished += 1;
                    slower += u32::from(slowdown > 1.001);
                }
            }
        }
    }
    assert!(finished > 300, "{finished}");
    // Else the law would hold for want of a crowd.
    assert!(slower > finished / 4, "{slower} of {finished}");
}

/// What a frame is longer by on one link is seen: the law above could fail.
#[test]
fn a_link_that_is_slower_than_told_is_seen() {
    let mut seen = 0;
    for seed in 0..SEEDS {
        let crowd = files(seed, SCHEMES[0]);
        let lone = EthernetSpec {
            flows: crowd.flows[..1].to_vec(),
            ..crowd
        };
        let told = fast(&lone).flows[0].alone.expect("one path");
        let mut slower = lone.clone();
        let source = slower.flows[0].source;
        for link in &mut slower.links {
            for channel in &mut link.channels {
                if link.ends.contains(&source) {
                    channel.delay = channel.delay + Duration(1);
                }
            }
        }
        if let Some(took) = step_by_step(&slower) {
            assert_eq!(took.ps(), told.ps() + 1, "seed {seed}");
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen}");
}
