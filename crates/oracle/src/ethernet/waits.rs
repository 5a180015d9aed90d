//! Delay bounds of frames, by looking at every picosecond.
//!
//! For networks in which all frames have one size, all flows come at a constant rate, ways are
//! unique and ports depend on each other in one direction. Nothing is solved: arrivals are counted
//! from lists of instants, and a picosecond after the other is tried.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Channels;
use backwater_net::frames::spec::{
    EthernetSpec, FlowSpec, Forwarding, NodeKind, SchedulerSpec, TrafficSpec, TransportSpec,
};

use super::routes::{head, next_hops};

/// Longest busy period that is looked at, ps.
const SPAN: usize = 30_000;

/// The bound of each flow, ps; `frame_bytes` is the size of all frames, FCS included. `None` where
/// a port never becomes idle in sight.
pub fn delay_bounds(spec: &EthernetSpec, frame_bytes: u64) -> Vec<Option<u64>> {
    let mut waits = Waits {
        spec,
        frame_bytes,
        ways: ways(spec),
        known: BTreeMap::new(),
    };
    (0..spec.flows.len())
        .map(|flow| waits.bound(flow))
        .collect()
}

/// By flow, the channels to each of its destinations.
fn ways(spec: &EthernetSpec) -> Vec<Vec<Vec<usize>>> {
    let hops = next_hops(spec);
    let way = |source: u32, destination: u32| {
        let (mut node, mut way) = (source as usize, Vec::new());
        while node != destination as usize {
            let channel = hops[&(node, destination as usize)][0];
            way.push(channel);
            node = head(spec, channel);
        }
        way
    };
    let flows = spec.flows.iter();
    let ways = |flow: &FlowSpec| {
        let destinations = flow.destinations();
        destinations.map(|to| way(flow.source, to)).collect()
    };
    flows.map(ways).collect()
}

struct Waits<'a> {
    spec: &'a EthernetSpec,
    frame_bytes: u64,
    ways: Vec<Vec<Vec<usize>>>,
    /// By channel and class.
    known: BTreeMap<(usize, u8), Option<u64>>,
}

impl Waits<'_> {
    fn bound(&mut self, flow: usize) -> Option<u64> {
        let mut longest = 0;
        for way in self.ways[flow].clone() {
            let mut delay = 0;
            for channel in way {
                delay += self.wait(channel, self.spec.flows[flow].class)?;
                delay += self.crossing(flow, channel);
            }
            longest = longest.max(delay);
        }
        Some(longest)
    }

    fn wire(&self, channel: usize, bytes: u64) -> u64 {
        let rate = self.spec.links.channel(channel as u32).rate;
        rate.serialization(bytes + 20).ps()
    }

    fn crossing(&self, flow: usize, channel: usize) -> u64 {
        let delay = self.spec.links.channel(channel as u32).delay.ps();
        let NodeKind::Switch(switch) = &self.spec.nodes[head(self.spec, channel)].kind else {
            return delay + self.wire(channel, self.frame_bytes);
        };
        let bytes = match self.is_cut_through(flow, channel) {
            true => 64,
            false => self.frame_bytes,
        };
        delay + switch.latency.ps() + self.wire(channel, bytes)
    }

    /// Does the switch behind a channel send on the frames of a flow before their last bits?
    fn is_cut_through(&self, flow: usize, channel: usize) -> bool {
        let rate = |channel: usize| self.spec.links.channel(channel as u32).rate;
        let NodeKind::Switch(switch) = &self.spec.nodes[head(self.spec, channel)].kind else {
            return false;
        };
        let after = |way: &Vec<usize>| {
            let at = way.iter().position(|own| *own == channel)?;
            Some(way[at + 1])
        };
        let mut next = self.ways[flow].iter().filter_map(after);
        switch.forwarding == Forwarding::CutThrough && next.all(|next| rate(next) <= rate(channel))
    }

    /// By length of a window, most frames that a link brings to the switch behind it, if these
    /// flows are `stored` there and those `cut` through.
    ///
    /// Frames lie on the link one right behind the other. One that is stored is there with its
    /// last bit, one that is cut through no sooner than with its first. Most of them are there in
    /// a window that opens with one that is there as late as any can be, and closes with one that
    /// is there as early.
    fn brought(&self, link: usize, stored: bool, cut: bool) -> Vec<u64> {
        let wire = self.wire(link, self.frame_bytes);
        let first_bit = |frame: u64| frame * wire;
        let last_bit = |frame: u64| first_bit(frame) + wire;
        let opens = if stored { last_bit(0) } else { first_bit(0) };
        let closes = |last: u64| if cut { first_bit(last) } else { last_bit(last) };
        let mut last = 0;
        let most = |span: u64| {
            while closes(last + 1) <= opens + span {
                last += 1;
            }
            last + 1
        };
        (0..SPAN as u64).map(most).collect()
    }

    /// How much the way of a flow to a channel can vary.
    fn jitter(&mut self, flow: usize, channel: usize) -> Option<u64> {
        let class = self.spec.flows[flow].class;
        let mut ways = self.ways[flow].iter();
        let way = ways.find(|way| way.contains(&channel))?.clone();
        let mut jitter = 0;
        for before in way.into_iter().take_while(|before| *before != channel) {
            jitter += self.wait(before, class)?;
        }
        Some(jitter)
    }

    /// By length of a window, most frames of some classes that come to a channel.
    fn frames(&mut self, channel: usize, is_of: impl Fn(u8) -> bool) -> Option<Vec<u64>> {
        let mut inputs: BTreeMap<Option<usize>, Vec<u64>> = BTreeMap::new();
        let (mut stored, mut cut) = (BTreeSet::new(), BTreeSet::new());
        for flow in 0..self.spec.flows.len() {
            // Copies to all destinations behind it are one frame here.
            let mut ways = self.ways[flow].iter();
            let Some(way) = ways.find(|way| way.contains(&channel)) else {
                continue;
            };
            let at = way.iter().position(|own| *own == channel)?;
            if !is_of(self.spec.flows[flow].class) {
                continue;
            }
            let input = at.checked_sub(1).map(|before| way[before]);
            if let Some(input) = input {
                match self.is_cut_through(flow, input) {
                    true => cut.insert(input),
                    false => stored.insert(input),
                };
            }
            let jitter = self.jitter(flow, channel)?;
            let come = self.come(flow, jitter);
            let sum = inputs.entry(input).or_insert_with(|| vec![0; SPAN]);
            sum.iter_mut()
                .zip(come)
                .for_each(|(sum, more)| *sum += more);
        }
        let mut all = vec![0; SPAN];
        for (input, mut come) in inputs {
            if let Some(input) = input {
                let brought = self.brought(input, stored.contains(&input), cut.contains(&input));
                let each = come.iter_mut().zip(brought);
                each.for_each(|(come, brought)| *come = brought.min(*come));
            }
            let each = all.iter_mut().zip(come);
            each.for_each(|(all, come)| *all += come);
        }
        Some(all)
    }

    /// Most frames of one flow in any window, counted from each of its first frames on.
    fn come(&self, flow: usize, jitter: u64) -> Vec<u64> {
        let own = &self.spec.flows[flow];
        let TransportSpec::Udp { payload_bytes, .. } = own.transport else {
            panic!("only datagrams come at a constant rate");
        };
        let TrafficSpec::Constant { rate, .. } = own.traffic else {
            panic!("only constant rates are looked at");
        };
        let gap_bits = u128::from(payload_bytes) * 8 * 1_000_000_000_000;
        let instant = |frame: u64| (u128::from(frame) * gap_bits / u128::from(rate.0)) as u64;
        let longest = SPAN as u64 + jitter;
        let mut come = vec![0; SPAN];
        for first in 0..20 {
            let mut frames = 0;
            for (span, most) in come.iter_mut().enumerate() {
                let until = instant(first) + span as u64 + jitter;
                while instant(first + frames) <= until.min(instant(first) + longest) {
                    frames += 1;
                }
                *most = frames.max(*most);
            }
        }
        come
    }

    /// The longest wait of a class at a channel.
    fn wait(&mut self, channel: usize, class: u8) -> Option<u64> {
        if let Some(known) = self.known.get(&(channel, class)) {
            return *known;
        }
        let found = match self.spec.links.channel(channel as u32).scheduler {
            SchedulerSpec::StrictPriority => self.by_priority(channel, class),
            SchedulerSpec::Drr { .. } => self.in_turns(channel, class),
            _ => panic!("only strict priority and turns are looked at"),
        };
        self.known.insert((channel, class), found);
        found
    }

    fn classes(&self, channel: usize) -> Vec<u8> {
        let flows = self.spec.flows.iter().zip(&self.ways);
        let here = flows.filter(|(_, ways)| ways.iter().any(|way| way.contains(&channel)));
        here.map(|(flow, _)| flow.class).collect()
    }

    fn by_priority(&mut self, channel: usize, class: u8) -> Option<u64> {
        let wire = self.wire(channel, self.frame_bytes);
        let own = self.frames(channel, |other| other == class)?;
        let higher = self.frames(channel, |other| other > class)?;
        let has_lower = self.classes(channel).iter().any(|other| *other < class);
        let in_the_way = if has_lower { wire - 1 } else { 0 };
        let (mut longest, mut start) = (0, 0);
        for at in 0..SPAN {
            // The last frame that has come starts when all others are gone.
            while start < SPAN as u64 {
                let before = own[at] - 1 + higher[start as usize];
                if in_the_way + before * wire <= start {
                    break;
                }
                start += 1;
            }
            longest = longest.max(start.saturating_sub(at as u64));
            if at as u64 > start && in_the_way + (own[at] + higher[at]) * wire <= at as u64 {
                return Some(longest);
            }
        }
        None
    }

    fn in_turns(&mut self, channel: usize, class: u8) -> Option<u64> {
        let wire = self.wire(channel, self.frame_bytes);
        let own = self.frames(channel, |other| other == class)?;
        let queues = self.spec.links.channel(channel as u32).queues.clone();
        let mut others = self.classes(channel);
        others.retain(|other| *other != class);
        others.sort_unstable();
        others.dedup();
        let quantum = |class: u8| u64::from(queues[class as usize].quantum_bytes);
        let bytes = self.frame_bytes;
        // What goes before the last of so many frames of its class: in so many turns each other
        // class sends its quanta and what was left before, less than a frame; and one of them may
        // just have sent the last of its queue, with nothing left.
        let before = |frames: u64, is_own_way: bool| {
            let mut turns = 0;
            while turns * quantum(class) < frames * bytes {
                turns += 1;
            }
            let left = |other: &u8| (turns * quantum(*other)).div_ceil(bytes);
            let empty = |other: &u8| (turns * quantum(*other)) / bytes + 1;
            let all = others.iter().map(left).sum::<u64>();
            let with = |last: &u8| all - left(last) + empty(last).max(left(last));
            match is_own_way {
                true => all,
                false => others.iter().map(with).max().unwrap_or(0),
            }
        };
        let longest = |in_the_way: u64| {
            let mut longest = 0;
            for (at, frames) in own.iter().enumerate() {
                let start = in_the_way + (before(*frames, in_the_way > 0) + frames - 1) * wire;
                longest = longest.max(start.saturating_sub(at as u64));
                if start + wire <= at as u64 {
                    return Some(longest);
                }
            }
            None
        };
        let alone = longest(0)?;
        let next = own.get((alone + wire) as usize - 1)?;
        // Another frame may be on the wire as one finds its queue empty.
        match others.is_empty() || *next == 1 {
            true => Some(alone),
            false => Some(alone.max(longest(wire - 1)?)),
        }
    }
}
