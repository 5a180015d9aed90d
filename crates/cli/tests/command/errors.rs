//! How errors are told, whichever command finds them.

use std::fs;

use crate::support::{backwater, folder, shipped};

const MESH: [&str; 4] = [
    "--set",
    "run.measure=60 cycles",
    "--set",
    "run.warm_up=20 cycles",
];

#[test]
fn every_error_begins_as_one() {
    let here = folder("errors-begin");
    let comparison = shipped("compare/parking-lot.toml");
    let frames = shipped("ethernet/incast.toml");
    let mesh = shipped("flit/mesh-8x8.toml");
    fs::write(here.join("latin.toml"), b"title = \"\xb5s\"\n").expect("a file");
    fs::write(here.join("empty.toml"), "").expect("a file");
    let cases: [&[&str]; 22] = [
        &["run", "nosuch.toml"],
        &["run", "."],
        &["run", "empty.toml"],
        &["run", "latin.toml"],
        &["run", &comparison],
        &["run", &frames, "--set", "nokey"],
        &["run", &frames, "--seed", "3", "--set", "run.seed=4"],
        &["check", "nosuch.toml"],
        &["check", "."],
        &["check", "latin.toml", "empty.toml"],
        &["sweep", "nosuch.toml"],
        &["sweep", &frames],
        &["sweep", &frames, "--axis", "x"],
        &["saturate", "nosuch.toml"],
        &["saturate", &frames],
        &["saturate", &mesh, "--over", "nosuch"],
        &["compare", "nosuch.toml"],
        &["compare", &frames],
        &["compare", &comparison, "--only", "nosuch"],
        &["merge", "nosuch"],
        &["plot", "nosuch"],
        &["explain", "nosuch word"],
    ];
    for case in cases {
        let ran = backwater(&here, case).expect(2);
        let begins = ["error:", "error[", "warning["];
        let begins = begins.iter().any(|word| ran.err.starts_with(word));
        assert!(begins && ran.err.contains("error"), "{case:?}: {}", ran.err);
    }
}

/// So is what a run or a sweep finds.
#[test]
fn a_sweep_in_which_nothing_moves_any_more_ends_with_an_error() {
    let here = folder("errors-standstill");
    let file = shipped("flit/ring-deadlock.toml");
    let mut words = vec!["sweep", &file, "--seeds", "2", "--out", "out"];
    words.extend(MESH);
    let ran = backwater(&here, &words);
    let told = ran.err.lines().find(|line| line.contains("could move"));
    assert!(
        told.is_some_and(|line| line.starts_with("error: ")),
        "{}",
        ran.err
    );
}
