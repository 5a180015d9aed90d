//! What is said about ports, losses and sessions.

use crate::sample;

use backwater_kernel::{Duration, Place, Rate, Rings, Samples, Time};
use backwater_net::Simulation;
use backwater_net::outcome::{
    LossCause, Outcome, PathOutcome, PortsOutcome, SessionAnswer, SessionOutcome,
};
use backwater_net::probe::{Ports, PortsSpec};
use backwater_net::spec::{FlowControlSpec, NetworkSpec, TrafficSpec};
use backwater_results::{Block, Cell, Findings, Table, page, run_report, svg, terminal_summary};

/// The sample's network with three Poisson flows, one of them over the first switch only.
fn network() -> NetworkSpec {
    let mut spec = sample::spec();
    let cell = sample::CELL;
    for flow in &mut spec.flows {
        flow.traffic = TrafficSpec::Poisson {
            start: Time::ZERO,
            mean_interval: Duration(cell.ps() * 10 / 3),
            min_interval: Duration::ZERO,
            total: None,
        };
        flow.reserve = Some(backwater_net::spec::ReserveSpec {
            rate: Rate(200_000_000),
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        });
        for leg in &mut flow.legs {
            leg.flow_control = FlowControlSpec::None;
            leg.buffer.limit_units = None;
        }
    }
    let flow = &mut spec.flows[0];
    flow.legs.truncate(2);
    flow.legs[1].channel = 3;
    spec.stop_at = Time(cell.ps() * 20_000);
    spec
}

fn measured(spec: &NetworkSpec) -> (Outcome, PortsOutcome) {
    let window = Duration(spec.stop_at.ps() / 1000);
    let ports = Ports::new(spec, PortsSpec { window });
    let mut simulation = Simulation::<Rings, _>::with_probe(spec, ports).unwrap();
    simulation.run();
    let outcome = simulation.outcome();
    let ports = simulation.probe().outcome(outcome.ended_at);
    (outcome, ports)
}

fn named(tables: &[Table], name: &str) -> Table {
    let table = tables.iter().find(|table| table.name == name);
    table.expect(name).clone()
}

fn number(table: &Table, row: usize, column: &str) -> f64 {
    let index = table.columns.iter().position(|c| c.key() == column);
    match table.rows[row][index.expect(column)] {
        Cell::Float { value, .. } => value,
        Cell::Int(value) => value as f64,
        ref other => panic!("{column}: {other:?}"),
    }
}

#[test]
fn tables_of_ports_say_what_was_measured() {
    let spec = network();
    let (outcome, ports) = measured(&spec);
    let cell = sample::CELL;
    let tables = sample::at_ports(&spec, &outcome, &ports).tables().to_vec();
    for table in &tables {
        let whole = |row: &Vec<Cell>| row.len() == table.columns.len();
        assert!(table.rows.iter().all(whole), "{}", table.name);
        sample::names::assert_names(table);
    }
    let rows = |name: &str| named(&tables, name).rows.len();
    // Five channels are crossed, by eight legs in all.
    assert_eq!((rows("paths"), rows("end-to-end")), (2, 3));
    assert_eq!((rows("queues"), rows("waits")), (5, 8));
    let paths = named(&tables, "paths");
    assert_eq!(number(&paths, 0, "switches"), 1.0);
    assert_eq!(number(&paths, 1, "flows"), 2.0);
    let cell_s = cell.seconds();
    let rate = number(&paths, 1, "throughput_units_per_s") * cell_s;
    assert!((rate - 0.3).abs() < 0.02, "{rate} cells a cell time");
    let mean = number(&paths, 1, "wait_mean_cells");
    let us = number(&paths, 1, "wait_mean_us");
    assert!(mean > 0.3 && (mean * cell_s * 1e6 - us).abs() < 1e-9 * us);
    let queues = named(&tables, "queues");
    let row = |port: &str| {
        let at = queues.rows.iter().position(|row| row[0] == port.into());
        at.expect(port)
    };
    let (first, shared) = (row("host 2 -> switch 1"), row("switch 1 -> switch 2"));
    let use_percent = number(&queues, shared, "utilization_mean_pct");
    assert!((use_percent - 60.0).abs() < 3.0, "{use_percent} %");
    // Both flows come from one host, one unit after another: they wait there and nowhere else.
    assert!(number(&queues, first, "queue_at_arrivals_mean_units") > 1.3);
    assert_eq!(number(&queues, shared, "queue_at_arrivals_mean_units"), 1.0);
    assert!(number(&named(&tables, "end-to-end"), 0, "burst_bytes") >= 53.0);
    let plain = Findings::new(&spec, outcome.clone(), cell)
        .tables()
        .to_vec();
    assert_eq!(plain.len() + 4, tables.len());
}

#[test]
fn the_page_draws_waiting_by_length() {
    let spec = network();
    let (outcome, ports) = measured(&spec);
    let report = run_report(
        &sample::info(),
        &sample::at_ports(&spec, &outcome, &ports),
        &[],
    );
    let plots: Vec<_> = report
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Plot(plot) => Some(plot),
            _ => None,
        })
        .collect();
    let ids: Vec<&str> = plots.iter().map(|plot| plot.id.as_str()).collect();
    assert_eq!(
        ids,
        ["waiting-by-length", "waiting-distribution", "fairness"]
    );
    for curve in &plots[1].curves {
        assert!(curve.y.windows(2).all(|pair| pair[0] >= pair[1]));
        assert_eq!(curve.y.last(), Some(&0.0), "nobody waited longer than that");
        // Half of the units waited longer than the median.
        let median = curve.x[curve.y.iter().position(|y| *y <= 0.5).unwrap()];
        let found = sample::at_ports(&spec, &outcome, &ports);
        let paths = named(found.tables(), "paths");
        let row = usize::from(curve.name == "2 switches");
        let said = number(&paths, row, "wait_p50_us") * 1e6 / sample::CELL.ps() as f64;
        assert!((median - said).abs() <= said / 16.0, "{median} and {said}");
    }
    assert!(page(&report).contains("Waiting by length of the path"));
    assert!(plots.iter().all(|plot| svg(plot).contains("</svg>")));
    // One length has no plot by length, and what never waits has no plot at all.
    let mut alone = ports.clone();
    alone.paths.truncate(1);
    let one = run_report(
        &sample::info(),
        &sample::at_ports(&spec, &outcome, &alone),
        &[],
    );
    let count = |blocks: &[Block]| {
        let plots = blocks
            .iter()
            .filter(|block| matches!(block, Block::Plot(plot) if plot.id.starts_with("waiting")));
        plots.count()
    };
    assert_eq!(count(&one.blocks), 1);
    alone.paths[0].wait = Samples::default();
    alone.paths[0].wait.record(0);
    let none = run_report(
        &sample::info(),
        &sample::at_ports(&spec, &outcome, &alone),
        &[],
    );
    assert_eq!(count(&none.blocks), 0);
}

/// The sample's outcome with sessions, warnings and losses of every cause.
fn eventful() -> Outcome {
    let mut outcome = sample::outcome();
    let causes = [
        LossCause::Wire,
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::PushOut,
        LossCause::Envelope,
        LossCause::Policer,
        LossCause::Residence,
    ];
    for (nth, cause) in (1..).zip(causes) {
        outcome.flows[1].drops.add(cause, nth);
    }
    let lost = outcome.flows[1].drops.total();
    outcome.flows[1].lost_total = lost;
    outcome.flows[1].inside_total -= lost;
    outcome.flows[2].alarms_total = 12;
    let session = |answer| SessionOutcome {
        asked_at: Some(Time(1_000_000_000)),
        answered_at: Some(Time(3_000_000_000)),
        answer,
        closed_at: None,
    };
    outcome.flows[0].session = Some(session(SessionAnswer::Admitted));
    outcome.flows[2].session = Some(session(SessionAnswer::Refused {
        channel: 4,
        missing: Rate(20_000),
    }));
    outcome
}

const GOLDEN: &str = "\
Two circuits, one link: 100,000 cells (68.17 ms), full duration
456,789 cell hops, 45,678 of them control in 0.125 s (3.65 M hops/s); trace hash h00c0ffee01234567

flow           offered  delivered  dropped  inside  of link    Mbps     delay       p99
bursty, first   33,400     33,320        0      80   0.3332  207.25  62.99 us  113.4 us
greedy          41,000     40,210       28     762   0.4021  250.10  146.4 us  263.6 us
</script><b>    26,000     25,000        0   1,000   0.2500  155.50  158.9 us    286 us

switches  flows  units/s    kbps  wait mean  deviation      p99      max
1             1   300.00  240.00       2 ms       1 ms     3 ms     3 ms
3             2    50.00   50.00    7.76 ms       0 ps  7.76 ms  7.76 ms

flow             Mbps  max-min  ratio
bursty, first  207.25   622.00  0.333
greedy         250.10     0.00      -
no share: </script><b>: refused
Jain's index 0.9913 of rates, 1.0000 of rates over shares

offered 100,400 = delivered 98,530 + dropped 28 + inside 1,842 cells
dropped: buffer full 2, memory full 3, lost on the wire 1, push-out 4, envelope 5, policer 6, \
residence 7
2 sessions requested, 1 admitted, 1 refused (</script><b> at switch 1 -> switch 2, 20 kbps short)
12 warnings reached 1 source
busiest port switch 1 -> switch 2: data 96.75 %, control 3.25 %
";

/// Three paths over 10 ms, made up.
fn ports() -> PortsOutcome {
    let path = |flow, switches, bytes, waits_us: &[u64]| {
        let mut wait = Samples::default();
        waits_us.iter().for_each(|us| wait.record(us * 1_000_000));
        PathOutcome {
            flow,
            switches,
            bytes,
            wait,
            ..PathOutcome::default()
        }
    };
    PortsOutcome {
        span: Duration(10_000_000_000),
        window: Duration(1_000_000_000),
        paths: vec![
            path(0, 1, 300, &[1000, 2000, 3000]),
            path(1, 3, 100, &[7760]),
            path(2, 3, 25, &[]),
        ],
        ..PortsOutcome::default()
    }
}

#[test]
fn the_terminal_tells_of_paths_losses_sessions_and_warnings() {
    let found = terminal_summary(
        &sample::info(),
        &sample::at_ports(&sample::spec(), &eventful(), &ports()),
    );
    assert_eq!(found, GOLDEN);
}

#[test]
fn a_crowded_run_stays_within_26_lines() {
    let (mut spec, mut outcome, mut ports) = (sample::spec(), eventful(), ports());
    for nth in 0..40 {
        spec.flows.push(spec.flows[0].clone());
        outcome.flows.push(outcome.flows[2].clone());
        let mut path = ports.paths[0].clone();
        path.switches = nth;
        ports.paths.push(path);
    }
    outcome.stop = backwater_kernel::Stop::Standstill;
    outcome.standstill = Some(Default::default());
    for nth in 0..250 {
        let (at, place) = (Time(nth), Place::Leg(0));
        outcome.violations.note(at, place, || "a promise".into());
    }
    let found = terminal_summary(&sample::info(), &sample::at_ports(&spec, &outcome, &ports));
    // Six more on fair shares.
    assert_eq!(found.lines().count(), 32, "{found}");
    for must in ["more lengths", "more flows", "and 38 more flows", "refused"] {
        assert!(found.contains(must), "no word of {must:?} in\n{found}");
    }
}

#[test]
fn losses_sessions_and_warnings_have_tables() {
    let outcome = eventful();
    let tables = Findings::new(&sample::spec(), outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    let drops = named(&tables, "drops");
    assert_eq!(drops.rows.len(), 1, "only flows with losses");
    assert_eq!(number(&drops, 0, "dropped_wire_cells"), 1.0);
    assert_eq!(number(&drops, 0, "dropped_residence_cells"), 7.0);
    assert_eq!(number(&drops, 0, "dropped_cells"), 28.0);
    let sessions = named(&tables, "sessions");
    assert_eq!(sessions.rows.len(), 2);
    assert_eq!(sessions.rows[1][4], "switch 1 -> switch 2".into());
    assert_eq!(number(&sessions, 1, "missing_kbps"), 20.0);
    assert_eq!(number(&named(&tables, "warnings"), 0, "warnings"), 12.0);
    let quiet = Findings::new(&sample::spec(), sample::outcome(), sample::CELL)
        .tables()
        .to_vec();
    assert_eq!(quiet.len() + 3, tables.len());
}

#[test]
fn the_summary_has_what_the_run_had() {
    let (info, spec) = (sample::info(), sample::spec());
    let summary = sample::summary(&info, &spec, &eventful(), Some(&ports()));
    assert_eq!(summary["drops"][0]["dropped_push_out_cells"], 4);
    assert_eq!(summary["sessions"][1]["answer"], "refused");
    assert_eq!(summary["sessions"][1]["missing_kbps"], 20.0);
    assert_eq!(summary["warnings"][0]["warnings"], 12);
    assert_eq!(summary["paths"][1]["switches"], 3);
    assert_eq!(summary["paths"][1]["wait_mean_us"], 7.76e3);
    let plain = sample::summary(&info, &spec, &sample::outcome(), None);
    for name in ["drops", "sessions", "warnings", "paths", "queues"] {
        assert!(plain.get(name).is_none(), "{name}");
    }
}
