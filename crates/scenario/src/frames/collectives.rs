//! Collective operations: the flows of their ranks.

use backwater_ends::spec::collectives::{self, Collective};
use backwater_ends::spec::messages::MessagesSpec;
use backwater_kernel::words::counted;
use backwater_net::frames::spec::TrafficSpec;

use super::net::Net;
use crate::given::frames::collectives::{Collectives, CollectivesKind};
use crate::network::memory;
use crate::network::patterns::{self, Room};
use crate::prelude::*;

/// Messages of one collective: numbers of them stay small.
const MOST_MESSAGES: u64 = 1 << 30;

/// From one host to another, and what is sent.
type Sent = ((u32, Vec<u32>), TrafficSpec);

/// The flows of an operation, the first of which is to be number `first`; `None` if something is
/// wrong, which is then told.
pub(crate) fn flows(
    given: &Placed<Collectives>,
    (net, room): (&Net<'_>, Room),
    first: usize,
    mistakes: &mut Diagnostics,
) -> Option<Vec<Sent>> {
    let hosts = patterns::hosts(&given.ranks, net, mistakes)?;
    let operation = operation(*given.kind.sure()?);
    let (size, times) = (*given.size.sure()?, *given.times.sure()?);
    let ranks = hosts.len() as u64;
    let messages = operation
        .messages(ranks as u32)
        .saturating_mul(times.into());
    let room_of_messages = Room {
        of: "messages",
        each: memory::MESSAGE_BYTES,
        most: MOST_MESSAGES,
        limits: room.limits,
    };
    if room_of_messages.refuses(&given.times.at, messages, mistakes) {
        return None;
    }
    let lanes = collectives::lanes(
        operation,
        (ranks as u32, size),
        (times, *given.think),
        first as u32,
    );
    let lanes = match lanes {
        Ok(lanes) => lanes,
        Err(what) => {
            let at = given.ranks.place().unwrap_or(&given.at);
            Diagnostic::error("bad-collective", what)
                .at(at, counted(ranks, "rank"))
                .at(&given.size.at, "`size`, which is cut into blocks")
                .help("name at least two hosts in `ranks`, and a byte or more for each block")
                .tell(mistakes);
            return None;
        }
    };
    let sent = lanes.into_iter().map(|lane| {
        let list = MessagesSpec {
            start: *given.start,
            messages: lane.messages,
        };
        let (from, to) = (hosts[lane.from as usize], hosts[lane.to as usize]);
        ((from, vec![to]), TrafficSpec::Messages(list))
    });
    Some(sent.collect())
}

fn operation(kind: CollectivesKind) -> Collective {
    match kind {
        CollectivesKind::RingAllReduce => Collective::RingAllReduce,
        CollectivesKind::RingReduceScatter => Collective::RingReduceScatter,
        CollectivesKind::RingAllGather => Collective::RingAllGather,
        CollectivesKind::HalvingDoublingAllReduce => Collective::HalvingDoublingAllReduce,
        CollectivesKind::TreeAllReduce => Collective::TreeAllReduce,
        CollectivesKind::TreeBroadcast => Collective::TreeBroadcast,
        CollectivesKind::PairwiseAllToAll => Collective::PairwiseAllToAll,
        CollectivesKind::AllToAll => Collective::AllToAll,
        CollectivesKind::Pipeline => Collective::Pipeline,
    }
}
