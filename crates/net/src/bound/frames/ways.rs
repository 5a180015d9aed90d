//! Which frames go where, and what is known of how they come.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::application::Payload;
use backwater_kernel::{BuildError, Channels, Duration};

use super::curve::{Pace, wire_ps};
use super::{NoBound, Part};
use crate::classes::routes::{Tables, ends_of};
use crate::hop::sizes::frame_bytes;
use crate::spec::frames::{
    EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, FlowSpec, Forwarding, NodeKind,
    ROCE_BYTES, TAG_BYTES, TELEMETRY_BYTES, TrafficSpec, TransportSpec, largest_packet_bytes,
};

/// Bytes of a SACK option with three blocks, which is as many as there are.
const SACK_MOST_BYTES: u32 = 4 + 8 * 3;

/// A flow in one direction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub flow: u32,
    pub class: u8,
    /// Its smallest frame,
    pub least_bytes: u64,
    /// and its largest.
    pub most_bytes: u64,
    /// How its frames leave its source.
    pub pace: Result<Pace, NoBound>,
    /// Channels one after the other; if there is no pace, all that a frame of it may take.
    pub hops: Vec<u32>,
    /// The switch behind each cuts through.
    pub cuts: Vec<bool>,
    /// Longest wait at each, as far as it is known.
    pub waits_ps: Vec<u64>,
}

/// A way at a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub way: u32,
    /// Index in [`Way::hops`].
    pub hop: u32,
}

/// All ways, and by channel those that take it.
pub(super) struct Ways<'a> {
    pub spec: &'a EthernetSpec,
    pub all: Vec<Way>,
    pub members: Vec<Vec<Member>>,
}

impl<'a> Ways<'a> {
    /// # Errors
    /// If a flow finds no way.
    pub fn new(spec: &'a EthernetSpec) -> Result<Ways<'a>, BuildError> {
        let tables = Tables::new(spec)?;
        let mut ways = Ways {
            spec,
            all: Vec::new(),
            members: vec![Vec::new(); 2 * spec.links.len()],
        };
        for (flow, own) in (0..).zip(&spec.flows) {
            if own.is_multicast() {
                ways.add_tree(&tables, flow)?;
                continue;
            }
            let is_connection = own.transport.is_connection();
            for direction in 0..if is_connection { 2 } else { 1 } {
                ways.add(&tables, flow, direction)?;
            }
        }
        Ok(ways)
    }

    fn add(&mut self, tables: &Tables, flow: u32, direction: u32) -> Result<(), BuildError> {
        let own = &self.spec.flows[flow as usize];
        let number = 2 * flow + direction;
        let mut hops = Vec::new();
        let mut pace = pace(own);
        if tables.ports(ends_of(self.spec, number)) > 1 {
            hops = tables.crossed(self.spec, number)?;
            pace = Err(NoBound::Spread);
        } else if !self.spec.rules.spread.parts_flows() {
            tables.follow(self.spec, number, &mut hops)?;
        } else {
            hops = reached(self.spec, tables, number);
            let mut nodes = hops.iter().map(|hop| self.spec.links.ends(*hop).0);
            let to = ends_of(self.spec, number).1;
            if nodes.any(|node| tables.next_hops(node, to).len() > 1) {
                pace = Err(NoBound::Spread);
            }
        }
        let (least_bytes, most_bytes) = sizes(own);
        let way = self.all.len() as u32;
        for (hop, channel) in (0..).zip(&hops) {
            self.members[*channel as usize].push(Member { way, hop });
        }
        let cuts = |hop| self.cuts(hops[hop], hops.get(hop + 1).into_iter());
        let cuts = (0..hops.len()).map(cuts).collect();
        self.all.push(Way {
            flow,
            class: own.class,
            least_bytes,
            most_bytes,
            pace,
            cuts,
            waits_ps: vec![0; hops.len()],
            hops,
        });
        Ok(())
    }

    /// A way for each destination. A port that several of them share sees each frame once.
    fn add_tree(&mut self, tables: &Tables, flow: u32) -> Result<(), BuildError> {
        let own = &self.spec.flows[flow as usize];
        let (least_bytes, most_bytes) = sizes(own);
        let mut taken: BTreeSet<u32> = BTreeSet::new();
        let paths = tables.paths(self.spec, flow)?;
        let mut after: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for pair in paths.iter().flat_map(|hops| hops.windows(2)) {
            after.entry(pair[0]).or_default().insert(pair[1]);
        }
        for hops in paths {
            let cuts = |hop: &u32| self.cuts(*hop, after.get(hop).into_iter().flatten());
            let cuts = hops.iter().map(cuts).collect();
            let way = self.all.len() as u32;
            for (hop, channel) in (0..).zip(&hops) {
                if taken.insert(*channel) {
                    self.members[*channel as usize].push(Member { way, hop });
                }
            }
            self.all.push(Way {
                flow,
                class: own.class,
                least_bytes,
                most_bytes,
                pace: pace(own),
                cuts,
                waits_ps: vec![0; hops.len()],
                hops,
            });
        }
        Ok(())
    }

    /// From the first bit of a frame on a hop of a way to its taking effect at the far end: all
    /// that the link adds but waiting.
    pub fn crossing(&self, way: &Way, hop: usize) -> Part {
        let channel = way.hops[hop];
        let own = self.spec.links.channel(channel);
        let far = self.spec.links.ends(channel).1 as usize;
        let handling = match &self.spec.nodes[far].kind {
            NodeKind::Switch(switch) => switch.latency,
            _ => Duration::ZERO,
        };
        let bytes = match way.cuts[hop] {
            true => FRAME_LEAST_BYTES.into(),
            false => way.most_bytes,
        };
        Part {
            channel,
            wait: Duration::ZERO,
            wire: Duration(wire_ps(own.rate, bytes)),
            propagation: own.delay,
            handling,
        }
    }

    /// Does the switch behind a channel cut frames through that go on over these?
    fn cuts<'b>(&self, channel: u32, mut after: impl Iterator<Item = &'b u32>) -> bool {
        let into = self.spec.links.ends(channel).1 as usize;
        let NodeKind::Switch(switch) = &self.spec.nodes[into].kind else {
            return false;
        };
        let rate = |channel: u32| self.spec.links.channel(channel).rate;
        switch.forwarding == Forwarding::CutThrough
            && after.all(|next| rate(*next) <= rate(channel))
    }

    /// What the time of its frames from the source to a hop can vary, ps.
    pub fn jitter_ps(&self, member: Member) -> u64 {
        let waits = &self.all[member.way as usize].waits_ps[..member.hop as usize];
        waits
            .iter()
            .fold(0, |sum: u64, own| sum.saturating_add(*own))
    }

    /// The way of a member, and all to other destinations of the same frames that share this hop
    /// with it.
    pub fn sharing(&self, member: Member) -> impl Iterator<Item = u32> {
        let own = &self.all[member.way as usize];
        let channel = own.hops[member.hop as usize];
        let is_multicast = self.spec.flows[own.flow as usize].is_multicast();
        let after = (member.way + 1..).zip(&self.all[member.way as usize + 1..]);
        let others = after
            .take_while(move |(_, other)| is_multicast && other.flow == own.flow)
            .filter(move |(_, other)| other.hops.get(member.hop as usize) == Some(&channel));
        core::iter::once(member.way).chain(others.map(|(way, _)| way))
    }

    /// The channel over which it comes to a hop; `None` at its source.
    pub fn input(&self, member: Member) -> Option<u32> {
        let before = (member.hop as usize).checked_sub(1)?;
        Some(self.all[member.way as usize].hops[before])
    }

    /// Does it come to a hop with its first bits?
    pub fn is_cut(&self, member: Member) -> bool {
        let before = (member.hop as usize).checked_sub(1);
        before.is_some_and(|hop| self.all[member.way as usize].cuts[hop])
    }

    /// Ways of a class at a channel.
    pub fn of_class(&self, channel: u32, class: u8) -> impl Iterator<Item = Member> {
        let members = self.members[channel as usize].iter().copied();
        members.filter(move |member| self.all[member.way as usize].class == class)
    }

    /// The same, by the channel they come over.
    pub fn by_input(
        &self,
        channel: u32,
        is_of: impl Fn(u8) -> bool,
    ) -> BTreeMap<Option<u32>, Vec<Member>> {
        let mut inputs: BTreeMap<Option<u32>, Vec<Member>> = BTreeMap::new();
        for member in &self.members[channel as usize] {
            if is_of(self.all[member.way as usize].class) {
                inputs.entry(self.input(*member)).or_default().push(*member);
            }
        }
        inputs
    }
}

/// The smallest and the largest frame of a flow.
fn sizes(flow: &FlowSpec) -> (u64, u64) {
    let tag_bytes = if flow.is_tagged { TAG_BYTES } else { 0 };
    let least = u64::from(FRAME_LEAST_BYTES);
    let (payload_bytes, has_rtp) = match flow.transport {
        TransportSpec::Tcp(_) => {
            let around = SACK_MOST_BYTES + FRAME_OVERHEAD_BYTES + tag_bytes;
            let packet = largest_packet_bytes(&flow.transport);
            return (least, u64::from(packet.saturating_add(around)));
        }
        TransportSpec::Roce(ref roce) => {
            let around = ROCE_BYTES + TELEMETRY_BYTES + FRAME_OVERHEAD_BYTES + tag_bytes;
            return (least, u64::from(roce.mtu_bytes.saturating_add(around)));
        }
        TransportSpec::Udp {
            payload_bytes,
            has_rtp,
            ..
        } => (payload_bytes, has_rtp),
    };
    let payload = Payload::Udp {
        bytes: payload_bytes,
        number: 0,
    };
    let full = u64::from(frame_bytes(&payload, has_rtp, flow.is_tagged));
    let ends_short = matches!(
        flow.traffic,
        TrafficSpec::Infinite { bytes: Some(_), .. }
            | TrafficSpec::Video(_)
            | TrafficSpec::Messages(_)
            | TrafficSpec::Outside(_)
    );
    (if ends_short { least } else { full }, full)
}

/// How the frames of a flow leave its source, if something limits that.
fn pace(flow: &FlowSpec) -> Result<Pace, NoBound> {
    let TransportSpec::Udp { payload_bytes, .. } = flow.transport else {
        return Err(NoBound::SourceControl);
    };
    let (rate, sources) = match flow.traffic {
        TrafficSpec::Constant { rate, .. } => (rate, 1),
        TrafficSpec::SelfSimilar { peak, sources, .. } => (peak, u64::from(sources)),
        TrafficSpec::Infinite { .. } => return Err(NoBound::Greedy),
        TrafficSpec::Poisson { .. } | TrafficSpec::Video(_) | TrafficSpec::Outside(_) => {
            return Err(NoBound::Bursts);
        }
        TrafficSpec::Files { .. } | TrafficSpec::Requests { .. } | TrafficSpec::Messages(_) => {
            return Err(NoBound::SourceControl);
        }
    };
    let pace = Pace {
        sources,
        numerator: u128::from(payload_bytes) * 8_000_000_000_000,
        divisor: u128::from(rate.0),
    };
    match pace.numerator == 0 || pace.divisor == 0 {
        true => Err(NoBound::Bursts),
        false => Ok(pace),
    }
}

/// Every channel that a frame of a way may take.
fn reached(spec: &EthernetSpec, tables: &Tables, number: u32) -> Vec<u32> {
    let (from, to) = ends_of(spec, number);
    let mut hops: Vec<u32> = Vec::new();
    let mut nodes = vec![from];
    let mut at = 0;
    while let Some(node) = nodes.get(at).copied() {
        at += 1;
        if node == to {
            continue;
        }
        for &hop in tables.next_hops(node, to) {
            let next = spec.links.ends(hop).1;
            if !hops.contains(&hop) {
                hops.push(hop);
            }
            if !nodes.contains(&next) {
                nodes.push(next);
            }
        }
    }
    hops
}
