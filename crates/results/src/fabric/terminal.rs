//! A run of the cycle engine in a few lines of text.

use super::words::{self, LOAD};
use super::zero_load::left_out;
use super::{FabricFindings, deadlock, fair, tables, zero_load};
use crate::lines::{aligned, broken, rest, shortened};
use crate::number::{fixed, grouped, percent};
use backwater_kernel::words::counted;

/// Classes listed; the rest are counted.
const CLASSES: usize = 5;
/// Packets of a deadlock listed; the rest are counted.
const HELD: usize = 4;
/// Violations listed; the rest are counted.
const VIOLATIONS: usize = 2;

/// Loads, latencies, fairness, classes, the balance, what stood still; and what broke.
pub fn lines(run: &FabricFindings<'_>) -> [Vec<String>; 2] {
    let outcome = &run.outcome;
    let mut lines = numbers(run);
    lines.extend(fairness(run));
    if outcome.classes.len() > 1 {
        lines.push(String::new());
        lines.extend(aligned(&class_rows(run)));
        lines.extend(rest(outcome.classes.len(), CLASSES, "class"));
    }
    lines.push(String::new());
    lines.push(words::conservation(&outcome.balance()));
    let busiest = words::busiest(run);
    if !busiest.is_empty() {
        let told = |(name, share): &(String, f64)| format!("{name}: {}", percent(*share));
        let told: Vec<String> = busiest.iter().map(told).collect();
        lines.push(format!(
            "busiest channel {}",
            told.join("; between routers ")
        ));
    }
    if let Some(why) = &outcome.saturated {
        lines.push(format!("beyond saturation: {why}"));
    }
    if outcome.standstill.is_some() {
        lines.push(words::deadlocked(outcome));
        lines.extend(deadlock::lines(run, HELD));
    }
    let kept = outcome.violations.kept().iter().take(VIOLATIONS);
    let kept = kept.map(|one| (format!("cycle {}", grouped(one.at)), &*one.what));
    [lines, broken(outcome.violations.total(), kept)]
}

fn numbers(run: &FabricFindings<'_>) -> Vec<String> {
    let mut lines = vec![format!("window    {}", words::window(run))];
    if run.outcome.window > 0 {
        lines.push(format!(
            "offered   {} {LOAD}",
            words::load(run.outcome.offered)
        ));
        lines.push(format!(
            "accepted  {} {LOAD}, min of a terminal {}{}",
            words::load_within(run.outcome.accepted, run.outcome.accepted_half_width),
            words::load(run.outcome.accepted_least),
            words::without_interval(run.outcome.accepted_half_width)
        ));
    }
    let latency = &run.outcome.latency;
    if latency.count > 0 {
        let [p50, p99, p99_9, max] = words::percentiles(latency);
        lines.push(format!(
            "latency   {} cycles{}; p50 {p50}, p99 {p99}, p99.9 {p99_9}, max {max}",
            words::mean(latency),
            words::latency_without_interval(latency),
        ));
        lines.push(format!(
            "network   {} cycles over {} channels on average",
            words::mean(&run.outcome.network_latency),
            fixed(run.outcome.hops_mean, 2)
        ));
        let zero_load = zero_load(run).map(|cycles| fixed(cycles, 2));
        let left_out = left_out(run);
        lines.extend(
            zero_load.map(|cycles| format!("zero load {cycles} cycles on these paths{left_out}")),
        );
    }
    if run.outcome.unfinished > 0 {
        let count = counted(run.outcome.unfinished, "packet");
        lines.push(format!("unfinished  {count} created in the window"));
    }
    lines
}

/// Jain's index, how sources stand to their max-min shares, and the shares of few.
fn fairness(run: &FabricFindings<'_>) -> Vec<String> {
    let Some((index, sources)) = fair::of_sources(run) else {
        return Vec::new();
    };
    let (index, sources) = (fixed(index, 4), counted(sources, "source"));
    let jain = format!("fairness  Jain's index {index} over {sources}");
    let found = match run.shares() {
        Ok(found) => found,
        Err(why) => return vec![format!("{jain}; no max-min shares: {why}")],
    };
    let mut lines = vec![jain];
    if let Some(spread) = found.spread() {
        lines.push(format!(
            "max-min   sources got {spread} of their shares; Jain's index of that {}",
            fixed(found.jain().1, 4)
        ));
    }
    if found.are_few() {
        lines.push(String::new());
        lines.extend(found.listed());
    }
    lines
}

fn class_rows(run: &FabricFindings<'_>) -> Vec<Vec<String>> {
    let titles = ["class", "created", "delivered", "latency", "p99", "late"];
    let mut rows = vec![titles.map(String::from).to_vec()];
    for (index, found) in run.outcome.classes.iter().enumerate().take(CLASSES) {
        let latency = &found.latency;
        let measured = |text: String| {
            if latency.count > 0 { text } else { "-".into() }
        };
        let has_deadline = run
            .spec
            .classes
            .get(index)
            .is_some_and(|class| class.deadline.is_some());
        rows.push(vec![
            shortened(&tables::class_name(run.spec, index)),
            grouped(found.created_total),
            grouped(found.delivered_total),
            measured(fixed(latency.mean, 1)),
            measured(grouped(latency.percentiles[2])),
            if has_deadline {
                grouped(found.late)
            } else {
                "-".into()
            },
        ]);
    }
    rows
}
