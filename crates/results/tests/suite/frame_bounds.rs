//! Delay bounds of frames: table, plot, terminal, summary, and what is broken.

use crate::sample;

use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::bound::frames::bounds;
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::{EthernetSpec, TrafficSpec, TransportSpec};
use backwater_net::outcome::Outcome;
use backwater_results::{Block, Cell, Findings, Table, run_report, terminal_summary};
use sample::ethernet::{info, spec as files_and_video};

/// The first two flows at a constant rate in the upper class, video below.
fn spec() -> EthernetSpec {
    let mut spec = files_and_video();
    for flow in &mut spec.flows[..2] {
        flow.class = 1;
        flow.transport = TransportSpec::Udp {
            payload_bytes: 1_000,
            has_rtp: false,
            is_ect: false,
        };
        flow.traffic = TrafficSpec::Constant {
            start: Time::ZERO,
            rate: Rate(1_000_000),
            random_phase: false,
        };
    }
    spec.stop_at = Time(2_000_000_000_000);
    spec
}

fn run(spec: &EthernetSpec) -> Outcome {
    let simulation = Simulation::<Rings, ()>::with_probe(spec, ());
    let mut simulation = simulation.expect("a sound network");
    simulation.run();
    simulation.outcome()
}

fn table(spec: &EthernetSpec, outcome: &Outcome) -> Option<Table> {
    let tables = Findings::new(spec, outcome.clone(), Duration::ZERO)
        .tables()
        .to_vec();
    tables.into_iter().find(|table| table.name == "bounds")
}

fn cell<'a>(table: &'a Table, row: usize, column: &str) -> &'a Cell {
    let at = table.columns.iter().position(|own| own.key() == column);
    &table.rows[row][at.unwrap_or_else(|| panic!("no column {column}"))]
}

#[test]
fn the_table_has_bounds_and_reasons() {
    let spec = spec();
    let outcome = run(&spec);
    let table = table(&spec, &outcome).expect("flows have bounds");
    let known = bounds(&spec);
    for (row, bound) in known.iter().take(2).enumerate() {
        let bound = bound.as_ref().expect("a constant rate in the upper class");
        let micros = |ps: u64| Cell::float(ps as f64 / 1e6, 3);
        assert_eq!(*cell(&table, row, "bound_us"), micros(bound.delay.ps()));
        assert_eq!(*cell(&table, row, "alone_us"), micros(bound.least.ps()));
        let largest = outcome.flows[row].delay.max;
        assert!(bound.least.ps() <= largest && largest <= bound.delay.ps());
        assert_eq!(*cell(&table, row, "delay_max_us"), micros(largest));
        assert_eq!(*cell(&table, row, "ports"), Cell::from(3_u32));
        assert_eq!(*cell(&table, row, "why_none"), Cell::Empty);
    }
    assert_eq!(*cell(&table, 2, "bound_us"), Cell::Empty);
    let why = Cell::from("nothing limits its bursts".to_string());
    assert_eq!(*cell(&table, 2, "why_none"), why);
    let summary = sample::ethernet::summary(&info(), &spec, &outcome);
    assert!(summary["bounds"][0]["delay_max_of_bound_pct"].as_f64() <= Some(100.0));
    assert_eq!(
        summary["bounds"][2]["why_none"],
        "nothing limits its bursts"
    );
    let terminal = terminal_summary(
        &info(),
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    );
    assert!(
        terminal.contains("delay bounds of 2 flows, none exceeded"),
        "{terminal}"
    );
    let report = run_report(
        &info(),
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
        &[],
    );
    let is_plot = |block: &Block| matches!(block, Block::Plot(plot) if plot.id == "delay-bounds");
    assert!(report.blocks.iter().any(is_plot));
}

#[test]
fn a_frame_beyond_its_bound_is_a_broken_promise() {
    let spec = spec();
    let mut outcome = run(&spec);
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 0);
    let bound = bounds(&spec)[1].expect("it has a bound").delay.ps();
    outcome.flows[1].delay.max = bound;
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 0);
    outcome.flows[1].delay.max = bound + 1;
    sample::note_broken(&spec, &mut outcome);
    assert_eq!(outcome.violations.total(), 1);
    let what = &outcome.violations.kept()[0].what;
    assert!(what.starts_with("a frame of file[2] took"), "{what}");
    let report = run_report(
        &info(),
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
        &[],
    );
    let late = "Frames of file[2] exceeded the delay bound";
    let is_told = |block: &Block| matches!(block, Block::Note { text, .. } if text.contains(late));
    assert!(report.blocks.iter().any(is_told));
}

#[test]
fn nothing_is_said_where_no_frames_come_at_a_constant_rate() {
    let spec = files_and_video();
    let outcome = sample::ethernet::outcome();
    assert!(table(&spec, &outcome).is_none());
    let summary = sample::ethernet::summary(&info(), &spec, &outcome);
    assert!(summary.get("bounds").is_none());
}
