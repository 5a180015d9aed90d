//! The last check of a spec that is sound in its parts: the engine's own, and that for deadlock.

use flit::BuildError;
use flit::dependency::{Dependency, dependency};
use flit::routing::Routing;
use flit::spec::{FabricSpec, Graph, Release, RoutingSpec};
use flit::traffic::Generator;

use super::checks::groups;
use super::limits;
use super::router::word_of;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;
use crate::source::At;

/// Channels of a cycle that are shown.
const SHOWN: usize = 8;

/// Asks routing and traffic of the engine, warns of deadlock and overload.
pub(crate) fn check(root: &Record, spec: &FabricSpec, mistakes: &mut Diagnostics) {
    let groups = groups(&spec.classes);
    match Routing::new(&spec.graph, spec.routing, spec.router.lanes, groups) {
        Ok(routing) => warn_of_deadlock(root, spec, &routing, mistakes),
        Err(BuildError(what)) => mistakes.push(
            Diagnostic::error("bad-routing", "packets can't be routed in this network")
                .at(routing_at(root), what)
                .help("choose another rule in `[routing]`, or change `[topology]`"),
        ),
    }
    match Generator::new(spec) {
        Ok(_) => limits::load(
            root,
            &spec.classes,
            spec.graph.inject.len() as u64,
            mistakes,
        ),
        Err(BuildError(what)) => mistakes.push(
            Diagnostic::error("bad-traffic", "this can't be sent in this network")
                .at(
                    root.record("traffic")
                        .map_or_else(At::default, |t| t.at.clone()),
                    what,
                )
                .help("change `[traffic]` or `[[classes]]`"),
        ),
    }
}

/// Where the rule of routing stands, or what it follows from.
fn routing_at(root: &Record) -> At {
    let given = root.record("routing").and_then(|table| table.field("kind"));
    match (given, root.record("topology")) {
        (Some(kind), _) => kind.at.clone(),
        (None, Some(topology)) => topology.at("kind"),
        (None, None) => root.at.clone(),
    }
}

/// Names a cycle of channels that packets may wait around. The other rules are known to have none.
fn warn_of_deadlock(
    root: &Record,
    spec: &FabricSpec,
    routing: &Routing,
    mistakes: &mut Diagnostics,
) {
    warn_of_full_lanes(root, spec, mistakes);
    if !matches!(spec.routing, RoutingSpec::Unrestricted | RoutingSpec::Table) {
        return;
    }
    let Dependency::Cycle(cycle) = dependency(&spec.graph, routing) else {
        return;
    };
    let word = word_of(spec.routing);
    let help = match spec.routing {
        RoutingSpec::Unrestricted => "choose `dateline` with 2 lanes or more",
        _ => "lanes don't help here: choose a rule made for the topology, or change the network",
    };
    mistakes.push(
        Diagnostic::warning("deadlock", "packets may wait for each other in a circle")
            .at(routing_at(root), format!("`{word}` allows it here"))
            .note(format!(
                "each may wait for the next channel: {}",
                around(&spec.graph, &cycle)
            ))
            .note("the run ends when nothing moves for `run.stall` cycles, and names the packets")
            .help(help),
    );
}

/// A header that takes an adaptive lane whose buffer is full has given up its escape.
fn warn_of_full_lanes(root: &Record, spec: &FabricSpec, mistakes: &mut Diagnostics) {
    let router = &spec.router;
    if spec.routing != RoutingSpec::MinimalAdaptive
        || router.release != Release::TailSent
        || router.cut_through
    {
        return;
    }
    let at = root.record("router").map(|table| table.at("release"));
    mistakes.push(
        Diagnostic::warning("deadlock", "packets may wait for each other in a circle")
            .at(
                at.unwrap_or_default(),
                "a lane is given away while its buffer may be full",
            )
            .note("a header that waits behind another packet can't take the escape any more")
            .note("the run ends when nothing moves for `run.stall` cycles, and names the packets")
            .help("write `release = \"drained\"` or `forwarding = \"cut-through\"`"),
    );
}

/// "0 -> 1, 1 -> 2, 2 -> 0".
fn around(graph: &Graph, cycle: &[(u32, u32)]) -> String {
    let name = |router: u32| match graph.names.get(router as usize) {
        Some(name) => name.clone(),
        None => router.to_string(),
    };
    let channels: Vec<String> = cycle
        .iter()
        .take(SHOWN)
        .filter_map(|(channel, _)| graph.channels.get(*channel as usize))
        .map(|channel| format!("{} -> {}", name(channel.from), name(channel.to)))
        .collect();
    let more = match cycle.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}, and the first again", channels.join(", "))
}
