//! `backwater check`.

use backwater_kernel::words::{counted, printable};
use std::path::PathBuf;

use backwater_scenario::compare::{Comparison, is_comparison};
use backwater_scenario::{Diagnostics, Source};

use crate::{BAD_INPUT, Changes, SUCCESS, fail, files};
use backwater_run::memory::Memory;

/// Scenario files to check.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    memory: Memory,
}

/// Checks every file, and says so of each.
pub fn check(options: &Options) -> u8 {
    let mut status = SUCCESS;
    for path in &options.files {
        let Ok(source) = files::read(path).map_err(|message| eprintln!("{message}")) else {
            status = BAD_INPUT;
            continue;
        };
        if is_comparison(&source) {
            status = status.max(check_comparison(&source, options));
            continue;
        }
        match files::check(source, &options.changes, &options.memory) {
            Ok((source, scenario)) => {
                let name = printable(&source.name);
                let engine = backwater_run::engine(&scenario);
                println!("{name}: valid: {}", engine.size());
                if let Some(promised) = engine.promised() {
                    println!("{name}: {promised}");
                }
            }
            Err(()) => status = BAD_INPUT,
        }
    }
    status
}

/// Checks a comparison with every scheme that it names, and says so.
fn check_comparison(source: &Source, options: &Options) -> u8 {
    let sets = match files::sets(&options.changes) {
        Ok(sets) => sets,
        Err(message) => return fail(message),
    };
    let told = |mistakes: Diagnostics| eprintln!("{}", mistakes.render(files::color()));
    let Ok(comparison) = Comparison::read(source, &sets).map_err(told) else {
        return BAD_INPUT;
    };
    let limits = options.memory.limits(1);
    for &scheme in &comparison.schemes {
        let scenario = comparison.scenario(scheme, comparison.seed, &limits);
        if scenario.map_err(told).is_err() {
            return BAD_INPUT;
        }
    }
    println!(
        "{}: valid: a comparison of {}; {}, {}",
        printable(&source.name),
        counted(comparison.schemes.len(), "scheme"),
        counted(comparison.switches().len(), "switch"),
        counted(comparison.flows.len(), "flow")
    );
    SUCCESS
}
