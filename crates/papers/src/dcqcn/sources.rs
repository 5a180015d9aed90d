//! All sources in the same four situations.

use backwater_kernel::DelayOutcome;
use backwater_results::{Axis, Block, Cell, Plot, Style, Table, fairness::jain};

use super::one_port::{ARTIFACT, HPCC, Sets, brought, control, each, last_ms, queue, seeds, stops};
use super::{INCAST, ONE, SEEDS, TWO, UNLIKE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::{Estimate, cell, curve, estimate};
use crate::lab::{EthernetRun, Lab, LabError};

const WORDS: &str = "Nine answers to who computes the rate, in four situations at 100 Gbps, with \
    the same memory, marks and PFC. Queue and use are those of the port that packets meet at, with \
    two such ports the longer queue and the lesser use; 99 % of packets are there within the \
    delay; fairness is Jain's index of payload over max-min fair shares; pauses are stop frames of \
    the whole run.";

/// Who computes the rate; what the file has in place of its own.
const SOURCES: [(&str, Source); 9] = [
    ("nobody", Source::Pair("{ kind = \"none\" }")),
    ("DCQCN", Source::Pair(ARTIFACT)),
    ("HPCC", Source::Pair(HPCC)),
    (
        "TIMELY, patched",
        Source::Pair("{ kind = \"timely\", profile = \"patched\" }"),
    ),
    ("Swift", Source::Pair("{ kind = \"swift\" }")),
    ("RoCC", Source::Stated),
    ("TCP, CUBIC", Source::Tcp(&[("tcp.preset", "linux-3")])),
    ("TCP, DCTCP", Source::Tcp(&[("tcp.preset", "dctcp")])),
    ("TCP, BBR", Source::Tcp(BBR)),
];

const BBR: &[(&str, &str)] = &[("tcp.preset", "linux-6"), ("tcp.congestion", "bbr")];

#[derive(Clone, Copy)]
enum Source {
    /// A queue pair with this control.
    Pair(&'static str),
    /// A queue pair that obeys the rate that switches state.
    Stated,
    /// TCP with these keys.
    Tcp(&'static [(&'static str, &'static str)]),
}

/// A scenario, and what is of interest in it.
struct Situation {
    name: &'static str,
    file: &'static str,
    /// Where packets meet.
    ports: &'static [&'static str],
    /// Flows without end, and the max-min fair share of each.
    shares: &'static [(&'static str, f64)],
    /// What else is asked, with its unit.
    also: &'static str,
    is: fn(&EthernetRun) -> f64,
}

const SITUATIONS: [Situation; 4] = [
    Situation {
        name: "8 to 1",
        file: ONE,
        ports: &["S1->H1_17"],
        shares: &[("write", 0.125)],
        also: "all flows, Gbps",
        is: |run| run.mbps("write") / 1e3,
    },
    Situation {
        name: "two bottlenecks",
        file: TWO,
        ports: &["S1->S2", "S3->Y"],
        shares: &[("long", 0.125), ("first", 0.218_75), ("second", 0.125)],
        also: "long flow, Gbps",
        is: |run| run.mbps("long") / 1e3,
    },
    Situation {
        name: "unlike NICs",
        file: UNLIKE,
        ports: &["S->D"],
        shares: &[("slow", 0.125), ("fast", 0.125)],
        also: "a flow at 25 Gbps, Gbps",
        is: |run| run.mbps("slow") / 4e3,
    },
    Situation {
        name: "incast",
        file: INCAST,
        ports: &["S1->H1_11"],
        shares: &[("background", 0.5)],
        also: "incast complete, ms",
        is: |run| last_ms(run, "incast") - 10.0,
    },
];

/// By seed.
struct Seen {
    queue_kb: Vec<f64>,
    delay_us: Vec<f64>,
    used: Vec<f64>,
    jain: Vec<f64>,
    stops: Vec<f64>,
    also: Vec<f64>,
}

pub fn all(lab: &Lab) -> Result<Evidence, LabError> {
    let pairs: Vec<(usize, usize)> = (0..SITUATIONS.len())
        .flat_map(|situation| (0..SOURCES.len()).map(move |source| (situation, source)))
        .collect();
    let seen = lab.each(&pairs, |(situation, source)| {
        see(lab, &SITUATIONS[*situation], SOURCES[*source].1)
    })?;
    let mut blocks = vec![Block::Text(WORDS.into()), Block::Plot(plot(&seen))];
    let by_situation = SITUATIONS.iter().zip(seen.chunks(SOURCES.len()));
    blocks.extend(by_situation.map(|(situation, seen)| Block::Table(table(situation, seen))));
    Ok(Evidence {
        findings: Vec::new(),
        blocks,
    })
}

fn see(lab: &Lab, situation: &Situation, source: Source) -> Result<Seen, LabError> {
    let sets: Sets = match source {
        Source::Pair(value) => vec![control(value)],
        Source::Stated => vec![control("rocc"), ("buffer.rocc", "{}".into())],
        Source::Tcp(keys) => {
            let all = [("flows.*.transport", "tcp")].into_iter();
            let all = all.chain(keys.iter().copied());
            all.map(|(key, value)| (key, value.into())).collect()
        }
    };
    let runs = seeds(lab, situation.file, &sets, SEEDS)?;
    let ports = situation.ports;
    let longest = |run: &EthernetRun| {
        let means = ports.iter().map(|port| queue(run, port).mean_bytes / 1e3);
        means.fold(0.0, f64::max)
    };
    let least_used = |run: &EthernetRun| {
        let shares = ports.iter().map(|port| run.channel(port).data_share);
        shares.fold(f64::MAX, f64::min)
    };
    let even = |run: &EthernetRun| {
        let shares = situation.shares.iter();
        let over = shares.flat_map(|(flow, share)| {
            let bytes = brought(run, flow).into_iter();
            bytes.map(move |bytes| bytes / share)
        });
        jain(&over.collect::<Vec<f64>>())
    };
    Ok(Seen {
        queue_kb: each(&runs, longest),
        delay_us: each(&runs, delay_us),
        used: each(&runs, least_used),
        jain: each(&runs, even),
        stops: each(&runs, stops),
        also: each(&runs, situation.is),
    })
}

/// 99 % of the packets of all flows take no longer.
fn delay_us(run: &EthernetRun) -> f64 {
    let flows = run.outcome.flows.iter();
    let all = DelayOutcome::merged(flows.map(|flow| &flow.delay));
    all.histogram.percentile(99.0) as f64 / 1e6
}

fn table(situation: &Situation, seen: &[Seen]) -> Table {
    let row = |((name, _), one): (&(&str, Source), &Seen)| {
        vec![
            Cell::from(*name),
            cell(&one.queue_kb, 1),
            cell(&one.delay_us, 1),
            cell(&one.used, 3),
            cell(&one.jain, 3),
            cell(&one.stops, 1),
            cell(&one.also, 2),
        ]
    };
    let (also, unit) = situation.also.split_once(", ").unwrap_or_default();
    Table {
        name: situation.name.replace(' ', "-"),
        caption: format!("{}, {SEEDS} seeds.", situation.name),
        columns: vec![
            words("source", "who computes the rate"),
            column("queue", "kB", "mean after the warm-up"),
            column("delay 99 %", "us", "from the host's port to delivery"),
            column("use", "", "of the link, all that is on the wire"),
            column("Jain", "", "index of payload over max-min fair shares"),
            column("pauses", "frames", "stops that switches sent, whole run"),
            column(also, unit, "see its name"),
        ],
        rows: SOURCES.iter().zip(seen).map(row).collect(),
    }
}

fn plot(seen: &[Seen]) -> Plot {
    let places: Vec<f64> = (1..=SOURCES.len()).map(|place| place as f64).collect();
    let by_situation = SITUATIONS.iter().zip(seen.chunks(SOURCES.len()));
    let curves = by_situation.map(|(situation, seen)| {
        let queues: Vec<Estimate> = seen.iter().map(|one| estimate(&one.queue_kb)).collect();
        let drawn = curve(situation.name, places.clone(), &queues);
        backwater_results::Curve {
            style: Style::Points,
            ..drawn
        }
    });
    Plot {
        id: "sources".into(),
        title: "Mean queue by who computes the rate".into(),
        x: Axis {
            names: SOURCES.map(|(name, _)| name.into()).to_vec(),
            ..Axis::new("who computes the rate", "")
        },
        y: Axis {
            log: true,
            ..Axis::new("mean queue", "kB")
        },
        curves: curves.collect(),
        ..Plot::default()
    }
}
