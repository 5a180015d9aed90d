//! One queue that many sources share, packet by packet, for closed loops of rate controls: each
//! has a NIC of its own, always has data, and no packet is lost.

use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Reverse;

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Duration, Rate, Stream, Time};

use crate::control::{Ack, Control, RateControl, Signal, Telemetry};
use crate::spec::Notify;
use crate::spec::rates::Marking;

/// What lies between the sources and their destination.
pub struct Bottleneck {
    /// Of the NICs.
    pub nic: Rate,
    /// Of the queue.
    pub link: Rate,
    /// From a NIC to the queue.
    pub there: Duration,
    /// From the queue to the destination and back to the source.
    pub back: Duration,
    /// Bytes of a packet that count as sent.
    pub payload: u64,
    /// Bytes of it on the wire.
    pub frame: u64,
    /// How the queue marks.
    pub marking: Option<Marking>,
    /// How marks are told.
    pub notify: Notify,
}

/// What was seen from an instant on.
#[derive(Default)]
pub struct Seen {
    /// Bits on the wire per second, by flow.
    pub rates: Vec<f64>,
    /// Mean of what is queued or being sent, bytes.
    pub queue: f64,
    /// The most.
    pub largest: u64,
    /// Mean round-trip time, ps.
    pub rtt: f64,
    /// Notifications, by flow.
    pub notifications: Vec<u64>,
}

impl Seen {
    pub fn total(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// Jain's index of fairness.
    pub fn jain(&self) -> f64 {
        let squares: f64 = self.rates.iter().map(|rate| rate * rate).sum();
        self.total() * self.total() / (self.rates.len() as f64 * squares)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Arrive {
        flow: usize,
        start: u64,
        end: u64,
    },
    Depart,
    Ack {
        flow: usize,
        start: u64,
        end: u64,
        hop: usize,
        marked: bool,
    },
    Notification(usize),
    Timer(usize),
    Start(usize),
}

impl What {
    /// Its turn at one instant.
    fn turn(&self) -> u8 {
        match self {
            What::Arrive { .. } | What::Depart => 0,
            What::Ack { .. } | What::Notification(_) => 1,
            What::Timer(_) => 2,
            What::Start(_) => 3,
        }
    }
}

struct Source {
    last_start: Option<u64>,
    next_at: u64,
    nic_free: u64,
    sent: u64,
    acked: u64,
    start_at: u64,
    timer_at: u64,
    told_at: Option<u64>,
    first_at: Option<u64>,
}

struct Run<'a> {
    net: &'a Bottleneck,
    events: BinaryHeap<Reverse<(u64, u8, u64, What)>>,
    number: u64,
    sources: Vec<Source>,
    queue: VecDeque<(usize, u64, u64)>,
    is_busy: bool,
    sent_bytes: u64,
    written: Vec<Telemetry>,
    stream: Stream,
    from: u64,
    seen: Seen,
    area: u128,
    area_at: u64,
    samples: u64,
}

impl Bottleneck {
    /// Runs the sources, which begin at these instants, until `until`; what counts is after `from`.
    pub fn run(
        &self,
        controls: &mut [RateControl],
        starts: &[Time],
        from: Time,
        until: Time,
    ) -> Seen {
        let mut run = Run {
            net: self,
            events: BinaryHeap::new(),
            number: 0,
            sources: Vec::new(),
            queue: VecDeque::new(),
            is_busy: false,
            sent_bytes: 0,
            written: Vec::new(),
            stream: Stream::new(1, 0, Purpose::Traffic),
            from: from.0,
            seen: Seen::default(),
            area: 0,
            area_at: 0,
            samples: 0,
        };
        for (flow, start) in starts.iter().enumerate() {
            run.sources.push(Source {
                last_start: None,
                next_at: 0,
                nic_free: 0,
                sent: 0,
                acked: 0,
                start_at: start.0,
                timer_at: u64::MAX,
                told_at: None,
                first_at: None,
            });
            run.push(start.0, What::Start(flow));
        }
        run.seen.rates = alloc::vec![0.0; starts.len()];
        run.seen.notifications = alloc::vec![0; starts.len()];
        while let Some(Reverse((at, _, _, what))) = run.events.pop() {
            if at >= until.0 {
                break;
            }
            run.on_event(at, what, controls);
        }
        run.account(until.0);
        let mut seen = run.seen;
        let span = (until.0 - from.0) as f64;
        seen.queue = run.area as f64 / span;
        seen.rtt /= run.samples.max(1) as f64;
        for rate in &mut seen.rates {
            *rate *= 1e12 / span;
        }
        seen
    }
}

impl Run<'_> {
    fn push(&mut self, at: u64, what: What) {
        self.number += 1;
        let key = (at, what.turn(), self.number, what);
        self.events.push(Reverse(key));
    }

    fn queued(&self) -> u64 {
        (self.queue.len() as u64 + u64::from(self.is_busy)) * self.net.frame
    }

    fn account(&mut self, now: u64) {
        let from = self.area_at.max(self.from);
        if now > from {
            self.area += u128::from(now - from) * u128::from(self.queued());
            self.seen.largest = self.seen.largest.max(self.queued());
        }
        self.area_at = now;
    }

    fn on_event(&mut self, now: u64, what: What, controls: &mut [RateControl]) {
        match what {
            What::Arrive { flow, start, end } => {
                self.account(now);
                self.queue.push_back((flow, start, end));
                if !self.is_busy {
                    self.transmit(now);
                }
            }
            What::Depart => {
                self.account(now);
                self.is_busy = false;
                self.transmit(now);
            }
            What::Ack {
                flow,
                start,
                end,
                hop,
                marked,
            } => {
                self.on_ack(now, (flow, start, end, hop, marked), controls);
                self.after(now, flow, controls);
            }
            What::Notification(flow) => {
                self.seen.notifications[flow] += 1;
                let control = &mut controls[flow];
                control.on_control(Time(now), &Signal::Notification);
                self.after(now, flow, controls);
            }
            What::Timer(flow) => {
                if self.sources[flow].timer_at == now {
                    self.sources[flow].timer_at = u64::MAX;
                }
                controls[flow].on_timer(Time(now));
                self.after(now, flow, controls);
            }
            What::Start(flow) => {
                if self.sources[flow].start_at == now {
                    self.sources[flow].start_at = u64::MAX;
                    self.start(now, flow, controls);
                }
            }
        }
    }

    /// The queue sends its next packet.
    fn transmit(&mut self, now: u64) {
        let Some((flow, start, end)) = self.queue.pop_front() else {
            return;
        };
        let waiting = self.queue.len() as u64 * self.net.frame;
        let marked = self.net.marking.is_some_and(|marking| {
            let (least, most) = (marking.least_bytes, marking.most_bytes);
            let share = waiting.saturating_sub(least) as f64 / (most - least) as f64;
            waiting > most || self.stream.unit_f64() < share * marking.probability
        });
        self.is_busy = true;
        self.written.push(Telemetry {
            at: Time(now),
            sent_bytes: self.sent_bytes,
            queued_bytes: waiting,
            rate: self.net.link,
        });
        self.sent_bytes += self.net.frame;
        let sent = now + self.net.link.serialization(self.net.frame).0;
        self.push(sent, What::Depart);
        let hop = self.written.len() - 1;
        let ack = What::Ack {
            flow,
            start,
            end,
            hop,
            marked,
        };
        self.push(sent + self.net.back.0, ack);
        self.notify(sent, flow, marked);
        if now >= self.from {
            self.seen.rates[flow] += (self.net.frame * 8) as f64;
        }
    }

    /// The destination tells of marks.
    fn notify(&mut self, now: u64, flow: usize, marked: bool) {
        let source = &mut self.sources[flow];
        let first = *source.first_at.get_or_insert(now);
        let told = match self.net.notify {
            Notify::Window(every) if marked => {
                let may = source.told_at.is_none_or(|at| now - at >= every.0);
                may.then_some(now)
            }
            Notify::Tick(every) if marked => {
                let tick = first + (now - first).div_ceil(every.0) * every.0;
                (source.told_at != Some(tick)).then_some(tick)
            }
            _ => None,
        };
        if let Some(at) = told {
            source.told_at = Some(at);
            self.push(at + self.net.back.0, What::Notification(flow));
        }
    }

    fn on_ack(
        &mut self,
        now: u64,
        (flow, start, end, hop, marked): (usize, u64, u64, usize, bool),
        controls: &mut [RateControl],
    ) {
        let source = &mut self.sources[flow];
        let ack = Ack {
            expected: end,
            news_bytes: end - source.acked,
            flight_bytes: source.sent - source.acked,
            sent_end: source.sent,
            rtt: Some(Duration(now - start)),
            is_marked: marked,
            may_grow: true,
            rtt_seconds: 0.0,
        };
        source.acked = end;
        self.samples += u64::from(now >= self.from);
        self.seen.rtt += if now >= self.from {
            (now - start) as f64
        } else {
            0.0
        };
        let before = controls[flow].pacing();
        let path = [self.written[hop]];
        controls[flow].on_telemetry(Time(now), &ack, &path);
        let rate = controls[flow].pacing();
        if let (true, Some(last), true) =
            (before != rate, source.last_start, controls[flow].rescales())
        {
            let rate = rate.unwrap_or(self.net.nic);
            source.next_at = last + rate.serialization(self.net.frame).0;
            source.start_at = u64::MAX;
        }
    }

    /// Something may have changed.
    fn after(&mut self, now: u64, flow: usize, controls: &mut [RateControl]) {
        if let Some(at) = controls[flow].timer() {
            let at = at.0.max(now);
            if at < self.sources[flow].timer_at {
                self.sources[flow].timer_at = at;
                self.push(at, What::Timer(flow));
            }
        }
        self.plan(now, flow, controls);
    }

    /// Names the instant of the next packet.
    fn plan(&mut self, now: u64, flow: usize, controls: &[RateControl]) {
        let source = &mut self.sources[flow];
        if source.sent - source.acked >= controls[flow].window() {
            return;
        }
        let at = now.max(source.next_at).max(source.nic_free);
        if at < source.start_at {
            source.start_at = at;
            self.push(at, What::Start(flow));
        }
    }

    fn start(&mut self, now: u64, flow: usize, controls: &mut [RateControl]) {
        let source = &mut self.sources[flow];
        if source.sent - source.acked >= controls[flow].window() {
            return;
        }
        controls[flow].on_packet(Time(now), self.net.frame as u32 + 20);
        let rate = controls[flow].pacing().unwrap_or(self.net.nic);
        let sent = now + self.net.nic.serialization(self.net.frame).0;
        source.last_start = Some(now);
        source.next_at = now + rate.serialization(self.net.frame).0;
        source.nic_free = sent;
        source.sent += self.net.payload;
        let end = source.sent;
        let there = What::Arrive {
            flow,
            start: now,
            end,
        };
        self.push(sent + self.net.there.0, there);
        self.after(now, flow, controls);
    }
}
