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
