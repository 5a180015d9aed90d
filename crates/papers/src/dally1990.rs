//! Dally, "Virtual-channel flow control" (1990).

mod dead_time;
mod latency;
mod point;
mod readings;
mod scheduling;
mod storage;
mod throughput;

use crate::{Experiment, Paper};

const FIG08: &str = "dally1990/fig08.toml";
const FIG09: &str = "dally1990/fig09.toml";
const FIG10: &str = "dally1990/fig10.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("dally1990/fig08.toml"),
    shipped!("dally1990/fig09.toml"),
    shipped!("dally1990/fig10.toml"),
];

/// VCs of a channel; each time 16 flits of storage are divided among them.
const VCS: [u32; 5] = [1, 2, 4, 8, 16];
/// Seeds behind every figure.
const SEEDS: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "dally1990",
        title: "Dally 1990: virtual-channel flow control",
        picture: "fig08-gain",
        claims_toml: backwater_shipped::claims("dally1990.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Figure 8: throughput against VCs",
        claims: &[
            "dally1990.fig8.gain-1024",
            "dally1990.fig8.eight-to-sixteen",
            "dally1990.fig8.diminishing-returns",
        ],
        runs: 100,
        cost_ms: 40_000,
        quick_percent: 12,
        run: throughput::figure_8,
    },
    Experiment {
        title: "Figure 8 with other dead times of a header",
        claims: &[],
        runs: 75,
        cost_ms: 35_000,
        quick_percent: 0,
        run: dead_time::other_dead_times,
    },
    Experiment {
        title: "Figure 9: latency against offered traffic",
        claims: &["dally1990.fig9.latency-before-saturation"],
        runs: 200,
        cost_ms: 20_000,
        quick_percent: 10,
        run: latency::figure_9,
    },
    Experiment {
        title: "Figure 10: random against oldest first",
        claims: &[
            "dally1990.fig10.mean-latency",
            "dally1990.fig10.minimum-latency-share",
            "dally1990.fig10.peaks",
        ],
        runs: 110,
        cost_ms: 20_000,
        quick_percent: 40,
        run: scheduling::figure_10,
    },
    Experiment {
        title: "Section 4: more storage instead of VCs",
        claims: &[],
        runs: 30,
        cost_ms: 5_000,
        quick_percent: 0,
        run: storage::section_4,
    },
    Experiment {
        title: "Readings: what the paper leaves open",
        claims: &[],
        runs: 450,
        cost_ms: 35_000,
        quick_percent: 0,
        run: readings::readings,
    },
];
