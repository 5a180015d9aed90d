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

/// Runs a scenario on one thread and on so many, and compares all that is left.
fn compare(here: &Path, file: &str, threads: &str) {
    let run = |threads: &str| {
        let name = Path::new(file).file_stem().expect("a name").display();
        let out = format!("{name}-{threads}");
        let ran = backwater(here, &["run", file, "--out", &out, "--threads", threads]);
        assert!(!ran.err.contains("one thread: "), "{file}: {}", ran.err);
        (ran.status, files(&here.join(out)))
    };
    let (one, several) = (run("1"), run(threads));
    assert_eq!(one.0, several.0, "{file}: status");
    let names = |found: &BTreeMap<PathBuf, Vec<u8>>| found.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one.1), names(&several.1), "{file}");
    for (path, bytes) in &one.1 {
        assert!(bytes == &several.1[path], "{file}: {}", path.display());
    }
    assert!(one.1.len() > 5, "{file}");
}

#[test]
fn threads_change_no_file_of_results() {
    let here = folder("threads");
    for name in SCENARIOS {
        compare(&here, &shipped(&format!("{name}.toml")), "3");
    }
}

/// One frame is on the wire as the warm-up ends, and nothing else happens then. The map looks at
/// each part in between.
#[test]
fn a_frame_under_way_when_the_warm_up_ends_counts_on_any_number_of_threads() {
    let here = folder("threads-warm-up");
    let text = "engine = \"ethernet\"\n[run]\nduration = \"400 us\"\nwarm_up = \"20 us\"\n\
                [topology]\nkind = \"star\"\nhosts_per_switch = 2\n\
                [link]\nrate = \"10 Gbps\"\ndelay = \"5 us\"\n\
                [[flows]]\nname = \"f\"\nfrom = \"H1_1\"\nto = \"H1_2\"\ntransport = \"udp\"\n\
                traffic = { kind = \"constant\", rate = \"500 Mbps\", start = \"19 us\" }\n";
    fs::write(here.join("late.toml"), text).expect("a folder to write in");
    compare(&here, "late.toml", "2");
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
