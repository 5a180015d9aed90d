//! A connection over frames, of TCP or of queue pairs: both ends, and what uses it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{DelayOutcome, Survey, Time};

use super::messages::{Messages, Round};
use super::tally::{EndsSum, Tally};
use super::transfers::{End, Milestone, News, Transfers};
use super::{NEVER_PS, Outgoing, Payload};
use crate::control::Telemetry;
use crate::outcome::EndsOutcome;
use crate::spec::bytes::TrafficSpec;
use crate::spec::messages::Happened;
use crate::tcp::{Received, TcpCounts};
use crate::{Endpoint, Segment, TcpSpec};

/// How a packet came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Came<'a> {
    /// Marked by a switch.
    pub is_marked: bool,
    /// What switches wrote on it, or on the packet that it acknowledges.
    pub path: &'a [Telemetry],
}

/// Which way a packet came, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    /// From the flow's source to its destination, or back.
    pub is_forward: bool,
    /// The warm-up is over.
    pub is_measured: bool,
    /// How.
    pub came: Came<'a>,
}

/// One end of a connection, whatever the protocol.
pub(crate) trait Transport {
    /// What it is told to do.
    type Spec;
    /// What it exchanges with the other end.
    type Packet;

    /// The application hands over so many bytes.
    fn send(&mut self, now: Time, spec: &Self::Spec, bytes: u64);

    /// What may go to the port now, and in which class if not the flow's; called until `None`.
    fn poll(&mut self, now: Time, spec: &Self::Spec) -> Option<(Payload, Option<u8>)>;

    /// A packet came in.
    fn on_packet(
        &mut self,
        now: Time,
        spec: &Self::Spec,
        packet: &Self::Packet,
        came: Came<'_>,
    ) -> Received;

    /// When [`Transport::on_timer`] wants to be called.
    fn timer(&self) -> Option<Time>;

    /// That instant has come.
    fn on_timer(&mut self, now: Time, spec: &Self::Spec);

    /// Counts so far.
    fn counts(&self) -> TcpCounts;

    /// Bytes that may be in flight.
    fn window_bytes(&self) -> u64;

    /// First position not acknowledged, next position to send, next position expected.
    fn positions(&self) -> (u64, u64, u64);

    /// All that it keeps, for a run that repeats itself: what it sends counts from the base of the
    /// survey, what it receives from the other one.
    fn survey_end(&mut self, survey: &mut Survey, spec: &Self::Spec, other: (u64, u64));
}

impl Transport for Endpoint {
    type Spec = TcpSpec;
    type Packet = Segment;

    #[inline]
    fn send(&mut self, now: Time, spec: &TcpSpec, bytes: u64) {
        Endpoint::send(self, now, spec, bytes);
    }

    #[inline]
    fn poll(&mut self, now: Time, spec: &TcpSpec) -> Option<(Payload, Option<u8>)> {
        let segment = Endpoint::poll(self, now, spec)?;
        Some((Payload::Tcp(segment), None))
    }

    #[inline]
    fn on_packet(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        packet: &Segment,
        came: Came<'_>,
    ) -> Received {
        self.on_segment(now, spec, packet, came.is_marked)
    }

    #[inline]
    fn timer(&self) -> Option<Time> {
        Endpoint::timer(self)
    }

    fn on_timer(&mut self, now: Time, spec: &TcpSpec) {
        Endpoint::on_timer(self, now, spec);
    }

    fn counts(&self) -> TcpCounts {
        Endpoint::counts(self)
    }

    fn window_bytes(&self) -> u64 {
        Endpoint::window_bytes(self)
    }

    fn positions(&self) -> (u64, u64, u64) {
        Endpoint::positions(self)
    }

    fn survey_end(&mut self, survey: &mut Survey, _: &TcpSpec, _: (u64, u64)) {
        survey.rule_out("TCP");
    }
}

/// Both ends and what they are used for.
pub(crate) struct Connection<E> {
    /// Which of the flavours of its protocol.
    pub flavour: u32,
    flow: u32,
    /// The opener's, which is at the flow's source, first.
    pub ends: [E; 2],
    transfers: Transfers,
    /// What it is used for instead, where messages wait for others.
    pub messages: Option<Box<Messages>>,
    /// What of theirs has happened and nobody was told.
    pub happened: Vec<Happened>,
    /// Counters.
    pub tally: Tally,
    /// Both ends' counts at the end of the warm-up.
    before: TcpCounts,
}

impl<E: Transport> Connection<E> {
    /// A connection on which nothing was sent.
    pub fn new(
        seed: u64,
        flow: u32,
        traffic: &TrafficSpec,
        flavour: u32,
        ends: [E; 2],
        tally: Tally,
    ) -> Connection<E> {
        Connection {
            flavour,
            flow,
            ends,
            transfers: Transfers::of(traffic, seed, flow),
            messages: (traffic.messages())
                .map(|spec| Box::new(Messages::new(flow, spec, |bytes| bytes))),
            happened: Vec::new(),
            tally,
            before: TcpCounts::default(),
        }
    }

    /// Earliest of the application and the protocol at an end, ps.
    #[inline]
    pub fn next_timer_ps(&self, end: End) -> u64 {
        let due = |timer: Option<Time>| timer.map_or(NEVER_PS, Time::ps);
        let wakes_at = self.transfers.wakes_at;
        let application = wakes_at.filter(|_| self.transfers.waiting_end() == end);
        let begins = match (&self.messages, end) {
            (Some(messages), End::Opener) => messages.wakes_at(),
            _ => None,
        };
        due(application.or(begins)).min(due(self.ends[end as usize].timer()))
    }

    /// Does what is due at an end: the application, then the protocol.
    pub fn on_timer(&mut self, now: Time, spec: &E::Spec, end: End, out: &mut Vec<Outgoing>) {
        if self.transfers.waiting_end() == end && self.transfers.is_due(now) {
            self.wake(now, spec, out);
        }
        if end == End::Opener {
            self.begin(now, spec, out);
        }
        let endpoint = &mut self.ends[end as usize];
        if endpoint.timer().is_some_and(|due| due <= now) {
            endpoint.on_timer(now, spec);
            self.send(now, spec, end, out);
        }
    }

    /// Only one end, or none, is simulated here.
    pub fn keep(&mut self, opener: bool) {
        self.transfers.keep(opener);
        if let Some(messages) = &mut self.messages
            && !opener
        {
            messages.leave_source();
        }
    }

    /// What an end did that the other has to know, if it is simulated elsewhere.
    pub fn take_news(&mut self) -> Option<News> {
        match &mut self.messages {
            Some(messages) => messages.take_news().map(News::Asked),
            None => self.transfers.take_news(),
        }
    }

    /// Hears of it.
    pub fn hear(&mut self, news: News) {
        match (&mut self.messages, news) {
            (Some(messages), News::Asked(at)) => messages.hear(at),
            _ => self.transfers.hear(news),
        }
    }

    /// A packet reached its end. Returns the bytes its application got in order by it.
    pub fn take_packet(
        &mut self,
        now: Time,
        spec: &E::Spec,
        packet: &E::Packet,
        arrival: Arrival<'_>,
        out: &mut Vec<Outgoing>,
    ) -> u64 {
        let end = match arrival.is_forward {
            true => End::Answerer,
            false => End::Opener,
        };
        let received = self.ends[end as usize].on_packet(now, spec, packet, arrival.came);
        if arrival.is_measured {
            let counter = if arrival.is_forward {
                &mut self.tally.goodput_bytes
            } else {
                &mut self.tally.returned_bytes
            };
            *counter += received.delivered_bytes;
        }
        let was_waiting = self.transfers.wakes_at.is_some();
        self.progress(now, end, received, arrival.is_measured);
        self.send(now, spec, end, out);
        if !was_waiting && self.transfers.is_due(now) {
            // No time to think or to serve.
            self.wake(now, spec, out);
        }
        received.delivered_bytes
    }

    /// All that both ends keep, for a run that repeats itself. From where positions of each way
    /// count, and by how much those move.
    pub fn survey_connection(
        &mut self,
        survey: &mut Survey,
        spec: &E::Spec,
        (round, lead): (Round, &mut Option<u64>),
    ) -> [(u64, u64); 2] {
        let Connection {
            flavour: _,
            flow: _,
            ends,
            transfers,
            messages,
            happened,
            tally,
            before: _,
        } = self;
        let ways = [ends[0].positions().0, ends[1].positions().0].map(|base| {
            survey.count_from(base);
            survey.frame_of_reference()
        });
        for (own, other) in [(0, 1), (1, 0)] {
            survey.refer_to(ways[own]);
            ends[own].survey_end(survey, spec, ways[other]);
        }
        survey.refer_to(ways[0]);
        survey.flag(happened.is_empty());
        transfers.survey_transfers(survey, messages.is_some());
        if let Some(messages) = messages {
            messages.survey_messages(survey, round, lead);
        }
        tally.survey_tally(survey);
        ways
    }

    /// Remembers the counts of the warm-up.
    pub fn start_measuring(&mut self) {
        self.before = self.counts();
    }

    /// Frames delivered, and what those to the destination took.
    pub fn delivered(&self) -> (u64, DelayOutcome) {
        self.tally.delivered()
    }

    /// The last acknowledgement of its transfer, of which it has one, is missing.
    pub const fn is_unacknowledged(&self) -> bool {
        self.transfers.is_unacknowledged || self.tally.is_unfinished()
    }

    /// Counts what they did among others.
    pub fn sum_up(&self, into: &mut EndsSum) {
        let tcp = combine(self.counts(), self.before, |all, before| all - before);
        into.add(
            &self.tally,
            self.transfers.planned().unwrap_or(0),
            Some(tcp),
        );
    }

    /// What both ends saw.
    pub fn outcome(&self) -> EndsOutcome {
        let mut into = self.tally.outcome();
        into.transfers_planned = self.transfers.planned();
        into.are_acknowledged = self.transfers.are_files();
        into.unacknowledged_total = self.transfers.is_unacknowledged.into();
        let [source, _] = &self.ends;
        if self.transfers.is_endless() {
            let counts = source.counts();
            into.offered_bytes_total = counts.sent_bytes - counts.again_bytes;
        }
        if let Some(messages) = &self.messages {
            into.transfers_planned = Some(messages.planned());
            into.are_acknowledged = false;
            into.messages = Some(Box::new(messages.outcome()));
        }
        into.tcp = combine(self.counts(), self.before, |all, before| all - before);
        into
    }

    /// Congestion window of the source's end.
    pub fn window_bytes(&self) -> u64 {
        self.ends[End::Opener as usize].window_bytes()
    }

    /// Of both ends.
    pub fn positions(&self) -> [(u64, u64, u64); 2] {
        let [source, destination] = &self.ends;
        [source.positions(), destination.positions()]
    }

    /// A think or service time is over.
    fn wake(&mut self, now: Time, spec: &E::Spec, out: &mut Vec<Outgoing>) {
        let (end, bytes) = self.transfers.wake(now);
        if end == End::Opener && !self.transfers.is_endless() {
            self.tally.begin(now, 1);
        }
        self.tally.offered_bytes = self.tally.offered_bytes.saturating_add(bytes);
        self.ends[end as usize].send(now, spec, bytes);
        self.send(now, spec, end, out);
    }

    /// The next message begins, if it is due; or the source has computed.
    fn begin(&mut self, now: Time, spec: &E::Spec, out: &mut Vec<Outgoing>) {
        let Some(messages) = &mut self.messages else {
            return;
        };
        while let Some(happened) = messages.on_computed(now) {
            self.happened.push(happened);
        }
        if let Some(bytes) = messages.begin(now) {
            self.tally.begin(now, 1);
            self.tally.offered_bytes = self.tally.offered_bytes.saturating_add(bytes);
            self.ends[End::Opener as usize].send(now, spec, bytes);
            self.send(now, spec, End::Opener, out);
        }
    }

    /// What came to the destination may end messages.
    fn take_messages(&mut self, now: Time, bytes: u64, is_measured: bool) {
        let Some(messages) = &mut self.messages else {
            return;
        };
        messages.take(bytes);
        while let Some((happened, began)) = messages.on_received(now) {
            self.tally.count_transfer(now, began, is_measured);
            self.happened.push(happened);
        }
    }

    /// What a packet that came to `end` means to the applications.
    fn progress(&mut self, now: Time, end: End, received: Received, is_measured: bool) {
        if self.messages.is_some() && end == End::Answerer {
            return self.take_messages(now, received.delivered_bytes, is_measured);
        }
        match self.transfers.on_received(now, end, &received) {
            None => {}
            Some(Milestone::FileIn(began) | Milestone::Answered(began)) => {
                self.tally.count_transfer(now, began, is_measured);
            }
            Some(Milestone::FileAcknowledged(began)) if is_measured => {
                self.tally.count_acknowledged(now, began);
            }
            Some(Milestone::FileAcknowledged(_)) => {}
        }
    }

    /// Hands what an end may send now to its port.
    pub fn send(&mut self, now: Time, spec: &E::Spec, end: End, out: &mut Vec<Outgoing>) {
        while let Some((payload, class)) = self.ends[end as usize].poll(now, spec) {
            out.push(Outgoing {
                flow: self.flow,
                is_forward: end == End::Opener,
                class,
                payload,
            });
        }
        if let Some(messages) = &mut self.messages
            && end == End::Opener
        {
            let (_, next, _) = self.ends[end as usize].positions();
            while let Some(happened) = messages.on_sent(now, next) {
                self.happened.push(happened);
            }
        }
    }

    /// Of both ends together.
    fn counts(&self) -> TcpCounts {
        let [source, destination] = &self.ends;
        source.counts().plus(destination.counts())
    }
}

impl TcpCounts {
    /// Those of two ends, or of two observers, together.
    pub fn plus(self, other: TcpCounts) -> TcpCounts {
        combine(self, other, |a, b| a + b)
    }
}

impl TcpCounts {
    /// For a run that repeats itself.
    pub(crate) fn survey_counts(&mut self, survey: &mut Survey) {
        let TcpCounts {
            segments,
            sent_bytes,
            again_bytes,
            time_outs,
            fast_retransmits,
            duplicates,
            ecn_cuts,
            notifications,
            out_of_order,
            held_most_bytes,
        } = self;
        survey.fixed(*held_most_bytes);
        for count in [
            segments,
            sent_bytes,
            again_bytes,
            time_outs,
            fast_retransmits,
            duplicates,
            ecn_cuts,
            notifications,
            out_of_order,
        ] {
            survey.adds(count);
        }
    }
}

/// Counter by counter; of what is a most, the larger.
fn combine(a: TcpCounts, b: TcpCounts, of: fn(u64, u64) -> u64) -> TcpCounts {
    TcpCounts {
        segments: of(a.segments, b.segments),
        sent_bytes: of(a.sent_bytes, b.sent_bytes),
        again_bytes: of(a.again_bytes, b.again_bytes),
        time_outs: of(a.time_outs, b.time_outs),
        fast_retransmits: of(a.fast_retransmits, b.fast_retransmits),
        duplicates: of(a.duplicates, b.duplicates),
        ecn_cuts: of(a.ecn_cuts, b.ecn_cuts),
        notifications: of(a.notifications, b.notifications),
        out_of_order: of(a.out_of_order, b.out_of_order),
        held_most_bytes: a.held_most_bytes.max(b.held_most_bytes),
    }
}

#[cfg(test)]
mod tests;
