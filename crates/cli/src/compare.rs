//! `backwater compare`: one workload on one topology under many schemes, in a table.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use backwater_results::compare::{
    CompareInfo, SchemeRun, SchemeRuns, compare_notes, compare_report, compare_series,
    compare_summary, compare_tables, compare_terminal,
};
use backwater_results::{Check, Manifest, RunDirectory, number};
use backwater_run::compare::{Plan, trace_hash};
use backwater_run::memory::Memory;
use backwater_run::{interrupt, machine, memory};
use backwater_scenario::compare::{Comparison, Scheme};
use backwater_scenario::{Limits, Set};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde_json::Value;

use crate::output::Page;
use crate::{Changes, FAILED, SHORT_OF_MEMORY, SUCCESS, command_line, complain, default_out, fail};
use crate::{begin_directory, document, files, progress, run};

/// What to compare.
#[derive(clap::Args)]
pub struct Options {
    /// Comparison file (`kind = "comparison"`); `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Directory for the report, tables and scenarios [default: runs/NAME-comparison]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Number of seeds, starting at `run.seed`; the table has means and 95 % intervals
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=1000),
        help_heading = "Run"
    )]
    seeds: u64,
    /// Runs in parallel [default: one per core]; results do not depend on the number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    #[arg(help_heading = "Run")]
    threads: Option<u8>,
    /// Only these schemes: none, reno, dctcp, n23, n23-class, cbfc, pause, destination, pfc, abr,
    /// or CONTROL+GATE such as dcqcn+pfc, hpcc+cbfc, cubic+none; `*+pfc` is every control under PFC
    #[arg(long, value_name = "SCHEME", num_args = 1.., value_delimiter = ',')]
    #[arg(help_heading = "Run")]
    only: Vec<String>,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    pub page: Page,
}

/// A comparison on its way.
struct Run {
    plan: Plan,
    info: CompareInfo,
}

/// Checks every scheme, runs all, writes and prints the table.
pub fn compare(options: &Options) -> u8 {
    let pool = match machine::pool(options.threads.map_or(0, usize::from)) {
        Ok(pool) => pool,
        Err(error) => return fail(error),
    };
    let limits = options.memory.limits(pool.current_num_threads());
    let run = match Run::read(options, &limits) {
        Ok(run) => run,
        Err(message) => {
            return complain(&message);
        }
    };
    let name = format!("{}-comparison", run::name_of(&options.file));
    let out = options.out.clone();
    let out = out.unwrap_or_else(|| default_out(&name, &options.changes));
    let directory = match begin_directory(out) {
        Ok(directory) => directory,
        Err(error) => return fail(error),
    };
    options.memory.watch(0);
    let start = Instant::now();
    let runs = pool.install(|| execute(&run.plan));
    match runs.into_iter().collect::<Result<Vec<_>, String>>() {
        Ok(runs) => {
            let schemes = run.plan.by_scheme(runs);
            run.conclude(options, directory, &schemes, start.elapsed().as_secs_f64())
        }
        Err(message) => fail(message),
    }
}

/// Runs all jobs, in their order.
fn execute(plan: &Plan) -> Vec<Result<Option<SchemeRun>, String>> {
    let count = plan.jobs.len() as u64;
    let bar: Mutex<ProgressBar> = Mutex::new(progress::bar(count, "comparing"));
    progress::tell("comparing", 0, count);
    let all = plan.jobs.par_iter().map(|job| {
        let outcome = job.run();
        if let Ok(bar) = bar.lock() {
            bar.inc(1);
            progress::tell("comparing", bar.position(), count);
            bar.set_message(job.scheme.name());
        }
        outcome
    });
    let outcomes = all.collect();
    if let Ok(bar) = bar.lock() {
        bar.finish_and_clear();
    }
    outcomes
}

impl Run {
    fn read(options: &Options, limits: &Limits) -> Result<Run, String> {
        let source = files::read(&options.file)?;
        let mut sets =
            files::sets(&options.changes).map_err(|message| format!("error: {message}"))?;
        sets.extend(only(&options.only)?);
        let color = files::color();
        let comparison =
            Comparison::read(&source, &sets).map_err(|wrong| files::rendered(&wrong))?;
        let plan = Plan::new(comparison, options.seeds, limits, color)?;
        let info = plan.info(&source, command_line());
        Ok(Run { plan, info })
    }

    fn conclude(
        self,
        options: &Options,
        mut directory: RunDirectory,
        schemes: &[SchemeRuns],
        seconds: f64,
    ) -> u8 {
        if let Err(message) = self.write(&mut directory, schemes, seconds) {
            return fail(message);
        }
        println!("{}\n", self.info.title);
        print!("{}", compare_terminal(&self.plan.workload, schemes));
        print!("\n{}", compare_notes(schemes));
        println!(
            "\nscenarios: {}",
            files::shown(&directory.path().join("scenarios"))
        );
        options.page.tell(directory.path());
        let runs = || schemes.iter().flat_map(|scheme| &scheme.runs);
        let broken: u64 = runs().map(|run| run.broken).sum();
        if broken > 0 {
            complain(&format!(
                "{broken} promises broken: see `runs` in the report"
            ));
        }
        if memory::is_told() {
            return SHORT_OF_MEMORY;
        }
        match (interrupt::is_set(), broken) {
            (true, _) => interrupt::status(),
            (false, 0) => SUCCESS,
            (false, _) => FAILED,
        }
    }

    fn write(
        &self,
        directory: &mut RunDirectory,
        schemes: &[SchemeRuns],
        seconds: f64,
    ) -> Result<(), String> {
        let unwritten = |error: backwater_results::DirectoryError| error.to_string();
        let info = CompareInfo {
            partial: interrupt::is_set() || memory::shortage().is_some(),
            ..self.info.clone()
        };
        let (comparison, workload) = (&self.plan.comparison, &self.plan.workload);
        let summary = compare_summary(workload, schemes);
        directory
            .write("comparison.toml", info.source.as_bytes())
            .map_err(unwritten)?;
        for scheme in &comparison.schemes {
            let name = format!("scenarios/{scheme}.toml");
            let text = comparison.text(*scheme, comparison.seed);
            directory.write(&name, text.as_bytes()).map_err(unwritten)?;
        }
        directory
            .write_tables(&compare_tables(workload, schemes))
            .map_err(unwritten)?;
        directory
            .write_series(&compare_series(workload, schemes))
            .map_err(unwritten)?;
        directory
            .write_json("summary.json", &summary)
            .map_err(unwritten)?;
        directory
            .write_report(&compare_report(&info, workload, schemes))
            .map_err(unwritten)?;
        directory
            .save_manifest(
                &manifest(&info, comparison.seed, schemes, seconds).of_several_runs(true),
            )
            .map_err(unwritten)?;
        if let Value::Object(summary) = summary {
            summary
                .into_iter()
                .for_each(|(name, value)| document::put(&name, value));
        }
        Ok(())
    }
}

fn manifest(info: &CompareInfo, seed: u64, schemes: &[SchemeRuns], seconds: f64) -> Manifest {
    let runs = || schemes.iter().flat_map(|scheme| &scheme.runs);
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.source.clone(),
        seed,
        trace_hash: number::hash(trace_hash(schemes)),
        events: runs().map(|run| run.events).sum(),
        wall_seconds: Some(seconds),
        stop: match info.partial {
            true => "interrupted",
            false => "all schemes done",
        }
        .into(),
        partial: info.partial,
        checks: vec![Check {
            what: "promises of all runs".into(),
            holds: runs().all(|run| run.broken == 0),
            detail: String::new(),
        }],
        ..Manifest::default()
    }
}

/// What `--only` sets.
fn only(names: &[String]) -> Result<Option<Set>, String> {
    let unknown = names.iter().find(|name| Scheme::chosen(name).is_empty());
    match unknown {
        Some(name) => Err(self::unknown(name)),
        None => Ok((!names.is_empty()).then(|| Set {
            key: "schemes.only".into(),
            value: format!("{names:?}"),
        })),
    }
}

fn unknown(name: &str) -> String {
    let hint = Scheme::meant(name).map(|meant| format!("; did you mean `{meant}`?"));
    let hint = hint.unwrap_or_default();
    format!(
        "error: there is no scheme `{name}`{hint}\n  {}",
        Scheme::all_names()
    )
}
