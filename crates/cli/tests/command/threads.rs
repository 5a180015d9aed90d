//! A run on several threads leaves the files that one thread leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{backwater, folder, shipped};

/// Shipped scenarios of every kind: schemes, sources, transports, what is lost and cut.
const SCENARIOS: [&str; 18] = [
    "abr/five-sources",
    "abr/link-failure",
    "abr/tcp-over-abr",
    "ethernet/credit-fabric",
    "ethernet/dctcp",
    "ethernet/delay-bounds",
    "ethernet/lost-pause",
    "ethernet/multicast",
    "ethernet/schedulers",
    "ethernet/shared-memory",
    "ethernet/tree-deadlock",
    "flit/anynet",
    "flit/ring-dateline",
    "kung1993/fig21-file-servers",
    "kung1993/fig22-multicast",
    "nouredine1999/fig13-video",
    "schedulers/ats",
    "zhang1991/bound",
];

/// Files below a folder, but for those that say how long the run took.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("manifest.json") && !path.ends_with("report.html") {
                let name = path.strip_prefix(folder).expect("below it").to_path_buf();
                all.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    all
}

#[test]
fn threads_change_no_file_of_results() {
    let here = folder("threads");
    for name in SCENARIOS {
        let file = shipped(&format!("{name}.toml"));
        let run = |threads: &str| {
            let out = format!("{}-{threads}", name.replace('/', "-"));
            let ran = backwater(&here, &["run", &file, "--out", &out, "--threads", threads]);
            assert!(!ran.err.contains("one thread: "), "{name}: {}", ran.err);
            (ran.status, files(&here.join(out)))
        };
        let (one, several) = (run("1"), run("3"));
        assert_eq!(one.0, several.0, "{name}: status");
        let names = |found: &BTreeMap<PathBuf, Vec<u8>>| found.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&one.1), names(&several.1), "{name}");
        for (path, bytes) in &one.1 {
            assert!(bytes == &several.1[path], "{name}: {}", path.display());
        }
        assert!(one.1.len() > 5, "{name}");
    }
}

#[test]
fn what_takes_one_thread_is_named() {
    let here = folder("threads-reasons");
    let text = fs::read_to_string(shipped("flit/ring-dateline.toml")).expect("it is shipped");
    let series = format!("{text}\n[[series]]\nname = \"a\"\nmeasure = \"accepted\"\n");
    fs::write(here.join("series.toml"), series).expect("a folder to write in");
    let reason = |file: &str, options: &[&str]| {
        let run = ["run", file, "--threads", "2"];
        let ran = backwater(&here, &[&run, options].concat());
        let lines: Vec<&str> = ran.err.lines().collect();
        let reason = lines
            .iter()
            .find_map(|line| line.split_once("one thread: "));
        reason.map(|(_, why)| why.to_owned())
    };
    let shipped = shipped("flit/ring-dateline.toml");
    assert_eq!(
        reason("series.toml", &[]).as_deref(),
        Some("a run of flits with `[[series]]` takes one")
    );
    assert_eq!(
        reason(&shipped, &["--audit"]).as_deref(),
        Some("a run with `--audit` or `--trace` takes one")
    );
}
