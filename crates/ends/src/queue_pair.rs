//! A queue pair of RoCE v2: one end of a reliable connection that carries messages.
//!
//! | File | Holds |
//! |---|---|
//! | `sender` | what goes next and when, what goes again, the rate |
//! | `receiver` | order, acknowledgements, CNPs |
//! | `messages` | where a message ends |
//!
//! The port of the host *pulls*: of each queue pair at most one packet of data waits there, in
//! turn with those of the others, and the next one is made as it starts. So a rate is kept from
//! start to start, what is said meanwhile is heard, and a pair whose class is stopped makes
//! nothing. Acknowledgements and CNPs are not pulled.
//!
//! Sources: InfiniBand Architecture Specification 1.4, 9.7 (reliable connections); RoCE v2 (Annex
//! A17); go-back-N as ConnectX has it (Zhu and others 2015, section 2); selective repeat as IRN has
//! it (Mittal and others 2018). **Not modelled**: sequence numbers that wrap (24 bits), credits of
//! receive buffers, several reads at once, connection set-up.

use backwater_kernel::{Rate, Survey, Time};

use crate::application::Payload;
use crate::application::connection::{Came, Transport};
use crate::control::hooks::{Control, Inner, Signal};
use crate::spec::{Notify, RoceSpec};
use crate::tcp::{Received, TcpCounts};

mod messages;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

use receiver::Receiver;
use sender::Sender;

/// What a packet is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PacketKind {
    /// Part of a message.
    #[default]
    Data,
    /// All below `seq` is in.
    Ack,
    /// The same, and something else came in its place: `other` and `bytes` say what.
    Nack,
    /// Congestion was met (CNP).
    Notification,
    /// A switch on the way of data states the rate that it allows: `seq` in bit/s, and in `other`
    /// which congestion point does.
    Rate,
    /// All below `seq` is in, and of one packet only the header came: `other` and `bytes` say
    /// which.
    Trimmed,
}

/// A packet of a queue pair. Positions count bytes from 0 in both directions and do not wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RocePacket {
    /// What it is.
    pub kind: PacketKind,
    /// Data: position of its first byte. [`PacketKind::Rate`]: bit/s. Else the position expected.
    pub seq: u64,
    /// Of a [`PacketKind::Nack`]: position of what came instead. Of a [`PacketKind::Trimmed`]: of
    /// the packet that lost its payload. Of a [`PacketKind::Rate`]: which congestion point states
    /// it.
    pub other: u64,
    /// Bytes of payload; of a [`PacketKind::Nack`] those of what came instead, of a
    /// [`PacketKind::Trimmed`] those that were cut off.
    pub bytes: u32,
    /// Data: the last packet of its message. Acknowledgements: a packet they are for was marked.
    pub flag: bool,
    /// Data that was sent before.
    pub is_again: bool,
    /// It has room for what switches write.
    pub has_telemetry: bool,
    /// Data of which a switch has left the header alone.
    pub is_trimmed: bool,
}

impl RocePacket {
    /// Bytes of a message that it carries.
    pub fn payload_bytes(&self) -> u32 {
        match self.kind {
            PacketKind::Data if !self.is_trimmed => self.bytes,
            _ => 0,
        }
    }
}

/// One end of a connection: a sender and a receiver.
pub(crate) struct QueuePair {
    sender: Sender,
    receiver: Receiver,
    counts: TcpCounts,
}

impl QueuePair {
    /// An end that has sent nothing, whose packets have so many bytes on the wire beside their
    /// payload.
    pub fn new(spec: &RoceSpec, around_bytes: u32) -> QueuePair {
        QueuePair {
            sender: Sender::new(spec, around_bytes),
            receiver: Receiver::default(),
            counts: TcpCounts::default(),
        }
    }

    /// The packet that waited in the port starts now.
    #[inline]
    pub fn on_start(&mut self, now: Time, spec: &RoceSpec) {
        self.sender.on_start(now, spec);
    }

    /// The network stops its class at the port, or lets it go on.
    pub fn on_stop(&mut self, now: Time, is_stopped: bool) {
        self.sender.settle(now);
        self.sender.touched = now;
        self.sender.control.on_stop(now, is_stopped);
    }

    /// What its control keeps to itself, as of its last packet or message.
    pub fn inner(&self, of: Inner) -> Option<f64> {
        self.sender.control.inner(self.sender.touched, of)
    }

    /// What its control allowed at its last packet or message; where it has no limiter, all.
    pub fn rate(&self) -> Rate {
        self.sender.control.pacing().unwrap_or(self.sender.line)
    }

    /// Counts a packet that goes, in its class.
    fn made(&mut self, packet: RocePacket, class: Option<u8>) -> Option<(Payload, Option<u8>)> {
        self.counts.segments += 1;
        Some((Payload::Roce(packet), class))
    }
}

impl Transport for QueuePair {
    type Spec = RoceSpec;
    type Packet = RocePacket;

    fn send(&mut self, _now: Time, _spec: &RoceSpec, bytes: u64) {
        self.sender.hand_over(bytes);
    }

    fn poll(&mut self, now: Time, spec: &RoceSpec) -> Option<(Payload, Option<u8>)> {
        if let Some(packet) = self.receiver.take_notification(now) {
            self.counts.notifications += 1;
            return self.made(packet, spec.cnp_class);
        }
        if let Some(packet) = self.receiver.take_ack() {
            return self.made(packet, spec.ack_class);
        }
        let packet = self.sender.next_packet(now, spec)?;
        self.counts.sent_bytes += u64::from(packet.bytes);
        if packet.is_again {
            self.counts.again_bytes += u64::from(packet.bytes);
        }
        self.made(packet, None)
    }

    fn on_packet(
        &mut self,
        now: Time,
        spec: &RoceSpec,
        packet: &RocePacket,
        came: Came<'_>,
    ) -> Received {
        let mut received = Received::default();
        match packet.kind {
            PacketKind::Data if packet.is_trimmed => {
                self.receiver.on_trimmed(now, spec, packet, came.is_marked);
            }
            PacketKind::Data => {
                let before = self.receiver.expected();
                let is_new = self.receiver.on_data(now, spec, packet, came.is_marked);
                self.counts.duplicates += u64::from(!is_new);
                self.counts.out_of_order += u64::from(packet.seq > before);
                let held_bytes = self.receiver.held_bytes();
                self.counts.held_most_bytes = self.counts.held_most_bytes.max(held_bytes);
                received.delivered_bytes = self.receiver.expected() - before;
            }
            PacketKind::Ack | PacketKind::Nack | PacketKind::Trimmed => {
                let is_refusal = packet.kind != PacketKind::Ack;
                received.acked_bytes = self.sender.on_ack(now, spec, packet, came.path);
                received.is_finished =
                    received.acked_bytes > 0 && self.sender.is_all_acknowledged();
                if packet.flag && spec.notify == Some(Notify::Echo) {
                    self.counts.ecn_cuts += 1;
                }
                if is_refusal && self.sender.on_refusal(now, spec, packet) {
                    self.counts.fast_retransmits += 1;
                }
            }
            PacketKind::Notification => {
                self.counts.ecn_cuts += 1;
                self.sender.on_signal(now, &Signal::Notification);
            }
            PacketKind::Rate => {
                let (rate, from) = (Rate(packet.seq), packet.other as u32);
                self.sender.on_signal(now, &Signal::Rate { rate, from });
            }
        }
        received
    }

    #[inline]
    fn timer(&self) -> Option<Time> {
        let at = self.sender.timer().min(self.receiver.timer());
        (at != Time::MAX).then_some(at)
    }

    fn on_timer(&mut self, now: Time, spec: &RoceSpec) {
        self.counts.time_outs += u64::from(self.sender.on_timer(now, spec));
    }

    fn counts(&self) -> TcpCounts {
        self.counts
    }

    fn window_bytes(&self) -> u64 {
        self.sender.control.window()
    }

    fn positions(&self) -> (u64, u64, u64) {
        let (una, next) = self.sender.positions();
        (una, next, self.receiver.expected())
    }

    fn survey_end(&mut self, survey: &mut Survey, spec: &RoceSpec, other: (u64, u64)) {
        let QueuePair {
            sender,
            receiver,
            counts,
        } = self;
        sender.survey_sender(survey, spec);
        counts.survey_counts(survey);
        survey.refer_to(other);
        receiver.survey_receiver(survey, spec);
    }
}
