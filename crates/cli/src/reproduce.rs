//! `backwater reproduce`: papers, claim by claim.

mod lines;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use backwater_kernel::words::counted;
use backwater_papers::claim::place;
use backwater_papers::verdict::verdict_word;
use backwater_papers::{Judged, Plan, Reproduction, Selection, Settings, Tally};
use backwater_results::{Manifest, RunDirectory, Verdict};

use crate::claims::near;
use crate::output::Page;
use crate::{Changes, FAILED, SHORT_OF_MEMORY, SUCCESS};
use crate::{begin_directory, command_line, default_out, document, fail, files, progress};
use backwater_run::memory::{self, Memory};
use backwater_run::{interrupt, machine};

/// How often the bar is drawn anew.
const TICK: Duration = Duration::from_millis(100);

/// What to reproduce.
#[derive(clap::Args)]
pub struct Options {
    /// Papers (`kung1993`), figures (`kung1993.fig12`) or claims (`kung1993.fig12.burst`)
    /// [default: every paper]
    what: Vec<String>,
    /// Every paper
    #[arg(long, help_heading = "Run")]
    all: bool,
    /// Fewer seeds and shorter runs for a first look; verdicts are marked `quick`
    #[arg(long, help_heading = "Run")]
    quick: bool,
    /// Judge one paper by the claims of this file instead of its own
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    claims: Option<PathBuf>,
    /// Directory for the report [default: runs/reproduce]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Write the claims of one paper as a Markdown document
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "quick",
        help_heading = "Output"
    )]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    pub page: Page,
}

/// Runs, judges, reports.
pub fn reproduce(options: &Options) -> u8 {
    if let Err(message) = files::is_place(options.markdown.as_ref()) {
        return fail(message);
    }
    let settings = Settings {
        quick: options.quick,
        threads: None,
    };
    let plan = match choose(options) {
        Ok(chosen) => Plan::new(chosen, settings),
        Err(message) => return fail(message),
    };
    let out = options
        .out
        .clone()
        .unwrap_or_else(|| default_out("reproduce", &Changes::default()));
    let directory = match begin_directory(out) {
        Ok(directory) => directory,
        Err(error) => return fail(error),
    };
    let start = Instant::now();
    options.memory.watch(0);
    let judged = match watched(&plan, options.page.output.verbose) {
        Ok(found) => found,
        Err(error) => return fail(error),
    };
    let seconds = start.elapsed().as_secs_f64();
    print_tallies(&judged, seconds, options.page.output.verbose);
    if let Err(message) = write(options, directory, &judged, seconds) {
        return fail(message);
    }
    status(&judged)
}

/// Runs the plan; each verdict is printed as it is reached, a bar moves with each run.
fn watched(plan: &Plan, verbose: bool) -> Result<Vec<Reproduction>, backwater_papers::LabError> {
    let stop = interrupt::flag();
    let bar = progress::bar(plan.cost_ms(), "reproduce");
    let ids = plan.ids();
    let longest = |shown: fn(&str) -> &str| ids.iter().map(|id| shown(id).len()).max().unwrap_or(0);
    let width = longest(if verbose { |id| id } else { place });
    let printing = Mutex::new(());
    let on_done = |judged: &[Judged]| {
        let _one_at_a_time = printing.lock();
        let print = if verbose {
            print_numbers
        } else {
            print_verdict
        };
        bar.suspend(|| judged.iter().for_each(|one| print(one, width)));
    };
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Without a thread for it the bar stands still, and all else goes on.
        let _ = thread::Builder::new().spawn_scoped(scope, || {
            while !is_over.load(Ordering::Relaxed) {
                if memory::is_short() {
                    stop.store(true, Ordering::SeqCst);
                }
                let (done, of) = (plan.done_ms(), plan.cost_ms().max(1));
                bar.set_position(done);
                progress::tell("reproduce", 100 * done / of, 100);
                bar.set_message(counted(plan.runs(), "run"));
                // Says so at once if a signal asks to stop.
                interrupt::is_set();
                thread::sleep(TICK);
            }
        });
        let judged = plan.run(&on_done, stop);
        is_over.store(true, Ordering::Relaxed);
        bar.finish_and_clear();
        if let Some((got, wanted)) = plan.short_of_threads() {
            machine::note_threads(got, wanted);
        }
        judged
    })
}

/// What is wanted of each paper.
fn choose(options: &Options) -> Result<Vec<Selection>, String> {
    let text = |error: backwater_papers::LabError| error.to_string();
    if let Some(file) = &options.claims {
        return Ok(vec![judged_by(options, file)?]);
    }
    let mut known = Vec::new();
    let mut chosen = Vec::new();
    for paper in backwater_papers::papers() {
        let claims = backwater_papers::claim::parse(paper.claims_toml).map_err(text)?;
        known.push(paper.id.to_owned());
        known.extend(claims.iter().map(|claim| claim.place().to_owned()));
        known.extend(claims.into_iter().map(|claim| claim.id));
        let whole = options.what.is_empty() || options.what.iter().any(|what| what == paper.id);
        if options.all || whole {
            chosen.push(Selection::whole(paper).map_err(text)?);
        } else if options.what.iter().any(|what| is_claim_of(paper.id, what)) {
            chosen.push(Selection::of(paper, &options.what).map_err(text)?);
        }
    }
    match options.what.iter().find(|what| !known.contains(what)) {
        Some(unknown) => Err(format!(
            "there is no paper or claim `{unknown}`; {}",
            near(unknown, &known)
        )),
        None => Ok(chosen),
    }
}

fn is_claim_of(paper: &str, claim: &str) -> bool {
    claim.split_once('.').is_some_and(|(of, _)| of == paper)
}

/// The one paper that is named, judged by the claims of `file`.
fn judged_by(options: &Options, file: &Path) -> Result<Selection, String> {
    let [name] = &*options.what else {
        return Err("--claims judges one paper; name it, such as `kung1993`".into());
    };
    let paper = backwater_papers::papers()
        .into_iter()
        .find(|paper| paper.id == name);
    let paper = paper.ok_or(format!(
        "there is no paper `{name}`; `backwater list papers` shows them"
    ))?;
    let shown = files::shown(file);
    let text = files::read_named(file).map_err(|error| format!("{shown}: {error}"))?;
    let claims =
        backwater_papers::claim::parse(&text).map_err(|error| format!("{shown}: {error}"))?;
    let measured = paper.experiments.iter().flat_map(|one| one.claims);
    let measured: Vec<String> = measured.map(|id| (*id).to_owned()).collect();
    match claims.iter().find(|claim| !measured.contains(&claim.id)) {
        Some(unknown) => Err(format!(
            "{shown}: no experiment measures the claim `{}`; {}",
            unknown.id,
            near(&unknown.id, &measured)
        )),
        None => Ok(Selection::judged_by(paper, claims)),
    }
}

/// Where standard output holds a document, verdicts are progress.
fn say(line: std::fmt::Arguments<'_>) {
    match document::is_wanted() {
        true => remark!("{line}"),
        false => println!("{line}"),
    }
}

/// A line a claim: the verdict, the paper and figure, the claim's sentence, what was measured.
fn print_verdict(judged: &Judged, width: usize) {
    let word = verdict_word(judged.verdict);
    let place = judged.claim.place();
    let (sentence, relation) = (judged.sentence(), judged.relation());
    let reading = if judged.agrees_under_a_reading() {
        " (under a reading)"
    } else {
        ""
    };
    let head = format!("{word:<8} {place:<width$}  ");
    let measured = format!("{relation}{reading}");
    let line = lines::verdict(&head, sentence, &measured, lines::columns());
    say(format_args!("{line}"));
    // What failed is told in full; what differs for a known reason stands in the report.
    if judged.verdict == Verdict::Failed {
        say(format_args!("{:8} {:width$}  {}", "", "", judged.reason));
    }
}

/// The claim's name, every number, and what qualifies the verdict.
fn print_numbers(judged: &Judged, width: usize) {
    let word = verdict_word(judged.verdict);
    let paper = match judged.paper_text() {
        paper if paper.is_empty() => paper,
        paper => format!("paper {paper}; "),
    };
    let measured = judged.measured_text();
    say(format_args!(
        "{word:<8} {:<width$}  {paper}measured {measured}",
        judged.claim.id
    ));
    for remark in judged.remarks() {
        say(format_args!("{:8} {:width$}  {remark}", "", ""));
    }
}

fn print_tallies(found: &[Reproduction], seconds: f64, verbose: bool) {
    println!();
    for reproduction in found {
        let claims = counted(reproduction.judged.len(), "claim");
        let tally = Tally::of(&reproduction.judged);
        println!("{}\n  {claims}: {tally}", reproduction.title);
    }
    let all = Tally::of(found.iter().flat_map(|one| &one.judged));
    if found.len() > 1 {
        println!("all {}: {all}", counted(all.claims, "claim"));
    }
    println!("{seconds:.1} s");
    let mut judged = found.iter().flat_map(|one| &one.judged);
    if judged.any(|one| one.quick) {
        println!("quick: few seeds and short runs; run without --quick for the full verdicts");
    }
    if !verbose {
        println!("all numbers, reasons and readings: --verbose, or the report");
    }
}

fn write(
    options: &Options,
    mut directory: RunDirectory,
    found: &[Reproduction],
    seconds: f64,
) -> Result<(), String> {
    let json = report::json(found);
    directory
        .write_json("claims.json", &json)
        .map_err(|error| error.to_string())?;
    directory
        .write_report(&report::report(found, seconds))
        .map_err(|error| error.to_string())?;
    for (name, page) in report::pages(found) {
        directory
            .write_page(name, &page)
            .map_err(|error| error.to_string())?;
    }
    directory
        .write_tables(&report::tables(found))
        .map_err(|error| error.to_string())?;
    let manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").into(),
        command: command_line(),
        wall_seconds: Some(seconds),
        stop: if interrupt::is_set() {
            "interrupted"
        } else {
            "all experiments done"
        }
        .into(),
        partial: interrupt::is_set(),
        ..Manifest::default()
    };
    let path = directory
        .finish(&manifest.of_several_runs(false))
        .map_err(|error| error.to_string())?;
    for name in ["claims", "experiments"] {
        document::put(name, json[name].clone());
    }
    if let (Some(file), [reproduction]) = (&options.markdown, found) {
        let text = backwater_papers::document::markdown(reproduction);
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", files::shown(file)))?;
    }
    options.page.tell(&path);
    Ok(())
}

/// The exit status: interrupted, a claim failed, or neither.
fn status(found: &[Reproduction]) -> u8 {
    if memory::is_told() {
        return SHORT_OF_MEMORY;
    }
    if interrupt::is_set() {
        return interrupt::status();
    }
    let tally = Tally::of(found.iter().flat_map(|one| &one.judged));
    if tally.failed > 0 { FAILED } else { SUCCESS }
}
