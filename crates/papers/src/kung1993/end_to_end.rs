//! Section 8.3: link-by-link credit against an end-to-end window. The paper's text breaks off
//! here; what ran is our proposal, stated in the scenario.

use backwater_results::{Block, Cell, Table};

use super::SEEDS;
use super::plots::TimePlot;
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

const FILE: &str = "kung1993/sec83-end-to-end.toml";
/// Mean burst and pause of the high-priority circuit, cell times.
const BURSTS: [u32; 3] = [50, 300, 1000];

/// A way to hold the bulk circuit back.
struct Method {
    name: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const LINK_BY_LINK: &str = "link by link";
const HALF_WINDOW: &str = "window 233";
const WHOLE_WINDOW: &str = "window 465";
const NO_CREDIT: (&str, &str) = ("flows.bulk.flow_control.kind", "none");
const METHODS: [Method; 4] = [
    Method {
        name: LINK_BY_LINK,
        sets: &[],
    },
    Method {
        name: HALF_WINDOW,
        sets: &[
            NO_CREDIT,
            (
                "flows.bulk.source_control",
                "{ kind = \"window\", cells = 233 }",
            ),
        ],
    },
    Method {
        name: WHOLE_WINDOW,
        sets: &[
            NO_CREDIT,
            (
                "flows.bulk.source_control",
                "{ kind = \"window\", cells = 465 }",
            ),
        ],
    },
    Method {
        name: "AIMD, buffer 165",
        sets: &[
            NO_CREDIT,
            ("flows.bulk.flow_control.buffer", "165"),
            (
                "flows.bulk.source_control",
                "{ kind = \"aimd\", initial = 1, maximum = 1000, timeout = \"1400 cells\" }",
            ),
        ],
    },
];

/// What one method did under one burst length, by seed.
struct Outcome {
    method: &'static str,
    burst: u32,
    use_of_rest: Vec<f64>,
    peaks: Vec<f64>,
    drops: Vec<f64>,
    first: Run<()>,
}

fn run(lab: &Lab, method: &Method, burst: u32) -> Result<Outcome, LabError> {
    let mean = format!("{{ mean = \"{burst} cells\" }}");
    let mut sets = method.sets.to_vec();
    sets.push(("flows.bursts.traffic.on", &mean));
    sets.push(("flows.bursts.traffic.off", &mean));
    let mut runs = lab.seeds(FILE, &sets, SEEDS)?;
    let accepted = |run: &Run<()>| {
        let flow = run.flow("bulk");
        if flow.accepted > 0 {
            flow.accepted
        } else {
            flow.delivered
        }
    };
    let use_of_rest = |run: &Run<()>| {
        let rest = 1.0 - run.throughput("bursts", "S2->B");
        accepted(run) as f64 / run.measured_cells() / rest
    };
    let at_switches = ["A->S1", "S1->S2"];
    let peak = |run: &Run<()>| {
        let peaks = at_switches.map(|channel| run.leg("bulk", channel).fill_max_total);
        peaks.into_iter().max().unwrap_or(0) as f64
    };
    let drops = |run: &Run<()>| run.flow("bulk").lost_total as f64;
    Ok(Outcome {
        method: method.name,
        burst,
        use_of_rest: runs.iter().map(use_of_rest).collect(),
        peaks: runs.iter().map(peak).collect(),
        drops: runs.iter().map(drops).collect(),
        first: runs.swap_remove(0),
    })
}

pub fn section_8_3(lab: &Lab) -> Result<Evidence, LabError> {
    let cases = METHODS
        .each_ref()
        .map(|method| BURSTS.map(|burst| (method, burst)));
    let outcomes = lab.each(cases.as_flattened(), |&(method, burst)| {
        run(lab, method, burst)
    })?;
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kung1993.sec83.link-by-link-vs-end-to-end",
            scenario: FILE,
            measured: outcomes.iter().flat_map(Outcome::measured).collect(),
        }],
        blocks: vec![plot(&outcomes), table(&outcomes)],
    })
}

impl Outcome {
    /// Its use of what is left and its peak, as far as the claim bounds them.
    fn measured(&self) -> Vec<Measured> {
        let name = format!("{} burst {}", self.method, self.burst).replace(' ', "_");
        let share = Measured::rate_over_seeds(&format!("{name}_use"), &self.use_of_rest);
        let peak = || Measured::over_seeds(&format!("{name}_peak"), &self.peaks);
        match self.method {
            LINK_BY_LINK => vec![share.at_least(0.99), peak().within(1.0, 165.0)],
            HALF_WINDOW => vec![share.at_most(0.9)],
            WHOLE_WINDOW => vec![share.at_least(0.99), peak().within(400.0, 465.0)],
            _ => Vec::new(),
        }
    }
}

fn plot(outcomes: &[Outcome]) -> Block {
    let mut plot = TimePlot::new(
        "sec83",
        "Bulk cells stored at switch 2, bursts of 300",
        "cells stored",
        "cells",
    );
    for outcome in outcomes.iter().filter(|outcome| outcome.burst == 300) {
        plot = plot.curve_as(&outcome.first, "bulk at switch 2", outcome.method);
    }
    plot.x_range(0.0, 20_000.0)
        .printed(165.0, "N2 + N3")
        .note("Credit stores one link's round trip at each switch; a window its whole loop at one.")
}

fn table(outcomes: &[Outcome]) -> Block {
    let row = |outcome: &Outcome| {
        vec![
            Cell::from(outcome.method),
            Cell::from(outcome.burst),
            cell(&outcome.use_of_rest, 4),
            cell(&outcome.peaks, 1),
            cell(&outcome.drops, 0),
        ]
    };
    Block::Table(Table {
        name: "sec83-methods".into(),
        caption: format!("Mean and 95 % interval over {SEEDS} seeds of 300,000 cell times."),
        columns: vec![
            words("method", "control of the bulk circuit"),
            column(
                "burst",
                "cell times",
                "mean length of the high-priority bursts and pauses",
            ),
            column(
                "use",
                "of leftover",
                "bulk throughput over the rate left by the bursts",
            ),
            column(
                "peak",
                "cells",
                "largest number of bulk cells in one switch",
            ),
            column("drops", "cells", "bulk cells dropped in a run"),
        ],
        rows: outcomes.iter().map(row).collect(),
    })
}
