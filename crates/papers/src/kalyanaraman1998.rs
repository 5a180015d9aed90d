//! Kalyanaraman, Jain, Goyal, Fahmy, Samudra, "Use-it-or-lose-it policies for the available bit
//! rate (ABR) service in ATM networks" (1998).

mod bursts;
mod figure_6;
mod large;
mod lots;
mod max_min;
mod others;
mod policies;
mod queue_bound;
mod readings;
mod regions;
mod steps;

use crate::{Experiment, Paper};

const FIVE: &str = "kalyanaraman1998/fig06-five-sources.toml";
const CLIENT: &str = "kalyanaraman1998/client-server.toml";
const WAKE: &str = "kalyanaraman1998/queue-bound.toml";
const LOT: &str = "kalyanaraman1998/parking-lot.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("kalyanaraman1998/fig06-five-sources.toml"),
    shipped!("kalyanaraman1998/client-server.toml"),
    shipped!("kalyanaraman1998/queue-bound.toml"),
    shipped!("kalyanaraman1998/parking-lot.toml"),
];

pub(crate) fn paper() -> Paper {
    Paper {
        id: "kalyanaraman1998",
        title: "Kalyanaraman et al. 1998: use-it-or-lose-it policies for ABR",
        claims_toml: include_str!("../../../claims/kalyanaraman1998.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Figures 5 and 6: five sources that do not use what they may",
        claims: &[
            "kalyanaraman1998.fig6a.no-uili",
            "kalyanaraman1998.fig6b.august-oscillates",
            "kalyanaraman1998.fig6c.baseline-oscillates",
            "kalyanaraman1998.fig6d.count-converges",
            "kalyanaraman1998.fig6e.time-slow",
        ],
        runs: 1,
        cost_ms: 2_600,
        quick_percent: 100,
        run: figure_6::figure_6,
    },
    Experiment {
        title: "Figure 3: regions of operation",
        claims: &[],
        runs: 1,
        cost_ms: 1000,
        quick_percent: 100,
        run: regions::figure_3,
    },
    Experiment {
        title: "Section 5.2.2: the queue of a simultaneous wake-up",
        claims: &["kalyanaraman1998.sec522.queue-bound"],
        runs: 1,
        cost_ms: 5_000,
        quick_percent: 100,
        run: queue_bound::section_522,
    },
    Experiment {
        title: "Sections 3, 5.4, 5.5 and 6: every policy on Figure 5",
        claims: &["kalyanaraman1998.sec54-6.other-policies"],
        runs: 1,
        cost_ms: 2_100,
        quick_percent: 100,
        run: others::every_policy,
    },
    Experiment {
        title: "Sections 7.2.3 to 7.2.5: bursts",
        claims: &[
            "kalyanaraman1998.sec724.medium-bursts",
            "kalyanaraman1998.sec723.small-bursts",
        ],
        runs: 1,
        cost_ms: 34_000,
        quick_percent: 100,
        run: bursts::section_72,
    },
    Experiment {
        title: "Section 7.2.5: large bursts and a low ICR",
        claims: &["kalyanaraman1998.sec725.large-bursts"],
        runs: 1,
        cost_ms: 14_000,
        quick_percent: 100,
        run: large::section_725,
    },
    Experiment {
        title: "Reference [13]: ERICA and max-min fairness",
        claims: &["kalyanaraman1998.erica.max-min"],
        runs: 1,
        cost_ms: 33_000,
        quick_percent: 100,
        run: max_min::reference_13,
    },
    Experiment {
        title: "Readings: what the paper leaves open, and which panel it decides",
        claims: &[],
        runs: 1,
        cost_ms: 1000,
        quick_percent: 100,
        run: readings::readings,
    },
];
