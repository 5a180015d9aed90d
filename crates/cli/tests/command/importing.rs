//! `import`: files of other simulators become a scenario that runs.

use std::fs;

use crate::support::{backwater, folder, json};

const NET: &str = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n";
const FLOWS: &str = "2\n0 2 3 100 20000 0.0001\n1 2 3 100 20000 0.0001\n1 0 3 100 5 1\n";

#[test]
fn a_topology_and_its_flows_run() {
    let here = folder("importing");
    fs::create_dir_all(here.join("mix")).expect("a folder");
    fs::write(here.join("mix/net.txt"), NET).expect("it is written");
    fs::write(here.join("mix/flow.txt"), FLOWS).expect("it is written");
    let both = ["import", "mix/net.txt", "mix/flow.txt"];
    let made = backwater(&here, &[&both[..], &["--out", "mix/own.toml"]].concat()).expect(0);
    assert!(
        made.out.contains("3 hosts, 1 switch, 3 links; 2 flows"),
        "{}",
        made.out
    );
    let left = "1 flow behind the 2 that the first line counts";
    made.complains(left);
    let text = fs::read_to_string(here.join("mix/own.toml")).expect("it is there");
    let parts = [
        "file = \"net.txt\"",
        "file = \"flow.txt\"",
        "class = 3",
        "# From flows",
        left,
    ];
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    backwater(&here, &["run", "mix/own.toml", "--out", "r", "--audit"]).expect(0);
    let summary = json(&here.join("r/summary.json")).to_string();
    assert!(summary.contains("\"transfers\""), "{summary}");
    // On standard output paths start here.
    let printed = backwater(&here, &both).expect(0).out;
    assert_eq!(printed.replace("mix/", ""), text);
}

/// The incast of uet-htsim: sixteen nodes, fifteen of which send to the last.
#[test]
fn a_connection_matrix_runs_alone() {
    let here = folder("importing-matrix");
    let lines: String = (0..15)
        .map(|node| format!("{node}->15 start 0 size 2000000\n"))
        .collect();
    fs::write(
        here.join("incast.cm"),
        format!("Nodes 16\nConnections 15\n{lines}"),
    )
    .expect("it is");
    backwater(&here, &["import", "incast.cm", "--out", "own.toml"]).expect(0);
    let ran = backwater(&here, &["run", "own.toml", "--out", "r"]).expect(0);
    // 30 MB at 100 Gbps are 2.4 ms, and headers come on top.
    assert!(
        ran.out.contains("transfers: 15 complete, the last at 2.5"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("nothing was dropped"), "{}", ran.out);
}

#[test]
fn what_can_not_be_imported_is_told() {
    let here = folder("importing-wrong");
    let files = [
        ("net.txt", NET),
        ("other.txt", NET),
        ("late.cm", "0->1 start 5 size 5\n"),
        ("words.txt", "once upon a time\n"),
        ("cut.txt", "4 1 3\n3\n0 3 100Gbps\n"),
    ];
    for (name, text) in files {
        fs::write(here.join(name), text).expect("it is written");
    }
    let refused = |names: &[&str], parts: &[&str]| {
        let mut all = vec!["import"];
        all.extend(names);
        all.extend(["--out", "own.toml"]);
        let mut ran = backwater(&here, &all).expect(2);
        for part in parts {
            ran = ran.complains(part);
        }
        assert!(!here.join("own.toml").exists(), "{names:?}");
    };
    refused(&["net.txt", "other.txt"], &["both have nodes and links"]);
    refused(
        &["late.cm"],
        &["line 1", "picoseconds", "microseconds", "--start-unit us"],
    );
    refused(&["words.txt"], &["none of the forms", "HPCC", "`.cm`"]);
    refused(
        &["cut.txt"],
        &["`cut.txt`", "line 3", "the file ends here", "link 1 of 3"],
    );
    refused(&["none.txt"], &["can't read `none.txt`"]);
    let late = [
        "import",
        "late.cm",
        "--start-unit",
        "us",
        "--out",
        "own.toml",
    ];
    backwater(&here, &late).expect(0);
    let text = fs::read_to_string(here.join("own.toml")).expect("it is there");
    assert!(text.contains("start_unit = \"us\""), "{text}");
}
