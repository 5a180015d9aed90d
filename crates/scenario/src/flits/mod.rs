//! Flits in routers: from checked tables to the network that the flit engine runs.
//!
//! A line here may touch `given`, `network` and `language`. The next topology or routing goes to
//! `network` and `router`, the next check to `checks` (part by part) or `whole` (all together).

mod checks;
mod classes;
mod deadlock;
mod demand;
mod limits;
mod network;
mod router;
mod series;
mod slow;
mod whole;

use backwater_flit::series::SeriesSpec;
use backwater_flit::spec::{self, FabricSpec, MeasureSpec, WarmUp};

use crate::Limits;
use crate::given::flits::{FlitFile, Run};
use crate::language::diagnostics::Diagnostics;
use crate::language::files::Files;
use crate::language::kinds::OrWord;
use crate::language::record::Record;

/// Builds it, unless something is missing; mistakes go to `mistakes`, and with errors among them
/// the result is not to be used.
pub(crate) fn build(
    root: &Record,
    limits: &Limits,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<(FabricSpec, Vec<SeriesSpec>)> {
    let file: &FlitFile = &root.typed();
    let plan = network::plan(&file.topology, files, mistakes);
    let routing = router::routing(file, plan.as_ref(), mistakes);
    let depth = router::depth(&file.router, mistakes);
    let switch = router::switch(&file.router, mistakes);
    let terminals = plan.as_ref().map(|plan| plan.size.terminals);
    let classes = classes::classes(file, terminals, files, mistakes);
    if let (Some(depth), Some(classes)) = (depth, &classes) {
        mistakes.extend(checks::packets_fit(&file.router, depth, classes));
    }
    if let (Some(routing), Some(plan)) = (routing, &plan) {
        let groups = classes.as_deref().map_or(1, checks::groups);
        checks::vcs(file, plan, routing, groups, mistakes);
    }
    checks::delays(file, mistakes);
    let plan = plan?;
    if !limits::fits(file, &plan, classes.as_deref(), limits, mistakes) {
        return None;
    }
    let graph = network::graph(&file.topology, plan, mistakes)?;
    mistakes.extend(checks::credit(file, &graph));
    let (routing, classes) = (routing?, classes?);
    let spec = FabricSpec {
        seed: file.run.seed,
        graph,
        routing: routing.into(),
        router: router::router(&file.router, depth?, switch?),
        sources: file.traffic.sources.into(),
        measure: measure(&file.run, &classes),
        classes,
    };
    if mistakes.errors() == 0 {
        whole::check(file, routing, &spec, mistakes);
    }
    let series = series::series(&file.series, &spec.graph, &spec.measure, mistakes);
    Some((spec, series))
}

/// A trace is measured from its beginning unless the file says otherwise: it has an end, and no
/// load that settles.
fn measure(run: &Run, classes: &[spec::ClassSpec]) -> MeasureSpec {
    let is_trace = |class: &spec::ClassSpec| matches!(class.injection, spec::Injection::Trace(_));
    MeasureSpec {
        warm_up: match run.warm_up {
            Some(OrWord::Value(cycles)) => WarmUp::Cycles(cycles),
            None if classes.iter().any(is_trace) => WarmUp::Cycles(0),
            Some(OrWord::Word) | None => WarmUp::Auto {
                most: run.warm_up_limit,
            },
        },
        window: run.measure,
        drain: run.drain,
        stall: *run.stall,
    }
}
