//! `backwater run`: one scenario, a summary on the terminal, a run directory.

use std::path::{Path, PathBuf};

use backwater_results::{Manifest, RunDirectory};
use backwater_scenario::{Scenario, Source};

use crate::output::Page;
use crate::step::stop_at;
use crate::{BAD_INPUT, Changes, FAILED, SHORT_OF_MEMORY, SUCCESS};
use crate::{
    begin_directory, command_line, complain, default_out, document, fail, files, progress,
};
use backwater_run::forward::Leaps;
use backwater_run::interrupt;
use backwater_run::job::{self, Ending, Job, PlainRun};
use backwater_run::memory::Memory;
use backwater_run::{Engine, Found, Pace, Run, STEPS, TraceKind, Wanted, WhenMap, must_stop};

/// What to run.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Directory for the report and tables [default: runs/NAME, and what --set
    /// changes]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Also check promises while the run goes on (slower), and print what that cost
    #[arg(long, help_heading = "Run")]
    audit: bool,
    /// Also write time-stamped traces: units entering and leaving every node, flits on channels,
    /// or Ethernet frames, also as a capture; or what every port does, to be looked at
    #[arg(
        long,
        value_name = "KIND,..",
        value_delimiter = ',',
        help_heading = "Output"
    )]
    trace: Vec<TraceKind>,
    /// Draw the network over time in the report
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    map: WhenMap,
    /// Threads for the run; results do not depend on the number
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=64),
        help_heading = "Run"
    )]
    threads: u8,
    /// Leap over what repeats itself exactly, such as iterations of a job: tables and trace hash
    /// are as without it, in less time; the report draws no network over time
    #[arg(long, help_heading = "Run")]
    #[arg(conflicts_with_all = ["audit", "trace", "threads", "stop_at"])]
    fast_forward: bool,
    /// Run to this instant, with all that happens then, and print what every queue and wire
    /// holds, who is held up by whom and what happens next; nothing is written. A time
    /// (`12.5us`), cells or cycles, or: first-stop (something is stopped, or out of credit),
    /// first-drop, deadlock
    #[arg(
        long,
        value_name = "WHEN",
        allow_hyphen_values = true,
        help_heading = "Stop and look"
    )]
    #[arg(conflicts_with_all = ["out", "audit", "trace", "map", "threads"])]
    stop_at: Option<String>,
    /// With --stop-at: only what concerns this port, node or flow; `*` stands for anything
    #[arg(
        long,
        value_name = "NAME",
        requires = "stop_at",
        help_heading = "Stop and look"
    )]
    show: Vec<String>,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    pub page: Page,
}

/// Runs a scenario and writes its directory.
pub fn run(options: &Options) -> u8 {
    let Ok((source, scenario)) = files::load(&options.file, &options.changes, &options.memory)
    else {
        return BAD_INPUT;
    };
    let engine = backwater_run::engine(&scenario);
    if let Some(when) = &options.stop_at {
        let looked = stop_at::stop_at(when, &options.show, &source, &scenario);
        return looked.unwrap_or_else(fail);
    }
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
        fast_forward: options.fast_forward,
    })?;
    let usual = || default_out(&name_of(&options.file), &options.changes);
    let out = options.out.clone().unwrap_or_else(usual);
    let directory = begin_directory(out)?;
    let needed = backwater_scenario::needed_bytes(&scenario.engine);
    options.memory.watch(needed / 2);
    let mut writer = Writer {
        job: Job::new(source, scenario, engine, command_line()),
        directory,
    };
    run.looks().begin(&mut writer.directory)?;
    let took = simulate(&mut writer, &mut *run)?;
    let mut results = run.found_at_end();
    run.looks().finish(results.head().at)?;
    drop(run);
    if let Some(audited) = results.told().audited.take() {
        let hash = results.head().trace_hash;
        let plain = without_audit(options, engine, hash, &mut writer);
        let said = writer.job.note_audit(&audited, took.cpu_seconds, plain);
        document::put("audit", said.as_str());
        remark!("audit: {said}");
    }
    if let Some(leaps) = results.told().leaps.take() {
        tell_leaps(&leaps);
    }
    Ok(writer.conclude(&mut *results, took.wall_seconds, options.page))
}

/// What was leapt over, and what is left of the time.
fn tell_leaps(leaps: &Leaps) {
    for line in &leaps.lines {
        remark!("fast-forward: {line}");
    }
    if !leaps.values.is_empty() {
        let percent = leaps.simulated * 100.0;
        remark!("fast-forward: {percent:.3} % of the time was gone through");
    }
    document::put("fast_forward", leaps.values.as_slice());
}

/// A run and the directory it fills.
struct Writer {
    job: Job,
    directory: RunDirectory,
}

/// What a run took.
struct Took {
    wall_seconds: f64,
    cpu_seconds: Option<f64>,
}

/// Runs in slices: progress, Ctrl-C, and now and then what there is so far on disk.
fn simulate(writer: &mut Writer, run: &mut dyn Run<'_>) -> Result<Took, String> {
    let bar = progress::bar(STEPS, "running");
    let mut pace = Pace::new(run.first_slice());
    job::simulate(run, &mut pace, |run, pace, goes_on| {
        let (position, message) = run.progress();
        bar.set_position(position);
        bar.set_message(message);
        if goes_on && pace.save_is_due() {
            writer.save(&*run.found(), pace.seconds(), true)?;
            pace.saved();
        }
        Ok::<(), String>(())
    })?;
    bar.finish_and_clear();
    Ok(Took {
        wall_seconds: pace.seconds(),
        cpu_seconds: pace.cpu_seconds(),
    })
}

impl Writer {
    /// Writes what there is.
    fn save(&mut self, found: &dyn Found, wall_seconds: f64, partial: bool) -> Result<(), String> {
        let shown = self.job.shown(found, wall_seconds, partial);
        let saved = self.job.save(&shown, &mut self.directory);
        saved.map_err(|error| error.to_string())
    }

    /// Writes everything, prints the summary and says with which status to end.
    fn conclude(mut self, found: &mut dyn Found, wall_seconds: f64, page: Page) -> u8 {
        let ending = Ending::of(&found.head());
        if let Some(still) = found.standstill() {
            match still.starts_with("note: ") {
                true => remark!("{still}"),
                false => _ = complain(&still),
            }
        }
        self.job.note(found);
        let shown = self.job.shown(found, wall_seconds, ending.is_early());
        if let Err(error) = self.job.save(&shown, &mut self.directory) {
            return fail(error);
        }
        print!("{}", found.summary(&self.job.info(wall_seconds)));
        let Manifest {
            seed,
            trace_hash,
            stop,
            ..
        } = &shown.manifest;
        if page.output.verbose {
            println!("seed {seed}, trace hash {trace_hash}, {wall_seconds:.2} s");
        }
        document::put("seed", *seed);
        document::put("trace_hash", trace_hash.as_str());
        document::put("stop", stop.as_str());
        document::put("partial", shown.manifest.partial);
        document::put("wall_seconds", wall_seconds);
        document::put("summary", shown.summary);
        page.tell(self.directory.path());
        match ending {
            Ending::Done => SUCCESS,
            Ending::Failed => FAILED,
            Ending::Interrupted => interrupt::status(),
            Ending::ShortOfMemory => SHORT_OF_MEMORY,
        }
    }
}

/// Runs once more without an audit, to tell what it cost. Stopped by hand, whichever of the two, it
/// stops elsewhere: nothing to compare.
fn without_audit(
    options: &Options,
    engine: &dyn Engine,
    trace_hash: u64,
    writer: &mut Writer,
) -> Option<PlainRun> {
    if must_stop((0, 0)) {
        return None;
    }
    remark!("audit: once more without, to compare trace hash and time");
    let plain = engine.watched(&Wanted {
        audit: false,
        traces: &[],
        map: options.map,
        threads: 1,
        memory: &options.memory,
        fast_forward: false,
    });
    let mut plain = plain.ok()?;
    let took = simulate(writer, &mut *plain).ok()?;
    if must_stop((0, 0)) {
        remark!("audit: stopped before there was anything to compare");
        return None;
    }
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
