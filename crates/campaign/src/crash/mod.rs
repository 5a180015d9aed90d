//! Crashes: commands that are killed, asked to end, starved or made to share a directory, and
//! stored points that were damaged. In the end the result is that of a run that nothing disturbed.

mod contents;
mod kills;
mod limits;
mod stores;
mod writers;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::child::{Ended, Job, Limits, Status};
use crate::trial::{Options, Summary};
use contents::Contents;

/// A command of half a second or so that writes a directory.
pub struct Work {
    /// `run`, `sweep`, ...
    pub name: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it leaves when nothing disturbs it.
    pub whole: Contents,
    /// How long it took then.
    pub took: Duration,
}

/// What every trial needs.
pub struct Ground<'a> {
    /// What the campaign was told.
    pub options: &'a Options,
    /// Each command.
    pub works: Vec<Work>,
}

type Campaign = fn(&Ground<'_>) -> Summary;

/// The campaigns, or one of them.
pub fn run(options: &Options, part: Option<&str>) -> Vec<Summary> {
    let ground = Ground {
        options,
        works: works(options),
    };
    let parts: [(&str, Campaign); 5] = [
        ("kills", kills::kills),
        ("signals", kills::signals),
        ("limits", limits::run),
        ("writers", writers::run),
        ("stores", stores::run),
    ];
    let wanted = parts
        .into_iter()
        .filter(|(name, _)| part.is_none_or(|part| part == *name));
    wanted.map(|(_, campaign)| campaign(&ground)).collect()
}

fn works(options: &Options) -> Vec<Work> {
    let tree = fs::canonicalize(&options.tree).unwrap_or_else(|_| options.tree.clone());
    let file = |name: &str| tree.join("scenarios").join(name).display().to_string();
    let set = |text: &str| ["--set".to_owned(), text.to_owned()];
    let mut run = vec!["run".into(), file("kung1993/fig17-two-switches.toml")];
    run.extend(set("run.duration=300000 cells"));
    let mut sweep = vec!["sweep".into(), file("sweeps/shared-link.toml")];
    sweep.extend(set("run.duration=3000 cells"));
    sweep.extend(set("run.warm_up=500 cells"));
    sweep.extend(["--seeds".into(), "3".into()]);
    let mut compare = vec!["compare".into(), file("compare/speed-mismatch.toml")];
    compare.extend(set("run.duration=700 ms"));
    compare.extend(["--only".into(), "none".into(), "pfc".into(), "n23".into()]);
    let mut saturate = vec!["saturate".into(), file("flit/mesh-8x8.toml")];
    saturate.extend(set("run={ warm_up = 300, measure = 1500, drain = 5000 }"));
    saturate.extend(set("topology.sides=[4, 4]"));
    saturate.extend(["--precision", "0.02", "--seeds", "4"].map(String::from));
    let claims = [
        "kung1993.fig6.buffer-table",
        "kung1993.fig12.burst",
        "--quick",
    ];
    let mut reproduce = vec!["reproduce".to_owned()];
    reproduce.extend(claims.map(String::from));
    let mut jobs = vec!["sweep".into(), file("ethernet/two-jobs.toml")];
    jobs.extend(set("jobs.*.iterations=2"));
    jobs.extend(["--axis", "jobs.A.start=0us,300us,600us"].map(String::from));
    let commands = [
        ("run", run),
        ("sweep", sweep),
        ("jobs", jobs),
        ("compare", compare),
        ("saturate", saturate),
        ("reproduce", reproduce),
    ];
    commands
        .map(|(name, arguments)| undisturbed(options, name, arguments))
        .into()
}

/// Has a command run without any disturbance and keeps what it left.
fn undisturbed(options: &Options, name: &'static str, mut arguments: Vec<String>) -> Work {
    arguments.extend(["--out", "out"].map(String::from));
    let folder = crate::trial::folder(options, "undisturbed", name.len() as u64);
    let mut work = Work {
        name,
        arguments,
        whole: Contents::default(),
        took: Duration::ZERO,
    };
    let begun = Instant::now();
    let ended = work.job(options, &folder, Limits::default()).run();
    work.took = begun.elapsed();
    assert_eq!(ended.status, Status::Code(0), "{name}: {}", ended.clipped());
    work.whole = Contents::of(&folder.join("out"));
    let _ = fs::remove_dir_all(folder);
    work
}

impl Work {
    /// The command, to be run in a folder.
    pub fn job(&self, options: &Options, folder: &Path, limits: Limits) -> Job {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        Job::new(&options.program, folder, limits, &arguments)
    }

    /// Has the same command run once more to its end: all must be as if nothing had happened.
    pub fn settle(&self, options: &Options, folder: &Path) -> Vec<String> {
        let ended = self.job(options, folder, Limits::default()).run();
        let mut found = ended.faults();
        if ended.status != Status::Code(0) {
            found.push(format!(
                "{}: the same command again ends with {}: {}",
                self.name,
                ended.status,
                ended.clipped()
            ));
        }
        let differs = self.whole.differs(&Contents::of(&folder.join("out")));
        found.extend(differs.map(|what| format!("{}: {what}", self.name)));
        found
    }
}

/// The directory of a trial's results.
pub fn out(folder: &Path) -> PathBuf {
    folder.join("out")
}

/// A command says why it ended so.
pub fn told(ended: &Ended) -> Option<String> {
    let silent = ended.err.trim().is_empty();
    (silent && ended.status != Status::Code(0))
        .then(|| format!("ends with {} without a word", ended.status))
}
