//! From checked tables to the network that the flit engine runs.

mod checks;
mod classes;
mod demand;
mod limits;
mod network;
mod router;
mod whole;

use flit::spec::{ClassSpec, FabricSpec, Injection, MeasureSpec, Sources, WarmUp};

use crate::Limits;
use crate::diagnostics::Diagnostics;
use crate::files::Files;
use crate::record::{Datum, Record};

/// Builds it, unless something is missing; mistakes go to `mistakes`, and with errors among them
/// the result is not to be used.
pub(crate) fn build(
    root: &Record,
    limits: &Limits,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<FabricSpec> {
    let plan = network::plan(root, files, mistakes);
    let routing = router::routing(root, plan.as_ref(), mistakes);
    let router = router::router(root, mistakes);
    let terminals = plan.as_ref().map(network::Plan::terminals);
    let classes = classes::classes(root, terminals, files, mistakes);
    if let (Some(router), Some(classes)) = (&router, &classes) {
        checks::packets_fit(root, router, classes, mistakes);
    }
    if let (Some(routing), Some(router), Some(plan)) = (routing, &router, &plan) {
        let groups = classes.as_deref().map_or(1, checks::groups);
        checks::lanes(root, plan, routing, router, groups, mistakes);
    }
    checks::delays(root, router.as_ref(), mistakes);
    let plan = plan?;
    let lanes = router.as_ref().map_or(1, |router| router.lanes);
    if !limits::fits(root, &plan, lanes, classes.as_deref(), limits, mistakes) {
        return None;
    }
    let graph = network::graph(root, plan, mistakes)?;
    if let Some(router) = &router {
        checks::credit(root, router, &graph, mistakes);
    }
    let run = root.record("run")?;
    let is_trace = |class: &ClassSpec| matches!(class.injection, Injection::Trace(_));
    let has_trace = classes.iter().flatten().any(is_trace);
    let spec = FabricSpec {
        seed: run.whole("seed").unwrap_or(1),
        graph,
        routing: routing?,
        router: router?,
        sources: match root.record("traffic")?.word("sources") {
            "shared" => Sources::Shared,
            "per-lane" => Sources::PerLane,
            _ => Sources::One,
        },
        classes: classes?,
        measure: measure(run, has_trace)?,
    };
    if mistakes.errors() == 0 {
        whole::check(root, &spec, mistakes);
    }
    Some(spec)
}

/// A trace is measured from its beginning unless the file says otherwise: it has an end, and no
/// load that settles.
fn measure(run: &Record, has_trace: bool) -> Option<MeasureSpec> {
    Some(MeasureSpec {
        warm_up: match run.datum("warm_up") {
            Some(Datum::Whole(cycles)) => WarmUp::Cycles(*cycles),
            None if has_trace => WarmUp::Cycles(0),
            _ => WarmUp::Auto {
                most: run.whole("warm_up_limit")?,
            },
        },
        window: run.whole("measure")?,
        drain: run.whole("drain")?,
        stall: run.whole("stall")?,
    })
}
