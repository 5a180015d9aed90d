//! The last check of a spec that is sound in its parts: the engine's own, and that for deadlock.

use backwater_flit::dependency::{Dependency, dependency};
use backwater_flit::routing::Routing;
use backwater_flit::spec::{FabricSpec, Graph};
use backwater_flit::traffic::Generator;
use backwater_kernel::BuildError;

use super::checks::groups;
use super::limits;
use crate::given::flit::FlitFile;
use crate::given::flit::network::RoutingKind;
use crate::given::flit::router::{Forwarding, Release};
use crate::prelude::*;
use crate::suggest;
use crate::typed::Word;

/// Channels of a cycle that are shown.
const SHOWN: usize = 8;

/// Asks routing and traffic of the engine, warns of deadlock and overload.
pub(crate) fn check(
    file: &FlitFile,
    routing: RoutingKind,
    spec: &FabricSpec,
    mistakes: &mut Diagnostics,
) {
    let groups = groups(&spec.classes);
    match Routing::new(&spec.graph, spec.routing, spec.router.lanes, groups) {
        Ok(built) => {
            mistakes.extend(warn_of_full_vcs(file, routing));
            mistakes.extend(warn_of_deadlock(file, routing, &spec.graph, &built));
        }
        Err(BuildError(what)) => {
            Diagnostic::error("bad-routing", "packets can't be routed in this network")
                .at(&routing_at(file), what)
                .help("choose another rule in `[routing]`, or change `[topology]`")
                .tell(mistakes)
        }
    }
    match Generator::new(spec) {
        Ok(_) => limits::load(
            &file.traffic.at,
            &spec.classes,
            spec.graph.inject.len() as u64,
            mistakes,
        ),
        Err(BuildError(what)) => {
            Diagnostic::error("bad-traffic", "this can't be sent in this network")
                .at(&file.traffic.at, what)
                .help("change `[traffic]` or `[[classes]]`")
                .tell(mistakes)
        }
    }
}

/// Where the rule of routing stands, or what it follows from.
fn routing_at(file: &FlitFile) -> At {
    let rule = &file.routing.kind;
    let place = if rule.is_given {
        &rule.at
    } else {
        &file.topology.kind.at
    };
    place.clone()
}

/// Names a cycle of channels that packets may wait around. Rules made for a topology are known to
/// have none.
fn warn_of_deadlock(
    file: &FlitFile,
    rule: RoutingKind,
    graph: &Graph,
    routing: &Routing,
) -> Option<Diagnostic> {
    let help = match rule {
        RoutingKind::Unrestricted => "choose `dateline` with 2 VCs or more",
        RoutingKind::Table => {
            "VCs don't help here: choose a rule made for the topology, or change the network"
        }
        RoutingKind::DestinationTag
        | RoutingKind::DimensionOrder
        | RoutingKind::Dateline
        | RoutingKind::O1turn
        | RoutingKind::Valiant
        | RoutingKind::MinimalAdaptive
        | RoutingKind::NearestCommonAncestor
        | RoutingKind::NearestCommonAncestorRandom => return None,
    };
    let Dependency::Cycle(cycle) = dependency(graph, routing) else {
        return None;
    };
    Diagnostic::warning("deadlock", "packets may wait for each other in a cycle")
        .at(
            &routing_at(file),
            format!("`{}` allows it here", rule.word()),
        )
        .note(format!(
            "each may wait for the next channel: {}",
            around(graph, &cycle)
        ))
        .note("the run ends when nothing moves for `run.stall` cycles, and names the packets")
        .help(help)
        .into()
}

/// A header that takes an adaptive VC whose buffer is full has given up its escape.
fn warn_of_full_vcs(file: &FlitFile, routing: RoutingKind) -> Option<Diagnostic> {
    let router = &file.router;
    if routing != RoutingKind::MinimalAdaptive
        || *router.release != Release::TailSent
        || *router.forwarding == Forwarding::CutThrough
    {
        return None;
    }
    Diagnostic::warning("deadlock", "packets may wait for each other in a cycle")
        .at(
            &router.release.at,
            "a VC is given away while its buffer may be full",
        )
        .note("a header that waits behind another packet can't take the escape any more")
        .note("the run ends when nothing moves for `run.stall` cycles, and names the packets")
        .help("write `release = \"drained\"` or `forwarding = \"cut-through\"`")
        .into()
}

/// "0 -> 1, 1 -> 2, 2 -> 0".
fn around(graph: &Graph, cycle: &[(u32, u32)]) -> String {
    let name = |router: u32| match graph.names.get(router as usize) {
        Some(name) => name.clone(),
        None => router.to_string(),
    };
    let channels = |(channel, _): &(u32, u32)| {
        let channel = &graph.channels[*channel as usize];
        format!("{} -> {}", name(channel.from), name(channel.to))
    };
    let named = suggest::first(cycle, SHOWN, channels, |more| format!(" and {more} more"));
    format!("{named}, and the first again")
}
