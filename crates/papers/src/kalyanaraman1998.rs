//! Kalyanaraman, Jain, Goyal, Fahmy, Samudra, "Use-it-or-lose-it policies for the available bit
//! rate (ABR) service in ATM networks" (1998).

mod burst_figures;
mod bursts;
mod figure_6;
mod headroom;
mod large;
mod lots;
mod max_min;
mod others;
mod policies;
mod queue_bound;
mod readings;
mod regions;
mod steps;
mod time_out;

use crate::{Experiment, Paper};

const FIVE: &str = "kalyanaraman1998/fig06-five-sources.toml";
const SMALL: &str = "kalyanaraman1998/small-bursts.toml";
const MEDIUM: &str = "kalyanaraman1998/client-server.toml";
const LARGE: &str = "kalyanaraman1998/large-bursts.toml";
const PAUSE: &str = "kalyanaraman1998/time-out.toml";
const WAKE: &str = "kalyanaraman1998/queue-bound.toml";
const LOT: &str = "kalyanaraman1998/parking-lot.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("kalyanaraman1998/fig06-five-sources.toml"),
    shipped!("kalyanaraman1998/small-bursts.toml"),
    shipped!("kalyanaraman1998/client-server.toml"),
    shipped!("kalyanaraman1998/large-bursts.toml"),
    shipped!("kalyanaraman1998/time-out.toml"),
    shipped!("kalyanaraman1998/queue-bound.toml"),
    shipped!("kalyanaraman1998/parking-lot.toml"),
];

pub(crate) fn paper() -> Paper {
    Paper {
        id: "kalyanaraman1998",
        title: "Kalyanaraman et al. 1998: use-it-or-lose-it policies for ABR",
        picture: "fig06c",
        claims_toml: backwater_shipped::claims("kalyanaraman1998.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Figure 2: multiplicative and additive headroom",
        claims: &[],
        runs: 12,
        cost_ms: 1_500,
        quick_percent: 0,
        run: headroom::figure_2,
    },
    Experiment {
        title: "Figures 5 and 6: five sources that do not use their allowed rate",
        claims: &[
            "kalyanaraman1998.fig6a.no-uili",
            "kalyanaraman1998.fig6b.august-oscillates",
            "kalyanaraman1998.fig6c.baseline-oscillates",
            "kalyanaraman1998.fig6d.count-converges",
            "kalyanaraman1998.fig6e.time-slow",
        ],
        runs: 13,
        cost_ms: 1_500,
        quick_percent: 100,
        run: figure_6::figure_6,
    },
    Experiment {
        title: "Figure 3: regions of operation",
        claims: &[],
        runs: 2,
        cost_ms: 300,
        quick_percent: 0,
        run: regions::figure_3,
    },
    Experiment {
        title: "Section 5.2.2: the queue of a simultaneous wake-up",
        claims: &["kalyanaraman1998.sec522.queue-bound"],
        runs: 16,
        cost_ms: 2_500,
        quick_percent: 100,
        run: queue_bound::section_522,
    },
    Experiment {
        title: "Sections 3, 5.4, 5.5 and 6: every policy on Figure 5",
        claims: &["kalyanaraman1998.sec54-6.other-policies"],
        runs: 29,
        cost_ms: 2_500,
        quick_percent: 100,
        run: others::every_policy,
    },
    Experiment {
        title: "Sections 7.2.3 and 7.2.4: small and medium bursts",
        claims: &[
            "kalyanaraman1998.sec724.medium-bursts",
            "kalyanaraman1998.sec723.small-bursts",
        ],
        runs: 4,
        cost_ms: 3_000,
        quick_percent: 50,
        run: bursts::section_72,
    },
    Experiment {
        title: "Figures 10 to 12: source rates over bursts, every policy",
        claims: &[],
        runs: 24,
        cost_ms: 12_000,
        quick_percent: 0,
        run: burst_figures::figures_10_to_12,
    },
    Experiment {
        title: "Section 7.2.5: large bursts and a low ICR",
        claims: &["kalyanaraman1998.sec725.large-bursts"],
        runs: 6,
        cost_ms: 5_000,
        quick_percent: 50,
        run: large::section_725,
    },
    Experiment {
        title: "Section 7.2.5: other ICR, TDF and switch",
        claims: &[],
        runs: 9,
        cost_ms: 6_000,
        quick_percent: 0,
        run: large::more_of_section_725,
    },
    Experiment {
        title: "Reference [13]: ERICA and max-min fairness",
        claims: &["kalyanaraman1998.erica.max-min"],
        runs: 240,
        cost_ms: 6_000,
        quick_percent: 10,
        run: max_min::reference_13,
    },
    Experiment {
        title: "Readings: what the paper leaves open, and which panel it decides",
        claims: &[],
        runs: 33,
        cost_ms: 4_000,
        quick_percent: 0,
        run: readings::readings,
    },
];
