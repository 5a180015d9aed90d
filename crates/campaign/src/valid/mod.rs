//! Random scenarios that the reader accepts, run by the program with all promises checked.

mod coverage;
mod files;
mod grow;
pub mod results;
mod starts;
mod tables;
mod values;

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::child::{Ended, Job, Limits, Status};
use crate::random::Random;
use crate::toml_tree;
use crate::trial::{self, Options, Summary, Trial};
use grow::{Grown, Language};
use starts::Starts;

/// Memory a run may have.
const MEMORY_BYTES: u64 = 1 << 30;
/// A run is stopped, as by Ctrl-C, after this long: it is long, not wrong.
const LONG: Duration = Duration::from_secs(5);
/// And must have ended by then.
const PATIENCE: Duration = Duration::from_secs(300);
/// Trials for each engine.
const USUAL: u64 = 180;

/// One campaign for each engine, or for one of them.
pub fn run(options: &Options, part: Option<&str>) -> Vec<Summary> {
    let starts = Starts::load(&options.tree);
    let languages = Language::all();
    let wanted = languages
        .iter()
        .filter(|language| part.is_none_or(|part| part == language.engine));
    let mut summaries = Vec::new();
    for language in wanted {
        let name = format!("valid {}", language.engine);
        let once = |number| attempt(options, &name, language, &starts, number);
        summaries.push(trial::run(&name, USUAL, options, once));
    }
    let seen = summaries.iter().flat_map(|summary| summary.seen.keys());
    coverage::report(&seen.cloned().collect(), part);
    summaries
}

fn attempt(
    options: &Options,
    name: &str,
    language: &Language,
    starts: &Starts,
    number: u64,
) -> Trial {
    let mut random = Random::of(options.seed, name, number);
    let grown = grow::grow(language, starts, &mut random, number);
    let folder = trial::folder(options, name, number);
    let mut trial = Trial::default();
    let seen = coverage::of(language.engine, language.root, &grown.tree);
    trial.seen = seen.into_iter().collect();
    store(&grown, &folder);
    examine(options, &folder, &mut trial, number);
    trial::tidy(options, &folder, &trial);
    trial
}

fn store(grown: &Grown, folder: &Path) {
    let files = grown.files.iter();
    let files = files.map(|(name, text)| (name.as_str(), text.clone()));
    let scenario = ("scenario.toml", toml_tree::write(&grown.tree));
    for (name, text) in files.chain([scenario]) {
        fs::write(folder.join(name), text).expect("a file is written");
    }
    fs::create_dir_all(folder.join("elsewhere")).expect("a folder is made");
}

/// `check`, a run with the audit, and another run whose surroundings differ in every way: on
/// several threads, but for every third, of which a trace is written.
fn examine(options: &Options, folder: &Path, trial: &mut Trial, number: u64) {
    let go = |arguments: &[&str], change: &dyn Fn(&mut Job)| {
        let limits = Limits {
            memory_bytes: Some(MEMORY_BYTES),
            ..Limits::default()
        };
        let mut job = Job::new(&options.program, folder, limits, arguments);
        job.interrupt_after = Some(LONG);
        job.patience = PATIENCE;
        change(&mut job);
        job.run()
    };
    let check = go(&["check", "scenario.toml"], &|_| {});
    trial.findings.extend(check.faults());
    if check.status != Status::Code(0) {
        trial.count(format!("check {}", check.status));
        trial.find(format!(
            "accepted by the reader, refused by `check`: {}",
            check.clipped()
        ));
        return;
    }
    let run = ["run", "scenario.toml", "--audit", "--out", "audited"];
    let audited = go(&run, &|_| {});
    trial.count(format!("run {}", audited.status));
    judge(&audited, &folder.join("audited"), trial);
    let way = match number % 3 {
        0 => ["--trace", "csv"],
        1 => ["--threads", "2"],
        _ => ["--threads", "3"],
    };
    let again = [&["run", "../scenario.toml", "--out", "../again"][..], &way].concat();
    let elsewhere = folder.join("elsewhere");
    let other = go(&again, &|job| {
        let command = job.command().current_dir(&elsewhere);
        command
            .env("LC_ALL", "tr_TR.UTF-8")
            .env("TZ", "Pacific/Chatham");
        command.env("TERM", "dumb").env("COLUMNS", "40");
    });
    trial.findings.extend(other.faults());
    let complete = |ended: &Ended| matches!(ended.status, Status::Code(0 | 1));
    if complete(&audited) && complete(&other) {
        let compared = results::difference(&folder.join("audited"), &folder.join("again"));
        trial.findings.extend(compared);
    } else if complete(&audited) != complete(&other) {
        trial.count("one of two runs stopped");
    }
}

/// What the end of a run says of it.
fn judge(ended: &Ended, out: &Path, trial: &mut Trial) {
    trial.findings.extend(ended.faults());
    match ended.status {
        Status::Code(0) => trial.findings.extend(results::wrong(out)),
        Status::Code(1) => match results::provoked(ended, out) {
            Some(cause) => trial.count(format!("provoked: {cause}")),
            None => trial.find(format!("a promise broken: {}", ended.clipped())),
        },
        Status::Code(2) => trial.find(format!(
            "`check` says valid, `run` refuses: {}",
            ended.clipped()
        )),
        // Out of memory with results kept, or stopped for taking long: neither is wrong.
        Status::Code(3 | 130) => {}
        status => trial.find(format!("ended with {status}: {}", ended.clipped())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What grows is accepted, and of different kinds; a program that refuses it is found out, and
    /// so is one that accepts it and leaves nothing.
    #[test]
    fn wrong_programs_are_found_out() {
        let options = trial::for_test(8, "/bin/false");
        for summary in run(&options, None) {
            assert_eq!((summary.tried, summary.findings.len()), (8, 8));
            assert!(summary.seen.len() > 50, "{}", summary.seen.len());
        }
        let options = trial::for_test(3, "/bin/true");
        for summary in run(&options, Some("flit")) {
            assert!(summary.findings.len() >= 3, "{:?}", summary.findings);
        }
        let _ = fs::remove_dir_all(&options.keep);
    }

    #[test]
    fn a_trial_grows_the_same_again() {
        let options = trial::for_test(1, "/bin/true");
        let starts = Starts::load(&options.tree);
        for language in Language::all() {
            let text = |trial| {
                let mut random = Random::of(5, "again", trial);
                toml_tree::write(&grow::grow(&language, &starts, &mut random, trial).tree)
            };
            assert_eq!(text(3), text(3));
            assert_ne!(text(3), text(4));
        }
    }
}
