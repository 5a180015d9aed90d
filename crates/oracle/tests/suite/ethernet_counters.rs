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

/// Updates and statements that wait until their link has nothing else to send.
#[test]
fn they_agree_on_messages_that_wait_for_an_idle_link() {
    let waiting = |mix: &mut Mix| {
        counted(mix);
        mix.may_wait = true;
    };
    let reach = under(&[Scheme::Off, Scheme::Off, Scheme::Class], 14_200, waiting);
    assert!(reach.credits > 1_000, "{reach:?}");
    under(&SCHEMES, 14_600, |mix| {
        waiting(mix);
        (mix.has_tcp, mix.has_losses, mix.has_lanes) = (true, true, true);
    });
    under(&[Scheme::Class], 14_900, |mix| {
        waiting(mix);
        (mix.has_inputs, mix.is_finite) = (true, true);
    });
    let mut mix = plain(Scheme::Off);
    waiting(&mut mix);
    let waits = |spec: &EthernetSpec| {
        let channels = spec.links.channels();
        let kept = channels.filter_map(|id| spec.links.channel(id).counters);
        kept.filter(|own| own.update.waits_for_idle).count()
    };
    let matters =
        |spec: &EthernetSpec, report: &Report| waits(spec) > 2 && report.starts.len() > 500;
    // Most links are idle now and then, and nothing waits for long.
    let (differ, all) = seen(14_200, mix, matters, |spec| {
        let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
        for counters in channels.filter_map(|channel| channel.counters.as_mut()) {
            counters.update.waits_for_idle = false;
        }
    });
    assert!(all == 10 && differ > 4, "only {differ} of {all} differ");
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
        (mix.spread, mix.is_finite) = (Spread::Frames, true);
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
            .for_each(|own| to(own));
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

/// Credits that the two ends of a link give, by link, where their cells are unlike.
fn unlike(spec: &mut EthernetSpec) -> Vec<(&mut ClassCreditSpec, &mut ClassCreditSpec)> {
    let mut found = Vec::new();
    for link in &mut spec.links {
        let [there, back] = &mut link.channels;
        if there.counters.is_none() || back.counters.is_none() {
            continue;
        }
        let pairs = there.credits.iter_mut().zip(&mut back.credits);
        let pairs = pairs.filter_map(|(one, other)| Some((one.as_mut()?, other.as_mut()?)));
        found.extend(pairs.filter(|(one, other)| one.unit_bytes != other.unit_bytes));
    }
    found
}

/// A sender counts in the cell of its receiver: both engines do where the two ends of a link have
/// unlike cells, and the comparison sees cells that are those of the wrong end.
#[test]
fn each_end_of_a_link_has_its_cell() {
    let mut mix = plain(Scheme::Off);
    counted(&mut mix);
    let mut links = 0;
    for seed in 2_200..2_260 {
        let mut spec = random_spec(seed, mix);
        links += unlike(&mut spec).len();
        difference(&spec).expect("both engines agree");
    }
    assert!(links > 40, "{links}");
    let matters = |spec: &EthernetSpec, report: &Report| {
        !unlike(&mut spec.clone()).is_empty() && report.starts.len() > 200
    };
    let (differ, all) = seen(2_200, mix, matters, |spec| {
        for (there, back) in unlike(spec) {
            // Of the two the larger: with the smaller, a frame may cost more than there is.
            let larger = there.unit_bytes.max(back.unit_bytes);
            (there.unit_bytes, back.unit_bytes) = (larger, larger);
        }
    });
    assert!(all == 10 && differ > 4, "only {differ} of {all} differ");
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
