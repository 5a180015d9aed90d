//! Trials side by side, what came of them, and how to have one again.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A trial inside this program that takes longer than this never ends.
const HANG: Duration = Duration::from_secs(300);

/// What all campaigns are told.
#[derive(clap::Args, Clone)]
pub struct Options {
    /// Root of all random choices
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many trials, instead of the usual number
    #[arg(long)]
    pub count: Option<u64>,
    /// So many times the usual number of trials
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub times: u64,
    /// Start no trial after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub budget: Option<u64>,
    /// This trial alone, and keep what it works with
    #[arg(long, value_name = "N")]
    pub only: Option<u64>,
    /// The program under test
    #[arg(long, value_name = "PATH", default_value = "target/release/backwater")]
    pub program: PathBuf,
    /// The source tree, whose scenarios are starting points
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub tree: PathBuf,
    /// Where trials work, and where inputs with findings are kept
    #[arg(long, value_name = "DIR", default_value = "runs/campaign")]
    pub keep: PathBuf,
    /// Trials at once; as many as the machine has cores unless given
    #[arg(long)]
    pub jobs: Option<usize>,
}

/// What one trial brought.
#[derive(Default, Debug)]
pub struct Trial {
    /// What happened, to be counted: `check 2`, `run 0`.
    pub outcomes: Vec<String>,
    /// What must not happen.
    pub findings: Vec<String>,
    /// What was seen, for counts of what the trials covered.
    pub seen: Vec<String>,
}

impl Trial {
    /// Counts an outcome.
    pub fn count(&mut self, outcome: impl Into<String>) {
        self.outcomes.push(outcome.into());
    }

    /// Notes what must not happen.
    pub fn find(&mut self, finding: impl Into<String>) {
        self.findings.push(finding.into());
    }
}

/// What all trials of a campaign brought.
#[derive(Default)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// Trials.
    pub tried: u64,
    /// How often each outcome came.
    pub outcomes: BTreeMap<String, u64>,
    /// Findings, by the number of the trial.
    pub findings: Vec<(u64, String)>,
    /// How often each thing was seen.
    pub seen: BTreeMap<String, u64>,
    /// How long it took.
    pub took: Duration,
}

impl Summary {
    fn add(&mut self, number: u64, trial: Trial) {
        self.tried += 1;
        for outcome in trial.outcomes {
            *self.outcomes.entry(outcome).or_default() += 1;
        }
        for thing in trial.seen {
            *self.seen.entry(thing).or_default() += 1;
        }
        let findings = trial.findings.into_iter();
        self.findings.extend(findings.map(|text| (number, text)));
    }

    /// A row of the table.
    pub fn row(&self) -> String {
        let each = self.outcomes.iter();
        let counts: Vec<String> = each.map(|(name, n)| format!("{name}: {n}")).collect();
        format!(
            "| {} | {} | {} | {} | {:.0} s |",
            self.name,
            self.tried,
            counts.join(", "),
            self.findings.len(),
            self.took.as_secs_f64()
        )
    }
}

/// Runs the trials of a campaign side by side; `name` also seeds them.
pub fn run(
    name: &str,
    usual: u64,
    options: &Options,
    trial: impl Fn(u64) -> Trial + Sync,
) -> Summary {
    let begun = Instant::now();
    if options.only.is_none() {
        forget(options, name);
    }
    let numbers = match options.only {
        Some(only) => only..only.saturating_add(1),
        None => 0..options.count.unwrap_or(usual.saturating_mul(options.times)),
    };
    let budget = options.budget.map(Duration::from_secs);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.unwrap_or(cores).max(1);
    let next = AtomicU64::new(numbers.start);
    let done = Mutex::new(Vec::new());
    let at_work: Vec<Mutex<Option<(u64, Instant)>>> = (0..jobs).map(|_| Mutex::default()).collect();
    let left = AtomicU64::new(jobs as u64);
    std::thread::scope(|scope| {
        for slot in &at_work {
            let (next, done, left, trial, numbers) = (&next, &done, &left, &trial, &numbers);
            scope.spawn(move || {
                while budget.is_none_or(|budget| begun.elapsed() < budget) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if !numbers.contains(&number) {
                        break;
                    }
                    *lock(slot) = Some((number, Instant::now()));
                    let result = guarded(|| trial(number));
                    *lock(slot) = None;
                    lock(done).push((number, result));
                }
                left.fetch_sub(1, Ordering::Relaxed);
            });
        }
        watch(name, options, &at_work, &left);
    });
    let mut results = done.into_inner().unwrap_or_default();
    results.sort_by_key(|(number, _)| *number);
    let mut summary = Summary {
        name: name.into(),
        ..Summary::default()
    };
    for (number, result) in results {
        summary.add(number, result);
    }
    summary.took = begun.elapsed();
    eprintln!("{}", summary.row());
    summary
}

fn lock<T>(slot: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    slot.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A trial that panics itself is a finding too.
fn guarded(trial: impl FnOnce() -> Trial) -> Trial {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(trial)).unwrap_or_else(|cause| Trial {
        findings: vec![format!("panic: {}", said(&*cause))],
        outcomes: vec!["panic".into()],
        ..Trial::default()
    })
}

/// What a panic said.
pub fn said(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().cloned();
    text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).into()))
        .unwrap_or_default()
}

/// Ends the whole program if a trial never ends: a thread can't be stopped from outside.
fn watch(
    name: &str,
    options: &Options,
    at_work: &[Mutex<Option<(u64, Instant)>>],
    left: &AtomicU64,
) {
    while left.load(Ordering::Relaxed) > 0 {
        std::thread::sleep(Duration::from_millis(20));
        for slot in at_work {
            let Some((number, since)) = *lock(slot) else {
                continue;
            };
            if since.elapsed() > HANG {
                println!(
                    "{name}: trial {number} does not end; {}",
                    replay(name, options, number)
                );
                std::process::exit(1);
            }
        }
    }
}

/// How to have a trial again.
pub fn replay(name: &str, options: &Options, number: u64) -> String {
    let seed = options.seed;
    format!("again: campaign {name} --seed {seed} --only {number}")
}

/// The folder of a trial, empty.
pub fn folder(options: &Options, name: &str, number: u64) -> PathBuf {
    let name = name.replace(' ', "-");
    let path = options
        .keep
        .join(format!("{name}-{}-{number}", options.seed));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    fs::canonicalize(&path).unwrap_or(path)
}

/// Removes what an earlier campaign of this name kept.
fn forget(options: &Options, name: &str) {
    let start = format!("{}-", name.replace(' ', "-"));
    for entry in fs::read_dir(&options.keep).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let rest = found.strip_prefix(&start).unwrap_or("x");
        if rest.chars().all(|c| c.is_ascii_digit() || c == '-') {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes the folder of a trial without findings.
pub fn tidy(options: &Options, folder: &std::path::Path, trial: &Trial) {
    if trial.findings.is_empty() && options.only.is_none() {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Prints the table and the findings; true if there are none.
pub fn report(options: &Options, summaries: &[Summary]) -> bool {
    println!("| campaign | tried | outcomes | findings | took |\n|---|---|---|---|---|");
    for summary in summaries {
        println!("{}", summary.row());
    }
    for summary in summaries {
        for (kind, of_kind) in kinds(&summary.findings) {
            let (number, text) = of_kind[0];
            println!("\nfinding, {} x {}: {text}", of_kind.len(), summary.name);
            println!("  {}", replay(&summary.name, options, *number));
            let others: Vec<String> = of_kind[1..]
                .iter()
                .take(8)
                .map(|f| f.0.to_string())
                .collect();
            if !others.is_empty() {
                println!("  and trials {} ({kind})", others.join(", "));
            }
        }
    }
    summaries.iter().all(|summary| summary.findings.is_empty())
}

/// Findings that say the same but for names and numbers, together.
fn kinds(findings: &[(u64, String)]) -> BTreeMap<String, Vec<&(u64, String)>> {
    let mut kinds: BTreeMap<String, Vec<&(u64, String)>> = BTreeMap::new();
    for finding in findings {
        // Every other piece between backticks is a name.
        let pieces = finding.1.split('`').enumerate();
        let plain = pieces.filter(|(at, _)| at % 2 == 0).map(|(_, piece)| piece);
        let plain: String = plain
            .flat_map(str::chars)
            .filter(|c| !c.is_ascii_digit())
            .collect();
        let kind = plain.chars().take(70).collect();
        kinds.entry(kind).or_default().push(finding);
    }
    kinds
}

/// So many trials of another program, which must be seen to do everything wrong.
#[cfg(test)]
pub fn for_test(count: u64, program: &str) -> Options {
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let name = format!("campaign-keep-{}-{count}", std::process::id());
    Options {
        seed: 1,
        count: Some(count),
        times: 1,
        budget: None,
        only: None,
        program: program.into(),
        tree: tree.into(),
        keep: std::env::temp_dir().join(name),
        jobs: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            jobs: Some(3),
            ..for_test(50, "")
        }
    }

    #[test]
    fn outcomes_are_counted_and_panics_are_findings() {
        let summary = run("test", 9, &options(), |number| {
            assert!(number != 13, "thirteen");
            let mut trial = Trial::default();
            trial.count(format!("exit {}", number % 2));
            trial
        });
        assert_eq!(summary.tried, 50);
        assert_eq!(
            (summary.outcomes["exit 0"], summary.outcomes["exit 1"]),
            (25, 24)
        );
        assert_eq!(summary.findings, [(13, "panic: thirteen".to_owned())]);
        assert!(!report(&options(), &[summary]));
    }

    #[test]
    fn one_trial_can_be_had_again() {
        let mut only = options();
        only.only = Some(41);
        let summary = run("test", 9, &only, |number| {
            let mut trial = Trial::default();
            trial.count(number.to_string());
            trial
        });
        assert_eq!(
            summary.outcomes.into_iter().collect::<Vec<_>>(),
            [("41".to_owned(), 1)]
        );
    }

    #[test]
    fn a_budget_ends_the_campaign() {
        let mut short = options();
        short.budget = Some(0);
        assert_eq!(run("test", 9, &short, |_| Trial::default()).tried, 0);
    }
}
