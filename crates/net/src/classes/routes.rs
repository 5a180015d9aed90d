//! Which way frames go: over any graph, by the shortest ways or as the scenario says.

use alloc::format;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Channels, TraceHash};

use crate::classes::trees::{FORK, Trees};
use crate::hop::unit::{NONE, Unit};
use crate::spec::frames::{EthernetSpec, NodeKind, Spread};

mod crossed;
mod tables;

pub use tables::Tables;

/// A hash of some words, for choices that must not depend on the order of events.
pub(crate) fn mix(words: &[u64]) -> u64 {
    let mut hash = TraceHash::new();
    words.iter().for_each(|word| hash.add(*word));
    hash.value()
}

/// Ways ready to be followed.
#[derive(Debug)]
pub(crate) enum Routes {
    /// For each way (flow and direction) its channels one after the other, then [`NONE`], or
    /// where ways to several stations part and end, a fork of `trees`. [`Frame::hop`] is an index
    /// here.
    Paths {
        /// By way, its first channel's index.
        first: Vec<u32>,
        /// All of them.
        hops: Vec<u32>,
        /// Where frames are copied.
        trees: Trees,
        /// By way and congestion point of data of the opposite way: the first hop's index of what
        /// the switch there sends; in order.
        from_switches: Starts,
        /// For flows without a row.
        slots: Option<Slots>,
    },
    /// The next hops from each node to each station. [`Frame::hop`] is a channel.
    Tables(Tables),
}

impl Routes {
    pub fn new(spec: &EthernetSpec) -> Result<Routes, BuildError> {
        let tables = Tables::new(spec)?;
        if spec.rules.spread == Spread::Frames {
            return Ok(Routes::Tables(tables));
        }
        let (mut first, mut hops) = (Vec::new(), Vec::new());
        let mut trees = Trees::default();
        for way in 0..spec.flows.len() as u32 * 2 {
            first.push(hops.len() as u32);
            if spec.flows[way as usize / 2].is_multicast() {
                if way % 2 == 0 {
                    trees.add(&tables.paths(spec, way / 2)?, &mut hops);
                }
                continue;
            }
            tables.follow(spec, way, &mut hops)?;
            hops.push(NONE);
        }
        let from_switches = from_switches(spec, &tables, &first, &mut hops)?;
        if hops.len() >= FORK as usize {
            return Err(BuildError(format!(
                "{} hops of all flows are too many",
                hops.len()
            )));
        }
        Ok(Routes::Paths {
            first,
            hops,
            trees,
            from_switches,
            slots: (!spec.rules.arrivals.is_empty()).then(|| Slots {
                tables,
                rooms: Vec::new(),
            }),
        })
    }

    /// A flow has this place from now on: its ways, as its number has it. False if it has none.
    pub fn lay(
        &mut self,
        (place, number): (u32, u32),
        ends: (u32, u32),
        to_of: impl Fn(u32) -> Option<u32>,
    ) -> bool {
        match self {
            Routes::Paths {
                first,
                hops,
                slots: Some(slots),
                ..
            } => slots.lay((place, number), ends, (first, hops), to_of),
            Routes::Paths { .. } | Routes::Tables(_) => true,
        }
    }

    /// No way at all.
    pub fn none() -> Routes {
        Routes::Paths {
            first: Vec::new(),
            hops: Vec::new(),
            trees: Trees::default(),
            from_switches: Vec::new(),
            slots: None,
        }
    }

    /// The channels of a way, if all of its frames take the same to one station.
    pub fn only(&self, spec: &EthernetSpec, way: u32) -> Option<Vec<u32>> {
        match self {
            Routes::Paths { .. } => self.path(way).map(<[u32]>::to_vec),
            Routes::Tables(tables) => tables.only(spec, way),
        }
    }

    /// The same where all frames of a flow take one way, whatever it is.
    pub fn path(&self, way: u32) -> Option<&[u32]> {
        let Routes::Paths { first, hops, .. } = self else {
            return None;
        };
        let hops = hops.get(*first.get(way as usize)? as usize..)?;
        let end = hops.iter().position(|hop| *hop >= FORK)?;
        (hops[end] == NONE && end > 0).then(|| &hops[..end])
    }

    /// The hop from the source of `way`, of a flow at this place, for [`Frame::hop`].
    #[inline]
    pub fn first(&self, (way, place): (u32, u32), number: u64, ends: (u32, u32)) -> u32 {
        match self {
            Routes::Paths { first, .. } => first[(2 * place + way % 2) as usize],
            Routes::Tables(tables) => tables.of_frame(way, number, ends.0, ends.1),
        }
    }

    /// The hop of what the switch `node` in front of `channel` sends on `way` to `to`, against
    /// data that waits for that channel.
    pub fn start_at_switch(
        &self,
        way: u32,
        channel: u32,
        number: u64,
        (node, to): (u32, u32),
    ) -> u32 {
        match self {
            Routes::Paths { from_switches, .. } => {
                let place = from_switches.binary_search_by_key(&(way, channel), |it| it.0);
                let at = place.expect("data that waits at a congestion point has a way back");
                from_switches[at].1
            }
            Routes::Tables(tables) => tables.of_frame(way, number, node, to),
        }
    }

    /// The channel a frame takes next; [`NONE`] at its station, and a number that is no channel's
    /// where it goes several ways.
    #[inline]
    pub fn channel(&self, frame: &Unit) -> u32 {
        match self {
            Routes::Paths { hops, .. } => hops[frame.hop() as usize],
            Routes::Tables(_) => frame.hop(),
        }
    }
}

/// The ways of flows without a row: each place has room for two of them among all hops.
#[derive(Debug)]
pub(crate) struct Slots {
    tables: Tables,
    /// Of each way in turn, how many hops it has room for.
    rooms: Vec<u32>,
}

/// A way has room for so many hops, or for as many as it needs.
const ROOM: usize = 8;

impl Slots {
    fn lay(
        &mut self,
        (place, number): (u32, u32),
        (source, destination): (u32, u32),
        (first, hops): (&mut Vec<u32>, &mut Vec<u32>),
        to_of: impl Fn(u32) -> Option<u32>,
    ) -> bool {
        let mut path = Vec::new();
        for (side, from, to) in [(0, source, destination), (1, destination, source)] {
            path.clear();
            let way = 2 * number + side;
            if !self.tables.walk((way, from, to), &to_of, &mut path) {
                return false;
            }
            path.push(NONE);
            let kept = (2 * place + side) as usize;
            if first.len() <= kept {
                self.rooms.push(0);
                first.push(0);
            }
            // Places behind those of rows; the last way is that of the last place.
            let at = self.rooms.len() - (first.len() - kept);
            if (self.rooms[at] as usize) < path.len() {
                let room = path.len().max(ROOM);
                if hops.len() + room >= FORK as usize {
                    return false;
                }
                first[kept] = hops.len() as u32;
                self.rooms[at] = room as u32;
                hops.resize(hops.len() + room, NONE);
            }
            hops[first[kept] as usize..][..path.len()].copy_from_slice(&path);
        }
        true
    }
}

/// Of ways back from congestion points: the way and the channel whose queue is one, and where its
/// first hop stands.
type Starts = Vec<((u32, u32), u32)>;

/// Adds the ways back from all congestion points on the ways of flows that hear of them.
fn from_switches(
    spec: &EthernetSpec,
    tables: &Tables,
    first: &[u32],
    hops: &mut Vec<u32>,
) -> Result<Starts, BuildError> {
    let mut starts = Vec::new();
    for way in 0..spec.flows.len() as u32 * 2 {
        let flow = &spec.flows[way as usize / 2];
        if !flow.hears_rates() {
            continue;
        }
        let from = first[way as usize] as usize;
        let path: Vec<u32> = hops[from..]
            .iter()
            .copied()
            .take_while(|hop| *hop != NONE)
            .collect();
        for (channel, switch) in points(spec, way, &path) {
            starts.push(((way ^ 1, channel), hops.len() as u32));
            tables.follow_to(spec, way ^ 1, (switch, ends_of(spec, way).0), hops)?;
            hops.push(NONE);
        }
    }
    starts.sort_unstable();
    Ok(starts)
}

/// The congestion points for data that crosses these channels on a way, and their switches.
fn points<'a>(
    spec: &'a EthernetSpec,
    way: u32,
    channels: &'a [u32],
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let class = usize::from(spec.flows[way as usize / 2].class);
    let points = channels.iter().filter_map(move |channel| {
        let queue = spec.links.channel(*channel).queues.get(class)?;
        queue.rocc.map(|_| (*channel, spec.links.ends(*channel).0))
    });
    let is_switch = |node: u32| matches!(spec.nodes[node as usize].kind, NodeKind::Switch(_));
    points.filter(move |(_, node)| is_switch(*node))
}

/// The stations of a way: where it starts and where it ends.
pub(crate) fn ends_of(spec: &EthernetSpec, way: u32) -> (u32, u32) {
    let flow = &spec.flows[way as usize / 2];
    match way % 2 {
        0 => (flow.source, flow.destination),
        _ => (flow.destination, flow.source),
    }
}
