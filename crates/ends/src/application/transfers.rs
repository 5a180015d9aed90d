//! What uses a TCP connection: transfers, one after another.
//!
//! A transfer is a think time, a request from the opener, and, where there is one, a service time
//! and a response back. A file is a request without response: it is complete when its last byte is
//! in, and the next one waits for its last acknowledgement. Traffic without end is one file,
//! without a think time before it; so are the bytes of a source that is written outside, which
//! come bit by bit.

use alloc::boxed::Box;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};

use super::offering::Offering;
use crate::spec::Span;
use crate::spec::bytes::TrafficSpec;
use crate::spec::units::{CellApplication, CellTcpSpec};
use crate::tcp::Received;

/// More than any run sends.
const ENDLESS_BYTES: u64 = u64::MAX / 4;
/// More transfers than any run has.
const ENDLESS: u64 = u64::MAX;

/// An end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At the source of the flow that opens it.
    Opener,
    /// At its destination.
    Answerer,
}

impl End {
    /// The other one.
    pub fn other(self) -> End {
        match self {
            End::Opener => End::Answerer,
            End::Answerer => End::Opener,
        }
    }
}

/// What is transferred, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The first: a think time after this.
    start: Time,
    think: Span,
    request_bytes: u64,
    response: Option<Response>,
    count: Option<u64>,
}

/// What the server does.
#[derive(Clone, Copy, Debug)]
struct Response {
    bytes: u64,
    service: Span,
}

impl Plan {
    /// One file.
    fn once(start: Time, bytes: Option<u64>) -> Plan {
        Plan {
            start,
            think: Span::Fixed(Duration::ZERO),
            request_bytes: bytes.unwrap_or(ENDLESS_BYTES),
            response: None,
            count: Some(1),
        }
    }

    /// Of traffic in bytes; none of what is for datagrams.
    pub fn of_bytes(traffic: &TrafficSpec) -> Plan {
        match *traffic {
            TrafficSpec::Infinite { start, bytes } => Plan::once(start, bytes),
            TrafficSpec::Files {
                start,
                bytes,
                think,
                count,
            } => Plan {
                start,
                think,
                request_bytes: bytes,
                response: None,
                count,
            },
            TrafficSpec::Requests {
                start,
                request_bytes,
                response_bytes: bytes,
                service,
                think,
                count,
            } => Plan {
                start,
                think,
                request_bytes,
                response: Some(Response { bytes, service }),
                count,
            },
            TrafficSpec::Outside(_) => Plan::once(Time::ZERO, None),
            TrafficSpec::Constant { start, .. }
            | TrafficSpec::Poisson { start, .. }
            | TrafficSpec::SelfSimilar { start, .. } => Plan::nothing(start),
            TrafficSpec::Video(video) => Plan::nothing(video.start),
            TrafficSpec::Messages(_) => Plan::nothing(Time::ZERO),
        }
    }

    fn nothing(start: Time) -> Plan {
        Plan {
            count: Some(0),
            ..Plan::once(start, Some(0))
        }
    }

    /// Of what uses a connection over cells.
    pub fn over_cells(spec: &CellTcpSpec) -> Plan {
        match spec.application {
            CellApplication::Bulk(bytes) => Plan::once(spec.start, bytes),
            CellApplication::Requests {
                request_bytes,
                response_bytes: bytes,
                service,
                think,
                count,
            } => Plan {
                start: spec.start,
                think,
                request_bytes,
                response: Some(Response { bytes, service }),
                count,
            },
        }
    }
}

/// What the applications wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The end of a think time.
    Thinking,
    /// The whole request at the answerer; of a file also its last acknowledgement.
    Requesting,
    /// The end of a service time.
    Serving,
    /// The whole response at the opener.
    Responding,
}

/// What a transfer that began at an instant has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Milestone {
    /// The last byte of a file is in.
    FileIn(Time),
    /// So is its last acknowledgement.
    FileAcknowledged(Time),
    /// The last byte of a response is in.
    Answered(Time),
}

/// What one end did that the other has to know, if it is simulated elsewhere. Nothing depends on it
/// before the first segment sent thereafter has come to the other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// The opener asks, since this instant.
    Asked(Time),
    /// All of a file is in at the answerer.
    IsIn,
    /// The answerer answers.
    Answers,
}

/// The client at the opener, and the server at the answerer.
pub(super) struct Transfers {
    plan: Plan,
    /// Where the bytes of the one file come from, if it is written outside.
    outside: Option<Box<Offering>>,
    stage: Stage,
    /// End of the think or service time.
    pub wakes_at: Option<Time>,
    /// The request was handed over.
    began: Time,
    /// Of the request or response, in order.
    got_bytes: u64,
    /// A file is all in, and its last acknowledgement is not.
    pub is_unacknowledged: bool,
    /// Transfers not yet finished.
    left: u64,
    /// What an end did last that the other has to know.
    news: Option<News>,
    think: Stream,
    service: Stream,
}

impl Transfers {
    /// Those of flow `flow`, none of them begun.
    pub fn new(plan: Plan, seed: u64, flow: u32) -> Transfers {
        let stream = |purpose| Stream::new(seed, u64::from(flow), purpose);
        let mut transfers = Transfers {
            plan,
            outside: None,
            stage: Stage::Thinking,
            wakes_at: None,
            began: Time::ZERO,
            got_bytes: 0,
            is_unacknowledged: false,
            left: plan.count.unwrap_or(ENDLESS),
            news: None,
            think: stream(Purpose::Think),
            service: stream(Purpose::Service),
        };
        transfers.think_from(plan.start);
        transfers
    }

    /// The same, whose bytes come from a source that is written outside, if one is given.
    pub fn of(traffic: &TrafficSpec, seed: u64, flow: u32) -> Transfers {
        let mut transfers = Transfers::new(Plan::of_bytes(traffic), seed, flow);
        if let TrafficSpec::Outside(recipe) = traffic {
            let offering = Offering::new(recipe);
            transfers.wakes_at = offering.start;
            transfers.outside = Some(Box::new(offering));
        }
        transfers
    }

    /// A think or service time is over by now.
    pub fn is_due(&self, now: Time) -> bool {
        self.wakes_at.is_some_and(|at| at <= now)
    }

    /// It is one file without end.
    pub fn is_endless(&self) -> bool {
        self.plan.request_bytes == ENDLESS_BYTES
    }

    /// They end with their last acknowledgement.
    pub fn are_files(&self) -> bool {
        self.plan.response.is_none()
    }

    /// How many there are in all, if they end.
    pub fn planned(&self) -> Option<u64> {
        self.plan.count.filter(|_| !self.is_endless())
    }

    /// The next transfer, if there is one, begins a think time after this.
    fn think_from(&mut self, from: Time) {
        self.stage = Stage::Thinking;
        if self.left > 0 {
            let think = self.plan.think.draw(&mut self.think);
            self.wakes_at = from.checked_add(think);
        }
    }

    /// A think or service time is over: which end sends how many bytes.
    pub fn wake(&mut self, now: Time) -> (End, u64) {
        self.wakes_at = None;
        if let Some(offering) = &mut self.outside {
            self.stage = Stage::Requesting;
            let emission = offering.on_timer(now);
            self.wakes_at = emission.next;
            return (End::Opener, emission.units);
        }
        self.got_bytes = 0;
        match (self.stage, self.plan.response) {
            (Stage::Serving, Some(response)) => {
                self.stage = Stage::Responding;
                self.news = Some(News::Answers);
                (End::Answerer, response.bytes)
            }
            _ => {
                self.stage = Stage::Requesting;
                self.began = now;
                self.news = Some(News::Asked(now));
                (End::Opener, self.plan.request_bytes)
            }
        }
    }

    /// When the request under way, which has a response, began.
    pub fn unanswered(&self) -> Option<Time> {
        let is_under_way = self.stage != Stage::Thinking && self.plan.response.is_some();
        is_under_way.then_some(self.began)
    }

    /// The end at which the think or service time runs.
    pub fn waiting_end(&self) -> End {
        match self.stage {
            Stage::Serving => End::Answerer,
            Stage::Thinking | Stage::Requesting | Stage::Responding => End::Opener,
        }
    }

    /// Only one end, or none, is simulated here: the other does nothing by itself.
    pub fn keep(&mut self, opener: bool) {
        if !opener {
            self.wakes_at = None;
        }
    }

    /// What an end did since this was asked last that the other has to know.
    pub fn take_news(&mut self) -> Option<News> {
        self.news.take()
    }

    /// Hears what the other end did, which is simulated elsewhere.
    pub fn hear(&mut self, news: News) {
        match news {
            News::Asked(at) => {
                self.stage = Stage::Requesting;
                self.began = at;
                self.got_bytes = 0;
            }
            News::IsIn => self.is_unacknowledged = true,
            News::Answers => {
                self.stage = Stage::Responding;
                self.got_bytes = 0;
            }
        }
    }

    /// What a segment that came to `end` means to the applications.
    pub fn on_received(&mut self, now: Time, end: End, received: &Received) -> Option<Milestone> {
        let (bytes, began) = (received.delivered_bytes, self.began);
        match (self.stage, self.plan.response, end) {
            (Stage::Requesting, None, End::Answerer) => {
                self.got_bytes += bytes;
                let is_in = bytes > 0 && self.got_bytes >= self.plan.request_bytes;
                if is_in {
                    self.is_unacknowledged = true;
                    self.news = Some(News::IsIn);
                }
                is_in.then_some(Milestone::FileIn(began))
            }
            (Stage::Requesting, None, End::Opener) => {
                if !received.is_finished || self.outside.is_some() {
                    return None;
                }
                self.finish(now);
                Some(Milestone::FileAcknowledged(began))
            }
            (Stage::Requesting, Some(response), End::Answerer) => {
                self.got_bytes += bytes;
                if self.got_bytes >= self.plan.request_bytes {
                    self.stage = Stage::Serving;
                    self.wakes_at = now.checked_add(response.service.draw(&mut self.service));
                }
                None
            }
            (Stage::Responding, Some(response), End::Opener) => {
                self.got_bytes += bytes;
                if self.got_bytes < response.bytes {
                    return None;
                }
                self.finish(now);
                Some(Milestone::Answered(began))
            }
            (Stage::Requesting, Some(_), End::Opener)
            | (Stage::Responding, Some(_), End::Answerer)
            | (Stage::Responding, None, _)
            | (Stage::Thinking | Stage::Serving, ..) => None,
        }
    }

    /// A transfer is over.
    fn finish(&mut self, now: Time) {
        self.is_unacknowledged = false;
        self.left -= 1;
        self.think_from(now);
    }
}

mod repeated;

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn transfers(traffic: TrafficSpec) -> Transfers {
        Transfers::new(Plan::of_bytes(&traffic), 1, 0)
    }

    fn requests(count: u64) -> Transfers {
        transfers(TrafficSpec::Requests {
            start: Time(100),
            request_bytes: 300,
            response_bytes: 2_000,
            service: Span::Fixed(Duration(50)),
            think: Span::Fixed(Duration(20)),
            count: Some(count),
        })
    }

    fn delivered(bytes: u64) -> Received {
        Received {
            delivered_bytes: bytes,
            ..Received::default()
        }
    }

    fn finished() -> Received {
        Received {
            is_finished: true,
            ..Received::default()
        }
    }

    #[test]
    fn requests_and_responses_take_turns() {
        let mut web = requests(2);
        let came = |web: &mut Transfers, now, end, received| {
            let found = web.on_received(Time(now), end, &received);
            (found, web.wakes_at.map(Time::ps))
        };
        assert_eq!(web.wakes_at, Some(Time(120)));
        assert_eq!(web.wake(Time(120)), (End::Opener, 300));
        let nothing = (None, None);
        assert_eq!(came(&mut web, 130, End::Answerer, delivered(299)), nothing);
        // What acknowledges carries nothing, and is not the end of a request.
        assert_eq!(came(&mut web, 135, End::Opener, finished()), nothing);
        let served = came(&mut web, 140, End::Answerer, delivered(1));
        assert_eq!(served, (None, Some(190)));
        assert_eq!(web.wake(Time(190)), (End::Answerer, 2_000));
        assert_eq!(came(&mut web, 200, End::Opener, delivered(1_999)), nothing);
        let answered = came(&mut web, 210, End::Opener, delivered(1));
        assert_eq!(answered, (Some(Milestone::Answered(Time(120))), Some(230)));
        web.wake(Time(230));
        came(&mut web, 240, End::Answerer, delivered(300));
        web.wake(Time(290));
        let last = came(&mut web, 300, End::Opener, delivered(2_000));
        assert_eq!(last, (Some(Milestone::Answered(Time(230))), None));
    }

    #[test]
    fn a_file_ends_with_its_last_acknowledgement() {
        for (bytes, all) in [(Some(77), 77), (None, ENDLESS_BYTES)] {
            let start = Time(100);
            let mut bulk = transfers(TrafficSpec::Infinite { start, bytes });
            assert_eq!(bulk.wakes_at, Some(start));
            assert_eq!(bulk.wake(start), (End::Opener, all));
            let found = bulk.on_received(Time(200), End::Answerer, &delivered(77));
            let is_file = bytes.is_some();
            assert_eq!(found, is_file.then_some(Milestone::FileIn(start)));
            assert_eq!((bulk.wakes_at, bulk.is_unacknowledged), (None, is_file));
            assert_eq!(bulk.is_endless(), !is_file);
        }
    }

    #[test]
    fn think_times_are_within_their_range() {
        let mean = 10 * MS;
        let mut found = transfers(TrafficSpec::Files {
            start: Time(MS),
            bytes: 5_000,
            think: Span::Uniform(Duration(mean)),
            count: None,
        });
        let (mut now, mut sum, mut most) = (MS, 0, 0);
        for _ in 0..10_000 {
            let wakes_at = found.wakes_at.expect("files never end").ps();
            let think = wakes_at - now;
            sum += think;
            most = most.max(think);
            now = wakes_at + 7;
            found.wake(Time(wakes_at));
            found.on_received(Time(now), End::Opener, &finished());
        }
        assert!(most < 2 * mean && most > 2 * mean - mean / 50);
        assert!((sum / 10_000).abs_diff(mean) < mean / 50);
    }

    #[test]
    fn nothing_never_starts() {
        assert_eq!(requests(0).wakes_at, None);
        let datagrams = transfers(TrafficSpec::Constant {
            start: Time::ZERO,
            rate: backwater_kernel::Rate(1_000),
            random_phase: false,
        });
        assert_eq!(datagrams.wakes_at, None);
    }
}
