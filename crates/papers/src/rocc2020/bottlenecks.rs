//! Two bottlenecks, and sources behind unlike NICs: Figure 12.

use backwater_results::{Block, Cell, Table};

use super::ports::{HPCC_WIRE, gbps};
use super::{SEEDS, TWO, UNLIKE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured, mean};

/// Keys and values that differ from the file.
type Sets<'a> = &'a [(&'a str, &'a str)];

/// Marks of the paper of DCQCN, by the rate of the link: 5 to 200 kB at 40 Gb/s.
const RED_10: &str = "{ ecn = { min = \"1250 B\", max = \"50 kB\", probability = 0.01, at = \
    \"leave\" } }";
/// The same of the link of 40 Gb/s.
const RED_40: (&str, &str) = (
    "links.0.ecn",
    "{ min = \"5 kB\", max = \"200 kB\", probability = 0.01, at = \"leave\" }",
);
/// Marks of the artifact: 4 and 16 kB for each Gb/s.
const ARTIFACT_10: &str = "{ ecn = { min = \"40 kB\", max = \"160 kB\", probability = 0.2, at = \
    \"leave\" } }";
/// The same of the link of 40 Gb/s.
const ARTIFACT_40: (&str, &str) = (
    "links.0.ecn",
    "{ min = \"160 kB\", max = \"640 kB\", probability = 0.2, at = \"leave\" }",
);
const HPCC_10: &str =
    "{ kind = \"hpcc\", max_stage = 5, additive = \"4 Mbps\", least = \"10 Mbps\" }";
const HPCC_100: &str = "{ kind = \"hpcc\", max_stage = 5 }";

const TWO_WORDS: &str = "D0 meets D1 to D4 at one link and D5 at another. Max-min shares are 5 \
    Gbps for D0 and D5 and 8.75 Gbps for the others; under RoCC a source obeys the lowest of its \
    rates. Sources under marks hear of both queues.";
const UNLIKE_WORDS: &str = "Five sources at 40 Gbps and two at 100 Gbps share one link of 100 \
    Gbps, 20 ms from the start and the 20 ms after it. HPCC multiplies all rates by one factor; \
    only what is added each round trip, 10 Mbps for each 25 Gbps of the NIC, evens them out: of 40 \
    Mbps a share is 357 such steps.";

fn seeds(lab: &Lab, file: &str, sets: Sets<'_>) -> Result<Vec<EthernetRun>, LabError> {
    lab.ethernet_seeds(file, sets, SEEDS)
}

/// Mean rate of flows of these names, by seed.
fn rates(runs: &[EthernetRun], flows: &[&str], wire: f64) -> Vec<f64> {
    let rate = |run: &EthernetRun| {
        let rates = flows.iter().flat_map(|flow| gbps(run, flow));
        mean(&rates.map(|rate| rate * wire).collect::<Vec<f64>>())
    };
    runs.iter().map(rate).collect()
}

pub fn two(lab: &Lab) -> Result<Evidence, LabError> {
    let none: Sets<'_> = &[];
    let dcqcn =
        |profile: &'static str, marks: &'static str, trunk: (&'static str, &'static str)| {
            [("roce.control", profile), ("buffer", marks), trunk]
        };
    let paper = dcqcn("{ kind = \"dcqcn\", profile = \"paper\" }", RED_10, RED_40);
    let artifact = dcqcn(
        "{ kind = \"dcqcn\", profile = \"artifact\", least = \"10 Mbps\" }",
        ARTIFACT_10,
        ARTIFACT_40,
    );
    let hpcc = [("roce.control", HPCC_10), ("buffer", "{}")];
    let schemes: [(&str, Sets<'_>, f64); 4] = [
        ("RoCC", none, 1.0),
        ("DCQCN, paper", &paper, 1.0),
        ("DCQCN, artifact", &artifact, 1.0),
        ("HPCC", &hpcc, HPCC_WIRE),
    ];
    let seen = lab.each(&schemes, |(name, sets, wire)| {
        let runs = seeds(lab, TWO, sets)?;
        let rate = |flows: &[&str]| rates(&runs, flows, *wire);
        Ok((
            *name,
            [
                rate(&["D0"]),
                rate(&["D5"]),
                rate(&["D1", "D2", "D3", "D4"]),
            ],
        ))
    })?;
    let of = |scheme: usize| &seen[scheme].1;
    let [d0, d5, others] = of(0);
    let rocc = vec![
        Measured::over_seeds("d0", d0),
        Measured::over_seeds("d5", d5),
        Measured::over_seeds("d1_to_d4_mean", others),
    ];
    let mut starved = Vec::new();
    for (scheme, name) in [(1, "dcqcn"), (3, "hpcc")] {
        let [d0, _, others] = of(scheme);
        starved.push(Measured::over_seeds(&format!("{name}_d0"), d0).at_most(4.75));
        starved.push(Measured::over_seeds(&format!("{name}_d1_to_d4"), others).at_least(8.75));
    }
    starved.push(Measured::over_seeds("dcqcn_artifact_d0", &of(2)[0]));
    let finding = |claim, measured| Finding {
        claim,
        scenario: TWO,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("rocc2020.fig12a.multi-bottleneck", rocc),
            finding("rocc2020.fig12a.others-starve-d0", starved),
        ],
        blocks: vec![
            Block::Text(TWO_WORDS.into()),
            Block::Table(table(
                "two-bottlenecks",
                ["D0", "D5", "D1 to D4"],
                seen.iter().map(|(name, rates)| (*name, rates.as_slice())),
            )),
        ],
    })
}

pub fn unlike(lab: &Lab) -> Result<Evidence, LabError> {
    let start = [("run.warm_up", "0 s"), ("run.duration", "20 ms")];
    let hpcc = [("roce.control", HPCC_100), ("buffer", "{}")];
    let at_first = [hpcc, start].concat();
    let schemes: [(&str, Sets<'_>, f64); 3] = [
        ("RoCC", &[], 1.0),
        ("HPCC, first 20 ms", &at_first, HPCC_WIRE),
        ("HPCC, then", &hpcc, HPCC_WIRE),
    ];
    let seen = lab.each(&schemes, |(name, sets, wire)| {
        let runs = seeds(lab, UNLIKE, sets)?;
        let rate = |flow: &str| rates(&runs, &[flow], *wire);
        Ok((*name, [rate("slow"), rate("fast")]))
    })?;
    let [slow, fast] = &seen[0].1;
    let rocc = vec![
        Measured::over_seeds("d0_to_d4", slow),
        Measured::over_seeds("d5_d6", fast),
    ];
    let [slow, fast] = &seen[1].1;
    let ratio = crate::estimate::ratios(fast, slow);
    let unfair = vec![
        Measured::over_seeds("ratio", &ratio).at_least(1.5),
        Measured::over_seeds("fast", fast),
        Measured::over_seeds("slow", slow),
    ];
    let finding = |claim, measured| Finding {
        claim,
        scenario: UNLIKE,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("rocc2020.fig12b.asymmetric", rocc),
            finding("rocc2020.fig12b.hpcc-unfair", unfair),
        ],
        blocks: vec![
            Block::Text(UNLIKE_WORDS.into()),
            Block::Table(table(
                "unlike-nics",
                ["40 Gbps", "100 Gbps"],
                seen.iter().map(|(name, rates)| (*name, rates.as_slice())),
            )),
        ],
    })
}

fn table<'a, const N: usize>(
    name: &str,
    flows: [&str; N],
    rows: impl Iterator<Item = (&'a str, &'a [Vec<f64>])>,
) -> Table {
    let row = |(scheme, rates): (&str, &[Vec<f64>])| {
        let cells = rates.iter().map(|rates| cell(rates, 2));
        [Cell::from(scheme)].into_iter().chain(cells).collect()
    };
    let columns = flows
        .iter()
        .map(|flow| column(flow, "Gbps", "on the wire, each"));
    Table {
        name: name.into(),
        caption: format!("Rates of flows, {SEEDS} seeds."),
        columns: [words("source", "who computes the rate")]
            .into_iter()
            .chain(columns)
            .collect(),
        rows: rows.map(row).collect(),
    }
}
