//! What each link of a file needs under the scheme that it uses.

use backwater_kernel::{Channels, Duration};
use backwater_net::frames::spec::{
    ChannelSpec, ClassCreditRule, EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, NodeKind,
    Says, Select, TrafficSpec,
};

use super::{Link, Sizing, counted, n23, pfc};
use crate::frames::packets::{frame, largest_packet_bytes};
use crate::frames::way::away;

/// Links and a class with the same need.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkNeed {
    /// The channels into switches, by number.
    pub channels: Vec<u32>,
    /// The class under flow control.
    pub class: u8,
    /// What it is on them.
    pub sizing: Sizing,
    /// Bytes that the file gives the class there; only for credit, whose limits are its own.
    pub given: Option<u64>,
}

/// What links into switches need for each class that has flow control there and of which frames
/// are sent; those that are alike together, in the order of the first.
pub fn of_links(network: &EthernetSpec) -> Vec<LinkNeed> {
    let classes = Class::all(network);
    let port = classes.iter().map(|class| class.largest).max();
    let port = port.unwrap_or(FRAME_LEAST_BYTES);
    let mut needs: Vec<LinkNeed> = Vec::new();
    for id in 0..2 * network.links.len() as u32 {
        for class in &classes {
            let link = link(network, id, (class.largest, port), class.is_mixed);
            let Some((sizing, given)) = under(network, id, class.number.into(), &link) else {
                continue;
            };
            let alike = needs.iter_mut().find(|known| {
                (known.class, &known.sizing, known.given) == (class.number, &sizing, given)
            });
            match alike {
                Some(known) => known.channels.push(id),
                None => needs.push(LinkNeed {
                    channels: vec![id],
                    class: class.number,
                    sizing,
                    given,
                }),
            }
        }
    }
    needs
}

/// A class of which frames are sent.
struct Class {
    number: u8,
    /// Largest frame, bytes.
    largest: u32,
    /// Smaller ones are sent, too.
    is_mixed: bool,
}

impl Class {
    fn all(network: &EthernetSpec) -> Vec<Class> {
        let mut all: Vec<Class> = Vec::new();
        for flow in &network.flows {
            let largest = frame(largest_packet_bytes(&flow.transport), flow.is_tagged);
            let is_mixed = flow.transport.is_connection() || has_last_frame(&flow.traffic);
            match all.iter_mut().find(|own| own.number == flow.class) {
                Some(own) => {
                    own.is_mixed |= is_mixed || largest != own.largest;
                    own.largest = own.largest.max(largest);
                }
                None => all.push(Class {
                    number: flow.class,
                    largest,
                    is_mixed,
                }),
            }
        }
        all.sort_by_key(|own| own.number);
        all
    }
}

/// May the last frame of what it sends be smaller than the others?
fn has_last_frame(traffic: &TrafficSpec) -> bool {
    match traffic {
        TrafficSpec::Infinite { bytes, .. } => bytes.is_some(),
        TrafficSpec::Constant { .. }
        | TrafficSpec::Poisson { .. }
        | TrafficSpec::SelfSimilar { .. } => false,
        TrafficSpec::Files { .. }
        | TrafficSpec::Requests { .. }
        | TrafficSpec::Messages(_)
        | TrafficSpec::Video(_)
        | TrafficSpec::Outside(_) => true,
    }
}

/// A channel and the way back beside it.
fn link(network: &EthernetSpec, id: u32, (largest, port): (u32, u32), is_mixed: bool) -> Link {
    let (there, back) = (network.links.channel(id), network.links.channel(id ^ 1));
    let delay = there.delay.min(back.delay);
    let whole = away(network, id).0.saturating_add(away(network, id ^ 1).0);
    Link {
        rate: there.rate,
        back: back.rate,
        delay,
        nodes: Duration(whole - 2 * delay.0),
        mtu: port - FRAME_OVERHEAD_BYTES,
        lossless_mtu: largest - FRAME_OVERHEAD_BYTES,
        least: is_mixed.then_some(FRAME_LEAST_BYTES),
        is_tagged: false,
        response: there.stopped.response,
    }
}

/// What controls a class over a channel, and what it has there.
fn under(
    network: &EthernetSpec,
    id: u32,
    class: usize,
    link: &Link,
) -> Option<(Sizing, Option<u64>)> {
    let (_, to) = network.links.ends(id);
    let NodeKind::Switch(switch) = &network.nodes[to as usize].kind else {
        return None;
    };
    let channel = network.links.channel(id);
    if let Some(Some(credit)) = channel.credits.get(class) {
        let (unit, overhead) = (credit.unit_bytes, credit.overhead_bytes);
        let (sizing, units) = match credit.rule {
            ClassCreditRule::Zones(zones) => {
                let units = zones.n1.saturating_add(zones.n2).saturating_add(zones.n3);
                (n23::zones(link, zones.n2, unit), units)
            }
            ClassCreditRule::Counters(lane) => {
                let sizing = in_cells(channel, link, (unit, overhead))?;
                (sizing, lane.limit_units)
            }
        };
        return Some((sizing, Some(u64::from(units) * u64::from(unit))));
    }
    let rules = switch.back_pressure.as_ref()?;
    let is_stopped = rules.select == Select::Port || rules.classes >> class & 1 == 1;
    is_stopped.then(|| {
        let sizing = Sizing {
            scheme: match rules.select {
                Select::Port => "pause",
                Select::Class => "pfc",
                Select::Destination(_) => "destination",
            },
            ..pfc::stops(link)
        };
        (sizing, None)
    })
}

fn in_cells(channel: &ChannelSpec, link: &Link, cell: (u32, i32)) -> Option<Sizing> {
    let update = channel.counters?.update;
    Some(match update.says {
        Says::Freed { .. } => counted::cells(link, cell, update.spacing),
        Says::Limit { .. } => counted::blocks(link, update.spacing),
        Says::Grains { units } => counted::grains(link, cell.0, units),
    })
}
