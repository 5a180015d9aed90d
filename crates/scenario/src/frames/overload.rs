//! Hosts that are asked to send more than their links carry, or to which more comes; and links
//! between switches that are asked to carry more than they can.
//!
//! Counted is what has a rate: datagrams at a rate of their own, and flows of workloads with the
//! acknowledgements they bring; each on the wire, in frames of the size they have, while it lasts.
//! What is greedy, or waits for answers, asks for no more than there is. To a link between switches
//! comes no more over the link before it than that one carries.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use backwater_kernel::{Rate, Time};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{FlowSpec, TransportSpec};

use super::lossless::{Whole, channel_of};
use super::offers::{Offer, Way, per_payload};
use super::trunks::{self, between};
use crate::circuits::service_checks::rates_apart;
use crate::network::room::bytes;
use crate::prelude::*;

/// A share above the rate of a link that is none.
const FULL: f64 = 1.000_001;

/// Datagrams at a rate of their own.
fn datagrams(look: &Whole<'_>) -> Vec<Offer> {
    let mut offers = Vec::new();
    let ways = OnceCell::new();
    for (index, (flow, table)) in look.flows.each().enumerate() {
        let Some(traffic) = table.traffic else {
            continue;
        };
        let Some(rate) = traffic.kind.rate() else {
            continue;
        };
        let bits_per_second = rate.0 as f64 * expansion(flow);
        let mut offer = |place, way, before| {
            offers.push(Offer {
                place,
                way,
                before,
                span: (*traffic.start, look.spec.stop_at),
                bits_per_second,
                at: rate.at.clone(),
            });
        };
        offer(flow.source, Way::Out, None);
        let all = std::iter::once(&flow.destination).chain(&flow.others);
        all.for_each(|to| offer(*to, Way::In, None));
        let tables = ways.get_or_init(|| Tables::new(look.spec).ok());
        let inner = tables
            .as_ref()
            .map(|tables| between(look.spec, tables, index as u32));
        let inner = inner.into_iter().flatten();
        inner.for_each(|(before, channel)| offer(channel, Way::Between, Some(before)));
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
        TransportSpec::Tcp(_) | TransportSpec::Roce(_) => 1.0,
    }
}

/// A link that gets too much.
struct Over {
    place: u32,
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
        .chain(trunks::offers(look))
    {
        let of_link = by_link.entry((offer.way, offer.place)).or_default();
        of_link.push(offer);
    }
    let mut told: Vec<(Way, Vec<Over>)> = Vec::new();
    for ((way, place), offers) in by_link {
        let Some(over) = over(look, (way, place), offers) else {
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
fn over(look: &Whole<'_>, (way, place): (Way, u32), offers: Vec<Offer>) -> Option<Over> {
    // Of several links of a host all.
    let of_host = |turned: u32| {
        let links = look.net.neighbours[place as usize].iter();
        links.map(|(_, channel)| channel ^ turned).collect()
    };
    let channels: Vec<u32> = match way {
        Way::Out => of_host(0),
        Way::In => of_host(1),
        Way::Between => vec![place],
    };
    let rates = channels.iter();
    let rates = rates.map(|channel| channel_of(look.spec, *channel).rate.0);
    let rate = Rate(rates.reduce(u64::saturating_add)?);
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
    let (most, mut before) = (rate.0 as f64, Time(0));
    let (mut sum, mut behind) = (0.0, BTreeMap::<Option<u32>, f64>::new());
    let carried = |channel: u32| channel_of(look.spec, channel).rate.0 as f64;
    let mut found: Option<Over> = None;
    for (at, begins, index) in changes {
        if let Some(found) = &mut found {
            let span = at.ps().saturating_sub(before.ps()) as f64 / 1e12;
            found.bytes += (sum - most).max(0.0) * span / 8.0;
        }
        before = at;
        let offer = &offers[index];
        let together = behind.entry(offer.before).or_default();
        let cap = offer.before.map_or(f64::INFINITY, carried);
        sum -= together.min(cap);
        *together += match begins {
            true => offer.bits_per_second,
            false => -offer.bits_per_second,
        };
        sum += together.min(cap);
        if sum > most * FULL {
            let over = found.get_or_insert_with(|| Over {
                place,
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
    let name = match way {
        Way::Out | Way::In => look.net.name(worst.place).to_owned(),
        Way::Between => look.net.channel_name(worst.place),
    };
    let does = match way {
        Way::Out => "sends",
        Way::In => "gets",
        Way::Between => "is to carry",
    };
    let message = match (way, all.len()) {
        (Way::Out, 1) => "a host sends more than its link carries".into(),
        (Way::Out, several) => format!("{several} hosts send more than their links carry"),
        (Way::In, 1) => "a host gets more than its link carries".into(),
        (Way::In, several) => format!("{several} hosts get more than their links carry"),
        (Way::Between, 1) => "more comes to a link between switches than it carries".into(),
        (Way::Between, several) => {
            format!("more comes to {several} links between switches than they carry")
        }
    };
    let [asked, carried] = rates_apart([worst.bits_per_second, worst.rate.0 as f64], 2);
    let waits = bytes(all.iter().map(|over| over.bytes).sum::<f64>() as u64);
    let rest = match way {
        Way::Out => format!("the rest waits there: about {waits} by the end of the run"),
        Way::In | Way::Between => {
            format!("about {waits} too much over the run waits before it, or is lost")
        }
    };
    let help = match way {
        Way::Out => "lower the load, send larger packets, or shorten the run",
        Way::In => "lower the load, or send less of it to one host",
        Way::Between => "lower the load, or give the link a higher `rate`",
    };
    Diagnostic::warning("overload", message)
        .at(
            &worst.at,
            format!("with this, `{name}` {does} {asked} on the wire"),
        )
        .note(match way {
            Way::Out | Way::In => format!("its link has {carried}; {rest}"),
            Way::Between => format!("it has {carried}; {rest}"),
        })
        .help(help)
        .into()
}
