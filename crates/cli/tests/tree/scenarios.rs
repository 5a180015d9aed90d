//! Every shipped scenario is sound, runs and keeps its promises.

use std::io;
use std::path::Path;

use kernel::Wheel;
use packet::Simulation;
use packet::outcome::Outcome;
use packet::probe::Audit;
use scenario::{Limits, Scenario, Set, Source};

use crate::files::{self, TextFile};
use crate::hold;

/// Long enough for every source to send, short enough for all files in seconds.
const DURATION: &str = "3000 cells";

#[test]
fn shipped_scenarios_are_sound() {
    hold(
        shipped()
            .iter()
            .filter_map(|file| read(file, &[]).err())
            .collect(),
        "`backwater check FILE` says what to change",
    );
}

#[test]
fn shipped_scenarios_run() {
    let complaints = shipped().into_iter().flat_map(|file| {
        let outcome = match read(&file, &[]) {
            Ok(scenario) if scenario.packet().is_none() => return Vec::new(),
            _ => read(&file, &shortened()).and_then(|scenario| run(&scenario)),
        };
        match outcome {
            Ok(outcome) => complaints_about(&file.path, &outcome),
            Err(message) => vec![format!("{}: {message}", file.path)],
        }
    });
    hold(
        complaints.collect(),
        "`backwater run FILE --audit` shows which promise broke and when",
    );
}

#[test]
fn a_broken_promise_is_seen() {
    let files = shipped();
    let name = "scenarios/kung1993/fig17-two-switches.toml";
    let file = files.iter().find(|file| file.path == name).expect(name);
    let mut sets = shortened();
    sets.push(set("flow_control.window", "60 cells"));
    assert!(read(file, &sets).is_err(), "a window too short is refused");
    sets.push(set("flow_control.overflow", "keep"));
    let outcome = read(file, &sets).and_then(|scenario| run(&scenario));
    let complaints = complaints_about(name, &outcome.expect("it runs, and overflows"));
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    let nothing = run(&read(
        file,
        &[set("run.duration", "1 cells"), set("run.warm_up", "0 s")],
    )
    .expect("a short run is sound"));
    assert_eq!(complaints_about(name, &nothing.expect("it runs")).len(), 1);
}

fn shipped() -> Vec<TextFile> {
    let mut files = files::ending(".toml");
    files.retain(|file| file.path.starts_with("scenarios/"));
    assert!(!files.is_empty(), "no scenarios/**/*.toml");
    files
}

fn set(key: &str, value: &str) -> Set {
    Set {
        key: key.into(),
        value: value.into(),
    }
}

fn shortened() -> Vec<Set> {
    vec![
        set("run.duration", DURATION),
        set("run.warm_up", "500 cells"),
    ]
}

fn read(file: &TextFile, sets: &[Set]) -> Result<Scenario, String> {
    let source = Source {
        name: file.path.clone(),
        text: file.text.clone(),
    };
    let load = |path: &Path| {
        let path = path.to_string_lossy().into_owned();
        files::read(&path).ok_or_else(|| io::Error::other("no such file"))
    };
    scenario::parse_with(&source, sets, &Limits::default(), &load)
        .map_err(|mistakes| mistakes.render(false))
}

/// Runs under audit; what it found counts like what the run itself found.
fn run(scenario: &Scenario) -> Result<Outcome, String> {
    let packet = scenario.packet().ok_or("it is for another engine")?;
    let network = &packet.network;
    let audit = Audit::new(network);
    let mut simulation =
        Simulation::<Wheel, _>::new(network, audit).map_err(|error| error.to_string())?;
    simulation.run();
    let mut outcome = simulation.outcome();
    let (_, total) = simulation.probe().violations();
    outcome.violations_total += total;
    Ok(outcome)
}

fn complaints_about(path: &str, outcome: &Outcome) -> Vec<String> {
    let mut complaints = Vec::new();
    if outcome.violations_total > 0 {
        let first = outcome.violations.first();
        let first = first.map_or("under audit".into(), |first| format!("{first:?}"));
        let total = outcome.violations_total;
        complaints.push(format!("{path}: {total} promises broken, first {first}"));
    }
    if outcome.flows.iter().all(|flow| flow.delivered_total == 0) {
        complaints.push(format!("{path}: nothing was delivered"));
    }
    complaints
}
