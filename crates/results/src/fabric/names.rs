//! Names for routers, terminals and channels: the place in the shape, or what a file calls them.

use std::ops::Range;

use backwater_flit::spec::{Graph, Shape};

/// Names the parts of one network.
#[derive(Clone, Copy, Debug)]
pub struct FabricNames<'a> {
    graph: &'a Graph,
}

/// What a channel joins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChannelKind {
    /// A terminal to a router.
    Injection,
    /// A router to a router.
    Network,
    /// A router to a terminal.
    Ejection,
}

impl ChannelKind {
    /// One word.
    pub fn word(self) -> &'static str {
        match self {
            ChannelKind::Injection => "injection",
            ChannelKind::Network => "network",
            ChannelKind::Ejection => "ejection",
        }
    }
}

/// Where a channel begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At this router.
    Router(u32),
    /// At this terminal.
    Terminal(u32),
}

impl<'a> FabricNames<'a> {
    /// Names for `graph`.
    pub fn new(graph: &'a Graph) -> FabricNames<'a> {
        FabricNames { graph }
    }

    /// `S3.17` (stage and index), `L1.4` (level and index), `(x=3,y=4)`, a name from a file, or
    /// `R7`.
    pub fn router(&self, router: u32) -> String {
        let given = self.graph.names.get(router as usize);
        if let Some(name) = given.filter(|name| !name.is_empty()) {
            return name.clone();
        }
        match &self.graph.shape {
            Shape::Fly { .. } => self.leveled(router, 'S'),
            Shape::FatTree { .. } => self.leveled(router, 'L'),
            Shape::Mesh { sides, .. } | Shape::Torus { sides, .. } => {
                coordinates(sides, router).map(|place| in_brackets(&place))
            }
            Shape::Crossbar if router == 0 => Some("crossbar".into()),
            Shape::Crossbar | Shape::Full { .. } | Shape::Irregular => None,
        }
        .unwrap_or_else(|| format!("R{router}"))
    }

    /// The name of a router on a map, which shows the dimensions itself: `3,4`.
    pub fn router_on_map(&self, router: u32) -> String {
        let name = self.router(router);
        let place = match &self.graph.shape {
            Shape::Mesh { sides, .. } | Shape::Torus { sides, .. } => coordinates(sides, router),
            _ => None,
        };
        match place {
            Some(place) if name == in_brackets(&place) => {
                let place: Vec<String> = place.iter().map(u32::to_string).collect();
                place.join(",")
            }
            _ => name,
        }
    }

    /// `terminal 5`.
    pub fn terminal(&self, terminal: u32) -> String {
        format!("terminal {terminal}")
    }

    /// `S3.17 -> S4.5 (port 1)`, `(x=3,y=4) -> (x=4,y=4)`, `terminal 5 -> S0.2`; the port where
    /// a router has several channels to one neighbour, and in a fly.
    pub fn channel(&self, channel: u32) -> String {
        let Some((from, to)) = self.ends(channel) else {
            return format!("channel {channel}");
        };
        let port = match self.port_shown(channel) {
            Some(port) => format!(" (port {port})"),
            None => String::new(),
        };
        format!("{} -> {}{port}", self.end(from), self.end(to))
    }

    /// What a channel joins, and its number among those of its kind.
    pub fn kind(&self, channel: u32) -> Option<(ChannelKind, u32)> {
        let mut index = channel as usize;
        for (kind, count) in [
            (ChannelKind::Network, self.graph.channels.len()),
            (ChannelKind::Injection, self.graph.inject.len()),
            (ChannelKind::Ejection, self.graph.eject.len()),
        ] {
            if index < count {
                return Some((kind, index as u32));
            }
            index -= count;
        }
        None
    }

    /// Where a channel begins and where it ends.
    pub fn ends(&self, channel: u32) -> Option<(End, End)> {
        let (kind, index) = self.kind(channel)?;
        let at = index as usize;
        Some(match kind {
            ChannelKind::Network => {
                let channel = self.graph.channels.get(at)?;
                (End::Router(channel.from), End::Router(channel.to))
            }
            ChannelKind::Injection => (
                End::Terminal(index),
                End::Router(*self.graph.inject.get(at)?),
            ),
            ChannelKind::Ejection => (
                End::Router(*self.graph.eject.get(at)?),
                End::Terminal(index),
            ),
        })
    }

    /// The name of an end.
    pub fn end(&self, end: End) -> String {
        match end {
            End::Router(router) => self.router(router),
            End::Terminal(terminal) => self.terminal(terminal),
        }
    }

    /// Stage of a fly or level of a fat tree, and the index there.
    pub fn level(&self, router: u32) -> Option<(u32, u32)> {
        let (Shape::Fly { k, n } | Shape::FatTree { k, n }) = self.graph.shape else {
            return None;
        };
        let width = k.checked_pow(n.checked_sub(1)?)?;
        let level = router.checked_div(width)?;
        (level < n).then(|| (level, router % width))
    }

    fn leveled(&self, router: u32, letter: char) -> Option<String> {
        let (level, index) = self.level(router)?;
        Some(format!("{letter}{level}.{index}"))
    }

    fn port_shown(&self, channel: u32) -> Option<usize> {
        let channel_spec = self.graph.channels.get(channel as usize)?;
        let ports = self.ports(channel_spec.from);
        let shown = match self.graph.shape {
            Shape::Fly { .. } => true,
            Shape::Torus { .. } | Shape::Irregular => {
                let siblings = self.graph.channels.get(ports.clone()).unwrap_or_default();
                siblings
                    .iter()
                    .filter(|other| other.to == channel_spec.to)
                    .count()
                    > 1
            }
            _ => false,
        };
        shown.then(|| (channel as usize).saturating_sub(ports.start))
    }

    /// The channels to other routers that leave `router`.
    fn ports(&self, router: u32) -> Range<usize> {
        let channels = &self.graph.channels;
        let start = channels.partition_point(|channel| channel.from < router);
        start..channels.partition_point(|channel| channel.from <= router)
    }
}

/// Coordinates of a router, the first running fastest; `None` outside.
pub fn coordinates(sides: &[u32], router: u32) -> Option<Vec<u32>> {
    let mut rest = router;
    let mut place = Vec::with_capacity(sides.len());
    for &side in sides {
        place.push(rest.checked_rem(side)?);
        rest /= side;
    }
    (rest == 0).then_some(place)
}

/// `x`, `y`, `z`, or the number of a dimension where there are more of them.
pub fn dimension(index: usize, dimensions: usize) -> String {
    match ["x", "y", "z"].get(index) {
        Some(letter) if dimensions <= 3 => (*letter).into(),
        _ => format!("dimension {index}"),
    }
}

fn in_brackets(place: &[u32]) -> String {
    let parts = place.iter().enumerate().map(|(index, at)| {
        if place.len() <= 3 {
            format!("{}={at}", dimension(index, place.len()))
        } else {
            at.to_string()
        }
    });
    format!("({})", parts.collect::<Vec<_>>().join(","))
}
