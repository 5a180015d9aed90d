//! What the reference refuses to run, and in which order nodes move flits.

use backwater_flit::spec::{Allocator, FabricSpec, LANES_MAX, Sources, Switch};
use backwater_kernel::BuildError;

use super::network::wrong;

type Checked = Result<(), BuildError>;

fn require(holds: bool, otherwise: &str) -> Checked {
    if holds { Ok(()) } else { wrong(otherwise) }
}

/// Refuses what the loop below could not even start on.
pub(super) fn check(spec: &FabricSpec) -> Checked {
    let (graph, router) = (&spec.graph, &spec.router);
    let known = |index: &u32| *index < graph.routers;
    require(
        graph.inject.len() == graph.eject.len(),
        "as many injection as ejection channels",
    )?;
    require(
        graph.inject.iter().chain(&graph.eject).all(known),
        "a terminal sits at no router",
    )?;
    let ends = graph.channels.iter();
    require(
        ends.clone()
            .all(|channel| known(&channel.from) && known(&channel.to)),
        "a channel ends nowhere",
    )?;
    require(
        graph.channels.is_sorted_by_key(|channel| channel.from),
        "channels are ordered by sender",
    )?;
    let latencies = ends
        .map(|channel| channel.latency)
        .chain([graph.injection_latency, graph.ejection_latency])
        .chain(graph.terminal_latency.iter().copied());
    require(latencies.min() > Some(0), "a channel takes no time")?;
    require((1..=LANES_MAX).contains(&router.lanes), "VCs out of range")?;
    require(router.depth > 0, "buffers without room")?;
    require(!spec.classes.is_empty(), "no class of packets")?;
    check_switch(router.switch)
}

fn check_switch(switch: Switch) -> Checked {
    let Switch::Multiplexed {
        allocator,
        output_buffer,
        speedup,
    } = switch
    else {
        return Ok(());
    };
    require(speedup > 0, "a switch that never works")?;
    require(
        speedup == 1 || output_buffer > 0,
        "speedup needs an output buffer",
    )?;
    require(
        allocator != Allocator::Islip { iterations: 0 },
        "a matching without iterations",
    )
}

/// Nodes so that no channel leads from an earlier to a later one; with cycles of routers just by
/// number, and then credits need time.
pub(super) fn of_moves(spec: &FabricSpec) -> Result<Vec<usize>, BuildError> {
    let graph = &spec.graph;
    let routers = graph.routers as usize;
    let mut turn: Vec<usize> = Vec::new();
    let mut placed = vec![false; routers];
    // Again and again: routers all of whose receivers are placed.
    loop {
        let is_sink = |router: usize, placed: &[bool]| {
            let own =
                |channel: &&backwater_flit::spec::ChannelSpec| channel.from as usize == router;
            let mut channels = graph.channels.iter().filter(own);
            channels.all(|channel| placed[channel.to as usize])
        };
        let next: Vec<usize> = (0..routers)
            .filter(|router| !placed[*router] && is_sink(*router, &placed))
            .collect();
        if next.is_empty() {
            break;
        }
        for router in &next {
            placed[*router] = true;
        }
        turn.extend(next);
    }
    if turn.len() < routers {
        if spec.router.credit_delay == 0 {
            return wrong("credit_delay 0 needs routers without cycles of channels");
        }
        turn = (0..routers).collect();
    }
    turn.extend(routers..routers + graph.inject.len());
    Ok(turn)
}

/// Index of the source that feeds a source lane.
pub(super) fn source_of(spec: &FabricSpec, terminal: usize, lane: usize) -> usize {
    match spec.sources {
        Sources::One | Sources::Shared => terminal,
        Sources::PerLane => terminal * usize::from(spec.router.lanes) + lane,
    }
}
