//! Frames: small records in a pool. What queues and wires touch is apart from what only the two
//! ends read.

use alloc::vec::Vec;

use backwater_ends::Segment;
use backwater_ends::application::Payload;
use backwater_kernel::Time;

use crate::frames::probe::{Content, FrameView, Gate};

/// No frame, no channel, no flow.
pub(crate) const NONE: u32 = u32::MAX;

/// A frame may be marked (ECN).
pub(crate) const ECT: u8 = 1;
/// A frame is marked.
pub(crate) const MARKED: u8 = 2;

/// What queues and wires touch: half a cache line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// When it takes effect at the far end of its wire.
    pub effect: Time,
    /// The one behind it in its queue or on its wire.
    pub next: u32,
    /// Twice its flow, and 1 if it goes back from the flow's destination to its source;
    /// [`NONE`] for control frames.
    pub way: u32,
    /// Its next channel, as `Routes` reads it.
    pub hop: u32,
    /// Channel over which it came to the node it is at; [`NONE`] at its source.
    pub input: u32,
    /// Its place in the queue it is in, by joining.
    pub order: u32,
    /// Bytes, FCS included.
    pub bytes: u16,
    /// Class.
    pub class: u8,
    /// [`ECT`] and [`MARKED`].
    pub marks: u8,
}

impl Frame {
    pub fn is_control(&self) -> bool {
        self.way == NONE
    }

    pub fn flow(&self) -> u32 {
        self.way / 2
    }

    pub fn is_forward(&self) -> bool {
        self.way.is_multiple_of(2)
    }
}

/// What only the ends read.
#[derive(Clone, Copy, Debug)]
struct Load {
    born: Time,
    /// Number in its flow; for control frames in the run.
    number: u64,
    /// TCP: position. UDP: number. Control: the gate, as [`pack_gate`] has it.
    seq: u64,
    ack: u64,
    window: u32,
    /// Payload bytes. Control: quanta.
    bytes: u32,
    /// Index of its SACK blocks. Control: the node it is from.
    sack: u32,
    flags: u8,
    sack_blocks: u8,
    is_again: bool,
    is_tcp: bool,
}

/// All frames there are.
#[derive(Default, Debug)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    loads: Vec<Load>,
    /// Freed frames, chained by `next`.
    free: u32,
    sacks: Vec<[(u64, u64); 3]>,
    free_sacks: Vec<u32>,
    inside: u32,
}

/// What a control frame asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Control {
    pub gate: Gate,
    /// 0 resumes.
    pub quanta: u16,
    /// It holds until it is cancelled, whatever `quanta` says.
    pub is_endless: bool,
    /// Node it is from.
    pub from: u32,
}

/// Room for at least so many frames before the pool grows.
const ROOM: usize = 256;

impl Frames {
    pub fn new() -> Frames {
        Frames {
            frames: Vec::with_capacity(ROOM),
            loads: Vec::with_capacity(ROOM),
            free: NONE,
            ..Frames::default()
        }
    }

    #[inline]
    pub fn get(&self, id: u32) -> &Frame {
        &self.frames[id as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, id: u32) -> &mut Frame {
        &mut self.frames[id as usize]
    }

    /// Frames in queues and on wires, control frames included.
    pub fn inside(&self) -> u32 {
        self.inside
    }

    #[inline]
    fn insert(&mut self, frame: Frame, load: Load) -> u32 {
        self.inside += 1;
        if self.free != NONE {
            let id = self.free;
            self.free = self.frames[id as usize].next;
            self.frames[id as usize] = frame;
            self.loads[id as usize] = load;
            return id;
        }
        self.frames.push(frame);
        self.loads.push(load);
        self.frames.len() as u32 - 1
    }

    /// Makes a data frame.
    #[inline]
    pub fn data(&mut self, frame: Frame, now: Time, number: u64, payload: &Payload) -> u32 {
        let load = match payload {
            Payload::Tcp(segment) => self.tcp_load(now, number, segment),
            Payload::Udp { bytes, number: seq } => Load {
                bytes: *bytes,
                seq: *seq,
                ..empty(now, number)
            },
        };
        self.insert(frame, load)
    }

    #[inline]
    fn tcp_load(&mut self, now: Time, number: u64, segment: &Segment) -> Load {
        Load {
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            bytes: segment.bytes,
            flags: segment.flags,
            sack_blocks: segment.sack_blocks,
            sack: match segment.sack_blocks {
                0 => NONE,
                _ => self.keep_sack(segment.sack),
            },
            is_again: segment.is_again,
            is_tcp: true,
            ..empty(now, number)
        }
    }

    fn keep_sack(&mut self, blocks: [(u64, u64); 3]) -> u32 {
        match self.free_sacks.pop() {
            Some(at) => {
                self.sacks[at as usize] = blocks;
                at
            }
            None => {
                self.sacks.push(blocks);
                self.sacks.len() as u32 - 1
            }
        }
    }

    /// Makes a control frame.
    pub fn control(&mut self, now: Time, number: u64, control: Control) -> u32 {
        let frame = Frame {
            effect: Time::ZERO,
            next: NONE,
            way: NONE,
            hop: NONE,
            input: NONE,
            order: 0,
            bytes: crate::frames::spec::FRAME_LEAST_BYTES as u16,
            class: 7,
            marks: 0,
        };
        let load = Load {
            seq: pack_gate(control.gate),
            bytes: control.quanta.into(),
            is_again: control.is_endless,
            sack: control.from,
            ..empty(now, number)
        };
        self.insert(frame, load)
    }

    /// Ends a frame's life.
    #[inline]
    pub fn free(&mut self, id: u32) {
        let load = &self.loads[id as usize];
        if load.is_tcp && load.sack != NONE {
            self.free_sacks.push(load.sack);
        }
        self.frames[id as usize].next = self.free;
        self.free = id;
        self.inside -= 1;
    }

    pub fn born(&self, id: u32) -> Time {
        self.loads[id as usize].born
    }

    /// Number in its flow.
    pub fn number(&self, id: u32) -> u64 {
        self.loads[id as usize].number
    }

    /// What a data frame carries.
    #[inline]
    pub fn payload(&self, id: u32) -> Payload {
        let load = &self.loads[id as usize];
        if !load.is_tcp {
            return Payload::Udp {
                bytes: load.bytes,
                number: load.seq,
            };
        }
        Payload::Tcp(Segment {
            seq: load.seq,
            bytes: load.bytes,
            ack: load.ack,
            window: load.window,
            flags: load.flags,
            sack_blocks: load.sack_blocks,
            sack: match load.sack {
                NONE => [(0, 0); 3],
                at => self.sacks[at as usize],
            },
            is_again: load.is_again,
        })
    }

    /// What a control frame asks for.
    pub fn control_of(&self, id: u32) -> Control {
        let load = &self.loads[id as usize];
        Control {
            gate: unpack_gate(load.seq),
            quanta: load.bytes as u16,
            is_endless: load.is_again,
            from: load.sack,
        }
    }

    /// The frame as probes see it. `ends` are its stations (nodes for control frames).
    #[inline]
    pub fn view(&self, id: u32, ends: (u32, u32), is_tagged: bool, has_rtp: bool) -> FrameView {
        let (frame, load) = (self.get(id), &self.loads[id as usize]);
        let content = match frame.way {
            NONE => self.control_content(id),
            way => match self.payload(id) {
                Payload::Tcp(segment) => Content::Tcp {
                    segment,
                    is_forward: way % 2 == 0,
                },
                Payload::Udp { bytes, number } => Content::Udp {
                    bytes,
                    number,
                    has_rtp,
                },
            },
        };
        FrameView {
            flow: if frame.is_control() {
                NONE
            } else {
                frame.flow()
            },
            number: load.number,
            source: ends.0,
            destination: ends.1,
            class: frame.class,
            bytes: frame.bytes.into(),
            is_tagged,
            is_ect: frame.marks & ECT != 0,
            is_marked: frame.marks & MARKED != 0,
            born: load.born,
            content,
        }
    }

    fn control_content(&self, id: u32) -> Content {
        let control = self.control_of(id);
        let quanta = control.quanta;
        match control.gate {
            Gate::Port => Content::Pause { quanta },
            Gate::Class(class) => Content::Pfc {
                classes: 1 << class,
                quanta,
            },
            Gate::Destination(class, destination) => Content::StopDestination {
                class,
                destination,
                quanta,
            },
        }
    }
}

fn empty(born: Time, number: u64) -> Load {
    Load {
        born,
        number,
        seq: 0,
        ack: 0,
        window: 0,
        bytes: 0,
        sack: NONE,
        flags: 0,
        sack_blocks: 0,
        is_again: false,
        is_tcp: false,
    }
}

fn pack_gate(gate: Gate) -> u64 {
    match gate {
        Gate::Port => 0,
        Gate::Class(class) => 1 << 40 | u64::from(class) << 32,
        Gate::Destination(class, station) => 2 << 40 | u64::from(class) << 32 | u64::from(station),
    }
}

fn unpack_gate(word: u64) -> Gate {
    let class = (word >> 32) as u8;
    match word >> 40 {
        0 => Gate::Port,
        1 => Gate::Class(class),
        _ => Gate::Destination(class, word as u32),
    }
}

/// Frames one behind the other, by `next`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    pub first: u32,
    pub last: u32,
}

impl Chain {
    pub const EMPTY: Chain = Chain {
        first: NONE,
        last: NONE,
    };

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }

    #[inline]
    pub fn push(&mut self, frames: &mut Frames, id: u32) {
        frames.get_mut(id).next = NONE;
        match self.last {
            NONE => self.first = id,
            last => frames.get_mut(last).next = id,
        }
        self.last = id;
    }

    #[inline]
    pub fn pop(&mut self, frames: &Frames) -> Option<u32> {
        let id = self.first;
        if id == NONE {
            return None;
        }
        self.first = frames.get(id).next;
        if self.first == NONE {
            self.last = NONE;
        }
        Some(id)
    }
}

/// Picoseconds of a byte at this rate if they are whole and fit; else 0.
pub(crate) fn byte_ps(rate: backwater_kernel::Rate) -> u32 {
    let second = 8 * backwater_kernel::time::PS_PER_SECOND;
    match second.is_multiple_of(rate.0) {
        true => u32::try_from(second / rate.0).unwrap_or(0),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_half_a_cache_line() {
        assert_eq!(size_of::<Frame>(), 32);
    }

    #[test]
    fn gates_survive_packing() {
        let gates = [
            Gate::Port,
            Gate::Class(7),
            Gate::Destination(3, 4_000_000_000),
        ];
        assert_eq!(gates.map(|gate| unpack_gate(pack_gate(gate))), gates);
    }
}
