//! Graphs of libraries: what is said of nodes and edges is a list of attributes, and a few of them
//! are read here alike, whatever the file.
//!
//! Nodes: `kind` (`host` or `switch`; where none is said, what has one link is a host), `latency`.
//! Edges: `rate`, `delay`, `loss`; a length of cable in km as `dist`, `length` or `distance`, at
//! 5 us/km, where there is no delay; `LinkSpeedRaw` in bits a second, where there is no rate.

use std::collections::BTreeMap;

use backwater_kernel::words::counted;

use crate::text::{self, clip, no, span};
use crate::{FileError, Link, Node, Topology};

pub mod graphml;
pub mod json;

/// Delay of a kilometre of cable, picoseconds.
const KM_PS: u128 = 5_000_000;
/// Attributes named of those that are left out.
const NAMED: usize = 12;

/// A node or an edge: where it stands, and what is said of it.
#[derive(Default)]
struct Item {
    line: u32,
    /// Attributes in their order, with the text of each.
    said: Vec<(String, String)>,
}

/// A graph before it is a network.
#[derive(Default)]
struct Graph {
    /// By id.
    nodes: Vec<(String, Item)>,
    /// By the ids of their ends.
    edges: Vec<([String; 2], Item)>,
}

impl Item {
    fn take(&mut self, names: &[&str]) -> Option<String> {
        let at = names
            .iter()
            .find_map(|name| self.said.iter().position(|(key, _)| key == name));
        at.map(|at| self.said.remove(at).1)
    }
}

impl Graph {
    /// The network; `names` are attributes that may name nodes, if they tell them apart.
    fn network(mut self, names: &[&str]) -> Result<Topology, FileError> {
        let mut topology = Topology::default();
        let places = self.places()?;
        let named = self.named(names);
        let mut degrees = vec![0_u32; self.nodes.len()];
        let mut left = BTreeMap::new();
        for (ids, mut item) in std::mem::take(&mut self.edges) {
            let link = link(&places, ids, &mut item)?;
            link.ends.iter().for_each(|end| degrees[*end as usize] += 1);
            topology.links.push(link);
            count(&mut left, ("links", &item));
        }
        for ((id, mut item), degree) in self.nodes.into_iter().zip(degrees) {
            let kind = item.take(&["kind"]);
            let is_host = match kind.as_deref() {
                Some("host") => true,
                Some("switch") => false,
                Some(other) => return Err(no((item.line, other), "`host` or `switch`")),
                None => degree == 1,
            };
            let latency = item.take(&["latency"]);
            let latency = latency
                .map(|text| text::time((item.line, &text)))
                .transpose()?;
            let name = named.and_then(|key| item.take(&[key]));
            topology.nodes.push(Node {
                name: name.unwrap_or(id),
                is_host,
                is_said: kind.is_some(),
                latency_ps: latency,
            });
            count(&mut left, ("nodes", &item));
        }
        topology.left_out = said(left);
        Ok(topology)
    }

    /// Where each id stands.
    fn places(&self) -> Result<BTreeMap<String, u32>, FileError> {
        let mut places = BTreeMap::new();
        for ((id, item), place) in self.nodes.iter().zip(0_u32..) {
            if id.is_empty() || id.contains("->") {
                return Err(no(
                    (item.line, id),
                    "an id that is not empty and has no `->` in it",
                ));
            }
            if places.insert(id.clone(), place).is_some() {
                let message = format!("a second node `{}`", clip(id));
                return Err(FileError::new(item.line, message).allowed("ids that differ"));
            }
        }
        Ok(places)
    }

    /// The attribute that names nodes: each has it, and no two the same.
    fn named<'k>(&self, names: &[&'k str]) -> Option<&'k str> {
        let tells_apart = |key: &&&str| {
            let texts = self.nodes.iter().map(|(_, item)| {
                let attribute = item.said.iter().find(|(name, _)| name == **key);
                attribute
                    .map(|(_, text)| text.as_str())
                    .filter(|text| is_name(text))
            });
            let texts: Option<Vec<&str>> = texts.collect();
            texts.is_some_and(|mut texts| {
                let count = texts.len();
                texts.sort_unstable();
                texts.dedup();
                texts.len() == count
            })
        };
        names.iter().find(tells_apart).copied()
    }
}

fn is_name(text: &str) -> bool {
    let printable = |c: char| !c.is_control() && !"*{}#".contains(c);
    !text.is_empty() && text == text.trim() && !text.contains("->") && text.chars().all(printable)
}

fn link(
    places: &BTreeMap<String, u32>,
    ids: [String; 2],
    item: &mut Item,
) -> Result<Link, FileError> {
    let line = item.line;
    let [a, b] = ids;
    let place = |id: &str| {
        let place = places.get(id).copied();
        place.ok_or_else(|| no((line, id), "the id of a node of the file"))
    };
    let ends = [place(&a)?, place(&b)?];
    if a == b {
        let message = format!("a link from `{}` to itself", clip(&a));
        return Err(FileError::new(line, message).allowed("two different nodes"));
    }
    let rate = item
        .take(&["rate"])
        .map(|text| text::rate((line, &text)))
        .transpose()?;
    let delay = item
        .take(&["delay"])
        .map(|text| text::time((line, &text)))
        .transpose()?;
    let loss = item
        .take(&["loss"])
        .map(|text| text::probability((line, &text)))
        .transpose()?;
    // What is said twice is used once, and the other is told of.
    let raw = rate
        .is_none()
        .then(|| item.take(&["LinkSpeedRaw"]))
        .flatten();
    let raw = raw.map(|text| match span(&text, 1) {
        Some(bps) if bps > 0 => text::rate((line, &format!("{bps}bps"))),
        _ => Err(no((line, &text), "bits a second for `LinkSpeedRaw`")),
    });
    let km = delay
        .is_none()
        .then(|| item.take(&["dist", "length", "distance"]))
        .flatten();
    let km = km.map(|text| {
        let what = "kilometres of cable, as a number from 0 on";
        span(&text, KM_PS).ok_or_else(|| no((line, &text), what))
    });
    Ok(Link {
        ends,
        rate_bps: rate.or(raw.transpose()?),
        delay_ps: delay.or(km.transpose()?),
        loss: loss.unwrap_or_default(),
        line,
    })
}

fn count<'i>(left: &mut BTreeMap<(&'i str, String), usize>, (what, item): (&'i str, &Item)) {
    for (key, _) in &item.said {
        *left.entry((what, key.clone())).or_default() += 1;
    }
}

/// Attributes that nothing here stands for.
fn said(left: BTreeMap<(&str, String), usize>) -> Vec<String> {
    let more = left.len().saturating_sub(NAMED);
    let all = left.into_iter().take(NAMED);
    let all = all.map(|((what, key), count)| {
        let of = counted(count, what.trim_end_matches('s'));
        format!("`{}` of {of}", clip(&key))
    });
    let rest = (more > 0).then(|| format!("{} more", counted(more, "attribute")));
    all.chain(rest).collect()
}
