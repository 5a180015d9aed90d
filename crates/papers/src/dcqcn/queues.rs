//! Queues and shares of N sources that write to one host.

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table, fairness::jain};

use super::one_port::{
    ARTIFACT, HPCC, PORT, Sets, brought, control, each, queue, seeds, sources, values_of_the_paper,
};
use super::{ONE, SEEDS};
use crate::columns::column;
use crate::estimate::{cell, curve, estimate};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};
use crate::{Evidence, measured::mean};

/// A packet with its headers, bytes in memory.
const PACKET: f64 = 1_062.0;

const OF_ARTIFACT: &str = "N of sixteen hosts write to a seventeenth at 100 Gbps, with PFC below, \
    which only the first round trip needs. Queues are means over 50 to 200 ms.";
const OF_PAPER: &str = "The same at 40 Gbps, with marks from 5 kB to 200 kB, 1 % there; 100 to 400 \
    ms. Sixteen flows ask for more marks than 1 %: their queue stays close to where all is \
    marked.";
const OF_HPCC: &str = "HPCC aims at 0.95 of the busiest link, and each source adds its increase: \
    0.04 % of the link. It keeps hardly a packet waiting.";

/// Of one N, by seed.
struct Seen {
    flows: u64,
    /// Bytes.
    queue: Vec<f64>,
    used: Vec<f64>,
    jain: Vec<f64>,
}

fn see(lab: &Lab, counts: &[u64], common: &Sets) -> Result<Vec<Seen>, LabError> {
    lab.each(counts, |flows| {
        let sets = [common.clone(), vec![sources(*flows)]].concat();
        let runs = seeds(lab, ONE, &sets, SEEDS)?;
        Ok(Seen {
            flows: *flows,
            queue: each(&runs, |run| queue(run, PORT).mean_bytes),
            used: each(&runs, |run| run.channel(PORT).data_share),
            jain: each(&runs, |run| jain(&brought(run, "write"))),
        })
    })
}

pub fn artifact(lab: &Lab) -> Result<Evidence, LabError> {
    let sets = vec![
        control(ARTIFACT),
        ("run.warm_up", "50 ms".into()),
        ("run.duration", "200 ms".into()),
    ];
    let seen = see(lab, &[2, 4, 8, 16], &sets)?;
    let shares = vec![
        least("least_use", &seen, |one| &one.used),
        least("least_jain", &seen, |one| &one.jain),
    ];
    Ok(Evidence {
        findings: vec![
            finding("dcqcn.artifact.queue", queues(&seen, 1e3)),
            finding("dcqcn.artifact.use", shares),
        ],
        blocks: vec![
            Block::Text(OF_ARTIFACT.into()),
            Block::Plot(plot(&seen)),
            Block::Table(table("artifact", "kB", 1e3, &seen)),
        ],
    })
}

pub fn of_the_paper(lab: &Lab) -> Result<Evidence, LabError> {
    let mut sets = values_of_the_paper();
    sets.push(("run.warm_up", "100 ms".into()));
    sets.push(("run.duration", "400 ms".into()));
    let seen = see(lab, &[2, 4, 8, 10, 16], &sets)?;
    let used = vec![least("least_use", &seen, |one| &one.used)];
    Ok(Evidence {
        findings: vec![
            finding("dcqcn.paper.queue", queues(&seen, PACKET)),
            finding("dcqcn.paper.use", used),
        ],
        blocks: vec![
            Block::Text(OF_PAPER.into()),
            Block::Table(table("paper", "packets", PACKET, &seen)),
        ],
    })
}

pub fn hpcc(lab: &Lab) -> Result<Evidence, LabError> {
    let seen = see(lab, &[1, 2, 8, 16], &vec![control(HPCC)])?;
    let used = |one: &Seen| Measured::over_seeds(&format!("n{}", one.flows), &one.used);
    let mut measured: Vec<Measured> = seen.iter().map(used).collect();
    let longest = seen
        .iter()
        .max_by(|a, b| mean(&a.queue).total_cmp(&mean(&b.queue)));
    let longest = longest.expect("there are sources");
    let kilobytes: Vec<f64> = longest.queue.iter().map(|bytes| bytes / 1e3).collect();
    measured.push(Measured::rate_over_seeds("queue", &kilobytes));
    Ok(Evidence {
        findings: vec![finding("dcqcn.hpcc.load", measured)],
        blocks: vec![
            Block::Text(OF_HPCC.into()),
            Block::Table(table("hpcc", "kB", 1e3, &seen)),
        ],
    })
}

fn finding(claim: &'static str, measured: Vec<Measured>) -> Finding {
    Finding {
        claim,
        scenario: ONE,
        measured,
    }
}

fn queues(seen: &[Seen], unit: f64) -> Vec<Measured> {
    let measured = |one: &Seen| {
        let values: Vec<f64> = one.queue.iter().map(|bytes| bytes / unit).collect();
        Measured::over_seeds(&format!("n{}", one.flows), &values)
    };
    seen.iter().map(measured).collect()
}

/// That of the N with the smallest mean.
fn least(name: &str, seen: &[Seen], of: fn(&Seen) -> &Vec<f64>) -> Measured {
    let values = seen.iter().map(of);
    let least = values.min_by(|a, b| mean(a).total_cmp(&mean(b)));
    Measured::share_over_seeds(name, least.expect("there are sources"))
}

fn table(name: &str, unit: &str, bytes: f64, seen: &[Seen]) -> Table {
    let row = |one: &Seen| {
        let queue: Vec<f64> = one.queue.iter().map(|queue| queue / bytes).collect();
        vec![
            Cell::from(one.flows),
            cell(&queue, 1),
            cell(&one.used, 4),
            cell(&one.jain, 4),
        ]
    };
    Table {
        name: format!("{name}-queues"),
        caption: format!("N to 1, {SEEDS} seeds."),
        columns: vec![
            column("N", "", "sources"),
            column("queue", unit, "mean over the time after the warm-up"),
            column("use", "", "of the link, all that is on the wire"),
            column("Jain", "", "index of the flows' payload"),
        ],
        rows: seen.iter().map(row).collect(),
    }
}

fn plot(seen: &[Seen]) -> Plot {
    let flows: Vec<f64> = seen.iter().map(|one| one.flows as f64).collect();
    let kilobytes = |one: &Seen| {
        let values: Vec<f64> = one.queue.iter().map(|bytes| bytes / 1e3).collect();
        estimate(&values)
    };
    let queues: Vec<_> = seen.iter().map(kilobytes).collect();
    let printed = Curve {
        dashed: true,
        ..Curve::new(
            "paper's rules, packet model",
            Style::Line,
            flows.clone(),
            vec![207.0, 218.0, 256.0, 337.0],
        )
    };
    Plot {
        id: "artifact".into(),
        title: "Mean queue of N to 1 with the values of the artifact".into(),
        x: Axis {
            log: true,
            at: flows.clone(),
            ..Axis::new("sources", "")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("mean queue", "kB")
        },
        curves: vec![curve("measured", flows, &queues), printed],
        ..Plot::default()
    }
}
