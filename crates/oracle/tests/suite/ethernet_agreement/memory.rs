//! Memory that all queues of a switch share: pools, cells, and what differs in single inputs.

use backwater_kernel::Channels;
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
            // A switch whose memory is so has stopped its neighbours some times.
            let stops = |node: u32| {
                let channels = (0..).zip(&report.channels);
                let own = channels.filter(|(id, _)| spec.links.ends(*id).0 == node);
                own.map(|(_, counts)| counts.stops_sent).sum::<u64>()
            };
            let mut nodes = (0..).zip(&spec.nodes);
            nodes.any(|(id, node)| match &node.kind {
                NodeKind::Switch(switch) => match &switch.memory {
                    MemorySpec::Shared(shared) => has(shared) && stops(id) > 4,
                    MemorySpec::Queues => false,
                },
                NodeKind::Station { .. } => false,
            })
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
