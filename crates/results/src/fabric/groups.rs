//! Channels that do the same job: between two stages, in one direction, at the edge.

use std::collections::BTreeMap;

use backwater_flit::spec::{FabricSpec, Shape};

use super::names::{ChannelKind, coordinates, dimension};
use super::network::shares;
use super::{FabricFindings, FabricNames};
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

/// Which group, in the order of the table: kind, then stages or dimension and direction.
type Key = (ChannelKind, u32, u32);

#[derive(Default)]
struct Group {
    channels: u64,
    sum: f64,
    least: f64,
    most: f64,
}

impl Group {
    fn add(&mut self, share: f64) {
        if self.channels == 0 {
            (self.least, self.most) = (share, share);
        }
        self.channels += 1;
        self.sum += share;
        self.least = self.least.min(share);
        self.most = self.most.max(share);
    }
}

/// Use of the channels of each group.
pub fn table(run: &FabricFindings<'_>) -> Table {
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
    let keys = Keys::new(run.spec);
    let mut place = ChannelPlace::default();
    for (index, share) in shares(&run.outcome).iter().enumerate() {
        let Some((kind, at)) = keys.names.kind(u32::try_from(index).unwrap_or(u32::MAX)) else {
            continue;
        };
        let key = match kind {
            ChannelKind::Network => keys.network(at as usize, &mut place),
            _ => (kind, 0, 0),
        };
        groups.entry(key).or_default().add(*share);
    }
    let percent = |share: f64| Cell::float(share * 100.0, 2);
    TableOf::of(&groups)
        .called("channel-groups: Use of channels of the same kind, in the window.")
        .text("channels: position of the channels")
        .of(|(key, _)| keys.label(key))
        .number("count: how many channels")
        .of(|(_, group)| group.channels)
        .number("use mean [%]: share of cycles with a flit, mean over them")
        .of(|(_, group)| percent(group.sum / group.channels.max(1) as f64))
        .number("use min [%]: that of the least used")
        .of(|(_, group)| percent(group.least))
        .number("use max [%]: that of the most used")
        .of(|(_, group)| percent(group.most))
        .done()
}

/// Counts the output ports of the router at hand, channel by channel.
#[derive(Default)]
struct ChannelPlace {
    router: Option<u32>,
    port: usize,
}

impl ChannelPlace {
    fn port_of(&mut self, router: u32) -> usize {
        if self.router == Some(router) {
            self.port += 1;
        } else {
            (self.router, self.port) = (Some(router), 0);
        }
        self.port
    }
}

struct Keys<'a> {
    spec: &'a FabricSpec,
    names: FabricNames<'a>,
    /// Dimensions of a torus that have channels at all.
    wide: Vec<u32>,
}

impl<'a> Keys<'a> {
    fn new(spec: &'a FabricSpec) -> Keys<'a> {
        let wide = match &spec.graph.shape {
            Shape::Torus { sides, .. } => {
                let all = (0..).zip(sides);
                all.filter(|(_, side)| **side > 1).map(|(d, _)| d).collect()
            }
            _ => Vec::new(),
        };
        Keys {
            spec,
            names: FabricNames::new(&spec.graph),
            wide,
        }
    }

    fn network(&self, channel: usize, place: &mut ChannelPlace) -> Key {
        let channel_spec = &self.spec.graph.channels[channel];
        let port = place.port_of(channel_spec.from);
        let group = match &self.spec.graph.shape {
            Shape::Fly { .. } | Shape::FatTree { .. } => {
                let levels = (
                    self.names.level(channel_spec.from),
                    self.names.level(channel_spec.to),
                );
                levels.0.zip(levels.1).map(|(from, to)| (from.0, to.0))
            }
            // Both channels of a side of 2 join the same routers: the port tells them apart.
            Shape::Torus { .. } => {
                let dimension = self.wide.get(port / 2);
                dimension.map(|dimension| (*dimension, port as u32 % 2))
            }
            Shape::Mesh { sides, .. } => step(sides, channel_spec.from, channel_spec.to),
            Shape::Full { .. } | Shape::Crossbar | Shape::Irregular => None,
        };
        let (first, second) = group.unwrap_or((u32::MAX, 0));
        (ChannelKind::Network, first, second)
    }

    fn label(&self, key: &Key) -> String {
        let &(kind, first, second) = key;
        match &self.spec.graph.shape {
            _ if kind != ChannelKind::Network => kind.word().into(),
            _ if first == u32::MAX => "between routers".into(),
            Shape::Fly { .. } => format!("S{first} -> S{second}"),
            Shape::FatTree { .. } => format!("L{first} -> L{second}"),
            Shape::Mesh { sides, .. } | Shape::Torus { sides, .. } => {
                let way = if second == 0 { "up" } else { "down" };
                format!("{} {way}", dimension(first as usize, sides.len()))
            }
            Shape::Full { .. } | Shape::Crossbar | Shape::Irregular => "between routers".into(),
        }
    }
}

/// The dimension in which two routers differ, and 0 for up, 1 for down.
fn step(sides: &[u32], from: u32, to: u32) -> Option<(u32, u32)> {
    let (from, to) = (coordinates(sides, from)?, coordinates(sides, to)?);
    let mut pairs = (0..).zip(from.iter().zip(&to));
    let (dimension, (from, to)) = pairs.find(|(_, (from, to))| from != to)?;
    Some((dimension, u32::from(to < from)))
}
