//! Queue pairs: the fast engine starts their packets when the slow one does, whatever marks, loses,
//! stops or holds back by credit.

use backwater_ends::spec::RateControlSpec;
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, SCHEDULERS, SCHEMES, Scheme, Start};

use crate::ethernet_agreement::{bites, plain, seen, under};
use crate::ethernet_common;

fn pairs(mix: &mut Mix) {
    (mix.has_tcp, mix.has_pairs) = (true, true);
}

#[test]
fn they_agree_on_queue_pairs() {
    under(&SCHEMES, 11_000, pairs);
    under(&[Scheme::Off, Scheme::Class], 17_000, |mix| {
        pairs(mix);
        mix.is_finite = true;
    });
    let reach = under(&[Scheme::Off, Scheme::Class, Scheme::Port], 20_000, |mix| {
        pairs(mix);
        (mix.has_losses, mix.has_quanta) = (true, true);
    });
    assert!(reach.lost > 500, "{reach:?}");
    let reach = under(&[Scheme::Off, Scheme::Off], 25_000, |mix| {
        pairs(mix);
        (mix.has_credits, mix.has_counters) = (true, true);
    });
    assert!(reach.credits > 500, "{reach:?}");
    under(&[Scheme::Class], 28_000, |mix| {
        pairs(mix);
        (mix.has_inputs, mix.spread) = (true, Spread::Frames);
    });
}

/// The comparison sees packets of a byte less, and no marks where there were some.
#[test]
fn pairs_that_are_a_little_wrong_are_seen() {
    let mut mix = plain(Scheme::Off);
    pairs(&mut mix);
    let has_pairs = |spec: &EthernetSpec, report: &Report| {
        let pairs = |flow: &FlowSpec| matches!(flow.transport, TransportSpec::Roce(_));
        spec.flows.iter().filter(|flow| pairs(flow)).count() > 2 && report.starts.len() > 500
    };
    bites(seen(11_000, mix, has_pairs, |spec| {
        for flow in &mut spec.flows {
            if let TransportSpec::Roce(roce) = &mut flow.transport {
                roce.mtu_bytes -= 1;
            }
        }
    }));
    // Marks that nobody is told of change nothing, and a window may be wide enough without them.
    let marks = |spec: &EthernetSpec, report: &Report| {
        let told = |start: &&Start| {
            let flow = &spec.flows[start.flow as usize];
            let is_dcqcn = matches!(&flow.transport, TransportSpec::Roce(roce)
                if matches!(roce.control, RateControlSpec::Dcqcn(_)));
            is_dcqcn && start.control.is_none() && start.bytes == 78 + 4 * u32::from(flow.is_tagged)
        };
        report.starts.iter().filter(told).count() > 10
    };
    bites(seen(11_000, mix, marks, |spec| {
        let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
        channels
            .flat_map(|channel| &mut channel.queues)
            .for_each(|queue| queue.ecn = None);
    }));
}

fn rates(mix: &mut Mix) {
    pairs(mix);
    mix.has_rates = true;
}

#[test]
fn they_agree_on_rates_that_switches_state() {
    under(&SCHEMES, 30_000, rates);
    under(&[Scheme::Off, Scheme::Class], 34_000, |mix| {
        rates(mix);
        mix.is_finite = true;
    });
    under(&[Scheme::Off, Scheme::Class], 37_000, |mix| {
        rates(mix);
        (mix.has_losses, mix.spread) = (true, Spread::Frames);
    });
    under(&[Scheme::Off], 40_000, |mix| {
        rates(mix);
        (mix.has_credits, mix.has_counters) = (true, true);
    });
    under(&[Scheme::Off, Scheme::Class], 43_000, |mix| {
        rates(mix);
        (mix.has_multicast, mix.schedulers) = (true, &SCHEDULERS);
    });
}

/// The comparison sees a queue that rests elsewhere, a wrong gain, and a longer interval.
#[test]
fn rates_that_are_a_little_wrong_are_seen() {
    let mut mix = plain(Scheme::Off);
    rates(&mut mix);
    let obeys = |flow: &FlowSpec| match &flow.transport {
        TransportSpec::Roce(roce) => matches!(roce.control, RateControlSpec::Rocc(_)),
        _ => false,
    };
    let obey = |spec: &EthernetSpec, report: &Report| {
        let told = |start: &Start| {
            let flow = &spec.flows[start.flow as usize];
            obeys(flow) && start.bytes == 74 + 4 * u32::from(flow.is_tagged)
        };
        let data = report.starts.iter().filter(|start| start.control.is_none());
        data.filter(|start| told(start)).count() > 50 && holds_back(spec, report)
    };
    bites(seen(30_000, mix, obey, |spec| {
        points(spec).for_each(|own| own.reference_bytes /= 2);
    }));
    bites(seen(30_000, mix, obey, |spec| {
        points(spec).for_each(|own| own.growth_gain.0 *= 2);
    }));
    bites(seen(30_000, mix, obey, |spec| {
        points(spec).for_each(|own| own.interval.0 += 1);
    }));
}

/// Sources send otherwise than if queues stated the most all the time: where they don't, what is
/// stated can't be seen.
fn holds_back(spec: &EthernetSpec, report: &Report) -> bool {
    let mut free = spec.clone();
    points(&mut free).for_each(|own| own.least = own.most);
    ethernet_common::slow(&free).starts != report.starts
}

fn points(spec: &mut EthernetSpec) -> impl Iterator<Item = &mut RoccPointSpec> {
    let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
    let queues = channels.flat_map(|it| &mut it.queues);
    queues.filter_map(|queue| queue.rocc.as_mut())
}
