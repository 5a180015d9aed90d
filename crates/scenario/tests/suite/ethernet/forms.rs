//! The engine of frames is compiled in several forms, each for networks that lack something. For
//! every shipped scenario the form that it gets does what the one does that serves all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use backwater_kernel::{Rings, Time};
use backwater_net::Simulation;

use super::*;

/// Events of each run: enough for stops, losses and time-outs to come.
const EVENTS: u64 = 30_000;

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of scenarios") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|end| end == "toml") {
            found.push(path);
        }
    }
}

/// What a run finds in its first events, and the form in which it runs.
fn run(spec: &EthernetSpec, is_general: bool) -> (String, &'static str) {
    let mut simulation: Simulation<Rings> = Simulation::new(spec).expect("sound");
    if is_general {
        simulation.run_in_general_form();
    }
    let form = simulation.form();
    simulation.run_some(Time::MAX, EVENTS);
    let found = simulation.outcome();
    let head = (found.trace_hash, found.events, found.unit_hops);
    let all = (&found.flows, &found.channels, &found.nodes);
    (format!("{head:?} {all:?} {:?}", found.violations), form)
}

#[test]
fn every_shipped_scenario_is_the_same_run_in_both_forms() {
    let mut paths = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    below(&root, &mut paths);
    paths.sort();
    let mut forms: BTreeMap<&str, u32> = BTreeMap::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a scenario");
        let Ok(scenario) = try_read(&text, &[]) else {
            continue;
        };
        let Some(ethernet) = scenario.ethernet() else {
            continue;
        };
        let (own, form) = run(&ethernet.network, false);
        *forms.entry(form).or_default() += 1;
        if form != "general" {
            let (general, other) = run(&ethernet.network, true);
            assert_eq!(other, "general");
            assert!(own == general, "{} in the form {form}", path.display());
        }
    }
    assert!(forms.len() >= 3, "{forms:?}");
    assert!(forms.values().sum::<u32>() > 40, "{forms:?}");
}
