//! Delay bounds: what `check` says before a run, and what a run shows.

use std::fs;

use crate::support::{backwater, folder, json, shipped};

#[test]
fn check_counts_bounds_and_a_run_shows_them() {
    let here = folder("bounds");
    let file = shipped("schedulers/delay-bound.toml");
    let ran = backwater(&here, &["check", &file]).expect(0);
    let promised = "5 flows have a delay bound, from 18.56 ms to ";
    assert!(ran.out.contains(promised), "{}", ran.out);
    let arguments = ["run", &file, "--out", "out", "--set", "run.duration=5 s"];
    let ran = backwater(&here, &arguments).expect(0);
    let ran = ran.complains("`misbehaving` offers");
    let said = "delay bounds of 5 flows, none exceeded; nearest:";
    assert!(ran.out.contains(said), "{}", ran.out);
    assert!(
        ran.out
            .contains("no delay bound for misbehaving: nothing holds it")
    );
    let table = fs::read_to_string(here.join("out/tables/bounds.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1 + 6, "{table}");
    let bounds = json(&here.join("out/summary.json"))["bounds"].clone();
    let bounds = bounds.as_array().expect("a list");
    assert_eq!(bounds.len(), 6);
    for entry in bounds {
        let (bound, largest) = (entry["bound_us"].as_f64(), entry["delay_max_us"].as_f64());
        match bound {
            Some(bound) => assert!(largest.is_some_and(|largest| largest < bound), "{entry}"),
            None => assert_eq!(entry["flow"], "misbehaving"),
        }
    }
    assert!(here.join("out/figures/delay-bounds.svg").is_file());
}

/// The terms of each flow add up to its bound, of cells and of frames;
/// before a run and behind it they are the same.
#[test]
fn bounds_are_told_link_by_link() {
    let here = folder("bound-hops");
    for (name, set) in [
        ("schedulers/delay-bound.toml", "run.duration=2 s"),
        ("ethernet/multicast.toml", "run.duration=4 ms"),
    ] {
        let file = shipped(name);
        let check = [
            "check",
            &file,
            "--set",
            set,
            "--verbose",
            "--format",
            "json",
        ];
        let told = backwater(&here, &check).expect(0).out;
        let told: serde_json::Value = serde_json::from_str(&told).expect("one document");
        let rows = told["files"][0]["bound_hops"].clone();
        backwater(&here, &["run", &file, "--set", set, "--out", name]).expect(0);
        let summary = json(&here.join(name).join("summary.json"));
        assert_eq!(rows, summary["bound_hops"], "{name}");
        let rows = rows.as_array().expect("rows");
        let number = |row: &serde_json::Value, key: &str| row[key].as_f64().unwrap_or(0.0);
        let bounds = summary["bounds"].as_array().expect("bounds");
        let bounds = bounds.iter().filter(|row| row["bound_us"].is_f64());
        let mut flows = 0;
        for bound in bounds {
            let own: Vec<_> = rows
                .iter()
                .filter(|row| row["flow"] == bound["flow"])
                .collect();
            let terms: f64 = own.iter().map(|row| number(row, "term_us")).sum();
            let total = number(bound, "bound_us");
            assert!((terms - total).abs() < 1e-3, "{name}: {bound}: {terms}");
            let last = own.last().map_or(0.0, |row| number(row, "so_far_us"));
            assert!((last - total).abs() < 1e-3, "{name}: {bound}: {last}");
            for row in own.iter().filter(|row| row["hop"] != 0) {
                let parts = ["latency_us", "wire_us", "propagation_us", "handling_us"];
                let sum: f64 = parts.iter().map(|part| number(row, part)).sum();
                assert!((sum - number(row, "term_us")).abs() < 1e-3, "{name}: {row}");
                assert!(number(row, "rate_mbps") > 0.0, "{name}: {row}");
            }
            flows += 1;
        }
        assert!(flows > 0, "{name} has bounds");
    }
}

#[test]
fn check_says_nothing_of_bounds_where_there_are_none() {
    let here = folder("no-bounds");
    let file = shipped("schedulers/delay-bound.toml");
    let fifo = ["check", &file, "--set", "scheduler.kind=fifo"];
    let ran = backwater(&here, &fifo).expect(0);
    assert!(!ran.out.contains("delay bound,"), "{}", ran.out);
    let literal = ["check", &file, "--set", "scheduler.resync=literal"];
    let ran = backwater(&here, &literal).expect(0);
    let ran = ran
        .complains("5 flows have no delay bound")
        .complains("idle-link");
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
}
