//! What can't work in a network of the flit engine as a whole.

use flit::spec::{ClassSpec, FLIGHT_MAX, Graph, Injection, RouterSpec, RoutingSpec, Size};

use super::network::Plan;
use super::router::word_of;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;
use crate::source::At;

/// Groups of lanes.
pub(crate) fn groups(classes: &[ClassSpec]) -> u8 {
    classes
        .iter()
        .map(|class| class.lane_group + 1)
        .max()
        .unwrap_or(1)
}

/// Flits of the longest packet of a class.
fn longest(class: &ClassSpec) -> u16 {
    let length = match &class.size {
        Size::Fixed(length) => *length,
        Size::Bimodal { short, long, .. } => *short.max(long),
        Size::Weighted(list) => {
            let drawn = list.iter().filter(|(_, weight)| *weight > 0);
            drawn.map(|(length, _)| *length).max().unwrap_or(1)
        }
    };
    match &class.injection {
        Injection::Trace(list) => list.iter().map(|entry| entry.length).max().unwrap_or(1),
        _ => length,
    }
}

/// With cut-through, a lane holds the longest packet.
pub(crate) fn packets_fit(
    root: &Record,
    router: &RouterSpec,
    classes: &[ClassSpec],
    mistakes: &mut Diagnostics,
) {
    let Some(class) = classes.iter().max_by_key(|class| longest(class)) else {
        return;
    };
    let (flits, depth) = (longest(class), router.depth);
    let Some(table) = root
        .record("router")
        .filter(|_| router.cut_through && flits > depth)
    else {
        return;
    };
    let key = if table.given("storage") {
        "storage"
    } else {
        "depth"
    };
    mistakes.push(
        Diagnostic::error(
            "too-shallow",
            "with cut-through a lane must hold a whole packet",
        )
        .at(table.at(key), format!("a lane holds {depth} flits"))
        .at(
            table.at("forwarding"),
            "headers wait for room for the whole packet",
        )
        .note(format!(
            "packets of `{}` have up to {flits} flits",
            class.name
        ))
        .help(format!(
            "write `depth = {flits}`, or `forwarding = \"wormhole\"`"
        )),
    );
}

/// Lanes that a group needs for the rule of routing.
fn least_lanes(routing: RoutingSpec, is_torus: bool) -> u8 {
    match (routing, is_torus) {
        (RoutingSpec::Dateline | RoutingSpec::O1Turn, _) => 2,
        (RoutingSpec::Valiant, torus) => 2 + 2 * u8::from(torus),
        (RoutingSpec::MinimalAdaptive, torus) => 2 + u8::from(torus),
        _ => 1,
    }
}

/// Are there lanes for all groups and for the classes of the rule of routing?
pub(crate) fn lanes(
    root: &Record,
    plan: &Plan,
    routing: RoutingSpec,
    router: &RouterSpec,
    groups: u8,
    mistakes: &mut Diagnostics,
) {
    let each = least_lanes(routing, matches!(plan, Plan::Torus { .. }));
    let needed = u32::from(each) * u32::from(groups);
    let lanes = router.lanes;
    let Some(table) = root.record("router").filter(|_| u32::from(lanes) < needed) else {
        return;
    };
    let word = word_of(routing);
    let why = match (groups, each) {
        (1, _) => format!("`{word}` needs {each} lanes"),
        (_, 1) => format!("{groups} groups of classes need a lane each"),
        _ => format!("`{word}` needs {each} lanes for each of {groups} groups, {needed} in all"),
    };
    let mut diagnostic = Diagnostic::error("too-few-lanes", why)
        .at(table.at("lanes"), format!("a channel has {lanes}"));
    let kind = root.record("routing").and_then(|table| table.field("kind"));
    if let Some(kind) = kind.filter(|_| each > 1) {
        diagnostic = diagnostic.at(kind.at.clone(), "the rule of routing");
    }
    let diagnostic = diagnostic
        .note("packets that could wait for each other in a circle take lanes of their own");
    mistakes.push(if needed <= 32 {
        diagnostic.help(format!("write `lanes = {needed}`"))
    } else {
        diagnostic.help("use fewer groups: a channel has at most 32 lanes")
    });
}

/// Delays against what the engine holds, and against the stall that counts as a deadlock.
pub(crate) fn delays(root: &Record, router: Option<&RouterSpec>, mistakes: &mut Diagnostics) {
    let (Some(topology), Some(router), Some(table)) =
        (root.record("topology"), router, root.record("router"))
    else {
        return;
    };
    let latencies = ["latency", "injection_latency", "ejection_latency"];
    let latency = |key: &&str| topology.section.key(key).and_then(|_| topology.whole(key));
    let Some(longest) = latencies.iter().max_by_key(|key| latency(key)) else {
        return;
    };
    let cycles = latency(longest).unwrap_or(1);
    let flight = cycles + u64::from(router.pipeline_delay);
    if flight > u64::from(FLIGHT_MAX) {
        mistakes.push(
            Diagnostic::error(
                "too-long",
                format!("a flit would be under way for {flight} cycles"),
            )
            .at(
                table.at("pipeline_delay"),
                "with these cycles in the router",
            )
            .at(
                topology.at(longest),
                format!("{cycles} cycles on the channel"),
            )
            .note(format!("together at most {FLIGHT_MAX} cycles")),
        );
    }
    let Some(run) = root.record("run") else {
        return;
    };
    let header = u64::from(router.header_delay) + u64::from(router.allocation_delay);
    let quiet = flight + header + u64::from(router.credit_delay);
    if let Some(stall) = run.whole("stall").filter(|stall| *stall <= quiet) {
        mistakes.push(
            Diagnostic::error(
                "bad-times",
                "a run that only waits would count as deadlocked",
            )
            .at(run.at("stall"), format!("{stall} cycles without a move"))
            .note(format!(
                "channel, router and credit take up to {quiet} cycles by themselves"
            ))
            .help(format!("make `stall` longer than {quiet} cycles")),
        );
    }
}

/// Room that is free in the same cycle needs an order in which channels can be worked off.
pub(crate) fn credit(
    root: &Record,
    router: &RouterSpec,
    graph: &Graph,
    mistakes: &mut Diagnostics,
) {
    let Some(table) = root.record("router").filter(|_| router.credit_delay == 0) else {
        return;
    };
    let Some((from, to)) = channel_in_cycle(graph) else {
        return;
    };
    let at = |key: &str| {
        root.record("topology")
            .map_or_else(At::default, |t| t.at(key))
    };
    mistakes.push(
        Diagnostic::error(
            "bad-credit",
            "credit without delay needs a network without cycles",
        )
        .at(
            table.at("credit_delay"),
            "room is free in the cycle in which a flit leaves",
        )
        .at(
            at("kind"),
            format!("its channel {from} -> {to} leads back to where it starts"),
        )
        .note("only a fly, a crossbar and files without cycles have none")
        .help("write `credit_delay = 1`"),
    );
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
