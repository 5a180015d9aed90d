//! The limits of the public Ultra Ethernet simulator's own validation: completion times in fat
//! trees, of plain datagrams under PFC and of queue pairs under NSCC.

mod cases;
mod datagrams;
mod nscc;

use crate::{Experiment, Paper};

const ALONE: &str = "uet-limits/alone.toml";
const BOTH_WAYS: &str = "uet-limits/both-ways.toml";
const INCAST: &str = "uet-limits/incast.toml";
const THREE: &str = "uet-limits/three-to-one.toml";
const PERMUTATION: &str = "uet-limits/permutation.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("uet-limits/alone.toml"),
    shipped!("uet-limits/both-ways.toml"),
    shipped!("uet-limits/incast.toml"),
    shipped!("uet-limits/three-to-one.toml"),
    shipped!("uet-limits/permutation.toml"),
];

/// Seeds: permutations and paths are random.
const SEEDS: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "uet-limits",
        title: "The limits of the public Ultra Ethernet simulator",
        picture: "limits",
        claims_toml: backwater_shipped::claims("uet-limits.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Sixteen hosts, plain datagrams",
        claims: &[
            "uet-limits.datagrams.sixteen",
            "uet-limits.datagrams.permutation",
        ],
        runs: 6 * SEEDS,
        cost_ms: 1_500,
        quick_percent: 100,
        run: datagrams::sixteen,
    },
    Experiment {
        title: "1,024 hosts, plain datagrams",
        claims: &["uet-limits.datagrams.large"],
        runs: 3 * SEEDS,
        cost_ms: 20_000,
        quick_percent: 100,
        run: datagrams::large,
    },
    Experiment {
        title: "Sixteen hosts, NSCC",
        claims: &["uet-limits.nscc.times"],
        runs: 4 * SEEDS,
        cost_ms: 2_000,
        quick_percent: 100,
        run: nscc::sixteen,
    },
];
