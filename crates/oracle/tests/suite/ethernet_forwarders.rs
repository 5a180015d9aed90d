//! Hosts that forward, in the fast engine and the slow one: which way each frame takes, that
//! nothing else goes through a host, and how long a lone transfer takes.

use backwater_kernel::{Channels, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, Scheme, random_spec, run};

use crate::ethernet_agreement::plain;
use crate::ethernet_common::difference;
use crate::ethernet_nics::{mix as beside_nics, shortened};

/// What of everything else there is in the network of this number.
fn mix(number: u64) -> Mix {
    Mix {
        has_nics: number.is_multiple_of(2),
        has_forwarders: true,
        ..beside_nics(number)
    }
}

/// Frames that left a host that is no end of their flow.
fn forwarded(spec: &EthernetSpec, report: &Report) -> usize {
    let starts = report.starts.iter().filter(|start| start.control.is_none());
    let is_through = |channel: u32, flow: u32| {
        let (from, flow) = (spec.links.ends(channel).0, &spec.flows[flow as usize]);
        !spec.is_switch(from) && from != flow.source && from != flow.destination
    };
    let through = starts.filter(|start| is_through(start.channel, start.flow));
    through.count()
}

#[test]
fn they_agree_on_hosts_that_forward() {
    let (mut starts, mut through, mut stops) = (0, 0, 0);
    for number in 0..200 {
        let spec = shortened(random_spec(51_000 + number, mix(number)));
        let report = difference(&spec).unwrap_or_else(|what| panic!("network {number}: {what}"));
        starts += report.starts.len();
        through += forwarded(&spec, &report);
        stops += report
            .channels
            .iter()
            .map(|it| it.stops_obeyed)
            .sum::<u64>();
    }
    assert!(
        starts > 20_000 && through > 2_000 && stops > 50,
        "{starts} {through} {stops}"
    );
}

/// The comparison sees one that forwards no more, and without any nothing goes through a host.
#[test]
fn a_host_that_does_not_forward_is_seen() {
    let (mut seen, mut refused) = (0, 0);
    for number in 0..30 {
        let spec = shortened(random_spec(52_000 + number, mix(number)));
        let right = difference(&spec).expect("both engines agree");
        let through = forwarded(&spec, &right);
        let mut wrong = spec.clone();
        wrong.rules.forwarders.clear();
        match Simulation::<Rings>::new(&wrong) {
            Err(_) => refused += 1,
            Ok(_) => {
                let found = difference(&wrong).expect("they agree");
                assert_eq!(forwarded(&wrong, &found), 0, "network {number}");
                seen += u32::from(through > 0 && found.starts != right.starts);
            }
        }
    }
    assert!(seen + refused > 10 && refused > 2, "{seen} {refused}");
}

/// A lone transfer through hosts takes what is known before.
#[test]
fn alone_through_hosts_takes_what_the_closed_form_says() {
    let mut known = 0;
    for seed in 0..60 {
        let sound = Mix {
            has_forwarders: true,
            ..plain(Scheme::Off)
        };
        let mut spec = random_spec(53_000 + seed, sound);
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
            if !report.drops.is_empty() || forwarded(&lone, &report) == 0 {
                continue;
            }
            let last = report.deliveries.iter().map(|it| it.at_ps).max();
            let took = Time(last.expect("it arrives")).since(Time(1_000));
            let mut simulation = Simulation::<Rings>::new(&lone).expect("a sound network");
            simulation.run();
            let alone = simulation.outcome().flows[0].alone;
            assert_eq!(alone, Some(took), "seed {seed}: {}", lone.flows[0].name);
            known += 1;
        }
    }
    assert!(known > 20, "{known}");
}
