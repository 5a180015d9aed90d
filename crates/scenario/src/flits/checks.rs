//! What can't work in a network of the flit engine as a whole.

use backwater_flit::spec::{ClassSpec, FLIGHT_MAX, Graph, Injection, Size};

use super::network::Plan;
use crate::given::flits::FlitFile;
use crate::given::flits::network::RoutingKind;
use crate::given::flits::router::{Forwarding, Router};
use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::typed::Word;

/// Groups of VCs.
pub(crate) fn groups(classes: &[ClassSpec]) -> u8 {
    classes
        .iter()
        .map(|class| class.lane_group + 1)
        .max()
        .unwrap_or(1)
}

/// Flits of the longest packet of a class.
fn longest(class: &ClassSpec) -> u16 {
    if let Injection::Trace(list) = &class.injection {
        return list.iter().map(|entry| entry.length).max().unwrap_or(1);
    }
    match &class.size {
        Size::Fixed(length) => *length,
        Size::Bimodal { short, long, .. } => *short.max(long),
        Size::Weighted(list) => {
            let drawn = list.iter().filter(|(_, weight)| *weight > 0);
            drawn.map(|(length, _)| *length).max().unwrap_or(1)
        }
    }
}

/// With cut-through, a VC of this depth holds the longest packet.
pub(crate) fn packets_fit(
    router: &Router,
    depth: u16,
    classes: &[ClassSpec],
) -> Option<Diagnostic> {
    let class = classes.iter().max_by_key(|class| longest(class))?;
    let flits = longest(class);
    if router.forwarding.sure() != Some(&Forwarding::CutThrough) || flits <= depth {
        return None;
    }
    let place = match router.storage.is_given {
        true => &router.storage.at,
        false => &router.depth.at,
    };
    Diagnostic::error(
        "too-shallow",
        "with cut-through a VC must hold a whole packet",
    )
    .at(place, format!("a VC holds {depth} flits"))
    .at(
        &router.forwarding.at,
        "headers wait for room for the whole packet",
    )
    .note(format!(
        "packets of `{}` have up to {flits} flits",
        class.name
    ))
    .help(format!(
        "write `depth = {flits}`, or `forwarding = \"wormhole\"`"
    ))
    .into()
}

/// VCs that a group needs for the rule of routing.
fn least_vcs(routing: RoutingKind, is_torus: bool) -> u8 {
    match routing {
        RoutingKind::Dateline | RoutingKind::O1turn => 2,
        RoutingKind::Valiant => 2 + 2 * u8::from(is_torus),
        RoutingKind::MinimalAdaptive => 2 + u8::from(is_torus),
        RoutingKind::DestinationTag
        | RoutingKind::DimensionOrder
        | RoutingKind::Unrestricted
        | RoutingKind::NearestCommonAncestor
        | RoutingKind::NearestCommonAncestorRandom
        | RoutingKind::Table => 1,
    }
}

/// Are there VCs for all groups and for the classes of the rule of routing?
pub(crate) fn vcs(
    file: &FlitFile,
    plan: &Plan,
    routing: RoutingKind,
    groups: u8,
    mistakes: &mut Diagnostics,
) {
    let each = least_vcs(routing, plan.is_torus);
    let needed = u32::from(each) * u32::from(groups);
    let given = &file.router.vcs;
    let Some(vcs) = given.sure().filter(|vcs| u32::from(**vcs) < needed) else {
        return;
    };
    let word = routing.word();
    let why = match (groups, each) {
        (1, _) => format!("`{word}` needs {each} VCs"),
        (_, 1) => format!("{groups} groups of classes need a VC each"),
        _ => format!("`{word}` needs {each} VCs for each of {groups} groups, {needed} in all"),
    };
    let mut diagnostic =
        Diagnostic::error("too-few-vcs", why).at(&given.at, format!("a channel has {vcs}"));
    let rule = &file.routing.kind;
    if rule.is_given && each > 1 {
        diagnostic = diagnostic.at(&rule.at, "the rule of routing");
    }
    let diagnostic =
        diagnostic.note("packets that could wait for each other in a cycle take VCs of their own");
    mistakes.push(if needed <= 32 {
        diagnostic.help(format!("write `vcs = {needed}`"))
    } else {
        diagnostic.help("use fewer groups: a channel has at most 32 VCs")
    });
}

/// Delays against what the engine holds, and against the stall that counts as a deadlock.
pub(crate) fn delays(file: &FlitFile, mistakes: &mut Diagnostics) {
    let (topology, router) = (&file.topology, &file.router);
    let latencies = [
        topology.kind.latency(),
        Some(&topology.injection_latency),
        Some(&topology.ejection_latency),
    ];
    let latencies = latencies.into_iter().flatten();
    let known = latencies.filter(|latency| latency.sure().is_some());
    let Some(longest) = known.max_by_key(|latency| latency.value) else {
        return;
    };
    let flight = u32::from(longest.value) + u32::from(*router.pipeline_delay);
    if flight > FLIGHT_MAX {
        Diagnostic::error(
            "too-long",
            format!("a flit would be under way for {flight} cycles"),
        )
        .at(&router.pipeline_delay.at, "with these cycles in the router")
        .at(
            &longest.at,
            format!("{} cycles on the channel", longest.value),
        )
        .note(format!("together at most {FLIGHT_MAX} cycles"))
        .tell(mistakes);
    }
    let header = u32::from(router.header_delay) + u32::from(router.allocation_delay);
    let quiet = u64::from(flight + header + u32::from(*router.credit_delay));
    let stall = &file.run.stall;
    if stall.sure().is_some_and(|stall| *stall <= quiet) {
        Diagnostic::error(
            "bad-times",
            "a run that only waits would count as deadlocked",
        )
        .at(&stall.at, format!("{} cycles without a move", stall.value))
        .note(format!(
            "channel, router and credit take up to {quiet} cycles by themselves"
        ))
        .help(format!("make `stall` longer than {quiet} cycles"))
        .tell(mistakes);
    }
}

/// Room that is free in the same cycle needs an order in which channels can be worked off.
pub(crate) fn credit(file: &FlitFile, graph: &Graph) -> Option<Diagnostic> {
    let delay = &file.router.credit_delay;
    if delay.sure() != Some(&0) {
        return None;
    }
    let (from, to) = channel_in_cycle(graph)?;
    Diagnostic::error(
        "bad-credit",
        "credit without delay needs a network without cycles",
    )
    .at(
        &delay.at,
        "room is free in the cycle in which a flit leaves",
    )
    .at(
        &file.topology.kind.at,
        format!("its channel {from} -> {to} leads back to where it starts"),
    )
    .note("only a fly, a crossbar and files without cycles have none")
    .help("write `credit_delay = 1`")
    .into()
}

/// A channel between routers that lies on a cycle of channels, if there is one.
fn channel_in_cycle(graph: &Graph) -> Option<(u32, u32)> {
    let mut into = vec![0_u32; graph.routers as usize];
    graph
        .channels
        .iter()
        .for_each(|channel| into[channel.to as usize] += 1);
    let mut free: Vec<u32> = (0..graph.routers)
        .filter(|r| into[*r as usize] == 0)
        .collect();
    while let Some(router) = free.pop() {
        let first = graph
            .channels
            .partition_point(|channel| channel.from < router);
        let own = graph.channels[first..]
            .iter()
            .take_while(|channel| channel.from == router);
        for channel in own {
            let left = &mut into[channel.to as usize];
            *left -= 1;
            if *left == 0 {
                free.push(channel.to);
            }
        }
    }
    // What is left is reached from a cycle; going back from it along what is left ends in one.
    let mut router = (0..graph.routers).find(|router| into[*router as usize] > 0)?;
    let mut before: Vec<Option<u32>> = vec![None; graph.routers as usize];
    for channel in graph
        .channels
        .iter()
        .filter(|channel| into[channel.from as usize] > 0)
    {
        before[channel.to as usize] = Some(channel.from);
    }
    for _ in 0..graph.routers {
        router = before[router as usize]?;
    }
    before[router as usize].map(|from| (from, router))
}
