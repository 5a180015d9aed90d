//! `campaign`: attacks on backwater, counted. Development alone uses it; docs/dev/testing.md says
//! how.

mod bad;
mod child;
mod crash;
mod headroom;
mod jobs;
mod random;
mod safe;
mod toml_tree;
mod trial;
mod valid;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use trial::{Options, Summary};

/// Attacks on backwater, counted: every trial can be had again by its seed and number.
#[derive(Parser)]
#[command(after_help = "Exit status: 0 nothing found, 1 findings.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// All of them, one table
    All {
        #[command(flatten)]
        options: Options,
    },
    /// Shipped files spoiled in every way, and files that are none
    BadInputs {
        /// One part alone
        #[arg(value_parser = ["library", "extremes", "program", "extreme-runs", "special"])]
        part: Option<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Commands killed, starved and made to share; stored points damaged
    Crash {
        /// One part alone
        #[arg(value_parser = ["kills", "signals", "limits", "writers", "stores"])]
        part: Option<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Random networks with exactly the headroom that `check` asks for
    Headroom {
        #[command(flatten)]
        options: Options,
    },
    /// Random jobs, and flows that wait for each other
    Jobs {
        #[command(flatten)]
        options: Options,
    },
    /// What is said before a run against what networks do in their worst phases
    Safe {
        /// One kind of verdict alone
        #[arg(value_parser =
            ["pause", "pfc", "destination", "credit", "windows", "flits", "bounds"])]
        part: Option<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Random scenarios that are sound, run with all promises checked
    Valid {
        /// The scenarios of one engine alone
        #[arg(value_parser = ["packet", "flit", "ethernet"])]
        part: Option<String>,
        #[command(flatten)]
        options: Options,
    },
}

fn main() -> ExitCode {
    let (summaries, options): (Vec<Summary>, Options) = match Cli::parse().command {
        Command::All { options } => {
            let mut all = bad::run(&options, None);
            all.extend(valid::run(&options, None));
            all.extend(headroom::run(&options));
            all.extend(jobs::run(&options));
            all.extend(safe::run(&options, None));
            all.extend(crash::run(&options, None));
            (all, options)
        }
        Command::BadInputs { part, options } => (bad::run(&options, part.as_deref()), options),
        Command::Crash { part, options } => (crash::run(&options, part.as_deref()), options),
        Command::Headroom { options } => (headroom::run(&options), options),
        Command::Jobs { options } => (jobs::run(&options), options),
        Command::Safe { part, options } => (safe::run(&options, part.as_deref()), options),
        Command::Valid { part, options } => (valid::run(&options, part.as_deref()), options),
    };
    match trial::report(&options, &summaries) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
