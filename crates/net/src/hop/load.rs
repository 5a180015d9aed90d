//! What frames carry: only the two ends read it.

use alloc::vec::Vec;

use backwater_ends::Segment;
use backwater_ends::application::Payload;
use backwater_ends::control::Telemetry;
use backwater_ends::queue_pair::{PacketKind, RocePacket};

use crate::hop::view::Gate;

/// No unit, no leg, no channel, no shared copy.
pub(crate) const NONE: u32 = u32::MAX;

/// What only the ends read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Number in its flow; for control frames in the run.
    pub(super) number: u64,
    /// TCP, RoCE: position. UDP: number. Stops: as [`pack_orders`] has it. Credit: what it says.
    /// Updates: their first word, `ack` the second.
    pub(super) seq: u64,
    /// Credit: its lane, as [`pack_gate`] has it.
    pub(super) ack: u64,
    /// TCP: window. Stops: the node they are from. Updates: the classes they speak of, a bit each.
    pub(super) window: u32,
    /// Payload bytes. Stops: quanta.
    pub(super) bytes: u32,
    /// Where its [`Words`] are: SACK blocks, counters of an update if it has more than two words of
    /// them; over RoCE what switches wrote; [`NONE`] for most.
    pub(super) words: u32,
    pub(super) flags: u8,
    /// TCP: how many, and [`ECHOES_FIRST`].
    pub(super) sack_blocks: u8,
    pub(super) is_again: bool,
    pub(super) protocol: Protocol,
}

/// Who reads what a data frame carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Protocol {
    #[default]
    Udp,
    Tcp,
    Roce,
}

/// Bits of `flags` of a packet of a queue pair, above its kind.
const ROCE_FLAG: u8 = 8;
const ROCE_TELEMETRY: u8 = 16;
const ROCE_TRIMMED: u8 = 32;

/// A bit above the number of SACK blocks.
const ECHOES_FIRST: u8 = 128;

impl Default for Load {
    fn default() -> Load {
        Load {
            number: 0,
            seq: 0,
            ack: 0,
            window: 0,
            bytes: 0,
            words: NONE,
            flags: 0,
            sack_blocks: 0,
            is_again: false,
            protocol: Protocol::Udp,
        }
    }
}

/// What a few frames carry beside their load: three SACK blocks, or as many counters.
pub(crate) type Words = [u64; 6];

/// Bits of a counter among them: three of a word.
const COUNTER_BITS: usize = 20;

/// Word and first bit of each counter.
const COUNTERS: [(usize, usize); 18] = {
    let mut all = [(0, 0); 18];
    let mut at = 0;
    while at < 18 {
        all[at] = (at / 3, at % 3 * COUNTER_BITS);
        at += 1;
    }
    all
};

/// The counter at a place.
#[inline]
pub(crate) fn counter_of(words: &Words, at: usize) -> u64 {
    let (word, bit) = COUNTERS[at];
    words[word] >> bit & ((1 << COUNTER_BITS) - 1)
}

/// Writes the counter at a place where none is.
#[inline]
pub(crate) fn set_counter(words: &mut Words, at: usize, value: u64) {
    let (word, bit) = COUNTERS[at];
    words[word] |= value << bit;
}

/// The loads of all frames, by place.
#[derive(Default, Debug)]
pub(crate) struct Loads {
    pub(super) loads: Vec<Load>,
    pub(super) words: Vec<Words>,
    pub(super) free_words: Vec<u32>,
    /// What switches wrote into packets.
    paths: Vec<Vec<Telemetry>>,
    free_paths: Vec<u32>,
}

/// What a control frame asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Control {
    pub orders: Orders,
    /// Of what it stops; 0 where it stops nothing.
    pub quanta: u16,
    /// It holds until it is cancelled, whatever `quanta` says.
    pub is_endless: bool,
    /// Node it is from.
    pub from: u32,
}

/// What a control frame stops or resumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Orders {
    /// The port, or frames of a class to a station.
    Gate(Gate),
    /// Classes, a bit each: those that stop, and those that go on.
    Classes { stops: u8, resumes: u8 },
}

impl Loads {
    #[inline(always)]
    pub(super) fn set(&mut self, place: u32, load: Load) {
        match self.loads.get_mut(place as usize) {
            Some(slot) => *slot = load,
            None => self.set_anew(place as usize, load),
        }
    }

    #[cold]
    #[inline(never)]
    fn set_anew(&mut self, place: usize, load: Load) {
        self.loads.resize(place, Load::default());
        self.loads.push(load);
    }

    #[inline]
    pub(super) fn of_tcp(&mut self, number: u64, segment: &Segment) -> Load {
        Load {
            number,
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            bytes: segment.bytes,
            flags: segment.flags,
            sack_blocks: match segment.echoes_first {
                true => segment.sack_blocks | ECHOES_FIRST,
                false => segment.sack_blocks,
            },
            words: match segment.sack_blocks {
                0 => NONE,
                _ => self.keep_words(pack_sack(segment.sack)),
            },
            is_again: segment.is_again,
            protocol: Protocol::Tcp,
        }
    }

    #[inline]
    pub(super) fn of_roce(number: u64, packet: &RocePacket) -> Load {
        let flag = if packet.flag { ROCE_FLAG } else { 0 };
        let telemetry = match packet.has_telemetry {
            true => ROCE_TELEMETRY,
            false => 0,
        };
        let trimmed = if packet.is_trimmed { ROCE_TRIMMED } else { 0 };
        Load {
            number,
            seq: packet.seq,
            ack: packet.other,
            bytes: packet.bytes,
            flags: packet.kind as u8 | flag | telemetry | trimmed,
            is_again: packet.is_again,
            protocol: Protocol::Roce,
            ..Load::default()
        }
    }

    /// What a data frame carries.
    #[inline]
    pub(super) fn payload(&self, place: u32) -> Payload {
        let load = &self.loads[place as usize];
        match load.protocol {
            Protocol::Udp => Payload::Udp {
                bytes: load.bytes,
                number: load.seq,
            },
            Protocol::Tcp => Payload::Tcp(Segment {
                seq: load.seq,
                bytes: load.bytes,
                ack: load.ack,
                window: load.window,
                flags: load.flags,
                sack_blocks: load.sack_blocks & !ECHOES_FIRST,
                echoes_first: load.sack_blocks & ECHOES_FIRST != 0,
                sack: match load.words {
                    NONE => [(0, 0); 3],
                    at => unpack_sack(self.words[at as usize]),
                },
                is_again: load.is_again,
                // How long it is on the wire was read when its frame was made.
                further: 0,
            }),
            Protocol::Roce => Payload::Roce(RocePacket {
                kind: kind_of(load.flags),
                seq: load.seq,
                other: load.ack,
                bytes: load.bytes,
                flag: load.flags & ROCE_FLAG != 0,
                is_again: load.is_again,
                has_telemetry: load.flags & ROCE_TELEMETRY != 0,
                is_trimmed: load.flags & ROCE_TRIMMED != 0,
            }),
        }
    }

    /// A data frame carries part of a message of a queue pair.
    #[inline]
    pub(super) fn is_pair_data(&self, place: u32) -> bool {
        let load = &self.loads[place as usize];
        load.protocol == Protocol::Roce && kind_of(load.flags) == PacketKind::Data
    }

    /// Of a packet of data the header is left.
    pub(super) fn trim(&mut self, place: u32) {
        self.end(place);
        let load = &mut self.loads[place as usize];
        load.words = NONE;
        load.flags = load.flags & !ROCE_TELEMETRY | ROCE_TRIMMED;
    }

    /// A switch writes into a packet.
    pub(super) fn write(&mut self, place: u32, hop: Telemetry) {
        let at = match self.loads[place as usize].words {
            NONE => {
                let at = self.fresh_path();
                self.loads[place as usize].words = at;
                at
            }
            at => at,
        };
        self.paths[at as usize].push(hop);
    }

    fn fresh_path(&mut self) -> u32 {
        self.free_paths.pop().unwrap_or_else(|| {
            self.paths.push(Vec::new());
            self.paths.len() as u32 - 1
        })
    }

    /// What a packet carries beside its load ends with it.
    #[inline]
    pub(super) fn end(&mut self, place: u32) {
        let load = &self.loads[place as usize];
        if load.words == NONE {
            return;
        }
        match load.protocol {
            Protocol::Roce => self.end_path(load.words),
            Protocol::Udp | Protocol::Tcp => self.free_words.push(load.words),
        }
    }

    fn end_path(&mut self, at: u32) {
        self.paths[at as usize].clear();
        self.free_paths.push(at);
    }

    /// Takes out of a packet what switches wrote into it; to be kept by [`Loads::keep_path`].
    pub(super) fn take_path(&mut self, place: u32) -> Vec<Telemetry> {
        let at = core::mem::replace(&mut self.loads[place as usize].words, NONE);
        if at == NONE {
            return Vec::new();
        }
        self.free_paths.push(at);
        core::mem::take(&mut self.paths[at as usize])
    }

    /// Puts it into another packet.
    pub(super) fn keep_path(&mut self, place: u32, path: Vec<Telemetry>) {
        if !path.is_empty() {
            let at = self.fresh_path();
            self.paths[at as usize] = path;
            self.loads[place as usize].words = at;
        }
    }

    pub(super) fn keep_words(&mut self, words: Words) -> u32 {
        match self.free_words.pop() {
            Some(at) => {
                self.words[at as usize] = words;
                at
            }
            None => {
                self.words.push(words);
                self.words.len() as u32 - 1
            }
        }
    }
}

/// The kind of a packet of a queue pair.
#[inline]
fn kind_of(flags: u8) -> PacketKind {
    match flags & 7 {
        0 => PacketKind::Data,
        1 => PacketKind::Ack,
        2 => PacketKind::Nack,
        3 => PacketKind::Notification,
        4 => PacketKind::Rate,
        _ => PacketKind::Trimmed,
    }
}

fn pack_sack([first, second, third]: [(u64, u64); 3]) -> Words {
    [first.0, first.1, second.0, second.1, third.0, third.1]
}

fn unpack_sack(words: Words) -> [(u64, u64); 3] {
    let [a, b, c, d, e, f] = words;
    [(a, b), (c, d), (e, f)]
}

pub(super) fn pack_orders(orders: Orders) -> u64 {
    match orders {
        Orders::Gate(gate) => pack_gate(gate),
        Orders::Classes { stops, resumes } => 3 << 40 | u64::from(resumes) << 32 | u64::from(stops),
    }
}

pub(super) fn unpack_orders(word: u64) -> Orders {
    match word >> 40 {
        3 => Orders::Classes {
            stops: word as u8,
            resumes: (word >> 32) as u8,
        },
        _ => Orders::Gate(unpack_gate(word)),
    }
}

pub(crate) fn pack_gate(gate: Gate) -> u64 {
    match gate {
        Gate::Port => 0,
        Gate::Class(class) => 1 << 40 | u64::from(class) << 32,
        Gate::Destination(class, station) => 2 << 40 | u64::from(class) << 32 | u64::from(station),
        Gate::Flow(class, way) => 4 << 40 | u64::from(class) << 32 | u64::from(way),
        Gate::Lane(class, number) => 5 << 40 | u64::from(class) << 32 | u64::from(number),
    }
}

pub(crate) fn unpack_gate(word: u64) -> Gate {
    let class = (word >> 32) as u8;
    match word >> 40 {
        0 => Gate::Port,
        1 => Gate::Class(class),
        2 => Gate::Destination(class, word as u32),
        4 => Gate::Flow(class, word as u32),
        _ => Gate::Lane(class, word as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_queue_pairs_survive_packing() {
        let kinds = [
            PacketKind::Data,
            PacketKind::Ack,
            PacketKind::Nack,
            PacketKind::Notification,
            PacketKind::Rate,
            PacketKind::Trimmed,
        ];
        let mut loads = Loads::default();
        for (kind, bits) in kinds
            .into_iter()
            .flat_map(|kind| (0..16).map(move |it| (kind, it)))
        {
            let packet = RocePacket {
                kind,
                seq: 40_000_000_000,
                other: 77,
                bytes: 5,
                flag: bits & 1 != 0,
                is_again: bits & 2 != 0,
                has_telemetry: bits & 4 != 0,
                is_trimmed: bits & 8 != 0,
            };
            loads.set(0, Loads::of_roce(3, &packet));
            assert_eq!(loads.payload(0), Payload::Roce(packet));
            assert_eq!(loads.is_pair_data(0), kind == PacketKind::Data);
        }
    }

    #[test]
    fn segments_survive_packing() {
        let mut loads = Loads::default();
        for (blocks, bits) in (0..=3).flat_map(|it| (0..4).map(move |bits| (it, bits))) {
            let mut segment = Segment {
                seq: 40_000_000_000,
                ack: 77,
                bytes: 5,
                window: 9,
                flags: 16,
                sack_blocks: blocks,
                is_again: bits & 1 != 0,
                echoes_first: bits & 2 != 0,
                ..Segment::default()
            };
            for (block, n) in segment.sack.iter_mut().take(blocks.into()).zip(1..) {
                *block = (n * 100, n * 100 + 50);
            }
            let load = loads.of_tcp(3, &segment);
            loads.set(0, load);
            assert_eq!(loads.payload(0), Payload::Tcp(segment));
        }
    }

    #[test]
    fn gates_survive_packing() {
        let gates = [
            Gate::Port,
            Gate::Class(7),
            Gate::Destination(3, 4_000_000_000),
            Gate::Flow(2, 4_000_000_001),
            Gate::Lane(1, 4_000_000_002),
        ];
        assert_eq!(gates.map(|gate| unpack_gate(pack_gate(gate))), gates);
        let classes = Orders::Classes {
            stops: 0b1000_0001,
            resumes: 0b0101_0000,
        };
        let [port, _, host, flow, lane] = gates.map(Orders::Gate);
        for orders in [classes, port, host, flow, lane] {
            assert_eq!(unpack_orders(pack_orders(orders)), orders);
        }
    }
}
