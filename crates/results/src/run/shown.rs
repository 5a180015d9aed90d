//! What the page and the terminal say of circuits alone.

use backwater_kernel::Duration;
use backwater_net::alone;
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::{abr, port_plots, ports, recovery, responses, sessions, tables};
use crate::events::page::Page;
use crate::events::terminal::Terminal;
use crate::events::{Measured, delays};
use crate::info::RunInfo;
use crate::lines::rest;
use crate::picked::picked;

/// Flows listed in a terminal, less one for each line on paths, sessions and warnings; the rest
/// are counted.
const FLOWS: usize = 12;

/// Waiting in figures, and what sources are allowed; sessions in words.
pub fn page(spec: &NetworkSpec, info: &RunInfo, outcome: &Outcome, measured: Measured<'_>) -> Page {
    let waiting = measured.ports;
    let waiting = waiting.map_or(Vec::new(), |ports| port_plots::plots(ports, info.cell));
    Page {
        sentences: sessions::sentences(spec, outcome),
        figures: vec![
            ("Waiting", waiting),
            ("Available bit rate", abr::plots(spec, outcome)),
        ],
        ..Page::default()
    }
}

/// Flows and waiting by path length; sessions, responses, ABR and recovery.
pub fn terminal(
    spec: &NetworkSpec,
    info: &RunInfo,
    outcome: &Outcome,
    measured: Measured<'_>,
) -> Terminal {
    let paths = measured.ports;
    let paths = paths.map_or(Vec::new(), |ports| ports::terminal_lines(ports, info.cell));
    let mut in_the_way = sessions::sentences(spec, outcome);
    let shown = FLOWS - paths.len() - in_the_way.len();
    let mut flows = flow_lines(spec, outcome, info.cell, shown);
    flows.extend(rest(outcome.flows.len(), shown, "flow"));
    flows.extend(paths);
    in_the_way.extend(responses::line(spec, outcome));
    in_the_way.extend(abr::lines(spec, outcome));
    let recovery = measured.recovery;
    in_the_way.extend(recovery.map_or(Vec::new(), |found| recovery::lines(spec, found)));
    Terminal {
        flows,
        in_the_way,
        ..Terminal::default()
    }
}

/// A line for each of the first flows, and a heading.
fn flow_lines(spec: &NetworkSpec, outcome: &Outcome, cell: Duration, shown: usize) -> Vec<String> {
    let alone = |flow| alone::response(spec, flow);
    let tables = [
        tables::flows(spec, outcome),
        responses::table(spec, outcome, alone),
        delays::table(spec, outcome, cell),
    ];
    let keys = [
        "flow",
        "offered_cells",
        "delivered_cells",
        "dropped_cells",
        "inside_cells",
        "throughput_share",
        "throughput_mbps",
        "goodput_mbps",
        "transfers_per_s",
        "fct_mean_ms",
        "fct_p99_ms",
        "slowdown_mean",
        "delay_mean_us",
        "delay_p99_us",
    ];
    picked(&tables.each_ref(), &keys, shown)
}
