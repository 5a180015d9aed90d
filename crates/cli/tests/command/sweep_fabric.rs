//! `sweep` and `saturate` of the flit engine.

use std::fs;
use std::path::Path;

use crate::support::{backwater, folder, json, shipped};
use crate::sweeping::{MESH_POINTS, contents, log, mesh, rows, same_contents};

const SWEEP: [&str; 4] = ["sweep", "shared.toml", "--out", "out"];

/// Columns of `sweep.csv` by name.
fn column(directory: &Path, name: &str) -> usize {
    let text = fs::read_to_string(directory.join("tables/sweep.csv")).expect("a table");
    let mut names = text.lines().next().unwrap_or_default().split(',');
    names
        .position(|heading| heading == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn vcs_carry_more_and_what_saturates_is_told() {
    let here = folder("sweep-fabric");
    mesh(&here, &[]);
    let ran = backwater(&here, &SWEEP).expect(0);
    assert!(ran.out.contains("18 of 18 runs"), "{}", ran.out);
    let out = here.join("out");
    let points = rows(&out, "sweep.csv");
    assert_eq!(points.len(), MESH_POINTS);
    let number = |row: &[String], name: &str| -> f64 {
        let text = &row[column(&out, name)];
        text.parse().unwrap_or_else(|_| panic!("{name} = {text}"))
    };
    for row in &points {
        let is_low = row[1] == "0.1";
        let is_high = row[1] == "0.9";
        assert!(!is_low || number(row, "saturated") == 0.0, "{row:?}");
        assert!(!is_high || number(row, "saturated") == 1.0, "{row:?}");
        if is_low {
            let [offered, accepted] =
                ["offered", "accepted"].map(|name| number(row, &format!("{name}_flits_per_cycle")));
            assert!((offered - 0.1).abs() < 0.03, "{row:?}");
            assert!((accepted - offered).abs() < 0.01, "{row:?}");
            assert_eq!(number(row, "unfinished_packets"), 0.0, "{row:?}");
        }
        // Beyond saturation more than one in a hundred have not arrived: nobody knows the 99th.
        if is_high {
            assert!(number(row, "unfinished_packets") > 0.0, "{row:?}");
            assert_eq!(row[column(&out, "latency_p99_cycles")], "", "{row:?}");
        } else {
            let [p50, p99] = ["p50", "p99"].map(|at| number(row, &format!("latency_{at}_cycles")));
            assert!(p50 <= p99 && p50 > 0.0, "{row:?}");
        }
        assert!(number(row, "network_latency_mean_cycles") <= number(row, "latency_mean_cycles"));
        // The tail is three flits behind the header, which crosses each channel in a cycle.
        let least = number(row, "channels_crossed_mean_hops") + 3.0;
        assert!(
            number(row, "network_latency_mean_cycles") >= least,
            "{row:?}"
        );
    }
    let accepted = |vcs: &str| {
        let row = points.iter().find(|row| row[0] == vcs && row[1] == "0.9");
        number(row.expect("such a row"), "accepted_flits_per_cycle")
    };
    assert!(
        accepted("4") > 1.1 * accepted("1"),
        "VCs make no difference"
    );
    for figure in ["latency-over-load", "highest-throughput-over-vcs"] {
        assert!(out.join(format!("figures/{figure}.svg")).is_file());
    }
    let page = fs::read_to_string(out.join("report.html")).expect("a report");
    assert!(page.contains("Left out beyond saturation"));
}

/// A row is the run of the same scenario; beyond saturation with a drain of one cycle.
#[test]
fn a_point_is_the_run_with_its_values_set() {
    let here = folder("sweep-fabric-run");
    mesh(&here, &[("seeds = 2", "seeds = [3]")]);
    backwater(&here, &SWEEP).expect(0);
    let swept = rows(&here.join("out"), "sweep.csv");
    let hash = |load: &str, drain: &str| {
        let load = format!("traffic.load={load}");
        let sets = ["--set", &load, "--set", drain, "--set", "router.vcs=2"];
        let start = ["run", "shared.toml", "--seed", "3", "--out", "ran"];
        backwater(&here, &[&start[..], &sets].concat()).expect(0);
        json(&here.join("ran/manifest.json"))["trace_hash"].clone()
    };
    let of_row = |load: &str| {
        let row = swept.iter().find(|row| row[..2] == ["2", load]);
        row.and_then(|row| row.last()).expect("such a row").as_str()
    };
    assert_eq!(hash("0.1", "run.drain=20000"), of_row("0.1"));
    assert_eq!(hash("0.9", "run.drain=1"), of_row("0.9"));
    assert_ne!(hash("0.9", "run.drain=20000"), of_row("0.9"), "drained");
}

/// A network that stands still is run on until that is certain, though its window has shown
/// saturation before.
#[test]
fn a_deadlock_is_told_from_saturation() {
    let here = folder("sweep-fabric-deadlock");
    let file = shipped("flit/ring-deadlock.toml");
    let mut arguments = vec!["sweep", &file, "--out", "out", "--seeds", "2"];
    arguments.extend(["--set", "run.warm_up=1000", "--set", "run.measure=4000"]);
    arguments.extend(["--set", "run.stall=20000"]);
    backwater(&here, &arguments)
        .expect(1)
        .complains("in 2 runs nothing could move any more, first with seed = ")
        .complains("see `deadlocked` in the tables");
    let out = here.join("out");
    for row in rows(&out, "sweep.csv") {
        let value = |name: &str| row[column(&out, name)].as_str();
        assert_eq!([value("saturated"), value("deadlocked")], ["1", "1"]);
        let cycles: u64 = value("cycles").parse().expect("a count");
        assert!(cycles > 20_000, "{row:?}");
    }
}

#[test]
fn any_number_of_jobs_writes_the_same() {
    let here = folder("sweep-fabric-jobs");
    mesh(&here, &[]);
    for jobs in ["1", "3"] {
        backwater(
            &here,
            &["sweep", "shared.toml", "--jobs", jobs, "--out", jobs],
        )
        .expect(0);
    }
    same_contents(&here.join("1"), &here.join("3"));
}

/// What a file holds that the scenario names belongs to the point.
#[test]
fn another_network_file_is_another_point() {
    let here = folder("sweep-fabric-file");
    let files = (
        "kind = \"mesh\"\nsides = [4, 4]",
        "kind = \"file\"\nfile = \"net.anynet\"",
    );
    mesh(&here, &[files, ("vcs = [1, 2, 4]\n", "")]);
    let write = |text: &str| fs::write(here.join("net.anynet"), text).expect("a file");
    write("router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3\n");
    let first = backwater(&here, &SWEEP).expect(0);
    assert!(first.out.contains("6 computed now"), "{}", first.out);
    let out = here.join("out");
    assert!(
        contents(&out).contains_key("net.anynet"),
        "kept beside the scenario"
    );
    let again = backwater(&here, &SWEEP).expect(0);
    assert!(again.out.contains(" 0 computed now"), "{}", again.out);
    write("router 0 node 0 node 1 router 1 3\nrouter 1 node 2 node 3\n");
    let other = backwater(&here, &SWEEP).expect(0);
    assert!(other.out.contains("6 computed now"), "{}", other.out);
    assert_eq!(log(&out).len(), 12);
    fs::remove_file(here.join("net.anynet")).expect("a file");
    let ran = backwater(&here, &SWEEP).expect(2);
    ran.complains("can't read `net.anynet`");
}

/// A line of channels between two halves: all traffic crosses it.
#[test]
fn a_shared_channel_is_full_at_its_rate() {
    let here = folder("saturate-fabric");
    // Every terminal of one side sends to the other side: three share a channel each way.
    fs::write(
        here.join("net.anynet"),
        "router 0 node 0 node 1 node 2 router 1\nrouter 1 node 3 node 4 node 5\n",
    )
    .expect("a file");
    fs::write(
        here.join("weights.csv"),
        "0,0,0,1,0,0\n0,0,0,0,1,0\n0,0,0,0,0,1\n1,0,0,0,0,0\n0,1,0,0,0,0\n0,0,1,0,0,0\n",
    )
    .expect("a file");
    mesh(
        &here,
        &[
            (
                "kind = \"mesh\"\nsides = [4, 4]",
                "kind = \"file\"\nfile = \"net.anynet\"",
            ),
            ("vcs = 1", "vcs = 4"),
            (
                "flits = 4",
                "flits = 1\npattern = { kind = \"matrix\", file = \"weights.csv\" }",
            ),
            ("\"2000 cycles\"", "\"20000 cycles\""),
            ("vcs = [1, 2, 4]\n", ""),
            ("seeds = 2", "seeds = 1"),
        ],
    );
    let arguments = [
        "saturate",
        "shared.toml",
        "--precision",
        "0.01",
        "--out",
        "out",
    ];
    let ran = backwater(&here, &arguments).expect(0);
    let found = rows(&here.join("out"), "saturation.csv");
    let [low, high] = [0, 1].map(|end| found[0][end].parse::<f64>().expect("a load"));
    assert!(low >= 0.31 && high <= 0.35, "a third: {}", ran.out);
    let last: f64 = found[0][3].parse().expect("accepted");
    assert!((last - 1.0 / 3.0).abs() < 0.01, "{found:?}");
}

#[test]
fn an_8_x_8_mesh_saturates_below_a_half() {
    let here = folder("saturate-mesh");
    let file = shipped("flit/mesh-8x8.toml");
    let mut arguments = vec!["saturate", &file, "--precision", "0.05", "--out", "out"];
    arguments.extend(["--set", "run.measure=2000", "--set", "run.warm_up=1000"]);
    backwater(&here, &arguments).expect(0);
    let found = rows(&here.join("out"), "saturation.csv");
    let low: f64 = found[0][0].parse().expect("a load");
    assert!((0.3..0.45).contains(&low), "{found:?}");
}

#[test]
fn the_shipped_sweeps_run() {
    for (name, points) in [("fly-vcs", 95), ("mesh-latency", 72)] {
        let here = folder(&format!("sweep-shipped-{name}"));
        let file = shipped(&format!("sweeps/{name}.toml"));
        let mut arguments = vec!["sweep", &file, "--out", "out", "--seeds", "1"];
        arguments.extend(["--set", "run.measure=100", "--set", "run.warm_up=50"]);
        arguments.extend(["--set", "run.drain=500"]);
        backwater(&here, &arguments).expect(0);
        assert_eq!(rows(&here.join("out"), "sweep.csv").len(), points);
    }
}
