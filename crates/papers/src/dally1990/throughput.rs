//! Figure 8: saturation throughput against VCs.

use backwater_kernel::words::counted;
use backwater_results::{Axis, Block, Cell, Curve, Direction, Mark, Plot, Table};

use super::point::{Point, Sets, cell, curve, cycles, estimate, points, ratios};
use super::{FIG08, SEEDS, VCS};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Stages, and the cycles measured if not those of the scenario: small networks need longer.
const NETWORKS: [(u32, Option<u32>); 4] = [
    (4, Some(20_000)),
    (6, Some(8_000)),
    (8, Some(3_000)),
    (10, None),
];
/// Indices of `VCS` that the printed numbers are about: one, 8 and 16 VCs.
const ONE: usize = 0;
const EIGHT: usize = 3;
const SIXTEEN: usize = 4;
/// What the paper prints: 16 VCs over one, and 16 over 8.
pub const GAIN: f64 = 3.5;
pub const LAST_DOUBLING: f64 = 1.14;

const WORDS: &str = "The paper defines the transfer of a flit as one time unit and does not say \
    how long a header takes for its route and its VC. All figures here use one router, whose \
    headers take 2 cycles at each stage. The gain of dimension 10 grows with this dead time: \
    see the next section. The window is the scenario's 2,000 cycles in dimension 10; 3,000, \
    8,000 and 20,000 in dimensions 8, 6 and 4, which have fewer terminals.\n\nTwo more choices \
    of this engine matter. A drained VC is allocated again a cycle later at the earliest: in \
    the same cycle, a single VC would carry more and the gain would be smaller. And the dead \
    time passes before a header competes for a VC: spent while it holds the VC, each cycle \
    would cost more, and fewer cycles would give the printed gain.";

/// Saturation throughput by network (smallest first), VCs and seed.
type Throughputs = Vec<Vec<Vec<f64>>>;

pub fn figure_8(lab: &Lab) -> Result<Evidence, LabError> {
    let settings: Vec<Sets> = NETWORKS
        .iter()
        .flat_map(|network| VCS.map(|vcs| setting(*network, vcs)))
        .collect();
    let points = points(lab, FIG08, &settings, SEEDS)?;
    let throughputs: Throughputs = points
        .chunks(VCS.len())
        .map(|network| network.iter().map(Point::throughputs).collect())
        .collect();
    Ok(Evidence {
        findings: findings(&throughputs),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&throughputs)),
            Block::Plot(gains_plot(&throughputs)),
            Block::Table(table(&throughputs)),
        ],
    })
}

fn setting((stages, window): (u32, Option<u32>), vcs: u32) -> Sets {
    let mut sets = vec![
        ("topology.n", stages.to_string()),
        ("router.vcs", vcs.to_string()),
    ];
    sets.extend(window.map(|window| ("run.measure", cycles(window))));
    sets
}

fn findings(throughputs: &Throughputs) -> Vec<Finding> {
    let finding = |claim, measured| Finding {
        claim,
        scenario: FIG08,
        measured,
    };
    let largest = &throughputs[throughputs.len() - 1];
    let value = |fewer: usize, more: usize| {
        let gain = ratios(&largest[more], &largest[fewer]);
        vec![Measured::over_seeds("value", &gain)]
    };
    vec![
        finding("dally1990.fig8.gain-1024", value(ONE, SIXTEEN)),
        finding("dally1990.fig8.eight-to-sixteen", value(EIGHT, SIXTEEN)),
        finding("dally1990.fig8.diminishing-returns", returns(throughputs)),
    ]
}

/// What "diminishing returns" and "larger networks gain more" mean in numbers. The least over
/// networks and VCs is that of each seed.
fn returns(throughputs: &Throughputs) -> Vec<Measured> {
    let seeds = throughputs[0][0].len();
    let by_seed = |value: &dyn Fn(&[Vec<f64>]) -> f64| -> Vec<f64> {
        let of = |seed: usize| {
            let vcs = |network: &Vec<Vec<f64>>| network.iter().map(|vc| vc[seed]).collect();
            throughputs.iter().map(vcs).collect::<Vec<Vec<f64>>>()
        };
        (0..seeds).map(|seed| value(&of(seed))).collect()
    };
    let above = |name: &str, value: &dyn Fn(&[Vec<f64>]) -> f64, bound: f64| {
        Measured::over_seeds(name, &by_seed(value)).at_least(bound)
    };
    let mut measured = vec![
        above("smallest_ratio_of_a_doubling", &smallest_step, 1.02),
        above("a_doubling_over_the_next", &least_fall, 1.0),
        above("share_of_the_gain_by_4_lanes", &least_early, 0.5),
        above("gain_over_that_of_two_stages_less", &least_growth, 1.02),
    ];
    for ((stages, _), vcs) in NETWORKS.iter().zip(throughputs) {
        let gain = ratios(&vcs[SIXTEEN], &vcs[ONE]);
        measured.push(Measured::over_seeds(
            &format!("gain_{stages}_stages"),
            &gain,
        ));
    }
    measured
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

/// Throughput with twice the VCs over that with the VCs before.
fn steps(network: &[f64]) -> Vec<f64> {
    let pairs = network.windows(2);
    pairs.map(|pair| pair[1] / pair[0]).collect()
}

fn smallest_step(networks: &[Vec<f64>]) -> f64 {
    least(networks.iter().flat_map(|network| steps(network)))
}

/// A step over the next one.
fn least_fall(networks: &[Vec<f64>]) -> f64 {
    least(networks.iter().map(|network| {
        let steps = steps(network);
        least(steps.windows(2).map(|pair| pair[0] / pair[1]))
    }))
}

/// Share of the whole gain that 4 VCs have.
fn least_early(networks: &[Vec<f64>]) -> f64 {
    let early = |vcs: &Vec<f64>| (vcs[2] - vcs[ONE]) / (vcs[SIXTEEN] - vcs[ONE]);
    least(networks.iter().map(early))
}

/// Gain of a network over that of the next smaller one.
fn least_growth(networks: &[Vec<f64>]) -> f64 {
    let gains = networks.iter().map(|vcs| vcs[SIXTEEN] / vcs[ONE]);
    let gains: Vec<f64> = gains.collect();
    least(gains.windows(2).map(|pair| pair[1] / pair[0]))
}

fn vcs_axis() -> Axis {
    Axis {
        log: true,
        min: Some(1.0),
        max: Some(16.0),
        at: VCS.map(f64::from).to_vec(),
        ..Axis::new("VCs of a channel", "")
    }
}

fn curves(values: impl Iterator<Item = Vec<Vec<f64>>>) -> Vec<Curve> {
    let one = |((stages, _), vcs): (&(u32, Option<u32>), Vec<Vec<f64>>)| {
        let estimates: Vec<_> = vcs.iter().map(|seeds| estimate(seeds)).collect();
        let x = VCS.map(f64::from).to_vec();
        curve(&format!("dimension {stages}"), x, &estimates)
    };
    NETWORKS.iter().zip(values).map(one).collect()
}

fn plot(throughputs: &Throughputs) -> Plot {
    let largest = &throughputs[throughputs.len() - 1];
    Plot {
        id: "fig08".into(),
        title: "Figure 8: saturation throughput of 2-ary n-flies".into(),
        x: vcs_axis(),
        y: Axis {
            min: Some(0.0),
            max: Some(1.0),
            ..Axis::new("throughput", "of capacity")
        },
        curves: curves(throughputs.iter().cloned()),
        note: "16 flits of storage per channel for any number of VCs.".into(),
        marks: vec![Mark {
            direction: Direction::Horizontal,
            at: GAIN * estimate(&largest[ONE]).mean,
            label: "paper: 3.5 times one VC, dimension 10".into(),
        }],
    }
}

fn gains_plot(throughputs: &Throughputs) -> Plot {
    let gains = |network: &Vec<Vec<f64>>| {
        let gain = |vc: &Vec<f64>| ratios(vc, &network[ONE]);
        network.iter().map(gain).collect()
    };
    let mut curves = curves(throughputs.iter().map(gains));
    curves.push(Curve {
        name: "paper, dimension 10".into(),
        x: vec![1.0, 8.0, 16.0],
        y: vec![1.0, GAIN / LAST_DOUBLING, GAIN],
        dashed: true,
        ..Curve::default()
    });
    Plot {
        id: "fig08-gain".into(),
        title: "Figure 8: throughput over that of a single VC".into(),
        x: vcs_axis(),
        y: Axis {
            min: Some(1.0),
            ..Axis::new("gain", "")
        },
        curves,
        note: "Printed are a factor of 3.5 for 16 VCs and 14 % from 8 to 16.".into(),
        ..Plot::default()
    }
}

fn table(throughputs: &Throughputs) -> Table {
    let mut columns = vec![column("dimension", "", "stages of the 2-ary fly")];
    let vcs = VCS.map(|vcs| {
        let name = counted(vcs, "VC");
        column(
            &name,
            "of capacity",
            "saturation throughput with this number of VCs",
        )
    });
    columns.extend(vcs);
    columns.push(column("gain", "", "16 VCs over one"));
    columns.push(column("8 to 16", "", "16 VCs over 8"));
    let row = |((stages, _), vcs): (&(u32, Option<u32>), &Vec<Vec<f64>>)| {
        let mut row = vec![Cell::from(*stages)];
        row.extend(vcs.iter().map(|seeds| cell(seeds, 4)));
        row.push(cell(&ratios(&vcs[SIXTEEN], &vcs[ONE]), 2));
        row.push(cell(&ratios(&vcs[SIXTEEN], &vcs[EIGHT]), 3));
        row
    };
    Table {
        name: "fig08-throughput".into(),
        caption: format!("Saturation throughput, mean and 95 % interval over {SEEDS} seeds."),
        columns,
        rows: NETWORKS.iter().zip(throughputs).map(row).collect(),
    }
}

#[cfg(test)]
mod tests;
