//! Flow completion times and slowdowns: of all flows, by the size of transfers, and drawn.

use std::collections::BTreeMap;

use backwater_kernel::{Distribution, Duration};
use backwater_net::frames::spec::TrafficSpec;
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::Frames;
use super::groups::Group;
use crate::distribution::{bound, cell, shares, steps, without_p99};
use crate::events::transfers::{self, MS, UNFINISHED};
use crate::lines::shortened;
use crate::model::{Axis, Curve, Plot, Style, Table};
use crate::number::{significant, span};
use crate::picked::picked;
use crate::table_of::TableOf;

/// Sizes of transfers: those below so many bytes, and what they are called.
const SIZES: [(u64, &str); 4] = [
    (10_000, "< 10 kB"),
    (100_000, "10 to 100 kB"),
    (1_000_000, "100 kB to 1 MB"),
    (u64::MAX, "1 MB and more"),
];
/// Groups that get a curve each.
const GROUPS: usize = 8;
/// Points of a curve over sizes.
const POINTS: usize = 10;
/// Percentiles that are drawn over sizes.
const DRAWN: [(&str, f64); 3] = [("p50", 50.0), ("p95", 95.0), ("p99", 99.0)];

/// What transfers of some flows took.
#[derive(Clone, Debug, Default)]
pub struct Completion {
    /// Times, ps.
    pub fct: Distribution,
    /// Those over the times alone.
    pub slowdown: Distribution,
}

impl Completion {
    /// Of these flows together.
    pub fn of<'a>(found: impl Iterator<Item = &'a FlowOutcome> + Clone) -> Completion {
        let times = found.clone().map(|flow| &flow.ends.transfer_time);
        Completion {
            fct: Distribution::merged(times),
            slowdown: Distribution::merged(found.map(|flow| &flow.slowdown)),
        }
    }

    /// `mean 1.9, p50 1.5, p99 7.2`, with the percentiles that there are enough transfers for;
    /// `mean >= 1.9` where some are unfinished.
    fn words(found: &Distribution, shown: impl Fn(f64) -> String) -> Option<String> {
        let is = bound(found.open() > 0);
        let mut words = format!("mean {is}{}", shown(found.mean()?));
        for (name, percent) in DRAWN {
            if let Some(value) = found.percentile(percent) {
                words.push_str(&format!(", {name} {is}{}", shown(value)));
            }
        }
        words.push_str(&format!(", max {is}{}", shown(found.max()?)));
        Some(words)
    }

    /// None complete, and none under way.
    fn is_empty(&self) -> bool {
        self.fct.count() + self.fct.open() == 0
    }

    /// FCT and slowdown in a line; nothing without transfers.
    pub fn sentence(&self) -> Option<String> {
        let mut text = format!("FCT {}", Completion::words(&self.fct, span)?);
        if let Some(words) = Completion::words(&self.slowdown, times) {
            text.push_str(&format!("; slowdown {words}"));
        }
        if let Some(why) = without_p99(&self.fct) {
            text.push_str(&format!("; {why}"));
        }
        Some(text)
    }
}

/// A slowdown as people read it.
pub fn times(slowdown: f64) -> String {
    significant(slowdown, 4)
}

/// Bytes of each transfer of a flow, of requests there and back; nothing where they differ.
pub fn size(traffic: &TrafficSpec) -> Option<u64> {
    match *traffic {
        TrafficSpec::Infinite { bytes, .. } => bytes,
        TrafficSpec::Files { bytes, .. } => Some(bytes),
        TrafficSpec::Requests {
            request_bytes,
            response_bytes,
            ..
        } => Some(request_bytes.saturating_add(response_bytes)),
        _ => None,
    }
}

/// From the start of the first transfer of all flows of a group to the end of the last; nothing
/// before all are complete, or if one has no end.
pub fn of_group(outcome: &Outcome, group: &Group) -> Option<Duration> {
    let found = group.found(outcome).map(|flow| &flow.ends);
    let first = found.clone().filter_map(|ends| ends.first_start).min()?;
    let last = found.clone().map(|ends| ends.last_transfer).max()?;
    let mut found = found;
    let are_complete = found.all(|ends| ends.completion().is_some());
    are_complete.then(|| last.since(first))
}

/// Flows by the size of their transfers, ascending.
fn by_size<'a>(run: &'a Frames<'_>, group: &Group) -> BTreeMap<u64, Vec<&'a FlowOutcome>> {
    let mut sizes: BTreeMap<u64, Vec<&FlowOutcome>> = BTreeMap::new();
    for flow in &group.flows {
        let flow = *flow as usize;
        let flow_spec = run.network.flows.get(flow);
        if let Some((flow_spec, found)) = flow_spec.zip(run.outcome.flows.get(flow))
            && let Some(bytes) = size(&flow_spec.traffic)
            && found.ends.transfers + found.ends.unfinished() > 0
        {
            sizes.entry(bytes).or_default().push(found);
        }
    }
    let members = group.members.iter();
    for members in members.filter_map(|at| run.outcome.members.get(*at)) {
        sizes
            .entry(members.most_bytes)
            .or_default()
            .push(&members.found);
    }
    sizes
}

/// Completion in the usual ranges of sizes; ranges without a transfer are left out.
fn by_range(sizes: &BTreeMap<u64, Vec<&FlowOutcome>>) -> Vec<(&'static str, Completion)> {
    let mut from = 0;
    let mut ranges = Vec::new();
    for (below, name) in SIZES {
        let within = sizes.range(from..below).flat_map(|(_, flows)| flows);
        let completion = Completion::of(within.copied());
        if !completion.is_empty() {
            ranges.push((name, completion));
        }
        from = below;
    }
    ranges
}

fn everyone(outcome: &Outcome) -> Group {
    Group {
        name: "all".into(),
        flows: (0..outcome.flows.len() as u32).collect(),
        members: (0..outcome.members.len()).collect(),
    }
}

/// Transfers of some flows, of all sizes or of a range of them.
struct Row<'a> {
    flows: &'a str,
    size: &'static str,
    found: Completion,
}

/// A row for all flows and for each group of several, and for each range of sizes of theirs.
pub fn table(run: &Frames<'_>, groups: &[Group]) -> Table {
    let whole = everyone(&run.outcome);
    let mut all = rows(run, &whole);
    if groups.len() > 1 {
        for group in groups.iter().filter(|group| group.is_several(&run.outcome)) {
            all.extend(rows(run, group));
        }
    }
    of_rows(all)
}

fn of_rows(rows: Vec<Row<'_>>) -> Table {
    TableOf::of(rows)
        .called(
            "completion: Flow completion times and slowdowns by the size of transfers, after the \
             warm-up. Slowdown: the time over that of the same transfer alone on the idle path at \
             line rate. Those unfinished count with their age: where there are some, mean, \
             percentiles and max are bounds from below, and a percentile is empty while more than \
             the share above it are unfinished.",
        )
        .text("flows: all, or the group of this name")
        .of(|row| row.flows)
        .text("size: payload of a transfer, of requests there and back")
        .of(|row| row.size)
        .number("transfers: complete after the warm-up")
        .of(|row| row.found.fct.count())
        .number(UNFINISHED[0])
        .of(|row| row.found.fct.open())
        .number(UNFINISHED[1])
        .of(|row| cell(row.found.fct.oldest(), MS))
        .times("FCT", ("ms", MS), |row| &row.found.fct)
        .times("slowdown", ("", 1.0), |row| &row.found.slowdown)
        .done()
}

/// The rows of these flows, all sizes first and then by range; none without a transfer.
fn rows<'a>(run: &Frames<'_>, group: &'a Group) -> Vec<Row<'a>> {
    let whole = Completion::of(group.found(&run.outcome));
    if whole.is_empty() {
        return Vec::new();
    }
    let ranges = by_range(&by_size(run, group));
    let parts = if ranges.len() > 1 { ranges } else { Vec::new() };
    let all = [("all", whole)].into_iter().chain(parts);
    all.map(|(size, found)| Row {
        flows: &group.name,
        size,
        found,
    })
    .collect()
}

/// All transfers in a line, and a line for each range of sizes where there are several.
pub fn lines(run: &Frames<'_>, groups: &[Group]) -> Vec<String> {
    let all = Completion::of(run.outcome.all_flows());
    let everyone = everyone(&run.outcome);
    let mut lines: Vec<String> = all.sentence().into_iter().collect();
    let mut sizes = of_rows(rows(run, &everyone));
    sizes.rows.retain(|row| row.get(1) != Some(&"all".into()));
    if !sizes.rows.is_empty() {
        let keys = [
            "size",
            "transfers",
            "unfinished",
            "fct_mean_ms",
            "fct_p99_ms",
            "slowdown_mean",
            "slowdown_p99",
        ];
        let shown = picked(&[&sizes], &keys, SIZES.len()).into_iter();
        lines.extend(shown.map(|line| format!("  {line}")));
    }
    let whole = groups.iter().filter(|group| group.is_several(&run.outcome));
    let whole = whole.filter_map(|group| {
        let took = of_group(&run.outcome, group)?;
        Some(format!(
            "{} {}",
            shortened(&group.name),
            span(took.ps() as f64)
        ))
    });
    let whole: Vec<String> = whole.take(GROUPS).collect();
    if !whole.is_empty() {
        lines.push(format!("group completion: {}", whole.join(", ")));
    }
    lines
}

/// Transfers unfinished that are too many for a p99.
pub fn warning(run: &Frames<'_>) -> Option<String> {
    let fct = Completion::of(run.outcome.all_flows()).fct;
    let stands = run.outcome.standstill.is_some();
    transfers::warning(&fct, run.seconds(), "transfer", stands)
}

/// The times of groups, and slowdowns over sizes.
pub fn plots(run: &Frames<'_>, groups: &[Group]) -> Vec<Plot> {
    vec![distribution(&run.outcome, groups), over_sizes(run)]
}

fn distribution(outcome: &Outcome, groups: &[Group]) -> Plot {
    let mut curves = Vec::new();
    for group in groups {
        let completion = Completion::of(group.found(outcome));
        if completion.fct.count() > 1 && curves.len() < GROUPS {
            curves.push(steps(&group.name, &completion.fct, MS));
        }
    }
    Plot::new("fct", "Flow completion times", curves)
        .x(Axis::new("Time of a transfer", "ms").log())
        .y(shares("Share of transfers that took no longer"))
        .note(
            "From the start of a transfer to its last byte at the receiver, after the warm-up. \
             What is unfinished is beyond the end of its curve.",
        )
}

/// Percentiles of slowdown over size; where there are many sizes, neighbours together, as many
/// transfers in each part.
fn over_sizes(run: &Frames<'_>) -> Plot {
    let sizes = by_size(run, &everyone(&run.outcome));
    let parts = parts(&sizes);
    let curve = |name: &str, value: &dyn Fn(&Distribution) -> Option<f64>, style: Style| {
        let points = parts
            .iter()
            .filter_map(|(bytes, found)| Some((*bytes, value(found)?)));
        let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
        Curve::new(name, style, x, y)
    };
    let mut curves = vec![curve("mean", &Distribution::mean, Style::Line)];
    for (name, percent) in DRAWN {
        curves.push(curve(name, &|found| found.percentile(percent), Style::Line));
    }
    curves.push(curve("max", &Distribution::max, Style::Points));
    curves.retain(|curve| !curve.x.is_empty());
    let all = Completion::of(run.outcome.all_flows()).slowdown;
    let why = without_p99(&all).map_or_else(String::new, |why| format!(" {why}."));
    Plot::new("slowdown", "Slowdown by size", curves)
        .x(Axis::new("Payload of a transfer", "bytes").log())
        .y(Axis::new("Slowdown", "").log())
        .note(format!(
            "Time of a transfer over that of the same transfer alone on the idle path at line \
             rate; percentiles where there are transfers enough.{why}"
        ))
}

/// Sizes with their slowdowns, at most [`POINTS`] of them.
fn parts(sizes: &BTreeMap<u64, Vec<&FlowOutcome>>) -> Vec<(f64, Distribution)> {
    let count =
        |flows: &[&FlowOutcome]| -> u64 { flows.iter().map(|flow| flow.slowdown.count()).sum() };
    let total: u64 = sizes.values().map(|flows| count(flows)).sum();
    let many = sizes.len() > POINTS;
    let (mut parts, mut open, mut passed) = (Vec::new(), Vec::new(), 0);
    let points = POINTS as u64;
    for (at, (bytes, flows)) in (1..).zip(sizes) {
        passed += count(flows);
        open.extend(flows.iter().map(|flow| &flow.slowdown));
        let is_full = passed * points >= (parts.len() as u64 + 1) * total;
        if !many || is_full || at == sizes.len() {
            let waiting = Distribution::merged(open.drain(..));
            if waiting.count() > 0 {
                parts.push((*bytes as f64, waiting));
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Collected;

    use super::*;

    fn flow(slowdowns: &[u64]) -> FlowOutcome {
        let mut all = Collected::new(100);
        slowdowns.iter().for_each(|one| all.record(*one));
        FlowOutcome {
            slowdown: all.distribution(),
            ..FlowOutcome::default()
        }
    }

    /// Ten parts of as many transfers, each at its largest size; a few sizes stay as they are.
    #[test]
    fn many_sizes_become_deciles() {
        let flows: Vec<FlowOutcome> = (1..=200).map(|at| flow(&[at, at])).collect();
        let sizes = |count: usize| {
            let flows = (1_u64..).zip(&flows).take(count);
            flows.map(|(at, flow)| (at * 1_000, vec![flow])).collect()
        };
        let found = parts(&sizes(200));
        let ends: Vec<f64> = found.iter().map(|part| part.0).collect();
        let wanted: Vec<f64> = (1..=10).map(|at| f64::from(at) * 20_000.0).collect();
        assert_eq!(ends, wanted);
        assert!(found.iter().all(|part| part.1.count() == 40));
        assert_eq!(found[9].1.max(), Some(200.0));
        assert_eq!(parts(&sizes(3)).len(), 3);
        assert_eq!(parts(&sizes(0)).len(), 0);
    }

    #[test]
    fn ranges_leave_out_what_is_empty() {
        let mut found = flow(&[2, 4]);
        found.ends.transfer_time = found.slowdown.clone();
        let sizes = [9_999, 10_000, 99_999, 5_000_000].map(|bytes| (bytes, vec![&found]));
        let ranges = by_range(&sizes.into_iter().collect());
        let counts: Vec<_> = ranges
            .iter()
            .map(|(name, own)| (*name, own.fct.count()))
            .collect();
        assert_eq!(
            counts,
            [("< 10 kB", 2), ("10 to 100 kB", 4), ("1 MB and more", 2)]
        );
    }

    #[test]
    fn a_sentence_has_the_percentiles_there_are() {
        let all: Vec<u64> = (1..=40).collect();
        let mut found = flow(&all);
        found.ends.transfer_time = found.slowdown.clone();
        let sentence = Completion::of([&found].into_iter()).sentence();
        let wanted = "FCT mean 20.5 ps, p50 20 ps, p95 38 ps, max 40 ps; \
                      slowdown mean 20.5, p50 20, p95 38, max 40; p99 needs 100 samples, 40 here";
        assert_eq!(sentence.as_deref(), Some(wanted));
    }
}
