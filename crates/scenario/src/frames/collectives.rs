//! Collective operations: the flows of their ranks.

use backwater_ends::spec::collectives::{
    self, Collective, CollectiveSpec, Cut, LISTED, Lane, Operation, Order,
};
use backwater_kernel::words::counted;
use backwater_net::frames::spec::{MOST_IN_LIST, TrafficSpec};

use super::net::Net;
use crate::given::frames::collectives::{self as given, Collectives, CollectivesKind, Cutting};
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
    let work = &given.work;
    let hosts = patterns::hosts(&work.ranks, net, mistakes)?;
    let (size, times) = (*work.size.sure()?, *work.times.sure()?);
    let kind = work.kind.sure()?;
    let operation = operation((*kind, size), (&work.cutting, &given.at), mistakes)?;
    let ranks = hosts.len() as u64;
    let messages = operation.messages(ranks as u32);
    let listed = messages.saturating_mul(times.min(LISTED).into());
    if room_of_messages(room).refuses(&work.times.at, listed, mistakes) {
        return None;
    }
    let lanes = collectives::lanes(
        operation,
        ranks as u32,
        (times, *work.think),
        (*work.start, first as u32),
    );
    let (lanes, steps) = match lanes {
        Ok(lanes) => lanes,
        Err(what) => {
            let at = work.ranks.place().unwrap_or(&given.at);
            Diagnostic::error("bad-collective", what)
                .at(at, counted(ranks, "rank"))
                .at(&work.size.at, "`size`, which is cut into blocks")
                .help("name two hosts or more, whole nodes of them, and a byte for each block")
                .tell(mistakes);
            return None;
        }
    };
    if are_too_long(
        &lanes,
        steps.saturating_mul(times),
        &work.times.at,
        mistakes,
    ) {
        return None;
    }
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
        times,
        steps,
        flows: first..first + sent.len() as u32,
    };
    Some((sent, collective))
}

/// Says that a flow has more messages than can be numbered or bytes than can be counted, or an
/// operation more steps, if so.
pub(crate) fn are_too_long(
    lanes: &[Lane],
    steps: u32,
    at: &At,
    mistakes: &mut Diagnostics,
) -> bool {
    let counts = lanes.iter().map(|lane| {
        let list = &lane.list;
        list.message_count().max(list.compute_count())
    });
    let most = counts.max().unwrap_or(0).max(steps.into());
    let (what, of_most) = match lanes.iter().any(|lane| lane.list.bytes().is_none()) {
        true => ("bytes", u64::MAX),
        false if most > MOST_IN_LIST => ("messages", MOST_IN_LIST),
        false => return false,
    };
    Diagnostic::error("too-large", format!("too many {what} of one flow"))
        .at(at, "so often")
        .note(format!("at most {of_most} {what}"))
        .help("do it fewer times")
        .tell(mistakes);
    true
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

/// What is done on so many bytes; `None` if something is wrong, which is then told.
pub(crate) fn operation(
    (kind, bytes): (CollectivesKind, u64),
    (cutting, at): (&Cutting, &At),
    mistakes: &mut Diagnostics,
) -> Option<Operation> {
    let collective = match kind {
        CollectivesKind::RingAllReduce => Collective::RingAllReduce,
        CollectivesKind::RingReduceScatter => Collective::RingReduceScatter,
        CollectivesKind::RingAllGather => Collective::RingAllGather,
        CollectivesKind::HalvingDoublingAllReduce => Collective::HalvingDoublingAllReduce,
        CollectivesKind::TreeAllReduce => Collective::TreeAllReduce,
        CollectivesKind::DoubleTreeAllReduce => Collective::DoubleTreeAllReduce,
        CollectivesKind::TreeBroadcast => Collective::TreeBroadcast,
        CollectivesKind::PairwiseAllToAll => Collective::PairwiseAllToAll,
        CollectivesKind::AllToAll => Collective::AllToAll,
        CollectivesKind::Pipeline => Collective::Pipeline,
    };
    if let Some(at) = cutting.chunk.place().filter(|_| !collective.has_chunks()) {
        Diagnostic::no_meaning("chunk", format!("of `{}`", kind.word()))
            .at(at, "its blocks go as one message each")
            .help("leave it out, divide the bytes by `channels`, or use a ring or double trees")
            .tell(mistakes);
        return None;
    }
    let chunk = *cutting.chunk.sure()?;
    let usual = (kind == CollectivesKind::DoubleTreeAllReduce).then_some(CHUNK_BYTES);
    let cut = Cut {
        channels: *cutting.channels.sure()?,
        order: order(cutting, at, mistakes)?,
        chunk: chunk.or(usual),
    };
    Some(Operation {
        kind: collective,
        bytes,
        cut,
    })
}

/// How ranks stand in channels.
fn order(cutting: &Cutting, at: &At, mistakes: &mut Diagnostics) -> Option<Order> {
    let node = cutting.ranks_per_node.sure()?;
    match (*cutting.order.sure()?, node) {
        (given::Order::Rails, Some(node)) => Some(Order::Rails { node: *node }),
        (given::Order::Rails, None) => {
            let what = "`ranks_per_node` is missing beside `order = \"rails\"`";
            Diagnostic::error("missing-key", what)
                .at(at, "rails are between nodes")
                .help("say how many ranks in a row are a node, such as `ranks_per_node = 8`")
                .tell(mistakes);
            None
        }
        (own @ (given::Order::Same | given::Order::Rotated), Some(_)) => {
            let at = cutting.ranks_per_node.place().unwrap_or(at);
            Diagnostic::no_meaning(
                "ranks_per_node",
                format!("with `order = \"{}\"`", own.word()),
            )
            .at(at, "only rails are between nodes")
            .help("leave it out, or use `order = \"rails\"`")
            .tell(mistakes);
            None
        }
        (given::Order::Same, None) => Some(Order::Same),
        (given::Order::Rotated, None) => Some(Order::Rotated),
    }
}
