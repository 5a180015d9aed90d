//! What uses a connection: bytes one way, or requests one way and responses back.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};

use super::connection::End;
use crate::spec::Span;
use crate::spec::units::{CellApplication, CellTcpSpec};

/// More than any run sends.
const ENDLESS_BYTES: u64 = u64::MAX / 4;

/// What the application waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Its start, or the end of a think time.
    Thinking,
    /// The whole request at the server.
    Requesting,
    /// The end of a service time.
    Serving,
    /// The whole response at the client.
    Responding,
    /// Nothing any more.
    Over,
}

/// The client at the opener, and the server at the other end.
pub(super) struct Application {
    kind: CellApplication,
    stage: Stage,
    /// The start, or the end of a think or service time.
    pub wakes_at: Option<Time>,
    /// The request was handed over.
    began: Time,
    /// Of the request or response under way.
    got_bytes: u64,
    /// Requests not yet begun; without end if absent.
    left: Option<u64>,
    /// Requests answered in full.
    pub answered: u64,
    think: Stream,
    service: Stream,
}

impl Application {
    pub fn new(spec: &CellTcpSpec, seed: u64, flow: u32) -> Application {
        let stream = |purpose| Stream::new(seed, flow as u64, purpose);
        let mut application = Application {
            kind: spec.application,
            stage: Stage::Over,
            wakes_at: None,
            began: Time::ZERO,
            got_bytes: 0,
            left: match spec.application {
                CellApplication::Bulk(_) => Some(1),
                CellApplication::Requests { count, .. } => count,
            },
            answered: 0,
            think: stream(Purpose::Think),
            service: stream(Purpose::Service),
        };
        application.think_from(spec.start);
        application
    }

    /// The next request, if there is one, comes a think time after this.
    fn think_from(&mut self, from: Time) {
        self.stage = Stage::Over;
        if self.left == Some(0) {
            return;
        }
        self.left = self.left.map(|left| left - 1);
        self.stage = Stage::Thinking;
        let think = match self.kind {
            CellApplication::Bulk(_) => Span::Fixed(Duration::ZERO),
            CellApplication::Requests { think, .. } => think,
        };
        self.wakes_at = from.checked_add(think.draw(&mut self.think));
    }

    /// A think or service time is over: which end sends how many bytes.
    pub fn wake(&mut self, now: Time) -> (End, u64) {
        self.wakes_at = None;
        self.got_bytes = 0;
        match (self.stage, self.kind) {
            (Stage::Serving, CellApplication::Requests { response_bytes, .. }) => {
                self.stage = Stage::Responding;
                (End::Answerer, response_bytes)
            }
            (_, CellApplication::Requests { request_bytes, .. }) => {
                self.stage = Stage::Requesting;
                self.began = now;
                (End::Opener, request_bytes)
            }
            (_, CellApplication::Bulk(bytes)) => {
                self.stage = Stage::Over;
                (End::Opener, bytes.unwrap_or(ENDLESS_BYTES))
            }
        }
    }

    /// So many bytes are in order at an end that were not before; when the request was handed over
    /// whose response they complete, if they do.
    pub fn on_bytes(&mut self, now: Time, end: End, bytes: u64) -> Option<Time> {
        let CellApplication::Requests {
            request_bytes,
            response_bytes,
            service,
            ..
        } = self.kind
        else {
            return None;
        };
        match (self.stage, end) {
            (Stage::Requesting, End::Answerer) => {
                self.got_bytes += bytes;
                if self.got_bytes >= request_bytes {
                    self.stage = Stage::Serving;
                    self.wakes_at = now.checked_add(service.draw(&mut self.service));
                }
                None
            }
            (Stage::Responding, End::Opener) => {
                self.got_bytes += bytes;
                if self.got_bytes < response_bytes {
                    return None;
                }
                self.answered += 1;
                let began = self.began;
                self.think_from(now);
                Some(began)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TcpSpec;

    fn application(kind: CellApplication) -> Application {
        let spec = CellTcpSpec {
            start: Time(100),
            tcp: TcpSpec::bsd(),
            application: kind,
            overhead_bytes: 56,
            payload_bytes: 48,
        };
        Application::new(&spec, 1, 0)
    }

    #[test]
    fn bulk_is_handed_over_once() {
        for (bytes, all) in [(Some(77), 77), (None, ENDLESS_BYTES)] {
            let mut bulk = application(CellApplication::Bulk(bytes));
            assert_eq!(bulk.wakes_at, Some(Time(100)));
            assert_eq!(bulk.wake(Time(100)), (End::Opener, all));
            assert_eq!(bulk.wakes_at, None);
            assert_eq!(bulk.on_bytes(Time(200), End::Answerer, 77), None);
            assert_eq!((bulk.wakes_at, bulk.answered), (None, 0));
        }
    }

    #[test]
    fn requests_and_responses_take_turns() {
        let mut web = application(CellApplication::Requests {
            request_bytes: 300,
            response_bytes: 2000,
            service: Span::Fixed(Duration(50)),
            think: Span::Fixed(Duration(20)),
            count: Some(2),
        });
        assert_eq!(web.wakes_at, Some(Time(120)));
        assert_eq!(web.wake(Time(120)), (End::Opener, 300));
        assert_eq!(web.on_bytes(Time(130), End::Answerer, 299), None);
        // What acknowledges carries nothing.
        assert_eq!(web.on_bytes(Time(135), End::Opener, 0), None);
        assert_eq!(web.wakes_at, None);
        assert_eq!(web.on_bytes(Time(140), End::Answerer, 1), None);
        assert_eq!(web.wakes_at, Some(Time(190)));
        assert_eq!(web.wake(Time(190)), (End::Answerer, 2000));
        assert_eq!(web.on_bytes(Time(200), End::Opener, 1999), None);
        let began = web.on_bytes(Time(210), End::Opener, 1);
        assert_eq!((began, web.answered), (Some(Time(120)), 1));
        assert_eq!(web.wakes_at, Some(Time(230)));
        web.wake(Time(230));
        web.on_bytes(Time(240), End::Answerer, 300);
        web.wake(Time(290));
        assert_eq!(web.on_bytes(Time(300), End::Opener, 2000), Some(Time(230)));
        assert_eq!((web.wakes_at, web.answered), (None, 2));
    }

    #[test]
    fn no_requests_never_start() {
        let none = application(CellApplication::Requests {
            request_bytes: 300,
            response_bytes: 2000,
            service: Span::Fixed(Duration(50)),
            think: Span::Fixed(Duration(20)),
            count: Some(0),
        });
        assert_eq!(none.wakes_at, None);
    }
}
