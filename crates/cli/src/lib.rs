//! `backwater`: simulate network flow control, reproduce the papers, look at the results.
//!
//! The only layer that prints. The program and the package for Python have the same [`command`].
//!
//! ```
//! let two = backwater::example("fig17-two-switches").expect("it is shipped");
//! assert!(two.text.contains("n23"));
//! assert!(backwater::explain("xoff").is_ok_and(|words| words.contains("threshold")));
//! assert_eq!(backwater::command(["check".into(), "no-such.toml".into()]), 2);
//! ```

#[macro_use]
mod out;

mod bench;
mod browser;
mod buffer;
mod check;
mod claims;
mod compare;
mod document;
mod example;
mod explain;
mod export;
mod figures;
mod files;
mod greeting;
mod import;
mod manual;
mod merge;
mod output;
mod plot;
mod progress;
mod reproduce;
mod run;
mod saturate;
mod sizes;
mod step;
mod sweep;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub use example::{Example, all as examples, find as example};
pub use explain::text as explain;
pub use files::{Disk, read};
pub use sweep::workers::{NotOpened, Points, measure};

use backwater_kernel::words::printable;
use backwater_results::RunDirectory;
use backwater_results::directory::Holder;
use backwater_run::{interrupt, machine};
use clap::{Parser, Subcommand};
use output::Output;

/// Exit status when everything asked for was done and holds.
const SUCCESS: u8 = 0;
/// A claim failed, or a run broke a promise or came to a standstill.
const FAILED: u8 = 1;
/// The input can't be used.
const BAD_INPUT: u8 = 2;
/// Stopped because memory was running out; what was computed is kept.
const SHORT_OF_MEMORY: u8 = 3;

/// What happens upstream when a buffer fills: a laboratory for network flow control.
#[derive(Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Start with:  backwater example fig17-two-switches --out two.toml\n             \
    backwater run two.toml\n       or:  backwater reproduce kung1993\n\nExit status: 0 done, \
    1 a claim failed, a promise was broken or a run came to a standstill (no cell can move, or \
    some frames or flits never again; where one flow of cells is dead and others move, the run \
    goes on, says so and ends with 0), 2 bad input, 3 memory ran short: stopped in time, what was \
    computed is kept; after a signal that keeps what was computed 130 (Ctrl-C), 143 (SIGTERM), 129 \
    (SIGHUP)."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scenario and write a report
    Run(run::Options),
    /// Go through a run event by event: what happens, what waits, and why
    Step(step::Options),
    /// Run every combination of values and seeds, resumable, and draw the curves
    Sweep(sweep::Options),
    /// Join the shards of a sweep that several machines computed
    Merge(merge::Options),
    /// Find the load at which a network saturates
    Saturate(saturate::Options),
    /// Run one workload under ten schemes and print a table
    Compare(compare::Options),
    /// Draw runs, sweeps and searches in one report
    Plot(plot::Options),
    /// Write figures of results as PDF or SVG, as wide as a paper's column
    Figures(figures::Options),
    /// Check scenarios for errors without running them
    Check(check::Options),
    /// Say how much buffer a link needs under each scheme, term by term
    Buffer(buffer::Options),
    /// Make a scenario out of files that other simulators read
    Import(import::Options),
    /// Write topology, flows or completion times of a scenario or run for other simulators
    Export(export::Options),
    /// Rerun papers claim by claim and judge each
    Reproduce(reproduce::Options),
    /// Print a shipped scenario, or list all of them
    Example(example::Options),
    /// Explain a key, scheme, traffic, topology, term, error, paper or claim
    Explain(explain::Options),
    /// List words used in scenarios, papers, their claims, shipped scenarios
    List(explain::ListOptions),
    /// Measure events and unit-hops per second on the standard set
    Bench(bench::Options),
    /// Print the JSON schema of scenarios, for editors
    Schema,
    /// Print completions for a shell
    Completions(manual::CompletionOptions),
    /// Write man pages
    Man(manual::ManOptions),
    /// Print the reference of all keys, the glossary or the index of errors as Markdown
    #[command(hide = true)]
    Reference(explain::PageOptions),
}

/// Keys changed on the command line.
#[derive(clap::Args, Clone, Default, PartialEq)]
struct Changes {
    /// Change a key, as `--set run.duration="50 ms"` or `--set flows.VC1.priority=1`; `unset`
    /// takes it away
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Scenario")]
    sets: Vec<String>,
    /// Root of all random streams; the same as --set run.seed=N
    #[arg(long, value_name = "N", help_heading = "Scenario")]
    seed: Option<u64>,
}

/// The words of the command that is run, for reports.
static TYPED: Mutex<Vec<OsString>> = Mutex::new(Vec::new());

/// Runs the command that these words ask for, without the name of the program, and says with which
/// status the program is to end.
pub fn command(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    let whole = [OsString::from("backwater")].into_iter();
    let cli = match Cli::try_parse_from(whole.chain(words.iter().cloned())) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &words),
    };
    *TYPED.lock().unwrap_or_else(PoisonError::into_inner) = words;
    out::print_what_runs_say();
    let Some(command) = cli.command else {
        return end("", greeting::greet());
    };
    let output = command.output();
    let name = output.map_or("", |(name, _)| name);
    output.map(|(_, output)| output).unwrap_or_default().begin();
    end(name, carry_out(command))
}

/// The command of this name is over: the status to end with.
fn end(name: &str, status: u8) -> u8 {
    match out::finish(name, status) {
        true => status,
        false => status.max(BAD_INPUT),
    }
}

/// Words that are no command, or ask for help: a document where one was asked for.
fn refuse(error: &clap::Error, words: &[OsString]) -> u8 {
    let status = u8::try_from(error.exit_code()).unwrap_or(BAD_INPUT);
    let mut pairs = words.iter().zip(words.iter().skip(1));
    let wants_document = words.iter().any(|word| word == "--format=json")
        || pairs.any(|(word, next)| word == "--format" && next == "json");
    if status == SUCCESS || !wants_document {
        // There is nowhere to complain if that fails.
        let _ = error.print();
        return status;
    }
    document::begin(true);
    document::hears(&error.to_string());
    let name = words.first().map(|word| word.to_string_lossy());
    end(&name.unwrap_or_default(), status)
}

impl Command {
    /// Its name, and how it tells what it found, where that can be chosen.
    fn output(&self) -> Option<(&'static str, Output)> {
        match self {
            Command::Run(options) => Some(("run", options.page.output)),
            Command::Sweep(options) => Some(("sweep", options.page.output)),
            Command::Merge(options) => Some(("merge", options.page.output)),
            Command::Saturate(options) => Some(("saturate", options.page.output)),
            Command::Compare(options) => Some(("compare", options.page.output)),
            Command::Plot(options) => Some(("plot", options.page.output)),
            Command::Step(options) => Some(("step", Output::in_form(options.format))),
            Command::Buffer(options) => Some(("buffer", options.output)),
            Command::Check(options) => Some(("check", options.output)),
            Command::Reproduce(options) => Some(("reproduce", options.page.output)),
            _ => None,
        }
    }
}

fn carry_out(command: Command) -> u8 {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Step(options) => step::step(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Merge(options) => merge::merge(&options),
        Command::Saturate(options) => saturate::saturate(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Plot(options) => plot::plot(&options),
        Command::Buffer(options) => buffer::buffer(&options),
        Command::Figures(options) => figures::figures(&options),
        Command::Check(options) => check::check(&options),
        Command::Import(options) => import::import(&options),
        Command::Export(options) => export::export(&options),
        Command::Reproduce(options) => reproduce::reproduce(&options),
        Command::Explain(options) => explain::explain(&options),
        Command::Example(options) => example::example(&options),
        Command::List(options) => explain::list(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Schema => explain::schema(),
        Command::Completions(options) => manual::completions(&options),
        Command::Man(options) => manual::man(&options),
        Command::Reference(options) => explain::reference(&options),
    }
}

/// The command as it was typed, for reports.
fn command_line() -> String {
    let typed = TYPED.lock().unwrap_or_else(PoisonError::into_inner);
    command_of(typed.iter().map(|word| word.to_string_lossy().into_owned()))
}

/// Who writes into a run directory.
fn holder() -> Holder {
    Holder {
        command: command_line(),
        process: std::process::id(),
        since: machine::now(),
    }
}

/// Takes a directory for results and makes it empty. It listens for signals from before there is
/// one: whatever has begun to fill a directory is asked to end, and keeps what it computed.
fn begin_directory(out: PathBuf) -> Result<RunDirectory, String> {
    interrupt::flag();
    RunDirectory::create(out, &holder()).map_err(|error| error.to_string())
}

/// The words of a command as a shell takes them.
fn command_of(words: impl IntoIterator<Item = String>) -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = words.into_iter().map(quote);
    ["backwater".to_owned()]
        .into_iter()
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A message that ends the command.
fn fail(message: impl std::fmt::Display) -> u8 {
    let message = message.to_string();
    let lines: Vec<String> = message.lines().map(printable).collect();
    complain(&lines.join("\n"))
}

/// The one place where errors are printed: what does not say itself that it is one, as mistakes in
/// files do, begins with `error:`. A document may take it instead.
fn complain(message: &str) -> u8 {
    let message = message.trim_end();
    // A document has taken the mistakes.
    if message.is_empty() || document::hears(message.trim_start_matches("error: ")) {
        return BAD_INPUT;
    }
    match begins_as_error(message) {
        true => eprintln!("{message}"),
        false => eprintln!("error: {message}"),
    }
    BAD_INPUT
}

/// Does it say so itself, in colour or not? Warnings may stand before the first error.
fn begins_as_error(message: &str) -> bool {
    let mut plain = message;
    while let Some((_, rest)) = plain
        .strip_prefix('\u{1b}')
        .and_then(|it| it.split_once('m'))
    {
        plain = rest;
    }
    ["error:", "error[", "warning["]
        .iter()
        .any(|word| plain.starts_with(word))
}

/// Where results go when `--out` does not say: what is changed on the command line has a directory
/// of its own.
fn default_out(name: &str, changes: &Changes) -> PathBuf {
    PathBuf::from("runs").join(format!("{name}{}", changes.suffix()))
}

impl Changes {
    /// `,n3=16,run.seed=2`, for names of directories. With a digest where other signs are left out,
    /// or it would be too long.
    fn suffix(&self) -> String {
        const LONGEST: usize = 100;
        let seed = self.seed.iter().map(|seed| format!("run.seed={seed}"));
        let all: Vec<String> = self.sets.iter().cloned().chain(seed).collect();
        let whole: String = all.iter().map(|set| format!(",{set}")).collect();
        let spaceless: String = whole.chars().filter(|c| !" \"'".contains(*c)).collect();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".,=_+-".contains(c);
        if spaceless.len() <= LONGEST && spaceless.chars().all(is_plain) {
            return spaceless;
        }
        let plain = spaceless.chars().filter(|c| is_plain(*c)).take(LONGEST / 2);
        let digest = sweep::digest::hex(&sweep::digest::sha256(whole.as_bytes()));
        plain.chain([',']).chain(digest.chars().take(8)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_has_a_directory_of_its_own() {
        let out = |sets: &[&str], seed: Option<u64>| {
            let sets = sets.iter().map(|set| (*set).into()).collect();
            default_out("two", &Changes { sets, seed })
                .display()
                .to_string()
        };
        assert_eq!(out(&[], None), "runs/two");
        assert_eq!(out(&["n3=16"], Some(2)), "runs/two,n3=16,run.seed=2");
        assert_eq!(
            out(&["run.duration=\"50 ms\""], None),
            "runs/two,run.duration=50ms"
        );
        let [one, other] = ["x = \"../../a\"", "x = \"../../b\""].map(|set| out(&[set], None));
        assert!(
            one.starts_with("runs/two,x=....a,") && one.len() == 25,
            "{one}"
        );
        assert!(!one[5..].contains('/') && one != other);
        let long = "k=".to_owned() + &"v".repeat(500);
        assert!(out(&[&long], None).len() < 80);
    }
}
