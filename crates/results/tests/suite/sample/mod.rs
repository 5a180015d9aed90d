//! A made-up run: nothing here was simulated.
#![allow(dead_code, reason = "each test takes what it needs")]

pub mod ethernet;
pub mod fabric;
pub mod names;

use backwater_kernel::{DelayOutcome, Duration, Rate, Series, Stop, Time, Violations};
use backwater_net::outcome::{
    ChannelOutcome, FlowOutcome, LegOutcome, NodeOutcome, Outcome, PortsOutcome,
};
use backwater_net::spec::{
    Bind, BufferSpec, CellRules, ChannelSpec, CreditRule, CreditSpec, ErrorSpec, FlowControlSpec,
    FlowSpec, LegSpec, LinkSpec, NetworkSpec, NodeKind, NodeSpec, OnAlarm, Overflow, SchedulerSpec,
    SinkSpec, SourceControlSpec, Timing, TrafficSpec,
};
use backwater_results::events::Network;
use backwater_results::{
    Axis, Block, Check, Curve, Findings, Mark, Plot, Report, RunInfo, Style, Tone, Verdict,
    VerdictRow, VerdictValue, note_broken_bounds, run_report, run_summary,
};

/// A name that would break out of markup that isn't escaped.
pub const HOSTILE: &str = "</script><b>";
pub const CELL: Duration = Duration(681_672);

/// What `summary.json` says.
pub fn summary(
    info: &RunInfo,
    spec: &NetworkSpec,
    outcome: &Outcome,
    ports: Option<&PortsOutcome>,
) -> serde_json::Value {
    let mut found = Findings::new(spec, outcome.clone(), CELL);
    found.at_ports = ports.cloned();
    run_summary(info, &found).into()
}

/// What a run found, and what was measured at its ports.
pub fn at_ports<'a>(
    spec: &'a NetworkSpec,
    outcome: &Outcome,
    ports: &PortsOutcome,
) -> Findings<'a, NetworkSpec> {
    let mut found = Findings::new(spec, outcome.clone(), CELL);
    found.at_ports = Some(ports.clone());
    found
}

/// Adds broken bounds to what the run broke.
pub fn note_broken<N: Network>(spec: &N, outcome: &mut Outcome) {
    let mut found = Findings::new(spec, outcome.clone(), Duration::ZERO);
    note_broken_bounds(&mut found);
    *outcome = found.outcome;
}

fn channel() -> ChannelSpec {
    ChannelSpec {
        rate: Rate(622_000_000),
        delay: Duration(50_000_000),
        handling: Duration(0),
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    }
}

fn leg(channel: u32, parent: Option<u32>) -> LegSpec {
    LegSpec {
        channel,
        parent,
        flow_control: FlowControlSpec::Credit(CreditSpec {
            rule: CreditRule::N23,
            n1: 0,
            n2: 10,
            n3: 155,
            window: Duration(155 * CELL.0),
            bind: Bind::Start,
            redundant_every: None,
            refresh_every: None,
            request_after: None,
            resync_every: None,
            message_bytes: None,
        }),
        buffer: BufferSpec {
            limit_units: Some(165),
            overflow: Overflow::Drop,
        },
    }
}

/// Two sources, two switches, two sinks.
pub fn spec() -> NetworkSpec {
    let node = |name: &str, kind| NodeSpec {
        pool: None,
        name: name.into(),
        kind,
    };
    let link = |a, b| LinkSpec {
        ends: [a, b],
        channels: [channel(), channel()],
    };
    let flow = |name: &str, source, legs: [u32; 3], priority| FlowSpec {
        name: name.into(),
        source,
        legs: vec![
            leg(legs[0], None),
            leg(legs[1], Some(0)),
            leg(legs[2], Some(1)),
        ],
        priority,
        unit_bytes: 53,
        sizes: Vec::new(),
        traffic: TrafficSpec::Greedy {
            start: Time::ZERO,
            total: None,
        },
        source_control: SourceControlSpec::None,
        sink: SinkSpec::Infinite,
        partner: None,
        reserve: None,
        envelope: None,
        policer: None,
        on_alarm: OnAlarm::Ignore,
        session: None,
    };
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed: 1993,
        stop_at: Time(CELL.0 * 100_000),
        warm_up: Time(CELL.0 * 1_000),
        nodes: vec![
            node("host 1", NodeKind::Host),
            node("host 2", NodeKind::Host),
            node("switch 1", NodeKind::Switch),
            node("switch 2", NodeKind::Switch),
            node("sink 1", NodeKind::Host),
            node("sink 2", NodeKind::Host),
        ],
        links: vec![link(0, 2), link(1, 2), link(2, 3), link(3, 4), link(3, 5)],
        flows: vec![
            flow("bursty, first", 0, [0, 4, 6], 1),
            flow("greedy", 1, [2, 4, 8], 0),
            flow(HOSTILE, 1, [2, 4, 8], 0),
        ],
    }
}

fn delay(mean_cells: f64) -> DelayOutcome {
    let ps = |cells: f64| (cells * CELL.0 as f64) as u64;
    DelayOutcome {
        count: 31_000,
        mean: mean_cells * CELL.0 as f64,
        deviation: 21.5 * CELL.0 as f64,
        half_width: Some(1.25 * CELL.0 as f64),
        min: ps(78.5),
        max: ps(mean_cells * 3.0),
        percentiles: [1.0, 1.3, 1.8, 2.4].map(|factor| ps(mean_cells * factor)),
        ..DelayOutcome::default()
    }
}

/// What such a run might find.
pub fn outcome() -> Outcome {
    let flow = |offered: u64, delivered: u64, mean| FlowOutcome {
        offered_total: offered,
        delivered_total: delivered,
        inside_total: offered - delivered,
        delivered: delivered * 99 / 100,
        delivered_bytes: delivered * 99 / 100 * 53,
        delay: delay(mean),
        source_backlog_max: 812,
        ..FlowOutcome::default()
    };
    let legs = [(0, [0, 4, 6]), (1, [2, 4, 8]), (2, [2, 4, 8])];
    let legs = legs.iter().flat_map(|(flow, channels)| {
        channels
            .iter()
            .enumerate()
            .map(move |(nth, channel)| LegOutcome {
                flow: *flow,
                channel: *channel,
                sent_total: 33_000 + u64::from(*channel),
                sent: 32_700,
                credits_received_total: 3_300,
                fill: 12,
                credit: Some(if nth == 2 { 165 } else { 14 }),
                fill_max_total: 61 + flow * 40,
                fill_max: 61,
                fill_mean: 18.25,
                wait_mean_ps: 17.5 * CELL.0 as f64,
                arrived: 32_000,
                ..LegOutcome::default()
            })
    });
    Outcome {
        ended_at: Time(CELL.0 * 100_000),
        stop: Stop::TimeReached,
        trace_hash: 0x00c0_ffee_0123_4567,
        events: 1_234_567,
        unit_hops: 456_789,
        control_hops: 45_678,
        members: Vec::new(),
        flows: vec![
            flow(33_400, 33_320, 92.4),
            flow(41_000, 40_210, 214.8),
            flow(26_000, 25_000, 233.1),
        ],
        legs: legs.collect(),
        channels: (0..10)
            .map(|channel| ChannelOutcome {
                data_share: if channel == 4 { 0.9675 } else { 0.33 },
                control_share: 0.0325,
                data_units: 99_100,
                control_units: 3_250,
                ..ChannelOutcome::default()
            })
            .collect(),
        nodes: (0..6)
            .map(|node| NodeOutcome {
                stored_max_total: 40 * node + 3,
                stored_max: 40 * node + 2,
                stored_mean: 11.5,
                ..NodeOutcome::default()
            })
            .collect(),
        violations: Violations::default(),
        standstill: None,
    }
}

fn wave(name: &str, unit: &'static str, points: u64, value: impl Fn(f64) -> f64) -> Series {
    let step_ps = CELL.0 * 4_000 / points;
    Series {
        name: name.into(),
        unit,
        step: true,
        clock: Default::default(),
        x: (0..points).map(|i| i * step_ps).collect(),
        y: (0..points)
            .map(|i| value(i as f64 / points as f64))
            .collect(),
    }
}

/// Throughputs, a saw-tooth and a very long series with one spike.
pub fn series() -> Vec<Series> {
    let burst = |at: f64| if (at * 7.0).fract() < 0.3 { 0.66 } else { 0.10 };
    let jitter = |at: f64| 0.03 * (at * 911.0).sin() * (at * 37.0).cos();
    vec![
        wave("bursty, first", "fraction of the link", 160, move |at| {
            burst(at) + jitter(at)
        }),
        wave("greedy", "fraction of the link", 160, move |at| {
            0.62 * (1.0 - burst(at)) - jitter(at)
        }),
        wave(HOSTILE, "fraction of the link", 160, move |at| {
            0.38 * (1.0 - burst(at))
        }),
        wave("credit of greedy at host 2", "cells", 1_600, |at| {
            165.0 - (at * 48.0).fract() * 120.0
        }),
        wave("buffer of greedy in switch 1", "cells", 60_000, |at| {
            let spike = if (0.5..0.50004).contains(&at) {
                60.0
            } else {
                0.0
            };
            30.0 + 22.0 * (at * 19.0).sin() + 6.0 * (at * 4001.0).sin() + spike
        }),
    ]
}

/// What goes with the run.
pub fn info() -> RunInfo {
    let scenario =
        "# Two circuits share a link.\nseed = 1993\n\n[[flow]]\nname = \"</script><b>\"\n";
    RunInfo {
        name: "Two circuits, one link".into(),
        description: "A bursty circuit goes first; a greedy one takes exactly what is left.".into(),
        command: "backwater run two-circuits.toml --seed 1993 --out runs/two-circuits".into(),
        version: "0.1.0".into(),
        scenario: scenario.into(),
        resolved: format!("{scenario}priority = 0\nunit = \"53 B\"\n"),
        wall_seconds: Some(0.125),
        checks: vec![Check {
            what: "no buffer holds more than N2 + N3".into(),
            holds: true,
            detail: "165 cells at most".into(),
        }],
        given_up: Vec::new(),
    }
}

fn sweep_plot() -> Plot {
    let x = vec![1.0, 3.0, 10.0, 30.0, 100.0, 300.0];
    let y = vec![0.081, 0.17, 0.368, 0.61, 0.94, 0.998];
    let low = y.iter().map(|v| v * 0.94).collect();
    let high = y.iter().map(|v| v * 1.05).collect();
    let law = x
        .iter()
        .map(|v| (v + 12.0) / 155.0f64)
        .map(|v| v.min(1.0))
        .collect();
    Plot {
        id: "sweep".into(),
        title: "Throughput against buffer".into(),
        x: Axis {
            log: true,
            ..Axis::new("Buffer", "cells")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("Throughput", "fraction of the link")
        },
        curves: vec![
            Curve {
                interval: Some((low, high)),
                ..Curve::new("measured", Style::Points, x.clone(), y)
            },
            Curve {
                dashed: true,
                ..Curve::new("printed law", Style::Line, x, law)
            },
        ],
        note: "Whiskers are 95 % intervals of the mean; the dashed line is `(N2 + N3) / R`.".into(),
        marks: vec![
            Mark::horizontal(1.0, "link rate"),
            Mark::vertical(155.0, "round trip, 155 cells"),
        ],
    }
}

fn bars_plot() -> Plot {
    let x: Vec<f64> = (0..24).map(f64::from).collect();
    let y = x
        .iter()
        .map(|v| 4_000.0 * (-0.18 * (v - 6.0) * (v - 6.0) / 3.0).exp() + 30.0);
    Plot {
        id: "waits".into(),
        title: "Waiting times in the switch".into(),
        x: Axis::new("Wait", "cell times"),
        y: Axis::new("Cells", ""),
        curves: vec![Curve::new("cells", Style::Bars, x.clone(), y.collect())],
        ..Plot::default()
    }
}

fn band_plot() -> Plot {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 60.0).collect();
    let y: Vec<f64> = x.iter().map(|load| 80.0 + 4.0 / (1.0 - load)).collect();
    let low = y.iter().map(|v| v * 0.9).collect();
    let high = y.iter().map(|v| v * 1.15).collect();
    Plot {
        id: "delay".into(),
        title: "Delay against load".into(),
        x: Axis::new("Load", "fraction of the link"),
        y: Axis {
            log: true,
            ..Axis::new("Delay", "cell times")
        },
        curves: vec![Curve {
            interval: Some((low, high)),
            ..Curve::new("mean", Style::Line, x, y)
        }],
        ..Plot::default()
    }
}

fn verdicts() -> Block {
    let row =
        |id: &str, states: &str, paper: &str, measured: &str, verdict, reason: &str| VerdictRow {
            id: id.into(),
            figure: "Figures 12-13".into(),
            states: states.into(),
            paper: paper.into(),
            values: vec![VerdictValue {
                name: String::new(),
                value: measured.into(),
                accept: "0.36 to 0.3936".into(),
            }],
            verdict,
            remarks: (!reason.is_empty())
                .then(|| reason.into())
                .into_iter()
                .collect(),
        };
    Block::Verdicts(vec![
        row(
            "sample.burst",
            "a greedy circuit sends `N2 + N3` cells back to back each round trip",
            "61",
            "61 cells",
            Verdict::Agrees,
            "",
        ),
        row(
            "sample.throughput",
            "average throughput of that circuit",
            "0.39",
            "0.368 ± 0.001 of the link",
            Verdict::Differs,
            "One credit unit for each `N2` cells gives 60/163; 0.39 needs redundant credit units.",
        ),
        row(
            "sample.broken",
            "a statement that fails, to see how that looks: </script><b>",
            "1",
            "2",
            Verdict::Failed,
            "",
        ),
    ])
}

/// The page of the run, and after it one of each other kind of block.
pub fn report() -> Report {
    let mut report = run_report(&info(), &Findings::new(&spec(), outcome(), CELL), &series());
    let heading = |text: &str| Block::Heading {
        level: 2,
        text: text.into(),
    };
    report.command = info().command;
    report.blocks.extend([
        heading("Statements"),
        verdicts(),
        heading("Other figures"),
        Block::Plot(sweep_plot()),
        Block::Columns(vec![
            vec![Block::Plot(bars_plot())],
            vec![Block::Plot(band_plot())],
        ]),
        Block::Fold {
            summary: "A plot behind a fold".into(),
            blocks: vec![Block::Plot(Plot {
                id: "folded".into(),
                ..bars_plot()
            })],
        },
        Block::Note {
            tone: Tone::Warning,
            text: "A warning, to see how it looks.".into(),
        },
    ]);
    report
}

/// Data nobody should plot, in every style and on every axis.
pub fn odd_report() -> Report {
    let nan = f64::NAN;
    let odd = [
        (vec![], vec![]),
        (vec![1.0], vec![1.0]),
        (vec![0.0, 0.0], vec![5.0, 5.0]),
        (vec![nan, 1.0], vec![1.0, nan]),
        (vec![0.0, 1.0], vec![f64::INFINITY, f64::NEG_INFINITY]),
        (vec![-2.0, -1.0, 0.0], vec![-1.0, 0.0]),
        (vec![1e-300, 1e300], vec![1e300, -1e300]),
        (vec![1e15, 1e15 + 1.0], vec![1e-12, 2e-12]),
    ];
    let mut report = Report {
        title: "Odd plots".into(),
        ..Report::default()
    };
    for (nth, (x, y)) in odd.iter().enumerate() {
        for style in [Style::Line, Style::Step, Style::Points, Style::Bars] {
            for log in [false, true] {
                let mut plot = Plot {
                    id: "odd".into(),
                    title: format!("{nth} {style:?} {log}"),
                    curves: vec![Curve::new("odd", style, x.clone(), y.clone())],
                    marks: vec![
                        Mark::horizontal(0.0, "zero"),
                        Mark::vertical(nan, "nowhere"),
                    ],
                    ..Plot::default()
                };
                plot.curves[0].interval = Some((vec![nan], vec![0.0, 1.0]));
                plot.x.log = log;
                plot.y.log = log;
                report.blocks.push(Block::Plot(plot));
            }
        }
    }
    report
}
