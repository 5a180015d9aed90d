//! Random operations, jobs and graphs of flows that wait for each other, where nothing is lost: all
//! of them end, on any number of threads alike, and a circle is named before the run.

mod scenario;

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::child::{Ended, Job, Limits, Status};
use crate::random::Random;
use crate::trial::{self, Options, Summary, Trial};
use crate::valid::results;

/// Trials.
const USUAL: u64 = 120;
const NAME: &str = "jobs";
/// A run has ended by then.
const PATIENCE: Duration = Duration::from_secs(300);

/// The campaign.
pub fn run(options: &Options) -> Vec<Summary> {
    vec![trial::run(NAME, USUAL, options, |number| {
        attempt(options, number)
    })]
}

fn attempt(options: &Options, number: u64) -> Trial {
    let mut random = Random::of(options.seed, NAME, number);
    let folder = trial::folder(options, NAME, number);
    let mut trial = Trial::default();
    let has_circle = number % 5 == 4;
    let text = scenario::text(&mut random, has_circle);
    fs::write(folder.join("scenario.toml"), text).expect("a file is written");
    match has_circle {
        true => refuse(options, &folder, &mut trial),
        false => complete(options, &folder, &mut trial, number),
    }
    trial::tidy(options, &folder, &trial);
    trial
}

fn go(options: &Options, folder: &Path, arguments: &[&str]) -> Ended {
    let mut job = Job::new(&options.program, folder, Limits::default(), arguments);
    job.patience = PATIENCE;
    job.run()
}

/// Flows that wait for themselves are refused by `check` and by `run`, and one of them is named.
fn refuse(options: &Options, folder: &Path, trial: &mut Trial) {
    for command in ["check", "run"] {
        let ended = go(options, folder, &[command, "scenario.toml"]);
        trial.findings.extend(ended.faults());
        trial.count(format!("circle: {command} {}", ended.status));
        let is_named = ended.err.contains("waits for itself") && ended.err.contains("`circle");
        if ended.status != Status::Code(2) || !is_named || !ended.has_place() {
            trial.find(format!("a circle is not named: {}", ended.clipped()));
        }
    }
}

/// All that begins ends, the audit finds nothing, and any number of threads is the same run.
fn complete(options: &Options, folder: &Path, trial: &mut Trial, number: u64) {
    let check = go(options, folder, &["check", "scenario.toml"]);
    trial.findings.extend(check.faults());
    if check.status != Status::Code(0) {
        trial.find(format!("`check` refuses: {}", check.clipped()));
        return;
    }
    let run = ["run", "scenario.toml", "--audit", "--out", "audited"];
    let ended = go(options, folder, &run);
    trial.findings.extend(ended.faults());
    trial.count(format!("run {}", ended.status));
    if ended.status != Status::Code(0) {
        return trial.find(format!("it does not end well: {}", ended.clipped()));
    }
    let out = folder.join("audited");
    trial.findings.extend(results::wrong(&out));
    trial.findings.extend(unfinished(&out));
    let threads = (2 + number % 3).to_string();
    let again = [
        "run",
        "scenario.toml",
        "--out",
        "again",
        "--threads",
        &threads,
    ];
    let other = go(options, folder, &again);
    trial.findings.extend(other.faults());
    let compared = results::difference(&out, &folder.join("again"));
    trial.findings.extend(compared);
}

/// What of operations, jobs and transfers is not complete.
fn unfinished(out: &Path) -> Vec<String> {
    let mut open = Vec::new();
    for (table, column) in [("collectives", "left"), ("flows", "unfinished")] {
        let left: u64 = numbers(out, table, column).iter().sum();
        if left > 0 {
            open.push(format!("{left} of the {table} never end"));
        }
    }
    let iterations = numbers(out, "jobs", "iterations");
    if iterations != numbers(out, "jobs", "done") {
        open.push("a job never ends".into());
    }
    open
}

/// A column of a table, if there is one.
fn numbers(out: &Path, table: &str, column: &str) -> Vec<u64> {
    let path = out.join("tables").join(format!("{table}.csv"));
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines();
    let heading = lines.next().unwrap_or_default();
    let Some(at) = heading.split(',').position(|name| name == column) else {
        return Vec::new();
    };
    let cells = lines.filter_map(|line| line.split(',').nth(at)?.parse().ok());
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that refuses everything, and one that accepts it and leaves nothing, are found
    /// out.
    #[test]
    fn wrong_programs_are_found_out() {
        for program in ["/bin/false", "/bin/true"] {
            let options = trial::for_test(10, program);
            for summary in run(&options) {
                assert!(summary.findings.len() >= 10, "{:?}", summary.findings);
            }
            let _ = fs::remove_dir_all(&options.keep);
        }
    }

    /// The reader accepts what is sound, and refuses circles.
    #[test]
    fn scenarios_are_what_they_are_to_be() {
        use backwater_scenario::{Limits, Scenario, Source, parse_within};
        for number in 0..60 {
            for has_circle in [false, true] {
                let mut random = Random::of(3, NAME, number);
                let text = scenario::text(&mut random, has_circle);
                let source = Source::new("scenario.toml", &text);
                let read: Result<Scenario, _> = parse_within(&source, &[], &Limits::default());
                match read {
                    Ok(_) => assert!(!has_circle, "{text}"),
                    Err(said) => {
                        let said = said.render(false);
                        assert!(
                            has_circle && said.contains("waits for itself"),
                            "{said}\n{text}"
                        );
                    }
                }
            }
        }
    }
}
