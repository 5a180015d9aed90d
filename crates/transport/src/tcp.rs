//! The end of a TCP connection.

use kernel::{Duration, Time};

use crate::spec::TcpSpec;

/// What a TCP header says, and how much data follows. Stream positions count from 0 in both
/// directions and do not wrap; SYN and FIN take no position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Position of the first byte.
    pub seq: u64,
    /// Bytes of payload.
    pub bytes: u32,
    /// Next position the sender of this segment expects.
    pub ack: u64,
    /// Bytes beyond `ack` that may be sent.
    pub window: u32,
    /// SYN, FIN and so on, of [`flags`].
    pub flags: u8,
    /// Valid entries of `sack`.
    pub sack_blocks: u8,
    /// Blocks received beyond `ack`, `(first, end)`, most recent first.
    pub sack: [(u64, u64); 3],
    /// It was sent before.
    pub is_again: bool,
}

/// Bits of [`Segment::flags`], as on the wire.
pub mod flags {
    /// Last segment of a connection.
    pub const FIN: u8 = 0x01;
    /// First segment of a connection.
    pub const SYN: u8 = 0x02;
    /// The sender's buffer ends here.
    pub const PSH: u8 = 0x08;
    /// `ack` is valid.
    pub const ACK: u8 = 0x10;
    /// A mark was seen.
    pub const ECE: u8 = 0x40;
    /// The window was reduced.
    pub const CWR: u8 = 0x80;
}

/// What a segment brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Received {
    /// Bytes now in order that were not before: the application reads them.
    pub delivered_bytes: u64,
    /// Bytes of ours acknowledged by it for the first time.
    pub acked_bytes: u64,
    /// Everything the application handed over has been acknowledged, and was not before.
    pub is_finished: bool,
}

/// Counts of one end, from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TcpCounts {
    /// Segments sent, pure acknowledgements included.
    pub segments: u64,
    /// Payload bytes sent, again included.
    pub sent_bytes: u64,
    /// Payload bytes sent again.
    pub again_bytes: u64,
    /// Retransmission time-outs.
    pub time_outs: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Segments received that brought nothing new.
    pub duplicates: u64,
    /// Times the window shrank because of marks.
    pub ecn_cuts: u64,
}

/// When the slow and fast timers of a host tick: at `phase + k * tick`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HostClock {
    /// Of the slow timer.
    pub slow_phase: Duration,
    /// Of the fast timer.
    pub fast_phase: Duration,
}

/// One end of a connection: a sender and a receiver.
#[derive(Clone, Debug)]
pub struct Endpoint {
    clock: HostClock,
}

impl Endpoint {
    /// An end that has sent nothing. `opens` sends the SYN where the spec has a handshake.
    pub fn new(spec: &TcpSpec, clock: HostClock, opens: bool) -> Endpoint {
        let _ = (spec, opens);
        Endpoint { clock }
    }

    /// The application hands over `bytes`. A new transfer (all before it was acknowledged)
    /// starts as `spec.reuse` says.
    pub fn send(&mut self, now: Time, spec: &TcpSpec, bytes: u64) {
        let _ = (now, spec, bytes, self.clock);
    }

    /// The next segment that may go out now; call until `None` after each of the others.
    pub fn poll(&mut self, now: Time, spec: &TcpSpec) -> Option<Segment> {
        let _ = (now, spec);
        None
    }

    /// A segment came in; `is_marked` by a switch on its way (CE).
    pub fn on_segment(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        segment: &Segment,
        is_marked: bool,
    ) -> Received {
        let _ = (now, spec, segment, is_marked);
        Received::default()
    }

    /// When [`Endpoint::on_timer`] wants to be called; `None` if never as things stand.
    pub fn timer(&self) -> Option<Time> {
        None
    }

    /// The instant that [`Endpoint::timer`] named has come (calls at other times do nothing).
    pub fn on_timer(&mut self, now: Time, spec: &TcpSpec) {
        let _ = (now, spec);
    }

    /// Counts so far.
    pub fn counts(&self) -> TcpCounts {
        TcpCounts::default()
    }

    /// Congestion window, bytes.
    pub fn window_bytes(&self) -> u64 {
        0
    }

    /// First position not acknowledged, next position to send, next position expected.
    pub fn positions(&self) -> (u64, u64, u64) {
        (0, 0, 0)
    }
}
