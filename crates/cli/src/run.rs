//! `backwater run`: one scenario, a summary on the terminal, a run directory.

use std::path::{Path, PathBuf};

use backwater_results::RunDirectory;
use backwater_scenario::{Scenario, Source};

use crate::{BAD_INPUT, Changes};
use crate::{default_out, fail, files, holder, progress};
use backwater_run::interrupt;
use backwater_run::memory::Memory;
use backwater_run::{Engine, Pace, Run, STEPS, TraceKind, Wanted, WhenMap, must_stop};

mod job;

use job::{Job, PlainRun};

/// What to run.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Directory for the report and tables [default: runs/NAME, and what --set
    /// changes]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also check promises while the run goes on (slower), and print what that cost
    #[arg(long)]
    audit: bool,
    /// Also write time-stamped traces: units entering and leaving every node, flits on channels,
    /// or Ethernet frames, also as a capture; or what every port does, to be looked at
    #[arg(long, value_name = "KIND,..", value_delimiter = ',')]
    trace: Vec<TraceKind>,
    /// Draw the network over time in the report
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    map: WhenMap,
    /// Threads for the run; results do not depend on the number
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=64)
    )]
    threads: u8,
    #[command(flatten)]
    memory: Memory,
}

/// Runs a scenario and writes its directory.
pub fn run(options: &Options) -> u8 {
    let Ok((source, scenario)) = files::load(&options.file, &options.changes, &options.memory)
    else {
        return BAD_INPUT;
    };
    let engine = backwater_run::engine(&scenario);
    let known = engine.traces();
    if let Some(kind) = options.trace.iter().find(|kind| !known.contains(kind)) {
        return fail(kind.refusal(known));
    }
    execute(options, source, &scenario, &*engine).unwrap_or_else(fail)
}

fn execute(
    options: &Options,
    source: Source,
    scenario: &Scenario,
    engine: &dyn Engine,
) -> Result<u8, String> {
    // What can't run leaves no directory.
    let mut run = engine.watched(&Wanted {
        audit: options.audit,
        traces: &options.trace,
        map: options.map,
        threads: options.threads.into(),
        memory: &options.memory,
    })?;
    let usual = || default_out(&name_of(&options.file), &options.changes);
    let out = options.out.clone().unwrap_or_else(usual);
    let directory = RunDirectory::create(out, &holder()).map_err(|error| error.to_string())?;
    interrupt::flag();
    let needed = backwater_scenario::needed_bytes(&scenario.engine);
    options.memory.watch(needed / 2);
    let mut job = Job::new(source, scenario, engine, directory);
    run.looks().begin(&mut job.directory)?;
    let took = simulate(&mut job, &mut *run)?;
    let mut found = run.found();
    run.looks().finish(found.head().at)?;
    drop(run);
    if let Some(audited) = found.told().audited.take() {
        let hash = found.head().trace_hash;
        let plain = without_audit(options, engine, hash, &mut job);
        job.note_audit(&audited, took.cpu_seconds, plain);
    }
    Ok(job.conclude(&mut *found, took.wall_seconds))
}

/// What a run took.
struct Took {
    wall_seconds: f64,
    cpu_seconds: Option<f64>,
}

/// Runs in slices: progress, Ctrl-C, and now and then what there is so far on disk.
fn simulate(job: &mut Job, run: &mut dyn Run<'_>) -> Result<Took, String> {
    let bar = progress::bar(STEPS, "running");
    let mut pace = Pace::new(run.first_slice());
    loop {
        let more = run.advance(&mut pace);
        run.looks().flush()?;
        let (position, message) = run.progress();
        bar.set_position(position);
        bar.set_message(message);
        if !more || must_stop(run.looks().points()) {
            break;
        }
        if pace.save_is_due() {
            job.save(&*run.found(), pace.seconds(), true)
                .map_err(|error| error.to_string())?;
            pace.saved();
        }
    }
    bar.finish_and_clear();
    if must_stop((0, 0)) {
        run.look_over();
    }
    Ok(Took {
        wall_seconds: pace.seconds(),
        cpu_seconds: pace.cpu_seconds(),
    })
}

/// Runs once more without an audit, to tell what it cost. Stopped by hand, it would stop elsewhere
/// then: nothing to compare.
fn without_audit(
    options: &Options,
    engine: &dyn Engine,
    trace_hash: u64,
    job: &mut Job,
) -> Option<PlainRun> {
    if must_stop((0, 0)) {
        return None;
    }
    let plain = engine.watched(&Wanted {
        audit: false,
        traces: &[],
        map: options.map,
        threads: 1,
        memory: &options.memory,
    });
    let mut plain = plain.ok()?;
    let took = simulate(job, &mut *plain).ok()?;
    Some(PlainRun {
        cpu_seconds: took.cpu_seconds,
        same_hash: plain.found().head().trace_hash == trace_hash,
    })
}

pub fn name_of(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if stem != "-" => stem.to_string_lossy().into_owned(),
        _ => "standard-input".into(),
    }
}
