//! `sweep`: points, tables, what repeats and what is refused.

use std::fs;

use crate::support::{backwater, folder, json, shipped};
use crate::sweeping::{SHARED, SHARED_POINTS, contents, log, rows, same_contents, shared};

#[test]
fn a_sweep_writes_tables_curves_and_points() {
    let here = folder("sweep");
    shared(&here, &[]);
    let ran = backwater(&here, &["sweep", "shared.toml"]).expect(0);
    assert!(
        ran.out.contains("36 of 36 runs, 36 computed now"),
        "{}",
        ran.out
    );
    let made = here.join("runs/shared-sweep");
    let points = rows(&made, "sweep.csv");
    assert_eq!(points.len(), SHARED_POINTS);
    assert_eq!(points[0][..3], ["0.1", "4", "1"]);
    assert_eq!(points[1][..3], ["0.1", "4", "2"]);
    assert_eq!(points[SHARED_POINTS - 1][..3], ["0.6", "16", "3"]);
    let summary = rows(&made, "summary.csv");
    assert_eq!(summary.len(), SHARED_POINTS / 3);
    let manifest = json(&made.join("manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert_eq!(manifest["points"], SHARED_POINTS);
    for file in manifest["files"].as_array().expect("files are listed") {
        let path = made.join(file.as_str().unwrap_or_default());
        assert!(path.is_file(), "{path:?} is listed and missing");
    }
    for figure in [
        "latency-over-load",
        "throughput-over-load",
        "highest-throughput-over-n3",
    ] {
        assert!(
            made.join(format!("figures/{figure}.svg")).is_file(),
            "{figure}"
        );
    }
    let page = fs::read_to_string(made.join("report.html")).expect("a report");
    assert!(page.contains("backwater sweep shared.toml") && !page.contains("--jobs"));
}

/// The mean over three seeds and its interval, from the rows themselves.
#[test]
fn the_summary_is_the_mean_of_its_rows() {
    let here = folder("sweep-summary");
    shared(&here, &[]);
    backwater(&here, &["sweep", "shared.toml", "--out", "out"]).expect(0);
    let points = rows(&here.join("out"), "sweep.csv");
    let summary = rows(&here.join("out"), "summary.csv");
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let accepted: Vec<f64> = points[3..6].iter().map(|row| number(&row[4])).collect();
    let mean = accepted.iter().sum::<f64>() / 3.0;
    let squares: f64 = accepted.iter().map(|value| (value - mean).powi(2)).sum();
    let half_width = 4.302653 * (squares / 2.0 / 3.0).sqrt();
    assert!((number(&summary[1][5]) - mean).abs() < 1e-9 * mean);
    assert!((number(&summary[1][6]) - half_width).abs() < 1e-6 * half_width);
    assert_eq!(summary[1][2], "3");
}

#[test]
fn any_number_of_jobs_writes_the_same() {
    let here = folder("sweep-jobs");
    shared(&here, &[]);
    for jobs in ["1", "2", "7"] {
        let arguments = ["sweep", "shared.toml", "--jobs", jobs, "--out", jobs];
        backwater(&here, &arguments).expect(0);
    }
    same_contents(&here.join("1"), &here.join("2"));
    same_contents(&here.join("1"), &here.join("7"));
    let other = ["sweep", "shared.toml", "--seed", "9", "--out", "other"];
    backwater(&here, &other).expect(0);
    let table = |name: &str| contents(&here.join(name))["tables/sweep.csv"].clone();
    assert_ne!(table("1"), table("other"), "another seed shows");
}

/// A row of a sweep is the run of the same scenario, values and seed.
#[test]
fn a_point_is_the_run_with_its_values_set() {
    let here = folder("sweep-run");
    shared(&here, &[]);
    backwater(&here, &["sweep", "shared.toml", "--out", "swept"]).expect(0);
    let sets = [
        "--set",
        "flows.*.traffic.load=0.4",
        "--set",
        "flow_control.n3=4",
    ];
    let mut arguments = vec!["run", "shared.toml", "--seed", "2", "--out", "ran"];
    arguments.extend(sets);
    backwater(&here, &arguments).expect(0);
    let swept = rows(&here.join("swept"), "sweep.csv");
    let row = swept.iter().find(|row| row[..3] == ["0.4", "4", "2"]);
    let manifest = json(&here.join("ran/manifest.json"));
    let hash = row.and_then(|row| row.last()).expect("such a row");
    assert_eq!(manifest["trace_hash"], hash.as_str());
}

#[test]
fn only_what_is_new_or_damaged_is_computed() {
    let here = folder("sweep-again");
    shared(&here, &[]);
    let out = here.join("out");
    let sweep = |more: &[&str]| {
        let mut arguments = vec!["sweep", "shared.toml", "--out", "out"];
        arguments.extend(more);
        backwater(&here, &arguments).expect(0).out
    };
    assert!(sweep(&[]).contains("36 computed now"));
    let first = contents(&out);
    assert!(sweep(&[]).contains("0 computed now"));
    assert_eq!(contents(&out), first);
    let point = first
        .keys()
        .find(|name| name.starts_with("points/"))
        .expect("a point");
    fs::write(out.join(point), &first[point][..40]).expect("a file");
    assert!(sweep(&[]).contains(" 1 computed now"));
    assert_eq!(contents(&out), first);
    assert!(sweep(&["--axis", "n3=4,16,8"]).contains("18 computed now"));
    assert!(sweep(&["--seeds", "3,1"]).contains("0 computed now"));
    assert!(sweep(&[]).contains("0 computed now"));
    assert_eq!(log(&out).len(), 36 + 1 + 18);
    assert!(sweep(&["--fresh"]).contains("36 computed now"));
    assert_eq!(contents(&out), first, "fresh forgets what is not asked for");
    assert_eq!(log(&out).len(), 36);
}

#[test]
fn mistakes_of_all_points_are_told_before_anything_runs() {
    let here = folder("sweep-wrong");
    shared(&here, &[]);
    let wrong = |arguments: &[&str]| {
        let mut all = vec!["sweep", "shared.toml", "--out", "out"];
        all.extend(arguments);
        backwater(&here, &all).expect(2)
    };
    wrong(&["--axis", "load"]).complains("KEY=VALUES");
    wrong(&["--axis", "lod=1,2"]).complains("did you mean `load`?");
    wrong(&["--axis", "load=0.1,0.2"]).complains("`flows.*.traffic.load`");
    wrong(&["--axis", "link.delays=1 us"]).complains("unknown key `delays`");
    wrong(&["--axis", "n3=4,4"]).complains("given twice");
    wrong(&["--axis", "n3={ from = 1, to = 9 }"]).complains("`step` or `factor`");
    wrong(&["--axis", "n3={ from = 1, to = 999999, step = 1 }"]).complains("too many points");
    wrong(&["--seeds", "0"]).complains("no seeds");
    wrong(&["--seeds", "1,x"]).complains("no seeds");
    let both = wrong(&["--axis", "n3=4,-2", "--axis", "n2=4,-1"]);
    let both = both
        .complains("`n3` can't be -2")
        .complains("`n2` can't be -1");
    let both = both.complains("in the point load = 0.1, n3 = -2, n2 = 4, seed = 1");
    assert!(both.err.contains("2 errors"), "{}", both.err);
    wrong(&["--jobs", "0"]).complains("--jobs");
    assert!(!here.join("out").exists(), "refused, and yet a directory");
    let plain = shipped("kung1993/fig17-two-switches.toml");
    backwater(&here, &["sweep", &plain])
        .expect(2)
        .complains("nothing varies");
    backwater(&here, &["sweep", "missing.toml"])
        .expect(2)
        .complains("missing.toml");
}

/// A column of a flow is what the tables of the run of that point say.
#[test]
fn columns_of_flows_are_those_of_a_run() {
    let here = folder("sweep-columns");
    shared(&here, &[]);
    let one = ["--axis", "flows.*.traffic.load=0.3", "--axis", "n3=16"];
    let sweep = |more: &[&str], status| {
        let mut arguments = vec!["sweep", "shared.toml", "--seeds", "1", "--out", "out"];
        arguments.extend(one);
        arguments.extend(more);
        backwater(&here, &arguments).expect(status)
    };
    let columns = ["--columns", "one.delivered,two.throughput_mbps"];
    assert!(sweep(&columns, 0).out.contains("1 computed now"));
    assert!(sweep(&columns, 0).out.contains("0 computed now"));
    let swept = rows(&here.join("out"), "sweep.csv");
    let arguments = [
        "run",
        "shared.toml",
        "--set",
        "flow_control.n3=16",
        "--out",
        "ran",
    ];
    backwater(&here, &arguments).expect(0);
    let flows = rows(&here.join("ran"), "flows.csv");
    let last = swept[0].len() - 3;
    assert_eq!(
        swept[0][last..last + 2],
        [flows[0][5].clone(), flows[1][2].clone()]
    );
    // What was stored without the columns does not have them.
    assert!(sweep(&[], 0).out.contains("1 computed now"));
    let wrong = sweep(&["--columns", "three.delivered,one.delivred"], 2);
    let wrong = wrong.complains("there is no flow or group `three`");
    wrong
        .complains("`one` has no `delivred`")
        .complains("throughput_mbps");
}

/// What only the engine would refuse, in the second of two points.
const SESSION: &str = r#"
[run]
duration = "500 cells"
[link]
rate = "155 Mbps"
delay = "1 us"
[network]
hosts = ["A", "B"]
[[links]]
between = ["A", "B"]
[[flows]]
name = "f"
from = "A"
to = "B"
traffic = { kind = "poisson", load = 0.1 }
reserve = { rate = "30 Mbps", interval = "1 ms" }
session = { open = "50 cells" }
[sweep.axes]
"link.control_loss" = [0.0, 0.1]
"#;

#[test]
fn what_an_engine_refuses_is_told_before_anything_runs() {
    let here = folder("sweep-refused");
    fs::write(here.join("session.toml"), SESSION).expect("a file");
    let ran = backwater(&here, &["sweep", "session.toml", "--out", "out"]).expect(2);
    let ran = ran.complains("bad-session").complains("session.toml:17:11");
    ran.complains("in the point");
    assert!(!here.join("out").exists(), "refused, and yet a directory");
}

#[test]
fn nasty_axes_are_refused() {
    let here = folder("sweep-nasty");
    shared(&here, &[]);
    let long = format!("{}=1", "a.".repeat(20_000));
    let many = format!("n3={}", "[".repeat(50_000));
    for axis in [
        "=",
        "=1",
        "....=1",
        "n3=",
        "n3=,",
        "n3=[",
        "n3={",
        "n3={}",
        "n3=[[1]]",
        "n3=99999999999999999999999999",
        "n3={ from = 1, to = 1e400, step = 1 }",
        "n3={ from = 1, to = 2, step = 1e-400 }",
        "flows.*=1",
        "flows.*.*=1",
        "sweep.axes.n3=1",
        "run.seed=1,2",
        "engine=packet",
        "link.rate=\"1 furlong\"",
        "\u{1b}[2J=1",
        &long,
        &many,
    ] {
        let arguments = ["sweep", "shared.toml", "--out", "out", "--axis", axis];
        let ran = backwater(&here, &arguments);
        assert_eq!(ran.status, 2, "{axis:.80}: {}", ran.err);
    }
    let axes: String = (0..40)
        .map(|n| format!("\"flows.one.x{n}\" = [1]\n"))
        .collect();
    let text = SHARED.replace("n3 = [4, 16]", &axes);
    fs::write(here.join("shared.toml"), text).expect("a file");
    let ran = backwater(&here, &["sweep", "shared.toml", "--out", "out"]).expect(2);
    ran.complains("one more than 32");
    assert!(!here.join("out").exists(), "refused, and yet a directory");
}

/// Every combination is looked at, not only each value alone.
#[test]
fn values_that_do_not_go_together_are_told() {
    let here = folder("sweep-together");
    shared(&here, &[]);
    let arguments = ["sweep", "shared.toml", "--out", "out"];
    let axes = [
        "--axis",
        "run.duration=1500 cells,100 cells",
        "--axis",
        "run.warm_up=50 cells,300 cells",
    ];
    let ran = backwater(&here, &[&arguments[..], &axes[..]].concat());
    let ran = ran.expect(2).complains("warm_up");
    let point = "in the point load = 0.1, n3 = 4, duration = 100 cells, warm_up = 300 cells";
    assert!(ran.err.contains(point), "{}", ran.err);
    assert!(ran.err.contains("1 error"), "{}", ran.err);
}

#[test]
fn broken_promises_are_status_1_and_kept() {
    let here = folder("sweep-broken");
    shared(&here, &[("[sweep]\n", "[ignored]\n")]);
    let text = fs::read_to_string(here.join("shared.toml")).expect("a file");
    let text = text.split("[ignored]").next().unwrap_or_default();
    fs::write(here.join("shared.toml"), text).expect("a file");
    let mut arguments = vec!["sweep", "shared.toml", "--out", "out", "--axis", "n3=16,40"];
    arguments.extend(["--set", "flow_control.window=4 cells"]);
    arguments.extend(["--set", "flow_control.overflow=keep"]);
    arguments.extend(["--set", "flows.*.traffic.load=0.9"]);
    let ran = backwater(&here, &arguments).expect(1);
    let ran = ran.complains("broke a promise");
    assert_eq!(rows(&here.join("out"), "sweep.csv").len(), 2, "{}", ran.out);
}

#[test]
fn the_shipped_sweeps_run() {
    let here = folder("sweep-shipped");
    let file = shipped("sweeps/shared-link.toml");
    let mut arguments = vec!["sweep", &file, "--out", "out", "--seeds", "1"];
    arguments.extend([
        "--set",
        "run.duration=3000 cells",
        "--set",
        "run.warm_up=500 cells",
    ]);
    backwater(&here, &arguments).expect(0);
    assert_eq!(rows(&here.join("out"), "sweep.csv").len(), 28);
    backwater(&here, &["check", &file]).expect(0);
}

/// A scenario with a sweep still runs alone, and what it resolves to says the same.
#[test]
fn a_run_leaves_the_sweep_alone() {
    let here = folder("sweep-alone");
    shared(&here, &[]);
    backwater(&here, &["run", "shared.toml", "--out", "one"]).expect(0);
    backwater(&here, &["run", "one/resolved.toml", "--out", "two"]).expect(0);
    let hash = |name: &str| json(&here.join(name).join("manifest.json"))["trace_hash"].clone();
    assert_eq!(hash("one"), hash("two"));
    let resolved = |name: &str| fs::read(here.join(name).join("resolved.toml")).expect("a file");
    assert_eq!(resolved("one"), resolved("two"));
    backwater(&here, &["sweep", "one/resolved.toml", "--out", "swept"]).expect(0);
    assert_eq!(rows(&here.join("swept"), "sweep.csv").len(), SHARED_POINTS);
}

/// As after an update: the points are there and do not count, and that is said, once.
#[test]
fn points_of_another_program_are_told_of() {
    let here = folder("sweep-another");
    shared(&here, &[]);
    let sweep = ["sweep", "shared.toml", "--out", "out"];
    let quiet = backwater(&here, &sweep).expect(0);
    assert!(!quiet.err.contains("do not count"), "{}", quiet.err);
    let (points, log) = (here.join("out/points"), here.join("out/points.log"));
    let version = env!("CARGO_PKG_VERSION");
    for entry in fs::read_dir(&points).expect("points") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a point");
        let older = text.replace(&format!("{version:?}"), "\"0.0.9\"");
        assert_ne!(text, older);
        // The version is part of the name, too.
        let name = path.file_name().expect("a name").to_string_lossy();
        let other = name.chars().rev().skip(5).collect::<String>();
        fs::write(points.join(other + ".json"), older).expect("a point");
        fs::remove_file(&path).expect("a point");
    }
    let turned = |line: &str| {
        let (name, rest) = line.split_at(32);
        name.chars().rev().collect::<String>() + rest + "\n"
    };
    let lines = fs::read_to_string(&log).expect("the log");
    fs::write(&log, lines.lines().map(turned).collect::<String>()).expect("the log");
    let told = backwater(&here, &sweep).expect(0);
    let note = "points has points of backwater 0.0.9 with sources";
    assert!(told.err.contains(note), "{}", told.err);
    assert!(told.err.contains("`--fresh`"), "{}", told.err);
    assert!(told.out.contains("36 computed now"), "{}", told.out);
    let again = backwater(&here, &sweep).expect(0);
    assert!(!again.err.contains("do not count"), "{}", again.err);
    assert!(again.out.contains(" 0 computed now"), "{}", again.out);
}
