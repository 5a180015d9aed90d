//! `import`: files of other simulators become a scenario that runs.

use std::fs;
use std::path::Path;

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
    let onto_itself = ["import", "net.txt", "--out", "./net.txt"];
    backwater(&here, &onto_itself)
        .expect(2)
        .complains("which is read: name another file");
    let left = fs::read_to_string(here.join("net.txt")).expect("it is there");
    assert_eq!(left, NET);
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

const TWO_LEAVES: &str = "6 2 5\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n\
    2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 5 400Gbps 1us 0\n";
const CONFIG: &str = "ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 1000\n\
    TOPOLOGY_FILE mix/topology.txt\nFLOW_FILE mix/flow.txt\nSIMULATOR_STOP_TIME 2.01\n\
    CC_MODE 1\nRP_TIMER 300\nEWMA_GAIN 0.00390625\nRATE_AI 20Mb/s\nU_TARGET 0.95\n\
    MI_THRESH 0\nCLAMP_TARGET_RATE 0\nACK_HIGH_PRIO 1\nERROR_RATE_PER_LINK 0.0\n\
    LINK_DOWN 0 0 0\nKMIN_MAP 2 100000000000 400 400000000000 1600\n\
    KMAX_MAP 2 100000000000 1600 400000000000 6400\n\
    PMAX_MAP 2 100000000000 0.2 400000000000 0.2\nBUFFER_SIZE 32\n";

/// What of it becomes which part of a scenario.
const PARTS: [&str; 8] = [
    "duration = \"2.01 s\"",
    "file = \"mix/topology.txt\"",
    "file = \"mix/flow.txt\"",
    "bytes = \"32 MiB\"",
    "mtu = \"1000 B\"\nack_class = 7",
    "control = { kind = \"dcqcn\", increase_interval = \"300 us\", g = 0.00390625, additive = \
     \"20000000 bps\", clamp = \"after-stage\" }",
    "[buffer.ecn]\nmin = \"400 kB\"\nmax = \"1600 kB\"\nprobability = 0.2\nat = \"leave\"\n",
    "[topology.trunk]\necn = { min = \"1600 kB\", max = \"6400 kB\"",
];

#[test]
fn a_run_of_the_hpcc_simulator_is_read_with_its_files() {
    let here = folder("importing-config");
    fs::create_dir_all(here.join("mix")).expect("a folder");
    fs::write(here.join("mix/topology.txt"), TWO_LEAVES).expect("it is written");
    let flows = "2\n0 2 3 100 20000 2\n1 2 3 100 20000 2\n";
    fs::write(here.join("mix/flow.txt"), flows).expect("it is written");
    let import = |text: &str, status: i32| {
        fs::write(here.join("mix/config.txt"), text).expect("it is written");
        let words = ["import", "mix/config.txt", "--out", "own.toml"];
        let ran = backwater(&here, &words).expect(status);
        let text = fs::read_to_string(here.join("own.toml")).unwrap_or_default();
        (ran, text)
    };
    let (made, text) = import(CONFIG, 0);
    for part in PARTS {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    // What is of another control, or says nothing of what is simulated.
    for key in ["ENABLE_QCN", "U_TARGET", "MI_THRESH"] {
        let said = format!("not in the scenario: `{key}`");
        assert!(made.err.contains(&said), "{key}");
    }
    assert_eq!(made.err.lines().count(), 3, "{}", made.err);
    let ran = backwater(&here, &["run", "own.toml", "--out", "r"]).expect(0);
    let done = "transfers: 2 complete, the last at 2";
    assert!(ran.out.contains(done), "{}", ran.out);
    let hpcc = CONFIG
        .replace("CC_MODE 1", "CC_MODE 3")
        .replace("LINK_DOWN 0 0 0", "LINK_DOWN 100 4 5");
    let (_, text) = import(&hpcc, 0);
    let control = "control = { kind = \"hpcc\", target_use = 0.95, max_stage = 0, additive = \
                   \"20000000 bps\" }";
    let outage = "between = [\"S4\", \"S5\"]\noutages = [{ from = \"2000100 us\"";
    assert!(text.contains(control) && text.contains(outage), "{text}");
    // What a run says that it ran can be run, whatever controls the sources.
    for mode in ["CC_MODE 3", "CC_MODE 7"] {
        import(&CONFIG.replace("CC_MODE 1", mode), 0);
        backwater(&here, &["run", "own.toml", "--out", "first"]).expect(0);
        let again = ["run", "first/resolved.toml", "--out", "again"];
        backwater(&here, &again).expect(0);
    }
    // Without shared memory inputs have room of their own, beside the marks.
    let (_, text) = import(&CONFIG.replace("BUFFER_SIZE 32", "BUFFER_SIZE 0"), 0);
    assert!(
        text.contains("[buffer]\nper_input") && text.contains("[buffer.ecn]"),
        "{text}"
    );
    let wrong = [
        (
            "CC_MODE 1",
            "CC_MODE 8",
            "line 7: `CC_MODE 8`, DCTCP without TCP",
        ),
        ("CC_MODE 1", "CC_MODD 1", "line 7: `CC_MODD`"),
        (
            "mix/flow.txt",
            "mix/flows.txt",
            "there is no `mix/flows.txt`, the `FLOW_FILE`",
        ),
        ("DOWN 0 0 0", "DOWN 1 4 9", "line 16: there is no node 9"),
    ];
    for (from, to, message) in wrong {
        import(&CONFIG.replace(from, to), 2).0.complains(message);
    }
}

/// What is exported of a scenario is what it was imported from.
#[test]
fn what_was_imported_is_exported() {
    let here = folder("exporting");
    let flows = THREE;
    imported(&here, flows);
    backwater(&here, &["run", "own.toml", "--out", "r"]).expect(0);
    let export = |source: &str, form: &str| {
        let words = ["export", source, "--as", form];
        backwater(&here, &words).expect(0).out
    };
    // The same scenario out of what was exported: read, written, and read again.
    for source in ["own.toml", "r"] {
        let topology = export(source, "hpcc-topology");
        let plain = topology.replace("000000000bps 1000000ps", "Gbps 1us");
        assert_eq!(plain, TWO_LEAVES, "{source}");
        let again = export(source, "hpcc-flow").replace("0000000 ", " ");
        let listed: Vec<&str> = again
            .lines()
            .map(|line| line.trim_end_matches('0'))
            .collect();
        let wanted: Vec<&str> = flows
            .lines()
            .map(|line| line.trim_end_matches('0'))
            .collect();
        assert_eq!(listed, wanted, "{source}");
        let matrix = export(source, "cm");
        let first = "Nodes 4\nConnections 3\n2->3 start 10000000 size 1000\n";
        assert!(matrix.starts_with(first), "{matrix}");
        fs::write(here.join("graph.json"), export(source, "node-link")).expect("it is written");
        let words = ["import", "graph.json", "--out", "graph.toml"];
        let made = backwater(&here, &words).expect(0);
        assert!(
            made.out.contains("4 hosts, 2 switches, 5 links"),
            "{}",
            made.out
        );
    }

    // What can't be written is told.
    let refused = |source: &str, form: &str, message: &str| {
        let words = ["export", source, "--as", form];
        backwater(&here, &words).expect(2).complains(message);
    };
    refused("own.toml", "hpcc-fct", "`hpcc-fct` is of a run");
    refused("ethernet/dcqcn", "cm", "8 flows can't be written");
    refused(
        "kung1993/fig17-two-switches",
        "cm",
        "only a scenario with `engine = \"ethernet\"`",
    );
    refused("none", "cm", "can't read the scenario `none`");
}

/// Two leaves and three flows, imported.
fn imported(here: &Path, flows: &str) {
    fs::write(here.join("net.txt"), TWO_LEAVES).expect("it is written");
    fs::write(here.join("flow.txt"), flows).expect("it is written");
    let words = ["import", "net.txt", "flow.txt", "--out", "own.toml"];
    backwater(here, &words).expect(0);
}

const THREE: &str = "3\n2 3 3 100 1000 0.00001\n0 2 3 100 20000 0.0001\n0 2 3 100 30000 0.0002\n";

/// Completion times are those of the run, to the nanosecond.
#[test]
fn completion_times_are_exported() {
    let here = folder("exporting-times");
    imported(&here, THREE);
    backwater(&here, &["run", "own.toml", "--out", "r"]).expect(0);
    let export = |source: &str| {
        let words = ["export", source, "--as", "hpcc-fct"];
        backwater(&here, &words).expect(0).out
    };
    let over = export("r");
    let lines: Vec<Vec<&str>> = over.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(lines.len(), 3, "{over}");
    // Ports count from 10,000 between two nodes; addresses have the node in the third byte.
    let heads: Vec<String> = lines.iter().map(|line| line[..6].join(" ")).collect();
    let wanted = [
        "0b000201 0b000301 10000 100 1000 10000",
        "0b000001 0b000201 10000 100 20000 100000",
        "0b000001 0b000201 10001 100 30000 200000",
    ];
    assert_eq!(heads, wanted);
    // One packet: 1,000 B and headers over two links at 100 Gbps and 1 us, and the answer.
    let (time, alone): (u64, u64) = (parsed(lines[0][6]), parsed(lines[0][7]));
    assert!((4_160..4_400).contains(&time), "{time}");
    assert_eq!(alone, 4_000 + 2 * 81 + 83);
    // Frames that take several paths are alone over one of them.
    let sprayed = [
        "run",
        "own.toml",
        "--set",
        "switch.spread=frames",
        "--out",
        "s",
    ];
    backwater(&here, &sprayed).expect(0);
    let alone = |text: &str| -> Vec<String> {
        let lines = text.lines();
        lines
            .filter_map(|line| line.rsplit(' ').next())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(alone(&export("s")), alone(&over));
}

fn parsed(number: &str) -> u64 {
    number.parse().expect("a whole number")
}
