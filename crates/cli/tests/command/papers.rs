//! `reproduce`.

use std::fs;

use serde_json::Value;

use crate::support::{backwater, folder, json};

const CLAIM: &str = "kung1993.fig20.credit-data-competition";
const KEYS: &[&str] = &[
    "id",
    "paper",
    "figure",
    "states",
    "paper_value",
    "measured",
    "interval",
    "seeds",
    "accept",
    "verdict",
    "quick",
    "reading",
    "reason",
    "scenario",
    "seconds",
];

#[test]
fn one_claim_as_json() {
    let here = folder("claim");
    let arguments = ["reproduce", CLAIM, "--markdown", "claim.md"];
    let ran = backwater(&here, &arguments).expect(0);
    assert!(ran.out.contains("agrees") && ran.out.contains("runs/reproduce/report.html"));
    // The claim's sentence and what it is held against, not its name, which `--verbose` brings.
    let line = "kung1993.fig20  two opposite greedy VCs sharing a link: data N2/(N2+1), credit";
    assert!(
        ran.out.contains(line) && !ran.out.contains(CLAIM),
        "{}",
        ran.out
    );
    let verbose = backwater(&here, &["reproduce", CLAIM, "--verbose"]).expect(0);
    assert!(verbose.out.contains(CLAIM) && verbose.out.contains("measured data 0.9"));
    let found = json(&here.join("runs/reproduce/claims.json"));
    assert!(found["version"].is_string(), "{found}");
    let claims = found["claims"].as_array().expect("claims");
    assert_eq!(claims.len(), 1, "{found}");
    let claim = claims[0].as_object().expect("a claim");
    let keys: Vec<&str> = claim.keys().map(String::as_str).collect();
    assert_eq!(keys, KEYS);
    assert_eq!(claim["id"], CLAIM);
    assert_eq!(claim["paper"], "kung1993");
    assert_eq!(claim["verdict"], "agrees");
    let measured = claim["measured"].as_object().expect("numbers by name");
    assert!(!measured.is_empty() && measured.values().all(Value::is_number));
    let bounds = claim["accept"].as_object().expect("bounds by name");
    for (name, value) in measured {
        let (low, high) = (bounds[name][0].as_f64(), bounds[name][1].as_f64());
        assert!(
            low <= value.as_f64() && value.as_f64() <= high,
            "{name}: {found}"
        );
    }
    let scenario = claim["scenario"].as_str().expect("a scenario");
    assert!(std::path::Path::new(&crate::support::shipped(scenario)).is_file());
    let text = fs::read_to_string(here.join("claim.md")).expect("a document");
    assert!(text.contains(CLAIM), "{text}");
    let page = fs::read_to_string(here.join("runs/reproduce/report.html")).expect("a report");
    let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("no {words}"));
    assert!(at("id=\"at-a-glance\"") < at("Kung et al. 1993, Figure"));
    assert!(at("1 claim on link-by-link") < at("<div class=\"verdicts\">"));
    let manifest = json(&here.join("runs/reproduce/manifest.json"));
    assert_eq!(manifest["partial"], false);
    assert_eq!(
        json(&here.join("runs/reproduce/claims.json"))["claims"][0]["id"],
        CLAIM
    );
}

#[test]
fn an_unknown_claim_brings_a_hint() {
    let here = folder("unknown-claim");
    let ran = backwater(&here, &["reproduce", "kung1993.fig20.credit"]).expect(2);
    ran.complains("did you mean").complains(CLAIM);
    let ran = backwater(&here, &["reproduce", "nosuch"]).expect(2);
    ran.complains("no paper or claim `nosuch`")
        .complains("list");
    assert!(!here.join("runs").exists(), "bad input leaves no directory");
}

#[test]
fn a_figure_names_all_its_claims() {
    let here = folder("claims-of-a-figure");
    backwater(&here, &["reproduce", "kung1993.fig8", "--quick"]).expect(0);
    let found = json(&here.join("runs/reproduce/claims.json"));
    let claims = found["claims"].as_array().expect("claims");
    let ids: Vec<&str> = claims
        .iter()
        .filter_map(|claim| claim["id"].as_str())
        .collect();
    assert_eq!(
        ids,
        ["kung1993.fig8.link-fully-used", "kung1993.fig8.vc2-buffer"]
    );
}

#[test]
fn a_claim_that_fails_is_status_1() {
    let here = folder("failed-claim");
    let claim = |bounds: &str| {
        format!(
            "paper = \"kung1993\"\n\n[[claim]]\nid = \"{CLAIM}\"\nfigure = \"20\"\n\
             states = \"Something\"\n{bounds}\n"
        )
    };
    let judge = |text: &str, status| {
        fs::write(here.join("own.toml"), text).expect("a file");
        let arguments = ["reproduce", "kung1993", "--claims", "own.toml"];
        backwater(&here, &arguments).expect(status)
    };
    let ran = judge(&claim("accept = { data = [0.0, 0.1] }"), 1);
    assert!(ran.out.contains("failed"), "{}", ran.out);
    assert!(ran.out.contains("1 failed"), "{}", ran.out);
    assert_eq!(
        json(&here.join("runs/reproduce/claims.json"))["claims"][0]["verdict"],
        "failed"
    );
    let ran = judge(
        &claim("accept = { data = [0.0, 1.0] }\nreading = \"so it is\""),
        0,
    );
    assert!(ran.out.contains("(under a reading)"), "{}", ran.out);
    let ran = judge(&claim("").replace("fig20", "fig21"), 2);
    ran.complains("no experiment measures the claim")
        .complains("fig21");
    judge("claims = 3", 2).complains("own.toml");
}
