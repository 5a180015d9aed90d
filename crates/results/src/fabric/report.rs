//! The page of a run of the cycle engine.

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Series;
use backwater_kernel::Stop;

use super::tables::{long_tables, summary_tables};
use super::words::{self, LOAD};
use super::{plots, starved, zero_load};
use crate::info::RunInfo;
use crate::model::{Block, Fact, Report};
use crate::number::{fixed, grouped};
use crate::sections::{INTERRUPTED, broken, closing_blocks, folded, page_of};
use crate::series::series_plots;
use backwater_kernel::words::counted;

/// A page that explains the run: the numbers that matter, what went wrong, figures, every table,
/// the scenario and the command.
pub fn fabric_report(
    info: &RunInfo,
    spec: &FabricSpec,
    outcome: &FabricOutcome,
    series: &[Series],
) -> Report {
    let mut blocks = vec![Block::Facts(facts(info, spec, outcome))];
    blocks.extend(notes(outcome));
    blocks.extend(crate::starved::notes(starved::sentences(spec, outcome)));
    blocks.push(Block::Text(words::paragraphs(spec, outcome)));
    blocks.extend(Block::figures("Figures", plots::plots(spec, outcome)));
    let series = series_plots(series, |_| (plots::time_axis(), 1.0));
    blocks.extend(Block::figures("Over time", series));
    blocks.push(Block::heading("Tables"));
    blocks.extend(summary_tables(spec, outcome).into_iter().map(Block::Table));
    blocks.extend(long_tables(spec, outcome).into_iter().map(folded));
    blocks.extend(closing_blocks(info, spec.seed, &words::trace_hash(outcome)));
    page_of([&info.name, &info.description, &info.version], blocks)
}

fn facts(info: &RunInfo, spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<Fact> {
    let mut facts = Vec::new();
    if outcome.window > 0 {
        facts.extend(load_facts(outcome));
    }
    if outcome.latency.count > 0 {
        facts.extend(latency_facts(spec, outcome));
    }
    facts.push(Fact::new(
        "Simulated",
        counted(outcome.cycles, "cycle"),
        words::stop_short(outcome.stop),
    ));
    if outcome.window > 0 {
        let how = if outcome.warm_up_detected {
            "warm-up detected at cycle"
        } else {
            "after the warm-up, from cycle"
        };
        facts.push(Fact::new(
            "Window",
            counted(outcome.window, "cycle"),
            format!("{how} {}", grouped(outcome.window_start)),
        ));
    }
    let speed = info.speed(outcome.flit_hops).unwrap_or_default();
    facts.push(Fact::new("Flit hops", grouped(outcome.flit_hops), speed));
    facts
}

fn load_facts(outcome: &FabricOutcome) -> [Fact; 3] {
    let state = match outcome.saturated {
        Some(_) => "beyond saturation",
        None => "below saturation",
    };
    [
        Fact::new("Offered", words::load(outcome.offered), LOAD),
        Fact::new(
            "Accepted",
            words::load_within(outcome.accepted, outcome.accepted_half_width),
            format!(
                "{LOAD}; min {}{}",
                words::load(outcome.accepted_least),
                words::without_interval(outcome.accepted_half_width)
            ),
        ),
        Fact::new("Load", state, ""),
    ]
}

fn latency_facts(spec: &FabricSpec, outcome: &FabricOutcome) -> [Fact; 4] {
    let latency = &outcome.latency;
    let [p50, _, p99, p99_9] = latency.percentiles;
    [
        Fact::new(
            "Latency",
            format!("{} cycles", words::mean(latency)),
            format!(
                "{} in the network{}",
                words::mean(&outcome.network_latency),
                words::without_interval(latency.half_width)
            ),
        ),
        Fact::new(
            "At zero load",
            zero_load(spec, outcome).map_or("–".into(), |cycles| fixed(cycles, 2)),
            "cycles, on ways of the same length",
        ),
        Fact::new(
            "p50, p99",
            format!("{}, {} cycles", grouped(p50), grouped(p99)),
            format!("p99.9 {}, max {}", grouped(p99_9), grouped(latency.max)),
        ),
        Fact::new(
            "Channels crossed",
            fixed(outcome.hops_mean, 2),
            "mean, to and from terminals included",
        ),
    ]
}

fn notes(outcome: &FabricOutcome) -> Vec<Block> {
    let stuck = (outcome.stop == Stop::Standstill).then(|| {
        format!(
            "The run ended in a {}. The table below shows which packet waits for which.",
            words::deadlocked(outcome)
        )
    });
    let balance = outcome.balance();
    let missing = (!balance.holds())
        .then(|| format!("Flits are missing: {}.", words::conservation(&balance)));
    let unmeasured = (outcome.window == 0 && outcome.stop != Stop::Interrupted)
        .then(|| format!("Nothing was measured: {}.", words::no_window(outcome)));
    let saturated = outcome.saturated.as_ref().map(|why| {
        let why = why.trim_end_matches('.');
        format!("The load is beyond saturation: {why}.")
    });
    let interrupted = (outcome.stop == Stop::Interrupted).then_some(INTERRUPTED);
    let all = [
        broken(outcome.violations.total()),
        stuck.map(Block::problem),
        missing.map(Block::problem),
        unmeasured.map(Block::warning),
        saturated.map(Block::warning),
        interrupted.map(Block::warning),
    ];
    all.into_iter().flatten().collect()
}
