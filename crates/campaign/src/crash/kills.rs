//! Commands that are killed at random instants, or asked to end.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use super::contents::{self, Contents};
use super::{Ground, Work, out};
use crate::child::{Ended, Job, Limits, Status, signal};
use crate::random::Random;
use crate::trial::{self, Summary, Trial};

/// Signals, their numbers, and the status that a command ends with.
const SIGNALS: [(&str, i32, i32); 3] = [("INT", 2, 130), ("TERM", 15, 143), ("HUP", 1, 129)];

/// SIGKILL, up to three times one after another, and then the same command to its end.
pub fn kills(ground: &Ground<'_>) -> Summary {
    each(
        ground,
        "crash kills",
        40,
        |ground, work, folder, random, trial| {
            let times = 1 + random.below(3);
            for _ in 0..times {
                let mut job = work.job(ground.options, folder, Limits::default());
                let mut child = job.start();
                pause(&mut child, instant(work, random));
                let _ = child.kill();
                let ended = job.wait(child);
                trial.count(format!("{} {}", work.name, ended.status));
                aftermath(work, folder, &ended, trial);
            }
            trial.findings.extend(work.settle(ground.options, folder));
        },
    )
}

/// INT, TERM and HUP.
pub fn signals(ground: &Ground<'_>) -> Summary {
    each(
        ground,
        "crash signals",
        30,
        |ground, work, folder, random, trial| {
            let (name, number, status) = SIGNALS[random.below(SIGNALS.len())];
            let mut job: Job = work.job(ground.options, folder, Limits::default());
            let mut child = job.start();
            let ended_before = pause(&mut child, instant(work, random));
            signal(&child, name);
            let ended = job.wait(child);
            trial.count(format!("{name} {}", ended.status));
            let found = contents::says_whole(&out(folder));
            match ended.status {
                Status::Code(0) => {}
                Status::Code(code) if code == status => {}
                // Before anything of it was there to listen.
                Status::Signal(sent) if sent == number && found.is_none() => {}
                other => trial.find(format!(
                    "{} ends with {other} at {name}, not {status}",
                    work.name
                )),
            }
            if ended.status == Status::Code(status) && !ended_before && ended.err.trim().is_empty()
            {
                trial.find(format!("{} says nothing at {name}", work.name));
            }
            aftermath(work, folder, &ended, trial);
            trial.findings.extend(work.settle(ground.options, folder));
        },
    )
}

/// A trial for each number, with one command after another.
pub fn each(
    ground: &Ground<'_>,
    name: &str,
    usual: u64,
    attack: impl Fn(&Ground<'_>, &Work, &Path, &mut Random, &mut Trial) + Sync,
) -> Summary {
    trial::run(name, usual, ground.options, |number| {
        let mut random = Random::of(ground.options.seed, name, number);
        let work = &ground.works[number as usize % ground.works.len()];
        let folder = trial::folder(ground.options, name, number);
        let mut trial = Trial::default();
        attack(ground, work, &folder, &mut random, &mut trial);
        trial::tidy(ground.options, &folder, &trial);
        trial
    })
}

/// Somewhere in the time that the command takes, with the machine as busy as it is.
pub fn instant(work: &Work, random: &mut Random) -> Duration {
    work.took.mul_f64(random.below(850) as f64 / 1_000.0)
}

/// Waits; true if it has ended by itself meanwhile.
fn pause(child: &mut Child, span: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < span {
        if child.try_wait().expect("a process can be asked").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    false
}

/// What a directory must be right after an end of any kind.
fn aftermath(work: &Work, folder: &Path, ended: &Ended, trial: &mut Trial) {
    let out = out(folder);
    trial.findings.extend(contents::faults(&out));
    if !matches!(ended.status, Status::Signal(9 | 2 | 15 | 1)) {
        trial.findings.extend(ended.faults());
    }
    if contents::says_whole(&out) == Some(true)
        && let Some(what) = work.whole.differs(&Contents::of(&out))
    {
        trial.find(format!("{} says that all is there, but {what}", work.name));
    }
}
