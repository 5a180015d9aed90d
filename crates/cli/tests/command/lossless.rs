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

/// Shared memory of one switch; what it has for all inputs together.
fn shared(pool: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n\
         [topology]\nkind = \"star\"\nhosts_per_switch = 3\n\
         [link]\nrate = \"400 Gbps\"\ncable = \"300 m\"\n\
         [buffer.shared]\nbytes = \"2 MB\"\nreserve = \"1 kB\"\n{pool}\
         [flow_control]\nkind = \"pfc\"\n\
         [[flows]]\nname = \"in\"\nfrom = [\"H1_1\", \"H1_2\"]\nto = \"H1_3\"\n"
    )
}

/// A pool has a row of its own; and who is refused for headroom sees the whole account.
#[test]
fn the_account_of_headroom_has_pools_and_is_shown_of_a_refused_file() {
    let here = folder("lossless-account");
    let check = |text: &str, status: i32, more: &[&str]| {
        fs::write(here.join("x.toml"), text).expect("a file");
        backwater(&here, &[&["check", "x.toml"], more].concat()).expect(status)
    };
    let row = |ran: &Ran| -> Vec<String> {
        let mut lines = ran.out.lines().map(|line| line.split_whitespace());
        let found = lines.find(|words| words.clone().nth(1) == Some("pool"));
        let words = found.unwrap_or_else(|| panic!("a row of the pool:\n{}", ran.out));
        words.map(str::to_owned).collect()
    };
    let fits = check(&shared(""), 0, &["--verbose"]);
    let own = row(&fits);
    assert_eq!(own[0], "S1");
    assert_eq!(own[2], own[3], "it has what it needs");
    assert_eq!(own[4..6], ["0", "0"]);
    // Less than that is refused, and the account says of what.
    let less = "pool = \"50 kB\"\n";
    let refused = check(&shared(less), 2, &["--verbose"]);
    let short = row(&refused);
    assert_eq!((&short[2], short[3].as_str()), (&own[2], "50000"));
    let missing = own[2].parse::<u64>().expect("bytes") - 50_000;
    assert_eq!(short[5], missing.to_string());
    let head = format!("x.toml: headroom: {missing} B missing at most; ");
    assert!(refused.out.contains(&head), "{}", refused.out);
    // Enough for one input and not for both is no mistake.
    let oversold = check(&shared("pool = \"200 kB\"\n"), 0, &["--verbose"]);
    let oversold_row = row(&oversold);
    let missing = own[2].parse::<u64>().expect("bytes") - 200_000;
    assert_eq!(
        oversold_row[5..8],
        [missing.to_string(), "0".into(), "1".into()]
    );
    let head = "x.toml: headroom: 0 B to spare at least; oversold, enough for 1 input at once";
    assert!(oversold.out.contains(head), "{}", oversold.out);
    assert!(oversold.err.contains("headroom for 1 of 3 inputs at once"));
    let told = check(&shared("pool = \"200 kB\"\n"), 0, &["--format", "json"]);
    assert!(told.out.contains("\"inputs_at_once\": 1.0"), "{}", told.out);
    // The rows stand in the document as well, of either file, on demand.
    for (text, status, of) in [(shared(""), 0, &own), (shared(less), 2, &short)] {
        let ran = check(&text, status, &["--verbose", "--format", "json"]);
        let told: serde_json::Value = serde_json::from_str(&ran.out).expect("one document");
        let rows = told["files"][0]["headroom"]["rows"]
            .as_array()
            .expect("rows")
            .clone();
        let pool = rows
            .iter()
            .find(|row| row["kind"] == "pool")
            .expect("a pool");
        assert_eq!(pool["needs_bytes"].to_string(), of[2]);
        assert_eq!(pool["has_bytes"].to_string(), of[3]);
        let ran = check(&text, status, &["--format", "json"]);
        assert!(!ran.out.contains("needs_bytes"), "{}", ran.out);
    }
    // Only on demand, and only where there is an account.
    assert_eq!(check(&shared(less), 2, &[]).out, "");
    assert_eq!(check("engine = \"ethernet\"\n", 2, &["--verbose"]).out, "");
}
