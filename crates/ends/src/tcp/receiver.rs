//! The receiving half: puts bytes in order, acknowledges, echoes marks.
//!
//! RFC 1122 section 4.2.3.2 and RFC 5681 section 4.2 (delayed acknowledgements), Wright and Stevens
//! (1995) chapter 27 (what BSD acknowledges at once), RFC 2018 (blocks), RFC 3168 and 8257 (echo).
//!
//! At once: data out of order or seen before, data that fills a gap, FIN. Else as
//! [`AckSpec`] says; "every second full segment" means two MSS of bytes since the last
//! acknowledgement. A data segment acknowledges too and ends a delay. [`AckSpec::Delayed`]
//! with `push` does not wait after PSH: nothing follows it until its acknowledgement is in, so a
//! wait would only add to each transfer. The RFCs say nothing of PSH, and
//! [`AckSpec::DelayedTick`] waits, as 4.4BSD did.
//!
//! **Quickly.** The first [`TcpSpec::quick_acks`] segments of a connection are acknowledged one by
//! one, and so many again after a silence longer than the least time-out: the sender's window is
//! small then (Linux).
//!
//! **Twice.** Where losses go by time ([`Recovery::Rack`]) the first block of the acknowledgement
//! of what was there before says so (RFC 2883).
//!
//! **Echo.** Classic: from a mark until CWR comes, every acknowledgement echoes. DCTCP: each one
//! says whether the data it acknowledges was marked. Where that changes while one is delayed, the
//! delayed one goes first, with the old state and the old position (`early`).

use alloc::vec::Vec;

use backwater_kernel::Time;

use super::timer::nth_tick;
use super::{HostClock, Segment, flags};
use crate::spec::{AckSpec, Ecn, Recovery, TcpSpec};

/// State of the receiving half.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// Next position expected.
    next: u64,
    /// Bytes in order that no acknowledgement has told of.
    waiting_bytes: u64,
    /// A delayed acknowledgement is due then.
    ack_at: Time,
    is_ack_due: bool,
    /// Acknowledgements echo a mark.
    has_echo: bool,
    /// An acknowledgement of an earlier state: position and echo.
    early: Option<(u64, bool)>,
    /// Ranges beyond `next`, apart from each other, the one that last grew first.
    ranges: Vec<(u64, u64)>,
    /// What came twice and was not told of.
    twice: Option<(u64, u64)>,
    /// What moved `next` since the last acknowledgement came as it first went.
    echoes_first: bool,
    /// Segments that are acknowledged one by one, and when the last came.
    quick: (u32, Option<Time>),
}

impl Default for Receiver {
    fn default() -> Receiver {
        Receiver {
            next: 0,
            waiting_bytes: 0,
            ack_at: Time::MAX,
            is_ack_due: false,
            has_echo: false,
            early: None,
            ranges: Vec::new(),
            twice: None,
            echoes_first: false,
            quick: (0, None),
        }
    }
}

impl Receiver {
    /// Bytes delivered in order: the next position expected.
    #[inline]
    pub(crate) fn has_delivered(&self) -> u64 {
        self.next
    }

    /// When a delayed acknowledgement is due; [`Time::MAX`] if none is.
    #[inline]
    pub(crate) fn ack_at(&self) -> Time {
        self.ack_at
    }

    /// Is an acknowledgement due now?
    #[inline]
    pub(crate) fn is_ack_due(&self) -> bool {
        self.is_ack_due
    }

    /// Do acknowledgements echo a mark?
    #[inline]
    pub(crate) fn has_echo(&self) -> bool {
        self.has_echo
    }

    /// Did what acknowledgements acknowledge come as it first went?
    #[inline]
    pub(crate) fn echoes_first(&self) -> bool {
        self.echoes_first
    }

    /// The acknowledgement of an earlier state, if one is to go first.
    #[inline]
    pub(crate) fn take_early(&mut self) -> Option<(u64, bool)> {
        self.early.take()
    }

    /// An acknowledgement is due now.
    pub(crate) fn acknowledge(&mut self) {
        self.is_ack_due = true;
        self.ack_at = Time::MAX;
    }

    /// A segment that acknowledges everything has gone out.
    #[inline]
    pub(crate) fn acknowledged(&mut self) {
        self.is_ack_due = false;
        self.ack_at = Time::MAX;
        self.waiting_bytes = 0;
        self.twice = None;
    }

    /// A new connection goes on at the same position.
    pub(crate) fn fresh_connection(&mut self) {
        let next = self.next;
        *self = Receiver::default();
        self.next = next;
    }

    /// The blocks to tell of, and how many.
    pub(crate) fn blocks(&self, blocks: &mut [(u64, u64); 3]) -> u8 {
        let ranges = &self.ranges;
        if let (Some(twice), [first, rest @ ..]) = (self.twice, &mut *blocks) {
            *first = twice;
            let count = ranges.len().min(rest.len());
            rest[..count].copy_from_slice(&ranges[..count]);
            return count as u8 + 1;
        }
        let count = ranges.len().min(blocks.len());
        blocks[..count].copy_from_slice(&ranges[..count]);
        count as u8
    }

    /// Data came in; whether any of it is new.
    pub(crate) fn on_data(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        segment: &Segment,
        is_marked: bool,
    ) -> bool {
        self.on_mark(spec.ecn, segment.flags, is_marked);
        if spec.quick_acks > 0 {
            self.be_quick(now, spec);
        }
        let end = segment.seq + u64::from(segment.bytes);
        if end <= self.next {
            self.acknowledge();
            self.came_twice(spec, segment.seq, end);
            return false;
        }
        if segment.seq > self.next {
            self.acknowledge();
            let is_new = self.insert(segment.seq, end);
            if !is_new {
                self.came_twice(spec, segment.seq, end);
            }
            return is_new;
        }
        // Of several the first, as RFC 7323 has it.
        if self.waiting_bytes == 0 {
            self.echoes_first = !segment.is_again;
        }
        self.waiting_bytes += end - self.next;
        self.next = end;
        if !self.ranges.is_empty() {
            self.join();
            self.acknowledge();
        } else if segment.flags & flags::FIN != 0 {
            self.acknowledge();
        } else {
            let is_end = segment.flags & flags::PSH != 0;
            self.delay(now, spec, clock, is_end);
        }
        true
    }

    /// After a silence the next segments are acknowledged one by one.
    fn be_quick(&mut self, now: Time, spec: &TcpSpec) {
        let (left, last) = &mut self.quick;
        let is_young = last.is_none_or(|last| now.since(last) > spec.timer.min_rto);
        *left = if is_young {
            spec.quick_acks
        } else {
            left.saturating_sub(1)
        };
        *last = Some(now);
    }

    /// This was there before.
    fn came_twice(&mut self, spec: &TcpSpec, first: u64, end: u64) {
        if spec.recovery == Recovery::Rack {
            self.twice = Some((first, end));
        }
    }

    /// Data in order came in: now, or later? `is_end` says that nothing follows it for now.
    fn delay(&mut self, now: Time, spec: &TcpSpec, clock: &HostClock, is_end: bool) {
        let is_enough = self.quick.0 > 0 || self.waiting_bytes >= 2 * u64::from(spec.mss_bytes);
        let at_once = match spec.acks {
            AckSpec::Every => true,
            AckSpec::DelayedTick(_) => is_enough,
            AckSpec::Delayed { push, .. } => is_enough || (push && is_end),
        };
        if at_once {
            self.acknowledge();
        } else if self.ack_at == Time::MAX {
            self.ack_at = match spec.acks {
                AckSpec::Every => now,
                AckSpec::DelayedTick(tick) => nth_tick(clock.fast_phase, tick, now, 1),
                AckSpec::Delayed { after, .. } => Time(now.0.saturating_add(after.0)),
            };
        }
    }

    fn on_mark(&mut self, ecn: Ecn, flags: u8, is_marked: bool) {
        match ecn {
            Ecn::Off => {}
            Ecn::Classic => {
                // CWR answers the marks before it, not one on the segment that carries it.
                self.has_echo = is_marked || (self.has_echo && flags & flags::CWR == 0);
            }
            Ecn::Dctcp { .. } => {
                if is_marked != self.has_echo && self.waiting_bytes > 0 {
                    self.early = Some((self.next, self.has_echo));
                    self.acknowledged();
                }
                self.has_echo = is_marked;
            }
        }
    }

    /// Keeps a range out of order, in front; whether any of it is new.
    fn insert(&mut self, first: u64, end: u64) -> bool {
        let (mut low, mut high) = (first, end);
        let mut is_new = true;
        self.ranges.retain(|&(f, e)| {
            let is_apart = e < first || end < f;
            if !is_apart {
                is_new &= !(f <= first && end <= e);
                (low, high) = (low.min(f), high.max(e));
            }
            is_apart
        });
        self.ranges.insert(0, (low, high));
        is_new
    }

    /// The position expected has moved: takes what is in order now.
    fn join(&mut self) {
        while let Some(i) = self.ranges.iter().position(|r| r.0 <= self.next) {
            let (_, end) = self.ranges.remove(i);
            self.waiting_bytes += end.saturating_sub(self.next);
            self.next = self.next.max(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(receiver: &Receiver) -> std::vec::Vec<(u64, u64)> {
        let mut blocks = [(0, 0); 3];
        let count = receiver.blocks(&mut blocks);
        blocks[..usize::from(count)].to_vec()
    }

    /// The end of a transfer is acknowledged at once, but for a host with the fast timer of 4.4BSD.
    #[test]
    fn what_ends_a_transfer_does_not_wait() {
        let is_due = |spec: &TcpSpec, flags: u8| {
            let mut receiver = Receiver::default();
            let segment = Segment {
                bytes: 100,
                flags,
                ..Segment::default()
            };
            let clock = HostClock::default();
            receiver.on_data(Time::ZERO, spec, &clock, &segment, false);
            assert_ne!(receiver.is_ack_due(), receiver.ack_at() < Time::MAX);
            receiver.is_ack_due()
        };
        let modern = TcpSpec::linux_3();
        assert!(!is_due(&modern, flags::ACK));
        assert!(is_due(&modern, flags::ACK | flags::PSH));
        let full = TcpSpec::bsd_full();
        assert!(!is_due(&full, flags::ACK | flags::PSH));
        assert!(is_due(&full, flags::ACK | flags::PSH | flags::FIN));
    }

    /// RFC 2018, section 4: the block that the last segment is part of comes first.
    #[test]
    fn the_most_recent_block_comes_first() {
        let spec = TcpSpec::bsd();
        let mut receiver = Receiver::default();
        let mut take = |seq: u64, bytes: u32| {
            let segment = Segment {
                seq,
                bytes,
                ..Segment::default()
            };
            let clock = HostClock::default();
            receiver.on_data(Time::ZERO, &spec, &clock, &segment, false);
            (receiver.next, blocks(&receiver))
        };
        assert_eq!(take(10, 10), (0, [(10, 20)].to_vec()));
        assert_eq!(take(30, 10), (0, [(30, 40), (10, 20)].to_vec()));
        assert_eq!(take(50, 10), (0, [(50, 60), (30, 40), (10, 20)].to_vec()));
        assert_eq!(take(20, 5), (0, [(10, 25), (50, 60), (30, 40)].to_vec()));
        // A fourth: three are told.
        assert_eq!(take(70, 5), (0, [(70, 75), (10, 25), (50, 60)].to_vec()));
        assert_eq!(take(25, 5), (0, [(10, 40), (70, 75), (50, 60)].to_vec()));
        assert_eq!(take(0, 12), (40, [(70, 75), (50, 60)].to_vec()));
        assert_eq!(take(35, 30), (65, [(70, 75)].to_vec()));
        assert_eq!(take(65, 5), (75, [].to_vec()));
    }
}
