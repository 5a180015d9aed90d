//! Closed-loop bursts: Kalyanaraman, Jain, Goyal, Fahmy, Samudra, "Use-it-or-lose-it policies for
//! the available bit rate (ABR) service in ATM networks", Computer Networks and ISDN Systems 30
//! (1998), section 7.2.1.
//!
//! The source sends a set of requests and gets a set of responses. The next cycle begins an
//! inter-cycle time after the last response is in, so that a slow network gets fewer requests. All
//! units of a request are offered at once (the paper: at PCR; source control makes the rate).
//! Responses come from a `Server` on the partner flow, one request after another.
//!
//! | Paper | Here |
//! |---|---|
//! | set of requests | `requests` |
//! | request, response, in cells | `request_units`, `response_units` |
//! | inter-request time | `inter_request`, from request to request |
//! | inter-cycle time | `inter_cycle`, from the last unit of the last response |
//!
//! Not modelled: requests that are repeated when a unit is lost.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};

use super::{ENDLESS, Emission, Exchange, Request};
use crate::spec::units::RequestsSpec;

/// State of one client.
pub struct Requests {
    spec: RequestsSpec,
    pub exchange: Exchange,
    /// Requests of this cycle not yet issued.
    in_cycle: u32,
    /// Cycles not yet begun.
    cycles_left: u64,
    gaps: Stream,
}

impl Requests {
    pub fn new(spec: RequestsSpec, seed: u64, flow: u32) -> Requests {
        Requests {
            spec,
            exchange: Exchange::new(spec.request_units),
            in_cycle: 0,
            cycles_left: spec.cycles.unwrap_or(ENDLESS),
            gaps: Stream::new(seed, flow as u64, Purpose::Think),
        }
    }

    /// The first request.
    pub fn start(&self) -> Option<Time> {
        (self.cycles_left > 0).then_some(self.spec.start)
    }

    /// The first request comes so much later.
    pub fn postpone(&mut self, by: Duration) {
        self.spec.start += by;
    }

    /// The next request is due, and with it those that follow without a gap.
    pub fn on_timer(&mut self, now: Time) -> Emission {
        if self.in_cycle == 0 {
            self.in_cycle = self.spec.requests;
            if self.cycles_left != ENDLESS {
                self.cycles_left -= 1;
            }
        }
        let mut units = 0;
        loop {
            units += self.spec.request_units as u64;
            self.in_cycle -= 1;
            self.exchange.issue(Request {
                response_units: self.spec.response_units,
                service: self.spec.service,
                issued: now,
            });
            if self.in_cycle == 0 {
                return Emission { units, next: None };
            }
            let gap = self.spec.inter_request.draw(&mut self.gaps);
            if gap > Duration::ZERO {
                let next = Some(now + gap);
                return Emission { units, next };
            }
        }
    }

    /// A unit of a response arrived. When it completes one: when that was issued, and when the
    /// next cycle begins, if this ends one.
    pub fn on_response_unit(&mut self, now: Time) -> Option<(Time, Option<Time>)> {
        let answered = self.exchange.on_response_unit()?;
        let is_over = self.in_cycle == 0 && self.exchange.is_answered();
        let next = (is_over && self.cycles_left > 0)
            .then(|| now + self.spec.inter_cycle.draw(&mut self.gaps));
        Some((answered.issued, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Span;

    fn spec() -> RequestsSpec {
        RequestsSpec {
            start: Time(100),
            requests: 3,
            request_units: 2,
            response_units: 4,
            inter_request: Span::Fixed(Duration(10)),
            inter_cycle: Span::Fixed(Duration(50)),
            service: Span::Fixed(Duration(7)),
            cycles: Some(2),
        }
    }

    fn emission(units: u64, next: Option<u64>) -> Emission {
        let next = next.map(Time);
        Emission { units, next }
    }

    /// One response of 4 units, all at `now`.
    fn respond(requests: &mut Requests, now: u64) -> Option<(Time, Option<Time>)> {
        for _ in 0..3 {
            assert_eq!(requests.on_response_unit(Time(now)), None);
        }
        requests.on_response_unit(Time(now))
    }

    #[test]
    fn a_cycle_begins_when_the_one_before_is_answered() {
        let mut requests = Requests::new(spec(), 1, 0);
        assert_eq!(requests.start(), Some(Time(100)));
        assert_eq!(requests.on_timer(Time(100)), emission(2, Some(110)));
        assert_eq!(requests.on_timer(Time(110)), emission(2, Some(120)));
        // All that was asked is answered, but the cycle is not over.
        assert_eq!(respond(&mut requests, 112), Some((Time(100), None)));
        assert_eq!(respond(&mut requests, 115), Some((Time(110), None)));
        assert_eq!(requests.on_timer(Time(120)), emission(2, None));
        let second = Some(Time(180));
        assert_eq!(respond(&mut requests, 130), Some((Time(120), second)));
        for (now, next) in [(180, Some(190)), (190, Some(200)), (200, None)] {
            assert_eq!(requests.on_timer(Time(now)), emission(2, next));
        }
        for issued in [180, 190, 200] {
            assert_eq!(respond(&mut requests, 300), Some((Time(issued), None)));
        }
        // Nothing was asked for.
        assert_eq!(requests.on_response_unit(Time(301)), None);
    }

    #[test]
    fn requests_without_a_gap_come_together() {
        let mut spec = spec();
        spec.inter_request = Span::Fixed(Duration::ZERO);
        let mut requests = Requests::new(spec, 1, 0);
        assert_eq!(requests.on_timer(Time(100)), emission(6, None));
        let request = Request {
            response_units: 4,
            service: spec.service,
            issued: Time(100),
        };
        for unit in 1..=6 {
            let complete = (unit % 2 == 0).then_some(request);
            assert_eq!(requests.exchange.on_request_unit(), complete);
        }
        assert_eq!(requests.exchange.on_request_unit(), None);
    }

    #[test]
    fn no_cycles_never_start() {
        let cycles = Some(0);
        let requests = Requests::new(RequestsSpec { cycles, ..spec() }, 1, 0);
        assert_eq!(requests.start(), None);
    }
}
