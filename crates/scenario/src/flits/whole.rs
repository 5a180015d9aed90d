//! The last check of a spec that is sound in its parts: the engine's own, and those for deadlock
//! and overload.

use backwater_flit::routing::Routing;
use backwater_flit::spec::FabricSpec;
use backwater_flit::traffic::Generator;
use backwater_flit::traffic::loads::Loads;
use backwater_kernel::BuildError;

use super::checks::groups;
use super::deadlock;
use super::limits;
use super::slow;
use crate::given::flits::FlitFile;
use crate::given::flits::network::RoutingKind;
use crate::prelude::*;

/// Asks routing and traffic of the engine, warns of deadlock and overload.
pub(crate) fn check(
    file: &FlitFile,
    rule: RoutingKind,
    spec: &FabricSpec,
    mistakes: &mut Diagnostics,
) {
    let routing = Routing::new(
        &spec.graph,
        spec.routing,
        spec.router.lanes,
        groups(&spec.classes),
    );
    if let Err(BuildError(what)) = &routing {
        Diagnostic::error("bad-routing", "packets can't be routed in this network")
            .at(&routing_at(file), what)
            .help("choose another rule in `[routing]`, or change `[topology]`")
            .tell(mistakes);
    }
    let loads = Generator::new(spec).and_then(|_| Loads::of(spec));
    match (loads, routing) {
        (Ok(loads), routing) => {
            mistakes.extend(
                routing
                    .ok()
                    .and_then(|built| deadlock::warn(file, rule, spec, &built)),
            );
            limits::load(&file.traffic.at, &loads, mistakes);
            mistakes.extend(slow::check(file, rule, spec));
        }
        (Err(BuildError(what)), _) => {
            Diagnostic::error("bad-traffic", "this can't be sent in this network")
                .at(&file.traffic.at, what)
                .help("change `[traffic]` or `[[classes]]`")
                .tell(mistakes)
        }
    }
}

/// Where the rule of routing stands, or what it follows from.
pub(crate) fn routing_at(file: &FlitFile) -> At {
    let rule = &file.routing.kind;
    let place = if rule.is_given {
        &rule.at
    } else {
        &file.topology.kind.at
    };
    place.clone()
}
