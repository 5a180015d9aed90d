//! RoCC: robust congestion control for RDMA (Taheri and others, CoNEXT 2020): figures of its
//! simulations and its testbed, and what follows from its printed rules where they differ.

mod bottlenecks;
mod ports;
mod star;
mod steps;
mod testbed;

use crate::{Experiment, Paper};

const STAR: &str = "rocc2020/star.toml";
const STEPS: &str = "rocc2020/steps.toml";
const TWO: &str = "rocc2020/two-bottlenecks.toml";
const UNLIKE: &str = "rocc2020/unlike-nics.toml";
const TESTBED: &str = "rocc2020/testbed.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("rocc2020/star.toml"),
    shipped!("rocc2020/steps.toml"),
    shipped!("rocc2020/two-bottlenecks.toml"),
    shipped!("rocc2020/unlike-nics.toml"),
    shipped!("rocc2020/testbed.toml"),
];

/// Seeds of what chance has a part in: starts within 5 us of each other.
const SEEDS: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "rocc2020",
        title: "RoCC: robust congestion control for RDMA",
        picture: "star",
        claims_toml: backwater_shipped::claims("rocc2020.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "The pairs of gains",
        claims: &["rocc2020.alg1.regions"],
        runs: 0,
        cost_ms: 10,
        quick_percent: 100,
        run: star::regions,
    },
    Experiment {
        title: "N to 1: rate, queue, settling",
        claims: &[
            "rocc2020.fig8.fair-rate",
            "rocc2020.fig8.queue-at-reference",
            "rocc2020.fig8.settling",
            "rocc2020.fig11a.ten-flows",
        ],
        runs: 40,
        cost_ms: 12_000,
        quick_percent: 100,
        run: star::n_to_one,
    },
    Experiment {
        title: "Twice as many, then half as many",
        claims: &["rocc2020.fig9.rates", "rocc2020.fig9.settling"],
        runs: 5,
        cost_ms: 6_000,
        quick_percent: 100,
        run: steps::steps,
    },
    Experiment {
        title: "Two bottlenecks",
        claims: &[
            "rocc2020.fig12a.multi-bottleneck",
            "rocc2020.fig12a.others-starve-d0",
        ],
        runs: 20,
        cost_ms: 8_000,
        quick_percent: 50,
        run: bottlenecks::two,
    },
    Experiment {
        title: "Unlike NICs",
        claims: &["rocc2020.fig12b.asymmetric", "rocc2020.fig12b.hpcc-unfair"],
        runs: 15,
        cost_ms: 8_000,
        quick_percent: 50,
        run: bottlenecks::unlike,
    },
    Experiment {
        title: "The testbed",
        claims: &[
            "rocc2020.fig13.testbed-equal",
            "rocc2020.fig13.testbed-mixed",
        ],
        runs: 10,
        cost_ms: 1_000,
        quick_percent: 100,
        run: testbed::both,
    },
];
