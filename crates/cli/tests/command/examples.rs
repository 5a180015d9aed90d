//! `example`: the shipped scenarios out of the program itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{backwater, folder, shipped};

/// Every shipped file: its path below `scenarios/`.
fn shipped_files() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in fs::read_dir(shipped("")).expect("scenarios") {
        let folder = folder.expect("a folder").path();
        for file in fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("a file").path();
            let below = path.strip_prefix(shipped("")).expect("below the scenarios");
            found.insert(below.to_string_lossy().replace('\\', "/"));
        }
    }
    found
}

/// Names as the list has them.
fn listed(here: &Path) -> Vec<String> {
    let list = backwater(here, &["example", "--list"]).expect(0).out;
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.map(String::from).collect()
}

#[test]
fn every_shipped_file_is_in_the_program() {
    let here = folder("examples");
    let files = shipped_files();
    assert!(files.len() > 50, "{files:?}");
    let names: BTreeSet<String> = listed(&here).into_iter().collect();
    let without_ending = |path: &String| path.trim_end_matches(".toml").to_owned();
    assert_eq!(names, files.iter().map(without_ending).collect());
    // One of each folder, to the last letter.
    let mut seen = BTreeSet::new();
    for path in &files {
        if seen.insert(path.split('/').next()) {
            let printed = backwater(&here, &["example", path]).expect(0);
            assert_eq!(printed.out, fs::read_to_string(shipped(path)).unwrap());
        }
    }
}

#[test]
fn an_example_is_written_with_what_it_reads() {
    let here = folder("example-out");
    let printed = backwater(&here, &["example", "anynet"]).expect(0);
    printed
        .complains("note: it reads `four-routers.anynet`")
        .complains("backwater example flit/four-routers.anynet > four-routers.anynet");
    fs::create_dir(here.join("x")).expect("a folder");
    let ran = backwater(&here, &["example", "flit/anynet", "--out", "x/own.toml"]).expect(0);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    backwater(&here, &["check", "x/own.toml"]).expect(0);
    let ran = backwater(
        &here,
        &["example", "flit/anynet", "--out", "nosuch/own.toml"],
    );
    ran.expect(2).complains("can't write `nosuch/own.toml`");
}

#[test]
fn a_name_need_not_be_whole_but_must_be_one() {
    let here = folder("example-names");
    let text = |name: &str| backwater(&here, &["example", name]).expect(0).out;
    let whole = text("kung1993/fig17-two-switches");
    for name in [
        "fig17-two-switches",
        "fig17-two-switches.toml",
        "kung1993/fig17-two-switches.toml",
        "scenarios/kung1993/fig17-two-switches.toml",
    ] {
        assert_eq!(text(name), whole);
    }
    let wrong = |name: &str| backwater(&here, &["example", name]).expect(2);
    wrong("fig17-two-switch").complains("did you mean `fig17-two-switches`?");
    wrong("client-server").complains("2 examples have this name: abr/client-server, kaly");
    wrong("nosuch").complains("`backwater example --list` shows all");
    backwater(&here, &["example"]).expect(2);
}

#[test]
fn a_file_that_is_not_there_may_be_an_example() {
    let here = folder("example-hint");
    let wrong = |file: &str| backwater(&here, &["run", file]).expect(2);
    wrong("fig17-two-switches.toml").complains(
        "try: backwater example kung1993/fig17-two-switches --out fig17-two-switches.toml",
    );
    wrong("nosuch.toml").complains("try: backwater example --list");
}

#[test]
fn a_scenario_that_comes_with_the_program_runs_by_its_name() {
    let here = folder("example-by-name");
    let ran = backwater(&here, &["run", "ethernet/slow-host", "--out", "out"]).expect(0);
    let file = backwater(
        &here,
        &["example", "ethernet/slow-host", "--out", "own.toml"],
    )
    .expect(0);
    assert!(file.err.is_empty() && here.join("out/report.html").exists());
    let own = backwater(&here, &["run", "own.toml", "--out", "own"]).expect(0);
    let hash = |text: &str| {
        text.split("trace hash ")
            .nth(1)
            .map(|rest| rest[..17].to_owned())
    };
    assert_eq!(hash(&ran.out), hash(&own.out));
    // The last part alone is no name here: it may be a file that is missing.
    backwater(&here, &["run", "slow-host"]).expect(2);
}

#[test]
fn the_beginning_of_a_name_is_enough_for_a_hint() {
    backwater(&folder("examples-hint"), &["example", "fig17"])
        .expect(2)
        .complains("did you mean `fig17-two-switches`?");
}
