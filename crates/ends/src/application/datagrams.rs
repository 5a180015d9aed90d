//! Datagrams one way: when a flow over UDP sends, and what its destination counts.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::stream::Purpose;
use backwater_kernel::{DelayOutcome, Delays, Duration, Stream, Time};

use super::gaps::{Gaps, Pace};
use super::offering::Offering;
use super::tally::{EndsSum, Tally};
use super::{NEVER_PS, Outgoing, Payload};
use crate::outcome::EndsOutcome;
use crate::spec::bytes::TrafficSpec;
use crate::stations::Setup;

mod carried;
mod playout;
mod repeated;
mod self_similar;
mod video;

use carried::Carried;
use playout::Playout;
use self_similar::OnOffSources;
use video::Video;

/// Datagrams that are handed over together.
const AT_ONCE: usize = 1 << 10;

/// A datagram of an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Datagram {
    /// Payload.
    pub bytes: u32,
    /// It is the last of a picture that was taken at this instant.
    pub picture_ps: Option<u64>,
}

/// Where datagrams come from.
enum Source {
    /// Nothing that UDP carries.
    Silent,
    /// The port asks.
    Pulled {
        left_bytes: u64,
        is_started: bool,
    },
    /// Full datagrams.
    Spaced(Box<Gaps>),
    SelfSimilar(OnOffSources),
    Video(Box<Video>),
    /// What has begun of messages goes when the port asks.
    Messages,
    Outside(Offering),
}

/// What a receiver makes of datagrams.
enum Receiver {
    Video(Playout),
    /// A number of bytes, offered at once at `start`.
    File {
        start: Time,
        left_bytes: u64,
    },
    /// Of messages that wait for others.
    Messages,
}

/// A flow of datagrams.
pub(crate) struct Datagrams {
    flow: u32,
    payload_bytes: u32,
    source: Source,
    /// The next datagram, but for one that is pulled.
    next_ps: u64,
    /// Of the next datagram.
    number: u64,
    /// Of a source outside: bytes that it offered last and that are not yet sent,
    offered_bytes: u64,
    /// and when it is asked again.
    asked_ps: u64,
    /// Those for whom datagrams are parts of something, such as a picture; else empty.
    receivers: Vec<Receiver>,
    /// What both of them have to do with, if messages are.
    carried: Option<Box<Carried>>,
    /// Birth to delivery at each of several stations; empty where there is one.
    delays: Vec<Delays>,
    /// Counters.
    pub tally: Tally,
}

impl Datagrams {
    /// A flow to so many stations that has sent nothing.
    pub fn new(
        all: Setup,
        flow: u32,
        traffic: &TrafficSpec,
        payload_bytes: u32,
        receivers: u32,
        tally: Tally,
    ) -> Datagrams {
        let receiver = || {
            Some(match *traffic {
                TrafficSpec::Video(video) => {
                    Receiver::Video(Playout::new(video.deadline, all.keeps_order))
                }
                TrafficSpec::Infinite {
                    start,
                    bytes: Some(left_bytes),
                } => Receiver::File { start, left_bytes },
                TrafficSpec::Messages(_) => Receiver::Messages,
                _ => return None,
            })
        };
        let listeners = (0..receivers).map_while(|_| receiver()).collect();
        let delays = match receivers {
            0 | 1 => Vec::new(),
            several => vec![Delays::default(); several as usize],
        };
        let (source, next_ps) = source(all.seed, u64::from(flow), traffic, payload_bytes);
        let carried = traffic
            .messages()
            .map(|spec| Carried::new(flow, spec, payload_bytes));
        let mut made = Datagrams {
            flow,
            payload_bytes,
            source,
            next_ps,
            number: 0,
            offered_bytes: 0,
            asked_ps: NEVER_PS,
            receivers: listeners,
            carried: carried.map(Box::new),
            delays,
            tally,
        };
        made.set_timer();
        made
    }

    /// When the next datagram comes, ps.
    #[inline]
    pub const fn next_timer_ps(&self) -> u64 {
        self.next_ps
    }

    /// Sends what is due; if that is much, a part of it, and is still due then.
    #[inline]
    pub fn on_timer(&mut self, now: Time, is_measured: bool, out: &mut Vec<Outgoing>) {
        while self.next_ps <= now.ps() && out.len() < AT_ONCE {
            let at_ps = self.next_ps;
            let datagram = match &mut self.source {
                Source::Silent => {
                    self.next_ps = NEVER_PS;
                    return;
                }
                Source::Pulled { is_started, .. } => {
                    *is_started = true;
                    self.next_ps = NEVER_PS;
                    self.tally.begin(now, self.receivers.len() as u64);
                    return self.pull(now, out);
                }
                Source::Messages => return self.begin_messages(now, out),
                Source::Spaced(gaps) => {
                    self.next_ps = at_ps.saturating_add(gaps.next_gap().ps());
                    self.full()
                }
                Source::SelfSimilar(sources) => {
                    sources.take();
                    self.next_ps = sources.next_ps();
                    self.full()
                }
                Source::Video(video) => {
                    let datagram = video.take(self.payload_bytes);
                    self.next_ps = video.next_ps();
                    datagram
                }
                Source::Outside(offering) => {
                    if self.offered_bytes == 0 {
                        let emission = offering.on_timer(now);
                        self.offered_bytes = emission.units;
                        self.asked_ps = emission.next.map_or(NEVER_PS, Time::ps);
                    }
                    self.cut(out);
                    if self.offered_bytes == 0 {
                        self.next_ps = self.asked_ps;
                    }
                    continue;
                }
            };
            if let Some(began_ps) = datagram.picture_ps {
                self.tally
                    .begin(Time(began_ps), self.receivers.len() as u64);
            }
            for receiver in &mut self.receivers {
                if let Receiver::Video(playout) = receiver {
                    playout.on_sent(now, self.number, datagram.picture_ps, is_measured);
                }
            }
            self.emit(datagram.bytes, out);
        }
    }

    /// What was offered in full datagrams, and one that is not.
    fn cut(&mut self, out: &mut Vec<Outgoing>) {
        while self.offered_bytes > 0 && out.len() < AT_ONCE {
            let payload = self.offered_bytes.min(self.payload_bytes.into());
            self.emit(payload as u32, out);
            self.offered_bytes -= payload;
        }
    }

    /// It sends nothing: its source is simulated elsewhere.
    pub fn silence(&mut self) {
        self.source = Source::Silent;
        self.next_ps = NEVER_PS;
        if let Some(carried) = &mut self.carried {
            carried.messages.leave_source();
        }
    }

    /// May the port ask for frames?
    #[inline]
    pub fn is_pulled(&self) -> bool {
        match &self.source {
            Source::Pulled { left_bytes, .. } => *left_bytes > 0,
            Source::Messages => matches!(&self.carried, Some(carried) if carried.has_begun()),
            Source::Silent
            | Source::Spaced(_)
            | Source::SelfSimilar(_)
            | Source::Video(_)
            | Source::Outside(_) => false,
        }
    }

    /// The next frame, if the flow has started and has one.
    #[inline]
    pub fn pull(&mut self, now: Time, out: &mut Vec<Outgoing>) {
        if self.has_messages() {
            return self.pull_message(now, out);
        }
        if let Some(datagram) = self.pull_one() {
            out.push(self.outgoing(datagram));
        }
    }

    /// Does it send messages that wait for others?
    pub const fn has_messages(&self) -> bool {
        matches!(self.source, Source::Messages)
    }

    /// The next datagram of a greedy flow by itself: its payload bytes and number.
    #[inline(always)]
    pub fn pull_one(&mut self) -> Option<(u32, u64)> {
        let Source::Pulled {
            left_bytes,
            is_started: true,
        } = &mut self.source
        else {
            return None;
        };
        if *left_bytes == 0 {
            return None;
        }
        let bytes = u64::from(self.payload_bytes).min(*left_bytes);
        *left_bytes -= bytes;
        Some((bytes as u32, self.count_sent(bytes)))
    }

    /// A datagram came in. Returns its payload bytes.
    #[inline]
    pub fn on_arrival(&mut self, now: Time, bytes: u32, number: u64, is_measured: bool) -> u64 {
        if is_measured {
            self.tally.goodput_bytes += u64::from(bytes);
        }
        self.take_in(now, 0, (bytes, number), is_measured);
        u64::from(bytes)
    }

    /// A copy came to one of several stations. Returns its payload bytes.
    pub fn on_copy(
        &mut self,
        now: Time,
        receiver: u32,
        (bytes, number, born): (u32, u64, Time),
        is_measured: bool,
    ) -> u64 {
        if is_measured {
            self.tally.count_frame(now, true, born);
            self.tally.goodput_bytes += u64::from(bytes);
            if let Some(delays) = self.delays.get_mut(receiver as usize) {
                delays.record(now.since(born).ps());
            }
        }
        self.take_in(now, receiver, (bytes, number), is_measured);
        u64::from(bytes)
    }

    /// A receiver gets a datagram: it may be the last of a picture or of a file.
    #[inline]
    fn take_in(&mut self, now: Time, receiver: u32, (bytes, number): (u32, u64), measured: bool) {
        let began = match self.receivers.get_mut(receiver as usize) {
            None => return,
            Some(Receiver::Video(playout)) => playout.on_arrival(now, number).map(Time),
            Some(Receiver::File { start, left_bytes }) => {
                *left_bytes = left_bytes.saturating_sub(u64::from(bytes));
                (*left_bytes == 0).then_some(*start)
            }
            Some(Receiver::Messages) => return self.take_message(now, number, measured),
        };
        if let Some(began) = began {
            self.tally.count_transfer(now, began, measured);
        }
    }

    /// Frames delivered, and what those to the destination took.
    pub fn delivered(&self) -> (u64, DelayOutcome) {
        self.tally.delivered()
    }

    /// Counts what they did among others; to one station.
    pub fn sum_up(&self, into: &mut EndsSum) {
        into.add(&self.tally, self.receivers.len() as u64, None);
    }

    /// What both ends saw until now.
    pub fn outcome(&self, now: Time) -> EndsOutcome {
        let mut into = self.tally.outcome();
        into.offered_bytes_total *= self.delays.len().max(1) as u64;
        let ends = |receiver: &Receiver| matches!(receiver, Receiver::File { .. });
        if self.receivers.iter().any(ends) {
            into.transfers_planned = Some(self.receivers.len() as u64);
        }
        if let Some(carried) = &self.carried {
            carried.tell(&mut into);
        }
        for receiver in &self.receivers {
            if let Receiver::Video(playout) = receiver {
                let (due, late) = playout.due_and_late(now);
                into.due += due;
                into.late += late;
            }
        }
        into
    }

    /// Frames that each of several stations got, and what they took.
    pub fn received(&self) -> Vec<(u64, DelayOutcome)> {
        let delays = self.delays.iter();
        delays.map(|own| (own.count(), own.outcome())).collect()
    }

    /// A datagram of full size.
    const fn full(&self) -> Datagram {
        Datagram {
            bytes: self.payload_bytes,
            picture_ps: None,
        }
    }

    #[inline]
    fn emit(&mut self, bytes: u32, out: &mut Vec<Outgoing>) {
        let number = self.count_sent(bytes.into());
        out.push(self.outgoing((bytes, number)));
    }

    /// One more of so many bytes; its number.
    #[inline(always)]
    const fn count_sent(&mut self, bytes: u64) -> u64 {
        let number = self.number;
        self.number += 1;
        self.tally.offered_bytes += bytes;
        number
    }

    #[inline]
    const fn outgoing(&self, (bytes, number): (u32, u64)) -> Outgoing {
        Outgoing {
            flow: self.flow,
            is_forward: true,
            class: None,
            payload: Payload::Udp { bytes, number },
        }
    }
}

/// A source and its first datagram, ps.
fn source(seed: u64, flow: u64, traffic: &TrafficSpec, payload_bytes: u32) -> (Source, u64) {
    let stream = |purpose| Stream::new(seed, flow, purpose);
    match *traffic {
        TrafficSpec::Infinite { start, bytes } => {
            let left_bytes = bytes.unwrap_or(u64::MAX);
            let is_started = false;
            (
                Source::Pulled {
                    left_bytes,
                    is_started,
                },
                start.ps(),
            )
        }
        TrafficSpec::Constant {
            start,
            rate,
            random_phase,
        } => {
            let pace = Pace::of_datagrams(payload_bytes, rate);
            let phase_ps = if random_phase {
                stream(Purpose::Start).below(pace.least_gap_ps())
            } else {
                0
            };
            let first_ps = start.ps().saturating_add(phase_ps);
            (Source::Spaced(Box::new(Gaps::even(pace))), first_ps)
        }
        TrafficSpec::Poisson { start, rate } => {
            let mean_ps = Pace::of_datagrams(payload_bytes, rate).mean_gap_ps();
            let mean = Duration(libm::round(mean_ps) as u64);
            let mut gaps = Gaps::poisson(mean, Duration::ZERO, stream(Purpose::Traffic));
            let first_ps = start.ps().saturating_add(gaps.next_gap().ps());
            (Source::Spaced(Box::new(gaps)), first_ps)
        }
        TrafficSpec::SelfSimilar { .. } => {
            match OnOffSources::new(traffic, payload_bytes, stream(Purpose::Traffic)) {
                Some(sources) => {
                    let first_ps = sources.next_ps();
                    (Source::SelfSimilar(sources), first_ps)
                }
                None => (Source::Silent, NEVER_PS),
            }
        }
        TrafficSpec::Video(spec) => {
            let video = Box::new(Video::new(spec, seed, flow, payload_bytes));
            let first_ps = video.next_ps();
            (Source::Video(video), first_ps)
        }
        TrafficSpec::Outside(ref recipe) => {
            let offering = Offering::new(recipe);
            let first_ps = offering.start.map_or(NEVER_PS, Time::ps);
            (Source::Outside(offering), first_ps)
        }
        TrafficSpec::Messages(_) => (Source::Messages, NEVER_PS),
        TrafficSpec::Files { .. } | TrafficSpec::Requests { .. } => (Source::Silent, NEVER_PS),
    }
}
