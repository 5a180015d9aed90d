//! What each link of a file needs under the scheme that it uses.

use std::collections::BTreeSet;

use backwater_kernel::{Channels, Duration};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{
    ChannelSpec, ClassCreditRule, ClassCreditSpec, EthernetSpec, FRAME_LEAST_BYTES,
    FRAME_OVERHEAD_BYTES, InputSpec, NodeKind, Owner, Says, TrafficSpec,
};

use super::{Link, Sizing, counted, n23, pfc};
use crate::frames::EthernetScenario;
use crate::frames::headroom::{Need, Place};
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
    /// Bytes that the file gives the class there: by the limits of its credit, or what an input may
    /// hold; `None` where memory is not by input.
    pub given: Option<u64>,
    /// What that is good for.
    pub verdict: Verdict,
}

/// Is what a file gives enough?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// For no loss and the full rate.
    Enough,
    /// For no loss; what the full rate needs depends on other links, or on other lanes, too.
    NoLoss,
    /// Frames may be lost: so many bytes are missing.
    MayLose(u64),
    /// No frame is lost, but the link may idle: so many bytes are missing.
    MayIdle(u64),
    /// Nothing holds the class back over it, as other links do: what finds no room is dropped.
    Open,
    /// The file sends no frames of the class over it.
    Unused,
}

impl Verdict {
    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Enough => "enough",
            Verdict::NoLoss => "no loss",
            Verdict::MayLose(_) => "may lose",
            Verdict::MayIdle(_) => "may idle",
            Verdict::Open => "may drop",
            Verdict::Unused => "unused",
        }
    }

    /// Bytes that are missing for what it names.
    pub const fn missing(self) -> Option<u64> {
        match self {
            Verdict::MayLose(bytes) | Verdict::MayIdle(bytes) => Some(bytes),
            Verdict::Enough | Verdict::NoLoss | Verdict::Open | Verdict::Unused => None,
        }
    }

    /// Of bytes that are needed and there for the full rate, where those are known.
    fn of_rate(rate: Option<(u64, u64)>) -> Verdict {
        match rate.map(|(needed, has)| needed.saturating_sub(has)) {
            None => Verdict::NoLoss,
            Some(0) => Verdict::Enough,
            Some(missing) => Verdict::MayIdle(missing),
        }
    }
}

/// What links into switches need for each class that has flow control there, or on other links that
/// its frames cross, and of which frames are sent; those that are alike together, in the order of
/// the first.
pub fn of_links(scenario: &EthernetScenario) -> Vec<LinkNeed> {
    let network = &scenario.network;
    let classes = Class::all(network);
    let port = classes.iter().map(|class| class.largest).max();
    let port = port.unwrap_or(FRAME_LEAST_BYTES);
    let (mut needs, mut unheld): (Vec<LinkNeed>, Vec<LinkNeed>) = Default::default();
    for id in 0..2 * network.links.len() as u32 {
        for class in &classes {
            let link = link(network, id, (class.largest, port), class.is_mixed);
            let class = class.number;
            let Some(need) = under(scenario, id, class, &link) else {
                if let Some(own) = open(network, id, class) {
                    unheld.push(own);
                }
                continue;
            };
            let alike = needs.iter_mut().find(|known| {
                let is_same = known.class == class && known.sizing == need.sizing;
                is_same && (known.given, known.verdict) == (need.given, need.verdict)
            });
            match alike {
                Some(known) => known.channels.push(id),
                None => needs.push(need),
            }
        }
    }
    beside(network, unheld, &mut needs);
    needs
}

/// Links without flow control of a class that others hold back, if frames of it cross them.
fn beside(network: &EthernetSpec, unheld: Vec<LinkNeed>, needs: &mut Vec<LinkNeed>) {
    let is_held = |own: &LinkNeed| needs.iter().any(|need| need.class == own.class);
    let unheld: Vec<LinkNeed> = unheld.into_iter().filter(is_held).collect();
    let tables = (!unheld.is_empty()).then(|| Tables::new(network).ok());
    let Some(tables) = tables.flatten() else {
        return;
    };
    let (mut crossed, mut path) = (BTreeSet::new(), Vec::new());
    for (flow, id) in network.flows.iter().zip(0_u32..) {
        let back = flow.transport.is_connection().then_some(2 * id + 1);
        for way in [Some(2 * id), back].into_iter().flatten() {
            path.clear();
            if tables.follow(network, way, &mut path).is_ok() {
                crossed.extend(path.iter().map(|channel| (*channel, flow.class)));
            }
        }
    }
    for own in unheld {
        if !crossed.contains(&(own.channels[0], own.class)) {
            continue;
        }
        let is_alike = |known: &&mut LinkNeed| {
            known.class == own.class && (known.verdict, known.given) == (own.verdict, own.given)
        };
        match needs.iter_mut().find(is_alike) {
            Some(known) => known.channels.extend(own.channels),
            None => needs.push(own),
        }
    }
}

/// A class over a channel into a switch, with nothing to hold it back.
fn open(network: &EthernetSpec, id: u32, class: u8) -> Option<LinkNeed> {
    let channel = network.links.channel(id);
    let (_, to) = network.links.ends(id);
    let is_switch = matches!(network.nodes[to as usize].kind, NodeKind::Switch(_));
    is_switch.then(|| LinkNeed {
        channels: vec![id],
        class,
        sizing: Sizing {
            scheme: "none",
            title: "no flow control".into(),
            no_loss: None,
            full_rate: None,
            both: None,
            terms: Vec::new(),
            note: "other links hold this class back; over this one nothing does, and what finds \
                   no room behind it is dropped"
                .into(),
        },
        given: channel
            .inputs
            .get(usize::from(class))
            .and_then(|input| input.limit_bytes),
        verdict: Verdict::Open,
    })
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
fn under(scenario: &EthernetScenario, id: u32, class: u8, link: &Link) -> Option<LinkNeed> {
    let network = &scenario.network;
    let (_, to) = network.links.ends(id);
    let NodeKind::Switch(switch) = &network.nodes[to as usize].kind else {
        return None;
    };
    let channel = network.links.channel(id);
    if let Some(Some(credit)) = channel.credits.get(usize::from(class)) {
        return with_credit(channel, credit, (id, class), link);
    }
    let rules = switch.stops.over(id)?;
    rules.holds(class).then(|| {
        let sizing = Sizing {
            scheme: rules.word(),
            ..pfc::stops(link)
        };
        let input = channel.inputs.get(usize::from(class));
        let is_watched = |input: &&InputSpec| input.high_bytes < u64::MAX;
        let rate = input.filter(is_watched).map(|input| input.low_bytes);
        LinkNeed {
            channels: vec![id],
            class,
            verdict: of_stops(&scenario.headroom, (id, class), sizing.full_rate.zip(rate)),
            given: input.and_then(|input| input.limit_bytes),
            sizing,
        }
    })
}

/// Credit loses nothing, whatever its limits.
fn with_credit(
    channel: &ChannelSpec,
    credit: &ClassCreditSpec,
    (id, class): (u32, u8),
    link: &Link,
) -> Option<LinkNeed> {
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
    let given = u64::from(units) * u64::from(unit);
    // Lanes of flows or hosts have so much each, and share the link.
    let alone = (credit.owner == Owner::Class).then_some(());
    Some(LinkNeed {
        channels: vec![id],
        class,
        verdict: Verdict::of_rate(alone.and(sizing.both).map(|both| (both, given))),
        given: Some(given),
        sizing,
    })
}

/// What the account of headroom says of all places that hold what comes over a channel; a pool that
/// is enough for some inputs at once is short of nothing that one link needs.
fn of_stops(account: &[Need], (id, class): (u32, u8), rate: Option<(u64, u64)>) -> Verdict {
    let holds = |need: &&Need| {
        let mut brought = need.brought.iter();
        let is_pool = need.place == Place::Pool;
        (is_pool || need.class == class) && brought.any(|own| own.inputs.contains(&id))
    };
    let is_short = |need: &Need| need.place != Place::Pool || need.at_once() == 0;
    let places = account.iter().filter(holds);
    let missing = places.map(|need| if is_short(need) { need.missing() } else { 0 });
    match missing.max() {
        None => Verdict::Unused,
        Some(0) => Verdict::of_rate(rate),
        Some(missing) => Verdict::MayLose(missing),
    }
}

fn in_cells(channel: &ChannelSpec, link: &Link, cell: (u32, i32)) -> Option<Sizing> {
    let update = channel.counters?.update;
    Some(match update.says {
        Says::Freed { .. } => counted::cells(link, cell, update.spacing),
        Says::Limit { .. } => counted::blocks(link, update.spacing),
        Says::Grains { units } => counted::grains(link, cell.0, units),
    })
}
