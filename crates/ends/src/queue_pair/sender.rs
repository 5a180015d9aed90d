//! The sending half: what goes next and when, what goes again, the rate.

mod repair;

use alloc::collections::VecDeque;

use backwater_kernel::{Duration, Rate, Survey, Time};

use super::messages::Messages;
use super::{PacketKind, RocePacket};
use crate::control::hooks::{Ack, Control, Next, Signal, Telemetry};
use crate::control::{AtOnce, RateControl};
use crate::spec::{PairRecovery, RoceSpec};
use crate::tcp::Scoreboard;

/// A packet that waits in the port.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    end: u64,
    wire_bytes: u32,
}

/// A packet that has started, and is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Started {
    end: u64,
    at: Time,
    /// Not for the first time: an acknowledgement may be for the first.
    is_again: bool,
}

/// State of the sending half.
pub(super) struct Sender {
    /// Who computes the rate.
    pub control: RateControl,
    /// Rate of the port.
    pub line: Rate,
    /// It last did or heard something then: what control keeps is shown as of that, so that it
    /// hangs on nothing else that happens.
    pub touched: Time,
    /// Bytes on the wire beside the payload.
    around_bytes: u32,
    messages: Messages,
    /// First position not acknowledged.
    una: u64,
    /// Next position to send; behind `max` where it has gone back.
    next: u64,
    /// The position after all that was ever sent.
    max: u64,
    in_port: Option<Waiting>,
    /// Start and bytes of the packet before.
    last: (Time, u32),
    /// The next packet may not go before.
    ready_at: Time,
    /// Where only that keeps it back.
    wakes_at: Time,
    time_out_at: Time,
    started: VecDeque<Started>,
    /// Selective repeat: what has arrived beyond `una`,
    arrived: Scoreboard,
    /// up to where holes are looked for.
    repair_to: u64,
    /// Next hole.
    hole: u64,
    /// Selective repeat: packets that were trimmed and go again, first to last,
    trimmed: VecDeque<u64>,
    /// and what of all those beyond `una` the receiver was said to lack: no hole to be found.
    told: Scoreboard,
}

impl Sender {
    pub fn new(spec: &RoceSpec, around_bytes: u32) -> Sender {
        Sender {
            control: RateControl::new(&spec.control, spec.line),
            line: spec.line,
            touched: Time::ZERO,
            around_bytes,
            messages: Messages::default(),
            una: 0,
            next: 0,
            max: 0,
            in_port: None,
            last: (Time::ZERO, 0),
            ready_at: Time::ZERO,
            wakes_at: Time::MAX,
            time_out_at: Time::MAX,
            started: VecDeque::new(),
            arrived: Scoreboard::default(),
            repair_to: 0,
            hole: 0,
            trimmed: VecDeque::new(),
            told: Scoreboard::default(),
        }
    }

    /// All that it keeps, for a run that repeats itself.
    pub fn survey_sender(&mut self, survey: &mut Survey, spec: &RoceSpec) {
        let Sender {
            control,
            line: _,
            touched,
            around_bytes: _,
            messages,
            una,
            next,
            max,
            in_port,
            last,
            ready_at,
            wakes_at,
            time_out_at,
            started,
            arrived,
            repair_to,
            hole,
            trimmed,
            told,
        } = self;
        match control {
            RateControl::None(AtOnce) => survey.noted(&mut last.0),
            RateControl::Dcqcn(_) => survey.rule_out("DCQCN"),
            RateControl::Hpcc(_) => survey.rule_out("HPCC"),
            RateControl::Timely(_) => survey.rule_out("TIMELY"),
            RateControl::Swift(_) => survey.rule_out("Swift"),
            RateControl::Nscc(_) => survey.rule_out("NSCC"),
            RateControl::Rocc(_) => survey.rule_out("RoCC"),
            RateControl::Outside(_) => survey.rule_out("control that is written outside"),
        }
        survey.noted(touched);
        messages.survey_handed(survey, spec.message_bytes);
        survey.position(una);
        survey.position(next);
        survey.position(max);
        survey.flag(in_port.is_some());
        if let Some(Waiting { end, wire_bytes }) = in_port {
            survey.position(end);
            survey.fixed(u64::from(*wire_bytes));
        }
        survey.ahead(ready_at);
        survey.ahead(wakes_at);
        survey.instant(time_out_at);
        survey.fixed(started.len() as u64);
        for Started { end, at, is_again } in started {
            survey.position(end);
            survey.instant(at);
            survey.flag(*is_again);
        }
        arrived.survey_scoreboard(survey);
        survey.position_ahead(repair_to);
        survey.position_ahead(hole);
        survey.fixed(trimmed.len() as u64);
        trimmed.iter_mut().for_each(|at| survey.position(at));
        told.survey_scoreboard(survey);
    }

    /// The application hands over a message.
    pub fn hand_over(&mut self, bytes: u64) {
        if bytes > 0 {
            self.messages.hand_over(bytes);
        }
    }

    /// Everything handed over was acknowledged.
    pub fn is_all_acknowledged(&self) -> bool {
        self.una == self.messages.end()
    }

    /// First position not acknowledged, and next to send.
    pub fn positions(&self) -> (u64, u64) {
        (self.una, self.next)
    }

    /// Where the packet that goes next begins, if there is one and the windows allow it.
    fn candidate(&self, spec: &RoceSpec) -> Option<u64> {
        let flight = self.next - self.una - self.arrived.bytes_below(self.next);
        let flight = flight.saturating_sub(self.waiting(spec));
        let window = spec.window_bytes.min(self.control.window());
        let is_open = flight == 0 || flight < window;
        // In any order what was trimmed waits for the window as all data does.
        let may_repeat = is_open || spec.recovery != PairRecovery::AnyOrder;
        if let Some(first) = self.trimmed.front().filter(|_| may_repeat) {
            return Some(*first);
        }
        let hole = self.next_hole(self.hole.max(self.una));
        if hole < self.repair_to && hole < self.next {
            return Some(hole);
        }
        // What has arrived does not go again.
        let at = self.arrived.skip(self.next);
        (is_open && at < self.messages.end()).then_some(at)
    }

    /// The next packet that may go to the port now.
    pub fn next_packet(&mut self, now: Time, spec: &RoceSpec) -> Option<RocePacket> {
        self.wakes_at = Time::MAX;
        if self.in_port.is_some() {
            return None;
        }
        let at = self.candidate(spec)?;
        let ready_at = match now < self.ready_at {
            true => self.ready_at,
            false => match self.control.next(now, true) {
                Next::Now(_) => now,
                Next::At(later) => later,
                Next::Wait => return None,
            },
        };
        if now < ready_at {
            self.wakes_at = ready_at;
            return None;
        }
        let (bytes, is_last) = self.messages.packet(at, spec.mtu_bytes, spec.message_bytes);
        let end = at + u64::from(bytes);
        let is_again = end <= self.max;
        if self.trimmed.front() == Some(&at) {
            self.trimmed.pop_front();
        } else if at < self.next {
            self.hole = end;
        } else {
            self.next = end;
        }
        self.max = self.max.max(end);
        self.in_port = Some(Waiting {
            end,
            wire_bytes: bytes + self.around_bytes,
        });
        Some(RocePacket {
            kind: PacketKind::Data,
            seq: at,
            other: 0,
            bytes,
            flag: is_last,
            is_again,
            has_telemetry: spec.has_telemetry,
            is_trimmed: false,
        })
    }

    /// The packet that waited in the port starts now.
    #[inline]
    pub fn on_start(&mut self, now: Time, spec: &RoceSpec) {
        let Some(packet) = self.in_port.take() else {
            return;
        };
        let started = Started {
            end: packet.end,
            at: now,
            is_again: false,
        };
        match self.started.back() {
            Some(last) if last.end >= packet.end => self.start_again(started),
            _ => self.started.push_back(started),
        }
        self.settle(now);
        self.touched = now;
        self.control.on_packet(now, packet.wire_bytes);
        self.last = (now, packet.wire_bytes);
        self.ready_at = now + self.gap();
        if self.time_out_at == Time::MAX {
            self.time_out_at = now + spec.timeout;
        }
    }

    /// One that had started before.
    fn start_again(&mut self, started: Started) {
        let place = self.started.partition_point(|it| it.end < started.end);
        match self.started.get_mut(place) {
            Some(known) if known.end == started.end => {
                known.at = started.at;
                known.is_again = true;
            }
            _ => self.started.insert(place, started),
        }
    }

    /// From the start of the last packet to that of the next, at the rate of now.
    fn gap(&self) -> Duration {
        match self.control.pacing() {
            None => Duration::ZERO,
            Some(rate) => rate.serialization(self.last.1.into()),
        }
    }

    /// The rate may have changed.
    fn rescale(&mut self) {
        if self.control.rescales() {
            self.ready_at = self.last.0 + self.gap();
        }
    }

    /// A signal of the network came.
    pub fn on_signal(&mut self, now: Time, signal: &Signal) {
        self.settle_before(now);
        self.touched = now;
        self.control.on_control(now, signal);
        self.rescale();
    }

    /// An acknowledgement came, with what switches wrote on the way of the packet it is for. Bytes
    /// acknowledged for the first time.
    pub fn on_ack(
        &mut self,
        now: Time,
        spec: &RoceSpec,
        packet: &RocePacket,
        path: &[Telemetry],
    ) -> u64 {
        self.settle_before(now);
        self.touched = now;
        let flight_bytes = self.flight(spec);
        let in_order_bytes = packet.seq.saturating_sub(self.una);
        let rtt = self.round_trip(now, spec, packet);
        let news_bytes = match spec.recovery {
            PairRecovery::GoBackN | PairRecovery::Selective => in_order_bytes,
            PairRecovery::AnyOrder => self.take_in(packet),
        };
        if in_order_bytes > 0 {
            self.una = packet.seq;
            self.next = self.next.max(self.una);
            self.messages.forget_below(self.una);
            self.arrived.forget_below(self.una);
            self.told.forget_below(self.una);
            self.trimmed.retain(|at| *at >= packet.seq);
            self.time_out_at = match self.una < self.max {
                true => now + spec.timeout,
                false => Time::MAX,
            };
        }
        let ack = Ack {
            expected: packet.seq,
            news_bytes,
            flight_bytes,
            sent_end: self.next,
            rtt,
            is_marked: packet.flag,
            may_grow: true,
            ..Ack::default()
        };
        match path {
            // Only a header came: that is a loss, and nothing else.
            _ if packet.kind == PacketKind::Trimmed
                && spec.recovery == PairRecovery::AnyOrder
                && news_bytes == 0 => {}
            [] => self.control.on_ack(now, &ack),
            path => self.control.on_telemetry(now, &ack, path),
        }
        self.rescale();
        in_order_bytes
    }

    /// Bytes in flight, as control is told: of an order that is kept, all that is not acknowledged
    /// in order.
    pub fn flight(&self, spec: &RoceSpec) -> u64 {
        let unacknowledged = self.next - self.una;
        match spec.recovery {
            PairRecovery::GoBackN | PairRecovery::Selective => unacknowledged,
            PairRecovery::AnyOrder => {
                let arrived = self.arrived.bytes_below(self.next);
                (unacknowledged - arrived).saturating_sub(self.waiting(spec))
            }
        }
    }

    /// Any order: bytes of what was trimmed and has not gone again, of full packets.
    fn waiting(&self, spec: &RoceSpec) -> u64 {
        match spec.recovery {
            PairRecovery::GoBackN | PairRecovery::Selective => 0,
            PairRecovery::AnyOrder => self.trimmed.len() as u64 * u64::from(spec.mtu_bytes),
        }
    }

    /// When it wants to be called. Most control need not be told of its timers as they pass: see
    /// [`Sender::settle`].
    #[inline]
    pub fn timer(&self) -> Time {
        let at = self.time_out_at.min(self.wakes_at);
        match self.control.is_prompt() {
            true => at.min(self.control.timer().unwrap_or(Time::MAX)),
            false => at,
        }
    }

    /// Does what the timers of control have asked for by then, each at its own instant.
    #[inline]
    pub fn settle(&mut self, by: Time) {
        if self.control.timer().is_some_and(|at| at <= by) {
            self.control.on_timer(by);
            self.rescale();
        }
    }

    /// The same, for what goes before timers at one instant.
    #[inline]
    fn settle_before(&mut self, now: Time) {
        if let Some(before) = now.ps().checked_sub(1) {
            self.settle(Time(before));
        }
    }
}
