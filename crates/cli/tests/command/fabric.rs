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
vcs = 2
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
    let accepted = summary["accepted_flits_per_cycle"].as_f64().unwrap_or(0.0);
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
fn threads_change_no_table() {
    let here = folder("fabric-threads");
    run(&here, &[]).expect(0);
    let two = ["run", "torus.toml", "--out", "two", "--threads", "2"];
    backwater(&here, &two).expect(0);
    for file in ["channels.csv", "terminals.csv", "latency.csv", "course.csv"] {
        let read = |run: &str| fs::read(here.join(run).join("tables").join(file)).ok();
        assert_eq!(read("out"), read("two"), "{file}");
    }
    let (one, two) = (here.join("out"), here.join("two"));
    assert_eq!(trace_hash(&one), trace_hash(&two));
    assert_eq!(
        json(&one.join("summary.json")),
        json(&two.join("summary.json"))
    );
    // Credits that take no time tie routers together.
    let fly = TORUS
        .replace("torus", "fly")
        .replace("sides = [4, 4]", "k = 2\nn = 3");
    let fly = fly.replace("[router]", "[router]\ncredit_delay = \"0 cycles\"");
    fs::write(here.join("fly.toml"), fly).expect("a file");
    let alone = ["run", "fly.toml", "--out", "fly", "--threads", "2"];
    backwater(&here, &alone).complains("one thread").expect(0);
}

#[test]
fn a_deadlock_is_status_1_and_names_its_cycle() {
    let here = folder("fabric-deadlock");
    let sets = [
        "--set",
        "routing.kind=unrestricted",
        "--set",
        "router.vcs=1",
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
    let since = summary["stuck"]["since_cycle"].as_u64().unwrap_or(0);
    assert!(
        ran.err.contains(&format!("since cycle {since}")),
        "{}",
        ran.err
    );
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], false);
    let table = fs::read_to_string(here.join("out/tables/deadlock.csv")).expect("a table");
    let waiting = summary["deadlock"].as_array().map_or(0, Vec::len);
    assert!(waiting > 1, "{summary}");
    assert_eq!(table.lines().count(), 1 + waiting);
}

#[test]
fn part_of_a_network_may_deadlock_while_the_rest_moves() {
    let here = folder("fabric-part");
    // Terminals with even numbers send far up the ring, the others a router down.
    let mut text = String::from(
        "engine = \"flit\"\n[run]\nwarm_up = \"0 cycles\"\nmeasure = \"5000 cycles\"\n\
         stall = \"300 cycles\"\n[topology]\nkind = \"torus\"\nsides = [8]\n\
         terminals_per_router = 2\n[routing]\nkind = \"unrestricted\"\n\
         [router]\nvcs = 1\ndepth = 2\n[traffic]\nload = 0.2\nflits = 16\n\
         [traffic.pattern]\nkind = \"matrix\"\nrows = [\n",
    );
    for source in 0..16 {
        let to = (source + if source % 2 == 0 { 6 } else { 14 }) % 16;
        let weights = (0..16).map(|destination| u8::from(destination == to).to_string());
        let weights: Vec<String> = weights.collect();
        text += &format!("[{}],\n", weights.join(", "));
    }
    text += "]\n";
    fs::write(here.join("halves.toml"), text).expect("a file");
    let ran = backwater(&here, &["run", "halves.toml", "--out", "out"])
        .expect(1)
        .complains("others move");
    assert!(ran.out.contains("while others do"), "{}", ran.out);
    let summary = json(&here.join("out/summary.json"));
    assert_eq!(summary["stuck"]["others_move"], true);
    let waiting = summary["deadlock"].as_array().expect("packets");
    assert!(waiting.len() > 2, "{summary}");
    for packet in waiting {
        let from = packet["from"].as_str().expect("a terminal");
        assert!(from.ends_with(['0', '2', '4', '6', '8']), "{from}");
    }
}

#[test]
fn an_audit_and_a_trace_change_nothing() {
    let here = folder("fabric-probes");
    run(&here, &[]).expect(0);
    let plain = trace_hash(&here.join("out"));
    let ran = run(&here, &["--audit", "--trace", "csv,vcd"]).expect(0);
    assert_eq!(trace_hash(&here.join("out")), plain);
    for must in [
        "promises checked",
        "times the run's CPU time",
        "the same without",
    ] {
        assert!(ran.err.contains(must), "no `{must}` in {}", ran.err);
    }
    let summary = json(&here.join("out/summary.json"));
    assert_eq!(summary["promises_broken"], 0);
    let page = fs::read_to_string(here.join("out/report.html")).expect("a page");
    assert!(page.contains("promises while running"));
    let trace = fs::read_to_string(here.join("out/trace.csv")).expect("a trace");
    let mut lines = trace.lines();
    let header = "cycle,channel,vc,source,destination,birth,class,flit,flits";
    assert_eq!(lines.next(), Some(header));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let number = |row: &[&str], column: usize| row[column].parse::<u64>().expect("a number");
    assert!(rows.is_sorted_by_key(|row| (number(row, 0), number(row, 1))));
    assert_eq!(Some(rows.len() as u64), summary["flit_hops"].as_u64());
    // 64 channels between routers, 16 to them, 16 from them.
    let injected = rows.iter().filter(|row| (64..80).contains(&number(row, 1)));
    let ejected = rows.iter().filter(|row| number(row, 1) >= 80);
    let total = |name: &str| summary[name].as_u64().expect("a total");
    let (delivered, inside) = (total("delivered_flits"), total("inside_flits"));
    assert_eq!(injected.count() as u64, delivered + inside);
    assert!(ejected.count() as u64 >= delivered);
    let waves = fs::read_to_string(here.join("out/trace.vcd")).expect("waveforms");
    let of_bits = |bit: &str| waves.matches(&format!(" wire {bit} ")).count();
    assert_eq!((of_bits("1"), of_bits("32")), (3 * 96, 3 * 96));
    let ran = run(&here, &["--trace", "perfetto"]).expect(2);
    ran.complains("here `--trace csv,vcd` works");
    let alone = run(&here, &["--audit"]).expect(0);
    assert!(alone.err.contains("the same without"), "{}", alone.err);
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
