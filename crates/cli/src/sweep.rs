//! `backwater sweep`: every combination of values and seeds, on all cores, resumable.

pub mod digest;
pub mod plan;
mod progress;
pub mod store;
mod stored;

use backwater_kernel::words::counted;
use std::path::PathBuf;

use backwater_results::RunDirectory;
use backwater_results::sweep::{
    Role, SweepInfo, SweepResult, sweep_pivot, sweep_report, sweep_tables,
};

use crate::{BAD_INPUT, Changes, FAILED, SHORT_OF_MEMORY, SUCCESS};
use crate::{default_out, fail, files, run};
use backwater_run::{interrupt, memory};
use plan::{How, Plan, command};

/// What to sweep.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file with `[sweep]`; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    how: How,
}

/// Checks every point, computes those that are not stored, writes tables and report.
pub fn sweep(options: &Options) -> u8 {
    interrupt::flag();
    let read = files::read(&options.file);
    let plan = read.and_then(|source| Plan::read(source, &options.changes, &options.how, None));
    let plan = match plan {
        Ok(plan) => plan,
        Err(message) => return told(&message),
    };
    let points: Vec<u64> = match plan.sweep.points() {
        Ok(points) => (0..points).collect(),
        Err(mistakes) => return told(&mistakes.render(files::color())),
    };
    if points.len() == 1 && plan.sweep.axes().is_empty() {
        return fail(
            "nothing varies; add `[sweep]` with axes or seeds to the scenario, or give --axis \
             load=0.1,0.2 or --seeds 5",
        );
    }
    let checked = match plan.check(&points) {
        Ok(checked) => checked,
        Err(Some(message)) => return told(&message),
        Err(None) => return interrupt::status(),
    };
    let out = options.how.out.clone();
    let name = format!("{}-sweep", run::name_of(&options.file));
    let out = out.unwrap_or_else(|| default_out(&name, &options.changes));
    let (work, directory) = match plan.start(&out, &options.how, &checked) {
        Ok(started) => started,
        Err(message) => return fail(message),
    };
    let mut found = work.stored(&points, &checked.keys);
    let stored = found.iter().flatten().count();
    if stored > 0 {
        eprintln!("{stored} of {} there already", counted(points.len(), "run"));
    }
    if let Err(message) = work.complete(&points, &checked.keys, &mut found) {
        return fail(message);
    }
    let result = plan.result(&checked.measures, &points, found);
    let command = command("sweep", &plan, &options.changes, &options.how, Vec::new());
    let info = plan.info(&checked, command);
    if let Err(error) = write(directory, &info, &result) {
        return fail(error);
    }
    let done = result.rows.len();
    println!(
        "{}: {done} of {}, {} computed now",
        info.name,
        counted(points.len(), "run"),
        done - stored
    );
    print!("{}", sweep_pivot(&result));
    println!("report: {}", files::shown(&out.join("report.html")));
    status(&result)
}

/// A message that is complete in itself.
pub fn told(message: &str) -> u8 {
    eprintln!("{}", message.trim_end());
    BAD_INPUT
}

/// The status of a sweep or search, and a word where it is not the usual one.
pub fn status(result: &SweepResult) -> u8 {
    if memory::is_told() {
        return SHORT_OF_MEMORY;
    }
    if result.partial {
        eprintln!("stopped; the same command continues from here");
        return interrupt::status();
    }
    match result.count(Role::Broken) {
        0 => SUCCESS,
        broken => {
            let runs = counted(broken, "run");
            eprintln!("{runs} broke a promise: see `broken promises` in the tables");
            FAILED
        }
    }
}

fn write(
    mut directory: RunDirectory,
    info: &SweepInfo,
    result: &SweepResult,
) -> Result<(), backwater_results::DirectoryError> {
    directory.write_tables(&sweep_tables(result))?;
    directory.write_report(&sweep_report(info, result))?;
    directory.save_manifest(&result.manifest("sweep", info))
}
