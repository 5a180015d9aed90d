//! `run`, `check` and `sweep` with the Ethernet engine.

use std::fs;
use std::path::Path;

use crate::support::{Ran, backwater, figure_17, folder, json, shipped, trace_hash};

/// Two fast hosts and a slow one on a switch that stops its neighbours.
const SWITCH: &str = r#"
title = "A switch"
engine = "ethernet"
[run]
duration = "100 ms"
warm_up = "0 s"
[network]
hosts = ["S1", "S2", "D"]
switches = ["A"]
[link]
rate = "100 Mbps"
[[links]]
between = ["D", "A"]
rate = "10 Mbps"
[flow_control]
kind = "pause"
[[flows]]
name = "f"
from = ["S1", "S2"]
to = "D"
"#;

fn run(here: &Path, more: &[&str]) -> Ran {
    fs::write(here.join("switch.toml"), SWITCH).expect("a file");
    let mut all = vec!["run", "switch.toml", "--out", "out"];
    all.extend(more);
    backwater(here, &all)
}

/// Nothing is lost, and still not all came at once.
#[test]
fn trimmed_packets_are_told() {
    let here = folder("ethernet-trimmed");
    let ran = backwater(&here, &["run", "ethernet/trimming", "--out", "out"]).expect(0);
    let told = "nothing was dropped; trimmed 2,430 packets";
    assert!(ran.out.contains(told), "{}", ran.out);
}

#[test]
fn a_run_writes_its_directory() {
    let here = folder("ethernet-run");
    let ran = run(&here, &[]).expect(0);
    for must in [
        "A switch: 100 ms, full duration",
        "frame hops",
        "nothing was dropped",
        "S1 -> A: stopped ",
        "busiest port A -> D: data ",
        "out/report.html",
    ] {
        assert!(ran.out.contains(must), "no `{must}` in {}", ran.out);
    }
    let out = here.join("out");
    let manifest = json(&out.join("manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert_eq!(manifest["ended_at_ps"], 100_000_000_000_u64);
    let listed = manifest["files"].to_string();
    for file in ["report.html", "tables/queues.csv", "figures/stopped.svg"] {
        assert!(listed.contains(file), "{file} is not in {listed}");
        assert!(out.join(file).is_file(), "{file} is missing");
    }
    let summary = json(&out.join("summary.json"));
    assert_eq!(summary["balanced"], true);
    assert_eq!(summary["balance"][0]["dropped"], 0);
    assert!(
        summary["control_frames"]["stops"].as_u64() > Some(0),
        "{summary}"
    );
    let ports = fs::read_to_string(out.join("tables/ports.csv")).expect("a table");
    assert_eq!(ports.lines().count(), 1 + 6);
    backwater(&here, &["run", "out/resolved.toml", "--out", "again"]).expect(0);
    assert_eq!(trace_hash(&out), trace_hash(&here.join("again")));
}

#[test]
fn traces_and_audit_leave_the_run_as_it_is() {
    let here = folder("ethernet-trace");
    run(&here, &[]).expect(0);
    let plain = trace_hash(&here.join("out"));
    run(&here, &["--audit", "--trace", "csv,perfetto"])
        .expect(0)
        .complains("trace hash the same without");
    let out = here.join("out");
    assert_eq!(trace_hash(&out), plain);
    let hops = json(&out.join("manifest.json"))["unit_hops"].as_u64();
    let trace = fs::read_to_string(out.join("trace.csv")).expect("a trace");
    let started = trace.lines().filter(|line| line.contains(",out,"));
    assert_eq!(Some(started.count() as u64), hops);
    assert!(trace.contains(",out,") && trace.contains(",pause,") && trace.contains(",stop,"));
    let seen = fs::read(out.join("trace.perfetto")).expect("a trace");
    assert!(seen.len() as u64 > 50 * hops.unwrap_or(0), "{}", seen.len());
    assert_eq!(seen[0], 0x0a, "a packet");
    run(&here, &["--trace", "pcapng"]).expect(0);
    assert_eq!(trace_hash(&out), plain);
    let capture = fs::read(out.join("trace.pcapng")).expect("a capture");
    assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    assert!(!out.join("trace.csv").exists(), "it was of the run before");
    let listed = json(&out.join("manifest.json"))["files"].to_string();
    assert!(listed.contains("trace.pcapng"), "{listed}");
}

#[test]
fn a_capture_needs_frames() {
    let here = folder("capture-of-cells");
    let file = figure_17();
    let ran = backwater(&here, &["run", &file, "--trace", "pcapng", "--out", "out"]);
    ran.expect(2).complains("a capture needs frames");
    let ran = backwater(
        &here,
        &["run", &file, "--trace", "csv,pcap", "--out", "out"],
    );
    ran.expect(2).complains("perfetto");
    assert!(!here.join("out").exists(), "it leaves no directory");
}

#[test]
fn a_deadlock_is_status_1_and_named() {
    let here = folder("ethernet-deadlock");
    let file = shipped("ethernet/tree-deadlock.toml");
    let ran = backwater(&here, &["run", &file, "--out", "out"]).expect(1);
    assert!(ran.out.contains(", deadlock"), "{}", ran.out);
    assert!(ran.out.contains("first of flow "), "{}", ran.out);
    ran.complains("error: deadlock: queues wait for each other in a cycle");
    let table = fs::read_to_string(here.join("out/tables/standstill.csv")).expect("a table");
    assert!(table.lines().count() > 2, "{table}");
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], false);
    let others = shipped("ethernet/tree-others.toml");
    let sets = ["--set", "run.duration=500 ms", "--set", "run.warm_up=0 s"];
    backwater(&here, &["run", &others, sets[0], sets[1], sets[2], sets[3]]).expect(0);
}

#[test]
fn checks_count_and_sweeps_measure() {
    let here = folder("ethernet-sweep");
    run(&here, &[]).expect(0);
    let ran = backwater(&here, &["check", "switch.toml"]).expect(0);
    let counts = "3 hosts, 1 switch, 3 links, 1 class, 2 flows, 0 series";
    assert!(ran.out.contains(counts), "{}", ran.out);
    let axis = "flow_control.kind=none,pause,destination";
    let sweep = ["sweep", "switch.toml", "--axis", axis, "--out", "swept"];
    backwater(&here, &sweep).expect(0);
    let text = fs::read_to_string(here.join("swept/tables/sweep.csv")).expect("a table");
    assert_eq!(text.lines().count(), 1 + 3, "{text}");
    for measure in [
        "goodput_mbps",
        "stopped_share_max",
        "dropped_frames",
        "fairness",
    ] {
        assert!(text.contains(measure), "no `{measure}` in {text}");
    }
}

#[test]
fn no_load_saturates_what_takes_what_it_gets() {
    let here = folder("ethernet-saturate");
    fs::write(here.join("switch.toml"), SWITCH).expect("a file");
    // Whatever load it has, and though it has no key of that name.
    let ran = backwater(&here, &["saturate", "switch.toml"]).expect(2);
    ran.complains("frames have no test for saturation");
}

/// Files that end long before the run: one that can't, and series without a window.
#[test]
fn what_a_drained_run_could_not_show_is_told() {
    let here = folder("ethernet-drained");
    let files = "traffic = { kind = \"greedy\", total = \"20 kB\" }\ntransport = \"udp\"\n\
                 [[series]]\nname = \"all\"\nmeasure = \"goodput\"\nflow = \"all\"\n";
    let text = SWITCH.replace("\"100 ms\"", "\"10 s\"") + files;
    let text = text.replace(
        "kind = \"pause\"",
        "kind = \"none\"\n[buffer]\nper_queue = \"9 kB\"",
    );
    fs::write(here.join("drained.toml"), text).expect("a file");
    let ran = backwater(&here, &["run", "drained.toml", "--out", "out"]).expect(0);
    let told = "transfers: 0 complete; 2 unfinished, the oldest begun 8.25 ms before the end";
    assert!(ran.out.contains(told), "{}", ran.out);
    ran.complains("`all (f[1])` and 1 more have no window that was over when the run ended");
    let manifest = json(&here.join("out/manifest.json"));
    assert_eq!(manifest["checks"][0]["what"], "series");
}

#[test]
fn a_short_run_names_its_deadlock() {
    let here = folder("ethernet-short-deadlock");
    let file = fs::read_to_string(shipped("ethernet/ring-deadlock.toml")).expect("a file");
    let greedy = file.replace(
        "traffic = { kind = \"constant\", rate = \"60 Mbps\" }",
        "transport = \"udp\"",
    );
    assert_ne!(file, greedy);
    fs::write(here.join("ring.toml"), greedy).expect("a file");
    let run = |warm_up: &str, status: i32| {
        let warm_up = format!("run.warm_up=\"{warm_up}\"");
        let sets = ["--set", "link.rate=\"100 Gbps\"", "--set"];
        let sets = [&sets[..], &["run.duration=\"10 ms\"", "--set", &warm_up]].concat();
        let all = [&["run", "ring.toml", "--out", "out"], &sets[..]].concat();
        backwater(&here, &all).expect(status)
    };
    let ran = run("1 ms", 1);
    let told = "deadlock: queues wait for each other in a cycle, 3 queues, since 106.2 us";
    assert!(ran.out.contains(told), "{}", ran.out);
    assert!(ran.out.contains("stopped 100 % of the time"), "{}", ran.out);
    // It ends in its warm-up, and shares are of the whole run.
    let ran = run("5 ms", 1);
    assert!(
        ran.out.contains("The run ended in its warm-up"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("000 %"), "{}", ran.out);
    assert!(!ran.out.contains("max-min"), "{}", ran.out);
}

#[test]
fn a_pause_is_told_of_the_class_that_is_used() {
    let here = folder("ethernet-pause-rows");
    run(&here, &["--set", "flows.f.class=3"]).expect(0);
    let queues = fs::read_to_string(here.join("out/tables/queues.csv")).expect("a table");
    let rows: Vec<&str> = queues.lines().skip(1).collect();
    assert!(!rows.is_empty());
    assert!(
        rows.iter().all(|row| row.split(',').nth(1) == Some("3")),
        "{queues}"
    );
}
