//! Hosts that are asked to send more than their links carry, or to which more comes.
//!
//! Counted is what has a rate: datagrams at a rate of their own, and flows of workloads with the
//! acknowledgements they bring; each on the wire, in frames of the size they have, while it lasts.
//! What is greedy, or waits for answers, asks for no more than there is.

use std::collections::BTreeMap;

use backwater_ends::spec::AckSpec;
use backwater_kernel::{Rate, Time};
use backwater_net::frames::spec::{
    FRAME_LEAST_BYTES, FlowSpec, TCP_IP_BYTES, TransportSpec, WIRE_OVERHEAD_BYTES,
};

use super::lossless::{Whole, channel_of};
use super::packets::{frame, packet_bytes};
use crate::prelude::*;
use crate::room::bytes;

/// A share above the rate of a link that is none.
const FULL: f64 = 1.000_001;

/// One way of a host's link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// The host sends.
    Out,
    /// The host gets.
    In,
}

/// A mean rate on one way of a host's link.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub host: u32,
    pub way: Way,
    /// From here on, up to there.
    pub span: (Time, Time),
    /// On the wire.
    pub bits_per_second: f64,
    /// Where the file says so.
    pub at: At,
}

/// What flows of these sizes are on the wire, and what is acknowledged: bits for each bit of
/// payload, where a flow has `mean_bytes` of it.
pub(crate) fn per_payload(
    (transport, is_tagged): (&TransportSpec, bool),
    (sizes, mean_bytes): (&[u64], f64),
) -> (f64, f64) {
    let (most, acked) = match transport {
        TransportSpec::Udp { payload_bytes, .. } => (*payload_bytes, None),
        TransportSpec::Tcp(tcp) => match tcp.acks {
            AckSpec::Every => (tcp.mss_bytes, Some(1)),
            _ => (tcp.mss_bytes, Some(2)),
        },
    };
    let headers = packet_bytes(transport) - most;
    let on_wire =
        |payload: u32| f64::from(frame(payload + headers, is_tagged) + WIRE_OVERHEAD_BYTES);
    let most = most.max(1);
    let full = on_wire(most) / f64::from(most);
    let ack =
        f64::from(frame(TCP_IP_BYTES, is_tagged).max(FRAME_LEAST_BYTES) + WIRE_OVERHEAD_BYTES);
    // What the last frame of a flow has above its share of a full one, and the acknowledgements:
    // a mean of bounded numbers, so few flows say it. The mean size of a heavy tail they don't.
    let (mut extra, mut acks) = (0.0, 0.0);
    for size in sizes {
        let (whole, rest) = (size / u64::from(most), (size % u64::from(most)) as u32);
        if rest > 0 {
            extra += on_wire(rest) - full * f64::from(rest);
        }
        if let Some(each) = acked {
            let segments = whole + u64::from(rest > 0);
            acks += segments.div_ceil(each) as f64 - *size as f64 / f64::from(most) / each as f64;
        }
    }
    let flows = sizes.len().max(1) as f64;
    let each = acked.map_or(0.0, |each| 1.0 / (f64::from(most) * each as f64));
    let acks = ack * (each + acks / flows / mean_bytes);
    (
        full + extra / flows / mean_bytes,
        if acked.is_some() { acks } else { 0.0 },
    )
}

/// Datagrams at a rate of their own.
fn datagrams(look: &Whole<'_>) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (flow, table) in look.flows.each() {
        let Some(traffic) = table.traffic else {
            continue;
        };
        let Some(rate) = traffic.kind.rate() else {
            continue;
        };
        let bits_per_second = rate.0 as f64 * expansion(flow);
        let mut offer = |host, way| {
            offers.push(Offer {
                host,
                way,
                span: (*traffic.start, look.spec.stop_at),
                bits_per_second,
                at: rate.at.clone(),
            });
        };
        offer(flow.source, Way::Out);
        let all = std::iter::once(&flow.destination).chain(&flow.others);
        all.for_each(|to| offer(*to, Way::In));
    }
    offers
}

/// Bits on the wire for each bit of payload of full datagrams.
fn expansion(flow: &FlowSpec) -> f64 {
    match &flow.transport {
        TransportSpec::Udp { payload_bytes, .. } => {
            let payload = u64::from((*payload_bytes).max(1));
            per_payload(
                (&flow.transport, flow.is_tagged),
                (&[payload], payload as f64),
            )
            .0
        }
        TransportSpec::Tcp(_) => 1.0,
    }
}

/// A link that gets too much.
struct Over {
    host: u32,
    rate: Rate,
    /// The most at one time.
    bits_per_second: f64,
    /// What does not fit, over the run.
    bytes: f64,
    /// The offer with which it is too much.
    at: At,
}

/// Tells of hosts whose links can't carry what is offered, once for each place in the file.
pub(crate) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let mut by_link: BTreeMap<(Way, u32), Vec<Offer>> = BTreeMap::new();
    for offer in datagrams(look)
        .into_iter()
        .chain(look.flows.offers.iter().cloned())
    {
        let of_link = by_link.entry((offer.way, offer.host)).or_default();
        of_link.push(offer);
    }
    let mut told: Vec<(Way, Vec<Over>)> = Vec::new();
    for ((way, host), offers) in by_link {
        let Some(over) = over(look, (way, host), offers) else {
            continue;
        };
        let known = |(_, of): &&mut (Way, Vec<Over>)| of[0].at == over.at;
        match told.iter_mut().find(known) {
            // What a host can't send does not come to others either.
            Some((first, _)) if *first != way => {}
            Some((_, known)) => known.push(over),
            None => told.push((way, vec![over])),
        }
    }
    for (way, all) in told {
        mistakes.extend(warning(look, way, &all));
    }
}

/// Sums what is offered at each time.
fn over(look: &Whole<'_>, (way, host): (Way, u32), offers: Vec<Offer>) -> Option<Over> {
    let (_, channel) = look.net.neighbours[host as usize].first()?;
    let channel = match way {
        Way::Out => *channel,
        Way::In => channel ^ 1,
    };
    let rate = channel_of(look.spec, channel).rate;
    // Those that end come before those that begin.
    let mut changes: Vec<(Time, bool, usize)> = Vec::with_capacity(2 * offers.len());
    for (index, offer) in offers
        .iter()
        .enumerate()
        .filter(|(_, o)| o.span.0 < o.span.1)
    {
        changes.push((offer.span.0, true, index));
        changes.push((offer.span.1, false, index));
    }
    changes.sort_unstable();
    let (most, mut sum, mut before) = (rate.0 as f64, 0.0, Time(0));
    let mut found: Option<Over> = None;
    for (at, begins, index) in changes {
        if let Some(found) = &mut found {
            let span = at.ps().saturating_sub(before.ps()) as f64 / 1e12;
            found.bytes += (sum - most).max(0.0) * span / 8.0;
        }
        before = at;
        let offer = &offers[index];
        sum += if begins {
            offer.bits_per_second
        } else {
            -offer.bits_per_second
        };
        if sum > most * FULL {
            let over = found.get_or_insert_with(|| Over {
                host,
                rate,
                bits_per_second: sum,
                bytes: 0.0,
                at: offer.at.clone(),
            });
            over.bits_per_second = over.bits_per_second.max(sum);
        }
    }
    found
}

fn warning(look: &Whole<'_>, way: Way, all: &[Over]) -> Option<Diagnostic> {
    let excess = |over: &Over| over.bits_per_second / over.rate.0 as f64;
    let worst = all
        .iter()
        .rev()
        .max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let name = look.net.name(worst.host);
    let (what, one, does) = match way {
        Way::Out => ("send", "a host sends", "sends"),
        Way::In => ("get", "a host gets", "gets"),
    };
    let message = match all.len() {
        1 => format!("{one} more than its link carries"),
        several => format!("{several} hosts {what} more than their links carry"),
    };
    let waits = bytes(all.iter().map(|over| over.bytes).sum::<f64>() as u64);
    let rest = match way {
        Way::Out => format!("the rest waits there: about {waits} by the end of the run"),
        Way::In => format!("about {waits} too much over the run waits before it, or is lost"),
    };
    let help = match way {
        Way::Out => "lower the load, send larger packets, or shorten the run",
        Way::In => "lower the load, or send less of it to one host",
    };
    Diagnostic::warning("overload", message)
        .at(
            &worst.at,
            format!(
                "with this, `{name}` {does} {:.1} Mbps on the wire",
                worst.bits_per_second / 1e6
            ),
        )
        .note(format!(
            "its link has {:.1} Mbps; {rest}",
            worst.rate.0 as f64 / 1e6
        ))
        .help(help)
        .into()
}
