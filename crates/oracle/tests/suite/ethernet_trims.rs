//! Queues that trim: the fast engine cuts the packets that the slow one does, and what is missing
//! goes again at the same instants.

use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, SCHEDULERS, Scheme};

use crate::ethernet_agreement::{bites, plain, seen, under};

fn trims(mix: &mut Mix) {
    (mix.has_tcp, mix.has_pairs, mix.has_trims) = (true, true, true);
}

fn trimmed(report: &Report) -> u64 {
    report.flows.iter().map(|flow| flow.trimmed).sum()
}

#[test]
fn they_agree_on_trimmed_packets() {
    let off = [Scheme::Off; 2];
    let reach = under(&off, 50_000, trims);
    assert!(reach.trimmed > 500, "{reach:?}");
    let reach = under(&off, 53_000, |mix| {
        trims(mix);
        (mix.is_finite, mix.spread) = (true, Spread::Frames);
    });
    assert!(reach.trimmed > 500, "{reach:?}");
    let reach = under(&off, 56_000, |mix| {
        trims(mix);
        (mix.has_losses, mix.schedulers) = (true, &SCHEDULERS);
    });
    assert!(reach.trimmed > 300 && reach.lost > 1_000, "{reach:?}");
}

/// The comparison sees a queue that is a little longer, headers in another class, and none.
#[test]
fn trims_that_are_a_little_wrong_are_seen() {
    let mut mix = plain(Scheme::Off);
    trims(&mut mix);
    let matters = |_: &EthernetSpec, report: &Report| trimmed(report) > 50;
    bites(seen(50_000, mix, matters, |spec| {
        trimming(spec).for_each(|queue| queue.limit_bytes = queue.limit_bytes.map(|it| it + 600));
    }));
    bites(seen(50_000, mix, matters, |spec| {
        trimming(spec).for_each(|queue| queue.trim = None);
    }));
    let chooses = |spec: &EthernetSpec, report: &Report| {
        spec.links[0].channels[0].queues.len() > 2 && trimmed(report) > 50
    };
    bites(seen(50_000, mix, chooses, |spec| {
        for channel in spec.links.iter_mut().flat_map(|link| &mut link.channels) {
            channel.queues[1].trim = None;
            let others = channel
                .queues
                .iter_mut()
                .filter(|queue| queue.trim.is_some());
            others.for_each(|queue| queue.trim = Some(1));
        }
    }));
}

fn trimming(spec: &mut EthernetSpec) -> impl Iterator<Item = &mut QueueSpec> {
    let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
    let queues = channels.flat_map(|it| &mut it.queues);
    queues.filter(|queue| queue.trim.is_some())
}
