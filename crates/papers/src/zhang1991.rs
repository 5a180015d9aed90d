//! Zhang, "VirtualClock: a new traffic control algorithm for packet-switched networks" (1991).

mod bound;
mod clocks;
mod disciplines;
mod diverse;
mod envelope;
mod firewall;
mod interleaving;
mod patterns;
mod priority;
mod readings;
mod seen;
mod test_one;
mod walk;

use crate::{Experiment, Paper};

const TEST_ONE: &str = "zhang1991/test-one.toml";
const DIVERSE: &str = "zhang1991/diverse.toml";
const FIREWALL: &str = "zhang1991/firewall.toml";
const PATTERNS: &str = "zhang1991/patterns.toml";
const INTERLEAVING: &str = "zhang1991/interleaving.toml";
const NO_CREDIT: &str = "zhang1991/no-credit.toml";
const RANDOM_WALK: &str = "zhang1991/random-walk.toml";
const PRIORITY: &str = "zhang1991/priority-and-datagrams.toml";
const BOUND: &str = "zhang1991/bound.toml";
const RESYNC: &str = "zhang1991/resync.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("zhang1991/test-one.toml"),
    shipped!("zhang1991/diverse.toml"),
    shipped!("zhang1991/firewall.toml"),
    shipped!("zhang1991/patterns.toml"),
    shipped!("zhang1991/interleaving.toml"),
    shipped!("zhang1991/no-credit.toml"),
    shipped!("zhang1991/random-walk.toml"),
    shipped!("zhang1991/priority-and-datagrams.toml"),
    shipped!("zhang1991/bound.toml"),
    shipped!("zhang1991/resync.toml"),
];

/// Seeds behind every figure of the paper.
const SEEDS: u64 = 10;
/// Seeds behind what is shown beside and not judged: other readings and disciplines.
const SEEDS_SHOWN: u64 = 3;
/// Seeds behind figures for contrast.
const SEEDS_CONTRAST: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "zhang1991",
        title: "Zhang 1991: VirtualClock",
        picture: "sec421-delay",
        claims_toml: backwater_shipped::claims("zhang1991.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "Section 4.2.1: flows of the same rate (Test One)",
        claims: &[
            "zhang1991.test1.utilization",
            "zhang1991.test1.queue",
            "zhang1991.test1.throughput",
            "zhang1991.test1.delay",
        ],
        runs: 44,
        cost_ms: 18_000,
        quick_percent: 10,
        run: test_one::test_one,
    },
    Experiment {
        title: "Section 4.2.2: flows of diverse rates",
        claims: &["zhang1991.diverse.throughput", "zhang1991.diverse.delay"],
        runs: 40,
        cost_ms: 16_000,
        quick_percent: 10,
        run: diverse::diverse,
    },
    Experiment {
        title: "Section 4.2.3: firewalls between flows",
        claims: &[
            "zhang1991.firewall.normal-flows",
            "zhang1991.firewall.link",
            "zhang1991.contrast.fifo-breaks-firewall",
        ],
        runs: 81,
        cost_ms: 80_000,
        quick_percent: 10,
        run: firewall::firewall,
    },
    Experiment {
        title: "Section 4.2.5: patterns of data",
        claims: &[
            "zhang1991.patterns.delay",
            "zhang1991.contrast.only-virtualclock-charges-bursts",
        ],
        runs: 56,
        cost_ms: 65_000,
        quick_percent: 9,
        run: patterns::patterns,
    },
    Experiment {
        title: "Section 3.1: interleaving",
        claims: &["zhang1991.design.interleaving"],
        runs: 3,
        cost_ms: 10,
        quick_percent: 100,
        run: interleaving::interleaving,
    },
    Experiment {
        title: "Section 3.2.4: no credit is saved",
        claims: &["zhang1991.design.no-credit-saving"],
        runs: 20,
        cost_ms: 130,
        quick_percent: 100,
        run: interleaving::no_credit,
    },
    Experiment {
        title: "Section 3.3: the random walk and the envelope",
        claims: &["zhang1991.design.random-walk"],
        runs: 4_031,
        cost_ms: 13_000,
        quick_percent: 25,
        run: walk::walk,
    },
    Experiment {
        title: "Section 3.2.2: priority and datagrams",
        claims: &["zhang1991.design.priority-and-datagrams"],
        runs: 30,
        cost_ms: 970,
        quick_percent: 60,
        run: priority::priority,
    },
    Experiment {
        title: "Section 6: a bound on delay",
        claims: &["zhang1991.bound.end-to-end"],
        runs: 10_503,
        cost_ms: 21_000,
        quick_percent: 4,
        run: bound::bound,
    },
    Experiment {
        title: "Readings: what the paper leaves open",
        claims: &[],
        runs: 45,
        cost_ms: 18_000,
        quick_percent: 0,
        run: readings::readings,
    },
];
