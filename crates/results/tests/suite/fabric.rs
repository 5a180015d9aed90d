//! What is said about a run of the cycle engine.

use crate::perfetto::File;
use crate::sample;

use std::fs;

use backwater_flit::outcome::{FabricOutcome, TerminalOutcome};
use backwater_flit::probe::{Crossing, Probe, Tag};
use backwater_kernel::Stop;
use backwater_results::{
    Block, Cell, FabricTrace, Report, RunDirectory, Table, TraceFile, page, run_manifest,
    run_report, svg, terminal_summary,
};
use sample::fabric;

const GOLDEN: &str = "\
Small torus: 12,600 cycles, measured
403,200 flit hops in 0.125 s (3.23 M hops/s); trace hash h00c0ffee01234567

window    10,000 cycles from cycle 2,345 on (end of warm-up detected)
offered   0.4012 flits/cycle/terminal
accepted  0.3998 ± 0.0012 flits/cycle/terminal, min of a terminal 0.3800
latency   48.50 ± 0.50 cycles; p50 47, p99 97, p99.9 122, max 5,432
network   44.00 ± 0.50 cycles over 4.00 channels on average
zero load 23.00 cycles on these paths
fairness  Jain's index 0.9601 over 16 sources; no max-min shares: several classes

class         created  delivered  latency  p99  late
bulk           60,700     60,350     48.5   97     -
</script><b>   20,000     19,650     48.5   97    12

created 80,700 = delivered 80,000 + queued 500 + inside 200 flits
busiest channel (x=1,y=0) -> (x=2,y=0): 45 %
";

fn summary_of(outcome: &FabricOutcome) -> String {
    terminal_summary(&fabric::info(), &fabric::found(&fabric::spec(), outcome))
}

#[test]
fn the_terminal_summary_reads_like_this() {
    assert_eq!(summary_of(&fabric::outcome()), GOLDEN);
}

#[test]
fn a_warm_up_that_does_not_settle_is_no_given_one() {
    let mut outcome = fabric::outcome();
    (outcome.warm_up_detected, outcome.saturated) = (false, None);
    let summary = summary_of(&outcome);
    let warning = "warning: no end of the warm-up was detected by `run.warm_up_limit`, cycle 2,345";
    for line in ["on (not settled by `run.warm_up_limit`)\n", warning] {
        assert!(summary.contains(line), "{summary}");
    }
    outcome.saturated = Some("it is".into());
    assert!(!summary_of(&outcome).contains("warning: no end of the warm-up"));
}

#[test]
fn channels_of_terminals_may_be_the_busiest() {
    let mut outcome = fabric::outcome();
    *outcome.utilization.last_mut().expect("channels") = 0.875;
    let told = "busiest channel (x=3,y=3) -> terminal 15: 87.5 %; between routers (x=1,y=0) -> \
                (x=2,y=0): 45 %\n";
    let summary = summary_of(&outcome);
    assert!(summary.contains(told), "{summary}");
}

#[test]
fn a_run_too_short_for_intervals_says_so() {
    let mut outcome = fabric::outcome();
    outcome.accepted_half_width = None;
    outcome.latency.half_width = None;
    let summary = summary_of(&outcome);
    for line in [
        "accepted  0.3998 flits/cycle/terminal, min of a terminal 0.3800, too short for an \
         interval\n",
        "latency   48.50 cycles, too short for an interval; p50 47, ",
    ] {
        assert!(summary.contains(line), "{summary}");
    }
    let page = page(&run_report(
        &fabric::info(),
        &fabric::found(&fabric::spec(), &outcome),
        &[],
    ));
    assert_eq!(page.matches("too short for an interval").count(), 2);
    outcome.latency.open = 3;
    let bound = summary_of(&outcome);
    assert!(bound.contains("≥48.50 cycles; p50 ≥47, "), "{bound}");
}

#[test]
fn a_broken_run_stays_within_31_lines_and_says_what_broke() {
    let mut outcome = fabric::broken();
    let deadlock = outcome.standstill.as_mut().expect("it is in the sample");
    deadlock.waits = vec![deadlock.waits.clone(); 50].concat();
    outcome.classes = vec![outcome.classes.clone(); 40].concat();
    let mut info = fabric::info();
    info.name.push_str("\u{1b}[2J\n\n\n");
    let mut spec = fabric::spec();
    spec.graph.names = vec!["a\nb".into(); 16];
    let summary = terminal_summary(&info, &fabric::found(&spec, &outcome));
    assert!(summary.lines().count() <= 32, "{summary}");
    assert!(!summary.contains('\u{1b}'));
    for must in [
        "≠",
        "no flit has moved since cycle 5,678, 9 packets can't move",
        "beyond saturation: accepted",
        "250 promises broken",
        "... and 196 more packets",
        "... and 75 more classes",
        "unfinished  31 packets",
    ] {
        assert!(summary.contains(must), "no word of {must:?} in\n{summary}");
    }
}

#[test]
fn a_deadlock_of_a_part_says_that_the_rest_moves() {
    let mut outcome = fabric::broken();
    let deadlock = outcome.standstill.as_mut().expect("it is in the sample");
    deadlock.others_move = true;
    let summary = summary_of(&outcome);
    let must = "9 packets can't move and have not since cycle 5,678, while others do";
    assert!(summary.contains(must), "{summary}");
    let tables = tables(&outcome);
    let table = tables.iter().find(|table| table.name == "deadlock");
    let caption = &table.expect("a table").caption;
    assert!(caption.starts_with("9 packets can't move"), "{caption}");
    let value = sample::fabric::summary(&fabric::info(), &fabric::spec(), &outcome);
    assert_eq!(value["stuck"]["others_move"], true);
}

#[test]
fn a_trace_has_a_line_for_each_flit() {
    let mut spec = fabric::spec();
    spec.classes[0].name = "a, b".into();
    let packet = Tag {
        number: 7,
        source: 3,
        destination: 5,
        birth: 40,
        class: 0,
        length: 4,
    };
    let crossing = Crossing {
        cycle: 42,
        channel: 9,
        lane: 1,
        flit: 2,
        packet,
    };
    let file = File::default();
    let mut trace = FabricTrace::new(&spec);
    trace.begin(file.clone(), "test").expect("it is memory");
    trace.on_crossing(&crossing);
    trace.finish(43).expect("it is memory");
    let text = file.0.take();
    let expected = "cycle,channel,vc,source,destination,birth,class,flit,flits\n\
                    42,9,1,3,5,40,\"a, b\",2,4\n";
    assert_eq!(String::from_utf8(text).expect("it is text"), expected);
}

#[test]
fn a_run_that_measured_nothing_says_so() {
    let outcome = FabricOutcome {
        cycles: 77,
        stop: Stop::Interrupted,
        // Counts since the start, over no cycles at all.
        utilization: vec![77.0; 96],
        lane_utilization: vec![77.0; 4],
        ..FabricOutcome::default()
    };
    let (info, spec) = (fabric::info(), fabric::spec());
    let summary = terminal_summary(&info, &fabric::found(&spec, &outcome));
    assert!(summary.contains("window    not reached"), "{summary}");
    assert!(!summary.contains("latency"), "{summary}");
    assert!(!summary.contains("busiest"), "{summary}");
    let value = sample::fabric::summary(&info, &spec, &outcome);
    assert!(value["accepted_flits_per_cycle"].is_null() && value.get("latency").is_none());
    let page = page(&run_report(&info, &fabric::found(&spec, &outcome), &[]));
    assert!(page.contains("nothing was measured"));
    let ended = FabricOutcome {
        stop: Stop::Drained,
        ..outcome.clone()
    };
    let advice = "the run ended in its warm-up, after 77 cycles; set `run.warm_up = 0` to measure \
                  the whole trace";
    let summary = terminal_summary(&info, &fabric::found(&spec, &ended));
    assert!(summary.contains(advice), "{summary}");
    let page = backwater_results::page(&run_report(&info, &fabric::found(&spec, &ended), &[]));
    assert!(page.contains("run.warm_up = 0"));
    let names: Vec<String> = tables(&outcome).into_iter().map(|t| t.name).collect();
    assert_eq!(names, ["summary"]);
}

fn tables(outcome: &FabricOutcome) -> Vec<Table> {
    fabric::found(&fabric::spec(), outcome).tables().to_vec()
}

fn named(tables: &[Table], name: &str) -> Table {
    let table = tables.iter().find(|table| table.name == name);
    table.expect(name).clone()
}

fn value(table: &Table, row: usize, column: &str) -> Cell {
    let mut columns = table.columns.iter();
    let index = columns.position(|c| c.key() == column).expect(column);
    table.rows[row][index].clone()
}

fn text(table: &Table, row: usize, column: &str) -> String {
    backwater_results::csv::value(&value(table, row, column))
}

#[test]
fn tables_say_what_the_outcome_says() {
    let tables = tables(&fabric::outcome());
    for table in &tables {
        sample::names::assert_names(table);
        let width = table.columns.len();
        assert!(
            table.rows.iter().all(|row| row.len() == width),
            "{}",
            table.name
        );
        let explained = table
            .columns
            .iter()
            .all(|column| !column.meaning.is_empty());
        assert!(explained, "{}", table.name);
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "summary",
            "latency",
            "classes",
            "channel-groups",
            "vcs",
            "terminals",
            "channels",
            "map",
            "course",
            "latency-histogram"
        ]
    );
    let summary = backwater_results::csv::table(&named(&tables, "summary"));
    assert!(
        summary.contains("\naccepted,0.3998,flits/cycle/terminal\n"),
        "{summary}"
    );
    assert!(summary.contains("\nwindow start,2345,cycle\n"), "{summary}");
    let latency = named(&tables, "latency");
    assert_eq!(latency.rows.len(), 4);
    assert_eq!(text(&latency, 1, "latency_p50_cycles"), "46");
    let terminals = named(&tables, "terminals");
    assert_eq!(text(&terminals, 4, "sends_to"), "\"(x=0,y=1)\"");
    assert_eq!(text(&terminals, 4, "accepted_flits_per_cycle"), "0.39");
    assert_eq!(text(&terminals, 3, "queued_flits"), "500");
    let channels = named(&tables, "channels");
    assert_eq!(channels.rows.len(), 16 * 6);
    assert_eq!(text(&channels, 2, "channel"), "\"(x=0,y=0) -> (x=0,y=1)\"");
    assert_eq!(
        text(&channels, 65, "channel"),
        "\"terminal 1 -> (x=1,y=0)\""
    );
    assert_eq!(text(&channels, 95, "kind"), "ejection");
    assert_eq!(text(&channels, 4, "flits"), "4500");
    let vcs = named(&tables, "vcs");
    assert_eq!(text(&vcs, 1, "use_pct"), "12.5");
    let course = named(&tables, "course");
    assert_eq!(value(&course, 0, "latency_mean_cycles"), Cell::Empty);
    assert_eq!(text(&course, 1, "until_cycle"), "499");
    let histogram = named(&tables, "latency-histogram");
    assert!(histogram.caption.contains("7 packets took longer"));
    assert_eq!(text(&histogram, 0, "packets"), "901");
}

#[test]
fn a_torus_is_mapped_and_grouped_by_direction() {
    let mut outcome = fabric::outcome();
    outcome.utilization = (0..16 * 6)
        .map(|channel| match channel {
            // The channels that leave (x=2,y=1).
            24 => 0.9,
            25..28 => 0.1,
            _ => 0.0,
        })
        .collect();
    let tables = tables(&outcome);
    let map = named(&tables, "map");
    assert_eq!(text(&map, 0, "row"), "y=3");
    let Cell::Float { value: busy, .. } = value(&map, 2, "x_2_pct") else {
        panic!("a share is a number");
    };
    assert!((busy - 30.0).abs() < 1e-9, "{busy}");
    assert_eq!(text(&map, 1, "x_2_pct"), "0.0");
    let groups = named(&tables, "channel-groups");
    let row = |nth: usize| {
        (
            text(&groups, nth, "channels"),
            text(&groups, nth, "use_max_pct"),
        )
    };
    let expected = ["injection", "x up", "x down", "y up", "y down", "ejection"];
    for (nth, name) in expected.into_iter().enumerate() {
        assert_eq!(row(nth).0, name);
        assert_eq!(text(&groups, nth, "count"), "16");
    }
    assert_eq!((row(0).1, row(1).1), ("0.0".into(), "90.0".into()));
    assert_eq!((row(2).1, row(4).1), ("10.0".into(), "10.0".into()));
}

#[test]
fn a_deadlock_is_shown_packet_by_packet() {
    let table = named(&tables(&fabric::broken()), "deadlock");
    assert!(
        table.caption.contains("since cycle 5,678; 9 packets"),
        "{}",
        table.caption
    );
    assert_eq!(table.rows.len(), 4);
    for row in 0..4 {
        let next = text(&table, (row + 1) % 4, "holds");
        assert_eq!(
            text(&table, row, "waits_for"),
            next,
            "each waits for the next"
        );
    }
    assert_eq!(text(&table, 1, "router"), "\"(x=1,y=0)\"");
    assert_eq!(text(&table, 1, "from"), "terminal 0");
    assert_eq!(text(&table, 1, "born_cycle"), "4001");
    assert_eq!(text(&table, 1, "holds_vc"), "1");
    let value = sample::fabric::summary(&fabric::info(), &fabric::spec(), &fabric::broken());
    assert_eq!(value["stuck"]["since_cycle"], 5_678);
    assert_eq!(value["deadlock"][0]["waits_for"], "(x=0,y=0) -> (x=1,y=0)");
}

fn notes(report: &Report) -> usize {
    let blocks = report.blocks.iter();
    blocks
        .filter(|block| matches!(block, Block::Note { .. }))
        .count()
}

#[test]
fn the_report_holds_the_numbers_and_what_went_wrong() {
    let (info, spec) = (fabric::info(), fabric::spec());
    let report = run_report(&info, &fabric::found(&spec, &fabric::outcome()), &[]);
    assert_eq!(notes(&report), 0);
    let sound = page(&report);
    for must in [
        "0.3998 ± 0.0012",
        "48.50 ± 0.50 cycles",
        "below saturation",
        "warm-up detected at cycle 2,345",
        "4 x 4 torus",
        "window starts",
        "every packet created in the window has arrived",
        "h00c0ffee01234567",
    ] {
        assert!(sound.contains(must), "no {must:?}");
    }
    assert!(!sound.contains(sample::HOSTILE));
    let report = run_report(&info, &fabric::found(&spec, &fabric::broken()), &[]);
    assert_eq!(notes(&report), 4);
    let broken = page(&report);
    for must in [
        "beyond saturation",
        "no flit has moved since cycle 5,678",
        "Flits are missing",
    ] {
        assert!(broken.contains(must), "no {must:?}");
    }
    let mut ids = Vec::new();
    backwater_results::html::each_plot(&report.blocks, &mut |plot| {
        let drawn = svg(plot);
        roxmltree::Document::parse(&drawn).expect(&plot.title);
        assert!(!drawn.contains("NaN"), "{}", plot.title);
        ids.push(plot.id.clone());
    });
    let expected = [
        "latency",
        "course-throughput",
        "course-latency",
        "channels",
        "square",
    ];
    assert_eq!(ids[..5], expected);
    assert_eq!(ids[5..], ["vcs", "terminals"]);
}

#[test]
fn the_balance_counts_exactly() {
    assert!(fabric::outcome().balance().holds());
    assert!(!fabric::broken().balance().holds());
}

#[test]
fn a_manifest_counts_cycles_where_there_are_no_events() {
    let name = format!("results-fabric-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&path);
    let mut directory = RunDirectory::create(&path, &Default::default()).unwrap();
    directory.write_tables(&tables(&fabric::outcome())).unwrap();
    let manifest = run_manifest(
        &fabric::info(),
        &fabric::found(&fabric::spec(), &fabric::outcome()),
    );
    directory.finish(&manifest).unwrap();
    let text = fs::read_to_string(path.join("manifest.json")).unwrap();
    assert!(path.join("tables/latency-histogram.csv").is_file());
    let _ = fs::remove_dir_all(&path);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["cycles"], 12_600);
    assert_eq!(value["flit_hops"], 403_200);
    assert_eq!(value["seed"], 1992);
    assert_eq!(value["partial"], false);
    let fields = value.as_object().unwrap();
    for gone in ["events", "unit_hops", "events_per_second", "ended_at_ps"] {
        assert!(!fields.contains_key(gone), "{gone}");
    }
    let stopped = FabricOutcome {
        stop: Stop::Interrupted,
        ..fabric::outcome()
    };
    assert!(run_manifest(&fabric::info(), &fabric::found(&fabric::spec(), &stopped)).partial);
}

#[test]
fn a_million_terminals_make_no_giant_table() {
    let side = 1_000;
    let spec = fabric::spec_on(fabric::torus(side));
    let count = (side * side) as usize;
    let mut outcome = fabric::outcome();
    outcome.terminals = vec![TerminalOutcome::default(); count];
    outcome.terminals[765_432].received = 9_000;
    outcome.utilization = vec![0.25; count * 6];
    outcome.utilization[4 * 123_456 + 2] = 0.75;
    let tables = fabric::found(&spec, &outcome).tables().to_vec();
    for table in &tables {
        assert!(table.rows.len() <= 10_000, "{}", table.name);
    }
    let terminals = named(&tables, "terminals");
    assert!(
        terminals
            .caption
            .contains("10,000 busiest of 1,000,000 terminals")
    );
    assert_eq!(text(&terminals, 0, "terminal"), "765432");
    assert_eq!(text(&terminals, 1, "terminal"), "0");
    let channels = named(&tables, "channels");
    assert!(
        channels
            .caption
            .contains("10,000 busiest of 6,000,000 channels")
    );
    assert_eq!(
        text(&channels, 0, "channel"),
        "\"(x=456,y=123) -> (x=456,y=124)\""
    );
    assert!(tables.iter().all(|table| table.name != "map"));
    let page = page(&run_report(
        &fabric::info(),
        &fabric::found(&spec, &outcome),
        &[],
    ));
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
}

#[test]
fn an_outcome_that_does_not_fit_its_spec_is_no_reason_to_panic() {
    let mut spec = fabric::spec();
    spec.classes.clear();
    spec.graph.channels.truncate(3);
    spec.graph.inject.clear();
    for sides in [vec![], vec![0, 3], vec![4], vec![u32::MAX, u32::MAX]] {
        spec.graph.shape = backwater_flit::spec::Shape::Torus {
            sides,
            terminals: 1,
        };
        let mut outcome = fabric::broken();
        outcome.utilization[5] = f64::NAN;
        outcome.latency.histogram = Default::default();
        let report = run_report(&fabric::info(), &fabric::found(&spec, &outcome), &[]);
        assert!(page(&report).contains("</html>"));
        backwater_results::html::each_plot(&report.blocks, &mut |plot| {
            assert!(!svg(plot).contains("NaN"), "{}", plot.title);
        });
        assert!(!summary_of(&outcome).is_empty());
        assert!(sample::fabric::summary(&fabric::info(), &spec, &outcome).is_object());
    }
}
