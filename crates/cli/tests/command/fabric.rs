//! `run` with the flit engine.

use std::fs;
use std::path::Path;

use crate::support::{Ran, backwater, folder, json, trace_hash};

/// A small torus; uniform traffic that it carries with ease.
pub const TORUS: &str = r#"
title = "A torus"
engine = "flit"
[run]
warm_up = "200 cycles"
measure = "1000 cycles"
[topology]
kind = "torus"
sides = [4, 4]
[router]
lanes = 2
[traffic]
load = 0.2
flits = 4
"#;

fn run(here: &Path, more: &[&str]) -> Ran {
    fs::write(here.join("torus.toml"), TORUS).expect("a file");
    let mut all = vec!["run", "torus.toml", "--out", "out"];
    all.extend(more);
    backwater(here, &all)
}

#[test]
fn a_run_writes_its_directory() {
    let here = folder("fabric-run");
    let ran = run(&here, &[]).expect(0);
    for must in ["A torus: ", "accepted  0.", "trace hash", "out/report.html"] {
        assert!(ran.out.contains(must), "no `{must}` in {}", ran.out);
    }
    let out = here.join("out");
    let manifest = json(&out.join("manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert!(manifest["cycles"].as_u64() > Some(1_200), "{manifest}");
    assert!(manifest.get("ended_at_ps").is_none(), "{manifest}");
    let listed = manifest["files"].to_string();
    for file in [
        "scenario.toml",
        "resolved.toml",
        "report.html",
        "tables/channels.csv",
    ] {
        assert!(listed.contains(file), "{file} is not in {listed}");
        assert!(out.join(file).is_file(), "{file} is missing");
    }
    let summary = json(&out.join("summary.json"));
    assert_eq!(summary["balanced"], true);
    let accepted = summary["accepted_load"].as_f64().unwrap_or(0.0);
    assert!((0.15..0.25).contains(&accepted), "{summary}");
    let channels = fs::read_to_string(out.join("tables/channels.csv")).expect("a table");
    assert_eq!(channels.lines().count(), 1 + 16 * 6);
    assert!(channels.contains("(x=3,y=0) -> (x=0,y=0)"), "{channels}");
}

#[test]
fn the_resolved_scenario_and_the_seed_say_it_all() {
    let here = folder("fabric-seed");
    run(&here, &["--seed", "5"]).expect(0);
    backwater(&here, &["run", "out/resolved.toml", "--out", "again"]).expect(0);
    assert_eq!(
        trace_hash(&here.join("out")),
        trace_hash(&here.join("again"))
    );
    backwater(
        &here,
        &["run", "torus.toml", "--out", "other", "--seed", "6"],
    )
    .expect(0);
    assert_ne!(
        trace_hash(&here.join("out")),
        trace_hash(&here.join("other"))
    );
}

#[test]
fn a_deadlock_is_status_1_and_names_its_cycle() {
    let here = folder("fabric-deadlock");
    let sets = [
        "--set",
        "routing.kind=unrestricted",
        "--set",
        "router.lanes=1",
        "--set",
        "traffic.load=0.9",
        "--set",
        "run.stall=500 cycles",
    ];
    let ran = run(&here, &sets)
        .expect(1)
        .complains("no flit has moved since cycle");
    assert!(ran.out.contains("waits for (x="), "{}", ran.out);
    let summary = json(&here.join("out/summary.json"));
    let since = summary["deadlock"]["since_cycle"].as_u64().unwrap_or(0);
    assert!(
        ran.err.contains(&format!("since cycle {since}")),
        "{}",
        ran.err
    );
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], false);
    let table = fs::read_to_string(here.join("out/tables/deadlock.csv")).expect("a table");
    let waiting = summary["deadlock"]["waiting"]
        .as_array()
        .map_or(0, Vec::len);
    assert!(waiting > 1, "{summary}");
    assert_eq!(table.lines().count(), 1 + waiting);
}

#[test]
fn probes_are_refused_before_there_is_a_directory() {
    let here = folder("fabric-probes");
    for probe in [vec!["--audit"], vec!["--trace", "csv"]] {
        run(&here, &probe)
            .expect(2)
            .complains(probe[0])
            .complains("flit");
        assert!(!here.join("out").exists());
    }
}

#[test]
fn a_network_from_a_file_goes_into_the_directory() {
    let here = folder("fabric-file");
    fs::create_dir(here.join("nets")).expect("a folder");
    let ring = "Oslo Bergen\nBergen Voss\nVoss Oslo\n";
    fs::write(here.join("nets/ring.txt"), ring).expect("a file");
    let sides = "kind = \"torus\"\nsides = [4, 4]";
    let text = TORUS.replace(sides, "kind = \"file\"\nfile = \"nets/ring.txt\"");
    fs::write(here.join("ring.toml"), text).expect("a file");
    backwater(&here, &["run", "ring.toml", "--out", "out"]).expect(0);
    let channels = fs::read_to_string(here.join("out/tables/channels.csv")).expect("a table");
    assert!(channels.contains("Oslo -> Bergen"), "{channels}");
    fs::remove_dir_all(here.join("nets")).expect("it goes");
    backwater(&here, &["run", "out/resolved.toml", "--out", "again"]).expect(0);
    assert_eq!(
        trace_hash(&here.join("out")),
        trace_hash(&here.join("again"))
    );
}
