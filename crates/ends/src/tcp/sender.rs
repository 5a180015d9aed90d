//! The sending half: positions, duplicates, fast retransmit and recovery, time-outs.
//!
//! Wright and Stevens (1995), chapters 26 and 29 (4.4BSD); RFC 5681; RFC 6582 (NewReno); RFC 6675
//! (SACK); Fall and Floyd (1996), *Simulation-based comparisons of Tahoe, Reno, and SACK TCP*.
//!
//! | Symbol | Here |
//! |---|---|
//! | snd_una, snd_nxt, snd_max | `una`, `next`, `max` |
//! | end of the send buffer | `end` |
//! | recover, RecoveryPoint | `recover` |
//! | HighRxt | `high_rxt` |
//!
//! **What goes.** Full segments while cwnd and the peer's window have room for them; the last
//! bytes handed over as they are (no Nagle). Less than a segment that is not the end waits for
//! room, unless nothing is in flight.
//!
//! **Duplicates** are acknowledgements of `una` without data and with an unchanged window,
//! while data is outstanding; with SACK, those that tell of new blocks. The `threshold`-th
//! sets ssthresh (see `control/`), sends the segment at `una` again and starts the
//! timer anew. Then:
//!
//! * Tahoe: cwnd = 1 MSS, go back to `una` (as in ns and Fall and Floyd).
//! * Reno: cwnd = ssthresh + threshold * MSS, one MSS more for each further duplicate; new data
//!   acknowledged: cwnd = ssthresh, and, as in BSD, that acknowledgement makes it grow too.
//! * NewReno: the same, until everything sent before the loss was seen is acknowledged. Less
//!   acknowledged sends the next segment again and takes what was acknowledged off cwnd, less one
//!   MSS; it starts the timer anew (the "slow but steady" variant). At the end cwnd =
//!   min(ssthresh, max(flight, MSS) + MSS). Duplicates at or below `recover` start nothing.
//! * SACK: cwnd = ssthresh; what the scoreboard calls lost goes again, then new data, while pipe
//!   leaves room. Before the threshold, blocks make room for new data (limited transmit).
//!
//! **Time-out.** ssthresh as above, cwnd = 1 MSS, `next = una` (go-back-N; ranges on the
//! scoreboard are left out), the time-out doubles. The timer starts with data when it is off,
//! anew with each acknowledgement of new data, and stops when nothing is outstanding.
//!
//! **Silence.** With [`TcpSpec::idle_restart`], data handed over when nothing is outstanding finds
//! cwnd at most the first window if, by ticks, nothing was *received* for a time-out (BSD's
//! `t_idle`) or, by a fine clock, no data was *sent* for more than one (RFC 5681).

mod by_time;
mod delivered;
mod recovery;

use alloc::boxed::Box;

use backwater_kernel::{Duration, Rate, Time};

use super::cuts::Cuts;
use super::sack::Scoreboard;
use super::timer::RoundTrip;
use super::{HostClock, Segment, TcpCounts, flags};
use crate::control::{Ack, CongestionControl, Control, Inner, Item, Loss, Next};
use crate::spec::{Ecn, Recovery, Reuse, TcpSpec};
use by_time::{ByTime, Here};
use delivered::Extras;

/// State of the sending half.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    una: u64,
    next: u64,
    max: u64,
    end: u64,
    control: CongestionControl,
    peer_window: u32,
    duplicates: u32,
    is_recovering: bool,
    /// The segment at `una` goes next, whatever the window says.
    is_due: bool,
    recover: u64,
    /// Duplicates below start no recovery.
    guard: u64,
    high_rxt: u64,
    rto_at: Time,
    /// Source control lets the next segment go then; [`Time::MAX`] if it was not asked in vain.
    slot_at: Time,
    last_heard: Time,
    last_sent: Time,
    rtt: RoundTrip,
    cuts: Cuts,
    scoreboard: Scoreboard,
    /// With losses by time.
    by_time: Option<Box<ByTime>>,
    pub(super) extras: Extras,
}

/// What a data segment turned out to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Bytes of it that were sent before.
    pub(crate) again_bytes: u64,
    /// It says CWR.
    pub(crate) has_cwr: bool,
}

impl Sender {
    /// A sender that has sent nothing.
    pub(crate) fn new(spec: &TcpSpec) -> Sender {
        let by_time = match spec.recovery {
            Recovery::Rack => Some(Box::default()),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno | Recovery::Sack => None,
        };
        let mut sender = Sender {
            una: 0,
            next: 0,
            max: 0,
            end: 0,
            control: CongestionControl::new(spec, 0),
            peer_window: spec.window_bytes,
            duplicates: 0,
            is_recovering: false,
            is_due: false,
            recover: 0,
            guard: 0,
            high_rxt: 0,
            rto_at: Time::MAX,
            slot_at: Time::MAX,
            last_heard: Time::ZERO,
            last_sent: Time::ZERO,
            rtt: RoundTrip::default(),
            cuts: Cuts::new(0),
            scoreboard: Scoreboard::default(),
            by_time,
            extras: Extras::new(spec),
        };
        match (spec.handshake_rtt, spec.reuse) {
            (Some(rtt), Reuse::Persistent | Reuse::FreshWindow) if rtt > Duration::ZERO => {
                sender.rtt.known(rtt, &spec.timer);
                sender.measured(rtt);
            }
            (Some(_), Reuse::Persistent | Reuse::FreshWindow | Reuse::Handshake) | (None, _) => {}
        }
        sender
    }

    /// A handshake measured the round trip.
    fn measured(&mut self, rtt: Duration) {
        if let Some(by) = &mut self.by_time {
            by.measured(rtt);
        }
    }

    /// Congestion window, bytes.
    pub(crate) fn window_bytes(&self) -> u64 {
        self.control.window()
    }

    /// The rate that its control allows, if it has one.
    pub(crate) fn rate(&self) -> Option<Rate> {
        self.control.pacing()
    }

    /// A number that its control keeps to itself.
    pub(crate) fn inner(&self, of: Inner) -> Option<f64> {
        self.control.inner(self.last_heard, of)
    }

    /// First position not acknowledged, next position to send.
    #[inline]
    pub(crate) fn positions(&self) -> (u64, u64) {
        (self.una, self.next)
    }

    /// When the retransmission timer runs out; [`Time::MAX`] while it is off.
    #[inline]
    pub(crate) fn time_out_at(&self) -> Time {
        self.rto_at
    }

    /// When a segment that waits may go; [`Time::MAX`] if none does.
    #[inline]
    pub(crate) fn slot_at(&self) -> Time {
        self.slot_at
    }

    /// When control that is written outside wants to be called; [`Time::MAX`]: never.
    #[inline]
    pub(crate) fn control_at(&self) -> Time {
        match &self.control {
            CongestionControl::Outside(own) => own.timer().unwrap_or(Time::MAX),
            CongestionControl::Reno(_)
            | CongestionControl::Cubic(_)
            | CongestionControl::Dctcp(_)
            | CongestionControl::DctcpCubic(_)
            | CongestionControl::Bbr(_)
            | CongestionControl::Bbr3(_) => Time::MAX,
            #[cfg(test)]
            CongestionControl::Paced(_) => Time::MAX,
        }
    }

    /// The instant that `control_at` named has come.
    pub(crate) fn on_control_timer(&mut self, now: Time) {
        self.control.on_timer(now);
    }

    /// The instant that `slot_at` named has come.
    #[inline]
    pub(crate) fn end_slot(&mut self) {
        self.slot_at = Time::MAX;
    }

    /// Does source control let the next segment go now? If not yet, `slot_at` says when.
    #[inline]
    pub(super) fn may_send(&mut self, now: Time) -> bool {
        match self.control.next(now, true) {
            Next::Now(Item::Data) => true,
            Next::At(at) => {
                self.slot_at = at;
                false
            }
            // TCP has no units of a scheme's own.
            Next::Now(Item::Control) | Next::Wait => false,
        }
    }

    /// Everything handed over has been acknowledged.
    #[inline]
    pub(crate) fn is_all_acknowledged(&self) -> bool {
        self.una == self.end
    }

    /// Is this the end of what was handed over?
    #[inline]
    pub(crate) fn is_end(&self, position: u64) -> bool {
        position == self.end
    }

    /// Everything handed over has been acknowledged: what comes is a new transfer.
    pub(crate) fn is_idle(&self) -> bool {
        self.una == self.end
    }

    /// A segment came in.
    #[inline]
    pub(crate) fn heard(&mut self, now: Time) {
        self.last_heard = now;
    }

    /// The application hands over more.
    pub(crate) fn hand_over(&mut self, bytes: u64) {
        self.end = self.end.saturating_add(bytes);
    }

    /// After a silence the window starts anew.
    pub(crate) fn restart_if_silent(&mut self, now: Time, spec: &TcpSpec, clock: &HostClock) {
        let last = match spec.timer.tick {
            Some(_) => self.last_heard,
            None => self.last_sent,
        };
        if spec.idle_restart && self.rtt.is_silent(now, &spec.timer, clock, last) {
            self.control.on_silence();
        }
    }

    /// A new transfer: window and threshold as at the start; the round-trip time stays, without
    /// its back-off.
    pub(crate) fn fresh_window(&mut self, spec: &TcpSpec) {
        self.control = CongestionControl::new(spec, self.una);
        self.cuts = Cuts::new(self.una);
        self.rtt.forget_backoff();
        self.duplicates = 0;
        self.is_recovering = false;
        self.is_due = false;
        self.guard = 0;
        if let Some(by) = &mut self.by_time {
            by.forget_repairs();
        }
    }

    /// A new connection: nothing stays. What is outstanding (a passive end whose last
    /// acknowledgement was lost) goes again.
    pub(crate) fn fresh_connection(&mut self, now: Time, spec: &TcpSpec, clock: &HostClock) {
        self.fresh_window(spec);
        self.rtt = RoundTrip::default();
        self.scoreboard.clear();
        self.extras.forget();
        self.next = self.una;
        self.high_rxt = self.una;
        self.rto_at = Time::MAX;
        if let Some(by) = &mut self.by_time {
            self.next = self.max;
            by.fresh_connection();
        }
        if self.una < self.max {
            self.arm(now, spec, clock);
        }
    }

    /// The SYN was answered; it was sent once, at `sent_at`, or again and again.
    pub(crate) fn opened(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        sent_at: Option<Time>,
    ) {
        self.rto_at = Time::MAX;
        if let Some(sent_at) = sent_at {
            self.rtt.sample(now, &spec.timer, clock, sent_at);
            self.measured(now.since(sent_at));
        }
    }

    /// Starts the retransmission timer anew.
    pub(crate) fn arm(&mut self, now: Time, spec: &TcpSpec, clock: &HostClock) {
        self.rto_at = self.rtt.deadline(now, &spec.timer, clock);
        if let Some(by) = &mut self.by_time {
            by.armed(self.rto_at);
        }
    }

    /// The SYN timed out: the connection begins with one segment.
    pub(crate) fn on_syn_time_out(&mut self, now: Time, spec: &TcpSpec, clock: &HostClock) {
        self.control.set_window(u64::from(spec.mss_bytes));
        self.rtt.back_off();
        self.arm(now, spec, clock);
    }

    /// The retransmission timer ran out.
    pub(crate) fn on_time_out(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        counts: &mut TcpCounts,
    ) {
        if let Some(mut by) = self.by_time.take() {
            self.on_alarm(&mut by, Here { now, spec, clock }, counts);
            self.by_time = Some(by);
            return;
        }
        counts.time_outs += 1;
        let is_repeated = self.rtt.is_backed_off();
        let loss = Loss::TimeOut { is_repeated };
        self.control.on_loss(now, loss, self.limit());
        self.rtt.back_off();
        self.cuts.on_cut(self.max);
        self.duplicates = 0;
        self.is_recovering = false;
        self.is_due = false;
        self.next = self.una;
        self.high_rxt = self.una;
        self.guard = match spec.recovery {
            Recovery::Tahoe | Recovery::Reno => 0,
            Recovery::NewReno => self.max + 1,
            Recovery::Sack | Recovery::Rack => self.max,
        };
        self.arm(now, spec, clock);
    }

    /// The smaller of cwnd and the peer's window.
    fn limit(&self) -> u64 {
        self.control.window().min(u64::from(self.peer_window))
    }

    /// An acknowledgement came in; bytes acknowledged for the first time.
    pub(crate) fn on_ack(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        segment: &Segment,
        counts: &mut TcpCounts,
    ) -> u64 {
        // What was never sent can't be acknowledged; old ones are of no use, but for their blocks.
        if segment.ack > self.max || (segment.ack < self.una && self.by_time.is_none()) {
            return 0;
        }
        let is_same_window = segment.window == self.peer_window;
        self.peer_window = segment.window;
        let has_echo = spec.ecn != Ecn::Off && segment.flags & flags::ECE != 0;
        if let Some(mut by) = self.by_time.take() {
            let here = Here { now, spec, clock };
            let acked = self.on_ack_by_time(&mut by, here, segment, has_echo, counts);
            self.by_time = Some(by);
            self.on_echo(now, spec, has_echo, counts);
            return acked;
        }
        let acked = segment.ack - self.una;
        let is_news = spec.recovery == Recovery::Sack
            && segment.sack_blocks > 0
            && self.scoreboard.on_blocks(segment, segment.ack, self.max);
        if acked > 0 {
            self.on_new_ack(now, spec, clock, segment.ack, has_echo);
        } else {
            let is_duplicate = match spec.recovery {
                Recovery::Sack => is_news,
                _ => segment.bytes == 0 && is_same_window && self.una < self.max,
            };
            if is_duplicate {
                self.on_duplicate(now, spec, clock, counts);
            }
        }
        if spec.ecn != Ecn::Off {
            self.on_echo(now, spec, has_echo, counts);
        }
        acked
    }

    fn on_new_ack(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        ack: u64,
        has_echo: bool,
    ) {
        let mut news = Ack {
            expected: ack,
            news_bytes: ack - self.una,
            flight_bytes: self.next.max(self.una) - self.una,
            sent_end: self.max,
            rtt_seconds: self.rtt.smoothed_seconds(&spec.timer),
            rtt: None,
            is_marked: has_echo,
            may_grow: false,
        };
        news.rtt = self.rtt.on_ack(now, &spec.timer, clock, ack);
        self.una = ack;
        self.next = self.next.max(ack);
        self.duplicates = 0;
        if !self.scoreboard.is_empty() {
            self.scoreboard.forget_below(ack);
        }
        let is_repaired = !self.is_recovering || self.on_progress(spec, news.news_bytes);
        news.may_grow = is_repaired && !has_echo;
        self.extras.acknowledge(&mut self.control, now, spec, news);
        if self.una == self.max {
            self.rto_at = Time::MAX;
        } else {
            self.arm(now, spec, clock);
        }
    }

    /// The next bytes that may go: position and length.
    #[inline]
    pub(crate) fn next_range(&self, spec: &TcpSpec) -> Option<(u64, u32)> {
        let mss = u64::from(spec.mss_bytes);
        if let Some(by) = &self.by_time {
            return self.next_by_time(by, spec);
        }
        if self.is_due {
            let stop = self.scoreboard.next_start(self.una).unwrap_or(self.max);
            return Some((self.una, (stop.min(self.max) - self.una).min(mss) as u32));
        }
        if self.is_recovering && spec.recovery == Recovery::Sack {
            return self.next_by_scoreboard(spec);
        }
        let (mut start, mut stop, mut flight) = (self.next, self.end, self.next - self.una);
        if !self.scoreboard.is_empty() {
            start = self.scoreboard.skip(start);
            stop = self.scoreboard.next_start(start).unwrap_or(stop).min(stop);
            flight = start - self.una - self.scoreboard.bytes_below(start);
        }
        if start >= stop {
            return None;
        }
        let peer_end = self.una + u64::from(self.peer_window);
        let room = self.control.window().saturating_sub(flight);
        let room = room.min(peer_end.saturating_sub(start));
        let want = mss.min(stop - start);
        if room >= want {
            return Some((start, want as u32));
        }
        (flight == 0 && room > 0).then_some((start, room as u32))
    }

    /// A segment of data goes out.
    pub(crate) fn sent(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        seq: u64,
        bytes: u32,
    ) -> Sent {
        let stop = seq + u64::from(bytes);
        let again_bytes = self.max.min(stop).saturating_sub(seq);
        let is_again = again_bytes > 0;
        self.last_sent = now;
        self.control.on_sent(now, stop == self.end);
        if let Some(mut by) = self.by_time.take() {
            self.sent_by_time(&mut by, Here { now, spec, clock }, seq, bytes);
            self.by_time = Some(by);
        } else {
            self.sent_by_count(now, spec, clock, (seq, stop), is_again);
        }
        Sent {
            again_bytes,
            has_cwr: !is_again && spec.ecn != Ecn::Off && self.cuts.take_cwr(spec.ecn, stop),
        }
    }
}

#[cfg(test)]
mod tests;
