//! What credit of every kind asks of a link, and how little is said of many links.

use backwater_kernel::{Channels, Duration};
use backwater_net::frames::spec::{EthernetSpec, NodeKind, WIRE_OVERHEAD_BYTES};

use crate::Severity;
use crate::prelude::*;

/// What was said of links: one of each severity, so that what is slow on one hides nothing that is
/// wrong on another; and of the keys of each place once.
#[derive(Default)]
pub(super) struct Told<'a> {
    severities: Vec<Severity>,
    pub keys_at: Vec<&'a At>,
}

impl Told<'_> {
    /// It, if it is the first of its severity.
    pub fn first(&mut self, found: Diagnostic) -> Option<Diagnostic> {
        let is_first = !self.severities.contains(&found.severity);
        is_first.then(|| {
            self.severities.push(found.severity);
            found
        })
    }
}

/// Time of a frame on the wire of a channel, preamble and gap included.
pub(super) fn wire(network: &EthernetSpec, id: u32, bytes: u32) -> Duration {
    let rate = network.links.channel(id).rate;
    rate.serialization(u64::from(bytes + WIRE_OVERHEAD_BYTES))
}

/// From the last bit at one end of a channel until its effect at the other.
pub(crate) fn away(network: &EthernetSpec, id: u32) -> Duration {
    let (_, to) = network.links.ends(id);
    let latency = match &network.nodes[to as usize].kind {
        NodeKind::Switch(switch) => switch.latency,
        NodeKind::Station { .. } => Duration::ZERO,
    };
    network.links.channel(id).delay + latency
}

/// Whole ones from one on.
pub(super) fn in_per_cent(share: f64) -> String {
    match 100.0 * share {
        small if small < 0.95 => format!("{small:.1}"),
        large => format!("{large:.0}"),
    }
}
