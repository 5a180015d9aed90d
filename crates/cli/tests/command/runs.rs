//! `run` and `check`: statuses, files, changes, seeds, audit.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::{
    backwater, command, figure_17, finish, folder, json, shipped, trace_hash, with_chance,
};

#[test]
fn a_run_writes_its_directory() {
    let here = folder("run");
    let ran = backwater(&here, &["run", &figure_17()]).expect(0);
    assert!(ran.out.contains("trace hash"), "{}", ran.out);
    let made = here.join("runs/fig17-two-switches");
    assert!(ran.out.contains("runs/fig17-two-switches/report.html"));
    let manifest = json(&made.join("manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert_eq!(manifest["program"], "backwater");
    for file in manifest["files"].as_array().expect("files are listed") {
        let path = made.join(file.as_str().unwrap_or_default());
        assert!(path.is_file(), "{path:?} is listed and missing");
    }
    let listed = manifest["files"].to_string();
    for file in [
        "summary.json",
        "report.html",
        "tables/flows.csv",
        "tables/fairness.csv",
        "figures/fairness.svg",
        "resolved.toml",
    ] {
        assert!(listed.contains(file), "{file} is not in {listed}");
    }
    assert!(json(&made.join("summary.json")).is_object());
    let page = fs::read_to_string(made.join("report.html")).expect("a report");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    let flows = fs::read_to_string(made.join("tables/flows.csv")).expect("a table");
    assert_eq!(flows.lines().count(), 1 + 4, "{flows}");
    assert!(ran.out.contains("max-min") && ran.out.contains("Jain's index"));
}

#[test]
fn reports_of_small_runs_are_small_files() {
    let here = folder("small-reports");
    for name in [
        "flit/mesh-8x8.toml",
        "ethernet/incast.toml",
        "kung1993/fig17-two-switches.toml",
    ] {
        backwater(&here, &["run", &shipped(name), "--out", "out"]).expect(0);
        let report = fs::metadata(here.join("out/report.html")).expect("a report");
        assert!(report.len() < 420_000, "{name}: {} bytes", report.len());
    }
}

#[test]
fn the_resolved_scenario_runs_the_same() {
    let here = folder("resolved");
    with_chance(&here, &["--out", "first", "--seed", "7"]).expect(0);
    backwater(&here, &["run", "first/resolved.toml", "--out", "again"]).expect(0);
    let hashes = ["first", "again"].map(|name| trace_hash(&here.join(name)));
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn a_seed_says_it_all() {
    let here = folder("seeds");
    for (out, seed) in [("one", "1"), ("same", "1"), ("other", "2")] {
        with_chance(&here, &["--out", out, "--seed", seed]).expect(0);
    }
    with_chance(&here, &["--out", "set", "--set", "run.seed=2"]).expect(0);
    let hash = |name: &str| trace_hash(&here.join(name));
    assert_eq!(hash("one"), hash("same"));
    assert_ne!(hash("one"), hash("other"));
    assert_eq!(hash("other"), hash("set"));
    assert_eq!(json(&here.join("other/manifest.json"))["seed"], 2);
}

#[test]
fn a_change_of_a_key_reaches_the_run() {
    let here = folder("set");
    let set = [
        "run",
        &figure_17(),
        "--out",
        "a",
        "--set",
        "flows.VC1.priority=1",
    ];
    backwater(&here, &set).expect(0);
    backwater(&here, &["run", &figure_17(), "--out", "b"]).expect(0);
    assert_ne!(trace_hash(&here.join("a")), trace_hash(&here.join("b")));
    let resolved = fs::read_to_string(here.join("a/resolved.toml")).expect("a scenario");
    assert!(resolved.contains("priority = 1"), "{resolved}");
    let set = ["run", &figure_17(), "--set", "flow_control.n4=1"];
    backwater(&here, &set).expect(2).complains("n4");
    let set = ["run", &figure_17(), "--set", "flow_control.n3"];
    backwater(&here, &set).expect(2).complains("KEY=VALUE");
}

#[test]
fn a_broken_promise_is_status_1() {
    let here = folder("broken");
    let mut arguments = vec!["run".to_owned(), figure_17(), "--out".into(), "out".into()];
    arguments.extend(["--set".into(), "flow_control.window=60 cells".into()]);
    backwater(&here, &arguments)
        .expect(2)
        .complains("window-too-short");
    assert!(!here.join("out").exists(), "refused, and yet a directory");
    arguments.extend(["--set".into(), "flow_control.overflow=keep".into()]);
    let ran = backwater(&here, &arguments).expect(1);
    assert!(ran.out.contains("promises broken"), "{}", ran.out);
    assert!(ran.out.contains("overflowed"), "{}", ran.out);
    let manifest = json(&here.join("out/manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert!(here.join("out/report.html").is_file());
}

/// Relative credit leaks away on the second link; the first one stands still with it.
#[test]
fn a_dead_circuit_is_a_note_and_a_stuck_run_status_1() {
    let here = folder("standstill");
    let scenario = shipped("kung1993/sec45-standstill.toml");
    let ran = backwater(&here, &["run", &scenario, "--out", "note"]).expect(0);
    let ran = ran.complains("note: standstill: 1 flow has not moved since");
    assert!(
        ran.out.contains("VC1: 1 unit waiting for A -> S"),
        "{}",
        ran.out
    );
    let found = json(&here.join("note/summary.json"));
    assert_eq!(found["stuck"]["others_move"], true);
    let lost = |wait: usize| found["standstill"][wait]["control_lost_units"].as_u64();
    assert!(lost(0).is_none() && lost(1) > Some(0), "{found}");
    let text = fs::read_to_string(&scenario).expect("it is shipped");
    let (alone, _) = text
        .split_once("[[flows]]\nname = \"VC2\"")
        .expect("VC2 comes last");
    fs::write(here.join("alone.toml"), alone).expect("a scenario");
    let ran = backwater(&here, &["run", "alone.toml", "--out", "stuck"]).expect(1);
    ran.complains("error: standstill: nothing has moved since");
    let manifest = json(&here.join("stuck/manifest.json"));
    assert_eq!(manifest["partial"], false);
    let table = fs::read_to_string(here.join("stuck/tables/standstill.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1 + 2, "{table}");
    let saved = ["--set", "flow_control.kind=n23"];
    let run = ["run", "alone.toml", "--out", "healed", saved[0], saved[1]];
    let ran = backwater(&here, &run).expect(0);
    assert!(!ran.err.contains("standstill"), "{}", ran.err);
}

#[test]
fn bad_input_is_status_2() {
    let here = folder("bad");
    let text = "engine = \"packet\"\n[run]\nduratoin = \"1 ms\"\n";
    fs::write(here.join("bad.toml"), text).expect("a file");
    for command in ["run", "check"] {
        let ran = backwater(&here, &[command, "bad.toml"]).expect(2);
        let ran = ran.complains("bad.toml:3:1").complains("duration");
        assert_eq!(ran.out, "");
        backwater(&here, &[command, "missing.toml"])
            .expect(2)
            .complains("missing.toml");
        backwater(&here, &[command]).expect(2);
    }
    backwater(&here, &["chek", "bad.toml"])
        .expect(2)
        .complains("check");
    backwater(&here, &["--bogus"]).expect(2);
    backwater(&here, &["--help"]).expect(0);
    backwater(&here, &["--version"]).expect(0);
    assert!(!here.join("runs").exists(), "bad input leaves no directory");
}

#[test]
fn check_looks_at_every_file() {
    let here = folder("check");
    fs::write(here.join("bad.toml"), "x = 1\n").expect("a file");
    let good = shipped("kung1993/fig12-greedy.toml");
    let ran = backwater(&here, &["check", "bad.toml", &good]).expect(2);
    assert!(ran.out.contains("valid"), "{}", ran.out);
    backwater(&here, &["check", &good]).expect(0);
}

#[test]
fn audit_checks_and_changes_nothing() {
    let here = folder("audit");
    with_chance(&here, &["--out", "plain"]).expect(0);
    let ran = with_chance(&here, &["--out", "audited", "--audit"]).expect(0);
    let ran = ran
        .complains("promises checked")
        .complains("times the run's CPU time");
    let ran = ran.complains("trace hash the same without");
    let count = ran
        .err
        .rsplit("audit: ")
        .next()
        .and_then(|rest| rest.split(' ').next());
    let count: u64 = count
        .and_then(|count| count.replace(',', "").parse().ok())
        .unwrap_or(0);
    assert!(count > 1000, "{}", ran.err);
    assert_eq!(
        trace_hash(&here.join("plain")),
        trace_hash(&here.join("audited"))
    );
    let checks = json(&here.join("audited/manifest.json"))["checks"].clone();
    assert_eq!(checks[0]["holds"], true, "{checks}");
    assert_eq!(
        json(&here.join("plain/manifest.json"))["checks"],
        serde_json::json!([])
    );
}

#[test]
fn what_has_no_title_is_called_as_its_file() {
    let here = folder("untitled");
    let text = "[run]\nduration = \"100 cells\"\n[link]\nrate = \"622 Mbps\"\ndelay = \"50 us\"\n\
        [network]\nhosts = [\"A\", \"B\"]\n[[links]]\nbetween = [\"A\", \"B\"]\n[[flows]]\n\
        name = \"f\"\nfrom = \"A\"\nto = \"B\"\n";
    fs::write(here.join("two.toml"), text).expect("a file");
    let ran = backwater(&here, &["run", "two.toml"]).expect(0);
    assert!(ran.out.starts_with("two: 100 cells"), "{}", ran.out);
    let page = fs::read_to_string(here.join("runs/two/report.html")).expect("a report");
    assert!(page.contains("<h1>two</h1>"), "the page has a heading");
    let sweep = ["sweep", "two.toml", "--seeds", "2"];
    let ran = backwater(&here, &sweep).expect(0);
    assert!(ran.out.starts_with("two: 2 of 2 runs"), "{}", ran.out);
    let mut piped = command(&here);
    piped.args(["run", "-", "--out", "piped"]);
    let input = fs::File::open(here.join("two.toml")).expect("a file");
    let ran = finish(piped.stdin(input)).expect(0);
    assert!(
        ran.out.starts_with("standard input: 100 cells"),
        "{}",
        ran.out
    );
}

#[test]
fn standard_input_is_a_scenario() {
    let here = folder("stdin");
    let text = fs::read(figure_17()).expect("a scenario");
    let run = |text: &[u8]| {
        let mut child = command(&here)
            .args(["run", "-", "--out", "out"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(text).expect("it reads");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(run(&text).0, Some(0));
    backwater(&here, &["run", &figure_17(), "--out", "file"]).expect(0);
    assert_eq!(
        trace_hash(&here.join("out")),
        trace_hash(&here.join("file"))
    );
    let (status, err) = run(b"[run");
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("standard input:1"), "{err}");
}

#[test]
fn a_directory_of_others_stays_as_it_is() {
    let here = folder("foreign");
    fs::create_dir(here.join("mine")).expect("a folder");
    fs::write(here.join("mine/thesis.txt"), "years of work").expect("a file");
    for arguments in [
        ["run", &figure_17(), "--out", "mine"],
        ["reproduce", "kung1993.fig6.buffer-table", "--out", "mine"],
    ] {
        let ran = backwater(&here, &arguments).expect(2);
        ran.complains("mine").complains("--out");
    }
    let left: Vec<_> = fs::read_dir(here.join("mine")).expect("a folder").collect();
    assert_eq!(left.len(), 1);
    assert_eq!(
        fs::read(here.join("mine/thesis.txt")).expect("a file"),
        b"years of work"
    );
}

#[test]
fn a_second_run_replaces_the_first() {
    let here = folder("again");
    let with_series = ["run", &figure_17(), "--out", "out"];
    backwater(&here, &with_series).expect(0);
    assert!(here.join("out/series/vc1-at-switch-2.csv").is_file());
    let other = shipped("kung1993/fig12-greedy.toml");
    backwater(&here, &["run", &other, "--out", "out"]).expect(0);
    assert!(!here.join("out/series/vc1-at-switch-2.csv").exists());
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], false);
}

#[test]
fn two_seeds_are_refused() {
    let here = folder("runs-two-seeds");
    backwater(
        &here,
        &["run", &figure_17(), "--seed", "3", "--set", "run.seed=4"],
    )
    .expect(2)
    .complains("--seed 3 and --set run.seed=4 are two seeds");
}

/// Its directory runs by itself, wherever the file lay that the scenario names.
#[test]
fn a_file_of_another_folder_is_copied_and_named_there() {
    let here = folder("runs-elsewhere");
    fs::create_dir(here.join("study")).expect("a folder");
    let net = "router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3\n";
    fs::write(here.join("net.anynet"), net).expect("a file");
    let text = "engine = \"flit\"\n[run]\nmeasure = \"200 cycles\"\n[topology]\n\
                kind = \"file\"\nfile = \"../net.anynet\"\n[traffic]\nload = 0.1\n";
    fs::write(here.join("study/own.toml"), text).expect("a file");
    backwater(&here, &["run", "study/own.toml", "--out", "first"]).expect(0);
    fs::remove_file(here.join("net.anynet")).expect("it is there");
    backwater(&here, &["run", "first/resolved.toml", "--out", "second"]).expect(0);
    assert_eq!(
        trace_hash(&here.join("first")),
        trace_hash(&here.join("second"))
    );
}

#[test]
fn a_place_that_can_not_be_written_is_told_before_work() {
    let here = folder("runs-no-place");
    backwater(
        &here,
        &["reproduce", "kung1993", "--markdown", "nosuch/x.md"],
    )
    .expect(2)
    .complains("can't write `nosuch/x.md`: there is no such folder");
    assert!(!here.join("runs").exists(), "nothing ran");
    backwater(&here, &["reproduce", "kung1993", "--markdown", "."])
        .expect(2)
        .complains("can't write `.`: it is a folder");
}

/// Without series of its own a run of many flows draws their median and a band; few have a curve
/// each.
#[test]
fn many_flows_are_a_median_and_a_band() {
    let here = folder("runs-band");
    let frames = |hosts: u32| {
        format!(
            "engine = \"ethernet\"\n[run]\nduration = \"200 us\"\n[topology]\nkind = \"star\"\n\
             hosts_per_switch = {hosts}\n[link]\nrate = \"10 Gbps\"\n[buffer]\n\
             per_queue = \"1 MB\"\n[[patterns]]\nname = \"f\"\nkind = \"permutation\"\n\
             payload = \"1000 B\"\ntraffic = {{ kind = \"constant\", rate = \"1 Gbps\" }}\n"
        )
    };
    let cells = |hosts: u32| {
        format!(
            "[run]\nduration = \"2000 cells\"\n[topology]\nkind = \"star\"\n\
             hosts_per_switch = {hosts}\n[link]\nrate = \"155 Mbps\"\ndelay = \"1 us\"\n\
             [flow_control]\nkind = \"n23\"\nn2 = 5\nn3 = 20\n[[patterns]]\nname = \"f\"\n\
             kind = \"permutation\"\ntraffic = {{ kind = \"greedy\" }}\n"
        )
    };
    let cases = [
        (frames(6), "f[6]: goodput", "median of", 11),
        (frames(30), "median of 30", "f[6]: goodput", 35),
        (frames(200), "median of 128", "f[6]: goodput", 133),
        (cells(8), "f[8]: throughput", "median of", 16),
        (cells(20), "median of 20", "f[8]: throughput", 28),
    ];
    for (text, there, absent, series) in cases {
        fs::write(here.join("many.toml"), text).expect("a file");
        backwater(&here, &["run", "many.toml", "--out", "out"]).expect(0);
        let page = fs::read_to_string(here.join("out/report.html")).expect("a page");
        assert!(page.contains(there) && !page.contains(absent), "{there}");
        let manifest = json(&here.join("out/manifest.json"));
        let kept = manifest["series"].as_array().map_or(0, Vec::len);
        assert!(kept.abs_diff(series) <= 6, "{there}: {kept} series");
    }
}

/// Where the scenario gives another size than that of a cell, what is counted is told in bytes too.
#[test]
fn units_of_another_size_are_told_in_bytes() {
    let here = folder("runs-bytes");
    let set = ["--set", "run.duration=2 s", "--out", "out"];
    let said = |name: &str| {
        let file = shipped(name);
        backwater(&here, &[&["run", &file][..], &set].concat()).out
    };
    let edf = said("schedulers/edf.toml");
    let line = edf.lines().find(|line| line.starts_with("offered "));
    let line = line.unwrap_or_default().replace(',', "");
    let numbers = line.split(' ').filter_map(|word| word.parse::<u64>().ok());
    let numbers: Vec<u64> = numbers.collect();
    let [offered, _, _, _, bytes, delivered, dropped, inside] = numbers[..] else {
        panic!("{line}");
    };
    // Calls send 200 bytes, the transfer 1,000.
    assert!(bytes > 200 * offered && bytes < 1_000 * offered, "{line}");
    assert_eq!(bytes, delivered + dropped + inside, "{line}");
    assert!(line.ends_with(" bytes"), "{line}");
    // Cells of 53 bytes are cells.
    let atm = backwater(&here, &["run", &figure_17(), "--out", "atm"]).out;
    assert!(!atm.contains(" bytes"), "{atm}");
}
