//! `.topo`, a fat tree: `Nodes n`, `Tiers 2|3`, `Podsize n`, then for each tier from the hosts up
//! `Tier k` and what its switches have: `Downlink_speed_Gbps`, `Radix_Down`, `Radix_Up` (not at
//! the top), `Queue_Up`, `Queue_Down`, `Oversubscribed`, `Bundle`, `Switch_Latency_ns`,
//! `Downlink_Latency_ns`. Case does not count.
//!
//! Hosts are `H0`, .. by their numbers, switches of the three tiers `T0`, .., `A0`, .. and
//! `C0`, .. A switch of the pod's place `p` in the middle tier is linked to the top switches
//! `p + a l`, where `a` is how many of its tier a pod has.

use std::collections::BTreeMap;

use crate::text::{self, no};
use crate::{FileError, Link, Node, Topology};

/// What a tier may say.
const KEYS: [&str; 9] = [
    "downlink_speed_gbps",
    "radix_down",
    "radix_up",
    "queue_up",
    "queue_down",
    "oversubscribed",
    "bundle",
    "switch_latency_ns",
    "downlink_latency_ns",
];
/// What stands before the tiers.
const HEADING: [&str; 3] = ["nodes", "tiers", "podsize"];
/// Nodes and links that a file may ask for.
const MOST: u64 = 2_000_000;

/// What a tier says, by name, each with its line.
struct Tier {
    line: u32,
    said: BTreeMap<&'static str, (u32, u64)>,
}

impl Tier {
    fn get(&self, key: &str) -> Option<u64> {
        self.said.get(key).map(|(_, value)| *value)
    }

    /// It must be said, and be more than nothing.
    fn need(&self, key: &'static str) -> Result<u64, FileError> {
        match self.said.get(key) {
            Some((line, 0)) => Err(no((*line, "0"), format!("a number from 1 on for `{key}`"))),
            Some((_, value)) => Ok(*value),
            None => {
                let message = format!("the tier does not say `{key}`");
                Err(FileError::new(self.line, message).allowed(format!("`{key}` with a number")))
            }
        }
    }

    fn bundle(&self) -> Result<u64, FileError> {
        match self.said.contains_key("bundle") {
            true => self.need("bundle"),
            false => Ok(1),
        }
    }

    fn line_of(&self, key: &str) -> u32 {
        self.said.get(key).map_or(self.line, |(line, _)| *line)
    }
}

/// Numbers of switches.
struct Shape {
    hosts: u64,
    pods: u64,
    /// Switches of the lowest tier in a pod, and of the middle one.
    tors: u64,
    aggs: u64,
    /// Switches of the third tier.
    cores: u64,
}

/// Reads one.
///
/// # Errors
/// If a word is none of the form, a number is missing or twice, or the numbers of ports and links
/// of the tiers don't fit each other.
pub fn read(text: &str) -> Result<Topology, FileError> {
    let (heading, tiers) = parse(text)?;
    let shape = shape(&heading, &tiers)?;
    let mut topology = Topology::default();
    nodes(&shape, &tiers, &mut topology);
    links(&shape, &tiers, &mut topology)?;
    topology.left_out = left_out(&tiers);
    Ok(topology)
}

type Heading = BTreeMap<&'static str, (u32, u64)>;

fn parse(text: &str) -> Result<(Heading, Vec<Tier>), FileError> {
    let mut heading = Heading::new();
    let mut tiers: BTreeMap<u64, Tier> = BTreeMap::new();
    let mut current = None;
    for (line, content) in text::lines(text) {
        let mut words = content.split_whitespace();
        let word = words.next().unwrap_or_default();
        let key = word.to_ascii_lowercase();
        let what = format!("a whole number behind `{word}`");
        let value = words.next();
        let value = value.ok_or_else(|| FileError::new(line, "the line ends here").allowed(&*what));
        let value: u64 = text::number((line, value?), &what)?;
        if let Some(more) = words.next() {
            return Err(no((line, more), "one number in this line"));
        }
        if key == "tier" {
            if value > 2 || tiers.contains_key(&value) {
                return Err(no((line, &value.to_string()), "tier 0, 1 or 2, each once"));
            }
            let said = BTreeMap::new();
            tiers.insert(value, Tier { line, said });
            current = Some(value);
            continue;
        }
        let current = current.and_then(|tier| tiers.get_mut(&tier));
        let (said, keys) = match current {
            Some(tier) => (&mut tier.said, &KEYS[..]),
            None => (&mut heading, &HEADING[..]),
        };
        let Some(key) = keys.iter().find(|known| **known == key) else {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            return Err(no((line, word), format!("{} or `tier`", keys.join(", "))));
        };
        if said.insert(key, (line, value)).is_some() {
            return Err(FileError::new(line, format!("a second `{word}`")).allowed("each once"));
        }
    }
    let count = wanted(&heading, "tiers")?;
    let (line, _) = heading["tiers"];
    if !(2..=3).contains(&count) {
        return Err(no((line, &count.to_string()), "2 or 3 tiers"));
    }
    if let Some(missing) = (0..count).find(|tier| !tiers.contains_key(tier)) {
        let message = format!("no `Tier {missing}` in the file");
        return Err(FileError::new(line, message).allowed(format!("{count} tiers by this line")));
    }
    if let Some((more, tier)) = tiers.iter().find(|(tier, _)| **tier >= count) {
        let message = format!("`Tier {more}`");
        return Err(FileError::new(tier.line, message).allowed(format!("{count} tiers, from 0 on")));
    }
    Ok((heading, tiers.into_values().collect()))
}

fn wanted(heading: &Heading, key: &'static str) -> Result<u64, FileError> {
    match heading.get(key) {
        Some((line, 0)) => Err(no((*line, "0"), format!("a number from 1 on for `{key}`"))),
        Some((_, value)) => Ok(*value),
        None => Err(FileError::new(1, format!("the file does not say `{key}`"))
            .allowed("`nodes`, `tiers` and `podsize` before the first `tier`")),
    }
}

/// Says what does not fit.
fn unfit(line: u32, message: String, allowed: impl Into<String>) -> FileError {
    FileError::new(line, message).allowed(allowed)
}

/// A part of a whole, which it must divide.
fn divided(whole: u64, part: u64, (line, what): (u32, &str)) -> Result<u64, FileError> {
    if part == 0 || !whole.is_multiple_of(part) {
        return Err(unfit(
            line,
            format!("{whole} {what} {part}"),
            "a number that divides it",
        ));
    }
    Ok(whole / part)
}

fn shape(heading: &Heading, tiers: &[Tier]) -> Result<Shape, FileError> {
    let hosts = wanted(heading, "nodes")?;
    let pod = wanted(heading, "podsize")?;
    if hosts > MOST {
        return Err(no(
            (heading["nodes"].0, &hosts.to_string()),
            format!("at most {MOST} nodes"),
        ));
    }
    let (tor, agg) = (&tiers[0], &tiers[1]);
    let pods = divided(hosts, pod, (heading["podsize"].0, "nodes in pods of"))?;
    let down = tor.need("radix_down")?;
    let tors = divided(
        pod,
        down,
        (tor.line_of("radix_down"), "hosts of a pod on switches of"),
    )?;
    let aggs = tier_above(tors, tor, agg)?;
    if tor.bundle()? != 1 {
        let message = "a bundle of links to each host".into();
        return Err(unfit(
            tor.line_of("bundle"),
            message,
            "one link to each host",
        ));
    }
    let mut shape = Shape {
        hosts,
        pods,
        tors,
        aggs,
        cores: 0,
    };
    let Some(core) = tiers.get(2) else {
        if pods != 1 {
            let message = format!("{pods} pods, which nothing joins in two tiers");
            return Err(unfit(
                heading["podsize"].0,
                message,
                format!("podsize {hosts}, or a tier 2"),
            ));
        }
        return Ok(shape);
    };
    let to_each = divided(
        agg.need("radix_up")?,
        core.bundle()?,
        (agg.line_of("radix_up"), "ports up in bundles of"),
    )?;
    shape.cores = to_each.saturating_mul(aggs);
    let ports = pods.saturating_mul(core.bundle()?);
    if core.need("radix_down")? != ports {
        let message = format!("{} ports down", core.need("radix_down")?);
        let what = format!(
            "{ports}: {pods} pods, each by a bundle of {}",
            core.bundle()?
        );
        return Err(unfit(core.line_of("radix_down"), message, what));
    }
    Ok(shape)
}

/// Switches of the next tier that a pod has: each of them is joined to all below.
fn tier_above(below: u64, lower: &Tier, upper: &Tier) -> Result<u64, FileError> {
    let up = lower.need("radix_up")?;
    let bundle = upper.bundle()?;
    let above = divided(
        up,
        bundle,
        (lower.line_of("radix_up"), "ports up in bundles of"),
    )?;
    let ports = below.saturating_mul(bundle);
    let down = upper.need("radix_down")?;
    if down != ports {
        let what = format!("{ports}: {below} switches below, each by a bundle of {bundle}");
        return Err(unfit(
            upper.line_of("radix_down"),
            format!("{down} ports down"),
            what,
        ));
    }
    if let Some(said) = lower.get("oversubscribed") {
        let radix = lower.need("radix_down")?;
        if up.checked_mul(said) != Some(radix) && radix / up != said {
            let line = lower.line_of("oversubscribed");
            let message = format!("oversubscribed {said}, with {radix} ports down and {up} up");
            return Err(unfit(line, message, format!("{}", radix / up)));
        }
    }
    Ok(above)
}

fn nodes(shape: &Shape, tiers: &[Tier], topology: &mut Topology) {
    let node = |name: String, is_host: bool, tier: usize| Node {
        name,
        is_host,
        is_said: true,
        latency_ps: match is_host {
            true => None,
            false => tiers[tier]
                .get("switch_latency_ns")
                .map(|ns| ns.saturating_mul(1_000)),
        },
    };
    let of = |letter: char, count: u64, tier: usize| {
        (0..count).map(move |number| (format!("{letter}{number}"), letter == 'H', tier))
    };
    let all = of('H', shape.hosts, 0)
        .chain(of('T', shape.tors * shape.pods, 0))
        .chain(of('A', shape.aggs * shape.pods, 1))
        .chain(of('C', shape.cores, 2));
    topology.nodes = all
        .map(|(name, is_host, tier)| node(name, is_host, tier))
        .collect();
}

fn links(shape: &Shape, tiers: &[Tier], topology: &mut Topology) -> Result<(), FileError> {
    let (tors, aggs) = (shape.tors * shape.pods, shape.aggs * shape.pods);
    let per_tor = tiers[0].need("radix_down")?;
    let bundles = [
        1,
        tiers[1].bundle()?,
        tiers.get(2).map_or(Ok(1), Tier::bundle)?,
    ];
    let (to_core, per_pod) = (shape.cores / shape.aggs.max(1), shape.aggs);
    let count = shape.hosts as u128
        + u128::from(tors) * u128::from(per_pod) * u128::from(bundles[1])
        + u128::from(aggs) * u128::from(to_core) * u128::from(bundles[2]);
    if count > u128::from(MOST) {
        let message = format!("{count} links");
        return Err(FileError::new(1, message).allowed(format!("at most {MOST} links")));
    }
    let mut add = |tier: usize, a: u64, b: u64| -> Result<(), FileError> {
        let gbps = tiers[tier].need("downlink_speed_gbps")?;
        let upper = &tiers[tier];
        if gbps > 100_000 {
            let line = upper.line_of("downlink_speed_gbps");
            return Err(no((line, &gbps.to_string()), "at most 100000 Gbps"));
        }
        let delay = upper.need("downlink_latency_ns")?.saturating_mul(1_000);
        for _ in 0..bundles[tier] {
            topology.links.push(Link {
                ends: [a as u32, b as u32],
                rate_bps: Some(gbps * 1_000_000_000),
                delay_ps: Some(delay.min(text::LONGEST_PS)),
                loss: 0.0,
                line: upper.line,
            });
        }
        Ok(())
    };
    let (first_tor, first_agg) = (shape.hosts, shape.hosts + tors);
    for host in 0..shape.hosts {
        add(0, host, first_tor + host / per_tor)?;
    }
    for tor in 0..tors {
        let pod = tor / shape.tors;
        for place in 0..per_pod {
            add(1, first_tor + tor, first_agg + pod * per_pod + place)?;
        }
    }
    for agg in 0..aggs {
        for level in 0..to_core {
            add(
                2,
                first_agg + agg,
                first_agg + aggs + agg % per_pod + per_pod * level,
            )?;
        }
    }
    Ok(())
}

/// Queues: how much memory ports have is said elsewhere.
fn left_out(tiers: &[Tier]) -> Vec<String> {
    let mut said = Vec::new();
    for (number, tier) in tiers.iter().enumerate() {
        for key in ["queue_up", "queue_down"] {
            if let Some(bytes) = tier.get(key) {
                said.push(format!("`{key}` of tier {number}: {bytes} bytes a port"));
            }
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\n\
                       Radix_Up 2\nDownlink_Latency_ns 1000\nOversubscribed 2\nQueue_Up 5000\n\
                       tier 1\ndownlink_speed_gbps 400\nRADIX_DOWN 2\nDownlink_Latency_ns 500\n\
                       Switch_Latency_ns 300\n";
    const THREE: &str = "Nodes 16\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\n\
                         Radix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\nTier 1\n\
                         Downlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 4\n\
                         Downlink_Latency_ns 1\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 8\n\
                         Downlink_Latency_ns 1\nBundle 2\n";

    #[test]
    fn two_tiers_are_leaves_and_spines() {
        let read = read(TWO).expect("it is right");
        let names: Vec<&str> = read.nodes.iter().map(|node| &*node.name).collect();
        let wanted = "H0 H1 H2 H3 H4 H5 H6 H7 T0 T1 A0 A1";
        assert_eq!(names.join(" "), wanted);
        let said = |link: &Link| (link.ends, link.rate_bps.map(|bps| bps / 1_000_000_000));
        assert_eq!(said(&read.links[5]), ([5, 9], Some(100)));
        let up: Vec<_> = read.links[8..].iter().map(said).collect();
        let wanted = [
            ([8, 10], Some(400)),
            ([8, 11], Some(400)),
            ([9, 10], Some(400)),
        ];
        assert_eq!((&up[..3], up.len()), (&wanted[..], 4));
        let latency = |node: usize| read.nodes[node].latency_ps;
        assert_eq!(
            [latency(0), latency(8), latency(10)],
            [None, None, Some(300_000)]
        );
        assert_eq!(read.left_out, ["`queue_up` of tier 0: 5000 bytes a port"]);
    }

    #[test]
    fn three_tiers_with_bundles() {
        let read = read(THREE).expect("it is right");
        // 16 hosts, 8 and 8 switches, 4 at the top.
        assert_eq!((read.nodes.len(), read.hosts()), (36, 16));
        let mut ports = vec![0; read.nodes.len()];
        read.links
            .iter()
            .flat_map(|link| link.ends)
            .for_each(|end| ports[end as usize] += 1);
        let wanted = [vec![1; 16], vec![4; 8], vec![6; 8], vec![8; 4]].concat();
        assert_eq!(ports, wanted);
        let at_top: Vec<[u32; 2]> = read.links[32..40].iter().map(|link| link.ends).collect();
        let first = [[24, 32], [24, 32], [24, 34], [24, 34]];
        let second = [[25, 33], [25, 33], [25, 35], [25, 35]];
        assert_eq!(at_top, [first, second].concat());
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            (TWO, "Tiers 2", "Tiers 4", 2, "`4`"),
            (TWO, "Tiers 2", "Tiers 3", 2, "no `Tier 2` in the file"),
            (THREE, "Tiers 3", "Tiers 2", 14, "`Tier 2`"),
            (TWO, "Podsize 8\n", "", 1, "the file does not say `podsize`"),
            (TWO, "Podsize 8", "Podsize 3", 3, "8 nodes in pods of 3"),
            (TWO, "Podsize 8", "Podsize 4", 13, "2 ports down"),
            (
                TWO,
                "Radix_Down 4",
                "Radix_Down 3",
                6,
                "8 hosts of a pod on switches of 3",
            ),
            (
                TWO,
                "Radix_Down 4\n",
                "",
                4,
                "the tier does not say `radix_down`",
            ),
            (TWO, "RADIX_DOWN 2", "RADIX_DOWN 4", 13, "4 ports down"),
            (TWO, "Radix_Down 4", "Radix_Down 0", 6, "`0`"),
            (TWO, "Radix_Down 4", "Radix_Down", 6, "the line ends here"),
            (TWO, "Radix_Down 4", "Radix_Down 4 4", 6, "`4`"),
            (TWO, "Radix_Down 4", "Radix_Down -4", 6, "`-4`"),
            (TWO, "Radix_Down 4", "Radix 4", 6, "`Radix`"),
            (
                TWO,
                "Radix_Up 2",
                "Radix_Down 4",
                7,
                "a second `Radix_Down`",
            ),
            (TWO, "tier 1", "tier 0", 11, "`0`"),
            (TWO, "tier 1", "tier 3", 11, "`3`"),
            (
                TWO,
                "Oversubscribed 2",
                "Oversubscribed 3",
                9,
                "oversubscribed 3, with 4 ports",
            ),
            (TWO, "Nodes 8", "Nodes 0", 1, "`0`"),
            (TWO, "Nodes 8", "Nodes 80000000", 1, "`80000000`"),
            (TWO, "Gbps 100\n", "Gbps 100001\n", 5, "`100001`"),
            (THREE, "Radix_Down 8", "Radix_Down 4", 16, "4 ports down"),
            (
                THREE,
                "Radix_Up 4",
                "Radix_Up 3",
                12,
                "3 ports up in bundles of 2",
            ),
        ];
        for (text, from, to, line, found) in wrong {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            let mistake = read(&changed).expect_err(to);
            let is_it = mistake.line == line && mistake.found.starts_with(found);
            assert!(is_it && mistake.allowed.is_some(), "{to}: {mistake}");
        }
    }
}
