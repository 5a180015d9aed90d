//! When a channel is cut.
//!
//! A unit is on the wire from its start until its last bit is at the far end. If the channel is
//! cut at any time of that, the unit is lost; whether it is, is known at its start.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use crate::spec::OutageSpec;

/// The outages of one channel.
pub(crate) struct Outages {
    /// From and until, in order of time; none overlap.
    spans: Vec<(Time, Time)>,
    /// Those before are over.
    next: usize,
    /// From the last bit's start to its end at the far side.
    delay: Duration,
}

impl Outages {
    /// Those of `channel`, whose propagation is `delay`; `None` if it is never cut.
    pub fn new(outages: &[OutageSpec], channel: u32, delay: Duration) -> Option<Outages> {
        let its = outages.iter().filter(|outage| outage.channel == channel);
        let mut given: Vec<_> = its.map(|outage| (outage.from, outage.until)).collect();
        given.sort_unstable();
        let mut spans: Vec<(Time, Time)> = Vec::new();
        for (from, until) in given {
            match spans.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(until),
                _ => spans.push((from, until)),
            }
        }
        (!spans.is_empty()).then_some(Outages {
            spans,
            next: 0,
            delay,
        })
    }

    /// Is a unit that starts now, and takes `sending` to send, lost? To be asked in order of
    /// time.
    pub fn cut(&mut self, now: Time, sending: Duration) -> bool {
        while self.spans.get(self.next).is_some_and(|span| span.1 <= now) {
            self.next += 1;
        }
        let span = self.spans.get(self.next);
        span.is_some_and(|span| span.0 < now + sending + self.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outages(spans: &[(u64, u64)]) -> Option<Outages> {
        let outage = |&(from, until): &(u64, u64)| OutageSpec {
            channel: 4,
            from: Time(from),
            until: Time(until),
        };
        let mut outages: Vec<OutageSpec> = spans.iter().map(outage).collect();
        outages.push(OutageSpec {
            channel: 5,
            from: Time(0),
            until: Time(1000),
        });
        Outages::new(&outages, 4, Duration(20))
    }

    /// A unit of 3 ps is on the wire for 23.
    #[test]
    fn a_unit_is_lost_if_any_of_its_time_on_the_wire_is_cut() {
        let mut found = outages(&[(100, 150), (200, 201)]).expect("it is cut");
        let lost: Vec<u64> = (0..300)
            .filter(|&at| found.cut(Time(at), Duration(3)))
            .collect();
        let exact: Vec<u64> = (78..150).chain(178..201).collect();
        assert_eq!(lost, exact);
    }

    #[test]
    fn outages_that_overlap_are_one() {
        let mut found = outages(&[(150, 170), (100, 160), (120, 130), (170, 180)]).expect("cut");
        assert_eq!(found.spans, [(Time(100), Time(180))]);
        assert!(found.cut(Time(179), Duration(3)));
        assert!(!found.cut(Time(180), Duration(3)));
    }

    #[test]
    fn a_channel_without_outages_has_none() {
        assert!(outages(&[]).is_none());
    }
}
