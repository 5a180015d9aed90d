//! Sections 3 and 4.5: lost credit cells, relative updates.

use backwater_results::{Block, Cell, Table};

use super::SEEDS;
use super::plots::TimePlot;
use super::watch::Watch;
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

const THREE: &str = "kung1993/sec45-lost-credit.toml";
const ONE: &str = "kung1993/sec45-one-circuit.toml";
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
    let (mut overflows, mut full) = (Vec::new(), Vec::new());
    for loss in LOSSES {
        let runs = lab.seeds(THREE, &[("link.control_loss", loss)], SEEDS)?;
        let broken = |run: &Run<()>| run.outcome.violations.total() as f64;
        let broken: Vec<f64> = runs.iter().map(broken).collect();
        let output = |run: &Run<()>| run.channel("S->F").data_share;
        full = runs.iter().map(output).collect();
        let requests = |run: &Run<()>| {
            let legs = run.outcome.legs.iter();
            legs.map(|leg| leg.requests_total).sum::<u64>() as f64
        };
        let requests: Vec<f64> = runs.iter().map(requests).collect();
        rows.push(vec![
            Cell::from(loss),
            cell(&full, 4),
            cell(&requests, 0),
            Cell::float(broken.iter().sum(), 0),
        ]);
        overflows.push(broken);
    }
    let table = Block::Table(Table {
        name: "sec45-loss".into(),
        caption: "Three greedy circuits, N3 = 155, with loss of credit cells.".into(),
        columns: vec![
            words("loss", "probability that a credit cell is lost"),
            column("output", "of the link", "use of the shared output"),
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
        Measured::over_seeds("overflows", &by_seed(&overflows)).within(0.0, 0.0),
        Measured::share_over_seeds("link_use_at_0.3", &full).at_least(0.99),
    ];
    Ok((measured, table))
}

/// Sums over the settings, by seed.
fn by_seed(settings: &[Vec<f64>]) -> Vec<f64> {
    let seeds = settings.first().map_or(0, Vec::len);
    let sum = |seed: usize| settings.iter().map(|setting| setting[seed]).sum();
    (0..seeds).map(sum).collect()
}

/// Finite circuits are delivered whole, whatever gets lost.
fn all_delivered(lab: &Lab) -> Result<Measured, LabError> {
    let undelivered: Vec<Vec<f64>> = lab.each(&LOSSES, |&loss| {
        let sets = [
            ("link.control_loss", loss),
            ("flows.VC1.traffic.total", "5000 cells"),
            ("flows.VC2.traffic.total", "5015 cells"),
            ("flows.VC3.traffic.total", "5003 cells"),
        ];
        let left = |run: &Run<()>| {
            let flows = run.outcome.flows.iter();
            let left = flows.map(|flow| flow.offered_total - flow.delivered_total);
            left.sum::<u64>() as f64
        };
        Ok(lab.seeds(THREE, &sets, SEEDS)?.iter().map(left).collect())
    })?;
    Ok(Measured::over_seeds("undelivered", &by_seed(&undelivered)).within(0.0, 0.0))
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
    let relative = lab.seeds(ONE, &[("flow_control.kind", "relative")], SEEDS)?;
    let absolute = lab.seeds(ONE, &[("flow_control.kind", "n23")], SEEDS)?;
    let cumulative = lab.seeds(ONE, &[("flow_control.kind", "cumulative")], SEEDS)?;
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
    .note(
        "Every lost relative credit is lost for ever; absolute credit is corrected by the \
           next.",
    );
    let measured = vec![
        Measured::over_seeds("relative_last_tenth", &tails(&relative)).within(0.0, 0.0),
        Measured::share_over_seeds("absolute_last_tenth", &tails(&absolute)).at_least(0.9),
        Measured::share_over_seeds("cumulative_last_tenth", &tails(&cumulative)).at_least(0.9),
    ];
    Ok((measured, vec![plot]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None of the 24 cases differs.
    #[test]
    fn as_many_credit_cells_follow_as_the_formula_says() {
        let lab = Lab {
            packet_sets: vec![("run.duration".into(), "3000 cells".into())],
            ..Lab::default()
        };
        let found = further_credits(&lab).expect("it runs");
        assert_eq!((&*found.name, found.value), ("wrong_counts_of_24", 0.0));
    }

    #[test]
    fn settings_are_summed_seed_by_seed() {
        let settings = [vec![1.0, 0.0], vec![2.0, 0.0], vec![0.0, 5.0]];
        assert_eq!(by_seed(&settings), [3.0, 5.0]);
        assert!(by_seed(&[]).is_empty());
    }
}
