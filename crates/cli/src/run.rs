//! `backwater run`: one scenario, a summary on the terminal, a run directory.

use std::path::{Path, PathBuf};

use backwater_results::RunDirectory;
use backwater_scenario::{Engine, Scenario};

use crate::memory::Memory;
use crate::{BAD_INPUT, Changes};
use crate::{default_out, fail, files, holder, interrupt};

mod ethernet;
mod fabric;
mod job;
pub mod pace;
mod packet;
mod team;

use job::Job;

/// What to run.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Directory for the report and tables [default: runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also check promises while the run goes on (slower), and print what that cost
    #[arg(long)]
    audit: bool,
    /// Also write a time-stamped trace: units entering and leaving every node, flits on channels,
    /// or Ethernet frames, also as a capture
    #[arg(long, value_name = "KIND")]
    trace: Option<TraceKind>,
    /// Threads for a run of the flit engine; results do not depend on the number
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

/// Forms of a trace.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TraceKind {
    /// One line per unit: time, node, in or out, channel, flow, kind, number, value; per flit and
    /// channel: cycle, channel, VC, and its packet's source, destination, birth and class; or per
    /// frame and event
    Csv,
    /// Ethernet only: every frame as on the wire, for Wireshark and similar tools
    Pcapng,
}

/// Runs a scenario and writes its directory.
pub fn run(options: &Options) -> u8 {
    let Ok((source, scenario)) = files::load(&options.file, &options.changes, &options.memory)
    else {
        return BAD_INPUT;
    };
    let is_capture = options.trace == Some(TraceKind::Pcapng);
    if is_capture && !matches!(scenario.engine, Engine::Ethernet(_)) {
        return fail(
            "a capture needs frames: `--trace pcapng` is for `engine = \"ethernet\"`; \
             `--trace csv` works here",
        );
    }
    let open = |source, scenario: &Scenario| {
        let name = || default_out(&name_of(&options.file));
        let out = options.out.clone().unwrap_or_else(name);
        let directory = RunDirectory::create(out, &holder()).map_err(|error| error.to_string())?;
        interrupt::flag();
        options
            .memory
            .watch(backwater_scenario::needed_bytes(&scenario.engine) / 2);
        Ok(Job::new(options, source, scenario, directory))
    };
    let status = match &scenario.engine {
        Engine::Packet(packet) => open(source, &scenario).map(|job| packet::run(job, packet)),
        // What can't run leaves no directory.
        Engine::Flit(spec) => fabric::build(options, &scenario, spec).and_then(|engine| {
            let job = open(source, &scenario)?;
            Ok(fabric::run(job, spec, &scenario.cycle_series, engine))
        }),
        Engine::Ethernet(wanted) => ethernet::check(wanted).and_then(|()| {
            let job = open(source, &scenario)?;
            Ok(ethernet::run(job, wanted))
        }),
    };
    status.unwrap_or_else(fail)
}

pub fn name_of(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if stem != "-" => stem.to_string_lossy().into_owned(),
        _ => "standard-input".into(),
    }
}
