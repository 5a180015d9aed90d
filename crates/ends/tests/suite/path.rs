//! One slow link with a queue that several connections share, for closed forms.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use backwater_ends::control::Inner;
use backwater_ends::spec::Congestion;
use backwater_ends::tcp::HostClock;
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Rate, Time};

pub const MS: u64 = 1_000_000_000;
pub const MSS: u32 = 1_448;
/// What a frame of it takes on the wire beside.
const AROUND: u32 = 78;
pub const LINK: Rate = Rate(100_000_000);

/// Losses by time.
pub fn spec(congestion: Congestion) -> TcpSpec {
    TcpSpec {
        congestion,
        mss_bytes: MSS,
        ..TcpSpec::linux_6()
    }
}

/// Losses by duplicates.
pub fn counting(congestion: Congestion) -> TcpSpec {
    TcpSpec {
        congestion,
        mss_bytes: MSS,
        ..TcpSpec::linux_3()
    }
}

/// Bits of payload that the link carries in a second.
pub fn payload_rate() -> f64 {
    LINK.0 as f64 * f64::from(MSS) / f64::from(MSS + AROUND)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A segment comes to an end: number of the segment.
    Arrive(usize),
    Departs,
    Starts(usize),
    Timer(usize),
}

/// Flows that share a queue, each with something to send from its start on.
pub struct Path {
    specs: Vec<TcpSpec>,
    pub ends: Vec<[Endpoint; 2]>,
    buffer: u64,
    /// From a source to the queue and from there to its destination together; and back.
    half: Duration,
    pub now: Time,
    events: BinaryHeap<Reverse<(Time, u64, What)>>,
    number: u64,
    segments: Vec<(usize, usize, Segment)>,
    queue: VecDeque<usize>,
    pub queued: u64,
    /// Segments; of what stays together each.
    pub lost: u64,
    /// Drops.
    pub drops: u64,
    /// What each source has handed down: when, and so many bytes.
    pub sent: Vec<(usize, Time, u32)>,
}

impl Path {
    pub fn new(specs: Vec<TcpSpec>, rtt: Duration, buffer: u64) -> Path {
        let clock = HostClock::default();
        let ends = specs.iter().zip(0..).map(|(spec, flow): (_, u64)| {
            [true, false].map(|opens| Endpoint::new(spec, clock, opens).drawing_from(flow * 7 + 5))
        });
        let ends: Vec<_> = ends.collect();
        let mut path = Path {
            ends,
            specs,
            buffer,
            half: Duration(rtt.0 / 2),
            now: Time::ZERO,
            events: BinaryHeap::new(),
            number: 0,
            segments: Vec::new(),
            queue: VecDeque::new(),
            queued: 0,
            lost: 0,
            drops: 0,
            sent: Vec::new(),
        };
        for flow in 0..path.specs.len() {
            path.at(Time(flow as u64 * 3 * MS), What::Starts(flow));
        }
        path
    }

    fn at(&mut self, time: Time, what: What) {
        self.number += 1;
        self.events.push(Reverse((time, self.number, what)));
    }

    fn wire(segment: &Segment) -> u64 {
        u64::from(segment.bytes + AROUND * (1 + u32::from(segment.further)))
    }

    /// What an end may send goes; its timer is set.
    fn drive(&mut self, flow: usize, end: usize) {
        let now = self.now;
        while let Some(segment) = self.ends[flow][end].poll(now, &self.specs[flow]) {
            self.segments.push((flow, 1 - end, segment));
            let id = self.segments.len() - 1;
            if end == 0 {
                self.sent.push((flow, now, segment.bytes));
            }
            if end == 1 {
                self.at(now + self.half, What::Arrive(id));
            } else if self.queued + Path::wire(&segment) > self.buffer {
                self.lost += 1 + u64::from(segment.further);
                self.drops += 1;
            } else {
                self.queued += Path::wire(&segment);
                self.queue.push_back(id);
                if self.queue.len() == 1 {
                    self.at(
                        now + LINK.serialization(Path::wire(&segment)),
                        What::Departs,
                    );
                }
            }
        }
        if let Some(at) = self.ends[flow][end].timer() {
            self.at(at.max(now), What::Timer(flow * 2 + end));
        }
    }

    /// Goes on until then; `look` sees the path after each event.
    pub fn run(&mut self, until: Time, mut look: impl FnMut(&Path)) {
        while let Some(Reverse((at, _, what))) = self.events.pop() {
            if at > until {
                self.events.push(Reverse((at, 0, what)));
                break;
            }
            self.now = at;
            match what {
                What::Arrive(id) => {
                    let (flow, end, segment) = self.segments[id];
                    self.ends[flow][end].on_segment(at, &self.specs[flow], &segment, false);
                    self.drive(flow, end);
                }
                What::Departs => {
                    let id = self.queue.pop_front().expect("something departs");
                    self.queued -= Path::wire(&self.segments[id].2);
                    self.at(at + self.half, What::Arrive(id));
                    if let Some(next) = self.queue.front() {
                        let bytes = Path::wire(&self.segments[*next].2);
                        self.at(at + LINK.serialization(bytes), What::Departs);
                    }
                }
                What::Starts(flow) => {
                    self.ends[flow][0].send(at, &self.specs[flow], u64::MAX / 4);
                    self.drive(flow, 0);
                }
                What::Timer(place) => {
                    let (flow, end) = (place / 2, place % 2);
                    if self.ends[flow][end].timer().is_some_and(|due| due <= at) {
                        self.ends[flow][end].on_timer(at, &self.specs[flow]);
                        self.drive(flow, end);
                    }
                }
            }
            look(self);
        }
        self.now = until;
    }

    pub fn inner(&self, flow: usize, of: Inner) -> f64 {
        self.ends[flow][0].inner(of).unwrap_or(0.0)
    }

    pub fn delivered(&self, flow: usize) -> u64 {
        self.ends[flow][1].positions().2
    }

    /// Payload delivered and mean queue from here until then.
    pub fn measure(&mut self, until: Time) -> (Vec<f64>, f64) {
        let from = self.now;
        let count = |path: &Path| -> Vec<u64> {
            (0..path.specs.len())
                .map(|flow| path.delivered(flow))
                .collect()
        };
        let before = count(self);
        let (mut area, mut last) = (0_u128, (from, self.queued));
        self.run(until, |path| {
            area += u128::from(last.1) * u128::from(path.now.since(last.0).0);
            last = (path.now, path.queued);
        });
        area += u128::from(last.1) * u128::from(until.since(last.0).0);
        let span = until.since(from);
        let rates = count(self)
            .into_iter()
            .zip(&before)
            .map(|(now, then)| (now - then) as f64 * 8.0 / span.seconds());
        (rates.collect(), area as f64 / span.0 as f64)
    }
}
