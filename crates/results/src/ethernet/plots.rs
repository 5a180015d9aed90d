//! Figures of a run of the Ethernet engine.

use backwater_kernel::DelayOutcome;
use backwater_net::frames::spec::TrafficSpec;

use super::Frames;
use super::collectives;
use super::completion;
use super::groups::{Group, groups, lasting};
use super::jobs;
use super::pauses;
use super::ports::{self, Queue};
use crate::charts::cumulative;
use crate::distribution::beyond;
use crate::events::transfers::MS;
use crate::lines::left_out;
use crate::model::{Axis, Curve, Mark, Plot, Style};

/// Groups of flows that get a curve or colour each.
const GROUPS: usize = 8;
/// Ports that get a bar each.
const PORTS: usize = 48;
/// Flows that get a bar each; of more their distribution is drawn.
const BARS: usize = 40;
/// So many stand in the order of the scenario, more with the largest rate first.
const IN_ORDER: usize = 10;
/// Deadlines that are drawn.
const DEADLINES: usize = 4;

/// All figures of the outcome there is data for.
pub fn plots(run: &Frames<'_>) -> Vec<Plot> {
    let groups = groups(run);
    let queues = ports::queues(run);
    let mut plots = vec![
        goodput(run, &groups),
        delays(run, &groups),
        high_water(run.ports(), &queues),
        stopped(run.ports(), &queues),
        pauses::plot(run.ports(), &queues),
    ];
    plots.splice(1..1, completion::plots(run, &groups));
    plots.splice(0..0, collectives::plots(run));
    plots.splice(0..0, jobs::plots(run));
    plots.retain(|plot| plot.curves.iter().any(|curve| !curve.x.is_empty()));
    plots
}

/// Bars by flow; of many flows how the goodputs of each group are distributed.
fn goodput(run: &Frames<'_>, groups: &[Group]) -> Plot {
    let rates = lasting(run);
    let rate = |flow: &u32| Some((*flow, rates[*flow as usize]? / 1e6));
    let mut all: Vec<(u32, f64)> = (0..rates.len() as u32)
        .filter_map(|flow| rate(&flow))
        .collect();
    let is_many = all.len() > BARS;
    if all.len() > IN_ORDER {
        all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    }
    let mut places = vec![0.0; rates.len()];
    for (place, (flow, _)) in (1_u32..).zip(&all) {
        places[*flow as usize] = f64::from(place);
    }
    let curve = |name: &str, flows: &mut dyn Iterator<Item = &u32>| {
        let points = flows.filter_map(rate);
        let points = points.map(|(flow, rate)| (places[flow as usize], rate));
        let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
        match is_many {
            true => cumulative(name, y),
            false => Curve::new(name, Style::Bars, x, y),
        }
    };
    let mut curves: Vec<Curve> = groups
        .iter()
        .take(GROUPS)
        .map(|group| curve(&group.name, &mut group.flows.iter()))
        .collect();
    if groups.len() > GROUPS {
        let mut rest = groups[GROUPS..].iter().flat_map(|group| &group.flows);
        curves.push(curve("others", &mut rest));
    }
    curves.retain(|curve| !curve.x.is_empty());
    let plot = Plot::new("goodput", "Goodput by flow", curves);
    let goodput = Axis::new("Goodput", "Mbps").from_zero();
    if is_many {
        let share = Axis::new("Flows of the group with at most this", "%");
        return plot.x(goodput).y(share.from_zero().up_to(100.0));
    }
    let label = match all.len() > IN_ORDER {
        true => "Flow, the fastest first",
        false => "Flow",
    };
    let names = all.iter().map(|(flow, _)| run.flow(*flow));
    plot.x(Axis::of_names(label, names)).y(goodput)
}

fn delays(run: &Frames<'_>, groups: &[Group]) -> Plot {
    let mut curves = Vec::new();
    for group in groups {
        let times = DelayOutcome::merged(group.found(&run.outcome).map(|flow| &flow.delay));
        if times.count > 0 && curves.len() < GROUPS {
            let ends = [times.min, times.max];
            curves.push(beyond(&group.name, &times.histogram, ends, MS));
        }
    }
    let flows = run.network.flows.iter();
    let videos = flows.filter_map(|flow| match &flow.traffic {
        TrafficSpec::Video(video) => Some(video.deadline.ps()),
        _ => None,
    });
    let deadlines: std::collections::BTreeSet<u64> = videos.collect();
    let mark = |ps: u64| Mark::vertical(ps as f64 / MS, "deadline");
    Plot::new("delay", "Share of frames that took longer", curves)
        .x(Axis::new("Delay", "ms").log().or("us", 1e3))
        .y(Axis::new("Share of frames", "").up_to(1.0).log())
        .note("Data frames from the host's port to delivery, after the warm-up.")
        .marks(deadlines.into_iter().take(DEADLINES).map(mark).collect())
}

/// An axis of these queues.
fn axis(label: &str, channels: &[String], top: &[Queue<'_>]) -> Axis {
    let names = top.iter().map(|queue| queue.name(channels));
    let names: Vec<String> = names.collect();
    // What all have in common tells none from the others.
    let class = names
        .first()
        .and_then(|name| Some(name.split_once(", ")?.1));
    let suffix = class.map(|class| format!(", {class}"));
    let suffix = suffix.filter(|suffix| names.iter().all(|name| name.ends_with(suffix)));
    let Some(suffix) = suffix else {
        return Axis::of_names(label, names);
    };
    let bare = names
        .iter()
        .map(|name| name.trim_end_matches(&suffix).into());
    Axis::of_names(format!("{label}; {}", &suffix[2..]), bare)
}

/// Queues with a limit, the fullest first.
fn high_water(channels: &[String], queues: &[Queue<'_>]) -> Plot {
    let limit = |queue: &Queue<'_>| queue.spec.and_then(|told| told.limit_bytes);
    let mut top = ports::top(queues, |queue| match limit(queue) {
        Some(limit) => queue.found.most_bytes as f64 / limit.max(1) as f64,
        None => 0.0,
    });
    let left_out = left_out(top.len(), PORTS, "ports", "the fullest");
    top.truncate(PORTS);
    let kilobytes = |bytes: u64| bytes as f64 / 1e3;
    let most = top.iter().map(|queue| kilobytes(queue.found.most_bytes));
    let optional = |of: &dyn Fn(&Queue<'_>) -> Option<u64>| -> Vec<f64> {
        let values = top.iter().map(of);
        values
            .map(|bytes| bytes.map_or(f64::NAN, kilobytes))
            .collect()
    };
    let mut curves = vec![Curve::in_order("held max", Style::Bars, most.collect())];
    let thresholds = optional(&|queue| ports::xoff_bytes(queue));
    if thresholds.iter().any(|value| value.is_finite()) {
        curves.push(Curve::in_order("XOFF", Style::Points, thresholds));
    }
    curves.push(Curve::in_order("limit", Style::Points, optional(&limit)));
    if top.is_empty() {
        curves.clear();
    }
    Plot::new("high-water", "Queues at their fullest", curves)
        .x(axis("Port, the fullest first", channels, &top))
        .y(Axis::new("Bytes held", "kB").from_zero())
        .note(left_out.trim_start())
}

fn stopped(channels: &[String], queues: &[Queue<'_>]) -> Plot {
    let mut top = ports::top(queues, |queue| queue.found.stopped_share);
    let left_out = left_out(top.len(), PORTS, "ports", "the longest stopped");
    top.truncate(PORTS);
    let shares = top.iter().map(|queue| queue.found.stopped_share * 100.0);
    let bars = Curve::in_order("stopped", Style::Bars, shares.collect());
    Plot::new("stopped", "Stopped ports", vec![bars])
        .x(axis("Port, the longest stopped first", channels, &top))
        .y(Axis::new("Share of the time", "%").from_zero())
        .note(left_out.trim_start())
}
