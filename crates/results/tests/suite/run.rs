//! What is said about a run.

use crate::perfetto::File;
use crate::sample;

use backwater_kernel::{Duration, Place, Stop, Time};
use backwater_net::outcome::{LossCause, Outcome, Standstill};
use backwater_net::probe::{ControlKind, Crossing, Probe, UnitKind};
use backwater_results::{
    Block, Cell, CellTrace, Findings, Table, TraceFile, page, run_report, terminal_summary,
};

const GOLDEN: &str = "\
Two circuits, one link: 100,000 cells (68.17 ms), full duration
456,789 cell hops, 45,678 of them control in 0.125 s (3.65 M hops/s); trace hash h00c0ffee01234567

flow           offered  delivered  dropped  inside  of link    Mbps     delay       p99
bursty, first   33,400     33,320        0      80   0.3332  207.25  62.99 us  113.4 us
greedy          41,000     40,210        0     790   0.4021  250.10  146.4 us  263.6 us
</script><b>    26,000     25,000        0   1,000   0.2500  155.50  158.9 us    286 us

flow             Mbps  max-min  ratio
bursty, first  207.25   622.00  0.333
greedy         250.10     0.00      -
</script><b>   155.50     0.00      -
Jain's index 0.9654 of rates, 1.0000 of rates over shares

offered 100,400 = delivered 98,530 + dropped 0 + inside 1,870 cells
nothing was dropped
busiest port switch 1 -> switch 2: data 96.75 %, control 3.25 %
";

#[test]
fn the_terminal_summary_reads_like_this() {
    let summary = terminal_summary(
        &sample::info(),
        &Findings::new(&sample::spec(), sample::outcome(), sample::CELL),
    );
    assert_eq!(summary, GOLDEN);
}

/// The sample with everything gone wrong.
fn broken() -> Outcome {
    let mut outcome = sample::outcome();
    outcome.stop = Stop::Standstill;
    outcome.standstill = Some(Standstill {
        since: Time(681_672_000),
        ..Standstill::default()
    });
    outcome.flows[1].offered_total += 1;
    outcome.flows[2].lost_total = 7;
    outcome.flows[2].drops.add(LossCause::Buffer, 7);
    outcome.flows[2].inside_total -= 7;
    outcome.legs[7].dropped_total = 7;
    for nth in 0..250 {
        let (at, place) = (Time(681_672 * (nth + 3)), Place::Leg(7));
        let what = || "166 cells in a buffer of 165".into();
        outcome.violations.note(at, place, what);
    }
    outcome
}

#[test]
fn a_long_and_broken_run_stays_within_26_lines() {
    let mut spec = sample::spec();
    let mut outcome = broken();
    for nth in 0..500 {
        let mut flow = spec.flows[0].clone();
        flow.name = format!("a rather long name of flow {nth}\nwith a second line");
        spec.flows.push(flow);
        outcome.flows.push(outcome.flows[0].clone());
    }
    let mut info = sample::info();
    info.name.push_str("\u{1b}[2J\n\n\n");
    let summary = terminal_summary(&info, &Findings::new(&spec, outcome.clone(), sample::CELL));
    // Three more on fair shares.
    assert!(summary.lines().count() <= 29, "{summary}");
    assert!(!summary.contains('\u{1b}'));
    for must in [
        "≠",
        "dropped: buffer full 7",
        "stuck since 1,000 cells",
        "250 promises broken",
    ] {
        assert!(summary.contains(must), "no word of {must:?} in\n{summary}");
    }
}

#[test]
fn the_report_says_what_went_wrong() {
    let notes = |outcome: &Outcome| {
        let report = run_report(
            &sample::info(),
            &Findings::new(&sample::spec(), outcome.clone(), sample::CELL),
            &[],
        );
        assert!(page(&report).contains("</html>"));
        report
            .blocks
            .iter()
            .filter(|block| matches!(block, Block::Note { .. }))
            .count()
    };
    assert_eq!(notes(&sample::outcome()), 0);
    assert_eq!(notes(&broken()), 3);
}

fn value(table: &Table, row: usize, column: &str) -> Cell {
    let index = table
        .columns
        .iter()
        .position(|c| c.key() == column)
        .expect(column);
    table.rows[row][index].clone()
}

fn named(tables: &[Table], name: &str) -> Table {
    tables
        .iter()
        .find(|table| table.name == name)
        .expect(name)
        .clone()
}

#[test]
fn tables_say_what_the_outcome_says() {
    let tables = Findings::new(&sample::spec(), sample::outcome(), sample::CELL)
        .tables()
        .to_vec();
    for table in &tables {
        sample::names::assert_names(table);
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.len() == table.columns.len()),
            "{}",
            table.name
        );
    }
    let flows = named(&tables, "flows");
    assert_eq!(value(&flows, 0, "balance_cells"), Cell::Int(0));
    assert_eq!(
        value(&flows, 1, "path"),
        Cell::Text("host 2 -> sink 2".into())
    );
    let Cell::Float { value: share, .. } = value(&flows, 0, "throughput_share") else {
        panic!("a throughput is a number");
    };
    // 32,986 cells in 99,000 cell times.
    assert!((share - 32_986.0 / 99_000.0).abs() < 1e-6, "{share}");
    let delays = named(&tables, "delays");
    let Cell::Float { value: mean, .. } = value(&delays, 0, "delay_mean_cells") else {
        panic!("a delay is a number");
    };
    assert!((mean - 92.4).abs() < 1e-9);
    assert!(tables.iter().all(|table| table.name != "violations"));
    let tables = Findings::new(&sample::spec(), broken(), sample::CELL)
        .tables()
        .to_vec();
    assert_eq!(
        value(&named(&tables, "flows"), 1, "balance_cells"),
        Cell::Int(1)
    );
    assert_eq!(named(&tables, "violations").rows.len(), 100);
}

#[test]
fn a_multicast_flow_counts_each_destination_once() {
    let mut spec = sample::spec();
    let mut leg = spec.flows[1].legs[2].clone();
    leg.channel = 6;
    spec.flows[1].legs.push(leg);
    let tables = Findings::new(&spec, sample::outcome(), sample::CELL)
        .tables()
        .to_vec();
    let flows = named(&tables, "flows");
    assert_eq!(
        value(&flows, 1, "path"),
        Cell::Text("host 2 -> sink 2, sink 1".into())
    );
    let Cell::Float { value: share, .. } = value(&flows, 1, "throughput_share") else {
        panic!("a throughput is a number");
    };
    assert!((share - 39_807.0 / 2.0 / 99_000.0).abs() < 1e-5, "{share}");
}

#[test]
fn an_outcome_that_does_not_fit_its_spec_is_no_reason_to_panic() {
    let mut spec = sample::spec();
    spec.flows.truncate(1);
    spec.links.truncate(1);
    spec.nodes.clear();
    let (info, cell) = (sample::info(), Duration::ZERO);
    let report = run_report(
        &info,
        &Findings::new(&spec, broken(), cell),
        &sample::series(),
    );
    assert!(page(&report).contains("</html>"));
    assert!(
        !terminal_summary(
            &info,
            &Findings::new(
                &spec,
                Outcome {
                    flows: vec![],
                    ..broken()
                }
                .clone(),
                cell
            )
        )
        .is_empty()
    );
}

#[test]
fn a_trace_is_a_table_of_crossings() {
    let (spec, file) = (sample::spec(), File::default());
    let mut trace = CellTrace::new(&spec);
    trace.begin(file.clone(), "test").unwrap();
    let unit = Crossing {
        at: Time(681_672),
        channel: 0,
        flow: 0,
        leg: 0,
        kind: UnitKind::Data,
        value: 7,
        bytes: 53,
    };
    trace.on_arrival(unit);
    let credit = Crossing {
        channel: 1,
        kind: UnitKind::Control(ControlKind::Credit),
        value: 165,
        ..unit
    };
    trace.on_start(credit);
    trace.on_arrival(credit);
    trace.on_start(credit);
    trace.finish(0).unwrap();
    let text = String::from_utf8(file.0.take()).unwrap();
    assert_eq!(
        text,
        "time_ps,node,direction,port,flow,kind,number,value\n\
         681672,switch 1,in,0,\"bursty, first\",data,7,\n\
         681672,switch 1,out,1,\"bursty, first\",credit,0,165\n\
         681672,host 1,in,1,\"bursty, first\",credit,0,165\n\
         681672,switch 1,out,1,\"bursty, first\",credit,1,165\n"
    );
}
