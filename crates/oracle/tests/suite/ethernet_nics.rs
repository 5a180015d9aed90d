//! Hosts with several links, in the fast engine and the slow one: which link each frame takes, what
//! stops hold, and how long a lone transfer takes over all of them.

use std::collections::BTreeSet;

use backwater_kernel::{Channels, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, SCHEMES, SPREADS, Scheme, random_spec, run};

use crate::ethernet_agreement::plain;
use crate::ethernet_common::difference;

/// What of everything else there is in the network of this number.
pub fn mix(number: u64) -> Mix {
    let scheme = SCHEMES[(number % 5) as usize];
    let kind = number / 5 % 8;
    let is_off = scheme == Scheme::Off;
    Mix {
        has_nics: true,
        has_tcp: matches!(kind, 1 | 2 | 5 | 7),
        has_pairs: matches!(kind, 2 | 5),
        has_waits: kind == 3,
        has_datagram_waits: kind == 3,
        has_losses: kind == 1,
        has_multicast: false,
        has_inputs: kind.is_multiple_of(2),
        has_watchdogs: kind == 4,
        has_faults: kind == 4,
        has_quanta: kind == 4 || kind == 5,
        has_shared: kind == 6,
        spread: match kind {
            7 => SPREADS[number as usize / 40 % SPREADS.len()],
            _ => Spread::Flows,
        },
        has_credits: is_off && kind.is_multiple_of(2),
        has_counters: is_off && kind == 2,
        ..plain(scheme)
    }
}

/// Half as long: the slow engine takes a quarter of the time.
pub fn shortened(spec: EthernetSpec) -> EthernetSpec {
    EthernetSpec {
        stop_at: Time(spec.stop_at.ps() / 2),
        ..spec
    }
}

/// Channels by which frames of one way of a flow left their host, as many as there are ways that
/// took more than one.
fn several(spec: &EthernetSpec, report: &Report) -> usize {
    let is_host = |channel: u32| {
        let from = spec.links.ends(channel).0 as usize;
        matches!(spec.nodes[from].kind, NodeKind::Station { .. })
    };
    let taken = report.starts.iter().filter(|start| is_host(start.channel));
    let taken: BTreeSet<(u32, u32, u32)> = taken
        .filter(|start| start.control.is_none())
        .map(|start| (start.flow, spec.links.ends(start.channel).0, start.channel))
        .collect();
    let ways: Vec<_> = taken.iter().map(|it| (it.0, it.1)).collect();
    ways.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

#[test]
fn they_agree_on_hosts_with_several_links() {
    let (mut starts, mut ways, mut stops) = (0, 0, 0);
    for number in 0..200 {
        let spec = shortened(random_spec(41_000 + number, mix(number)));
        let report = difference(&spec).unwrap_or_else(|what| panic!("network {number}: {what}"));
        starts += report.starts.len();
        ways += several(&spec, &report);
        stops += report
            .channels
            .iter()
            .map(|it| it.stops_obeyed)
            .sum::<u64>();
    }
    assert!(
        starts > 20_000 && ways > 80 && stops > 50,
        "{starts} {ways} {stops}"
    );
}

/// The comparison sees another rule, and another rail.
#[test]
fn another_rule_or_rail_is_seen() {
    let (mut rules, mut rails) = (0, 0);
    for number in 0..20 {
        let spec = shortened(random_spec(42_000 + number, mix(number)));
        let right = difference(&spec).expect("both engines agree").starts;
        let other = |rule: NicRule| match rule {
            NicRule::Hash => NicRule::Spread,
            NicRule::Spread => NicRule::Rail,
            NicRule::Rail => NicRule::Hash,
        };
        let mut wrong = spec.clone();
        let nics = wrong.rules.nics.iter_mut();
        nics.for_each(|nic| nic.rule = other(nic.rule));
        rules += u32::from(difference(&wrong).expect("they agree").starts != right);
        let mut wrong = spec.clone();
        let flows = 0..spec.flows.len() as u32;
        wrong.rules.rails = flows.map(|flow| spec.rules.rail(flow) + 1).collect();
        rails += u32::from(difference(&wrong).expect("they agree").starts != right);
    }
    assert!(rules > 8 && rails > 2, "{rules} {rails}");
}

/// A lone transfer over several links takes what is known before, or that is not known.
#[test]
fn alone_over_several_links_takes_what_the_closed_form_says() {
    let (mut known, mut round) = (0, 0);
    for seed in 0..60 {
        let sound = Mix {
            has_nics: true,
            ..plain(Scheme::Off)
        };
        let mut spec = random_spec(43_000 + seed, sound);
        (spec.warm_up, spec.stop_at) = (Time::ZERO, Time(10_000_000_000_000));
        for (index, flow) in (0..).zip(&spec.flows) {
            let mut flow = flow.clone();
            flow.traffic = TrafficSpec::Infinite {
                start: Time(1_000),
                bytes: Some(1 + (seed * 977 + index * 1_409) % 12_000),
            };
            let lone = EthernetSpec {
                flows: vec![flow],
                ..spec.clone()
            };
            let report = run(&lone).expect("the slow engine takes it");
            if !report.drops.is_empty() {
                continue;
            }
            let last = report.deliveries.iter().map(|it| it.at_ps).max();
            let took = Time(last.expect("it arrives")).since(Time(1_000));
            let mut simulation = Simulation::<Rings>::new(&lone).expect("a sound network");
            simulation.run();
            let found = &simulation.outcome().flows[0];
            let ways = several(&lone, &report);
            if let Some(alone) = found.alone {
                assert_eq!(alone, took, "seed {seed}: {}", lone.flows[0].name);
                known += 1;
                round += usize::from(ways > 0);
            } else {
                assert!(lone.rules.spreads_at_hosts(), "seed {seed}");
            }
        }
    }
    assert!(known > 100 && round > 3, "{known} {round}");
}
