//! What is said of ABR circuits, the ports that tell them rates, and fair shares under both.

use crate::sample;

use backwater_ends::tcp::TcpCounts;
use backwater_kernel::{Duration, Rate, Rings, Series, Time};
use backwater_net::Simulation;
use backwater_net::outcome::{
    AbrOutcome, BurstOutcome, CellCounts, CellTcpOutcome, Outcome, RatePortOutcome,
};
use backwater_net::spec::{
    AbrSpec, CurrentRate, EricaSpec, ExplicitRateSpec, FlowControlSpec, FlowSpec, LimitSpec,
    MarkSpec, NetworkSpec, RateFormat, SourceControlSpec, TrafficSpec, TurnAround, UiliSpec,
};
use backwater_results::{
    Block, Cell, Findings, Report, Table, page, run_report, svg, terminal_summary,
};

const LINK: Rate = Rate(155_520_000);

fn abr() -> AbrSpec {
    AbrSpec {
        pcr: LINK,
        mcr: Rate(0),
        icr: Rate(10_000_000),
        nrm: 32,
        mrm: 2,
        trm: Duration(100_000_000_000),
        rif: 1.0,
        rdf: 1.0 / 512.0,
        crm: 1000,
        cdf: 0.0,
        tcr: Rate(0),
        is_eager: true,
        counts_backward: true,
        turn_around: TurnAround::Queue,
        format: RateFormat::Exact,
        uili: UiliSpec::Count {
            headroom: Rate(1_000_000),
            tdf: 0.125,
            pr5: false,
            slack: 0.001,
        },
    }
}

fn erica() -> ExplicitRateSpec {
    ExplicitRateSpec::Erica(EricaSpec {
        interval: Duration(1_000_000_000),
        interval_cells: 100,
        target: 0.9,
        delta: 0.0,
        limit_jump: true,
        ccr: CurrentRate::Field,
        one_feedback: true,
        up_to_link: false,
        activity_decay: 0.0,
        queue: None,
        aging: None,
    })
}

/// The sample's network as ABR circuits: two greedy ones share the middle link, a third is held
/// to 10 Mbps. Flows 3 to 5 are their ways back.
fn network() -> NetworkSpec {
    let mut spec = sample::spec();
    for link in &mut spec.links {
        for channel in &mut link.channels {
            channel.rate = LINK;
            channel.delay = Duration(1_000_000_000);
        }
    }
    for flow in 0..3 {
        let own = &mut spec.flows[flow];
        own.priority = 0;
        own.source_control = SourceControlSpec::Abr(abr());
        own.partner = Some(flow as u32 + 3);
        for leg in &mut own.legs {
            leg.flow_control = FlowControlSpec::None;
            leg.buffer.limit_units = None;
        }
        let mut back = own.clone();
        back.name = format!("{} back", own.name);
        back.traffic = TrafficSpec::Silent;
        back.partner = Some(flow as u32);
        back.source = if flow == 0 { 4 } else { 5 };
        let channels: Vec<u32> = own.legs.iter().rev().map(|leg| leg.channel ^ 1).collect();
        for (leg, channel) in back.legs.iter_mut().zip(channels) {
            leg.channel = channel;
        }
        spec.flows.push(back);
    }
    spec.flows[2].traffic = TrafficSpec::Bottlenecked {
        start: Time::ZERO,
        limits: vec![LimitSpec {
            from: Time::ZERO,
            rate: Some(Rate(10_000_000)),
        }],
    };
    spec.rules.rate_ports = [4, 5, 6, 8, 1, 3]
        .map(|channel| (channel, erica()))
        .to_vec();
    spec.stop_at = Time(400_000_000_000);
    spec.warm_up = Time(200_000_000_000);
    spec
}

/// The made-up run with ABR.
fn outcome(spec: &NetworkSpec) -> Outcome {
    let mut outcome = sample::outcome();
    outcome.ended_at = spec.stop_at;
    let silent = backwater_net::outcome::FlowOutcome::default();
    outcome.flows.resize(6, silent);
    let counts = |sent: u64| CellCounts {
        sent,
        received: sent - 3,
        lost: 1,
        inside: 2,
    };
    let burst = |at_ms: u64, took_us: Option<u64>, first: u64| BurstOutcome {
        arrived: Time(at_ms * 1_000_000_000),
        sent: took_us.map(|us| Time(at_ms * 1_000_000_000 + us * 1_000_000)),
        data_cells: 256,
        in_rate_cells: 264,
        first_acr: Rate(first),
        reductions: 1,
    };
    outcome.flows[0].abr = Some(Box::new(AbrOutcome {
        forward: counts(1000),
        backward: counts(24),
        out_of_rate_total: 24,
        in_rate_total: 32_000 - 24,
        acr: Rate(11_000_000),
        acr_min: Rate(10_000_000),
        acr_max: Rate(140_000_000),
        acr_mean_bps: 12.5e6,
        reductions_total: 7,
        refused_total: 77,
        bursts: vec![
            burst(100, Some(999), 0), // in the warm-up
            burst(210, Some(800), 140_000_000),
            burst(220, Some(1000), 20_000_000),
            burst(399, None, 20_000_000),
        ],
        ..AbrOutcome::default()
    }));
    outcome.flows[3].abr = Some(Box::new(AbrOutcome {
        acr_mean_bps: 30e6,
        ..AbrOutcome::default()
    }));
    outcome.channels[4].rate = Some(Box::new(RatePortOutcome {
        cells_total: 99_000,
        queue_max: 13_559,
        feedbacks_total: 3_000,
        marked_total: 0,
        intervals_total: 400,
        load_mean: 0.983,
        active_mean: 2.9,
        fair_share: Rate(69_984_000),
    }));
    outcome
}

fn named(tables: &[Table], name: &str) -> Table {
    let table = tables.iter().find(|table| table.name == name);
    table.unwrap_or_else(|| panic!("no table {name}")).clone()
}

fn fair_shares(spec: &NetworkSpec) -> Table {
    let found = Findings::new(spec, outcome(spec), sample::CELL);
    named(found.tables(), "fairness")
}

fn number(table: &Table, row: usize, column: &str) -> f64 {
    let index = table.columns.iter().position(|c| c.key() == column);
    match table.rows[row][index.expect(column)] {
        Cell::Float { value, .. } => value,
        Cell::Int(value) => value as f64,
        ref other => panic!("{column}: {other:?}"),
    }
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-6 * expected.abs(),
        "{found}, not {expected}"
    );
}

#[test]
fn circuits_have_tables() {
    let spec = network();
    let tables = Findings::new(&spec, outcome(&spec), sample::CELL)
        .tables()
        .to_vec();
    for table in &tables {
        let whole = |row: &Vec<Cell>| row.len() == table.columns.len();
        assert!(table.rows.iter().all(whole), "{}", table.name);
        sample::names::assert_names(table);
    }
    let rates = named(&tables, "abr");
    assert_eq!(rates.rows.len(), 2);
    assert_eq!(rates.rows[0][1], "count".into());
    near(number(&rates, 0, "acr_mean_mbps"), 12.5);
    near(number(&rates, 0, "rm_share_pct"), 3.2);
    assert_eq!(rates.rows[1][13], Cell::Empty, "it sent nothing");
    let cells = named(&tables, "rm-cells");
    assert_eq!(cells.rows.len(), 4);
    assert_eq!(number(&cells, 0, "balance_cells"), 0.0);
    assert_eq!(number(&cells, 1, "sent_cells"), 24.0);
    let ports = named(&tables, "rate-ports");
    assert_eq!(ports.rows.len(), 1);
    assert_eq!(number(&ports, 0, "queue_max_cells"), 13_559.0);
    near(number(&ports, 0, "load_mean"), 0.983);
}

#[test]
fn bursts_are_those_after_the_warm_up() {
    let spec = network();
    let tables = Findings::new(&spec, outcome(&spec), sample::CELL)
        .tables()
        .to_vec();
    let bursts = named(&tables, "bursts");
    assert_eq!(bursts.rows.len(), 1);
    assert_eq!(number(&bursts, 0, "bursts"), 3.0);
    assert_eq!(number(&bursts, 0, "complete"), 2.0);
    near(number(&bursts, 0, "response_mean_ms"), 2.8 / 3.0);
    near(number(&bursts, 0, "response_max_ms"), 1.0);
    // 512 cells of 424 bits in 1.8 ms.
    near(number(&bursts, 0, "effective_mbps"), 512.0 * 424.0 / 1800.0);
    near(
        number(&bursts, 0, "source_rate_mbps"),
        528.0 * 424.0 / 1800.0,
    );
    // 140 Mbps is above 2 ICR, 20 is not.
    near(number(&bursts, 0, "sent_high_pct"), 50.0);
    near(number(&bursts, 0, "reductions"), 1.0);
}

#[test]
fn a_burst_that_takes_no_time_divides_nothing_by_nothing() {
    let spec = network();
    let mut outcome = outcome(&spec);
    let found = outcome.flows[0].abr.as_mut().unwrap();
    for burst in &mut found.bursts {
        burst.sent = Some(burst.arrived);
    }
    let tables = Findings::new(&spec, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    let bursts = named(&tables, "bursts");
    assert_eq!(bursts.rows[0][6], Cell::Empty);
    let text = terminal_summary(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
    );
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn the_terminal_has_a_line_for_each() {
    let spec = network();
    let outcome = outcome(&spec);
    let found = terminal_summary(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
    );
    for must in [
        "ABR: mean ACR 12.5 Mbps to 30 Mbps; 7 reductions, 77 refused; RM cells 3.2 % of all, 2 \
         lost\n",
        "2 bursts complete; 1 not, the oldest begun 1 ms before the end: response >= 933.3 us, \
         120.6 Mbps effective, 50 % sent high, reductions each: 1\n",
        "ERICA at 1 port; longest queue 13,559 cells at switch 1 -> switch 2, mean load 0.983\n",
        "ports that signal rates give ABR 0.9 of what others leave\n",
    ] {
        assert!(found.contains(must), "no {must:?} in\n{found}");
    }
    let summary = sample::summary(&sample::info(), &spec, &outcome, None);
    assert_eq!(summary["bursts"][0]["complete"], 2);
    assert_eq!(summary["rate_ports"][0]["queue_max_cells"], 13_559);
    let plain = sample::summary(&sample::info(), &sample::spec(), &sample::outcome(), None);
    assert!(plain.get("abr").is_none());
}

fn plot_titles(report: &Report) -> Vec<String> {
    let mut titles = Vec::new();
    backwater_results::html::each_plot(&report.blocks, &mut |plot| {
        assert!(svg(plot).contains("</svg>"));
        titles.push(format!("{}: {}", plot.title, plot.y.title()));
    });
    titles
}

#[test]
fn the_page_draws_rates_bursts_and_series_with_their_units() {
    let spec = network();
    let series = |name: &str, unit, y: f64| Series {
        name: name.into(),
        unit,
        step: true,
        clock: Default::default(),
        x: vec![0, 1_000_000_000],
        y: vec![y, y],
    };
    let recorded = [
        series("ACR", "bps", 11e6),
        series("z", "z", 0.9),
        series("N", "circuits", 2.0),
        series("queue", "cells", 5.0),
    ];
    let report = run_report(
        &sample::info(),
        &Findings::new(&spec, outcome(&spec), sample::CELL),
        &recorded,
    );
    assert!(page(&report).contains("</html>"));
    let titles = plot_titles(&report);
    for must in [
        "Rates and max-min fair shares: Data units on the wire (Mbps)",
        "Allowed cell rates: ACR (Mbps)",
        "Burst response times: Response time (ms)",
        "ACR: Rate (Mbps)",
        "z: Load factor",
        "N: Active circuits",
        "queue: Cells",
    ] {
        assert!(
            titles.iter().any(|title| title == must),
            "no {must:?} in {titles:?}"
        );
    }
    let mut heights = Vec::new();
    backwater_results::html::each_plot(&report.blocks, &mut |plot| {
        if plot.title == "ACR" {
            heights = plot.curves[0].y.clone();
        }
    });
    assert_eq!(heights, [11.0, 11.0], "in Mbps");
}

#[test]
fn tcp_over_cells_has_a_table() {
    let spec = network();
    let mut outcome = outcome(&spec);
    outcome.flows[1].tcp = Some(Box::new(CellTcpOutcome {
        delivered_bytes: 2_500_000,
        delivered_bytes_total: 5_000_000,
        broken_frames_total: 3,
        opener: TcpCounts {
            segments: 100,
            sent_bytes: 1000,
            again_bytes: 10,
            ..TcpCounts::default()
        },
        answerer: TcpCounts {
            segments: 50,
            ..TcpCounts::default()
        },
        ..CellTcpOutcome::default()
    }));
    let tables = Findings::new(&spec, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    let tcp = named(&tables, "tcp");
    assert_eq!(tcp.rows.len(), 1);
    near(number(&named(&tables, "flows"), 1, "goodput_mbps"), 100.0);
    assert_eq!(number(&tcp, 0, "segments"), 150.0);
    near(number(&tcp, 0, "retransmitted_pct"), 1.0);
    assert_eq!(number(&tcp, 0, "broken_frames"), 3.0);
}

#[test]
fn shares_under_erica_leave_a_tenth_and_the_rm_cells() {
    let spec = network();
    let fair = fair_shares(&spec);
    assert_eq!(fair.rows.len(), 3, "silent ways back are left out");
    // 0.9 of 155.52 Mbps, of which the third takes 10 with its RM cells.
    let share = (0.9 * 155.52 - 10.0) / 2.0;
    near(number(&fair, 0, "wire_share_mbps"), share);
    // One in 32 is a forward RM cell, and one in 32 x 31 answers one of the silent way back.
    near(number(&fair, 1, "max_min_share_mbps"), share * 30.0 / 31.0);
    near(number(&fair, 2, "wire_share_mbps"), 10.0);
    assert_eq!(fair.rows[0][4], "switch 1 -> switch 2".into());
    assert_eq!(fair.rows[2][4], "its demand".into());
    assert!(fair.caption.contains("give ABR 0.9 of what others leave"));
}

#[test]
fn a_way_back_with_its_own_traffic_carries_the_answers() {
    let mut spec = network();
    spec.flows[3].traffic = spec.flows[0].traffic.clone();
    let fair = fair_shares(&spec);
    assert_eq!(fair.rows.len(), 4);
    let wire = |row| number(&fair, row, "wire_share_mbps");
    let data = |row| number(&fair, row, "max_min_share_mbps");
    // On the way back it has what the answers to the two others leave; its own are in its rate.
    let back = 0.9 * 155.52 - (wire(1) + wire(2)) / 31.0;
    near(wire(3), back);
    near(data(3), back * 31.0 / 32.0 - wire(0) / 32.0);
    near(data(0), wire(0) * 31.0 / 32.0 - back / 32.0);
}

#[test]
fn background_of_others_comes_first_where_it_has_priority() {
    let mut spec = network();
    let own = &mut spec.flows[2];
    own.source_control = SourceControlSpec::None;
    own.partner = None;
    own.traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: Rate(55_520_000).tick(53),
        random_phase: false,
        total: None,
    };
    for flow in [2, 5] {
        spec.flows[flow].priority = 1;
    }
    let fair = fair_shares(&spec);
    near(number(&fair, 0, "wire_share_mbps"), 45.0);
    near(number(&fair, 2, "max_min_share_mbps"), 55.52);
}

fn wire_share(spec: &NetworkSpec, row: usize) -> f64 {
    number(&fair_shares(spec), row, "wire_share_mbps")
}

#[test]
fn what_goes_after_abr_shares_in_what_its_target_leaves() {
    let mut spec = network();
    for flow in [0, 1, 3, 4, 5] {
        spec.flows[flow].priority = 1;
    }
    spec.flows[2] = FlowSpec {
        source_control: SourceControlSpec::None,
        partner: None,
        traffic: spec.flows[0].traffic.clone(),
        ..spec.flows[2].clone()
    };
    near(wire_share(&spec, 0), 0.45 * 155.52);
    near(wire_share(&spec, 2), 0.1 * 155.52);
}

#[test]
fn a_peak_rate_limits_what_a_source_with_a_rate_of_its_own_wants() {
    let mut spec = network();
    let pcr = Rate(1_000_000);
    spec.flows[2].source_control = SourceControlSpec::Abr(AbrSpec { pcr, ..abr() });
    near(wire_share(&spec, 2), 1.0);
    spec.flows[2].traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: Rate(10_000_000).tick(53),
        random_phase: false,
        total: None,
    };
    near(wire_share(&spec, 2), 1.0);
}

#[test]
fn the_engine_comes_close_to_the_shares() {
    let spec = network();
    let mut simulation = Simulation::<Rings>::new(&spec).unwrap();
    simulation.run();
    let outcome = simulation.outcome();
    let tables = Findings::new(&spec, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    let fair = named(&tables, "fairness");
    for row in 0..3 {
        let ratio = number(&fair, row, "ratio");
        assert!((ratio - 1.0).abs() < 0.03, "{ratio} of flow {row}");
    }
    let ports = named(&tables, "rate-ports");
    assert_eq!(ports.rows.len(), 6);
    let cells = named(&tables, "rm-cells");
    for row in 0..cells.rows.len() {
        assert_eq!(number(&cells, row, "balance_cells"), 0.0);
    }
    // Without ERICA's target the same rates are a tenth below their shares.
    let mut other = spec.clone();
    other.rules.rate_ports = vec![(
        4,
        ExplicitRateSpec::Efci(MarkSpec {
            high_cells: 10,
            low_cells: 5,
        }),
    )];
    let tables = Findings::new(&other, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    let ratio = number(&named(&tables, "fairness"), 0, "ratio");
    assert!(ratio < 0.93, "{ratio}");
    let blocks = run_report(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
        &[],
    )
    .blocks;
    assert!(blocks.iter().any(|block| matches!(block, Block::Plot(_))));
}
