//! `backwater reproduce`: papers, claim by claim.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use papers::claim::verdict_word;
use papers::{Judged, Paper, Reproduction};
use results::{Block, Fact, Manifest, Report, RunDirectory, Table, Verdict};
use serde_json::json;

use crate::{FAILED, INTERRUPTED, SUCCESS, command_line, default_out, fail, interrupt, progress};

/// What to reproduce.
#[derive(clap::Args)]
pub struct Options {
    /// Papers (`kung1993`) or claims (`kung1993.fig12.burst`); nothing means every paper
    what: Vec<String>,
    /// Every paper
    #[arg(long)]
    all: bool,
    /// Write the verdicts as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Directory for the report [default: runs/reproduce]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the claims of one paper as a Markdown document
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// Runs, judges, reports.
pub fn reproduce(options: &Options) -> u8 {
    let chosen = match choose(options) {
        Ok(chosen) => chosen,
        Err(message) => return fail(message),
    };
    let out = options
        .out
        .clone()
        .unwrap_or_else(|| default_out("reproduce"));
    let directory = match RunDirectory::create(&out) {
        Ok(directory) => directory,
        Err(error) => return fail(error),
    };
    let stop = interrupt::flag();
    let start = Instant::now();
    let mut found = Vec::new();
    for (paper, claims) in &chosen {
        let bar = progress::bar(paper.experiments.len() as u64, paper.id);
        let on_done = |what: &str| {
            bar.inc(1);
            bar.set_message(what.to_owned());
        };
        let result = papers::reproduce(paper, claims, &on_done, stop);
        bar.finish_and_clear();
        match result {
            Ok(reproduction) => found.push(reproduction),
            Err(error) => return fail(error),
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    print_verdicts(&found, seconds);
    if let Err(message) = write(options, directory, &found, seconds) {
        return fail(message);
    }
    status(&found)
}

/// Papers with the claims wanted of each; no claims means all.
fn choose(options: &Options) -> Result<Vec<(Paper, Vec<String>)>, String> {
    let mut known = Vec::new();
    let mut chosen = Vec::new();
    for paper in papers::papers() {
        let claims = papers::claim::parse(paper.claims_toml).map_err(|error| error.to_string())?;
        let claims: Vec<String> = claims.into_iter().map(|claim| claim.id).collect();
        let whole =
            options.all || options.what.is_empty() || options.what.iter().any(|w| w == paper.id);
        let wanted: Vec<String> = claims
            .iter()
            .filter(|claim| options.what.contains(claim))
            .cloned()
            .collect();
        known.push(paper.id.to_owned());
        known.extend(claims);
        if whole {
            chosen.push((paper, Vec::new()));
        } else if !wanted.is_empty() {
            chosen.push((paper, wanted));
        }
    }
    match options.what.iter().find(|what| !known.contains(what)) {
        Some(unknown) => {
            let parts = known
                .iter()
                .filter(|known| known.contains(unknown.as_str()));
            let mut near: Vec<&str> = parts.map(String::as_str).take(5).collect();
            near.extend(scenario::nearest(unknown, known.iter().map(String::as_str)));
            let hint = if near.is_empty() {
                "see `backwater list` for papers; claims are in claims/*.toml".to_owned()
            } else {
                format!("did you mean {}?", near.join(", "))
            };
            Err(format!("there is no paper or claim `{unknown}`; {hint}"))
        }
        None => Ok(chosen),
    }
}

fn print_verdicts(found: &[Reproduction], seconds: f64) {
    for reproduction in found {
        println!("{}\n", reproduction.title);
        let width = reproduction
            .judged
            .iter()
            .map(|judged| judged.claim.id.len())
            .max();
        let width = width.unwrap_or(0);
        for judged in &reproduction.judged {
            print_verdict(judged, width);
        }
        let count = |verdict| count(reproduction, verdict);
        println!(
            "\nclaims: {}, of which {} agree, {} differ (reason known), {} failed ({seconds:.1} s)",
            reproduction.judged.len(),
            count(Verdict::Agrees),
            count(Verdict::Differs),
            count(Verdict::Failed),
        );
    }
}

fn print_verdict(judged: &Judged, width: usize) {
    let paper = judged.paper_text();
    let paper = if paper.is_empty() {
        String::new()
    } else {
        format!("paper {paper}; ")
    };
    let measured = papers::claim::first_few(&judged.measured_text());
    let word = verdict_word(judged.verdict);
    println!(
        "{word:<8} {:<width$}  {paper}measured {measured}",
        judged.claim.id
    );
    if !judged.reason.is_empty() {
        println!("{:8} {:width$}  {}", "", "", judged.reason);
    }
}

fn count(reproduction: &Reproduction, verdict: Verdict) -> usize {
    reproduction
        .judged
        .iter()
        .filter(|judged| judged.verdict == verdict)
        .count()
}

fn write(
    options: &Options,
    mut directory: RunDirectory,
    found: &[Reproduction],
    seconds: f64,
) -> Result<(), String> {
    let json = to_json(found);
    let report = report(found, seconds);
    directory
        .write_json("claims.json", &json)
        .map_err(|error| error.to_string())?;
    directory
        .write_report(&report)
        .map_err(|error| error.to_string())?;
    let tables: Vec<Table> = found.iter().flat_map(tables).collect();
    directory
        .write_tables(&tables)
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
    let path = directory.path().join("report.html");
    directory
        .finish(&manifest)
        .map_err(|error| error.to_string())?;
    if let Some(file) = &options.json {
        let text = format!("{json:#}\n");
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if let (Some(file), [reproduction]) = (&options.markdown, found) {
        let text = papers::document::markdown(reproduction);
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    println!("report: {}", path.display());
    Ok(())
}

/// The tables that experiments show, for `tables/*.csv`.
fn tables(reproduction: &Reproduction) -> Vec<Table> {
    let blocks = reproduction.sections.iter().flat_map(|(_, blocks)| blocks);
    let table = |block: &Block| match block {
        Block::Table(table) => Some(table.clone()),
        _ => None,
    };
    let numbers = papers::document::numbers(reproduction);
    core::iter::once(numbers)
        .chain(blocks.filter_map(table))
        .collect()
}

fn to_json(found: &[Reproduction]) -> serde_json::Value {
    let claims = found.iter().flat_map(|reproduction| {
        reproduction
            .judged
            .iter()
            .map(|judged| judged.to_json(reproduction.paper))
    });
    json!({ "version": env!("CARGO_PKG_VERSION"), "claims": claims.collect::<Vec<_>>() })
}

fn report(found: &[Reproduction], seconds: f64) -> Report {
    let mut blocks = Vec::new();
    for reproduction in found {
        let fact = |label: &str, verdict| Fact {
            label: label.into(),
            value: count(reproduction, verdict).to_string(),
            detail: format!("of {} claims", reproduction.judged.len()),
        };
        blocks.push(Block::Heading {
            level: 2,
            text: reproduction.title.into(),
        });
        blocks.push(Block::Facts(vec![
            fact("agree", Verdict::Agrees),
            fact("differ, reason known", Verdict::Differs),
            fact("failed", Verdict::Failed),
            Fact {
                label: "time".into(),
                value: format!("{seconds:.1} s"),
                detail: String::new(),
            },
        ]));
        let rows = reproduction.judged.iter().map(Judged::row).collect();
        blocks.push(Block::Verdicts(rows));
        blocks.push(Block::Fold {
            summary: "Every measured number".into(),
            blocks: vec![Block::Table(papers::document::numbers(reproduction))],
        });
        for (title, section) in &reproduction.sections {
            blocks.push(Block::Heading {
                level: 3,
                text: (*title).into(),
            });
            blocks.extend(section.iter().cloned());
        }
    }
    Report {
        title: "Papers, claim by claim".into(),
        subtitle: "Every number comes from a simulation of a scenario shipped with backwater."
            .into(),
        command: command_line(),
        version: env!("CARGO_PKG_VERSION").into(),
        blocks,
    }
}

fn status(found: &[Reproduction]) -> u8 {
    if interrupt::flag().load(Ordering::Relaxed) {
        return INTERRUPTED;
    }
    let failed: usize = found.iter().map(|one| count(one, Verdict::Failed)).sum();
    if failed > 0 { FAILED } else { SUCCESS }
}
