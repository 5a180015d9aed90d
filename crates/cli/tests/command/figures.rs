//! `backwater figures`: what results show as files for LaTeX and others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{backwater, folder, shipped};

/// A short run of each engine, and a sweep.
const RUNS: [(&str, &str, &[&str]); 3] = [
    (
        "cells",
        "kung1993/fig17-two-switches.toml",
        &["run.duration=\"20000 cells\""],
    ),
    ("frames", "ethernet/incast.toml", &["run.duration=\"4 ms\""]),
    (
        "flits",
        "flit/mesh-8x8.toml",
        &[
            "run.warm_up=\"100 cycles\"",
            "run.measure=\"300 cycles\"",
            "run.drain=\"300 cycles\"",
        ],
    ),
];

/// Names of files below a folder without their ending.
fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        found.extend(name.strip_suffix(ending).map(String::from));
    }
    found
}

#[test]
fn every_figure_of_every_engine_is_a_file() {
    let here = folder("figures");
    for (name, scenario, sets) in RUNS {
        let (file, out) = (shipped(scenario), format!("runs/{name}"));
        let mut words = vec!["run", &file, "--out", &out];
        words.extend(sets.iter().flat_map(|set| ["--set", set]));
        backwater(&here, &words).expect(0);
        backwater(&here, &["figures", &out]).expect(0);
        let drawn = names(&here.join(&out).join("figures"), ".svg");
        let drawn: BTreeSet<String> = drawn.iter().map(|one| format!("{name}-{one}")).collect();
        let made = names(&here.join("figures"), ".pdf");
        assert!(drawn.len() > 3, "{drawn:?}");
        assert!(drawn.is_subset(&made), "{drawn:?} {made:?}");
    }
    for name in names(&here.join("figures"), ".pdf") {
        let file = fs::read(here.join(format!("figures/{name}.pdf"))).expect("a file");
        assert!(file.starts_with(b"%PDF-1.4"), "{name}");
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("/MediaBox [0 0 240.945 "), "{name}: 85 mm");
        assert!(text.contains("> Tj"), "{name}: letters are letters");
        assert!(!text.contains("NaN") && !text.contains("inf "), "{name}");
    }
}

#[test]
fn figures_of_sweeps_have_a_width_and_a_form() {
    let here = folder("figures-of-sweeps");
    let file = shipped(RUNS[0].1);
    let set = ["--set", RUNS[0].2[0]];
    let sweep = [
        "sweep",
        &file,
        "--axis",
        "flow_control.n3=[8, 16]",
        "--out",
        "runs/n3",
    ];
    backwater(&here, &[&sweep[..], &set[..]].concat()).expect(0);
    let wide = ["figures", "runs/n3", "--width", "178", "--out", "wide"];
    backwater(&here, &wide).expect(0);
    let svg = ["figures", "runs/n3", "--as", "svg", "--out", "svg"];
    backwater(&here, &svg).expect(0);
    let made = names(&here.join("wide"), ".pdf");
    assert!(!made.is_empty());
    assert_eq!(made, names(&here.join("svg"), ".svg"));
    let some = made.first().expect("one");
    let file = fs::read(here.join(format!("wide/{some}.pdf"))).expect("a file");
    assert!(String::from_utf8_lossy(&file).contains("/MediaBox [0 0 504.567 "));
    let only = some.strip_prefix("n3-").expect("the name of its directory");
    backwater(
        &here,
        &["figures", "runs/n3", "--only", only, "--out", "only"],
    )
    .expect(0);
    assert_eq!(names(&here.join("only"), ".pdf"), [some.clone()].into());
    backwater(&here, &["figures", "runs/n3", "--only", "nothing"])
        .expect(2)
        .complains(&format!("there is no figure `nothing`; there are: {only}"));
    backwater(&here, &["figures", "."])
        .expect(2)
        .complains("is no directory of results");
    backwater(&here, &["figures", "runs/n3", "--width", "3"])
        .expect(2)
        .complains("give 40 to 1000 mm");
}
