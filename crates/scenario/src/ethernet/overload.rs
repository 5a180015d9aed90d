//! Hosts that are asked to send more than their links carry, or to which more comes.
//!
//! Counted is what has a rate: datagrams at a rate of their own, and flows of workloads with the
//! acknowledgements they bring; each on the wire, in frames of the size they have, while it lasts.
//! What is greedy, or waits for answers, asks for no more than there is.

use std::collections::BTreeMap;

use backwater_kernel::{Rate, Time};
use backwater_net::frames::spec::{FlowSpec, TransportSpec};

use super::lossless::{Whole, channel_of};
use super::offers::{Offer, Way, per_payload};
use crate::prelude::*;
use crate::room::bytes;

/// A share above the rate of a link that is none.
const FULL: f64 = 1.000_001;

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
                "with this, `{name}` {does} {} on the wire",
                rate_in_words(worst.bits_per_second)
            ),
        )
        .note(format!(
            "its link has {}; {rest}",
            rate_in_words(worst.rate.0 as f64)
        ))
        .help(help)
        .into()
}

/// `9.75 Gbps`: in the unit in which it has one to three digits before the point.
fn rate_in_words(bits_per_second: f64) -> String {
    match bits_per_second {
        rate if rate >= 1e9 => format!("{:.2} Gbps", rate / 1e9),
        rate => format!("{:.2} Mbps", rate / 1e6),
    }
}
