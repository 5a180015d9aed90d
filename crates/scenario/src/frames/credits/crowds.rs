//! Small frames that spend units made for large ones.

use std::collections::BTreeMap;

use backwater_kernel::Channels;
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{
    EthernetSpec, FRAME_LEAST_BYTES, TrafficSpec, TransportSpec, WIRE_OVERHEAD_BYTES, largest_bytes,
};

use super::Way;
use crate::frames::controls::Controls;
use crate::frames::packets::{frame, largest_packet_bytes};
use crate::prelude::*;

/// Datagrams that cross a link in a class, a second.
#[derive(Clone, Copy, Default)]
struct Crowd {
    units: f64,
    wire_bits: f64,
    /// The smallest of their frames, bytes.
    least: u32,
}

/// Warns where small frames spend units made for large ones: the link has room for more of them
/// than credit comes back for.
pub(crate) fn small_frames(
    controls: &Controls<'_>,
    network: &EthernetSpec,
    mistakes: &mut Diagnostics,
) {
    let channels = 0..2 * network.links.len() as u32;
    if channels.clone().all(|id| controls.credited(id) == 0) {
        return;
    }
    let largest = largest_bytes(network);
    let all = largest.iter().max().copied().unwrap_or(FRAME_LEAST_BYTES);
    for ((id, class), crowd) in crowds(network) {
        let channel = network.links.channel(id);
        let (control, at) = (controls.of(id), usize::from(class));
        let own = channel.credits.get(at).copied().flatten();
        let Some((own, credits)) = own.zip(control.rules.credits()) else {
            continue;
        };
        let way = Way::new(network, id, (largest[at], all), credits);
        let units = crowd.units * (channel.rate.0 as f64 / crowd.wire_bits).min(1.0);
        let Some(rule) = own.zones() else { continue };
        let zones = f64::from(rule.n2) + f64::from(rule.n3);
        let share = zones / way.whole.seconds() / units;
        // Where all frames are of one size, zones are made for that.
        let is_waste = crowd.least < own.unit_bytes.min(largest[at]);
        if share > 0.9 || !is_waste {
            continue;
        }
        let name = controls.net.channel_name(id);
        let slow = Diagnostic::warning("slow", "small frames spend the credit of large ones")
            .at(
                control.at,
                format!("a unit of credit is {} B", own.unit_bytes),
            )
            .note(format!(
                "frames of {} B cost a whole one each: about {:.0} % of those that want to cross \
                 can (link `{name}`, class {class})",
                crowd.least,
                100.0 * share
            ))
            .help(format!("write `unit = \"{} B\"`", crowd.least));
        mistakes.push(slow);
        return;
    }
}

/// By link and class. What sends without end fills its first link.
fn crowds(network: &EthernetSpec) -> BTreeMap<(u32, u8), Crowd> {
    let mut crowds: BTreeMap<(u32, u8), Crowd> = BTreeMap::new();
    let Ok(tables) = Tables::new(network) else {
        return crowds;
    };
    let mut channels = Vec::new();
    let datagrams = network.flows.iter().zip(0_u32..).filter_map(|(flow, id)| {
        let TransportSpec::Udp { payload_bytes, .. } = flow.transport else {
            return None;
        };
        Some((id, flow, payload_bytes)).filter(|_| !flow.is_multicast())
    });
    for (id, flow, payload_bytes) in datagrams {
        channels.clear();
        if tables.follow(network, 2 * id, &mut channels).is_err() {
            continue;
        }
        let frame = frame(largest_packet_bytes(&flow.transport), flow.is_tagged);
        let bits = 8.0 * f64::from(frame + WIRE_OVERHEAD_BYTES);
        let payload_bits = 8.0 * f64::from(payload_bytes.max(1));
        let frames = match (&flow.traffic, channels.first()) {
            (
                TrafficSpec::Constant { rate, .. }
                | TrafficSpec::Poisson { rate, .. }
                | TrafficSpec::SelfSimilar { rate, .. },
                _,
            ) => rate.0 as f64 / payload_bits,
            (TrafficSpec::Video(video), _) => video.rate.0 as f64 / payload_bits,
            (TrafficSpec::Infinite { .. }, Some(first)) => {
                network.links.channel(*first).rate.0 as f64 / bits
            }
            _ => continue,
        };
        for channel in &channels {
            let credit = network
                .links
                .channel(*channel)
                .credits
                .get(usize::from(flow.class));
            if let Some(Some(credit)) = credit {
                let crowd = crowds.entry((*channel, flow.class)).or_default();
                crowd.units += frames * f64::from(frame.div_ceil(credit.unit_bytes));
                crowd.wire_bits += frames * bits;
                crowd.least = match crowd.least {
                    0 => frame,
                    least => least.min(frame),
                };
            }
        }
    }
    crowds
}
