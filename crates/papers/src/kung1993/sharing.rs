//! Figures 14 to 20: circuits that share links.

use backwater_kernel::Time;
use backwater_results::Block;

use super::plots::TimePlot;
use super::single::ends;
use super::timing;
use super::watch::Watch;
use crate::Evidence;
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured, mean};

const CONGESTED: &str = "kung1993/fig14-congestion.toml";
const TWO: &str = "kung1993/fig17-two-switches.toml";
const OPPOSITE: &str = "kung1993/fig20-opposite.toml";

pub fn figures_15_16(lab: &Lab) -> Result<Evidence, LabError> {
    let run = |sets: &[(&str, &str)]| lab.run_watched(CONGESTED, sets, |_| Watch::default());
    let as_shipped = run(&[])?;
    let mut blocks = sharing_plots(&as_shipped);
    let measure = |sets: &[(&str, &str)]| Ok(congested(&run(sets)?));
    blocks.push(timing::table("fig16-readings", measure)?);
    Ok(Evidence {
        findings: congested(&as_shipped),
        blocks,
    })
}

fn congested(run: &Run<Watch>) -> Vec<Finding> {
    let vc1 = run.leg("VC1", "A->S");
    // Measured cell by cell, after the warm-up; Little's law would make the claim true by itself.
    let waits = run.series("delay of VC1 in the switch");
    let steady = |at: &(&u64, &f64)| *at.0 >= run.scenario.network.warm_up.ps();
    let waits = waits.x.iter().zip(&waits.y).filter(steady);
    let waits: Vec<f64> = waits.map(|(_, wait)| *wait).collect();
    let wait_cells = mean(&waits) / run.scenario.cell.ps() as f64;
    let share = |flow| run.throughput(flow, "S->F");
    let (every_third, bursts_of_10) = smoothing(run);
    let fluctuation = vc1.fill_max - vc1.fill_min;
    let most = |flow, channel| f64::from(run.leg(flow, channel).fill_max);
    let finding = |claim, measured| Finding {
        claim,
        scenario: CONGESTED,
        measured,
    };
    vec![
        finding(
            "kung1993.fig15.equal-thirds",
            vec![
                Measured::new("vc1", share("VC1")),
                Measured::new("vc2", share("VC2")),
                Measured::new("vc3", share("VC3")),
                Measured::new("departures_every_third", every_third).within(1.0, 1.0),
                Measured::new("arrivals_in_bursts_of_10", bursts_of_10).within(0.99, 1.0),
            ],
        ),
        finding(
            "kung1993.fig16.queues",
            vec![
                Measured::new("vc1_max", most("VC1", "A->S")),
                Measured::new("vc1_fluctuation", fluctuation.into()),
                Measured::new("vc2_max", most("VC2", "B->S")),
                Measured::new("vc3_max", most("VC3", "C->S")),
            ],
        ),
        finding(
            "kung1993.fig16.delay-is-three-times-queue",
            vec![Measured::new("value", wait_cells / vc1.fill_mean)],
        ),
    ]
}

/// Shares of VC1's departures exactly three cell times after the last, and of its arrivals that
/// belong to bursts of exactly ten, both in the steady state.
fn smoothing(run: &Run<Watch>) -> (f64, f64) {
    let cell = run.scenario.cell;
    let steady = |leg: u32| -> Vec<Time> {
        let starts = &run.probe.starts[&leg];
        starts
            .iter()
            .copied()
            .filter(|&at| at >= run.scenario.network.warm_up)
            .collect()
    };
    let out = steady(run.leg_id("VC1", "S->F"));
    let third = out
        .windows(2)
        .filter(|pair| pair[1] - pair[0] == cell * 3)
        .count();
    let input = steady(run.leg_id("VC1", "A->S"));
    let mut bursts = vec![0usize];
    for pair in input.windows(2) {
        if pair[1] - pair[0] == cell {
            *bursts.last_mut().expect("never empty") += 1;
        } else {
            bursts.push(0);
        }
    }
    // The first and the last may be cut by the ends of the observation.
    let whole = &bursts[1..bursts.len() - 1];
    let tens = whole.iter().filter(|&&follows| follows == 9).count();
    (
        third as f64 / (out.len() - 1) as f64,
        tens as f64 / whole.len() as f64,
    )
}

fn sharing_plots(run: &Run<Watch>) -> Vec<Block> {
    vec![
        TimePlot::new(
            "fig15",
            "Figure 15: VC1 at the switch",
            "throughput",
            "of the link",
        )
        .curve(run, "arriving")
        .curve(run, "leaving")
        .y_range(0.0, 1.05)
        .printed(1.0 / 3.0, "paper: 1/3")
        .note("Bursts of ten cells arrive; one cell leaves every third cell time."),
        TimePlot::new(
            "fig16",
            "Figure 16: queues in the switch",
            "cells stored",
            "cells",
        )
        .curve(run, "VC1")
        .curve(run, "VC2")
        .curve(run, "VC3")
        .printed(110.0, "paper: about 110")
        .note("Round robin gives each a third; N3 alone decides how many cells wait."),
        TimePlot::new(
            "fig16-delay",
            "Delay of VC1 in the switch",
            "delay",
            "cell times",
        )
        .curve(run, "delay of VC1 in the switch")
        .note("Three times the queue: each circuit is served every third cell time."),
    ]
}

pub fn figures_18_19(lab: &Lab) -> Result<Evidence, LabError> {
    let run = |sets: &[(&str, &str)]| lab.run_watched(TWO, sets, |_| Watch::default());
    let as_shipped = run(&[])?;
    let mut blocks = two_switch_plots(&as_shipped);
    let measure = |sets: &[(&str, &str)]| Ok(two_switches(&run(sets)?));
    blocks.push(timing::table("fig19-readings", measure)?);
    Ok(Evidence {
        findings: two_switches(&as_shipped),
        blocks,
    })
}

fn two_switches(run: &Run<Watch>) -> Vec<Finding> {
    let start = |flow: &str| {
        let starts = &run.probe.starts[&run.leg_id(flow, "S1->S2")];
        let end = starts[0] + run.at(300.0).since(Time::ZERO);
        starts.iter().filter(|&&at| at < end).count() as f64 / 300.0
    };
    let at_s2 = run.leg("VC1", "S1->S2");
    let warm_up = run.scenario.network.warm_up;
    let renewals = run.probe.renewals[&run.leg_id("VC1", "S1->S2")].iter();
    let settled = renewals.filter(|(at, _)| *at >= warm_up);
    let settled: Vec<f64> = settled.map(|(_, credit)| *credit as f64).collect();
    let (low, high) = ends(settled.iter().copied());
    let share = |flow, channel| run.throughput(flow, channel);
    let finding = |claim, measured| Finding {
        claim,
        scenario: TWO,
        measured,
    };
    vec![
        finding(
            "kung1993.fig18.backpressure-shares",
            vec![
                Measured::new("vc1_start", start("VC1")).within(0.48, 0.52),
                Measured::new("vc2_start", start("VC2")).within(0.48, 0.52),
                Measured::new("vc1", share("VC1", "S1->S2")).within(0.330, 0.337),
                Measured::new("vc2", share("VC2", "S1->S2")).within(0.663, 0.670),
                Measured::new("vc3", share("VC3", "S2->F")).within(0.330, 0.337),
                Measured::new("vc4", share("VC4", "S2->F")).within(0.330, 0.337),
            ],
        ),
        finding(
            "kung1993.fig19.equilibrium",
            vec![
                Measured::new("min", at_s2.fill_min.into()),
                Measured::new("max", at_s2.fill_max.into()),
                Measured::new("effective_credit", low),
                Measured::new("effective_credit_max", high).within(10.0, 10.0),
                Measured::new("updates", settled.len() as f64).at_least(200.0),
            ],
        ),
    ]
}

fn two_switch_plots(run: &Run<Watch>) -> Vec<Block> {
    vec![
        TimePlot::new(
            "fig18",
            "Figure 18: leaving switch 1",
            "throughput",
            "of the link",
        )
        .curve(run, "VC1")
        .curve(run, "VC2")
        .y_range(0.0, 1.0)
        .printed(0.5, "paper: 1/2 at first")
        .printed(1.0 / 3.0, "paper: VC1 settles at 1/3")
        .printed(2.0 / 3.0, "paper: VC2 settles at 2/3")
        .note("Half each at first; then switch 2 slows VC1 down and VC2 takes the rest."),
        TimePlot::new(
            "fig19",
            "Figure 19: cells stored at switch 2",
            "cells stored",
            "cells",
        )
        .curve(run, "VC1 at switch 2")
        .curve(run, "VC3 at switch 2")
        .curve(run, "VC4 at switch 2")
        .printed(102.0, "paper: 102 to")
        .printed(107.0, "107")
        .note("VC1 settles where N2 + N3 - fill - E = 10 at every credit cell."),
    ]
}

pub fn figure_20(lab: &Lab) -> Result<Evidence, LabError> {
    let run = lab.run(OPPOSITE, &[])?;
    let measure = |sets: &[(&str, &str)]| Ok(opposite(&lab.run(OPPOSITE, sets)?));
    Ok(Evidence {
        findings: opposite(&run),
        blocks: vec![
            TimePlot::new(
                "fig20",
                "Figure 20: one direction",
                "throughput",
                "of the link",
            )
            .curve(&run, "data")
            .curve(&run, "credit")
            .y_range(0.0, 1.0)
            .printed(0.91, "paper: 91 % data")
            .printed(0.09, "paper: 9 % credit")
            .note("N2 = 10: ten elevenths data, one eleventh credit."),
            timing::table("fig20-readings", measure)?,
        ],
    })
}

fn opposite(run: &Run<()>) -> Vec<Finding> {
    let (to_b, to_s) = (run.channel("S->B"), run.channel("B->S"));
    vec![Finding {
        claim: "kung1993.fig20.credit-data-competition",
        scenario: OPPOSITE,
        measured: vec![
            Measured::new("data", to_b.data_share),
            Measured::new("credit", to_b.control_share),
            Measured::new("data_back", to_s.data_share).within(0.905, 0.913),
            Measured::new("credit_back", to_s.control_share).within(0.087, 0.095),
        ],
    }]
}
