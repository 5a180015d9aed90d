//! A TCP connection with its applications.
//!
//! All of them send transfers: a think time, a request one way, and, where there is one, a
//! service time and a response back. A file is a request without response: it is complete when
//! its last byte is in, and the next one waits for its last acknowledgement. Infinite traffic is
//! one file, without a think time before it.

use alloc::vec::Vec;

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Duration, Stream, Time};

use super::tally::Tally;
use super::{NEVER_PS, Outgoing, Payload};
use crate::outcome::EndsOutcome;
use crate::spec::Span;
use crate::spec::bytes::TrafficSpec;
use crate::tcp::{HostClock, Received, TcpCounts};
use crate::{Endpoint, Segment, TcpSpec};

/// More than any run sends.
const ENDLESS_BYTES: u64 = u64::MAX / 4;
/// Index of the end at the flow's source.
const SOURCE: usize = 0;
/// Index of the end at the flow's destination.
const DESTINATION: usize = 1;

/// How a segment came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// From the flow's source to its destination, or back.
    pub is_forward: bool,
    /// Marked by a switch.
    pub is_marked: bool,
    /// The warm-up is over.
    pub is_measured: bool,
}

/// What the applications wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The end of a think time.
    Thinking,
    /// The whole request at the destination; of a file also its last acknowledgement.
    Requesting,
    /// The end of a service time.
    Serving,
    /// The whole response at the source.
    Responding,
}

/// What the server does.
#[derive(Clone, Copy, Debug)]
struct Response {
    bytes: u64,
    service: Span,
}

/// Both ends and what they are used for.
pub(crate) struct Connection {
    /// Which of the flavours of TCP.
    pub flavour: u32,
    flow: u32,
    ends: [Endpoint; 2],
    stage: Stage,
    /// End of the think or service time.
    wakes_at_ps: u64,
    /// The request was handed over.
    began_ps: u64,
    /// Of the request or response, in order.
    got_bytes: u64,
    request_bytes: u64,
    response: Option<Response>,
    think: Span,
    /// A file is all in, and its last acknowledgement is not.
    is_unacknowledged: bool,
    /// Transfers not yet finished.
    left: u64,
    think_stream: Stream,
    service_stream: Stream,
    /// Counters.
    pub tally: Tally,
    /// Both ends' counts at the end of the warm-up.
    before: TcpCounts,
}

impl Connection {
    /// A connection on which nothing was sent.
    pub fn new(
        seed: u64,
        flow: u32,
        traffic: &TrafficSpec,
        (flavour, tcp): (u32, &TcpSpec),
        [source, destination]: [HostClock; 2],
    ) -> Connection {
        let at_once = Span::Fixed(Duration::ZERO);
        let endless = u64::MAX;
        let (start, request_bytes, response, think, left) = match *traffic {
            TrafficSpec::Infinite { start, bytes } => {
                (start, bytes.unwrap_or(ENDLESS_BYTES), None, at_once, 1)
            }
            TrafficSpec::Files {
                start,
                bytes,
                think,
                count,
            } => (start, bytes, None, think, count.unwrap_or(endless)),
            TrafficSpec::Requests {
                start,
                request_bytes,
                response_bytes: bytes,
                service,
                think,
                count,
            } => {
                let response = Some(Response { bytes, service });
                let left = count.unwrap_or(endless);
                (start, request_bytes, response, think, left)
            }
            // The rest is for datagrams.
            _ => (Time::MAX, 0, None, at_once, 0),
        };
        let stream = |purpose| Stream::new(seed, u64::from(flow), purpose);
        let mut connection = Connection {
            flavour,
            flow,
            ends: [
                Endpoint::new(tcp, source, true),
                Endpoint::new(tcp, destination, false),
            ],
            stage: Stage::Thinking,
            wakes_at_ps: NEVER_PS,
            began_ps: 0,
            got_bytes: 0,
            request_bytes,
            response,
            think,
            is_unacknowledged: false,
            left,
            think_stream: stream(Purpose::Think),
            service_stream: stream(Purpose::Service),
            tally: Tally::default(),
            before: TcpCounts::default(),
        };
        connection.start_thinking(start.ps());
        connection
    }

    /// Earliest of the applications and both ends, ps.
    #[inline]
    pub fn next_timer_ps(&self) -> u64 {
        let [source, destination] = &self.ends;
        self.wakes_at_ps
            .min(source.timer().map_or(NEVER_PS, Time::ps))
            .min(destination.timer().map_or(NEVER_PS, Time::ps))
    }

    /// Does what is due: applications, then the source's end, then the destination's.
    pub fn on_timer(&mut self, now: Time, tcp: &TcpSpec, out: &mut Vec<Outgoing>) {
        if self.wakes_at_ps <= now.ps() {
            self.wake(now, tcp, out);
        }
        for end in [SOURCE, DESTINATION] {
            if self.ends[end].timer().is_some_and(|due| due <= now) {
                self.ends[end].on_timer(now, tcp);
                self.send(now, tcp, end, out);
            }
        }
    }

    /// A segment reached its end. Returns the bytes its application got in order by it.
    pub fn on_segment(
        &mut self,
        now: Time,
        tcp: &TcpSpec,
        segment: &Segment,
        came: Arrival,
        out: &mut Vec<Outgoing>,
    ) -> u64 {
        let end = if came.is_forward { DESTINATION } else { SOURCE };
        let received = self.ends[end].on_segment(now, tcp, segment, came.is_marked);
        if came.is_measured {
            let counter = if came.is_forward {
                &mut self.tally.goodput_bytes
            } else {
                &mut self.tally.returned_bytes
            };
            *counter += received.delivered_bytes;
        }
        let was_waiting = self.wakes_at_ps != NEVER_PS;
        self.progress(now, end, received, came.is_measured);
        self.send(now, tcp, end, out);
        if !was_waiting && self.wakes_at_ps <= now.ps() {
            // No time to think or to serve.
            self.wake(now, tcp, out);
        }
        received.delivered_bytes
    }

    /// Remembers the counts of the warm-up.
    pub fn start_measuring(&mut self) {
        self.before = self.counts();
    }

    /// What both ends saw.
    pub fn outcome(&self) -> EndsOutcome {
        let mut into = self.tally.outcome();
        into.unacknowledged_total = self.is_unacknowledged.into();
        if self.request_bytes == ENDLESS_BYTES {
            let counts = self.ends[SOURCE].counts();
            into.offered_bytes_total = counts.sent_bytes - counts.again_bytes;
        }
        into.tcp = combine(self.counts(), self.before, |all, before| all - before);
        into
    }

    /// Congestion window of the source's end.
    pub fn window_bytes(&self) -> u64 {
        self.ends[SOURCE].window_bytes()
    }

    /// Of both ends.
    pub fn positions(&self) -> [(u64, u64, u64); 2] {
        [
            self.ends[SOURCE].positions(),
            self.ends[DESTINATION].positions(),
        ]
    }

    /// A think or service time is over.
    fn wake(&mut self, now: Time, tcp: &TcpSpec, out: &mut Vec<Outgoing>) {
        self.wakes_at_ps = NEVER_PS;
        self.got_bytes = 0;
        let (end, bytes) = match (self.stage, self.response) {
            (Stage::Serving, Some(response)) => {
                self.stage = Stage::Responding;
                (DESTINATION, response.bytes)
            }
            _ => {
                self.stage = Stage::Requesting;
                self.began_ps = now.ps();
                (SOURCE, self.request_bytes)
            }
        };
        self.tally.offered_bytes = self.tally.offered_bytes.saturating_add(bytes);
        self.ends[end].send(now, tcp, bytes);
        self.send(now, tcp, end, out);
    }

    /// What a segment that came to `end` means to the applications.
    fn progress(&mut self, now: Time, end: usize, received: Received, is_measured: bool) {
        let is_over = match (self.stage, self.response) {
            (Stage::Requesting, None) if end == DESTINATION => {
                self.got_bytes += received.delivered_bytes;
                if received.delivered_bytes > 0 && self.got_bytes >= self.request_bytes {
                    self.is_unacknowledged = true;
                    self.tally.count_transfer(now, self.began_ps, is_measured);
                }
                false
            }
            (Stage::Requesting, None) => received.is_finished,
            (Stage::Requesting, Some(response)) if end == DESTINATION => {
                self.got_bytes += received.delivered_bytes;
                if self.got_bytes >= self.request_bytes {
                    self.stage = Stage::Serving;
                    let service = response.service.draw(&mut self.service_stream);
                    self.wakes_at_ps = now.ps().saturating_add(service.ps());
                }
                false
            }
            (Stage::Responding, Some(response)) if end == SOURCE => {
                self.got_bytes += received.delivered_bytes;
                self.got_bytes >= response.bytes
            }
            _ => false,
        };
        if is_over {
            if self.response.is_some() {
                self.tally.count_transfer(now, self.began_ps, is_measured);
            } else if is_measured {
                self.tally.count_acknowledged(now, self.began_ps);
            }
            self.is_unacknowledged = false;
            self.left -= 1;
            self.start_thinking(now.ps());
        }
    }

    /// The next transfer, if there is one, begins a think time after this.
    fn start_thinking(&mut self, from_ps: u64) {
        self.stage = Stage::Thinking;
        if self.left > 0 {
            let think = self.think.draw(&mut self.think_stream);
            self.wakes_at_ps = from_ps.saturating_add(think.ps());
        }
    }

    /// Hands what an end may send now to its port.
    fn send(&mut self, now: Time, tcp: &TcpSpec, end: usize, out: &mut Vec<Outgoing>) {
        while let Some(segment) = self.ends[end].poll(now, tcp) {
            out.push(Outgoing {
                flow: self.flow,
                is_forward: end == SOURCE,
                payload: Payload::Tcp(segment),
            });
        }
    }

    /// Of both ends together.
    fn counts(&self) -> TcpCounts {
        let [source, destination] = &self.ends;
        combine(source.counts(), destination.counts(), |a, b| a + b)
    }
}

/// Counter by counter.
fn combine(a: TcpCounts, b: TcpCounts, of: fn(u64, u64) -> u64) -> TcpCounts {
    TcpCounts {
        segments: of(a.segments, b.segments),
        sent_bytes: of(a.sent_bytes, b.sent_bytes),
        again_bytes: of(a.again_bytes, b.again_bytes),
        time_outs: of(a.time_outs, b.time_outs),
        fast_retransmits: of(a.fast_retransmits, b.fast_retransmits),
        duplicates: of(a.duplicates, b.duplicates),
        ecn_cuts: of(a.ecn_cuts, b.ecn_cuts),
    }
}

#[cfg(test)]
mod tests;
