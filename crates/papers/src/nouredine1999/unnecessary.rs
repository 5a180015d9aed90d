//! Figures 7 to 9: control of one path costs others their throughput.

use backwater_kernel::words::counted;
use backwater_results::{Axis, Block, Plot, Table};

use super::runs::{
    DESTINATION, NONE, SIMPLE, SIMPLE_CONTRIBUTING, SIMPLE_OTHERS, Scheme, Seeds, Sets, cell,
    curve, each, finding, least_of, level, limit_mbps, most_of, numbers, throughput_plot,
};
use super::{SEEDS, SEEDS_CONTRAST, UNNECESSARY};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::ratios;
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
/// Those that are judged; the others are for contrast, with fewer seeds and shorter runs.
const JUDGED: usize = 3;
const SHORTER: (&str, &str) = ("run.duration", "30 s");
/// Places of the schemes that are judged.
const NO_CONTROL: usize = 0;
const BY_SIMPLE: usize = 1;
const BY_DESTINATION: usize = 2;
const FLOWS: [&str; 3] = ["D1", "D2", "D3"];

const WORDS: &str = "Inferred: S1 and D1 to D3 on one switch, S2 on a second; D1 to D3 at 10 \
    Mbps, all else at 100 Mbps; S1's large files have 1000 kB. Simple control stops the trunk \
    because of D1. With destination control D2 and D3 get the same as without control, except \
    for the stops sent to the hosts. If the switch stops only inputs with frames in the \
    congested queue, simple control does no harm here, as the paper expects.";

/// Throughput by scheme, number of connections, destination and seed.
struct Found(Vec<Vec<[Vec<f64>; 3]>>);

pub fn figures_8_9(lab: &Lab) -> Result<Evidence, LabError> {
    let row = |(at, scheme): (usize, &Scheme)| {
        let settings = CONNECTIONS.map(|n| settings(at, scheme, n));
        let found = each(lab, UNNECESSARY, &settings, seeds_of(at))?;
        Ok(found
            .iter()
            .map(|at| FLOWS.map(|flow| at.mbps(flow)))
            .collect())
    };
    let found: Result<_, LabError> = SCHEMES.iter().enumerate().map(row).collect();
    let found = Found(found?);
    let mut blocks = vec![
        Block::Text(WORDS.into()),
        Block::Plot(figure_8(&found)),
        Block::Plot(figure_9(&found)),
    ];
    blocks.extend((0..SCHEMES.len()).map(|scheme| Block::Table(table(scheme, &found))));
    blocks.push(Block::Table(slow_table(&slow(lab)?)));
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig9.simple-hurts-bystanders",
            UNNECESSARY,
            measured(&found),
        )],
        blocks,
    })
}

/// Three connections with S2's link at 10 Mbps, without control and under simple control.
fn slow(lab: &Lab) -> Result<Vec<Seeds>, LabError> {
    let settings = [NONE, SIMPLE].map(|scheme| {
        scheme.with([
            ("links.1.rate", "10 Mbps"),
            ("flows.D1.count", "3"),
            SHORTER,
        ])
    });
    each(lab, UNNECESSARY, &settings, SEEDS_CONTRAST)
}

fn seeds_of(scheme: usize) -> u64 {
    if scheme < JUDGED {
        SEEDS
    } else {
        SEEDS_CONTRAST
    }
}

fn settings(at: usize, scheme: &Scheme, connections: u64) -> Sets {
    let mut sets = scheme.with([("flows.D1.count", connections.to_string())]);
    if at >= JUDGED {
        sets.push((SHORTER.0.into(), SHORTER.1.into()));
    }
    sets
}

impl Found {
    /// Share of what a destination gets without control, by number of connections and seed.
    fn shares(&self, scheme: usize, flow: usize) -> Vec<Vec<f64>> {
        let pairs = self.0[scheme].iter().zip(&self.0[NO_CONTROL]);
        let shares = pairs.map(|(with, without)| ratios(&with[flow], &without[flow]));
        shares.collect()
    }

    /// Share of the maximum that D1 gets, the least over numbers of connections, by seed.
    fn d1_of_limit(&self, scheme: usize) -> Vec<f64> {
        let limit = limit_mbps(10.0, 1024.0);
        let share = |at: &[Vec<f64>; 3]| at[0].iter().map(|mbps| mbps / limit).collect();
        let shares: Vec<Vec<f64>> = self.0[scheme].iter().map(share).collect();
        least_of(&shares)
    }
}

fn measured(found: &Found) -> Vec<Measured> {
    let most = |scheme, flow| most_of(&found.shares(scheme, flow));
    let least = |scheme, flow| least_of(&found.shares(scheme, flow));
    let rate = |name: &str, values: Vec<f64>| Measured::rate_over_seeds(name, &values);
    let d1 = |scheme| found.d1_of_limit(scheme);
    let (simple, destination) = (BY_SIMPLE, BY_DESTINATION);
    vec![
        rate("d2_max_of_normal_simple", most(simple, 1)).within(0.0, 0.5),
        rate("d3_max_of_normal_simple", most(simple, 2)).within(0.0, 0.8),
        rate("d2_min_destination", least(destination, 1)).within(0.97, 1.03),
        rate("d2_max_destination", most(destination, 1)).within(0.97, 1.03),
        rate("d3_min_destination", least(destination, 2)).within(0.97, 1.03),
        rate("d3_max_destination", most(destination, 2)).within(0.97, 1.03),
        rate("d1_of_limit_simple", d1(simple)).within(0.97, 1.0),
        rate("d1_of_limit_destination", d1(destination)).within(0.97, 1.0),
        rate("d1_of_limit_none", d1(NO_CONTROL)),
    ]
}

fn drawn(found: &Found, scheme: usize, words: &str, dashed: bool) -> Vec<backwater_results::Curve> {
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
        note: "Without control D2 and D3 have high throughput and D1 does not.".into(),
        ..throughput_plot(
            "fig08",
            "Figure 8: throughput for each destination without back-pressure",
            Axis::new("connections from S1 to D1", ""),
            10.0,
            drawn(found, NO_CONTROL, "", false),
        )
    }
}

fn figure_9(found: &Found) -> Plot {
    let mut curves = drawn(found, BY_SIMPLE, ", simple", false);
    curves.extend(drawn(found, BY_DESTINATION, ", destination", true));
    Plot {
        note: "Solid simple, dashed destination-based control.".into(),
        marks: vec![level(limit_mbps(10.0, 1024.0), "paper: D1 at the maximum")],
        ..throughput_plot(
            "fig09",
            "Figure 9: throughput for each destination with back-pressure",
            Axis::new("connections from S1 to D1", ""),
            10.0,
            curves,
        )
    }
}

fn slow_table(found: &[Seeds]) -> Table {
    let mut columns = vec![words("back-pressure", "the scheme")];
    columns.extend(FLOWS.map(|flow| column(flow, "Mbps", "payload it got")));
    let row = |(scheme, at): (&Scheme, &Seeds)| {
        let mut row = vec![scheme.name.into()];
        row.extend(FLOWS.map(|flow| cell(&at.mbps(flow), 2)));
        row
    };
    Table {
        name: "fig09-slow".into(),
        caption: format!(
            "Another place for the mismatch: S2's link at 10 Mbps, 3 connections, \
             {SEEDS_CONTRAST} seeds of 30 s."
        ),
        columns,
        rows: [NONE, SIMPLE].iter().zip(found).map(row).collect(),
    }
}

fn table(scheme: usize, found: &Found) -> Table {
    let mut columns = vec![column("connections", "", "from S1 to D1")];
    columns.extend(FLOWS.map(|flow| {
        let meaning = "payload it got: mean [min, max] over seeds";
        column(flow, "Mbps", meaning)
    }));
    let row = |(n, at): (&u64, &[Vec<f64>; 3])| {
        let mut row = vec![(*n).into()];
        row.extend(at.iter().map(|values| cell(values, 2)));
        row
    };
    Table {
        name: format!("fig09-{scheme}"),
        caption: format!(
            "Back-pressure: {}; {}{}.",
            SCHEMES[scheme].name,
            counted(seeds_of(scheme), "seed"),
            if scheme < JUDGED { "" } else { " of 30 s" }
        ),
        columns,
        rows: CONNECTIONS.iter().zip(&found.0[scheme]).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bystanders_are_compared_seed_by_seed_at_every_number_of_connections() {
        // By scheme, number of connections, destination and seed.
        let at = |d1: f64, d2: [f64; 2], d3: [f64; 2]| [vec![d1; 2], d2.to_vec(), d3.to_vec()];
        let mut found = Found(vec![
            vec![at(4.0, [5.0, 10.0], [10.0, 5.0]); 6],
            vec![at(9.2, [2.0, 4.0], [7.0, 3.5]); 6],
            vec![at(9.1, [5.0, 10.0], [10.0, 5.0]); 6],
        ]);
        found.0[BY_SIMPLE][3] = at(9.0, [3.0, 2.0], [6.0, 4.5]);
        found.0[BY_DESTINATION][0] = at(9.1, [4.5, 10.0], [10.5, 5.0]);
        let limit = limit_mbps(10.0, 1024.0);
        let expected = [
            0.5,  // 0.6 and 0.4
            0.8,  // 0.7 and 0.9
            0.95, // 0.9 and 1
            1.0,  // never more than without control
            1.0,
            1.025,       // 1.05 and 1
            9.0 / limit, // the least, with 4 connections
            9.1 / limit,
            4.0 / limit,
        ];
        let values = measured(&found);
        for (one, expected) in values.iter().zip(expected) {
            assert!((one.value - expected).abs() < 1e-9, "{one:?}");
        }
        assert_eq!(values.len(), expected.len());
    }
}
