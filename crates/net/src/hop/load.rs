//! What frames carry: only the two ends read it.

use alloc::vec::Vec;

use backwater_ends::Segment;

use crate::hop::view::Gate;

/// No unit, no leg, no channel, no shared copy.
pub(crate) const NONE: u32 = u32::MAX;

/// What only the ends read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Number in its flow; for control frames in the run.
    pub(super) number: u64,
    /// TCP: position. UDP: number. Stops: as [`pack_orders`] has it. Credit: what it says.
    pub(super) seq: u64,
    /// Credit: its lane, as [`pack_gate`] has it.
    pub(super) ack: u64,
    /// TCP: window. Stops: the node they are from. Updates: the classes they speak of, a bit each.
    pub(super) window: u32,
    /// Payload bytes. Stops: quanta.
    pub(super) bytes: u32,
    /// Where its [`Words`] are: SACK blocks, counters of an update; [`NONE`] for most.
    pub(super) words: u32,
    pub(super) flags: u8,
    pub(super) sack_blocks: u8,
    pub(super) is_again: bool,
    pub(super) is_tcp: bool,
}

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
            is_tcp: false,
        }
    }
}

/// What a few frames carry beside their load: three SACK blocks, or as many counters.
pub(crate) type Words = [u64; 6];

/// Bits of a counter among them: three of a word.
const COUNTER_BITS: usize = 20;

/// The counter at a place.
pub(crate) fn counter_of(words: &Words, at: usize) -> u64 {
    words[at / 3] >> (at % 3 * COUNTER_BITS) & ((1 << COUNTER_BITS) - 1)
}

/// Writes the counter at a place where none is.
pub(crate) fn set_counter(words: &mut Words, at: usize, value: u64) {
    words[at / 3] |= value << (at % 3 * COUNTER_BITS);
}

/// The loads of all frames, by place.
#[derive(Default, Debug)]
pub(crate) struct Loads {
    pub(super) loads: Vec<Load>,
    pub(super) words: Vec<Words>,
    pub(super) free_words: Vec<u32>,
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
    #[inline]
    pub(super) fn set(&mut self, place: u32, load: Load) {
        let place = place as usize;
        if self.loads.len() <= place {
            self.loads.resize(place + 1, Load::default());
        }
        self.loads[place] = load;
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
            sack_blocks: segment.sack_blocks,
            words: match segment.sack_blocks {
                0 => NONE,
                _ => self.keep_words(pack_sack(segment.sack)),
            },
            is_again: segment.is_again,
            is_tcp: true,
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

fn pack_sack([first, second, third]: [(u64, u64); 3]) -> Words {
    [first.0, first.1, second.0, second.1, third.0, third.1]
}

pub(super) fn unpack_sack(words: Words) -> [(u64, u64); 3] {
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
    }
}

pub(crate) fn unpack_gate(word: u64) -> Gate {
    let class = (word >> 32) as u8;
    match word >> 40 {
        0 => Gate::Port,
        1 => Gate::Class(class),
        2 => Gate::Destination(class, word as u32),
        _ => Gate::Flow(class, word as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_survive_packing() {
        let gates = [
            Gate::Port,
            Gate::Class(7),
            Gate::Destination(3, 4_000_000_000),
            Gate::Flow(2, 4_000_000_001),
        ];
        assert_eq!(gates.map(|gate| unpack_gate(pack_gate(gate))), gates);
        let classes = Orders::Classes {
            stops: 0b1000_0001,
            resumes: 0b0101_0000,
        };
        let [port, _, host, flow] = gates.map(Orders::Gate);
        for orders in [classes, port, host, flow] {
            assert_eq!(unpack_orders(pack_orders(orders)), orders);
        }
    }
}
