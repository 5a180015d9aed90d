//! Frames: units that are routed. What queues and wires touch is apart from what only the two ends
//! read.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_ends::application::Payload;
use backwater_ends::control::{RmCell, Telemetry};
use backwater_kernel::Time;

use crate::flow_control::cyclic::Places;
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::load::{
    Control, Load, Loads, Orders, Protocol, Words, pack_gate, pack_orders, unpack_gate,
    unpack_orders,
};
use crate::hop::unit::{ECT, NONE, TELEMETRY, Unit, Units};
use crate::hop::view::{Content, CreditMessage, FrameView, Gate};
use crate::hop::wire::Ticket;
use crate::spec::frames::FRAME_LEAST_BYTES;

/// Several copies count as one frame of their account.
pub(crate) const COPY: u32 = 1 << 31;

/// What stands beside a unit in its pool.
pub(crate) struct PackedFrame {
    stamp: u64,
    content: Packed,
}

enum Packed {
    /// A cell.
    Nothing,
    Rm(Box<RmCell>),
    /// A frame, and its words, which few have.
    Frame(Load, Option<Box<Words>>),
    /// A packet of a queue pair, and what switches wrote into it.
    Packet(Load, Vec<Telemetry>),
}

/// What a message says that speaks of several lanes of a port.
#[derive(Default)]
pub(crate) struct Message {
    /// The lanes,
    pub places: Places,
    /// which are those of flows or stations, or else classes;
    pub is_sorted: bool,
    /// their counters, in order.
    pub words: Words,
}

impl Message {
    /// A number that tells it from others, for the trace hash.
    #[inline(always)]
    pub fn mark(&self) -> u64 {
        let spoken_of = u64::from(self.places.first) << 32 | u64::from(self.places.bits);
        self.words.iter().fold(spoken_of, |mark, word| {
            mark.rotate_left(7) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

/// What a routed unit has where others have their leg, number and copy.
impl Unit {
    /// Is it a control frame?
    #[inline]
    pub fn is_control(&self) -> bool {
        !self.kind.is_queued()
    }

    /// Twice its flow, and 1 if it goes back from the flow's destination to its source;
    /// [`NONE`] for control frames.
    #[inline]
    pub fn way(&self) -> u32 {
        self.leg
    }

    #[inline]
    pub fn flow(&self) -> u32 {
        self.leg / 2
    }

    #[inline]
    pub fn is_forward(&self) -> bool {
        self.leg.is_multiple_of(2)
    }

    /// Its next channel, as `Routes` reads it.
    #[inline]
    pub fn hop(&self) -> u32 {
        self.number
    }

    #[inline]
    pub fn set_hop(&mut self, hop: u32) {
        self.number = hop;
    }

    /// The account that holds it at the node it is at, [`NONE`] at its source; or, with the bit
    /// [`COPY`], what copies of it share there. See [`crate::network::Network::account_of`].
    #[inline]
    pub fn account(&self) -> u32 {
        self.shared
    }

    #[inline]
    pub fn set_account(&mut self, account: u32) {
        self.shared = account;
    }
}

/// Frames among the units.
impl Units {
    /// Makes a data frame: a unit, born now, and what it carries.
    #[inline(always)]
    pub fn frame(&mut self, frame: Unit, number: u64, payload: &Payload) -> u32 {
        let load = match payload {
            Payload::Tcp(segment) => self.loads.of_tcp(number, segment),
            Payload::Roce(packet) => Loads::of_roce(number, packet),
            Payload::Udp { bytes, number: seq } => Load {
                number,
                bytes: *bytes,
                seq: *seq,
                ..Load::default()
            },
        };
        let place = self.insert(frame, frame.arrived.ps());
        self.loads.set(place, load);
        place
    }

    /// One more copy of a datagram's frame.
    pub fn copy_frame(&mut self, id: u32) -> u32 {
        let (frame, born, load) = (*self.get(id), self.born(id), self.loads.loads[id as usize]);
        let place = self.insert(frame, born.ps());
        self.loads.set(place, load);
        place
    }

    /// Makes a control frame.
    pub fn stop_frame(&mut self, now: Time, number: u64, control: Control) -> u32 {
        let bytes = FRAME_LEAST_BYTES;
        let frame = Unit {
            class: 7,
            kind: UnitKind::Control(ControlKind::Stop),
            ..Unit::data(now, NONE, bytes)
        };
        let load = Load {
            number,
            seq: pack_orders(control.orders),
            bytes: control.quanta.into(),
            is_again: control.is_endless,
            window: control.from,
            ..Load::default()
        };
        let place = self.insert(frame, now.ps());
        self.loads.set(place, load);
        place
    }

    /// Makes a control frame of credit: for a lane, with what it says.
    pub fn credit_frame(
        &mut self,
        now: Time,
        number: u64,
        (leg, lane): (u32, Gate),
        (kind, value): (ControlKind, u64),
    ) -> u32 {
        let frame = Unit {
            class: 7,
            leg,
            kind: UnitKind::Control(kind),
            ..Unit::data(now, NONE, FRAME_LEAST_BYTES)
        };
        let load = Load {
            number,
            seq: value,
            ack: pack_gate(lane),
            ..Load::default()
        };
        let place = self.insert(frame, now.ps());
        self.loads.set(place, load);
        place
    }

    /// What a control frame of credit says.
    pub fn credit_value(&self, id: u32) -> u64 {
        self.loads.loads[id as usize].seq
    }

    /// Makes a message about several lanes of a channel, with a counter of each.
    #[inline]
    pub fn message_frame(
        &mut self,
        (now, number): (Time, u64),
        ticket: Ticket,
        message: &Message,
    ) -> u32 {
        let frame = Unit {
            class: 7,
            kind: UnitKind::Control(ticket.kind),
            ..Unit::data(now, NONE, ticket.bytes)
        };
        let [first, second, rest @ ..] = message.words;
        let load = Load {
            number,
            seq: first,
            ack: second,
            window: message.places.bits,
            bytes: message.places.first,
            is_again: message.is_sorted,
            words: match rest {
                [0, 0, 0, 0] => NONE,
                _ => self.loads.keep_words(message.words),
            },
            ..Load::default()
        };
        let place = self.insert(frame, now.ps());
        self.loads.set(place, load);
        place
    }

    /// The lanes of which a message speaks, and their counters, in order.
    #[inline]
    pub fn message(&self, id: u32) -> (Places, Words) {
        let load = &self.loads.loads[id as usize];
        let places = Places {
            first: load.bytes,
            bits: load.window,
        };
        let words = match load.words {
            NONE => [load.seq, load.ack, 0, 0, 0, 0],
            at => self.loads.words[at as usize],
        };
        (places, words)
    }

    /// Ends a frame's life.
    #[inline]
    pub fn end_frame(&mut self, id: u32) {
        self.loads.end(id);
        self.remove(id);
    }

    /// Takes a unit out, with all that stands beside it, for another simulation.
    pub fn take_out(&mut self, id: u32) -> PackedFrame {
        let stamp = self.value(id);
        let content = match self.loads.loads.get(id as usize) {
            Some(load) if load.protocol == Protocol::Roce => {
                let load = *load;
                Packed::Packet(load, self.loads.take_path(id))
            }
            Some(load) => {
                let words = self.loads.words.get(load.words as usize);
                Packed::Frame(*load, words.map(|words| Box::new(*words)))
            }
            None if self.get(id).kind.is_rm() => Packed::Rm(Box::new(self.rm(id))),
            None => Packed::Nothing,
        };
        match content {
            Packed::Frame(..) | Packed::Packet(..) => self.end_frame(id),
            Packed::Nothing | Packed::Rm(_) => self.remove(id),
        }
        PackedFrame { stamp, content }
    }

    /// Takes a unit of another simulation in.
    pub fn put_in(&mut self, unit: Unit, packed: PackedFrame) -> u32 {
        let place = self.insert(unit, packed.stamp);
        match packed.content {
            Packed::Nothing => {}
            Packed::Rm(cell) => self.set_rm(place, *cell),
            Packed::Frame(mut load, words) => {
                if let Some(words) = words {
                    load.words = self.loads.keep_words(*words);
                }
                self.loads.set(place, load);
            }
            Packed::Packet(load, path) => {
                let words = NONE;
                self.loads.set(place, Load { words, ..load });
                self.loads.keep_path(place, path);
            }
        }
        place
    }

    /// Number in its flow.
    pub fn number_of(&self, id: u32) -> u64 {
        self.loads.loads[id as usize].number
    }

    /// What a data frame carries.
    #[inline]
    pub fn payload(&self, id: u32) -> Payload {
        self.loads.payload(id)
    }

    /// What a datagram carries: payload bytes and number. Nothing of other frames.
    #[inline(always)]
    pub fn datagram(&self, id: u32) -> Option<(u32, u64)> {
        let load = &self.loads.loads[id as usize];
        (load.protocol == Protocol::Udp).then_some((load.bytes, load.seq))
    }

    /// A frame carries part of a message of a queue pair.
    #[inline]
    pub fn is_pair_data(&self, id: u32) -> bool {
        !self.get(id).is_control() && self.loads.is_pair_data(id)
    }

    /// A switch leaves of a packet of data the header, in this class.
    pub fn trim(&mut self, id: u32, class: u8) {
        self.loads.trim(id);
        let frame = self.get_mut(id);
        frame.marks &= !TELEMETRY;
        (frame.bytes, frame.class) = (FRAME_LEAST_BYTES, class);
    }

    /// A switch writes into a packet.
    pub fn write(&mut self, id: u32, hop: Telemetry) {
        self.loads.write(id, hop);
    }

    /// Takes out what switches wrote into a packet, for its acknowledgement.
    pub fn take_path(&mut self, id: u32) -> Vec<Telemetry> {
        self.loads.take_path(id)
    }

    /// Puts it there.
    pub fn keep_path(&mut self, id: u32, path: Vec<Telemetry>) {
        self.loads.keep_path(id, path);
    }

    /// What a control frame asks for.
    pub fn control_of(&self, id: u32) -> Control {
        let load = &self.loads.loads[id as usize];
        Control {
            orders: unpack_orders(load.seq),
            quanta: load.bytes as u16,
            is_endless: load.is_again,
            from: load.window,
        }
    }

    /// The frame as probes see it. `ends` are its stations (nodes for control frames).
    #[inline]
    pub fn view(&self, id: u32, ends: (u32, u32), is_tagged: bool, has_rtp: bool) -> FrameView {
        let (frame, load) = (self.get(id), &self.loads.loads[id as usize]);
        let content = match frame.is_control() {
            true => self.control_content(id),
            false => match self.payload(id) {
                Payload::Tcp(segment) => Content::Tcp {
                    segment,
                    is_forward: frame.is_forward(),
                },
                Payload::Roce(packet) => Content::Roce {
                    packet,
                    is_forward: frame.is_forward(),
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
            receivers: (0, 1),
            class: frame.class,
            bytes: frame.bytes,
            is_tagged,
            is_ect: frame.marks & ECT != 0,
            is_marked: frame.is_marked(),
            born: self.born(id),
            content,
        }
    }

    fn control_content(&self, id: u32) -> Content {
        let is_update = match self.get(id).kind {
            UnitKind::Control(ControlKind::Update) => Some(true),
            UnitKind::Control(ControlKind::Statement) => Some(false),
            _ => None,
        };
        if let Some(is_update) = is_update {
            let (places, words) = self.message(id);
            let load = &self.loads.loads[id as usize];
            return Content::Counters {
                is_update,
                first: load.is_again.then_some(places.first),
                classes: places.bits,
                words,
            };
        }
        let message = match self.get(id).kind {
            UnitKind::Control(ControlKind::Credit) => Some(CreditMessage::Credit),
            UnitKind::Control(ControlKind::Request) => Some(CreditMessage::Request),
            UnitKind::Control(ControlKind::Sync) => Some(CreditMessage::Sync),
            UnitKind::Control(_) | UnitKind::Data | UnitKind::ForwardRm | UnitKind::BackwardRm => {
                None
            }
        };
        if let Some(message) = message {
            return Content::Credit {
                lane: unpack_gate(self.loads.loads[id as usize].ack),
                message,
                value: self.credit_value(id),
            };
        }
        let control = self.control_of(id);
        let quanta = control.quanta;
        match control.orders {
            Orders::Classes { stops, resumes } => Content::Pfc {
                stops,
                resumes,
                quanta,
            },
            Orders::Gate(Gate::Destination(class, destination)) => Content::StopDestination {
                class,
                destination,
                quanta,
            },
            Orders::Gate(_) => Content::Pause { quanta },
        }
    }
}
