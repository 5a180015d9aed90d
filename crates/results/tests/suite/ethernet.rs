//! What is said about a run of the Ethernet engine.

use crate::perfetto::File;
use crate::sample;

use backwater_kernel::{Duration, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::{LossCause, Probe};
use backwater_net::outcome::{Outcome, WaitPlace};
use backwater_results::{
    Block, Capture, Cell, EthernetTrace, Findings, GivenUp, PromiseState, Report, RunInfo, Table,
    TraceFile, page, run_manifest, run_report, svg, terminal_summary,
};
use sample::{HOSTILE, ethernet as run};

const GOLDEN: &str = "\
Two switches: 11 s, full duration
13,200 frame hops, 23 of them control in 0.01 s (1.32 M hops/s); trace hash hc0ffee0123456789

flow          Mbps  transfers/s    FCT        p99  slowdown        p99  acked   delay   p99  \
dropped  late
file[1]       4.00        5.000  50 ms  max 60 ms     2.500  max 3.000  51 ms  650 us  2 ms        \
7     -
file[2]       3.20        5.000  50 ms  max 60 ms     2.500  max 3.000  51 ms  650 us  2 ms        \
3     -
</script><b>  1.50            -      -          -         -          -      -  650 us  2 ms        \
0   5 %

flow          Mbps  max-min  ratio
file[1]       4.00     3.89  1.027
file[2]       3.20     3.89  0.822
</script><b>  1.50     1.50  1.000
Jain's index 0.8856 of rates, 0.9909 of rates over shares

transfers: 102 complete, the last at 10.9 s; 1 not acknowledged yet
FCT mean 50 ms, p50 40 ms, max 60 ms; slowdown mean 2.5, p50 2, max 3; p99 needs 100 samples, 4 here
offered 3,000 = delivered 2,960 + dropped 10 + inside 30 frames, 3,000,000 = 2,960,000 + 10,000 + \
30,000 bytes
dropped: queue full 9, watchdog 1
  B -> D, class 0: queue full 9, watchdog 1
control frames: 12 stops (XOFF) and 11 resumes (XON) sent, 12 obeyed; 2 of the stops are refreshes
  S1 -> A, class 0: stopped 25 % of the time, 2 stops, longest 8 ms
  S2 -> A, class 0: stopped 12.5 % of the time, 2 stops, longest 8 ms
busiest port B -> D: data 97 %, control 0 %
";

fn summary_of(outcome: &Outcome) -> String {
    terminal_summary(
        &run::info(),
        &Findings::new(&run::spec(), outcome.clone(), Duration::ZERO),
    )
}

fn tables_of(outcome: &Outcome) -> Vec<Table> {
    Findings::new(&run::spec(), outcome.clone(), Duration::ZERO)
        .tables()
        .to_vec()
}

fn report_of(outcome: &Outcome) -> Report {
    run_report(
        &run::info(),
        &Findings::new(&run::spec(), outcome.clone(), Duration::ZERO),
        &[],
    )
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    let found = tables.iter().find(|table| table.name == name);
    found.unwrap_or_else(|| panic!("no table {name}"))
}

fn cell<'a>(table: &'a Table, row: usize, column: &str) -> &'a Cell {
    let at = table.columns.iter().position(|own| own.key() == column);
    &table.rows[row][at.unwrap_or_else(|| panic!("no column {column}"))]
}

#[test]
fn the_terminal_summary_reads_like_this() {
    assert_eq!(summary_of(&run::outcome()), GOLDEN);
}

#[test]
fn promises_are_kept_broken_or_given_up() {
    let mut spec = run::spec();
    (spec.nodes[2].promised, spec.nodes[3].promised) = (0b11, 0b01);
    let given_up = GivenUp {
        classes: 0b10,
        nodes: vec![3],
        by: "x.toml:3: word".into(),
    };
    let info = RunInfo {
        given_up: vec![given_up],
        ..run::info()
    };
    let mut outcome = run::outcome();
    // What the wire loses is no loss of a switch: every class at every node stays as it is.
    for queue in outcome
        .channels
        .iter_mut()
        .flat_map(|it| &mut it.by_class.queues)
    {
        queue.drops.add(LossCause::Wire, 5);
    }
    let found = run_manifest(
        &info,
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    )
    .promises;
    let found = found.expect("this engine keeps account");
    let all = found
        .iter()
        .map(|p| (p.what.as_str(), p.state, p.detail.as_str()));
    assert_eq!(
        all.collect::<Vec<_>>(),
        [
            (
                "class 0 lossless at B",
                PromiseState::Broken,
                "10 frames lost"
            ),
            ("class 0 lossless at A", PromiseState::Kept, ""),
            ("class 1 lossless at A", PromiseState::Kept, ""),
            (
                "class 1 lossless at B",
                PromiseState::GivenUp,
                "by x.toml:3: word; 0 frames lost"
            ),
        ]
    );
    let summary = terminal_summary(
        &info,
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    );
    let line = "promise broken: class 0 lossless at B (10 frames lost); \
                promise kept: class 0 lossless at A";
    assert!(summary.contains(line), "{summary}");
}

#[test]
fn a_standstill_is_told_queue_by_queue() {
    let summary = summary_of(&run::standing());
    for must in [
        "Two switches: 11 s, deadlock\n",
        "deadlock: queues wait for each other in a cycle, 2 queues, since 210 ms \
         (found at 400 ms)\n",
        "  A -> B, class 0: 12 frames (12,000 bytes), first of flow file[1], stopped since \
         210 ms, wait for B -> A, class 0\n",
        "  B -> A, class 0: 12 frames (12,000 bytes), first of flow </script><b>, stopped since \
         210 ms, wait for A -> B, class 0\n",
    ] {
        assert!(summary.contains(must), "no {must:?} in\n{summary}");
    }
    let tables = tables_of(&run::standing());
    let table = table(&tables, "standstill");
    assert_eq!(table.rows.len(), 2);
    assert_eq!(*cell(table, 1, "node"), Cell::from("B"));
    assert_eq!(
        *cell(table, 1, "why"),
        Cell::from("waits for A -> B, class 0")
    );
    let value = sample::ethernet::summary(&run::info(), &run::spec(), &run::standing());
    assert_eq!(value["standstill"][0]["waiting_frames"], 12);
    assert!(
        sample::ethernet::summary(&run::info(), &run::spec(), &run::outcome())["stuck"].is_null()
    );
}

#[test]
fn the_last_of_a_chain_waits_for_a_node() {
    let mut outcome = run::standing();
    let found = outcome.standstill.as_mut().expect("it stands still");
    found.is_circle = false;
    found.others_move = true;
    if let WaitPlace::Queue(queue) = &mut found.waits[1].place {
        queue.destination = Some(4);
    }
    let summary = summary_of(&outcome);
    for must in [
        "B -> A, class 0, to D: 12 frames",
        "wait for A, which does not resume it",
        ", while others move",
        "standstill: ",
    ] {
        assert!(summary.contains(must), "no {must:?} in\n{summary}");
    }
}

#[test]
fn a_broken_run_stays_short_and_says_what_broke() {
    let mut outcome = run::broken();
    let mut spec = run::spec();
    let (flows, channels) = (outcome.flows.clone(), outcome.channels[6].clone());
    for number in 0..400 {
        for (flow, found) in spec.flows.clone().iter().zip(&flows).take(1) {
            let mut flow = flow.clone();
            flow.name = format!("g{}[{number}]", number % 13);
            spec.flows.push(flow);
            outcome.flows.push(found.clone());
        }
        spec.links.push(spec.links[3].clone());
        outcome
            .channels
            .extend([channels.clone(), channels.clone()]);
    }
    let mut info = run::info();
    info.name.push_str("\u{1b}[2J\n\n\n");
    let summary = terminal_summary(
        &info,
        &Findings::new(&spec, outcome.clone(), Duration::ZERO),
    );
    // Beside 40 lines those of fair shares: one a group.
    assert!(summary.lines().count() <= 56, "{summary}");
    assert!(!summary.contains('\u{1b}'));
    for must in [
        "≠",
        "250 promises broken",
        "more groups",
        "more ports",
        "at 5 ms: B -> D: a frame",
        "B -> D#2, class 0: queue full",
    ] {
        assert!(summary.contains(must), "no word of {must:?} in\n{summary}");
    }
    assert!(!outcome.balances()[0].holds());
}

#[test]
fn tables_say_what_the_outcome_says() {
    let tables = tables_of(&run::outcome());
    let flows = table(&tables, "flows");
    assert_eq!(*cell(flows, 0, "path"), Cell::from("S1 -> D"));
    assert_eq!(*cell(flows, 0, "goodput_mbps"), Cell::float(4.0, 4));
    assert_eq!(*cell(flows, 2, "balance_frames"), Cell::Int(0));
    let groups = table(&tables, "groups");
    assert_eq!(groups.rows.len(), 2);
    assert_eq!(*cell(groups, 0, "goodput_mbps"), Cell::float(7.2, 3));
    assert_eq!(*cell(groups, 0, "goodput_min_mbps"), Cell::float(3.2, 3));
    assert_eq!(*cell(groups, 0, "transfers_per_s"), Cell::float(10.0, 3));
    let queues = table(&tables, "queues");
    assert_eq!(queues.rows.len(), 8, "class 1 did nothing");
    assert_eq!(*cell(queues, 6, "port"), Cell::from("B -> D"));
    // 3000 frames of 1020 bytes on the wire in 10 s at 10 Mbps.
    assert_eq!(*cell(queues, 6, "utilization_pct"), Cell::float(24.48, 3));
    assert_eq!(*cell(queues, 6, "dropped_queue_full_frames"), Cell::Int(9));
    let drops = table(&tables, "drops");
    assert_eq!(drops.rows.len(), 1);
    assert_eq!(*cell(drops, 0, "dropped_frames"), Cell::Int(10));
    let late = table(&tables, "deadlines");
    assert_eq!(late.rows[0][4], Cell::float(5.0, 3));
    assert_eq!(*cell(table(&tables, "tcp"), 0, "segments"), Cell::Int(900));
    assert!(tables.iter().all(|table| table.name != "standstill"));
    for table in tables_of(&run::broken()) {
        sample::names::assert_names(&table);
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.len() == table.columns.len()),
            "{}",
            table.name
        );
        assert!(
            table
                .columns
                .iter()
                .all(|column| !column.meaning.is_empty()),
            "{}",
            table.name
        );
    }
}

/// Two of them a flow: too few for a p95 or a p99.
#[test]
fn tables_of_transfers_and_pauses() {
    let tables = tables_of(&run::outcome());
    let times = table(&tables, "transfers");
    for (column, is) in [
        ("transfers", Cell::Int(50)),
        ("fct_mean_ms", Cell::float(50.0, 3)),
        ("acked", Cell::Int(2)),
        ("fct_acked_mean_ms", Cell::float(51.0, 3)),
        ("fct_acked_p99_ms", Cell::Empty),
        ("fct_p50_ms", Cell::float(40.0, 3)),
        ("fct_p99_ms", Cell::Empty),
        ("fct_max_ms", Cell::float(60.0, 3)),
        ("fct_alone_ms", Cell::float(20.0, 3)),
        ("slowdown_mean", Cell::float(2.5, 3)),
        ("slowdown_max", Cell::float(3.0, 3)),
        ("last_transfer_ms", Cell::float(10_900.0, 3)),
    ] {
        assert_eq!(*cell(times, 0, column), is, "{column}");
    }
    assert_eq!(*cell(times, 1, "unacked"), Cell::Int(1));
    let whole = table(&tables, "completion");
    assert_eq!(whole.rows.len(), 2, "all, and the group of files");
    assert_eq!(*cell(whole, 0, "transfers"), Cell::Int(4));
    assert_eq!(*cell(whole, 1, "slowdown_p50"), Cell::float(2.0, 3));
    let pauses = table(&tables, "pauses");
    assert_eq!(pauses.rows.len(), 2);
    assert_eq!(*cell(pauses, 0, "stops"), Cell::Int(2));
    assert_eq!(
        *cell(pauses, 0, "stopped_total_us"),
        Cell::float(10_000.0, 3)
    );
    assert_eq!(*cell(pauses, 0, "pause_max_us"), Cell::float(8_000.0, 3));
}

#[test]
fn the_report_draws_what_there_is_and_escapes_names() {
    let report = report_of(&run::broken());
    let mut drawn = Vec::new();
    backwater_results::html::each_plot(&report.blocks, &mut |plot| drawn.push(plot));
    let ids: Vec<&str> = drawn.iter().map(|plot| plot.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "goodput",
            "fct",
            "delay",
            "high-water",
            "stopped",
            "pauses",
            "fairness"
        ]
    );
    for plot in &drawn {
        let text = svg(plot);
        roxmltree::Document::parse(&text).expect("an SVG");
    }
    assert_eq!(
        drawn[1].curves[0].x,
        [40.0, 40.0, 60.0],
        "two files in each flow"
    );
    assert_eq!(drawn[2].marks.len(), 1, "the deadline");
    assert_eq!(drawn[4].curves[0].y, [25.0, 12.5]);
    assert_eq!(drawn[5].curves.len(), 3, "all ports, and two");
    let html = page(&report);
    assert!(!html.contains(&format!("vanished {HOSTILE}")));
    let notes = report
        .blocks
        .iter()
        .filter(|block| matches!(block, Block::Note { .. }));
    assert_eq!(notes.count(), 3, "promises, standstill, balance");
    let mut early = run::outcome();
    early.ended_at = Time(5);
    assert!(page(&report_of(&early)).contains("ended in its warm-up"));
}

#[test]
fn the_manifest_tells_how_it_ended() {
    let manifest = run_manifest(
        &run::info(),
        &Findings::new(&run::spec(), run::outcome(), Duration::ZERO),
    );
    assert_eq!(manifest.trace_hash, "hc0ffee0123456789");
    assert_eq!((manifest.events, manifest.unit_hops), (12_345, 13_200));
    assert!(!manifest.partial);
    let standing = run_manifest(
        &run::info(),
        &Findings::new(&run::spec(), run::standing(), Duration::ZERO),
    );
    assert!(standing.stop.starts_with("deadlock"), "{}", standing.stop);
}

/// A short real run, with a probe.
fn watched<P: Probe>(probe: P) -> (Outcome, P) {
    let mut spec = run::spec();
    spec.stop_at = Time(20_000_000_000);
    spec.warm_up = Time::ZERO;
    let mut engine = Simulation::<Rings, (Option<P>, ())>::with_probe(&spec, (Some(probe), ()))
        .expect("it can be run");
    engine.run();
    let outcome = engine.outcome();
    (outcome, engine.probe_mut().0.take().expect("it is there"))
}

#[test]
fn a_capture_has_a_block_for_each_start_and_tables_agree_with_it() {
    let (spec, file) = (run::spec(), File::default());
    let mut capture = Capture::new(&spec);
    capture.begin(file.clone(), "test").expect("memory");
    let (outcome, mut capture) = watched(capture);
    capture.finish(outcome.ended_at.ps()).expect("memory");
    let bytes = file.0.take();
    let mut kinds = std::collections::BTreeMap::new();
    let (mut at, mut last) = (0, 0);
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    while at < bytes.len() {
        let (kind, length) = (word(at), word(at + 4) as usize);
        assert_eq!(
            word(at + length - 4) as usize,
            length,
            "said again at the end"
        );
        assert_eq!(length % 4, 0);
        *kinds.entry(kind).or_insert(0u64) += 1;
        if kind == 6 {
            let stamp = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            assert!(stamp >= last && stamp <= outcome.ended_at.ps() / 1000);
            last = stamp;
            assert!(word(at + 20) <= 128 && word(at + 20) <= word(at + 24));
        }
        at += length;
    }
    assert_eq!(kinds[&1], 8, "an interface for each channel");
    assert_eq!(kinds[&5], 8, "statistics of each");
    assert_eq!(kinds[&6], outcome.unit_hops);
    assert!(outcome.unit_hops > 40);
}

#[test]
fn a_trace_has_a_line_for_each_event() {
    let file = File::default();
    let mut trace = EthernetTrace::new(&run::spec());
    trace.begin(file.clone(), "test").expect("memory");
    let (outcome, mut trace) = watched(trace);
    trace.finish(0).expect("memory");
    let text = String::from_utf8(file.0.take()).expect("text");
    let mut lines = text.split_terminator("\n");
    let header = lines.next().expect("a header");
    let columns = header.split(',').count();
    let mut starts = 0;
    for line in lines {
        assert_eq!(line.split(',').count(), columns, "{line}");
        starts += u64::from(line.split(',').nth(1) == Some("out"));
    }
    assert_eq!(starts, outcome.unit_hops);
    let first = text.lines().nth(1).expect("an event");
    assert_eq!(first, "0,out,0,file[1],tcp,0,0,1082,S1,D,0,0,1024,0,16,,");
}

/// A disk that is full after so many bytes.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_of() {
    let spec = run::spec();
    let mut capture = Capture::new(&spec);
    assert!(capture.begin(Full(10), "test").is_err());
    let begun = capture.begin(Full(2000), "test");
    begun.expect("room for headers");
    let (outcome, mut capture) = watched(capture);
    assert!(capture.flush().is_err());
    let at = outcome.ended_at.ps();
    capture.finish(at).expect("told already");
    let mut trace = EthernetTrace::new(&spec);
    let begun = trace.begin(Full(300), "test");
    begun.expect("room for the header");
    let (_, mut trace) = watched(trace);
    assert!(trace.finish(0).is_err());
}
