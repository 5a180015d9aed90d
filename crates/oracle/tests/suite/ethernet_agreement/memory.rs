//! Memory that all queues of a switch share: pools, cells, and what differs in single inputs.

use backwater_net::frames::spec::{EthernetSpec, MemorySpec, NodeKind, SharedSpec};
use backwater_oracle::ethernet::{Mix, Report, Scheme};

use super::{bites, plain, seen, under};

#[test]
fn they_agree_on_shared_memory() {
    under(&[Scheme::Off], 300, |mix| mix.has_shared = true);
}

#[test]
fn they_agree_on_lossless_shared_memory() {
    under(&[Scheme::Port, Scheme::Class], 900, |mix| {
        mix.has_shared = true
    });
}

/// The comparison sees a memory whose cells, shares and pools are a little different.
#[test]
fn a_shared_memory_a_little_different_is_seen() {
    fn each(spec: &mut EthernetSpec, change: impl Fn(&mut SharedSpec)) {
        for node in &mut spec.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind
                && let MemorySpec::Shared(shared) = &mut switch.memory
            {
                change(shared);
            }
        }
    }
    let mix = Mix {
        has_shared: true,
        ..plain(Scheme::Class)
    };
    let matters = |has: fn(&SharedSpec) -> bool| {
        move |spec: &EthernetSpec, report: &Report| {
            let switches = spec.nodes.iter().filter_map(|node| match &node.kind {
                NodeKind::Switch(switch) => Some(&switch.memory),
                NodeKind::Station { .. } => None,
            });
            let mut shared = switches.filter_map(|memory| match memory {
                MemorySpec::Shared(shared) => Some(shared),
                MemorySpec::Queues => None,
            });
            let stops = report.channels.iter().any(|it| it.stops_sent > 4);
            stops && shared.any(has)
        }
    };
    bites(seen(900, mix, matters(|own| own.cell_bytes == 1), |spec| {
        each(spec, |own| own.cell_bytes = 256);
    }));
    let differs = matters(|own| own.own.len() > 3);
    bites(seen(900, mix, differs, |spec| {
        each(spec, |own| own.own.clear())
    }));
    let (few, all) = seen(900, mix, matters(|own| own.pools.len() > 1), |spec| {
        each(spec, |own| {
            for share in own.own.iter_mut() {
                share.share.pool = 0;
            }
        });
    });
    assert!(all == 10 && few > 3, "{few} of {all}");
    // A floor matters seldom.
    let floor = matters(|own| own.share.resume_floor_bytes > 0);
    let (few, all) = seen(900, mix, floor, |spec| {
        each(spec, |own| own.share.resume_floor_bytes = 0);
    });
    assert!(all == 10 && few > 0, "{few} of {all}");
}
