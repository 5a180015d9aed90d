//! Kung et al., "Use of link-by-link flow control in maximizing ATM network performance:
//! simulation results" (1993).

mod buffers;
mod end_to_end;
mod multicast;
mod plots;
mod robustness;
mod servers;
mod sharing;
mod single;
mod timing;
mod watch;
mod zones;

use crate::{Experiment, Paper};

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("kung1993/fig07-overbooking.toml"),
    shipped!("kung1993/fig09-noncongested.toml"),
    shipped!("kung1993/fig12-greedy.toml"),
    shipped!("kung1993/fig14-congestion.toml"),
    shipped!("kung1993/fig17-two-switches.toml"),
    shipped!("kung1993/fig20-opposite.toml"),
    shipped!("kung1993/fig21-file-servers.toml"),
    shipped!("kung1993/fig22-multicast.toml"),
    shipped!("kung1993/sec82-fifteen-branches.toml"),
    shipped!("kung1993/sec83-end-to-end.toml"),
    shipped!("kung1993/sec45-lost-credit.toml"),
    shipped!("kung1993/sec45-one-circuit.toml"),
    shipped!("kung1993/sec3-n123.toml"),
];

/// Seeds behind every stochastic figure.
const SEEDS: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "kung1993",
        title: "Kung et al. 1993: link-by-link credit flow control (N23) for ATM",
        picture: "fig18",
        claims_toml: backwater_shipped::claims("kung1993.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Figure 6: buffer sizes",
        claims: &[
            "kung1993.fig6.buffer-table",
            "kung1993.sec6.thousand-vcs-per-megabyte",
        ],
        runs: 20,
        cost_ms: 300,
        quick_percent: 100,
        run: buffers::figure_6,
    },
    Experiment {
        title: "Figures 7 and 8: the link is full",
        claims: &["kung1993.fig8.link-fully-used", "kung1993.fig8.vc2-buffer"],
        runs: 4,
        cost_ms: 40,
        quick_percent: 100,
        run: single::figure_8,
    },
    Experiment {
        title: "Figures 9 to 11: no congestion",
        claims: &[
            "kung1993.fig10.throughput-33",
            "kung1993.fig11.credit-sawtooth",
        ],
        runs: 4,
        cost_ms: 40,
        quick_percent: 100,
        run: single::figures_10_11,
    },
    Experiment {
        title: "Figures 12 and 13: greedy with little credit",
        claims: &[
            "kung1993.fig12.burst",
            "kung1993.fig12.throughput-39",
            "kung1993.fig12.window-bound",
        ],
        runs: 9,
        cost_ms: 200,
        quick_percent: 100,
        run: single::figures_12_13,
    },
    Experiment {
        title: "Figures 14 to 16: sharing under congestion",
        claims: &[
            "kung1993.fig15.equal-thirds",
            "kung1993.fig16.queues",
            "kung1993.fig16.delay-is-three-times-queue",
        ],
        runs: 4,
        cost_ms: 40,
        quick_percent: 100,
        run: sharing::figures_15_16,
    },
    Experiment {
        title: "Figures 17 to 19: two switches",
        claims: &[
            "kung1993.fig18.backpressure-shares",
            "kung1993.fig19.equilibrium",
        ],
        runs: 4,
        cost_ms: 50,
        quick_percent: 100,
        run: sharing::figures_18_19,
    },
    Experiment {
        title: "Figure 20: credit against data",
        claims: &["kung1993.fig20.credit-data-competition"],
        runs: 4,
        cost_ms: 130,
        quick_percent: 100,
        run: sharing::figure_20,
    },
    Experiment {
        title: "Figure 21: request and response",
        claims: &["kung1993.fig21.nfs-peak-buffers"],
        runs: 51,
        cost_ms: 7_400,
        quick_percent: 25,
        run: servers::figure_21,
    },
    Experiment {
        title: "Figures 22 to 24: multicast",
        claims: &[
            "kung1993.fig23.multicast-buffers",
            "kung1993.fig24.multicast-throughput",
        ],
        runs: 20,
        cost_ms: 7_000,
        quick_percent: 25,
        run: multicast::figures_23_24,
    },
    Experiment {
        title: "Section 8.2: fifteen branches",
        claims: &["kung1993.sec8.fifteen-branches"],
        runs: 50,
        cost_ms: 38_000,
        quick_percent: 15,
        run: multicast::fifteen_branches,
    },
    Experiment {
        title: "Section 8.3: link by link against end to end",
        claims: &["kung1993.sec83.link-by-link-vs-end-to-end"],
        runs: 60,
        cost_ms: 4_700,
        quick_percent: 25,
        run: end_to_end::section_8_3,
    },
    Experiment {
        title: "Section 4.5: lost credit cells",
        claims: &[
            "kung1993.sec45.absolute-survives-loss",
            "kung1993.sec45.relative-leaks",
        ],
        runs: 99,
        cost_ms: 960,
        quick_percent: 100,
        run: robustness::section_4_5,
    },
    Experiment {
        title: "Section 3: N123 and N123+",
        claims: &["kung1993.n123"],
        runs: 13,
        cost_ms: 80,
        quick_percent: 100,
        run: zones::three_zones,
    },
];
