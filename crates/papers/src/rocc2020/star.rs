//! N sources that write to one host: Algorithm 1, Figures 8 and 11(a).

use std::collections::BTreeMap;

use backwater_kernel::Rate;
use backwater_net::frames::spec::RoccPointSpec;
use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table, fairness::jain};

use super::ports::{gbps, mean_from, queue, settled};
use super::{SEEDS, STAR};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured, mean};

const PORT: &str = "S1->H1_101";
const STATED: &str = "rate that the queue states";
/// The end of a run, and where its last 5 ms begin.
const END_MS: f64 = 20.0;
const LAST_MS: f64 = 15.0;

const WORDS: &str = "N queue pairs start within 5 us of each other at line rate, PFC below. Rate \
    and queue are means over the last 5 of 20 ms; the rate has settled when its mean over five \
    intervals is within 5 % of C/N, and stays within 10 %: a hundred sources have not all a packet \
    in 150 kB whenever the queue tells, so theirs wanders. Two and ten sources make the queue pass \
    Qmax within three intervals: the rate falls to Fmin, from where the smallest gain climbs for \
    milliseconds. With a cut by half instead they settle in the 2 ms of the figure.";

/// Sources, Gb/s, and what the largest queue does to the rate.
const CASES: [(u64, u64, &str); 8] = [
    (2, 40, "least"),
    (10, 40, "least"),
    (100, 40, "least"),
    (2, 100, "least"),
    (10, 100, "least"),
    (100, 100, "least"),
    (2, 40, "half"),
    (10, 40, "half"),
];

/// Of one case, by seed.
struct Seen {
    case: (u64, u64, &'static str),
    /// The stated rate over C/N.
    ratio: Vec<f64>,
    queue_kb: Vec<f64>,
    settled_ms: Vec<f64>,
    /// Rates of sources, Gb/s.
    rate: Vec<f64>,
    jain: Vec<f64>,
    /// The first run.
    run: EthernetRun,
}

/// The divisors that rates from Fmin to Fmax have.
pub fn regions(_lab: &Lab) -> Result<Evidence, LabError> {
    let spec = RoccPointSpec::of(Rate(40_000_000_000));
    let units = spec.least.0 / 10_000_000..=spec.most.0 / 10_000_000;
    let mut regions: BTreeMap<u32, u64> = BTreeMap::new();
    for unit in units {
        let most = regions
            .entry(spec.divisor(Rate(unit * 10_000_000)))
            .or_default();
        *most = unit.max(*most);
    }
    let divisors: Vec<u32> = regions.keys().copied().collect();
    let halves = divisors.iter().zip(divisors.iter().skip(1));
    let each_half = halves.into_iter().all(|(one, next)| *next == 2 * one);
    let end = |divisor: Option<&u32>| divisor.map_or(f64::NAN, |own| f64::from(*own));
    let pairs = if each_half {
        divisors.len() as f64
    } else {
        f64::NAN
    };
    let measured = vec![
        Measured::new("pairs", pairs),
        Measured::new("smallest_divisor", end(divisors.first())),
        Measured::new("largest_divisor", end(divisors.last())),
    ];
    let row = |(divisor, most): (&u32, &u64)| {
        let gain = |ratio: f64| Cell::from(format!("{:.4}", ratio / f64::from(*divisor)).as_str());
        let mbps = Cell::from(most * 10);
        vec![Cell::from(u64::from(*divisor)), mbps, gain(0.3), gain(1.5)]
    };
    Ok(Evidence {
        findings: vec![finding("rocc2020.alg1.regions", measured)],
        blocks: vec![Block::Table(Table {
            name: "gains".into(),
            caption: "Gains by rate, at 40 Gb/s: what the switch uses from 100 Mb/s to 40 Gb/s."
                .into(),
            columns: vec![
                column("divisor", "", "what a0 and b0 are divided by"),
                column("largest rate", "Mbps", "that has it"),
                words("a", "gain of the distance from Qref"),
                words("b", "gain of growth"),
            ],
            rows: regions.iter().map(row).collect(),
        })],
    })
}

pub fn n_to_one(lab: &Lab) -> Result<Evidence, LabError> {
    let seen = lab.each(&CASES, |case| see(lab, *case))?;
    let printed = &seen[..6];
    let by_case = |of: fn(&Seen) -> &Vec<f64>| {
        let measured = |one: &Seen| {
            let (flows, gbps, _) = one.case;
            Measured::over_seeds(&format!("n{flows}_{gbps}g"), of(one))
        };
        printed.iter().map(measured).collect::<Vec<Measured>>()
    };
    let settling = |one: &Seen| {
        let (flows, _, cut) = one.case;
        let half = if cut == "half" { "_halved" } else { "" };
        Measured::over_seeds(&format!("n{flows}{half}"), &one.settled_ms)
    };
    let at_40 = seen.iter().filter(|one| one.case.1 == 40);
    let ten = &seen[1];
    let shares = vec![
        Measured::over_seeds("mean", &ten.rate),
        Measured::share_over_seeds("jain", &ten.jain),
    ];
    Ok(Evidence {
        findings: vec![
            finding("rocc2020.fig8.fair-rate", by_case(|one| &one.ratio)),
            finding(
                "rocc2020.fig8.queue-at-reference",
                by_case(|one| &one.queue_kb),
            ),
            finding("rocc2020.fig8.settling", at_40.map(settling).collect()),
            finding("rocc2020.fig11a.ten-flows", shares),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(printed)),
            Block::Table(table(&seen)),
        ],
    })
}

fn see(lab: &Lab, case: (u64, u64, &'static str)) -> Result<Seen, LabError> {
    let (flows, rate, cut) = case;
    let from = format!("H1_{{1..{flows}}}");
    let link = format!("{rate} Gbps");
    // The published threshold of PFC at 100 Gb/s.
    let (xoff, xon) = match rate {
        100 => ("800 kB", "750 kB"),
        _ => ("500 kB", "450 kB"),
    };
    let sets = [
        ("flows.write.from", from.as_str()),
        ("link.rate", &link),
        ("flow_control.xoff", xoff),
        ("flow_control.xon", xon),
        ("buffer.rocc.max_cut", cut),
    ];
    let mut runs = lab.each_seed(SEEDS, |seed| {
        let mut sets = sets.to_vec();
        sets.push(("run.seed", seed));
        lab.ethernet_recorded(STAR, &sets)
    })?;
    let share = rate as f64 * 1e9 / flows as f64;
    let each = |of: &dyn Fn(&EthernetRun) -> f64| runs.iter().map(of).collect::<Vec<f64>>();
    let stated = |run: &EthernetRun| mean_from(run.series(STATED), LAST_MS, END_MS);
    let seen = Seen {
        case,
        ratio: each(&|run| stated(run) / share),
        queue_kb: each(&|run| queue(run, PORT).mean_bytes / 1e3),
        settled_ms: each(&|run| settled(run.series(STATED), share, 0.0, END_MS)),
        rate: each(&|run| mean(&gbps(run, "write"))),
        jain: each(&|run| jain(&gbps(run, "write"))),
        run: runs.swap_remove(0),
    };
    Ok(seen)
}

fn finding(claim: &'static str, measured: Vec<Measured>) -> Finding {
    Finding {
        claim,
        scenario: STAR,
        measured,
    }
}

fn table(seen: &[Seen]) -> Table {
    let row = |one: &Seen| {
        let (flows, gbps, cut) = one.case;
        vec![
            Cell::from(flows),
            gbps.into(),
            cut.into(),
            cell(&one.ratio, 4),
            cell(&one.queue_kb, 1),
            cell(&one.settled_ms, 2),
            cell(&one.jain, 4),
        ]
    };
    Table {
        name: "n-to-1".into(),
        caption: format!("N to 1, {SEEDS} seeds."),
        columns: vec![
            column("N", "", "sources"),
            column("link", "Gbps", "rate of all links"),
            words("Qmax", "what the largest queue does to the rate"),
            column("rate", "of C/N", "that the queue states, last 5 ms"),
            column("queue", "kB", "mean of the last 5 ms"),
            column("settled", "ms", "within 5 % of C/N, then within 10 %"),
            column("Jain", "", "index of the flows' payload, last 5 ms"),
        ],
        rows: seen.iter().map(row).collect(),
    }
}

/// The rate over time, at 40 Gb/s.
fn plot(seen: &[Seen]) -> Plot {
    let curves = seen[..3].iter().flat_map(|one| {
        let series = one.run.series(STATED);
        let flows = one.case.0;
        let ms = series.x.iter().map(|x| *x as f64 / 1e9).collect();
        let rates = series.y.iter().map(|y| y / 1e9).collect();
        let share = 40.0 / flows as f64;
        let printed = Curve::new(
            format!("paper: C/{flows}"),
            Style::Line,
            vec![0.0, END_MS],
            vec![share; 2],
        );
        [
            Curve::new(format!("N = {flows}"), Style::Line, ms, rates),
            Curve {
                dashed: true,
                ..printed
            },
        ]
    });
    Plot {
        id: "star".into(),
        title: "Rate that the queue states, N to 1 at 40 Gbps".into(),
        x: Axis::new("time", "ms"),
        y: Axis {
            log: true,
            ..Axis::new("rate", "Gbps")
        },
        curves: curves.collect(),
        ..Plot::default()
    }
}
