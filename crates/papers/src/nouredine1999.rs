//! Nouredine, Tobagi, "Selective back-pressure in switched Ethernet LANs" (1999).

mod deadlock;
mod inputs;
mod margins;
mod merging;
mod messages;
mod mismatch;
mod non_responding;
mod readings;
mod runs;
mod small_buffer;
mod unnecessary;
mod upstream;
mod video;

use crate::{Experiment, Paper};

const MISMATCH: &str = "nouredine1999/fig02-speed-mismatch.toml";
const MERGING: &str = "nouredine1999/fig04-merging.toml";
const SMALL_BUFFER: &str = "nouredine1999/sec312-smaller-buffer.toml";
const INPUTS: &str = "nouredine1999/fig06-input-mismatch.toml";
const UNNECESSARY: &str = "nouredine1999/fig09-unnecessary-control.toml";
const NON_RESPONDING: &str = "nouredine1999/sec321-non-responding.toml";
const UPSTREAM: &str = "nouredine1999/fig11-shared-upstream.toml";
const VIDEO: &str = "nouredine1999/fig13-video.toml";
const ONE_LINK: &str = "nouredine1999/sec33-shared-incoming-link.toml";
const TREE: &str = "ethernet/tree-deadlock.toml";
const RING: &str = "ethernet/ring-deadlock.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("nouredine1999/fig02-speed-mismatch.toml"),
    shipped!("nouredine1999/fig04-merging.toml"),
    shipped!("nouredine1999/sec312-smaller-buffer.toml"),
    shipped!("nouredine1999/fig06-input-mismatch.toml"),
    shipped!("nouredine1999/fig09-unnecessary-control.toml"),
    shipped!("nouredine1999/sec321-non-responding.toml"),
    shipped!("nouredine1999/fig11-shared-upstream.toml"),
    shipped!("nouredine1999/fig13-video.toml"),
    shipped!("nouredine1999/sec33-shared-incoming-link.toml"),
    shipped!("ethernet/tree-deadlock.toml"),
    shipped!("ethernet/ring-deadlock.toml"),
];

/// Seeds behind every figure.
const SEEDS: u64 = 5;
/// Seeds behind tables for contrast.
const SEEDS_CONTRAST: u64 = 3;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "nouredine1999",
        title: "Nouredine, Tobagi 1999: selective back-pressure in switched Ethernet",
        picture: "fig02",
        claims_toml: backwater_shipped::claims("nouredine1999.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Figures 1 and 2: link speed mismatch",
        claims: &[
            "nouredine1999.fig2.loss-of-half",
            "nouredine1999.fig2.back-pressure-restores",
        ],
        runs: 240,
        cost_ms: 11_000,
        quick_percent: 25,
        run: mismatch::figure_2,
    },
    Experiment {
        title: "Figures 3 and 4: traffic merging",
        claims: &["nouredine1999.fig4.merging"],
        runs: 340,
        cost_ms: 11_000,
        quick_percent: 20,
        run: merging::figure_4,
    },
    Experiment {
        title: "Section 3.1.2: smaller buffers need a lower threshold",
        claims: &["nouredine1999.fig4.smaller-buffer-lower-threshold"],
        runs: 78,
        cost_ms: 6_000,
        quick_percent: 35,
        run: small_buffer::section_312,
    },
    Experiment {
        title: "Figures 5 and 6: input link speed mismatch",
        claims: &["nouredine1999.fig6.starved-without-control"],
        runs: 195,
        cost_ms: 10_000,
        quick_percent: 30,
        run: inputs::figure_6,
    },
    Experiment {
        title: "Section 3.1.3: the threshold margin sets the shares",
        claims: &["nouredine1999.fig6.ratio-eight"],
        runs: 51,
        cost_ms: 3_500,
        quick_percent: 30,
        run: margins::section_313,
    },
    Experiment {
        title: "Figures 7 to 9: unnecessary control",
        claims: &["nouredine1999.fig9.simple-hurts-bystanders"],
        runs: 132,
        cost_ms: 13_000,
        quick_percent: 18,
        run: unnecessary::figures_8_9,
    },
    Experiment {
        title: "Section 3.2.1: a source that does not respond",
        claims: &["nouredine1999.sec321.non-responding-source"],
        runs: 70,
        cost_ms: 5_000,
        quick_percent: 20,
        run: non_responding::section_321,
    },
    Experiment {
        title: "Figures 10 and 11: sharing of upstream resources",
        claims: &[
            "nouredine1999.fig11.shared-upstream",
            "nouredine1999.fig11.blocked-share-limit",
        ],
        runs: 182,
        cost_ms: 17_000,
        quick_percent: 12,
        run: upstream::figure_11,
    },
    Experiment {
        title: "Figures 12 and 13: video and data",
        claims: &["nouredine1999.fig13.video-delay"],
        runs: 126,
        cost_ms: 7_000,
        quick_percent: 35,
        run: video::figure_13,
    },
    Experiment {
        title: "Section 3.3: video and data over one incoming link",
        claims: &["nouredine1999.sec33.shared-incoming-link"],
        runs: 38,
        cost_ms: 2_300,
        quick_percent: 35,
        run: video::section_33,
    },
    Experiment {
        title: "Beyond the paper: deadlock",
        claims: &["nouredine1999.beyond.tree-deadlock"],
        runs: 45,
        cost_ms: 2_000,
        quick_percent: 100,
        run: deadlock::deadlock,
    },
    Experiment {
        title: "Section 2.3: stops that expire",
        claims: &[],
        runs: 54,
        cost_ms: 1_700,
        quick_percent: 0,
        run: messages::section_23,
    },
    Experiment {
        title: "Section 1: UDP instead of TCP",
        claims: &[],
        runs: 18,
        cost_ms: 800,
        quick_percent: 0,
        run: messages::section_1,
    },
    Experiment {
        title: "Readings: what the paper leaves open",
        claims: &[],
        runs: 507,
        cost_ms: 15_000,
        quick_percent: 0,
        run: readings::readings,
    },
];
