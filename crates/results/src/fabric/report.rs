//! What the page of a run of the cycle engine begins with.

use backwater_flit::outcome::FabricOutcome;
use backwater_kernel::Stop;

use super::words::{self, LOAD, WarmUpEnd};
use super::zero_load::left_out;
use super::{FabricFindings, zero_load};
use crate::info::RunInfo;
use crate::model::{Block, Fact};
use crate::number::{fixed, grouped};
use crate::sections::{INTERRUPTED, broken};
use backwater_kernel::words::counted;

/// The numbers that matter.
pub fn facts(info: &RunInfo, run: &FabricFindings<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    if run.outcome.window > 0 {
        facts.extend(load_facts(&run.outcome));
    }
    if run.outcome.latency.count > 0 {
        facts.extend(latency_facts(run));
    }
    facts.push(Fact::new(
        "Simulated",
        counted(run.outcome.cycles, "cycle"),
        words::stop_short(run.outcome.stop),
    ));
    if run.outcome.window > 0 {
        let how = match words::warm_up_end(run) {
            WarmUpEnd::Detected => "warm-up detected at cycle",
            WarmUpEnd::Limit => "not settled at the limit of the warm-up, cycle",
            WarmUpEnd::None | WarmUpEnd::Given => "after the warm-up, from cycle",
        };
        facts.push(Fact::new(
            "Window",
            counted(run.outcome.window, "cycle"),
            format!("{how} {}", grouped(run.outcome.window_start)),
        ));
    }
    let speed = info.speed(run.outcome.flit_hops).unwrap_or_default();
    facts.push(Fact::new(
        "Flit hops",
        grouped(run.outcome.flit_hops),
        speed,
    ));
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

fn latency_facts(run: &FabricFindings<'_>) -> [Fact; 4] {
    let latency = &run.outcome.latency;
    let [p50, p99, p99_9, max] = words::percentiles(latency);
    [
        Fact::new(
            "Latency",
            format!("{} cycles", words::mean(latency)),
            format!(
                "{} in the network{}",
                words::mean(&run.outcome.network_latency),
                words::latency_without_interval(latency)
            ),
        ),
        Fact::new(
            "At zero load",
            zero_load(run).map_or("–".into(), |cycles| fixed(cycles, 2)),
            format!("cycles, on paths of the same length{}", left_out(run)),
        ),
        Fact::new(
            "p50, p99",
            format!("{p50}, {p99} cycles"),
            format!("p99.9 {p99_9}, max {max}"),
        ),
        Fact::new(
            "Channels crossed",
            fixed(run.outcome.hops_mean, 2),
            "mean, to and from terminals included",
        ),
    ]
}

/// What must not be missed.
pub fn notes(outcome: &FabricOutcome) -> Vec<Block> {
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
