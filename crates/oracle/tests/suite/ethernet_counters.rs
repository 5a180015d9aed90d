//! Counters of ports, in the fast engine and the slow one; and InfiniBand beside CBFC.

use backwater_kernel::Channels;
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, SCHEMES, Scheme, random_spec};

use crate::ethernet_agreement::{bites, plain, seen, under};
use crate::ethernet_common::difference;

fn counted(mix: &mut Mix) {
    (mix.has_credits, mix.has_counters) = (true, true);
}

/// Counters of whole ports: CBFC, InfiniBand, grains; limits by class and by port.
#[test]
fn they_agree_on_counters() {
    let reach = under(&[Scheme::Off, Scheme::Off, Scheme::Off], 2_200, counted);
    assert!(reach.credits > 1_000, "{reach:?}");
    let reach = under(&SCHEMES[2..4], 5_300, |mix| {
        counted(mix);
        (mix.has_tcp, mix.has_losses) = (true, true);
    });
    assert!(reach.lost > 300, "{reach:?}");
    under(&[Scheme::Off, Scheme::Class], 5_500, |mix| {
        counted(mix);
        mix.is_finite = true;
    });
    under(&[Scheme::Class], 5_700, |mix| {
        counted(mix);
        (mix.has_inputs, mix.has_losses) = (true, true);
    });
}

/// Flows and stations with credit of their own: zones, and counters of more lanes than classes.
#[test]
fn they_agree_on_lanes() {
    let lanes = |mix: &mut Mix| (mix.has_credits, mix.has_lanes) = (true, true);
    let reach = under(&[Scheme::Off, Scheme::Off, Scheme::Off], 12_200, lanes);
    assert!(reach.credits > 1_000, "{reach:?}");
    under(&[Scheme::Off, Scheme::Class], 12_500, |mix| {
        lanes(mix);
        (mix.has_tcp, mix.has_losses, mix.has_inputs) = (true, true, true);
    });
    under(&[Scheme::Off], 12_700, |mix| {
        lanes(mix);
        (mix.has_spread, mix.is_finite) = (true, true);
    });
    under(&[Scheme::Off], 12_900, |mix| {
        lanes(mix);
        mix.has_multicast = true;
    });
    under(&[Scheme::Off, Scheme::Off, Scheme::Class], 13_100, |mix| {
        lanes(mix);
        (mix.has_counters, mix.has_losses) = (true, true);
    });
    under(&[Scheme::Destination], 13_400, lanes);
}

/// The comparison sees that one class of one link serves flows in the order of joining.
#[test]
fn lanes_of_others_are_seen() {
    let mut mix = plain(Scheme::Off);
    (mix.has_credits, mix.has_lanes) = (true, true);
    let owners = |spec: &EthernetSpec| {
        let channels = spec.links.channels();
        let credits = channels.flat_map(|id| spec.links.channel(id).credits.clone());
        credits
            .flatten()
            .filter(|own| own.owner == Owner::Flow)
            .count()
    };
    let matters =
        |spec: &EthernetSpec, report: &Report| owners(spec) > 2 && report.starts.len() > 200;
    bites(seen(12_200, mix, matters, |spec| {
        let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
        let credits = channels.flat_map(|channel| channel.credits.iter_mut().flatten());
        for credit in credits.filter(|own| own.owner == Owner::Flow) {
            credit.owner = Owner::Class;
        }
    }));
}

/// The comparison sees frames that cost a little more, and a message that is a byte longer.
#[test]
fn counters_that_are_a_little_wrong_are_seen() {
    let mut mix = plain(Scheme::Off);
    counted(&mut mix);
    let matters = |spec: &EthernetSpec, report: &Report| {
        let has = spec
            .links
            .channels()
            .any(|id| spec.links.channel(id).counters.is_some());
        has && report
            .starts
            .iter()
            .filter(|it| it.control.is_some())
            .count()
            > 50
    };
    let change = |spec: &mut EthernetSpec, to: fn(&mut ChannelSpec)| {
        let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
        channels
            .filter(|channel| channel.counters.is_some())
            .for_each(to);
    };
    bites(seen(2_200, mix, matters, |spec| {
        change(spec, |channel| {
            for credit in channel.credits.iter_mut().flatten() {
                credit.overhead_bytes += credit.unit_bytes as i32;
            }
        });
    }));
    bites(seen(2_200, mix, matters, |spec| {
        change(spec, |channel| {
            if let Some(counters) = &mut channel.counters {
                counters.update.bytes += 1;
            }
        });
    }));
}

/// FCCL - FCTBS = W - (sent - freed): with the same buffer, cell, spacing and sizes of messages all
/// frames start at the same instants, whichever of the two is written into them.
#[test]
fn infiniband_and_cbfc_start_frames_alike() {
    let mut mix = plain(Scheme::Off);
    counted(&mut mix);
    let (mut alike, mut starts) = (0, 0);
    for seed in 9_000..9_200 {
        let mut spec = random_spec(seed, mix);
        let with = |spec: &mut EthernetSpec, says: Says| {
            let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
            for counters in channels.filter_map(|channel| channel.counters.as_mut()) {
                counters.update.says = says;
            }
        };
        with(&mut spec, Says::Freed { bits: 15 });
        let cbfc = difference(&spec).expect("both engines agree");
        with(&mut spec, Says::Limit { bits: 12 });
        let infiniband = difference(&spec).expect("both engines agree");
        let data = |report: &Report| -> Vec<(u64, u32, u32, u64)> {
            let data = report.starts.iter().filter(|start| start.control.is_none());
            data.map(|start| (start.at_ps, start.channel, start.flow, start.number))
                .collect()
        };
        assert_eq!(data(&cbfc), data(&infiniband), "seed {seed}");
        alike += 1;
        starts += cbfc.starts.len();
    }
    assert!(alike == 200 && starts > 50_000, "{alike} {starts}");
}
