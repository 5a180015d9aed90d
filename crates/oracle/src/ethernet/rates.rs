//! Queues that state rates to the sources of what waits in them.

use std::collections::BTreeSet;

use backwater_ends::application::Payload;
use backwater_ends::queue_pair::{PacketKind, RocePacket};
use backwater_ends::spec::RateControlSpec;
use backwater_kernel::{Rate, Time};
use backwater_net::frames::spec::{FlowSpec, MaxCut, RoccPointSpec, TransportSpec};

use super::network::{Frame, Network};

/// Headers of Ethernet, IP and ICMP, and what ICMP quotes.
const MESSAGE_BYTES: u64 = 18 + 20 + 8 + 28;
const TAG_BYTES: u64 = 4;

/// What a queue keeps for its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stating {
    spec: RoccPointSpec,
    next: Time,
    /// In units of 10 Mb/s and 2^-`rate_bits`.
    fair: i128,
    /// What it held an interval ago, in 600 bytes.
    before: i128,
}

impl Stating {
    pub fn new(spec: RoccPointSpec) -> Stating {
        let mut stating = Stating {
            spec,
            next: Time::ZERO + spec.interval,
            fair: 0,
            before: 0,
        };
        stating.fair = stating.units(spec.most);
        stating
    }

    fn units(&self, rate: Rate) -> i128 {
        i128::from(rate.0) * (1 << self.spec.rate_bits) / 10_000_000
    }

    /// The rate after one more interval, at whose end the queue holds so much.
    fn look(&mut self, bytes: u64) -> Rate {
        let in_600 = |bytes: u64| i128::from(bytes / 600);
        let (least, most) = (self.units(self.spec.least), self.units(self.spec.most));
        let holds = in_600(bytes);
        let grown = holds - self.before;
        let is_full = holds >= in_600(self.spec.most_bytes);
        let grows = grown >= in_600(self.spec.growth_bytes);
        let next = match (self.fair * 8 > most, is_full, grows) {
            (true, true, _) if self.spec.max_cut == MaxCut::Least => least,
            (true, true, _) | (true, false, true) => self.fair / 2,
            _ => self.fair - self.less(holds - in_600(self.spec.reference_bytes), grown),
        };
        self.fair = next.max(least).min(most);
        self.before = holds;
        Rate((self.fair * 10_000_000 / (1 << self.spec.rate_bits)) as u64)
    }

    /// Rounded up, as the rate is rounded down.
    fn less(&self, beyond: i128, grown: i128) -> i128 {
        // Six regions: each next one has half the gains.
        let region = (1..6).find(|k| self.fair << k >= self.units(self.spec.most));
        let divisor = i128::from(1_u64 << 32) << (region.unwrap_or(6) - 1);
        let a = i128::from(self.spec.offset_gain.0) << self.spec.rate_bits;
        let b = i128::from(self.spec.growth_gain.0) << self.spec.rate_bits;
        -(-(a * beyond + b * grown)).div_euclid(divisor)
    }
}

impl Network {
    pub fn rate_times(&self) -> impl Iterator<Item = Time> {
        self.stating.values().map(|stating| stating.next)
    }

    /// Queues whose interval is over state their rates.
    pub fn state_rates(&mut self, now: Time) {
        let all: Vec<(usize, usize)> = self.stating.keys().copied().collect();
        for (channel, class) in all {
            let bytes = self.queue(channel, class).bytes();
            let Some(stating) = self.stating.get_mut(&(channel, class)) else {
                continue;
            };
            if stating.next != now {
                continue;
            }
            stating.next = now + stating.spec.interval;
            let rate = stating.look(bytes);
            for (flow, is_forward) in self.listeners(channel, class) {
                self.state(now, channel, (flow, !is_forward), (rate, class));
            }
        }
    }

    /// Flows with data that waits, and whose source obeys; and which way it goes.
    fn listeners(&self, channel: usize, class: usize) -> Vec<(usize, bool)> {
        let mut found = BTreeSet::new();
        for frame in &self.queue(channel, class).waiting {
            let is_data = match &frame.payload {
                Payload::Roce(packet) => packet.kind == PacketKind::Data,
                Payload::Tcp(_) | Payload::Udp { .. } => false,
            };
            if is_data && obeys(&self.spec.flows[frame.flow]) {
                found.insert((frame.flow, !frame.is_forward));
            }
        }
        let found = found.into_iter();
        found.map(|(flow, is_back)| (flow, !is_back)).collect()
    }

    fn state(
        &mut self,
        now: Time,
        channel: usize,
        (flow, is_forward): (usize, bool),
        (rate, class): (Rate, usize),
    ) {
        let spec = &self.spec.flows[flow];
        let own = match &spec.transport {
            TransportSpec::Roce(roce) => roce.cnp_class,
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => None,
        };
        let packet = RocePacket {
            kind: PacketKind::Rate,
            seq: rate.0,
            other: (channel * 8 + class) as u64,
            ..RocePacket::default()
        };
        let frame = Frame {
            flow,
            is_forward,
            number: self.flows[flow].created,
            destination: self.station_of(flow, !is_forward),
            class: usize::from(own.unwrap_or(spec.class)),
            bytes: MESSAGE_BYTES + if spec.is_tagged { TAG_BYTES } else { 0 },
            is_ect: false,
            is_marked: false,
            born: now,
            payload: Payload::Roce(packet),
            path: Vec::new(),
            came_over: None,
            joined: 0,
            arrived: now,
            rank: None,
            ready_at: now,
        };
        self.frame_made(now, self.tail(channel), frame);
    }
}

fn obeys(flow: &FlowSpec) -> bool {
    match &flow.transport {
        TransportSpec::Roce(roce) => matches!(roce.control, RateControlSpec::Rocc(_)),
        TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
    }
}
