//! The table of a comparison from made-up numbers.

use crate::sample;

use backwater_results::compare::{
    CompareInfo, Conditions, FlowKind, Message, Observed, ProgramSeen, SchemeRun, SchemeRuns, Seen,
    SwitchMemory, WireBytes, Workload, WorkloadFlow, compare_notes, compare_report, compare_series,
    compare_summary, compare_tables, compare_terminal, measures,
};
use backwater_results::{Block, Cell, page};

const MS: u64 = 1_000_000_000;

/// Ten windows of 1 ms, two of them warm-up; a burst from 5 to 6 ms.
fn workload() -> Workload {
    let flow = |name: &str, group: &str, kind| WorkloadFlow {
        name: name.into(),
        group: group.into(),
        alone_ps: matches!(kind, FlowKind::Bursts(..)).then_some(2 * MS),
        kind,
        path: vec![0],
    };
    Workload {
        duration_ps: 10 * MS,
        warm_up_ps: 2 * MS,
        window_ps: MS,
        flows: vec![
            flow("one", "victim", FlowKind::Greedy),
            flow("two", "victim", FlowKind::Greedy),
            flow("burst", "burst", FlowKind::Bursts(1000, vec![5 * MS])),
        ],
        bursts: vec![(5 * MS, 6 * MS)],
        rates_bps: vec![10_000_000, 10_000_000],
    }
}

fn greedy(windows: [u64; 10], lost: u64) -> Seen {
    let mut seen = Seen {
        windows: windows.into(),
        payload: windows[2..].iter().sum(),
        sent: 10_000,
        lost,
        ..Seen::default()
    };
    (1..=100).for_each(|delay| seen.delay.record(delay * 1_000_000));
    seen
}

/// One run; `lost` bytes of 20,000, and a burst that took `took`.
fn run(seed: u64, lost: u64, took: Option<u64>) -> SchemeRun {
    let one = [500, 500, 500, 500, 500, 100, 100, 100, 500, 500];
    let burst = Seen {
        windows: vec![0; 10],
        messages: vec![Message {
            start: 5 * MS,
            end: took.map(|took| 5 * MS + took),
        }],
        ..Seen::default()
    };
    let mut stored = vec![0.0; 10];
    stored[5] = 40_000.0;
    SchemeRun {
        seed,
        seen: Observed {
            flows: vec![greedy(one, lost), greedy([250; 10], 0), burst],
            bursts: workload().bursts,
            stored,
            stored_most: 50_000,
            stored_most_at: "S".into(),
            wire: WireBytes {
                payload: 80,
                again: 4,
                headers: 10,
                acknowledgements: 5,
                control: 1,
            },
            programs: Vec::new(),
        },
        trace_hash: 0xabcd_ef01_2345_6788 + seed,
        events: 1000,
        broken: 0,
        standstill: false,
        wall_seconds: 0.1,
    }
}

fn scheme(name: &str, runs: Vec<SchemeRun>) -> SchemeRuns {
    SchemeRuns {
        name: name.into(),
        note: format!("what {name} does"),
        is_lossless: false,
        conditions: Conditions {
            wire_bytes: 1_538,
            payload_bytes: 1_472,
            order: "first in, first out".into(),
            memory: vec![SwitchMemory {
                switch: "S".into(),
                bytes: 300_000,
                parts: 3,
            }],
            divided: format!("100 kB to each {name}"),
            slowed_by: "nobody".into(),
        },
        runs,
    }
}

fn schemes() -> Vec<SchemeRuns> {
    vec![
        scheme("none", vec![run(1, 2_000, None)]),
        scheme("pause", vec![run(1, 0, Some(3 * MS))]),
    ]
}

/// A number of the first scheme's first run.
fn value(name: &str) -> f64 {
    let measures = measures(&workload());
    let measure = measures.iter().find(|measure| measure.name == name);
    let measure = measure.unwrap_or_else(|| panic!("no measure {name}"));
    let schemes = schemes();
    let index = usize::from(["message mean", "slowdown mean"].contains(&name));
    let value = measure.value(&workload(), &schemes[index].runs[0].seen);
    measure.shown.scaled(value)
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
        "{found} for {expected}"
    );
}

#[test]
fn every_number_follows_from_what_was_seen() {
    // 2800 and 2000 bytes in 8 ms.
    near(value("throughput"), 4.8);
    near(value("- victim"), 4.8);
    near(value("- burst"), 0.0);
    let jain = (2800.0_f64 + 2000.0).powi(2) / (2.0 * (2800.0_f64.powi(2) + 2000.0_f64.powi(2)));
    near(value("fairness"), jain);
    near(value("delay max"), 0.1);
    // 3 ms, and 2 ms alone.
    near(value("slowdown mean"), 1.5);
    assert!(value("slowdown p99").is_nan());
    near(value("switch buffer max"), 50.0);
    near(value("loss"), 10.0);
    near(value("overhead"), 20.0);
    let parts = [
        "headers",
        "acknowledgements",
        "flow control",
        "retransmitted",
    ];
    let parts = parts.map(|part| value(&format!("- {part}")));
    near(parts.iter().sum(), value("overhead"));
    near(value("messages incomplete"), 1.0);
    near(value("message mean"), 3.0);
    // The victims have 750 a window before and 350 in windows 5 to 7; the burst ends with 5.
    near(value("victim recovery mean"), 2.0);
    near(value("memory recovery mean"), 0.0);
}

#[test]
fn the_terminal_has_a_column_for_each_scheme_and_fits() {
    let seven = ["none", "reno", "n23", "pause", "destination", "pfc", "abr"];
    let two = vec![run(1, 0, None), run(2, 900, Some(MS))];
    let runs = |name: &str| scheme(name, [two.clone(), vec![run(3, 900, Some(MS))]].concat());
    let schemes: Vec<SchemeRuns> = seven.iter().map(|name| runs(name)).collect();
    let text = compare_terminal(&workload(), &schemes);
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{text}");
    let long = scheme("none", Vec::new());
    let note = "word ".repeat(80);
    let notes = compare_notes(&[SchemeRuns { note, ..long }]);
    assert_eq!(notes.matches("word").count(), 80);
    assert!(
        notes.lines().all(|line| line.chars().count() <= 118),
        "{notes}"
    );
    let heading: Vec<&str> = text
        .lines()
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    assert_eq!(heading, seven);
    assert!(
        text.lines()
            .any(|line| line.starts_with("loss, %") && line.contains('±')),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|line| line.starts_with("trace hash") && line.contains("habcdef0"))
    );
    let two = compare_terminal(&workload(), &[scheme("none", two.clone())]);
    assert!(
        two.contains("two seeds give no interval") && !two.contains('±'),
        "{two}"
    );
    // One run under two seeds: no interval, and why.
    let same = scheme("none", vec![run(1, 0, None), run(1, 0, None)]);
    assert!(!text.contains("seeds change nothing"), "{text}");
    let text = compare_terminal(&workload(), &[same]);
    assert!(
        text.contains("seeds change nothing here") && !text.contains('±'),
        "{text}"
    );
}

/// Why a job has no time.
#[test]
fn what_is_not_through_is_said() {
    let through = |time_ps| {
        let mut run = run(1, 0, None);
        run.seen.programs = vec![Some(ProgramSeen {
            time_ps,
            ..ProgramSeen::default()
        })];
        vec![run]
    };
    let [none, pfc] =
        [("none", None), ("pfc", Some(1e9))].map(|(name, at)| scheme(name, through(at)));
    let first = &workload().flows[0].name;
    let text = compare_terminal(&workload(), &[none.clone(), pfc.clone()]);
    let line = text.lines().find(|line| line.contains("not through"));
    let line = line.expect("it is said");
    assert!(
        line.starts_with(first.as_str()) && line.contains("under none: "),
        "{text}"
    );
    let text = compare_terminal(&workload(), &[none]);
    assert!(text.contains("under any scheme: `run.duration`"), "{text}");
    let text = compare_terminal(&workload(), &[pfc]);
    assert!(!text.contains("not through"), "{text}");
}

#[test]
fn tables_have_a_row_for_each_scheme_run_flow_and_burst() {
    let tables = compare_tables(&workload(), &schemes());
    let rows: Vec<(&str, usize)> = tables
        .iter()
        .map(|table| (table.name.as_str(), table.rows.len()))
        .collect();
    let expected = [
        ("schemes", 2),
        ("conditions", 2),
        ("runs", 2),
        ("flows", 6),
        ("recovery", 2),
    ];
    assert_eq!(rows, expected);
    for table in &tables {
        sample::names::assert_names(table);
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{}", table.name);
        }
    }
    // A burst that has not arrived counts with its age.
    let at = tables[0]
        .columns
        .iter()
        .position(|column| column.key() == "message_mean_ms");
    let cells = tables[0]
        .rows
        .iter()
        .map(|row| row[at.expect("a column")].clone());
    assert_eq!(
        cells.collect::<Vec<_>>(),
        [Cell::at_least(5.0, 3), Cell::float(3.0, 3)]
    );
    let json = compare_summary(&workload(), &schemes());
    assert_eq!(json["schemes"][0]["measures"]["loss_pct"]["value"], 10.0);
    let message = &json["schemes"][0]["measures"]["message_mean_ms"];
    assert_eq!(
        (&message["value"], &message["is_bound"]),
        (&5.0.into(), &true.into())
    );
    assert_eq!(
        json["schemes"][1]["runs"][0]["trace_hash"],
        "habcdef0123456789"
    );
}

#[test]
fn what_is_the_same_is_said_once_and_what_differs_for_each() {
    let notes = compare_notes(&schemes());
    let all = notes.lines().take_while(|line| !line.is_empty());
    let all: Vec<&str> = all.flat_map(str::split_whitespace).collect();
    let all = all.join(" ");
    assert!(all.starts_with("all"), "{notes}");
    assert!(all.contains("1,538 B on the wire") && all.contains("memory of switches: 300 kB"));
    assert!(!all.contains("divided"), "{notes}");
    let own = notes
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let own: Vec<_> = own
        .filter(|words| words.first() == Some(&"pause"))
        .collect();
    assert_eq!(
        own,
        [
            vec!["pause", "100", "kB", "to", "each", "pause"],
            vec!["pause", "what", "pause", "does"]
        ],
        "{notes}"
    );
    let json = compare_summary(&workload(), &schemes());
    assert_eq!(
        json["conditions_that_differ"],
        serde_json::json!(["divided"])
    );
    assert_eq!(
        json["schemes"][0]["conditions"]["memory_bytes"]["S"],
        300_000
    );
    // Whole units leave something of each part; more than that is a difference.
    let mut less = schemes();
    less[1].conditions.memory[0].bytes -= 4 * 1_538;
    let found = compare_summary(&workload(), &less);
    assert_eq!(
        found["conditions_that_differ"],
        serde_json::json!(["divided"])
    );
    less[1].conditions.memory[0].bytes -= 1;
    let found = compare_summary(&workload(), &less);
    let both = serde_json::json!(["memory of switches", "divided"]);
    assert_eq!(found["conditions_that_differ"], both);
    // A scheme that serves in another order has that said, and the others theirs.
    let mut schemes = schemes();
    schemes[1].conditions.order = "flows in turn".into();
    let notes = compare_notes(&schemes);
    assert!(
        notes.contains("\npause       flows in turn        100"),
        "{notes}"
    );
    assert!(
        notes.contains("\nnone        first in, first out  100"),
        "{notes}"
    );
    assert!(notes.contains("service at switches  divided"), "{notes}");
}

#[test]
fn the_page_has_every_plot_and_says_what_differs() {
    let info = CompareInfo {
        title: "Made up".into(),
        source: "kind = \"comparison\"".into(),
        partial: true,
        ..CompareInfo::default()
    };
    let html = page(&compare_report(&info, &workload(), &schemes()));
    for text in [
        "what pause does",
        "Memory of all switches",
        "none: throughput of each flow",
    ] {
        assert!(html.contains(text), "no {text}");
    }
    assert!(html.contains("It was interrupted"));
    let series = compare_series(&workload(), &schemes());
    assert_eq!(series.len(), 2 * (1 + 3));
    assert_eq!(series[1].y[0], 4_000_000.0, "500 bytes in 1 ms");
}

/// Names stand below bars, which have one colour but for the best; the table tells one of both.
#[test]
fn bars_have_names_below_and_the_best_has_a_colour_of_its_own() {
    let report = compare_report(&CompareInfo::default(), &workload(), &schemes());
    let mut plots = Vec::new();
    let mut overview = None;
    for block in &report.blocks {
        match block {
            Block::Columns(columns) => plots.extend(columns.iter().flatten()),
            Block::Table(table) if table.name == "overview" => overview = Some(table.clone()),
            _ => {}
        }
    }
    let plots = plots.into_iter().filter_map(|block| match block {
        Block::Plot(plot) if plot.id.starts_with("bars ") => Some(plot),
        _ => None,
    });
    let plots: Vec<_> = plots.collect();
    assert!(plots.len() > 4);
    for plot in &plots {
        assert_eq!(plot.x.names, ["none", "pause"], "{}", plot.title);
        assert!(plot.curves.len() <= 2, "{}", plot.title);
        assert!(plot.title.starts_with(char::is_uppercase), "{}", plot.title);
    }
    // 10 % and nothing.
    let loss = plots.iter().find(|plot| plot.title == "Loss");
    let loss = loss.expect("a plot of losses");
    let bars = loss
        .curves
        .iter()
        .map(|curve| (&*curve.name, curve.x.clone()));
    let bars: Vec<_> = bars.collect();
    assert_eq!(bars, [("schemes", vec![1.0]), ("the best", vec![2.0])]);
    // Both deliver the same: none is better.
    let same = plots.iter().find(|plot| plot.title == "Throughput");
    assert_eq!(same.expect("a plot of rates").curves.len(), 1);
    let overview = overview.expect("a table");
    let marked = |row: &[Cell]| {
        row.iter()
            .filter(|cell| matches!(cell, Cell::Text(text) if text.starts_with('★')))
            .count()
    };
    let row = |name: &str| {
        let mut rows = overview.rows.iter();
        rows.find(|row| matches!(&row[0], Cell::Text(text) if text.starts_with(name)))
    };
    assert_eq!(row("loss").map(|row| marked(row)), Some(1));
    assert_eq!(row("throughput").map(|row| marked(row)), Some(0));
}

#[test]
fn sizes_have_the_unit_that_fits() {
    let mut small = schemes();
    for scheme in &mut small {
        scheme.runs[0].seen.stored_most = 85;
    }
    let text = compare_terminal(&workload(), &small);
    let line = text
        .lines()
        .find(|line| line.starts_with("switch buffer max"));
    let words: Vec<&str> = line.unwrap_or("").split_whitespace().collect();
    assert_eq!(words[3..], ["bytes", "85", "85"], "{text}");
}
