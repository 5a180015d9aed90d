//! How each port takes the stops that come for it.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Channels, Duration, Rate};
use backwater_net::frames::spec::{LinkSpec, QUANTUM_BITS};

use super::controls::Controls;
use crate::abr_checks::bps;
use crate::given::ethernet::switch::Nodes;
use crate::kinds::OrWord;
use crate::prelude::*;

const MBPS: u64 = 1_000_000;

/// Most quanta from the last bit of a stop to the last start of a frame, by the rate of the port in
/// Mbps: IEEE 802.3, 31B.3.7. Up to 100 Mbps it is one.
const LIMITS: [(u64, u64); 10] = [
    (100, 1),
    (1_000, 2),
    (10_000, 67),
    (25_000, 80),
    (40_000, 118),
    (50_000, 147),
    (100_000, 394),
    (200_000, 453),
    (400_000, 905),
    (800_000, 905),
];

/// Fills in what each channel's `stopped` says.
pub(crate) fn fill(
    controls: &Controls<'_>,
    own: &BTreeMap<u32, &Nodes>,
    links: &mut [LinkSpec],
    mistakes: &mut Diagnostics,
) {
    let (file, net) = (controls.file, controls.net);
    let mut told = BTreeSet::new();
    for id in 0..2 * links.len() as u32 {
        let node = net.ends(id).0;
        let common = match net.forwards(node) {
            true => &file.switch.response,
            false => &file.host.response,
        };
        let here = own.get(&node).map(|own| own.response.over(common));
        let response = &here.as_ref().unwrap_or(common).response;
        let channel = links.channel_mut(id);
        channel.stopped.response = match **response {
            None => Duration::ZERO,
            Some(OrWord::Value(span)) => span,
            Some(OrWord::Word) => limit(channel.rate).unwrap_or_else(|| {
                if told.insert(channel.rate.0) {
                    let name = net.channel_name(id);
                    mistakes.push(no_limit(&response.at, channel.rate, &name));
                }
                Duration::ZERO
            }),
        };
    }
}

/// What the standard lets a port of a rate take.
fn limit(rate: Rate) -> Option<Duration> {
    let up_to = rate.0.max(LIMITS[0].0 * MBPS);
    let (_, quanta) = LIMITS.into_iter().find(|(mbps, _)| mbps * MBPS == up_to)?;
    Some(rate.serialization(quanta * QUANTUM_BITS / 8))
}

fn no_limit(at: &At, rate: Rate, channel: &str) -> Diagnostic {
    let known = LIMITS[1..].iter();
    let known: Vec<String> = known.map(|(mbps, _)| (mbps / 1_000).to_string()).collect();
    Diagnostic::error(
        "bad-response",
        format!("IEEE 802.3 has no limit for a port of {}", bps(rate)),
    )
    .at(at, format!("`{channel}` is such a port"))
    .note(format!(
        "31B.3.7 has one for {} Gbps, and for 100 Mbps and less",
        known.join(", ")
    ))
    .help("write the time, as `response = \"2 us\"`, in `[[nodes]]` for single nodes")
}
