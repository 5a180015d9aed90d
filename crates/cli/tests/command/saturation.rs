//! `saturate`: networks whose saturation is known.

use std::fs;

use crate::support::{backwater, folder, json, shipped};
use crate::sweeping::{contents, log, rows, shared};

const LONG: (&str, &str) = ("1500 cells", "30000 cells");
const NO_SEEDS: (&str, &str) = ("seeds = 3", "seeds = 1");
const NO_N3: (&str, &str) = ("n3 = [4, 16]", "");
const CONSTANT: (&str, &str) = ("poisson", "constant");

/// Two even sources fill the link they share at half the load each.
#[test]
fn a_shared_link_is_full_at_half_the_load() {
    let here = folder("saturate");
    shared(&here, &[LONG, NO_SEEDS, NO_N3, CONSTANT]);
    let over = ["--over", "flows.*.traffic.load"];
    let arguments = [&["saturate", "shared.toml", "--out", "out"][..], &over].concat();
    let ran = backwater(&here, &arguments).expect(0);
    let wanted = "saturates between load 0.5 and 0.505";
    assert!(ran.out.contains(wanted), "{}", ran.out);
    let found = rows(&here.join("out"), "saturation.csv");
    assert_eq!(found[0][..2], ["0.5", "0.505"]);
    let accepted: Vec<f64> = found[0][2..]
        .iter()
        .map(|n| n.parse().expect("Mbps"))
        .collect();
    for accepted in accepted {
        assert!((accepted - 622.0).abs() < 1.0, "{accepted} of 622 Mbps");
    }
    let fine = [&arguments[..], &["--precision", "0.001", "--low", "0.4"]].concat();
    let ran = backwater(&here, &fine).expect(0);
    let edge = |at: usize| rows(&here.join("out"), "saturation.csv")[0][at].parse::<f64>();
    let (low, high) = (edge(0).expect("a load"), edge(1).expect("a load"));
    assert!((high - low - 0.001).abs() < 1e-9, "{}", ran.out);
    // Growth below 0.2 % counts as none: 0.501 is carried, 0.502 is not.
    assert!((0.5..=0.501).contains(&low), "{}", ran.out);
}

/// With poisson sources and more seeds, nearly there; each buffer on its own.
#[test]
fn each_combination_is_searched() {
    let here = folder("saturate-axes");
    shared(&here, &[LONG]);
    let mut arguments = vec!["saturate", "shared.toml", "--out", "out"];
    arguments.extend([
        "--over",
        "flows.*.traffic.load",
        "--precision",
        "0.02",
        "--low",
        "0.1",
    ]);
    let ran = backwater(&here, &arguments).expect(0);
    let found = rows(&here.join("out"), "saturation.csv");
    assert_eq!(found.len(), 2, "{}", ran.out);
    let ends = |row: usize| (found[row][1].as_str(), found[row][2].as_str());
    assert_eq!(found[1][0], "16");
    assert!(["0.46", "0.48", "0.5"].contains(&ends(1).0), "{}", ran.out);
    let small: f64 = ends(0).0.parse().expect("a load");
    let large: f64 = ends(1).0.parse().expect("a load");
    assert!(small <= large, "{}", ran.out);
    let page = fs::read_to_string(here.join("out/report.html")).expect("a report");
    assert!(page.contains("Accepted over offered load"));
    assert_eq!(json(&here.join("out/manifest.json"))["kind"], "saturate");
}

#[test]
fn a_search_goes_on_where_it_was() {
    let here = folder("saturate-again");
    shared(&here, &[NO_SEEDS, CONSTANT]);
    let mut arguments = vec!["saturate", "shared.toml", "--out", "out"];
    arguments.extend(["--over", "flows.*.traffic.load"]);
    let ran = backwater(&here, &arguments).expect(0);
    let points = log(&here.join("out")).len();
    assert!(
        ran.out
            .contains(&format!("{points} runs, {points} computed now")),
        "{}",
        ran.out
    );
    let first = contents(&here.join("out"));
    let ran = backwater(&here, &arguments).expect(0);
    assert!(ran.out.contains(" 0 computed now"), "{}", ran.out);
    assert_eq!(contents(&here.join("out")), first);
    let point = first
        .keys()
        .find(|name| name.starts_with("points/"))
        .expect("a point");
    fs::remove_file(here.join("out").join(point)).expect("a point");
    arguments.extend(["--jobs", "1"]);
    let ran = backwater(&here, &arguments).expect(0);
    assert!(ran.out.contains(" 1 computed now"), "{}", ran.out);
    assert_eq!(contents(&here.join("out")), first);
}

#[test]
fn ends_that_hold_no_saturation_are_told() {
    let here = folder("saturate-ends");
    shared(&here, &[NO_SEEDS, NO_N3, CONSTANT]);
    let saturate = |more: &[&str]| {
        let start = ["saturate", "shared.toml", "--out", "out"];
        let over = ["--over", "flows.*.traffic.load"];
        backwater(&here, &[&start[..], &over, more].concat())
    };
    let ran = saturate(&["--high", "0.3"]).expect(0);
    assert!(
        ran.out.contains("carries all up to load 0.3"),
        "{}",
        ran.out
    );
    let ran = saturate(&["--low", "0.8"]).expect(0);
    assert!(
        ran.out.contains("saturated already at load 0.8"),
        "{}",
        ran.out
    );
    saturate(&["--precision", "0"])
        .expect(2)
        .complains("nowhere");
    saturate(&["--low", "0.9", "--high", "0.5"])
        .expect(2)
        .complains("above");
    saturate(&["--high", "900"]).expect(2).complains("load");
    saturate(&["--high", "much"])
        .expect(2)
        .complains("no range");
    saturate(&["--high", "50 %"]).expect(2).complains("units");
    let percent = ["--low", "30 %", "--high", "60 %", "--precision", "10 %"];
    let ran = saturate(&percent).expect(0);
    assert!(
        ran.out.contains("between load 50 % and 60 %"),
        "{}",
        ran.out
    );
    let bare = saturate(&["--low", ".3", "--high", ".6", "--precision", ".1"]).expect(0);
    assert!(
        bare.out.contains("between load 0.5 and 0.6"),
        "{}",
        bare.out
    );
}

#[test]
fn the_load_must_be_told_where_it_is_not_clear() {
    let here = folder("saturate-over");
    shared(&here, &[NO_SEEDS]);
    let ran = backwater(&here, &["saturate", "shared.toml"]).expect(2);
    ran.complains("may be several keys")
        .complains("`flows.*.traffic.load`");
    let greedy = shipped("kung1993/fig17-two-switches.toml");
    backwater(&here, &["saturate", &greedy])
        .expect(2)
        .complains("no key is called `load`");
    let over = ["saturate", "shared.toml", "--over", "nosuch"];
    backwater(&here, &over).expect(2).complains("nosuch");
    assert!(!here.join("runs").exists(), "bad input leaves no directory");
}

/// Close to the edge a short window takes loads for carried or not by chance; what is found does
/// not depend on where the search began.
#[test]
fn the_edge_is_where_it_is_from_wherever_it_is_looked_for() {
    let here = folder("saturate-edge");
    let mesh = "engine = \"flit\"\n[run]\nwarm_up = \"auto\"\nmeasure = \"2000 cycles\"\n\
                [topology]\nkind = \"mesh\"\nsides = [3, 3]\n[router]\nvcs = 4\ndepth = 8\n\
                [traffic]\nsources = \"shared\"\nload = 0.5\nflits = 4\n";
    fs::write(here.join("mesh.toml"), mesh).expect("a file");
    let edge = |ends: &[&str]| {
        let start = [
            "saturate",
            "mesh.toml",
            "--out",
            "out",
            "--precision",
            "0.01",
        ];
        let ran = backwater(&here, &[&start[..], ends].concat()).expect(0);
        let line = ran.out.lines().find(|line| line.starts_with("saturates"));
        let words = "near the edge with `run.measure` of up to 32000 cycles";
        assert!(ran.out.contains(words), "{}", ran.out);
        line.unwrap_or_else(|| panic!("{}", ran.out)).to_owned()
    };
    let whole = edge(&[]);
    assert_eq!(edge(&["--low", "0.605", "--high", "0.97"]), whole);
    assert_eq!(edge(&["--low", "0.7", "--high", "0.99"]), whole);
}

/// Greedy circuits are never saturated, whatever their credits let them have under way.
#[test]
fn greedy_circuits_bear_no_star() {
    let here = folder("saturate-greedy");
    let figure = shipped("kung1993/fig17-two-switches.toml");
    let ran = backwater(
        &here,
        &["sweep", &figure, "--axis", "n3=8,28", "--out", "out"],
    )
    .expect(0);
    assert!(!ran.out.contains('*'), "{}", ran.out);
}
