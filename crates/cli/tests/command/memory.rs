//! Memory has a bound: commands end in time, say what grew and keep what they computed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Ran, finish, folder, json, shipped};

/// Address space for tests, kB: twice what the program maps before it runs anything.
const LITTLE: u32 = 200_000;
/// Memory allocation failed, and the program was aborted: the shell's or the kernel's status.
const ABORTED: [i32; 2] = [134, -1];

/// Runs the program with so much address space.
fn within<S: AsRef<str>>(limit_kb: u32, folder: &Path, arguments: &[S]) -> Ran {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v \"$0\"; exec \"$@\"", &limit_kb.to_string()])
        .arg(env!("CARGO_BIN_EXE_backwater"))
        .args(arguments.iter().map(S::as_ref))
        .current_dir(folder);
    finish(&mut command)
}

fn write(folder: &Path, text: &str) -> String {
    fs::write(folder.join("test.toml"), text).expect("it can be written");
    "test.toml".into()
}

/// A run that stopped for memory: tables are there, the cause is named, and it says so everywhere.
fn expect_stopped(ran: Ran, directory: &Path, cause: &str) {
    let ran = ran.expect(3).complains("error: memory: stopped in time");
    assert!(ran.err.contains(cause), "no `{cause}` in: {}", ran.err);
    let manifest = json(&directory.join("manifest.json"));
    assert_eq!(manifest["partial"], true);
    let checks = manifest["checks"].as_array().expect("checks are listed");
    let memory = checks.iter().find(|check| check["what"] == "memory");
    let detail = memory.map(|check| check["detail"].to_string());
    assert!(
        detail.is_some_and(|detail| detail.contains(cause)),
        "{checks:?}"
    );
    assert!(directory.join("report.html").exists());
    let tables = fs::read_dir(directory.join("tables")).expect("tables are there");
    assert!(tables.count() > 3);
}

const SERIES: &str = r#"
[run]
duration = "1000000000 cells"
[link]
rate = "622 Mbps"
delay = "1 us"
[network]
hosts = ["A", "B"]
switches = ["S"]
[[links]]
between = ["A", "S"]
[[links]]
between = ["S", "B"]
[[flows]]
name = "f"
from = "A"
to = "B"
traffic = { kind = "poisson", load = 0.9 }
[[series]]
name = "q"
measure = "queue"
on = "A->S"
"#;

#[test]
fn a_series_without_windows_ends_in_time() {
    let folder = folder("memory-series");
    let file = write(&folder, SERIES);
    let ran = within(LITTLE, &folder, &["run", &file, "--out", "out"]);
    let ran = ran.complains("warning[long-series]");
    expect_stopped(ran, &folder.join("out"), "the longest series is `q`");
    assert!(folder.join("out/series/q.csv").exists());
}

/// With room for its bound the run goes on, and the series says what it holds.
#[test]
fn a_series_that_outgrows_its_bound_is_thinned_and_says_so() {
    let folder = folder("memory-thinned");
    let file = write(&folder, SERIES);
    let run = |cells: &str, out: &str| {
        let set = format!("run.duration={cells} cells");
        let arguments = ["run", &file, "--set", &set, "--out", out];
        within(2_000_000, &folder, &arguments).expect(0)
    };
    let short = run("400000", "short");
    assert!(!short.err.contains("exceeded its bound"), "{}", short.err);
    run("700000", "long").complains("`q` exceeded its bound: of 4 consecutive points");
    let text = fs::read_to_string(folder.join("long/series/q.csv")).expect("it is there");
    let lines = text.lines().count();
    assert!((1 << 19..1 << 20).contains(&lines), "{lines}");
    let manifest = json(&folder.join("long/manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert_eq!(manifest["checks"][0]["what"], "series");
}

#[test]
fn datagrams_above_a_links_rate_end_in_time() {
    let folder = folder("memory-datagrams");
    let file = write(
        &folder,
        r#"
engine = "ethernet"
[run]
duration = "200 ms"
warm_up = "1 us"
[network]
hosts = ["A", "B"]
switches = ["S"]
[link]
rate = "1 Gbps"
delay = "1 us"
[[links]]
between = ["A", "S"]
[[links]]
between = ["S", "B"]
[[flows]]
name = "f"
from = "A"
to = "B"
transport = "udp"
payload = "1 B"
traffic = { kind = "constant", rate = "7 Gbps" }
"#,
    );
    let ran = within(LITTLE, &folder, &["run", &file, "--out", "out"]);
    let ran = ran.complains("warning[overload]");
    let ran = ran.complains("sends 588.00 Gbps on the wire");
    expect_stopped(ran, &folder.join("out"), "of them of f");
}

const SATURATED: &str = r#"
engine = "flit"
[run]
measure = "1000000000 cycles"
warm_up = 0
[topology]
kind = "mesh"
sides = [16, 16]
[router]
vcs = 2
[traffic]
load = 1.0
flits = 1
"#;

#[test]
fn flits_beyond_saturation_end_in_time() {
    let folder = folder("memory-flits");
    let file = write(&folder, SATURATED);
    let ran = within(LITTLE, &folder, &["run", &file, "--out", "out"]);
    expect_stopped(ran, &folder.join("out"), "flits wait in sources and queues");
}

#[test]
fn the_user_sets_a_limit_too() {
    let folder = folder("memory-option");
    let file = write(&folder, SATURATED);
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", &file, "--out", "out", "--memory", "60MB"];
        arguments.extend(more);
        crate::support::backwater(&folder, &arguments)
    };
    expect_stopped(run(&[]), &folder.join("out"), "the limit of `--memory`");
    // A short run fits.
    let sets = ["--set", "run.measure=50 cycles", "--set"];
    let ran = run(&[&sets[..], &["run.drain=1 cycles"]].concat()).expect(0);
    assert!(!ran.err.contains("memory"), "{}", ran.err);
    let wrong = ["check", &file, "--memory", "much"];
    crate::support::backwater(&folder, &wrong)
        .expect(2)
        .complains("500MB");
}

#[test]
fn a_sweep_stops_in_time_and_keeps_its_points() {
    let folder = folder("memory-sweep");
    let file = write(&folder, SATURATED);
    let axis = "run.measure=50 cycles,1000000000 cycles";
    let arguments = [
        "sweep",
        &file,
        "--axis",
        axis,
        "--set",
        "run.drain=1 cycles",
        "--memory",
        "80MB",
        "--jobs",
        "1",
        "--out",
        "out",
    ];
    let ran = crate::support::backwater(&folder, &arguments);
    let ran = ran.expect(3).complains("error: memory: stopped in time");
    assert!(ran.out.contains("1 of 2 runs"), "{}", ran.out);
    assert_eq!(json(&folder.join("out/manifest.json"))["partial"], true);
}

#[test]
fn a_network_that_does_not_fit_is_refused_before_it_is_built() {
    let folder = folder("memory-large");
    let file = write(&folder, SATURATED);
    let set = ["--set", "topology.sides=[1000, 1000]"];
    for command in ["run", "check"] {
        let ran = within(LITTLE, &folder, &[&[command, &file], &set[..]].concat());
        let ran = ran.expect(2).complains("error[out-of-memory]");
        ran.complains("are left by the address space (`ulimit -v`)");
    }
    let mixed = shipped("bench/mixed-10000.toml");
    within(LITTLE, &folder, &["run", &mixed]).expect(2);
    // On several threads there are several.
    let threads = ["--set", "topology.sides=[300, 300]", "--threads", "4"];
    let ran = within(300_000, &folder, &[&["run", &file], &threads[..]].concat());
    ran.expect(2)
        .complains("the run needs more memory than available");
    let tree = shipped("bench/fat-tree-1024.toml");
    let ran = within(250_000, &folder, &["run", &tree, "--threads", "16"]);
    ran.expect(2)
        .complains("the run needs more memory than available");
    assert!(!folder.join("runs").exists(), "no directory is left behind");
}

/// All shipped scenarios, shortened, with little memory: none is aborted, most run.
#[test]
fn no_shipped_scenario_is_aborted_for_memory() {
    let folder = folder("memory-shipped");
    let root = PathBuf::from(shipped(""));
    let mut done = 0;
    let mut others = Vec::new();
    for path in scenarios(&root) {
        let text = fs::read_to_string(&path).expect("it can be read");
        if text.contains("kind = \"comparison\"") {
            continue;
        }
        let sets: &[&str] = if text.contains("engine = \"flit\"") {
            &[
                "run.warm_up=50 cycles",
                "run.measure=50 cycles",
                "run.drain=50 cycles",
            ]
        } else if text.contains("engine = \"ethernet\"") {
            &["run.duration=2 ms", "run.warm_up=1 ms"]
        } else {
            &["run.duration=1000 cells", "run.warm_up=100 cells"]
        };
        let file = path.display().to_string();
        let mut arguments = vec!["run", &file, "--out", "out"];
        arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
        let ran = within(LITTLE, &folder, &arguments);
        assert!(!ABORTED.contains(&ran.status), "{file}: {}", ran.err);
        assert!([0, 1, 2, 3].contains(&ran.status), "{file}: {}", ran.status);
        match ran.status {
            0 | 1 => done += 1,
            _ => {
                assert!(ran.err.contains("error"), "{file} says why: {}", ran.err);
                others.push(file);
            }
        }
    }
    assert!(done > 95 && others.len() < 6, "{done} done, not {others:?}");
}

/// Scenario files below a folder.
fn scenarios(root: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(root).expect("scenarios are there");
    let folders = folders.filter_map(|entry| fs::read_dir(entry.ok()?.path()).ok());
    let files = folders
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()));
    let is_scenario = |path: &PathBuf| path.extension().is_some_and(|end| end == "toml");
    let mut files: Vec<PathBuf> = files.filter(is_scenario).collect();
    files.sort();
    files
}

/// The tables of a network by rule, with this many flows or hosts: far more than there is room for.
const LARGEST: [(&str, &str); 9] = [
    (
        "packet",
        "[topology]\nkind = \"star\"\nhosts_per_switch = 1000000",
    ),
    (
        "ethernet",
        "[topology]\nkind = \"star\"\nhosts_per_switch = 199999",
    ),
    ("packet", "[topology]\nkind = \"line\"\nswitches = 1000000"),
    (
        "ethernet",
        "[topology]\nkind = \"leaf-spine\"\nleaves = 90000\nspines = 90000",
    ),
    (
        "packet",
        "[topology]\nkind = \"leaf-spine\"\nleaves = 1000000\nspines = 1000000",
    ),
    (
        "ethernet",
        "[topology]\nkind = \"torus\"\nsides = [58, 58, 58]",
    ),
    (
        "packet",
        "[topology]\nkind = \"mesh\"\nsides = [1000000, 1000000]",
    ),
    (
        "ethernet",
        "[topology]\nkind = \"tree\"\nlevels = 17\nfanout = 2",
    ),
    ("ethernet", "[topology]\nkind = \"fat-tree\"\nports = 84"),
];
const FEW: &str = "[topology]\nkind = \"star\"\nhosts_per_switch = 4";
/// What makes more flows than there is room for.
const MANY: [(&str, &str); 6] = [
    (
        "packet",
        "[[patterns]]\nkind = \"random-pairs\"\ncount = 10000000",
    ),
    (
        "packet",
        "[[patterns]]\nkind = \"random-pairs\"\ncount = 3000000",
    ),
    (
        "ethernet",
        "[[patterns]]\nkind = \"random-pairs\"\ncount = 3000000",
    ),
    (
        "ethernet",
        "[[flows]]\nfrom = \"H1_1\"\nto = \"H1_2\"\ncount = 1000000",
    ),
    (
        "ethernet",
        "[[workloads]]\nkind = \"poisson\"\nsize = \"1 B\"\nload = 0.5",
    ),
    (
        "ethernet",
        "[[workloads]]\nkind = \"incast\"\nsize = \"1 B\"\nsenders = 2\nload = 0.5",
    ),
];

/// What does not fit is refused by its numbers, before it is made.
#[test]
fn counts_at_their_largest_are_refused_in_little_memory() {
    let folder = folder("memory-largest");
    let all_to_all = "[[patterns]]\nkind = \"all-to-all\"";
    let networks = LARGEST.map(|(engine, network)| (engine, network, all_to_all));
    let flows = MANY.map(|(engine, flows)| (engine, FEW, flows));
    for (engine, network, flows) in networks.into_iter().chain(flows) {
        let traffic = match flows.contains("workloads") {
            true => "",
            false => "traffic = { kind = \"greedy\" }\n",
        };
        let link = "[link]\nrate = \"10 Gbps\"\ndelay = \"1 us\"";
        let file = write(
            &folder,
            &format!(
                "engine = \"{engine}\"\n[run]\nduration = \"1 ms\"\n{link}\n{network}\n{flows}\n\
                 name = \"p\"\n{traffic}"
            ),
        );
        let ran = within(LITTLE, &folder, &["check", &file]).expect(2);
        let is_told = ["too-large", "out-of-memory"]
            .iter()
            .any(|code| ran.err.contains(code));
        assert!(is_told, "{network} {flows}: {}", ran.err);
    }
}

/// So many datagrams in each picosecond that memory ends within few of them.
#[test]
fn memory_is_looked_at_within_an_instant() {
    let folder = folder("memory-instant");
    let file = write(
        &folder,
        "engine = \"ethernet\"\n[run]\nduration = \"1 s\"\n[link]\nrate = \"1 Gbps\"\n\
         [network]\nhosts = [\"A\", \"B\"]\nswitches = [\"S\"]\n[[flows]]\nname = \"f\"\n\
         from = \"A\"\nto = \"B\"\npayload = \"1 B\"\n\
         count = 100\ntraffic = { kind = \"constant\", rate = \"100 Tbps\" }\n",
    );
    let ran = within(LITTLE, &folder, &["run", &file, "--out", "out"]);
    expect_stopped(
        ran,
        &folder.join("out"),
        "frames wait in sources and queues",
    );
}
