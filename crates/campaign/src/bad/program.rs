//! Bad inputs through the program: `check`, and a short run of what it says is sound.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{Shipped, Spoiled, spoil};
use crate::child::{Ended, Job, Limits, Status};
use crate::random::Random;
use crate::trial::{self, Options, Summary, Trial};

const USUAL: u64 = 1_000;
const EXTREMES: u64 = 300;
/// Processor time of `check`, in seconds, and of a run.
const CHECK_S: u64 = 5;
const RUN_S: u64 = 30;
/// A run that is not done by then is asked to end.
const LONG: Duration = Duration::from_secs(2);
const MEMORY_BYTES: u64 = 1 << 30;

/// The campaign.
pub fn run(options: &Options, shipped: &[Shipped]) -> Summary {
    tried("bad-inputs program", USUAL, options, |random| {
        spoil(shipped, random)
    })
}

/// The same of quantities at their extremes.
pub fn extremes(options: &Options, shipped: &[Shipped]) -> Summary {
    let edges = super::edges::Edges::of(&options.tree);
    tried("bad-inputs extreme-runs", EXTREMES, options, |random| {
        super::extremes::spoil(shipped, &edges, random)
    })
}

fn tried(
    name: &str,
    usual: u64,
    options: &Options,
    spoil: impl Fn(&mut Random) -> Spoiled + Sync,
) -> Summary {
    trial::run(name, usual, options, |number| {
        let spoiled = spoil(&mut Random::of(options.seed, name, number));
        let folder = trial::folder(options, name, number);
        fs::write(folder.join("spoiled.toml"), &spoiled.bytes).expect("a file is written");
        let _ = fs::write(
            folder.join("how.txt"),
            format!("{}\n{:?}\n", spoiled.how, spoiled.sets),
        );
        let mut trial = Trial::default();
        attack(options, &folder, &spoiled, &mut trial);
        trial::tidy(options, &folder, &trial);
        trial
    })
}

fn attack(options: &Options, folder: &Path, spoiled: &Spoiled, trial: &mut Trial) {
    let go = |command: &[&str], cpu_s: u64| {
        let mut arguments = command.to_vec();
        for set in &spoiled.sets {
            arguments.extend(["--set", set]);
        }
        let limits = Limits {
            memory_bytes: Some(MEMORY_BYTES),
            cpu_s: Some(cpu_s),
            ..Limits::default()
        };
        let mut job = Job::new(&options.program, folder, limits, &arguments);
        job.interrupt_after = Some(LONG).filter(|_| cpu_s == RUN_S);
        job.run()
    };
    let check = go(&["check", "spoiled.toml"], CHECK_S);
    trial.count(format!("check {}", check.status));
    trial.findings.extend(check.faults());
    match check.status {
        Status::Code(0) => {}
        Status::Code(2) => return placed(&check, trial),
        status => return trial.find(format!("`check` ends with {status}: {}", check.clipped())),
    }
    if String::from_utf8_lossy(&spoiled.bytes).contains("\"comparison\"") {
        return;
    }
    // Short, if the scenario stays sound with that; otherwise as long as it says.
    let short = shorter(&spoiled.bytes).iter().find(|shorter| {
        let check = go(&["check", "spoiled.toml", "--set", shorter], CHECK_S);
        check.status == Status::Code(0)
    });
    let mut run = vec!["run", "spoiled.toml", "--out", "out"];
    if let Some(shorter) = short {
        run.extend(["--set", shorter]);
    }
    // The large networks that measure speed are not audited: that alone takes a minute.
    if !spoiled.how.contains("scenarios/bench/") {
        run.push("--audit");
    }
    judge(&go(&run, RUN_S), trial);
}

fn shorter(bytes: &[u8]) -> &'static [&'static str] {
    let text = String::from_utf8_lossy(bytes);
    match (text.contains("\"flit\""), text.contains("\"ethernet\"")) {
        (true, _) => &["run={ warm_up = 100, measure = 500, drain = 1000 }"],
        (_, true) => &["run.duration=5 ms", "run.duration=1100 ms"],
        _ => &["run.duration=500 cells", "run.duration=20000 cells"],
    }
}

/// A refusal says where.
fn placed(ended: &Ended, trial: &mut Trial) {
    // A word of the command itself is shown as it was given.
    if !ended.has_place() && !ended.err.contains("--set") {
        trial.find(format!("no place: {}", ended.clipped()));
    }
}

fn judge(run: &Ended, trial: &mut Trial) {
    trial.count(format!("run {}", run.status));
    trial.findings.extend(run.faults());
    match run.status {
        // Broken promises of spoiled settings, memory, interruption: told, and no fault here.
        Status::Code(0 | 1 | 3 | 130) => {}
        Status::Code(2) => trial.find(format!(
            "`check` says valid, `run` refuses: {}",
            run.clipped()
        )),
        status => trial.find(format!("`run` ends with {status}: {}", run.clipped())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_refuses_without_a_word_is_found_out() {
        let shipped = Shipped {
            name: "a.toml".into(),
            text: "title = \"a\"\n".into(),
        };
        let options = trial::for_test(7, "/bin/false");
        let summary = run(&options, &[shipped]);
        assert_eq!(
            (summary.outcomes["check 1"], summary.findings.len()),
            (7, 7)
        );
        let _ = fs::remove_dir_all(&options.keep);
    }
}
