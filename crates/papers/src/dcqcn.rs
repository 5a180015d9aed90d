//! DCQCN and other sources of queue pairs: figures of a packet model and closed forms, and all
//! sources beside each other.

mod messages;
mod one_port;
mod queues;
mod sources;
mod start;

use crate::{Experiment, Paper};

const ONE: &str = "sources/n-to-1.toml";
const TWO: &str = "sources/two-bottlenecks.toml";
const UNLIKE: &str = "sources/unlike-nics.toml";
const INCAST: &str = "sources/incast.toml";

const SCENARIOS: &[(&str, &str)] = &[
    shipped!("sources/n-to-1.toml"),
    shipped!("sources/two-bottlenecks.toml"),
    shipped!("sources/unlike-nics.toml"),
    shipped!("sources/incast.toml"),
];

/// Seeds of what chance has a part in: starts within 10 us of each other, marks.
const SEEDS: u64 = 5;

pub(crate) fn paper() -> Paper {
    Paper {
        id: "dcqcn",
        title: "DCQCN and other sources of queue pairs",
        picture: "artifact",
        claims_toml: backwater_shipped::claims("dcqcn.toml"),
        scenarios: SCENARIOS,
        experiments: EXPERIMENTS,
    }
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        title: "DCQCN with the values of the artifact",
        claims: &["dcqcn.artifact.queue", "dcqcn.artifact.use"],
        runs: 20,
        cost_ms: 40_000,
        quick_percent: 50,
        run: queues::artifact,
    },
    Experiment {
        title: "DCQCN with the values of its paper",
        claims: &["dcqcn.paper.queue", "dcqcn.paper.use"],
        runs: 25,
        cost_ms: 40_000,
        quick_percent: 20,
        run: queues::of_the_paper,
    },
    Experiment {
        title: "Eight messages of 2 MB",
        claims: &["dcqcn.artifact.messages", "dcqcn.hpcc.messages"],
        runs: 10,
        cost_ms: 600,
        quick_percent: 100,
        run: messages::eight,
    },
    Experiment {
        title: "From line rate, with PFC below and without",
        claims: &["dcqcn.pfc.lossless", "dcqcn.none.start"],
        runs: 50,
        cost_ms: 3_000,
        quick_percent: 100,
        run: start::from_line_rate,
    },
    Experiment {
        title: "HPCC: how much of a link is used",
        claims: &["dcqcn.hpcc.load"],
        runs: 20,
        cost_ms: 8_000,
        quick_percent: 100,
        run: queues::hpcc,
    },
    Experiment {
        title: "Who computes the rate?",
        claims: &[],
        runs: 180,
        cost_ms: 90_000,
        quick_percent: 0,
        run: sources::all,
    },
];
