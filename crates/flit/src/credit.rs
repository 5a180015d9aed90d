//! What the credit of a channel lets through.
//!
//! A flit takes a place in the next buffer as it leaves, and the place is known to be free a round
//! trip later: on its way, in the buffer, and the credit on its way back. So a lane lets `depth`
//! flits through in each round trip. A lane that is free again only when its buffer is drained
//! holds one packet at a time, however deep it is:
//!
//! ```text
//! flits / (first to last flit + round trip + what a header waits)
//! ```
//!
//! All lanes together let through the sum, and never more than a flit a cycle. That is the most:
//! what contention, few sources or classes of lanes leave unused comes on top.

use crate::spec::{ChannelSpec, FabricSpec, LaneChoice, Release, RouterSpec, Sources, Switch};
use crate::traffic::size;

/// The credit of one channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChannelCredit {
    /// Cycles from a flit's leaving a buffer to the leaving of the one that takes its place.
    pub round_trip: u32,
    /// Most flits a cycle.
    pub carried: f64,
    /// Flits that a lane must hold so that the round trip takes nothing.
    pub enough: u32,
    /// A lane holds one packet, so that more places alone are not enough.
    pub is_one_packet: bool,
}

impl ChannelCredit {
    /// Of a channel as in [`crate::outcome::FabricOutcome::utilization`]; `None` for those that
    /// end at a terminal, which takes all.
    pub fn of(spec: &FabricSpec, channel: usize) -> Option<ChannelCredit> {
        let graph = &spec.graph;
        let inner = graph.channels.get(channel);
        let flight = match inner {
            Some(inner) => u32::from(inner.latency) + leaving(&spec.router),
            None => {
                let terminal = channel - graph.channels.len();
                (terminal < graph.inject.len()).then(|| graph.injection(terminal).into())?
            }
        };
        let flits = spec.classes.iter().map(|class| size::mean(&class.size));
        let flits = flits.fold(1.0, f64::max) as u32;
        let mut router = spec.router.clone();
        let is_serial = comes_one_by_one(spec, inner);
        // Its tail sent, the lowest lane is free again for the next packet.
        if is_serial
            && router.release == Release::TailSent
            && router.lane_choice == LaneChoice::Lowest
        {
            router.lanes = 1;
        }
        Some(ChannelCredit::new(&router, flight, flits, is_serial))
    }

    fn new(router: &RouterSpec, flight: u32, flits: u32, is_serial: bool) -> ChannelCredit {
        let round_trip = flight + u32::from(router.credit_delay);
        let header = u32::from(router.header_delay) + u32::from(router.allocation_delay);
        let depth = u32::from(router.depth).max(1);
        // When a flit of a packet leaves, by what a lane holds.
        let leaves = |flit: u32| flit / depth * round_trip.max(depth) + flit % depth;
        let last = leaves(flits - 1);
        let by_lane = match router.release {
            Release::TailSent => f64::from(depth) / f64::from(round_trip.max(1)),
            Release::Drained => f64::from(flits) / f64::from((last + round_trip + header).max(1)),
        };
        // The next packet begins when the last flit of this one has come into the buffer before.
        let by_source = match flits.checked_sub(depth) {
            Some(more @ 1..) if is_serial => {
                let waited = leaves(more - 1) + u32::from(router.credit_delay) + 1;
                f64::from(flits) / f64::from(waited)
            }
            _ => 1.0,
        };
        let is_one_packet = router.release == Release::Drained && flits <= depth;
        ChannelCredit {
            round_trip,
            carried: (by_lane * f64::from(router.lanes)).min(by_source).min(1.0),
            enough: round_trip + header,
            is_one_packet,
        }
    }
}

/// Does all that crosses a channel come from one source, packet by packet?
fn comes_one_by_one(spec: &FabricSpec, channel: Option<&ChannelSpec>) -> bool {
    let graph = &spec.graph;
    let feeds = |own: &ChannelSpec| {
        let through = |other: &&ChannelSpec| other.to == own.from && other.from != own.to;
        let terminals = graph.inject.iter().filter(|router| **router == own.from);
        graph.channels.iter().filter(through).count() + terminals.count()
    };
    let has_one_group = spec.classes.iter().all(|class| class.lane_group == 0);
    spec.sources == Sources::One && has_one_group && channel.is_none_or(|own| feeds(own) == 1)
}

/// What every flit spends in a router on its way out.
fn leaving(router: &RouterSpec) -> u32 {
    let buffered = match router.switch {
        Switch::Multiplexed { output_buffer, .. } => u32::from(output_buffer > 0),
        Switch::Crossbar => 0,
    };
    u32::from(router.pipeline_delay) + buffered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As measured between two routers whose sources always have a packet.
    #[test]
    fn a_long_channel_carries_what_its_buffers_let_through() {
        let router = |lanes: u8, depth: u16, release: Release| RouterSpec {
            release,
            ..RouterSpec::new(lanes, depth)
        };
        let carried = |router: &RouterSpec, flight, flits| {
            ChannelCredit::new(router, flight, flits, true).carried
        };
        let near = |found: f64, measured: f64| {
            assert!((found / measured - 1.0).abs() < 0.07, "{found}, {measured}");
        };
        near(carried(&router(2, 8, Release::Drained), 50, 4), 0.1482);
        near(carried(&router(1, 8, Release::TailSent), 203, 5), 0.0393);
        near(carried(&router(1, 16, Release::Drained), 20, 1), 1.0 / 21.0);
        near(carried(&router(2, 4, Release::Drained), 201, 5), 0.0246);
        let late = RouterSpec {
            credit_delay: 4,
            ..router(4, 1, Release::Drained)
        };
        near(carried(&late, 1, 4), 0.25);
        near(carried(&router(1, 4, Release::Drained), 5, 5), 0.4165);
        let small = ChannelCredit::new(&router(1, 8, Release::TailSent), 60, 20, true);
        assert_eq!((small.round_trip, small.enough), (61, 61));
        let enough = router(1, 61, Release::TailSent);
        assert!(carried(&enough, 60, 20) >= 1.0);
    }
}
