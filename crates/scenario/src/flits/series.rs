//! Time series of the flit engine.

use backwater_flit::series::{Measure, SeriesSpec};
use backwater_flit::spec::{Graph, MeasureSpec, WarmUp};
use backwater_kernel::series::most_points;
use backwater_kernel::words::grouped;

use crate::given::flits::series::{Series, SeriesKind};
use crate::network::wildcard;
use crate::prelude::*;

/// What is to be recorded; mistakes are left out.
pub(crate) fn series(
    given: &[Placed<Series>],
    graph: &Graph,
    measure: &MeasureSpec,
    mistakes: &mut Diagnostics,
) -> Vec<SeriesSpec> {
    let most = most_points(given.len()) as u64;
    let warm_up = match measure.warm_up {
        WarmUp::Cycles(cycles) | WarmUp::Auto { most: cycles } => cycles,
    };
    let longest = warm_up + measure.window + measure.drain;
    let mut specs = Vec::new();
    for one in given {
        let Some(kind) = one.measure.sure() else {
            continue;
        };
        let (window, at) = (*one.window, &one.window.at);
        if one.window.sure().is_some() && longest / window > most {
            mistakes.push(too_many_windows(at, longest, window, most));
            continue;
        }
        let measure = match kind {
            SeriesKind::Accepted => Ok(Measure::Accepted),
            SeriesKind::Latency => Ok(Measure::Latency),
            SeriesKind::Queue => Ok(Measure::Queue),
            SeriesKind::Load { on } => match on.sure() {
                Some(text) => channels(graph, text, &on.at).map(Measure::Load),
                None => continue,
            },
        };
        match measure {
            Ok(measure) => specs.push(SeriesSpec {
                name: one.name.clone(),
                measure,
                window,
            }),
            Err(mistake) => mistakes.push(*mistake),
        }
    }
    specs
}

fn too_many_windows(at: &At, longest: u64, window: u64, most: u64) -> Diagnostic {
    let least = longest.div_ceil(most).max(1);
    Diagnostic::error("bad-series", "a series of too many windows")
        .at(
            at,
            format!(
                "up to {} windows of {window} cycles",
                grouped(longest / window)
            ),
        )
        .note(format!(
            "the run may take {} cycles, and a series has {} points at most",
            grouped(longest),
            grouped(most)
        ))
        .help(format!("write `window = \"{least} cycles\"` or more"))
}

/// The channels between routers that `text` names, in their order.
fn channels(graph: &Graph, text: &str, at: &At) -> Result<Vec<u32>, Box<Diagnostic>> {
    let all = 0..graph.channels.len() as u32;
    if text == wildcard::ALL {
        return Ok(all.collect());
    }
    let Some((from, to)) = text.split_once("->") else {
        return Diagnostic::error("bad-channel", format!("`{}` is no channel", clip(text)))
            .at(at, "no `->` in it")
            .help("name two routers: `on = \"0->1\"`; or `on = \"all\"`")
            .refused();
    };
    let (from, to) = (router(graph, from, at)?, router(graph, to, at)?);
    let joins = |channel: &u32| {
        let channel = graph.channels.get(*channel as usize);
        channel.is_some_and(|channel| (channel.from, channel.to) == (from, to))
    };
    let found: Vec<u32> = all.filter(joins).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let next = graph.channels.iter().filter(|channel| channel.from == from);
    let next: Vec<String> = next
        .take(8)
        .map(|channel| name(graph, channel.to))
        .collect();
    let from = name(graph, from);
    Diagnostic::error(
        "no-link",
        format!("no channel leads from {from} to {}", name(graph, to)),
    )
    .at(at, "not a channel of this network")
    .note(format!("channels of {from} lead to {}", next.join(", ")))
    .refused()
}

fn name(graph: &Graph, router: u32) -> String {
    let given = graph.names.get(router as usize);
    match given.filter(|name| !name.is_empty()) {
        Some(name) => format!("`{name}`"),
        None => format!("router {router}"),
    }
}

/// A router by its name in a file, or by its number.
fn router(graph: &Graph, text: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
    let text = text.trim();
    let named = |text: &str| graph.names.iter().position(|name| name == text);
    if let Some(router) = named(text) {
        return Ok(router as u32);
    }
    let number = text.strip_prefix("router ").unwrap_or(text).trim();
    let found = number.parse().ok().filter(|router| *router < graph.routers);
    found.ok_or_else(|| {
        Diagnostic::error(
            "unknown-node",
            format!("there is no router `{}`", clip(text)),
        )
        .at(at, "not a router of this network")
        .note(format!(
            "routers are numbered from 0 to {}",
            graph.routers.max(1) - 1
        ))
        .into()
    })
}
