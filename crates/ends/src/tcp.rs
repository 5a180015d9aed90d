//! The end of a TCP connection: what it sends, when, and what it makes of what comes in.
//!
//! No I/O: [`Endpoint::poll`] gives segments, [`Endpoint::on_segment`] takes them, and time is a
//! parameter of both. Nothing is allocated for a segment; only ranges out of order (receiver)
//! and the scoreboard (sender, with SACK) live in vectors, empty where nothing is lost.
//!
//! | File | Holds |
//! |---|---|
//! | `sender` | positions, duplicates, fast retransmit, time-outs, what goes next |
//! | `sack` | scoreboard, pipe (RFC 6675) |
//! | `outstanding` | what was sent, and when |
//! | `rack`, `probe`, `prr`, `undo` | losses by time (RFC 8985), how the window meets them |
//! | `burst` | what a host hands down at once |
//! | `cuts` | when an echo of a mark cuts the window |
//! | `delivery` | how fast what is sent is delivered |
//! | `pacing` | turns of segments that are spaced |
//! | `receiver` | order, delayed acknowledgements, blocks, echo of marks |
//! | `clock` | when a host's timers tick |
//! | `timer` | ticks of a host, round-trip times, time-outs |
//!
//! How the window grows and shrinks is in `control/`.
//!
//! **Not modelled**: urgent data, Nagle's algorithm, timestamps, window scaling (a window is 32
//! bits), windows that close (applications read at once), keep-alive, path MTU, resets.
//!
//! **Connections of [`Reuse::Handshake`].** Positions go on counting from one connection to the
//! next; SYN and FIN take none. The end that opens sends SYN, again by its timer until the
//! SYN-ACK comes; the acknowledgement of that goes with the first data. A SYN at the position
//! the passive end expects begins a connection there: window and round-trip times start anew. A
//! repeated one is answered once more; one of an older connection says a lower position and is
//! left alone. The passive end therefore needs no timer for its SYN-ACK. Until the first SYN it
//! holds its data back. FIN goes with the last data handed over, both ways (half-close), so it
//! is repaired with them; it is acknowledged at once. A passive end that sends no data sends no
//! FIN. After a SYN lost the first window is one segment (RFC 5681).

use backwater_kernel::{Rate, Time};

use crate::control::Inner;
use crate::spec::{Ecn, Reuse, TcpSpec};

mod burst;
mod clock;
mod cuts;
mod delivery;
mod outstanding;
mod pacing;
mod probe;
mod prr;
mod rack;
mod receiver;
mod sack;
mod sender;
mod timer;
mod undo;

pub use clock::HostClock;
use receiver::Receiver;
pub(crate) use sack::Scoreboard;
use sender::Sender;

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
    /// What it acknowledges came as it first went, as the echo of its timestamp would tell; said
    /// where repairs are undone.
    pub echoes_first: bool,
    /// Frames beyond the first that it takes on the wire, where a burst stays whole.
    pub further: u16,
}

impl Segment {
    /// Position after what came twice, where the first block says so (RFC 2883).
    pub fn twice(&self) -> Option<u64> {
        let blocks = usize::from(self.sack_blocks).min(self.sack.len());
        let (first, rest) = self.sack[..blocks].split_first()?;
        let within = rest
            .first()
            .is_some_and(|r| r.0 <= first.0 && first.1 <= r.1);
        (first.1 <= self.ack || within).then_some(first.1)
    }
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
    /// Segments with data received, all of which were there before.
    pub duplicates: u64,
    /// Times the window shrank because of marks; of a queue pair: CNPs, or echoes, that came.
    pub ecn_cuts: u64,
    /// CNPs sent.
    pub notifications: u64,
    /// Queue pairs: packets of data that came while one before them was missing.
    pub out_of_order: u64,
    /// Queue pairs: the most bytes that were held beyond something missing, in the whole run.
    pub held_most_bytes: u64,
}

/// One end of a connection: a sender and a receiver.
#[derive(Clone, Debug)]
pub struct Endpoint {
    clock: HostClock,
    sender: Sender,
    receiver: Receiver,
    counts: TcpCounts,
    handshake: Handshake,
}

/// Where the connection stands.
#[derive(Clone, Copy, Debug)]
struct Handshake {
    state: State,
    opens: bool,
    /// A SYN (opener) or SYN-ACK is to be sent.
    is_due: bool,
    /// The SYN has been sent so often.
    syns: u32,
    /// When first.
    sent_at: Time,
    /// Passive end: position of the SYN that began the connection.
    began_at: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Passive, no SYN so far.
    Closed,
    /// The SYN is under way.
    SynSent,
    /// Data may go.
    Open,
}

impl Endpoint {
    /// An end that has sent nothing. `opens` sends the SYN where the spec has a handshake.
    pub fn new(spec: &TcpSpec, clock: HostClock, opens: bool) -> Endpoint {
        let is_closed = spec.reuse == Reuse::Handshake && !opens;
        Endpoint {
            clock,
            sender: Sender::new(spec),
            receiver: Receiver::default(),
            counts: TcpCounts::default(),
            handshake: Handshake {
                state: if is_closed {
                    State::Closed
                } else {
                    State::Open
                },
                opens,
                is_due: false,
                syns: 0,
                sent_at: Time::ZERO,
                began_at: None,
            },
        }
    }

    /// What its control draws follows from `key`, which differs from connection to connection.
    pub fn drawing_from(mut self, key: u64) -> Endpoint {
        self.sender.extras.draw_from(key);
        self
    }

    /// The application hands over `bytes`. A new transfer (all before it was acknowledged)
    /// starts as `spec.reuse` says.
    pub fn send(&mut self, now: Time, spec: &TcpSpec, bytes: u64) {
        if bytes == 0 {
            return;
        }
        if self.sender.is_idle() {
            match spec.reuse {
                Reuse::Persistent => self.sender.restart_if_silent(now, spec, &self.clock),
                Reuse::FreshWindow => self.sender.fresh_window(spec),
                Reuse::Handshake if self.handshake.opens => self.open(now, spec),
                Reuse::Handshake => self.sender.restart_if_silent(now, spec, &self.clock),
            }
        }
        self.sender.tell_offered(now, spec);
        self.sender.hand_over(bytes);
    }

    /// The next segment that may go out now; call until `None` after each of the others.
    pub fn poll(&mut self, now: Time, spec: &TcpSpec) -> Option<Segment> {
        if let Some((ack, has_echo)) = self.receiver.take_early() {
            let mut segment = self.segment(spec);
            segment.ack = ack;
            segment.flags = flags::ACK | if has_echo { flags::ECE } else { 0 };
            segment.sack_blocks = 0;
            return Some(self.count_segment(segment));
        }
        if self.handshake.is_due {
            return Some(self.syn(now, spec));
        }
        if self.handshake.state == State::Open
            && let Some((seq, bytes)) = self.sender.next_range(spec)
            && let Some(bytes) = self.sender.turn(now, spec, (seq, bytes))
        {
            return Some(self.data(now, spec, seq, bytes));
        }
        if self.receiver.is_ack_due() {
            let segment = self.segment(spec);
            self.receiver.acknowledged();
            return Some(self.count_segment(segment));
        }
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
        self.sender.heard(now);
        if segment.flags & flags::SYN != 0 {
            self.on_syn(now, spec, segment);
            return Received::default();
        }
        let mut received = Received::default();
        if segment.flags & flags::ACK != 0 {
            let (clock, counts) = (&self.clock, &mut self.counts);
            let before = self.sender.standing(spec);
            let acked = self.sender.on_ack(now, spec, clock, segment, counts);
            self.sender.tell_delivery(now, spec, before, segment);
            received.acked_bytes = acked;
            received.is_finished = acked > 0 && self.sender.is_all_acknowledged();
        }
        if segment.bytes > 0 {
            let before = self.receiver.has_delivered();
            let is_new = self
                .receiver
                .on_data(now, spec, &self.clock, segment, is_marked);
            self.counts.duplicates += !is_new as u64;
            received.delivered_bytes = self.receiver.has_delivered() - before;
        }
        received
    }

    /// When [`Endpoint::on_timer`] wants to be called; `None` if never as things stand.
    pub fn timer(&self) -> Option<Time> {
        let at = self.sender.time_out_at().min(self.sender.slot_at());
        let at = at.min(self.receiver.ack_at()).min(self.sender.control_at());
        (at != Time::MAX).then_some(at)
    }

    /// The instant that [`Endpoint::timer`] named has come (calls at other times do nothing).
    pub fn on_timer(&mut self, now: Time, spec: &TcpSpec) {
        if now >= self.receiver.ack_at() {
            self.receiver.acknowledge();
        }
        if now >= self.sender.slot_at() {
            self.sender.end_slot();
        }
        if now >= self.sender.control_at() {
            self.sender.on_control_timer(now);
        }
        if now < self.sender.time_out_at() {
            return;
        }
        if self.handshake.state == State::SynSent {
            self.counts.time_outs += 1;
            self.handshake.is_due = true;
            self.sender.on_syn_time_out(now, spec, &self.clock);
        } else {
            let before = self.sender.standing(spec);
            let counts = &mut self.counts;
            self.sender.on_time_out(now, spec, &self.clock, counts);
            self.sender.tell_given_up(spec, before);
        }
    }

    /// Counts so far.
    pub fn counts(&self) -> TcpCounts {
        self.counts
    }

    /// Congestion window, bytes.
    pub fn window_bytes(&self) -> u64 {
        self.sender.window_bytes()
    }

    /// The rate that its control allows, if it has one.
    pub fn rate(&self) -> Option<Rate> {
        self.sender.rate()
    }

    /// A number that its control keeps to itself, as of what it last heard.
    pub fn inner(&self, of: Inner) -> Option<f64> {
        self.sender.inner(of)
    }

    /// First position not acknowledged, next position to send, next position expected.
    pub fn positions(&self) -> (u64, u64, u64) {
        let (una, next) = self.sender.positions();
        (una, next, self.receiver.has_delivered())
    }

    /// Begins a connection: a SYN goes out at the next poll.
    fn open(&mut self, now: Time, spec: &TcpSpec) {
        self.sender.fresh_connection(now, spec, &self.clock);
        self.handshake.state = State::SynSent;
        self.handshake.is_due = true;
        self.handshake.syns = 0;
    }

    /// The SYN or SYN-ACK that is due.
    fn syn(&mut self, now: Time, spec: &TcpSpec) -> Segment {
        self.handshake.is_due = false;
        let mut segment = self.segment(spec);
        segment.sack_blocks = 0;
        if self.handshake.opens {
            segment.flags = flags::SYN;
            segment.is_again = self.handshake.syns > 0;
            if self.handshake.syns == 0 {
                self.handshake.sent_at = now;
                self.sender.arm(now, spec, &self.clock);
            }
            self.handshake.syns += 1;
        } else {
            segment.flags = flags::SYN | flags::ACK;
            segment.is_again = self.handshake.syns > 0;
            self.handshake.syns += 1;
        }
        self.count_segment(segment)
    }

    fn on_syn(&mut self, now: Time, spec: &TcpSpec, segment: &Segment) {
        let handshake = &mut self.handshake;
        let is_answer = segment.flags & flags::ACK != 0;
        if is_answer && handshake.opens {
            // One of an older connection acknowledges a lower position.
            let (una, _) = self.sender.positions();
            if handshake.state == State::SynSent && segment.ack == una {
                handshake.state = State::Open;
                handshake.is_due = false;
                // Karn: a SYN sent twice says nothing of the round-trip time.
                let sent_at = (handshake.syns == 1).then_some(handshake.sent_at);
                self.sender.opened(now, spec, &self.clock, sent_at);
            }
        } else if !is_answer && !handshake.opens && segment.seq == self.receiver.has_delivered() {
            if handshake.began_at != Some(segment.seq) {
                handshake.began_at = Some(segment.seq);
                handshake.state = State::Open;
                handshake.syns = 0;
                self.sender.fresh_connection(now, spec, &self.clock);
                self.receiver.fresh_connection();
            }
            handshake.is_due = true;
        }
    }

    /// A segment of data, which also acknowledges.
    fn data(&mut self, now: Time, spec: &TcpSpec, seq: u64, bytes: u32) -> Segment {
        let mut segment = self.segment(spec);
        segment.seq = seq;
        segment.bytes = bytes;
        if bytes > spec.mss_bytes {
            segment.further = ((bytes - 1) / spec.mss_bytes) as u16;
        }
        if self.sender.is_end(seq + u64::from(bytes)) {
            segment.flags |= flags::PSH;
            if spec.reuse == Reuse::Handshake {
                segment.flags |= flags::FIN;
            }
        }
        self.sender.tell_sent(now, spec, (seq, bytes));
        let sent = self.sender.sent(now, spec, &self.clock, seq, bytes);
        segment.is_again = sent.again_bytes > 0;
        if sent.has_cwr {
            segment.flags |= flags::CWR;
        }
        self.counts.sent_bytes += u64::from(bytes);
        self.counts.again_bytes += sent.again_bytes;
        self.receiver.acknowledged();
        self.count_segment(segment)
    }

    /// An acknowledgement without data.
    fn segment(&self, spec: &TcpSpec) -> Segment {
        let (_, next) = self.sender.positions();
        let mut segment = Segment {
            seq: next,
            ack: self.receiver.has_delivered(),
            window: spec.window_bytes,
            flags: flags::ACK,
            ..Segment::default()
        };
        if spec.ecn != Ecn::Off && self.receiver.has_echo() {
            segment.flags |= flags::ECE;
        }
        segment.echoes_first = spec.undo && self.receiver.echoes_first();
        if spec.recovery.has_sack() {
            segment.sack_blocks = self.receiver.blocks(&mut segment.sack);
        }
        segment
    }

    fn count_segment(&mut self, segment: Segment) -> Segment {
        self.counts.segments += 1;
        segment
    }
}
