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
