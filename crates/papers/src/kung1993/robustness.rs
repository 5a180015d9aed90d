//! Sections 3 and 4.5: lost credit cells, relative updates, the three-zone schemes.

use results::{Block, Cell, Table};

use super::SEEDS;
use super::plots::TimePlot;
use super::watch::Watch;
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

const THREE: &str = "kung1993/sec45-lost-credit.toml";
const ONE: &str = "kung1993/sec45-one-circuit.toml";
const ZONES: &str = "kung1993/sec3-n123.toml";
const LOSSES: [&str; 6] = ["0.001", "0.003", "0.01", "0.03", "0.1", "0.3"];

pub fn section_4_5(lab: &Lab) -> Result<Evidence, LabError> {
    let (competing, table) = competing(lab)?;
    let (leak, leak_blocks) = relative_leak(lab)?;
    let mut measured = competing;
    measured.push(further_credits(lab)?);
    measured.push(all_delivered(lab)?);
    let mut blocks = vec![table];
    blocks.extend(leak_blocks);
    let finding = |claim, scenario, measured| Finding {
        claim,
        scenario,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("kung1993.sec45.absolute-survives-loss", THREE, measured),
            finding("kung1993.sec45.relative-leaks", ONE, leak),
        ],
        blocks,
    })
}

/// Three circuits under credit loss: no overflow, the link stays full.
fn competing(lab: &Lab) -> Result<(Vec<Measured>, Block), LabError> {
    let mut rows = Vec::new();
    let (mut overflow, mut full) = (0, Vec::new());
    for loss in LOSSES {
        let runs = lab.seeds(THREE, &[("link.control_loss", loss)], SEEDS)?;
        let broken: u64 = runs.iter().map(|run| run.outcome.violations_total).sum();
        overflow += broken;
        let output = |run: &Run<()>| run.channel("S->F").data_utilization;
        let outputs: Vec<f64> = runs.iter().map(output).collect();
        let legs = runs.iter().flat_map(|run| &run.outcome.legs);
        let requests: u64 = legs.map(|leg| leg.requests_total).sum();
        let mean = outputs.iter().sum::<f64>() / outputs.len() as f64;
        rows.push(vec![
            Cell::Text(loss.into()),
            Cell::Float {
                value: mean,
                digits: 4,
            },
            Cell::Int((requests / SEEDS) as i64),
            Cell::Int(broken as i64),
        ]);
        full = outputs;
    }
    let table = Block::Table(Table {
        name: "sec45-loss".into(),
        caption: "Three greedy circuits, N3 = 155, while credit cells get lost.".into(),
        columns: vec![
            words("loss", "probability that a credit cell is lost"),
            column(
                "output",
                "of the link",
                "use of the shared output, mean over seeds",
            ),
            column("requests", "", "Sender-Request-Credit cells in a run"),
            column(
                "broken promises",
                "",
                "overflows and the like, over all seeds",
            ),
        ],
        rows,
    });
    let measured = vec![
        Measured::new("overflows", overflow as f64).within(0.0, 0.0),
        Measured::over_seeds("link_use_at_0.3", &full).within(0.99, 1.0),
    ];
    Ok((measured, table))
}

/// Finite circuits are delivered whole, whatever gets lost.
fn all_delivered(lab: &Lab) -> Result<Measured, LabError> {
    let undelivered: Vec<u64> = lab.each(&LOSSES, |&loss| {
        let sets = [
            ("link.control_loss", loss),
            ("flows.VC1.traffic.total", "5000"),
            ("flows.VC2.traffic.total", "5015"),
            ("flows.VC3.traffic.total", "5003"),
        ];
        let runs = lab.seeds(THREE, &sets, SEEDS)?;
        let flows = runs.iter().flat_map(|run| &run.outcome.flows);
        Ok(flows
            .map(|flow| flow.offered_total - flow.delivered_total)
            .sum())
    })?;
    Ok(Measured::new("undelivered", undelivered.iter().sum::<u64>() as f64).within(0.0, 0.0))
}

/// Cut the stream of credit at an instant: how many credit cells follow the first lost one,
/// against A = floor((B + G) / N2)? Counts the cases that differ, out of 24.
fn further_credits(lab: &Lab) -> Result<Measured, LabError> {
    let cases: Vec<(u32, u32, u32)> = [1u32, 3, 5, 10]
        .into_iter()
        .flat_map(|n2| [40u32, 155].map(|n3| (n2, n3)))
        .flat_map(|(n2, n3)| [2000u32, 2013, 2047].map(|from| (n2, n3, from)))
        .collect();
    let wrong: Vec<u32> = lab.each(&cases, |&(n2, n3, from)| {
        let (n2_text, n3_text) = (n2.to_string(), n3.to_string());
        let from_text = format!("{from} cells");
        let sets = [
            ("flow_control.n2", n2_text.as_str()),
            ("flow_control.n3", n3_text.as_str()),
            ("links.A-S.control_loss", "1.0"),
            ("links.A-S.errors_from", &from_text),
        ];
        let run = lab.run_watched(ONE, &sets, |_| Watch::default())?;
        let leg = run.leg_id("VC", "A->S");
        let credits = &run.probe.credits[&leg];
        let first = credits.partition_point(|credit| credit.at < run.at(from as f64));
        let (last_good, lost) = (credits[first - 1], credits[first]);
        // G: what the last good credit cell allowed and had not arrived yet.
        let to_come = last_good.value - (lost.arrived - last_good.arrived);
        let expected = (lost.stored + to_come) / n2 as u64;
        let followed = (credits.len() - first - 1) as u64;
        Ok((expected != followed) as u32)
    })?;
    Ok(Measured::new("wrong_counts_of_24", wrong.iter().sum::<u32>() as f64).within(0.0, 0.0))
}

/// One circuit at 1 % loss: relative credit leaks away, absolute credit does not.
fn relative_leak(lab: &Lab) -> Result<(Vec<Measured>, Vec<Block>), LabError> {
    let relative = lab.seeds(ONE, &[("flow_control.scheme", "relative")], SEEDS)?;
    let absolute = lab.seeds(ONE, &[("flow_control.scheme", "n23")], SEEDS)?;
    let cumulative = lab.seeds(ONE, &[("flow_control.scheme", "cumulative")], SEEDS)?;
    let last_tenth = |run: &Run<()>| {
        let throughput = &run.series("throughput").y;
        let tail = &throughput[throughput.len() * 9 / 10..];
        tail.iter().sum::<f64>() / tail.len() as f64
    };
    let tails = |runs: &[Run<()>]| runs.iter().map(last_tenth).collect::<Vec<f64>>();
    let plot = TimePlot::new(
        "sec45-leak",
        "One circuit, 1 % of credit cells lost",
        "throughput",
        "of the link",
    )
    .curve_as(&absolute[0], "throughput", "absolute (N23)")
    .curve_as(&cumulative[0], "throughput", "cumulative")
    .curve_as(&relative[0], "throughput", "relative")
    .y_range(0.0, 1.05)
    .note("Every lost relative credit is lost for ever; absolute credit heals with the next.");
    let measured = vec![
        Measured::over_seeds("relative_last_tenth", &tails(&relative)).within(0.0, 0.0),
        Measured::over_seeds("absolute_last_tenth", &tails(&absolute)).within(0.9, 1.0),
        Measured::over_seeds("cumulative_last_tenth", &tails(&cumulative)).within(0.9, 1.0),
    ];
    Ok((measured, vec![plot]))
}

/// N123 and N123+ beside N23 on the traffic of Figure 14.
pub fn three_zones(lab: &Lab) -> Result<Evidence, LabError> {
    let schemes = ["n23", "n123", "n123+"];
    let runs: Vec<Run<()>> = schemes
        .iter()
        .map(|scheme| lab.run(ZONES, &[("flow_control.scheme", scheme)]))
        .collect::<Result<_, LabError>>()?;
    let buffer = |run: &Run<()>| {
        let leg = &run.scenario.network.flows[2].legs[0];
        leg.buffer.limit_units.unwrap_or(u32::MAX) as f64
    };
    let peak = |run: &Run<()>| run.leg("VC1", "A->S").fill_max_total as f64;
    let shares = |run: &Run<()>| ["VC1", "VC2", "VC3"].map(|flow| run.throughput(flow, "S->F"));
    let mut measured = Vec::new();
    let mut rows = Vec::new();
    for (scheme, run) in schemes.iter().zip(&runs) {
        for (flow, share) in shares(run).into_iter().enumerate() {
            let name = format!("{scheme}_vc{}", flow + 1);
            measured.push(Measured::new(&name, share).within(0.332, 0.3345));
        }
        let broken = run.outcome.violations_total as f64;
        measured.push(Measured::new(&format!("{scheme}_overflows"), broken).within(0.0, 0.0));
        rows.push(vec![
            Cell::Text((*scheme).into()),
            Cell::Float {
                value: buffer(run),
                digits: 0,
            },
            Cell::Float {
                value: peak(run),
                digits: 0,
            },
            Cell::Float {
                value: shares(run)[0],
                digits: 4,
            },
        ]);
    }
    let base = buffer(&runs[0]);
    measured.push(Measured::new("n123_buffer", buffer(&runs[1])).at_least(base + 1.0));
    measured
        .push(Measured::new("n123+_buffer", buffer(&runs[2])).within(base + 1.0, buffer(&runs[1])));
    let table = Block::Table(Table {
        name: "sec3-zones".into(),
        caption: "Same traffic, same shares; the third zone costs memory. VC3's target is 40 %."
            .into(),
        columns: vec![
            words("scheme", "credit scheme"),
            column("buffer of VC3", "cells", "N1 + N2 + N3"),
            column(
                "peak of VC1",
                "cells",
                "largest number of VC1's cells in the switch",
            ),
            column("throughput of VC1", "of the link", "leaving the switch"),
        ],
        rows,
    });
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kung1993.n123",
            scenario: ZONES,
            measured,
        }],
        blocks: vec![table],
    })
}
