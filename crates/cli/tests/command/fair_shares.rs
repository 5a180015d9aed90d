//! Max-min shares beside what flows got.

use std::fs;

use crate::support::{backwater, folder, json};

/// Three circuits of ABR over one link, the first with a peak rate below a third of it.
const ABR: &str = r#"
[run]
duration = "300 ms"
warm_up = "100 ms"
[link]
rate = "155.52 Mbps"
delay = "100 us"
explicit_rate = { kind = "erica", delta = 0, target = 1.0 }
[topology]
kind = "line"
switches = 2
hosts_per_switch = 3
[[flows]]
name = "p"
from = "H1_1"
to = "H2_1"
source_control = { kind = "abr", pcr = "20 Mbps" }
[[flows]]
name = "q"
count = 2
from = "H1_2"
to = "H2_2"
source_control = { kind = "abr" }
"#;

#[test]
fn a_source_wants_no_more_than_its_peak_rate() {
    let here = folder("fair-shares-abr");
    fs::write(here.join("abr.toml"), ABR).expect("a file");
    backwater(&here, &["run", "abr.toml", "--out", "out"]).expect(0);
    let ratios = json(&here.join("out/summary.json"))["jain_ratios"].clone();
    let ratios = ratios.as_f64().expect("a number");
    assert!(ratios > 0.999, "all got their shares: {ratios}");
}

/// Of each flow the ratio of its rate to its share, and what limits that.
fn shares(name: &str, text: &str) -> Vec<(f64, String)> {
    let here = folder(name);
    fs::write(here.join("windows.toml"), text).expect("a file");
    let ran = backwater(&here, &["run", "windows.toml", "--out", "out"]).expect(0);
    assert!(
        ran.out.contains("a window counts once a round trip"),
        "{}",
        ran.out
    );
    let table = fs::read_to_string(here.join("out/tables/fairness.csv")).expect("a table");
    let rows = table.lines().skip(1);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some((cells[3].parse().ok()?, cells[4].to_owned()))
    };
    rows.filter_map(row).collect()
}

/// Two connections over one link, of which the second has 64 kB for a round trip of 20 ms.
const FAR: &str = r#"
engine = "ethernet"
[run]
duration = "2 s"
warm_up = "1 s"
[network]
hosts = ["a", "b", "x", "y"]
switches = ["S1", "S2"]
[link]
rate = "1 Gbps"
[[links]]
between = ["S1", "S2"]
[[links]]
between = ["a", "S1"]
[[links]]
between = ["b", "S1"]
delay = "10 ms"
[[links]]
between = ["x", "S2"]
[[links]]
between = ["y", "S2"]
[[flows]]
name = "near"
from = "a"
to = "x"
tcp = { window = "250 kB" }
[[flows]]
name = "far"
from = "b"
to = "y"
tcp = { window = "64 kB" }
"#;

/// Circuits over three links of 5 ms: a round trip of 30 ms.
fn over_line(rest: &str) -> String {
    format!(
        r#"
[run]
duration = "4 s"
warm_up = "1 s"
[link]
rate = "155.52 Mbps"
delay = "5 ms"
[topology]
kind = "line"
switches = 2
hosts_per_switch = 2
{rest}"#
    )
}

/// A window of 100 cells for a round trip of 30 ms.
const CELLS: &str = r#"
[[flows]]
name = "held"
from = "H1_1"
to = "H2_1"
source_control = { kind = "window", cells = 100 }
partner = "back"
[[flows]]
name = "back"
from = "H2_1"
to = "H1_1"
traffic = { kind = "silent" }
"#;

/// The same over TCP.
const CELL_TCP: &str = r#"
[tcp]
preset = "bsd"
window = "64 kB"
[[flows]]
name = "held"
from = "H1_1"
to = "H2_1"
transport = "tcp"
"#;

/// A flow gets this ratio of its share, which that limits.
fn gets(found: &(f64, String), ratio: std::ops::Range<f64>, limit: &str) {
    assert!(ratio.contains(&found.0) && found.1 == limit, "{found:?}");
}

/// What is held back by its window gets what that lets through, and leaves the rest to others.
#[test]
fn a_connection_wants_no_more_than_its_window_lets_through() {
    let frames = shares("fair-shares-frames", FAR);
    gets(&frames[0], 0.98..1.02, "S1 -> S2");
    // Behind the queue of the other a round trip is longer than in an empty network.
    gets(&frames[1], 0.85..1.0, "its window");
    for (name, rest) in [("cells", CELLS), ("cell-tcp", CELL_TCP)] {
        let found = shares(&format!("fair-shares-{name}"), &over_line(rest));
        gets(&found[0], 0.98..1.02, "its window");
    }
}
