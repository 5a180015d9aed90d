//! Credits on Ethernet links: CBFC of Ultra Ethernet, InfiniBand, grains; closed forms and public
//! tests against runs of one link.

mod counts;
mod drain;
mod grains;
mod infiniband;
mod leak;
mod least;
mod limits;
mod range;
mod runs;

use crate::{Experiment, Paper};

const LINK: &str = "ethernet/credit-link.toml";
const SLOW: &str = "ethernet/slow-host.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("ethernet/credit-link.toml"),
    shipped!("ethernet/slow-host.toml"),
];

/// Seeds where frames are lost at random.
const SEEDS: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "link-credits",
        title: "Credits on Ethernet links: CBFC, InfiniBand, grains",
        picture: "drain",
        claims_toml: backwater_shipped::claims("link-credits.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "CBFC: the least limit for the full rate",
        claims: &["link-credits.ue.full-rate"],
        runs: 29,
        cost_ms: 900,
        quick_percent: 100,
        run: limits::full_rate,
    },
    Experiment {
        title: "CBFC: counters after a million frames",
        claims: &["link-credits.ue.cost"],
        runs: 3,
        cost_ms: 2_500,
        quick_percent: 100,
        run: counts::million,
    },
    Experiment {
        title: "CBFC: lost frames cost credit until a CC_Update",
        claims: &["link-credits.ue.leak-repaired"],
        runs: 15,
        cost_ms: 2_500,
        quick_percent: 100,
        run: leak::repaired,
    },
    Experiment {
        title: "CBFC: how far its counters reach",
        claims: &["link-credits.ue.range"],
        runs: 19,
        cost_ms: 400,
        quick_percent: 100,
        run: range::reach,
    },
    Experiment {
        title: "CBFC: a receiver that drains slower",
        claims: &["link-credits.ue.drain"],
        runs: 4,
        cost_ms: 200,
        quick_percent: 100,
        run: drain::drain,
    },
    Experiment {
        title: "InfiniBand: how far 2,048 blocks reach",
        claims: &["link-credits.ib.reach-100g", "link-credits.ib.beyond"],
        runs: 11,
        cost_ms: 300,
        quick_percent: 100,
        run: infiniband::reach,
    },
    Experiment {
        title: "InfiniBand beside CBFC",
        claims: &["link-credits.ib.equals-cbfc"],
        runs: 415,
        cost_ms: 1_000,
        quick_percent: 100,
        run: infiniband::beside_cbfc,
    },
    Experiment {
        title: "UnifiedBus: whole grains",
        claims: &["link-credits.ub.grain"],
        runs: 15,
        cost_ms: 300,
        quick_percent: 100,
        run: grains::grain,
    },
];
