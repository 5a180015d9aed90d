//! The page of a run of the cycle engine.

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Series;
use backwater_kernel::Stop;

use super::tables::{long_tables, summary_tables};
use super::words::{self, LOAD};
use super::{plots, starved, zero_load};
use crate::info::RunInfo;
use crate::model::{Block, Fact, Report, Tone};
use crate::number::{fixed, grouped, significant};
use crate::sections::{closing_blocks, heading, page_of};
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
    let plots = plots::plots(spec, outcome);
    if !plots.is_empty() {
        blocks.push(heading("Figures"));
        blocks.extend(plots.into_iter().map(Block::Plot));
    }
    let plots = series_plots(series, |_| (plots::time_axis(), 1.0));
    if !plots.is_empty() {
        blocks.push(heading("Over time"));
        blocks.extend(plots.into_iter().map(Block::Plot));
    }
    blocks.push(heading("Tables"));
    blocks.extend(summary_tables(spec, outcome).into_iter().map(Block::Table));
    for table in long_tables(spec, outcome) {
        blocks.push(Block::Fold {
            summary: format!("Table of {}", plural(&table.name)),
            blocks: vec![Block::Table(table)],
        });
    }
    blocks.extend(closing_blocks(info, spec.seed, &words::trace_hash(outcome)));
    page_of(info, blocks)
}

fn plural(name: &str) -> String {
    match name {
        "fairness" => "fair shares".into(),
        "map" => "loads by place".into(),
        "course" => "the course of the run".into(),
        "latency histogram" => "latencies, cycle by cycle".into(),
        name => name.into(),
    }
}

fn fact(label: &str, value: String, detail: String) -> Fact {
    Fact {
        label: label.into(),
        value,
        detail,
    }
}

fn facts(info: &RunInfo, spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<Fact> {
    let mut facts = Vec::new();
    if outcome.window > 0 {
        facts.extend(load_facts(outcome));
    }
    if outcome.latency.count > 0 {
        facts.extend(latency_facts(spec, outcome));
    }
    facts.push(fact(
        "Simulated",
        counted(outcome.cycles, "cycle"),
        words::stop_short(outcome.stop).into(),
    ));
    if outcome.window > 0 {
        let how = if outcome.warm_up_detected {
            "warm-up detected at cycle"
        } else {
            "after the warm-up, from cycle"
        };
        facts.push(fact(
            "Window",
            counted(outcome.window, "cycle"),
            format!("{how} {}", grouped(outcome.window_start)),
        ));
    }
    let speed = match info.wall_seconds.filter(|wall| *wall > 0.0) {
        Some(wall) => format!(
            "{} million a second",
            significant(outcome.flit_hops as f64 / wall / 1e6, 3)
        ),
        None => String::new(),
    };
    facts.push(fact("Flit hops", grouped(outcome.flit_hops), speed));
    facts
}

fn load_facts(outcome: &FabricOutcome) -> [Fact; 3] {
    let state = match outcome.saturated {
        Some(_) => "beyond saturation",
        None => "below saturation",
    };
    [
        fact("Offered", words::load(outcome.offered), LOAD.into()),
        fact(
            "Accepted",
            words::load_within(outcome.accepted, outcome.accepted_half_width),
            format!(
                "{LOAD}; min {}{}",
                words::load(outcome.accepted_least),
                words::without_interval(outcome.accepted_half_width)
            ),
        ),
        fact("Load", state.into(), String::new()),
    ]
}

fn latency_facts(spec: &FabricSpec, outcome: &FabricOutcome) -> [Fact; 4] {
    let latency = &outcome.latency;
    let [p50, _, p99, p99_9] = latency.percentiles;
    [
        fact(
            "Latency",
            format!("{} cycles", words::mean(latency)),
            format!(
                "{} in the network{}",
                words::mean(&outcome.network_latency),
                words::without_interval(latency.half_width)
            ),
        ),
        fact(
            "At zero load",
            zero_load(spec, outcome).map_or("–".into(), |cycles| fixed(cycles, 2)),
            "cycles, on ways of the same length".into(),
        ),
        fact(
            "p50, p99",
            format!("{}, {} cycles", grouped(p50), grouped(p99)),
            format!("p99.9 {}, max {}", grouped(p99_9), grouped(latency.max)),
        ),
        fact(
            "Channels crossed",
            fixed(outcome.hops_mean, 2),
            "mean, to and from terminals included".into(),
        ),
    ]
}

fn notes(outcome: &FabricOutcome) -> Vec<Block> {
    let mut notes = Vec::new();
    let mut note = |tone, text: String| notes.push(Block::Note { tone, text });
    if outcome.violations.total() > 0 {
        note(
            Tone::Problem,
            format!(
                "{} broken; the table of violations says which and when.",
                counted(outcome.violations.total(), "promise")
            ),
        );
    }
    if outcome.stop == Stop::Standstill {
        note(
            Tone::Problem,
            format!(
                "The run ended in a {}. The table below shows which packet waits for which.",
                words::deadlocked(outcome)
            ),
        );
    }
    let balance = outcome.balance();
    if !balance.holds() {
        let text = words::conservation(&balance);
        note(Tone::Problem, format!("Flits are missing: {text}."));
    }
    if outcome.window == 0 && outcome.stop != Stop::Interrupted {
        let why = words::no_window(outcome);
        note(Tone::Warning, format!("Nothing was measured: {why}."));
    }
    if let Some(why) = &outcome.saturated {
        note(Tone::Warning, saturation(why));
    }
    if outcome.stop == Stop::Interrupted {
        note(
            Tone::Warning,
            "The run was interrupted: everything here covers only the time until then.".into(),
        );
    }
    notes
}

fn saturation(why: &str) -> String {
    format!(
        "The load is beyond saturation: {}.",
        why.trim_end_matches('.')
    )
}
