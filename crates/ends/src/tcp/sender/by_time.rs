//! The sending half where losses go by time: RACK, its probe, PRR and undoing, as in Linux 6.
//!
//! RFC 8985, RFC 9937, RFC 2883. Each of `outstanding`, `rack`, `prr`, `probe` and `undo` answers;
//! what is done about it is done here.
//!
//! **States.** Open; in a recovery from the first segment that RACK takes for lost; after a
//! time-out until all that was sent before it is acknowledged. In the last two no further loss
//! cuts the window.
//!
//! **What goes.** A probe that is due, then what is lost, by position, then new data, while what is
//! in flight leaves room in the window. With nothing in flight one segment may always go.
//!
//! **One timer**, for whichever is next: what was overtaken is due; the probe; the time-out. The
//! probe waits in the open state without a gap, from each new acknowledgement or new data on, and
//! never longer than the time-out. The time-out starts anew when the probe has gone.
//!
//! **A control that goes by delivery** has a window of its own in a recovery: PRR leaves it alone,
//! and so does the end of the recovery, and a probe that mended a loss.
//!
//! **Time-out.** The first segment and all that is overdue by RACK is lost; cwnd is what is left
//! in flight and one segment.

mod news;

use backwater_kernel::{Duration, Time};

use super::Sender;
use crate::control::{Ack, Control, Loss};
use crate::spec::TcpSpec;
use crate::tcp::outstanding::{Losses, Outstanding, Sent};
use crate::tcp::probe::{self, Found, Probe, Said};
use crate::tcp::prr::{Delivered, Prr};
use crate::tcp::rack::Rack;
use crate::tcp::undo::{Before, Undo};
use crate::tcp::{HostClock, Segment, TcpCounts};
use news::News;

/// What such a sender keeps beside.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByTime {
    sent: Outstanding,
    rack: Rack,
    prr: Prr,
    probe: Option<Probe>,
    undo: Option<Undo>,
    alarm: Alarm,
    /// When the time-out is due, whatever the timer runs for.
    rto_due: Time,
    /// A probe goes next.
    is_probing: bool,
    /// What is lost goes next, whatever the window says.
    is_due: bool,
    /// What was sent before a time-out is not all acknowledged.
    is_timed_out: bool,
}

/// What the timer runs for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Alarm {
    /// The time-out.
    #[default]
    TimeOut,
    /// A probe.
    Probe,
    /// What was overtaken and may still come.
    Overtaken,
}

/// When, and for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here<'a> {
    pub(super) now: Time,
    pub(super) spec: &'a TcpSpec,
    pub(super) clock: &'a HostClock,
}

impl ByTime {
    /// A new transfer starts with a new window.
    pub(super) fn forget_repairs(&mut self) {
        (self.probe, self.undo) = (None, None);
        (self.is_probing, self.is_due, self.is_timed_out) = (false, false, false);
    }

    /// A new connection: what is outstanding goes again.
    pub(super) fn fresh_connection(&mut self) {
        let mut sent = core::mem::take(&mut self.sent);
        sent.lose(|_| true);
        *self = ByTime {
            sent,
            ..ByTime::default()
        };
    }

    /// The timer runs for a time-out then.
    pub(super) fn armed(&mut self, due: Time) {
        (self.alarm, self.rto_due) = (Alarm::TimeOut, due);
    }

    /// Bytes thought to be in the network.
    #[inline]
    pub(super) fn flight_bytes(&self) -> u64 {
        self.sent.flight_bytes()
    }

    /// What was taken for lost so far.
    pub(super) fn losses(&self) -> Losses {
        self.sent.losses()
    }

    /// What was sent before a time-out is not all acknowledged.
    pub(super) fn is_timed_out(&self) -> bool {
        self.is_timed_out
    }

    /// A handshake measured this.
    pub(super) fn measured(&mut self, rtt: Duration) {
        self.rack.learn(rtt);
    }
}

impl Sender {
    /// An acknowledgement came in; bytes acknowledged for the first time.
    pub(super) fn on_ack_by_time(
        &mut self,
        by: &mut ByTime,
        here: Here<'_>,
        segment: &Segment,
        has_echo: bool,
        counts: &mut TcpCounts,
    ) -> u64 {
        // An old one still tells of ranges.
        let ack = segment.ack.max(self.una);
        let acked = ack - self.una;
        let flight_before = by.sent.flight_bytes();
        let news = self.take(by, here, segment, ack);
        if let Some(at) = news.oldest {
            self.rtt.sample(here.now, &here.spec.timer, here.clock, at);
        }
        let late = news.again.filter(|_| acked > 0 && segment.echoes_first);
        if let Some(late) = late {
            by.rack.was_late(here.now, &late);
            self.take_back(by);
        }
        let twice = segment.twice();
        self.on_twice(by, twice);
        self.on_probe(
            by,
            here,
            Said {
                ack,
                twice,
                is_repeated: news.bytes == 0,
            },
        );
        if acked > 0 {
            by.is_probing = false;
            by.rto_due = self.rtt.deadline(here.now, &here.spec.timer, here.clock);
        }
        if self.una >= self.recover {
            self.end_repair(by, here.spec);
        }
        let (has_lost, overtaken) = self.find_lost(by, here, news.bytes, counts);
        if news.bytes > 0 {
            let is_progress = acked > 0 || by.rack.has_reordered();
            let report = Ack {
                expected: ack,
                news_bytes: news.bytes,
                flight_bytes: flight_before,
                sent_end: self.max,
                rtt_seconds: self.rtt.smoothed_seconds(&here.spec.timer),
                rtt: news.latest.map(|at| here.now.since(at)),
                is_marked: has_echo,
                may_grow: is_progress && !self.is_recovering && !has_echo,
            };
            self.extras
                .acknowledge(&mut self.control, here.now, here.spec, report);
        }
        self.reduce(by, here.spec, news.bytes, acked > 0 && !has_lost);
        self.set_alarm(by, here, overtaken, acked > 0);
        acked
    }

    /// Notes what has arrived.
    fn take(&mut self, by: &mut ByTime, here: Here<'_>, segment: &Segment, ack: u64) -> News {
        let mut news = News::default();
        let ByTime {
            sent, rack, probe, ..
        } = by;
        // Echoes tell sendings apart, but of what lies beyond a gap; there the probe alone is sure.
        let mut arrived = |sent: &Sent, is_doubtful: bool| {
            let is_probe = probe.is_some_and(|probe| probe.is_twice(Some(sent.end())));
            news.take(sent);
            rack.arrived(here.now, sent, is_doubtful && !is_probe);
        };
        sent.acknowledge(ack, |sent| arrived(sent, segment.echoes_first));
        let is_doubtful = here.spec.undo;
        self.una = ack;
        if !self.scoreboard.is_empty() {
            self.scoreboard.forget_below(ack);
        }
        let (mut blocks, count) = (segment.sack, usize::from(segment.sack_blocks));
        let blocks = &mut blocks[..count.min(segment.sack.len())];
        // By position: what is told together was not reordered.
        blocks.sort_unstable();
        for &(first, end) in &*blocks {
            let first = first.max(ack);
            if first >= end || end > self.max {
                continue;
            }
            let mut at = self.scoreboard.skip(first);
            while at < end {
                let stop = self
                    .scoreboard
                    .next_start(at)
                    .map_or(end, |next| next.min(end));
                sent.arrived(at, stop, |sent| arrived(sent, is_doubtful));
                at = self.scoreboard.skip(stop);
            }
            self.scoreboard.insert(first, end);
        }
        news
    }

    /// Something came twice, up to there.
    fn on_twice(&mut self, by: &mut ByTime, twice: Option<u64>) {
        let Some(end) = twice else {
            return;
        };
        if by.probe.is_some_and(|probe| probe.is_twice(twice)) {
            return;
        }
        by.rack.saw_twice(self.una, self.max);
        if by.undo.as_mut().is_some_and(|undo| undo.on_twice(end)) {
            self.take_back(by);
        }
    }

    /// Nothing was lost: the window is what it was.
    fn take_back(&mut self, by: &mut ByTime) {
        if let Some(undo) = by.undo {
            let Before { window, threshold } = undo.before();
            self.control.undo(window, threshold);
            by.forget_repairs();
            by.sent.restore();
            self.is_recovering = false;
        }
    }

    /// What became of the probe?
    fn on_probe(&mut self, by: &mut ByTime, here: Here<'_>, said: Said) {
        let fate = by.probe.map_or(Found::Nothing, |probe| probe.on_ack(said));
        match fate {
            Found::Nothing => return,
            Found::NoLoss => {}
            Found::Mended if self.is_recovering || by.is_timed_out => {}
            Found::Mended if here.spec.congestion.goes_by_delivery() => {}
            Found::Mended => {
                self.control
                    .on_loss(here.now, Loss::Duplicates, self.allowed());
                self.cuts.on_cut(self.max);
            }
        }
        by.probe = None;
    }

    /// What could be in flight: the smaller of cwnd and the peer's window.
    fn allowed(&self) -> u64 {
        self.control.window().min(self.peer_window.into())
    }

    /// All that was sent before the loss was seen is acknowledged.
    fn end_repair(&mut self, by: &mut ByTime, spec: &TcpSpec) {
        if self.is_recovering && !spec.congestion.goes_by_delivery() {
            self.control.set_window(self.control.threshold());
        }
        if self.is_recovering || by.is_timed_out {
            by.rack.on_recovered();
        }
        (self.is_recovering, by.is_timed_out, by.is_due) = (false, false, false);
    }

    /// Takes for lost what is overdue; whether anything was, and when all is due that was
    /// overtaken and may still come. So many bytes have just arrived.
    fn find_lost(
        &mut self,
        by: &mut ByTime,
        here: Here<'_>,
        news_bytes: u64,
        counts: &mut TcpCounts,
    ) -> (bool, Option<Time>) {
        let in_repair = self.is_recovering || by.is_timed_out;
        let sure = here.spec.duplicate_threshold as usize;
        let is_sure = in_repair || (sure > 0 && by.sent.beyond() >= sure);
        let rack = by.rack;
        let window = rack.window(self.rtt.smoothed(&here.spec.timer), is_sure);
        let (has_lost, rest) = by
            .sent
            .lose(|sent| rack.is_overtaken(sent) && rack.due_at(sent, window) <= here.now);
        if has_lost && !in_repair {
            counts.fast_retransmits += 1;
            self.begin_repair(by, here, news_bytes);
        }
        let overtaken = rest.filter(|sent| rack.is_overtaken(sent));
        (has_lost, overtaken.map(|_| rack.last_due(window)))
    }

    /// A recovery begins.
    fn begin_repair(&mut self, by: &mut ByTime, here: Here<'_>, news_bytes: u64) {
        self.may_undo(by, here.spec);
        by.prr = Prr::new(by.sent.flight_bytes() + by.sent.lost_bytes() + news_bytes);
        by.is_due = true;
        by.probe = None;
        self.control
            .on_loss(here.now, Loss::Duplicates, self.allowed());
        self.cuts.on_cut(self.max);
        (self.is_recovering, self.recover) = (true, self.max);
        by.rto_due = self.rtt.deadline(here.now, &here.spec.timer, here.clock);
    }

    /// The window is about to shrink for a loss that may not be one.
    fn may_undo(&self, by: &mut ByTime, spec: &TcpSpec) {
        let before = Before {
            window: self.control.window(),
            threshold: self.control.threshold(),
        };
        by.undo = spec.undo.then(|| Undo::new(before, self.una));
    }

    /// In a recovery the window follows what arrives.
    fn reduce(&mut self, by: &mut ByTime, spec: &TcpSpec, news_bytes: u64, is_safe: bool) {
        let is_reduced = spec.is_proportional && !spec.congestion.goes_by_delivery();
        if !self.is_recovering || !is_reduced || (news_bytes == 0 && !by.is_due) {
            return;
        }
        let window = by.prr.on_ack(
            self.control.threshold(),
            spec.mss_bytes.into(),
            Delivered {
                bytes: news_bytes,
                in_flight: by.sent.flight_bytes(),
                is_safe,
            },
        );
        self.control.set_window(window);
    }

    /// Sets the timer for what is next. `is_new`: data was acknowledged or has gone out.
    fn set_alarm(
        &mut self,
        by: &mut ByTime,
        here: Here<'_>,
        overtaken: Option<Time>,
        is_new: bool,
    ) {
        if self.una == self.max {
            // It may run for a SYN.
            if is_new {
                (by.alarm, self.rto_at) = (Alarm::TimeOut, Time::MAX);
            }
            return;
        }
        if let Some(at) = overtaken {
            (by.alarm, self.rto_at) = (Alarm::Overtaken, at.min(by.rto_due));
            return;
        }
        let is_open = !self.is_recovering && !by.is_timed_out && self.scoreboard.is_empty();
        if !here.spec.tail_probe || !is_open || by.probe.is_some() || by.is_probing {
            (by.alarm, self.rto_at) = (Alarm::TimeOut, by.rto_due);
        } else if is_new || by.alarm != Alarm::Probe {
            let wait = self.probe_wait(by, here.spec);
            (by.alarm, self.rto_at) = (Alarm::Probe, (here.now + wait).min(by.rto_due));
        }
    }

    /// How long the probe waits.
    fn probe_wait(&self, by: &ByTime, spec: &TcpSpec) -> Duration {
        match self.rtt.smoothed(&spec.timer) {
            Duration::ZERO => spec.timer.initial_rto,
            srtt => probe::wait(srtt, by.sent.count(), spec.timer.min_rto),
        }
    }

    /// The timer ran out.
    pub(super) fn on_alarm(&mut self, by: &mut ByTime, here: Here<'_>, counts: &mut TcpCounts) {
        match by.alarm {
            Alarm::Probe => {
                by.is_probing = true;
                by.rto_due = self.rtt.deadline(here.now, &here.spec.timer, here.clock);
                self.set_alarm(by, here, None, false);
            }
            Alarm::Overtaken if here.now < by.rto_due => {
                let (_, overtaken) = self.find_lost(by, here, 0, counts);
                self.reduce(by, here.spec, 0, false);
                self.set_alarm(by, here, overtaken, false);
            }
            Alarm::Overtaken | Alarm::TimeOut => {
                counts.time_outs += 1;
                self.on_time_out_by_time(by, here);
            }
        }
    }

    fn on_time_out_by_time(&mut self, by: &mut ByTime, here: Here<'_>) {
        let is_repeated = self.is_recovering || (by.is_timed_out && self.rtt.is_backed_off());
        if !is_repeated {
            self.may_undo(by, here.spec);
        }
        self.control
            .on_loss(here.now, Loss::TimeOut { is_repeated }, self.allowed());
        self.rtt.back_off();
        self.cuts.on_cut(self.max);
        by.sent.lose_first();
        let rack = by.rack;
        let window = rack.window(self.rtt.smoothed(&here.spec.timer), true);
        by.sent.lose(|sent| rack.due_at(sent, window) <= here.now);
        (by.probe, by.is_probing) = (None, false);
        (self.is_recovering, by.is_timed_out, self.recover) = (false, true, self.max);
        let mss = u64::from(here.spec.mss_bytes);
        self.control.set_window(by.sent.flight_bytes() + mss);
        by.rto_due = self.rtt.deadline(here.now, &here.spec.timer, here.clock);
        self.set_alarm(by, here, None, true);
    }

    /// The next bytes that may go.
    #[inline]
    pub(super) fn next_by_time(&self, by: &ByTime, spec: &TcpSpec) -> Option<(u64, u32)> {
        let mss = u64::from(spec.mss_bytes);
        let flight = by.sent.flight_bytes();
        let room = self.control.window().saturating_sub(flight);
        let range = |sent: &Sent| (sent.start, sent.bytes);
        let peer_room = (self.una + u64::from(self.peer_window)).saturating_sub(self.max);
        let want = mss.min(self.end - self.max);
        if by.is_probing {
            let is_new = want > 0 && want <= peer_room;
            let new = is_new.then_some((self.max, want as u32));
            return new.or_else(|| by.sent.last().map(range));
        }
        if let Some(lost) = by.sent.next_lost() {
            let may_go = by.is_due || flight == 0 || u64::from(lost.bytes) <= room;
            return may_go.then(|| range(lost));
        }
        let room = room.min(peer_room);
        if want > 0 && want <= room {
            return Some((self.max, want as u32));
        }
        (want > 0 && flight == 0 && room > 0 && self.una == self.max)
            .then_some((self.max, room as u32))
    }

    /// A segment of data goes out.
    pub(super) fn sent_by_time(&mut self, by: &mut ByTime, here: Here<'_>, seq: u64, bytes: u32) {
        let is_again = seq < self.max;
        if is_again {
            by.sent.again(here.now, seq, by.rack.rtt());
        } else {
            self.max = seq + u64::from(bytes);
            // What stays together is lost segment by segment.
            let mut at = seq;
            while at < self.max {
                let part = u64::from(here.spec.mss_bytes).min(self.max - at);
                by.sent.push(here.now, at, part as u32);
                at += part;
            }
            self.next = self.max;
        }
        if self.is_recovering {
            by.prr.went(bytes);
        }
        by.is_due = false;
        if by.is_probing {
            by.is_probing = false;
            by.probe = Some(Probe::new(self.max, is_again));
        } else if let Some(undo) = by.undo.as_mut().filter(|_| is_again) {
            undo.sent_again();
        }
        if self.rto_at == Time::MAX {
            by.rto_due = self.rtt.deadline(here.now, &here.spec.timer, here.clock);
        }
        if self.rto_at == Time::MAX || (!is_again && by.alarm == Alarm::Probe) {
            self.set_alarm(by, here, None, true);
        }
    }
}
