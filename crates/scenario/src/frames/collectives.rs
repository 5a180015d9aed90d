//! Collective operations: the flows of their ranks.

use backwater_ends::spec::collectives::{self, Collective, CollectiveSpec};
use backwater_kernel::words::counted;
use backwater_net::frames::spec::TrafficSpec;

use super::net::Net;
use crate::given::frames::collectives::{Collectives, CollectivesKind};
use crate::language::typed::Word;
use crate::network::memory;
use crate::network::patterns::{self, Room};
use crate::prelude::*;

/// Messages of one collective: numbers of them stay small.
const MOST_MESSAGES: u64 = 1 << 30;

/// From one host to another, and what is sent.
pub(crate) type Sent = ((u32, Vec<u32>), TrafficSpec);

/// The flows of an operation, the first of which is to be number `first`, and what they are
/// together; `None` if something is wrong, which is then told.
pub(crate) fn flows(
    given: &Placed<Collectives>,
    (net, room): (&Net<'_>, Room),
    first: usize,
    mistakes: &mut Diagnostics,
) -> Option<(Vec<Sent>, CollectiveSpec)> {
    let hosts = patterns::hosts(&given.ranks, net, mistakes)?;
    let operation = operation(*given.kind.sure()?, &given.chunk, mistakes)?;
    let (size, times) = (*given.size.sure()?, *given.times.sure()?);
    let ranks = hosts.len() as u64;
    let messages = operation
        .messages(ranks as u32, size)
        .saturating_mul(times.into());
    if room_of_messages(room).refuses(&given.times.at, messages, mistakes) {
        return None;
    }
    let lanes = collectives::lanes(
        operation,
        (ranks as u32, size),
        (times, *given.think),
        (*given.start, first as u32),
    );
    let (lanes, steps) = match lanes {
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
    let first = first as u32;
    let sent = lanes.into_iter().map(|lane| {
        let (from, to) = (hosts[lane.from as usize], hosts[lane.to as usize]);
        ((from, vec![to]), TrafficSpec::Messages(lane.list))
    });
    let sent: Vec<Sent> = sent.collect();
    let collective = CollectiveSpec {
        name: given.name.to_string(),
        operation,
        ranks: ranks as u32,
        hosts,
        bytes: size,
        times,
        steps,
        flows: first..first + sent.len() as u32,
    };
    Some((sent, collective))
}

/// Room for messages.
pub(crate) fn room_of_messages(room: Room) -> Room {
    Room {
        of: "messages",
        each: memory::MESSAGE_BYTES,
        most: MOST_MESSAGES,
        limits: room.limits,
    }
}

/// Bytes of a chunk, where the file does not say.
const CHUNK_BYTES: u64 = 512_000;

/// What is done; `None` if something is wrong, which is then told.
pub(crate) fn operation(
    kind: CollectivesKind,
    chunk: &Placed<Option<u64>>,
    mistakes: &mut Diagnostics,
) -> Option<Collective> {
    if let Some(at) = chunk.place()
        && kind != CollectivesKind::DoubleTreeAllReduce
    {
        Diagnostic::no_meaning("chunk", format!("of `{}`", kind.word()))
            .at(at, "its blocks go as one message each")
            .help("leave it out, or use `kind = \"double-tree-all-reduce\"`")
            .tell(mistakes);
        return None;
    }
    let chunk = (*chunk.sure()?).unwrap_or(CHUNK_BYTES);
    Some(match kind {
        CollectivesKind::RingAllReduce => Collective::RingAllReduce,
        CollectivesKind::RingReduceScatter => Collective::RingReduceScatter,
        CollectivesKind::RingAllGather => Collective::RingAllGather,
        CollectivesKind::HalvingDoublingAllReduce => Collective::HalvingDoublingAllReduce,
        CollectivesKind::TreeAllReduce => Collective::TreeAllReduce,
        CollectivesKind::DoubleTreeAllReduce => Collective::DoubleTreeAllReduce { chunk },
        CollectivesKind::TreeBroadcast => Collective::TreeBroadcast,
        CollectivesKind::PairwiseAllToAll => Collective::PairwiseAllToAll,
        CollectivesKind::AllToAll => Collective::AllToAll,
        CollectivesKind::Pipeline => Collective::Pipeline,
    })
}
