//! Lossless is lossless: what may lose frames is refused, and what was lost is told.

use std::fs;
use std::path::Path;

use crate::support::{Ran, backwater, folder, json};

/// Destinations drawn at random: the queue to `D1` may overflow while `D2` is stopped.
const DRAWN: &str = r#"
engine = "ethernet"
[run]
duration = "1 ms"
[network]
hosts = ["S{1..4}", "D{1..2}"]
switches = ["A", "B"]
[link]
rate = "10 Gbps"
[[links]]
between = ["S{1..4}", "A"]
[[links]]
between = ["A", "B"]
rate = "1 Gbps"
[[links]]
between = ["B", "D{1..2}"]
[buffer]
per_queue = "60 kB"
[flow_control]
kind = "destination"
xoff = "50 %"
xon = "20 %"
choose = "random"
[[flows]]
name = "f"
from = "S{1..4}"
to = "D1"
payload = "1000 B"
traffic = { kind = "poisson", rate = "4 Gbps" }
[[flows]]
name = "g"
from = "S{1..4}"
to = "D2"
payload = "1000 B"
traffic = { kind = "poisson", rate = "4 Gbps" }
"#;

fn run(here: &Path, text: &str) -> Ran {
    fs::write(here.join("drawn.toml"), text).expect("a file");
    backwater(here, &["run", "drawn.toml", "--out", "out"])
}

#[test]
fn a_random_choice_is_no_consent() {
    let here = folder("lossless-drawn");
    let ran = run(&here, DRAWN).expect(2);
    ran.complains("drawn.toml:23:10")
        .complains("headroom = \"unchecked\"");
    assert!(!here.join("out").exists(), "nothing ran");
}

#[test]
fn what_is_given_up_is_told_with_its_line() {
    let here = folder("lossless-given-up");
    let text = DRAWN.replace("xon =", "headroom = \"unchecked\"\nxon =");
    let ran = run(&here, &text).expect(0);
    assert!(
        ran.out.contains("given up: class 0 lossless at A, B"),
        "{}",
        ran.out
    );
    let promises = &json(&here.join("out/manifest.json"))["promises"];
    let one = &promises[0];
    assert_eq!(one["state"], "given-up", "{promises}");
    let detail = one["detail"].as_str().unwrap_or_default();
    assert!(
        detail.starts_with("by drawn.toml:22: headroom = \"unchecked\"; "),
        "{detail}"
    );
    let lost: u64 = detail
        .rsplit("; ")
        .next()
        .and_then(|words| words.split(' ').next())
        .and_then(|number| number.replace(',', "").parse().ok())
        .expect("a number of frames");
    assert!(lost > 0, "the queue overflows: {detail}");
    assert_eq!(promises.as_array().map(Vec::len), Some(1));
}

/// Given up at one switch, kept at the other.
#[test]
fn kept_promises_are_listed_beside_those_given_up() {
    let here = folder("lossless-kept");
    let more = "[[classes]]\nclass = 0\nheadroom = \"unchecked\"\nheadroom_at = \"A\"\n[[flows]]";
    let text = DRAWN.replacen("[[flows]]", more, 1);
    run(&here, &text).expect(0);
    let promises = &json(&here.join("out/manifest.json"))["promises"];
    assert_eq!(promises[0]["what"], "class 0 lossless at B");
    assert_eq!(promises[0]["state"], "kept");
    assert_eq!(promises[1]["what"], "class 0 lossless at A");
    assert_eq!(promises[1]["state"], "given-up");
}
