//! What workloads bring to links between switches, on average.
//!
//! Which way a flow takes is drawn, so a drawn workload is followed as a whole: what all hosts of
//! one switch send to all hosts of another goes evenly over the next hops that there are. Flows
//! that are listed have ways of their own.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Channels, Time};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, NodeKind, TrafficSpec};

use super::lossless::Whole;
use super::offers::{Listed, Matrix, Offer, Way};

/// Most steps for which a workload is followed: switches with receivers x channels.
const STEPS: usize = 50_000_000;

/// What all workloads bring to each link between switches, by the link before it.
pub(crate) fn offers(look: &Whole<'_>) -> Vec<Offer> {
    let (matrices, listed) = (&look.flows.matrices, &look.flows.listed);
    if matrices.is_empty() && listed.is_empty() {
        return Vec::new();
    }
    let Ok(tables) = Tables::new(look.spec) else {
        return Vec::new();
    };
    let drawn = matrices.iter().flat_map(|own| drawn(look, &tables, own));
    let listed = listed.iter().flat_map(|own| of_list(look, &tables, own));
    drawn.chain(listed).collect()
}

/// By channel, and by the one before it.
type Loads = BTreeMap<(u32, u32), f64>;

fn drawn(look: &Whole<'_>, tables: &Tables, matrix: &Matrix) -> Vec<Offer> {
    let from = by_switch(look, &matrix.from);
    let to = by_switch(look, &matrix.to);
    let channels = 2 * look.spec.links.len();
    if to.len().saturating_mul(channels) > STEPS {
        return Vec::new();
    }
    let mut loads = vec![Vec::new(); channels];
    for (switch, (station, takes)) in &to {
        let mut arrive: BTreeMap<u32, f64> = BTreeMap::new();
        let others = from.iter().filter(|(sender, _)| *sender != switch);
        for (sender, (_, sends)) in others {
            let hops = tables.next_hops(*sender, *station);
            for hop in hops {
                *arrive.entry(*hop).or_default() += sends * takes / hops.len() as f64;
            }
        }
        follow(look.spec, tables, (*switch, *station), arrive, &mut loads);
    }
    let all = (0..).zip(loads).flat_map(|(channel, by)| {
        let each = move |(before, bits): (Option<u32>, f64)| (before, channel, bits);
        by.into_iter().map(each)
    });
    all.map(|(before, channel, bits_per_second)| Offer {
        place: channel,
        way: Way::Between,
        before,
        span: matrix.span,
        bits_per_second,
        at: matrix.at.clone(),
    })
    .collect()
}

/// Sums by the switch that hosts are on, each with one of its hosts; a host on several links is a
/// place of its own.
fn by_switch(look: &Whole<'_>, hosts: &[(u32, f64)]) -> BTreeMap<u32, (u32, f64)> {
    let mut all = BTreeMap::new();
    for (host, bits) in hosts {
        let place = match look.net.neighbours[*host as usize][..] {
            [(_, channel)] => look.spec.links.ends(channel).1,
            _ => *host,
        };
        let (_, sum) = all.entry(place).or_insert((*host, 0.0));
        *sum += bits;
    }
    all
}

/// Sums what comes to a switch, channel by channel, until it is there.
fn follow(
    spec: &EthernetSpec,
    tables: &Tables,
    (switch, station): (u32, u32),
    mut arrive: BTreeMap<u32, f64>,
    loads: &mut [Vec<(Option<u32>, f64)>],
) {
    let is_switch = |node: u32| matches!(spec.nodes[node as usize].kind, NodeKind::Switch(_));
    let mut add = |before: Option<u32>, channel: u32, bits: f64| {
        let (from, to) = spec.links.ends(channel);
        if !(is_switch(from) && is_switch(to)) {
            return;
        }
        let of_channel = &mut loads[channel as usize];
        match of_channel.iter_mut().find(|(own, _)| *own == before) {
            Some((_, sum)) => *sum += bits,
            None => of_channel.push((before, bits)),
        }
    };
    for (channel, bits) in &arrive {
        add(None, *channel, *bits);
    }
    // No way is longer than all switches in a row.
    for _ in 0..spec.nodes.len() {
        let mut next: BTreeMap<u32, f64> = BTreeMap::new();
        for (channel, bits) in arrive {
            let (_, node) = spec.links.ends(channel);
            if node == switch {
                continue;
            }
            let hops = tables.next_hops(node, station);
            for hop in hops {
                let part = bits / hops.len() as f64;
                *next.entry(*hop).or_default() += part;
                add(Some(channel), *hop, part);
            }
        }
        if next.is_empty() {
            return;
        }
        arrive = next;
    }
}

/// Of flows that are listed: the mean rate on a link from the first that crosses it to the last, or
/// to the end of the run if that is less.
fn of_list(look: &Whole<'_>, tables: &Tables, listed: &Listed) -> Vec<Offer> {
    let mut sums: BTreeMap<u32, (Time, Time, f64, f64)> = BTreeMap::new();
    let mut parts: Loads = BTreeMap::new();
    for index in listed.flows.clone() {
        let TrafficSpec::Infinite {
            start,
            bytes: Some(bytes),
        } = look.spec.flows[index].traffic
        else {
            continue;
        };
        let bits = bytes as f64 * 8.0 * listed.expansion;
        let ways: BTreeSet<(u32, u32)> = between(look.spec, tables, index as u32);
        for (before, channel) in ways {
            let sum = sums.entry(channel).or_insert((start, start, 0.0, 0.0));
            (sum.1, sum.2) = (start, sum.3);
            sum.3 += bits;
            *parts.entry((before, channel)).or_default() += bits;
        }
    }
    let stop_at = look.spec.stop_at;
    let rate = |bits: f64, from: Time, to: Time| match to.ps().saturating_sub(from.ps()) {
        0 => 0.0,
        ps => bits * 1e12 / ps as f64,
    };
    let offer = |((before, channel), bits): ((u32, u32), f64)| {
        let (first, last, before_last, all) = *sums.get(&channel)?;
        let mean = rate(before_last, first, last).min(rate(all, first, stop_at));
        Some(Offer {
            place: channel,
            way: Way::Between,
            before: Some(before),
            span: (first, stop_at),
            bits_per_second: mean * bits / all,
            at: listed.at.clone(),
        })
    };
    parts.into_iter().filter_map(offer).collect()
}

/// The channels between switches that all frames of a flow cross, each behind the one before it.
pub(super) fn between(spec: &EthernetSpec, tables: &Tables, flow: u32) -> BTreeSet<(u32, u32)> {
    let own = &spec.flows[flow as usize];
    let mut all: Vec<Vec<u32>> = Vec::new();
    if own.is_multicast() {
        all = tables.paths(spec, flow).unwrap_or_default();
    } else {
        let mut way = Vec::new();
        all.extend(
            tables
                .follow(spec, 2 * flow, &mut way)
                .is_ok()
                .then_some(way),
        );
    }
    let is_switch = |node: u32| matches!(spec.nodes[node as usize].kind, NodeKind::Switch(_));
    let ends = |channel: &u32| spec.links.ends(*channel);
    // Frames that are spread one by one take other ways, too.
    let is_one_way = |channel: &u32| {
        let (from, _) = ends(channel);
        let next = |to: u32| tables.next_hops(from, to).len() == 1;
        if own.destinations().any(|to| tables.goes_round((from, to))) && !own.is_multicast() {
            return false;
        }
        !spec.rules.spread.parts_flows() || own.destinations().all(next)
    };
    all.retain(|way| way.iter().all(is_one_way));
    let pairs = all.iter().flat_map(|way| way.windows(2));
    let pairs = pairs.map(|pair| (pair[0], pair[1]));
    pairs
        .filter(|(_, channel)| {
            let (from, to) = ends(channel);
            is_switch(from) && is_switch(to)
        })
        .collect()
}
