//! Figures 7 to 9: control of one path costs others their throughput.

use results::{Axis, Block, Plot, Table};

use super::runs::{
    DESTINATION, NONE, SIMPLE, SIMPLE_CONTRIBUTING, SIMPLE_OTHERS, Scheme, Sets, cell, curve, each,
    finding, limit_mbps, mean, numbers, throughput_plot,
};
use super::{SEEDS, SEEDS_CONTRAST, UNNECESSARY};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const CONNECTIONS: [u64; 6] = [1, 2, 3, 4, 6, 10];
const SCHEMES: [Scheme; 5] = [
    NONE,
    SIMPLE,
    DESTINATION,
    SIMPLE_CONTRIBUTING,
    SIMPLE_OTHERS,
];
/// Seeds of each.
const SEEDS_OF: [u64; 5] = [SEEDS, SEEDS, SEEDS, SEEDS_CONTRAST, SEEDS_CONTRAST];
const FLOWS: [&str; 3] = ["D1", "D2", "D3"];

const WORDS: &str = "Inferred: S1 and D1 to D3 on one switch, S2 on a second; D1 to D3 at 10 \
    Mbps, all else at 100 Mbps; S1's large files have 1000 kB. Simple control stops the trunk \
    for D1's sake. Destination control gives D2 and D3 back what they had without control, but \
    for the stops sent to the stations. Where the switch tells its inputs apart, simple control \
    does no harm here, as the paper expects.";

/// Throughput by scheme, number of connections, destination and seed.
struct Found(Vec<Vec<[Vec<f64>; 3]>>);

pub fn figures_8_9(lab: &Lab) -> Result<Evidence, LabError> {
    let row = |(scheme, seeds): (&Scheme, u64)| {
        let settings = CONNECTIONS.map(|n| settings(scheme, n));
        let found = each(lab, UNNECESSARY, &settings, seeds)?;
        Ok(found
            .iter()
            .map(|at| FLOWS.map(|flow| at.mbps(flow)))
            .collect())
    };
    let found: Result<_, LabError> = SCHEMES.iter().zip(SEEDS_OF).map(row).collect();
    let found = Found(found?);
    let mut blocks = vec![
        Block::Text(WORDS.into()),
        Block::Plot(figure_8(&found)),
        Block::Plot(figure_9(&found)),
    ];
    blocks.extend((0..SCHEMES.len()).map(|scheme| Block::Table(table(scheme, &found))));
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig9.simple-hurts-bystanders",
            UNNECESSARY,
            measured(&found),
        )],
        blocks,
    })
}

fn settings(scheme: &Scheme, connections: u64) -> Sets {
    scheme.with([("flows.D1.count", connections.to_string())])
}

impl Found {
    /// Share of what a destination gets without control, at each number of connections.
    fn shares(&self, scheme: usize, flow: usize) -> Vec<f64> {
        let pairs = self.0[scheme].iter().zip(&self.0[0]);
        let share = pairs.map(|(with, without)| mean(&with[flow]) / mean(&without[flow]));
        share.collect()
    }
}

fn measured(found: &Found) -> Vec<Measured> {
    let (simple, destination) = (1, 2);
    let most = |values: Vec<f64>| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let least = |values: Vec<f64>| values.into_iter().fold(f64::INFINITY, f64::min);
    let limit = limit_mbps(10.0, 1024.0);
    let at_limit = |scheme: usize| {
        let row = found.0[scheme].iter();
        least(row.map(|at| mean(&at[0]) / limit).collect())
    };
    let share = |scheme, flow| found.shares(scheme, flow);
    vec![
        Measured::new("d2_most_of_normal_simple", most(share(simple, 1))).within(0.0, 0.5),
        Measured::new("d3_most_of_normal_simple", most(share(simple, 2))).within(0.0, 0.8),
        Measured::new("d2_least_destination", least(share(destination, 1))).within(0.97, 1.03),
        Measured::new("d3_least_destination", least(share(destination, 2))).within(0.97, 1.03),
        Measured::new("d1_of_limit_simple", at_limit(simple)).within(0.97, 1.0),
        Measured::new("d1_of_limit_destination", at_limit(destination)).within(0.97, 1.0),
        Measured::new("d1_of_limit_none", at_limit(0)),
    ]
}

fn drawn(found: &Found, scheme: usize, words: &str, dashed: bool) -> Vec<results::Curve> {
    let curves = FLOWS.iter().enumerate().map(|(flow, name)| {
        let rows = found.0[scheme].iter();
        let values: Vec<Vec<f64>> = rows.map(|at| at[flow].clone()).collect();
        curve(
            &format!("{name}{words}"),
            &numbers(&CONNECTIONS),
            &values,
            dashed,
        )
    });
    curves.collect()
}

fn figure_8(found: &Found) -> Plot {
    Plot {
        note: "Without control D2 and D3 do well and D1 does not.".into(),
        ..throughput_plot(
            "fig8",
            "Figure 8: throughput for each destination without back-pressure",
            Axis::new("connections from S1 to D1", ""),
            10.0,
            drawn(found, 0, "", false),
        )
    }
}

fn figure_9(found: &Found) -> Plot {
    let mut curves = drawn(found, 1, ", simple", false);
    curves.extend(drawn(found, 2, ", destination", true));
    Plot {
        note: "Solid simple, dashed destination-based control.".into(),
        ..throughput_plot(
            "fig9",
            "Figure 9: throughput for each destination with back-pressure",
            Axis::new("connections from S1 to D1", ""),
            10.0,
            curves,
        )
    }
}

fn table(scheme: usize, found: &Found) -> Table {
    let mut columns = vec![column("connections", "", "from S1 to D1")];
    columns.extend(FLOWS.map(|flow| {
        let meaning = "payload it got: mean [least, most] over seeds";
        column(flow, "Mbps", meaning)
    }));
    let row = |(n, at): (&u64, &[Vec<f64>; 3])| {
        let mut row = vec![(*n).into()];
        row.extend(at.iter().map(|values| cell(values, 2)));
        row
    };
    Table {
        name: format!("fig9-{scheme}"),
        caption: format!(
            "Back-pressure: {}; {} seeds.",
            SCHEMES[scheme].name, SEEDS_OF[scheme]
        ),
        columns,
        rows: CONNECTIONS.iter().zip(&found.0[scheme]).map(row).collect(),
    }
}
