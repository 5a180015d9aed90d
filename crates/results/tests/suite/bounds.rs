//! Delay bounds: table, plot, terminal, summary, and what is broken.

use crate::sample;

use backwater_kernel::{Duration, Place, Rate, Rings};
use backwater_net::Simulation;
use backwater_net::bound::bounds;
use backwater_net::outcome::Outcome;
use backwater_net::probe::{Ports, PortsSpec};
use backwater_net::spec::{
    EnvelopeRule, EnvelopeSpec, Excess, FlowControlSpec, NetworkSpec, ReserveSpec, SchedulerSpec,
};
use backwater_results::{Block, Cell, Findings, Table, run_report, terminal_summary};

/// The sample's network, WFQ everywhere: the first two flows keep to what they reserve, the third
/// does not.
fn network() -> NetworkSpec {
    let mut spec = sample::spec();
    let cell = sample::CELL;
    for link in &mut spec.links {
        link.channels[0].scheduler = SchedulerSpec::Wfq;
        link.channels[1].scheduler = SchedulerSpec::Wfq;
    }
    for (flow, units) in spec.flows.iter_mut().zip([2, 5, 0]) {
        flow.priority = 0;
        flow.reserve = Some(ReserveSpec {
            rate: Rate(200_000_000),
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        });
        // A little more than units x 53 bytes take at 200 Mbps.
        let interval = Duration(cell.ps() * 4 * units);
        let units = units as u32;
        flow.envelope = (units > 0).then_some(EnvelopeSpec {
            rule: EnvelopeRule::SlidingWindow { units, interval },
            excess: Excess::Delay,
        });
        for leg in &mut flow.legs {
            leg.flow_control = FlowControlSpec::None;
            leg.buffer.limit_units = None;
        }
    }
    spec.stop_at = backwater_kernel::Time(cell.ps() * 5_000);
    spec
}

fn run(spec: &NetworkSpec) -> Outcome {
    let mut simulation = Simulation::<Rings>::new(spec).expect("a sound network");
    simulation.run();
    simulation.outcome()
}

fn table(spec: &NetworkSpec, outcome: &Outcome) -> Option<Table> {
    let tables = Findings::new(spec, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    tables.into_iter().find(|table| table.name == "bounds")
}

fn value(table: &Table, row: usize, column: &str) -> Cell {
    let index = table.columns.iter().position(|c| c.key() == column);
    table.rows[row][index.expect(column)].clone()
}

fn number(table: &Table, row: usize, column: &str) -> f64 {
    match value(table, row, column) {
        Cell::Float { value, .. } => value,
        Cell::Int(value) => value as f64,
        ref other => panic!("{column}: {other:?}"),
    }
}

#[test]
fn the_table_has_bounds_and_reasons() {
    let spec = network();
    let outcome = run(&spec);
    let table = table(&spec, &outcome).expect("flows reserve");
    assert_eq!(table.rows.len(), 3);
    let known = bounds(&spec);
    for (row, bound) in known.iter().take(2).enumerate() {
        let bound = bound.expect("it is bounded");
        let delay = bound.delay.ps() as f64 / 1e6;
        assert_eq!(number(&table, row, "bound_us"), delay);
        let largest = outcome.flows[row].delay.max as f64 / 1e6;
        assert_eq!(number(&table, row, "delay_max_us"), largest);
        let share = number(&table, row, "delay_max_of_bound_pct");
        assert!((share - largest / delay * 100.0).abs() < 1e-9, "{share}");
        assert!(share > 20.0 && share < 100.0, "{share}");
        assert_eq!(number(&table, row, "servers"), f64::from(bound.servers));
        assert_eq!(value(&table, row, "why_none"), Cell::Empty);
    }
    assert_eq!(number(&table, 0, "sigma_bytes"), 2.0 * 53.0);
    assert_eq!(number(&table, 1, "sigma_bytes"), 5.0 * 53.0);
    assert_eq!(value(&table, 2, "bound_cells"), Cell::Empty);
    let reason = "nothing holds it to what it reserves";
    assert_eq!(value(&table, 2, "why_none"), reason.into());
}

#[test]
fn bursts_come_from_the_ports() {
    let spec = network();
    let window = Duration(1_000_000_000);
    let ports = Ports::new(&spec, PortsSpec { window });
    let mut simulation = Simulation::<Rings, _>::with_probe(&spec, ports).expect("a sound network");
    simulation.run();
    let outcome = simulation.outcome();
    let ports = simulation.probe().outcome(outcome.ended_at);
    let tables = sample::at_ports(&spec, &outcome, &ports).tables().to_vec();
    let bounds = tables.iter().find(|table| table.name == "bounds");
    let bounds = bounds.expect("flows reserve");
    // Two units at 622 Mbps: while the second comes, a third of the first is through.
    assert_eq!(number(bounds, 0, "burst_bytes"), 89.0);
    let burst = number(bounds, 1, "burst_bytes");
    assert!(burst > 2.0 * 53.0 && burst <= 5.0 * 53.0, "{burst}");
    assert!(number(bounds, 2, "burst_bytes") > 1e4, "it misbehaves");
}

#[test]
fn the_page_draws_bounds_of_two_flows_or_more() {
    let mut spec = network();
    let outcome = run(&spec);
    let plots = |spec: &NetworkSpec| {
        let report = run_report(
            &sample::info(),
            &Findings::new(spec, outcome.clone(), sample::CELL),
            &[],
        );
        let blocks = report.blocks.into_iter();
        let plots = blocks.filter_map(|block| match block {
            Block::Plot(plot) if plot.id == "delay-bounds" => Some(plot),
            _ => None,
        });
        plots.collect::<Vec<_>>()
    };
    let drawn = plots(&spec);
    assert_eq!(drawn.len(), 1);
    let [largest, bound] = &drawn[0].curves[..] else {
        panic!("two curves");
    };
    assert_eq!(bound.y.len(), 2);
    assert_eq!(drawn[0].x.names.len(), 2, "flows have their names");
    let below = |(most, seen): (&f64, &f64)| seen < most;
    assert!(bound.y.iter().zip(&largest.y).all(below));
    spec.flows[1].envelope = None;
    assert!(plots(&spec).is_empty(), "one flow is no picture");
}

#[test]
fn the_terminal_names_those_nearest_their_bound_and_counts_reasons() {
    let spec = network();
    let outcome = run(&spec);
    let found = terminal_summary(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
    );
    assert!(
        found.contains("delay bounds of 2 flows, none exceeded"),
        "{found}"
    );
    let none = "no delay bound for </script><b>: nothing holds it to what it reserves";
    assert!(found.contains(none), "{found}");
    // However many flows and reasons there are.
    let mut crowd = spec.clone();
    let mut many = outcome.clone();
    for nth in 0..30u32 {
        crowd.flows.push(spec.flows[nth as usize % 3].clone());
        many.flows.push(outcome.flows[nth as usize % 3].clone());
    }
    crowd.flows[4].session = Some(backwater_net::spec::SessionSpec {
        open: backwater_kernel::Time(1),
        close: None,
        message_bytes: 64,
    });
    crowd.flows[7].legs[1].flow_control = sample::spec().flows[0].legs[1].flow_control;
    crowd.flows[10].source_control = backwater_net::spec::SourceControlSpec::Window { units: 9 };
    crowd.flows[1].sink = backwater_net::spec::SinkSpec::Infinite;
    let lines = |spec, outcome: &Outcome| {
        terminal_summary(
            &sample::info(),
            &Findings::new(spec, outcome.clone(), sample::CELL),
        )
    };
    let (crowded, plain) = (lines(&crowd, &many), {
        let mut plain = crowd.clone();
        plain.flows.iter_mut().for_each(|flow| flow.reserve = None);
        lines(&plain, &many)
    });
    let more = crowded.lines().count() - plain.lines().count();
    assert!((1..=9).contains(&more), "{more} more lines:\n{crowded}");
    assert!(crowded.contains("other reasons"), "{crowded}");
}

#[test]
fn a_delay_beyond_its_bound_is_a_broken_promise() {
    let spec = network();
    let mut outcome = run(&spec);
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 0);
    // Rounding: a picosecond for each unit that was sent on the way, and not one more.
    let bound = bounds(&spec)[1].expect("it is bounded").delay.ps();
    let crosses = |channel: u32| spec.flows[1].legs.iter().any(|leg| leg.channel == channel);
    let on_the_way = outcome.legs.iter().filter(|leg| crosses(leg.channel));
    let rounding: u64 = on_the_way.map(|leg| leg.sent_total).sum();
    outcome.flows[1].delay.max = bound + rounding;
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 0);
    outcome.flows[1].delay.max += 1;
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 1);
    assert!(
        outcome.violations.kept()[0].what.contains("greedy"),
        "{:?}",
        outcome.violations
    );
    let Place::Leg(leg) = outcome.violations.kept()[0].place else {
        panic!("{:?}", outcome.violations);
    };
    let leg = &outcome.legs[leg as usize];
    assert_eq!((leg.flow, leg.channel), (1, 8));
    let info = sample::info();
    let found = terminal_summary(&info, &Findings::new(&spec, outcome.clone(), sample::CELL));
    assert!(found.contains("2 flows, 1 EXCEEDED"), "{found}");
    assert!(found.contains("1 promise broken"), "{found}");
    let report = run_report(
        &info,
        &Findings::new(&spec, outcome.clone(), sample::CELL),
        &[],
    );
    let notes = report.blocks.iter().filter_map(|block| match block {
        Block::Note { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let notes: Vec<&str> = notes.collect();
    let named = |note: &&str| note.starts_with("Cells of greedy exceeded the delay bound");
    assert!(notes.iter().any(named), "{notes:?}");
    let summary = sample::summary(&info, &spec, &outcome, None);
    let of_bound = |row: usize| summary["bounds"][row]["delay_max_of_bound_pct"].as_f64();
    assert!(of_bound(1) > Some(100.0) && of_bound(0) <= Some(100.0));
    assert_eq!(summary["promises_broken"], 1);
}

#[test]
fn who_reserves_nothing_is_promised_nothing() {
    let (spec, mut outcome) = (sample::spec(), sample::outcome());
    assert!(table(&spec, &outcome).is_none());
    let summary = sample::summary(&sample::info(), &spec, &outcome, None);
    assert!(summary.get("bounds").is_none());
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 0);
    let found = terminal_summary(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
    );
    assert!(!found.contains("bound"), "{found}");
}
