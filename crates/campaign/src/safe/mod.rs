//! What is said before a run, against what networks then do: random networks, run in phases that
//! make the worst of them. Nothing that is called safe may fail; of what is warned of, the share
//! that never fails is counted.

mod bounds;
mod flits;
mod network;
mod stops;

use std::fs;

use backwater_kernel::Rings;
use backwater_net::Simulation;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;
use backwater_scenario::{Limits, Scenario, Source, parse_within};

use crate::trial::{self, Options, Summary, Trial};

/// The files of a network, by name; the scenario first.
type Files = Vec<(&'static str, String)>;

/// Networks of a kind.
const USUAL: u64 = 300;
/// The file of a network.
const SCENARIO: &str = "scenario.toml";
/// Counted of a network that is warned of.
const CLOSED: &str = "warned, failed";
const OPEN: &str = "warned, never failed";

/// One campaign for each kind of verdict, or for one of them.
pub fn run(options: &Options, part: Option<&str>) -> Vec<Summary> {
    let wanted = |kind: &str| part.is_none_or(|part| part == kind);
    let mut all: Vec<Summary> = stops::KINDS
        .iter()
        .filter(|kind| wanted(kind))
        .map(|kind| {
            of_kind(options, kind, |trial, number| {
                stops::attempt(options, kind, trial, number).map(alone)
            })
        })
        .collect();
    if wanted(flits::KIND) {
        all.push(of_kind(options, flits::KIND, |trial, number| {
            flits::attempt(options, trial, number)
        }));
    }
    if wanted(bounds::KIND) {
        all.push(of_kind(options, bounds::KIND, |trial, number| {
            bounds::attempt(options, trial, number).map(alone)
        }));
    }
    all
}

fn alone(scenario: String) -> Files {
    vec![(SCENARIO, scenario)]
}

fn of_kind(
    options: &Options,
    kind: &str,
    attempt: impl Fn(&mut Trial, u64) -> Option<Files> + Sync,
) -> Summary {
    let name = name(kind);
    let summary = trial::run(&name, USUAL, options, |number| {
        let mut trial = Trial::default();
        let files = attempt(&mut trial, number);
        if let Some(files) = files.filter(|_| options.only.is_some() || !trial.findings.is_empty())
        {
            let folder = trial::folder(options, &name, number);
            for (file, text) in files {
                fs::write(folder.join(file), text).expect("a file is written");
            }
        }
        trial
    });
    let of = |outcome: &str| summary.outcomes.get(outcome).copied().unwrap_or(0);
    let (closed, open) = (of(CLOSED), of(OPEN));
    if closed + open > 0 {
        let share = 100.0 * open as f64 / (closed + open) as f64;
        let false_safe = summary.findings.len();
        println!(
            "{name}: {false_safe} false \"safe\"; {share:.0} % of warnings never seen to fail"
        );
    }
    summary
}

fn name(kind: &str) -> String {
    format!("safe {kind}")
}

/// What was said of a deadlock, against what was seen.
fn judge(trial: &mut Trial, is_warned: bool, has_closed: bool) {
    match (is_warned, has_closed) {
        (false, false) => trial.count("safe"),
        (false, true) => trial.find("called safe, and it came to a deadlock"),
        (true, true) => trial.count(CLOSED),
        (true, false) => trial.count(OPEN),
    }
}

/// The network of a scenario, and the codes of its warnings.
fn read(text: &str) -> Result<(EthernetSpec, Vec<&'static str>), String> {
    let source = Source::new(SCENARIO, text);
    let found: Scenario =
        parse_within(&source, &[], &Limits::default()).map_err(|said| said.render(false))?;
    let codes = found.warnings.iter().map(|one| one.code).collect();
    let network = found.ethernet().ok_or("not for Ethernet")?.network.clone();
    Ok((network, codes))
}

fn simulate(spec: &EthernetSpec) -> Result<Outcome, String> {
    let simulation: Result<Simulation<Rings, ()>, _> = Simulation::with_probe(spec, ());
    let mut simulation = simulation.map_err(|error| error.to_string())?;
    simulation.run();
    Ok(simulation.outcome())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All kinds have networks of both verdicts, some of which fail as they are warned to.
    #[test]
    fn both_verdicts_occur() {
        let options = trial::for_test(40, "");
        for summary in run(&options, None) {
            assert_eq!(summary.findings, [], "{}", summary.name);
            let of = |outcome: &str| summary.outcomes.get(outcome).copied().unwrap_or(0);
            assert!(of("safe") >= 4, "{}: {:?}", summary.name, summary.outcomes);
            if summary.name != "safe bounds" {
                assert!(of(CLOSED) >= 1, "{}: {:?}", summary.name, summary.outcomes);
            }
        }
    }
}
