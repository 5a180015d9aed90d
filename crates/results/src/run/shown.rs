//! What the page and the terminal say of circuits alone.

use backwater_net::alone;
use backwater_net::spec::NetworkSpec;

use super::{Circuits, abr, port_plots, ports, recovery, responses, sessions, tables};
use crate::events::delays;
use crate::events::page::{Page, Presented, Terminal};
use crate::info::RunInfo;
use crate::lines::rest;
use crate::picked::picked;

/// Flows listed in a terminal, less one for each line on paths, sessions and warnings; the rest
/// are counted.
const FLOWS: usize = 12;

impl Presented for NetworkSpec {
    /// Waiting in figures, and what sources are allowed; sessions in words.
    fn page(run: &Circuits<'_>, _: &RunInfo) -> Page {
        let ports = run.at_ports.iter();
        let waiting = ports.flat_map(|ports| port_plots::plots(ports, run.cell));
        Page {
            sentences: sessions::sentences(run),
            figures: vec![
                ("Waiting", waiting.collect()),
                ("Available bit rate", abr::plots(run)),
            ],
            ..Page::default()
        }
    }

    /// Requests of which too many are unanswered.
    fn warnings(run: &Circuits<'_>) -> Vec<String> {
        responses::warning(run).into_iter().collect()
    }

    /// Flows and waiting by path length; sessions, responses, ABR and recovery.
    fn terminal(run: &Circuits<'_>, _: &RunInfo) -> Terminal {
        let paths = run.at_ports.iter();
        let paths = paths.flat_map(|ports| ports::terminal_lines(ports, run.cell));
        let paths: Vec<String> = paths.collect();
        let mut in_the_way = sessions::sentences(run);
        let shown = FLOWS - paths.len() - in_the_way.len();
        let mut flows = flow_lines(run, shown);
        flows.extend(rest(run.outcome.flows.len(), shown, "flow"));
        flows.extend(paths);
        in_the_way.extend(responses::line(run));
        in_the_way.extend(abr::lines(run));
        let recovery = run.recovery.iter();
        in_the_way.extend(recovery.flat_map(|found| recovery::lines(run, found)));
        Terminal {
            flows,
            in_the_way,
            ..Terminal::default()
        }
    }
}

/// A line for each of the first flows, and a heading.
fn flow_lines(run: &Circuits<'_>, shown: usize) -> Vec<String> {
    let alone = |flow| alone::response(run.network, flow);
    let tables = [
        tables::flows(run),
        responses::table(run, alone),
        delays::table(run),
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
