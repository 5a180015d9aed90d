//! Which way frames go: over any graph, by the shortest ways or as the scenario says.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Channels, TraceHash};

use crate::classes::trees::{FORK, Trees};
use crate::hop::unit::{NONE, Unit};
use crate::spec::frames::EthernetSpec;

mod alike;
mod crossed;
pub(crate) mod spreading;
mod tables;

pub use alike::Alike;
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
        /// By way whose frames go round the ports of their station, the first hop's index of
        /// each; nothing of all others, and none at all where no station has several links so.
        ports: Vec<Vec<u32>>,
        /// For flows without a row.
        slots: Option<Slots>,
    },
    /// The next hops from each node to each station. [`Frame::hop`] is a channel.
    Tables(Tables),
}

impl Routes {
    pub fn new(spec: &EthernetSpec) -> Result<Routes, BuildError> {
        let tables = Tables::new(spec)?;
        if spec.rules.spread.parts_flows() {
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
        let ports = around_ports(spec, &tables, &mut hops)?;
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
            ports,
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
                ports,
                slots: Some(slots),
                ..
            } => slots.lay((place, number), ends, (first, hops, ports), to_of),
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
            ports: Vec::new(),
            slots: None,
        }
    }

    /// Do frames of some ways go round the ports of their station?
    pub fn has_turns(&self) -> bool {
        let ports = match self {
            Routes::Paths { ports, .. } => !ports.is_empty(),
            Routes::Tables(_) => false,
        };
        ports || self.tables().is_some_and(Tables::has_turns)
    }

    /// The next hops, where frames are spread or flows have no row.
    pub fn tables(&self) -> Option<&Tables> {
        match self {
            Routes::Tables(tables) => Some(tables),
            Routes::Paths { slots, .. } => slots.as_ref().map(|slots| &slots.tables),
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
        let Routes::Paths {
            first, hops, ports, ..
        } = self
        else {
            return None;
        };
        if ports.get(way as usize).is_some_and(|own| !own.is_empty()) {
            return None;
        }
        let hops = hops.get(*first.get(way as usize)? as usize..)?;
        let end = hops.iter().position(|hop| *hop >= FORK)?;
        (hops[end] == NONE && end > 0).then(|| &hops[..end])
    }

    /// The hop from the source of `way`, of a flow at this place, for [`Frame::hop`].
    #[inline(always)]
    pub fn first(&self, (way, place): (u32, u32), turn: Option<u64>, ends: (u32, u32)) -> u32 {
        match self {
            Routes::Paths { first, ports, .. } => {
                let at = (2 * place + way % 2) as usize;
                match (turn, ports.get(at)) {
                    (Some(turn), Some(own)) if !own.is_empty() => {
                        own[(turn % own.len() as u64) as usize]
                    }
                    _ => first[at],
                }
            }
            Routes::Tables(tables) => tables.of_station(way, turn.unwrap_or(0), ends),
        }
    }

    /// The paths that frames of a way go round, from the first on.
    pub fn around(&self, way: u32) -> Option<Vec<&[u32]>> {
        let Routes::Paths { hops, ports, .. } = self else {
            return None;
        };
        let starts = ports.get(way as usize).filter(|it| !it.is_empty())?;
        let path = |start: &u32| {
            let hops = &hops[*start as usize..];
            let end = hops.iter().position(|hop| *hop == NONE);
            &hops[..end.unwrap_or(hops.len())]
        };
        Some(starts.iter().map(path).collect())
    }

    /// The channels by which frames of a way, of a flow at this place, leave their station; all
    /// that leave it, where each switch draws.
    pub fn leave_by<'a>(&self, way: u32, leaving: &'a [u32]) -> Cow<'a, [u32]> {
        let Routes::Paths {
            first, hops, ports, ..
        } = self
        else {
            return leaving.into();
        };
        if leaving.len() <= 1 {
            return leaving.into();
        }
        let several = ports.get(way as usize).filter(|own| !own.is_empty());
        let starts = match several {
            Some(own) => own,
            None => core::slice::from_ref(&first[way as usize]),
        };
        let channels = starts.iter().map(|at| hops[*at as usize]);
        Cow::Owned(channels.collect())
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
        (first, hops, ports): (&mut Vec<u32>, &mut Vec<u32>, &mut Vec<Vec<u32>>),
        to_of: impl Fn(u32) -> Option<u32>,
    ) -> bool {
        let (mut path, mut starts) = (Vec::new(), Vec::new());
        for (side, from, to) in [(0, source, destination), (1, destination, source)] {
            path.clear();
            starts.clear();
            let way = 2 * number + side;
            for turn in 0..self.tables.ports((from, to)).max(1) as u64 {
                starts.push(path.len() as u32);
                let is_there = match self.tables.ports((from, to)) {
                    0 | 1 => self.tables.walk((way, from, to), &to_of, &mut path),
                    _ => (self.tables).walk_turn((way, turn), (from, to), &to_of, &mut path),
                };
                if !is_there {
                    return false;
                }
                path.push(NONE);
            }
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
            if self.tables.has_turns() {
                ports.resize(ports.len().max(kept + 1), Vec::new());
                ports[kept].clear();
                if starts.len() > 1 {
                    ports[kept].extend(starts.iter().map(|start| first[kept] + start));
                }
            }
        }
        true
    }
}

/// Of ways back from congestion points: the way and the channel whose queue is one, and where its
/// first hop stands.
type Starts = Vec<((u32, u32), u32)>;

/// Adds the ways over all ports of stations that go round them.
fn around_ports(
    spec: &EthernetSpec,
    tables: &Tables,
    hops: &mut Vec<u32>,
) -> Result<Vec<Vec<u32>>, BuildError> {
    let mut ports = Vec::new();
    if !tables.has_turns() {
        return Ok(ports);
    }
    let to_of = |channel: u32| spec.ends(channel).map(|ends| ends.1);
    for way in 0..spec.flows.len() as u32 * 2 {
        let (ends, mut own) = (ends_of(spec, way), Vec::new());
        let is_multicast = spec.flows[way as usize / 2].is_multicast();
        let count = match is_multicast {
            true => 1,
            false => tables.ports(ends),
        };
        for turn in (0..count as u64).filter(|_| count > 1) {
            own.push(hops.len() as u32);
            if !tables.walk_turn((way, turn), ends, to_of, hops) {
                let flow = way / 2;
                return Err(BuildError(format!(
                    "flow {flow} finds no way from all ports"
                )));
            }
            hops.push(NONE);
        }
        ports.push(own);
    }
    Ok(ports)
}

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
    points.filter(|(_, node)| spec.is_switch(*node))
}

/// The stations of a way: where it starts and where it ends.
pub(crate) fn ends_of(spec: &EthernetSpec, way: u32) -> (u32, u32) {
    let flow = &spec.flows[way as usize / 2];
    match way % 2 {
        0 => (flow.source, flow.destination),
        _ => (flow.destination, flow.source),
    }
}
