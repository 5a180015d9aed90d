//! The report of a reproduction, its tables and its JSON.

use backwater_kernel::words::counted;
use backwater_papers::{Judged, Reproduction, Tally};
use backwater_results::{Block, Fact, Plot, Report, Table, Tone};
use serde_json::{Value, json};

use crate::command_line;

/// What `claims.json` holds.
pub fn json(found: &[Reproduction]) -> Value {
    let claims = found.iter().flat_map(|reproduction| {
        let judged = reproduction.judged.iter();
        judged.map(|judged| judged.to_json(reproduction.paper))
    });
    let experiments = found.iter().flat_map(|reproduction| {
        let sections = reproduction.sections.iter();
        sections.map(|section| {
            json!({
                "paper": reproduction.paper,
                "title": section.title,
                "runs": section.runs,
                "seconds": thousandths(section.seconds),
            })
        })
    });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "claims": claims.collect::<Vec<_>>(),
        "experiments": experiments.collect::<Vec<_>>(),
    })
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The tables that experiments show, for `tables/PAPER/*.csv`.
pub fn tables(found: &[Reproduction]) -> Vec<Table> {
    let of_one = |reproduction: &Reproduction| {
        let blocks = reproduction.sections.iter().flat_map(|one| &one.blocks);
        let table = |block: &Block| match block {
            Block::Table(table) => Some(table.clone()),
            _ => None,
        };
        let mut tables = vec![backwater_papers::document::numbers(reproduction)];
        tables.extend(blocks.filter_map(table));
        tables
    };
    found.iter().flat_map(of_one).collect()
}

/// The page.
pub fn report(found: &[Reproduction], seconds: f64) -> Report {
    let mut blocks = Vec::new();
    if found
        .iter()
        .flat_map(|one| &one.judged)
        .any(|one| one.quick)
    {
        let text =
            "Quick: fewer seeds and shorter runs. The verdicts of a full reproduction count.";
        blocks.push(Block::Note {
            tone: Tone::Warning,
            text: text.into(),
        });
    }
    blocks.extend(at_a_glance(found, seconds));
    for reproduction in found {
        blocks.extend(section(reproduction));
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

/// What there is to see and to count: a picture a paper, and how all claims fared.
fn at_a_glance(found: &[Reproduction], seconds: f64) -> Vec<Block> {
    let tally = Tally::of(found.iter().flat_map(|one| &one.judged));
    let of_all = format!("of {} claims", tally.claims);
    let fact = |label: &str, value: String, detail: &str| Fact {
        label: label.into(),
        value,
        detail: detail.into(),
    };
    let under = match tally.under_a_reading {
        0 => of_all.clone(),
        some => format!("{of_all}; {some} under a reading"),
    };
    let mut blocks = vec![
        heading(2, "At a glance"),
        Block::Facts(vec![
            fact("agree", tally.agree.to_string(), &under),
            fact("differ, reason known", tally.differ.to_string(), &of_all),
            fact("failed", tally.failed.to_string(), &of_all),
            fact("time", format!("{seconds:.1} s"), ""),
        ]),
    ];
    let mut pictures: Vec<Vec<Block>> = found.iter().filter_map(picture).collect();
    match pictures.len() {
        1 => blocks.append(&mut pictures[0]),
        _ => blocks.extend(pictures.chunks(2).map(|row| Block::Columns(row.to_vec()))),
    }
    blocks
}

/// The plot that stands for a paper, else the first of what ran.
fn picture(reproduction: &Reproduction) -> Option<Vec<Block>> {
    let blocks = reproduction.sections.iter().flat_map(|one| &one.blocks);
    let plots = blocks.filter_map(|block| match block {
        Block::Plot(plot) => Some(plot),
        _ => None,
    });
    let plots: Vec<&Plot> = plots.collect();
    let chosen = plots.iter().find(|plot| plot.id == reproduction.picture);
    let plot = chosen.or(plots.first())?;
    let (authors, subject) = reproduction.title.split_once(": ").unwrap_or_default();
    // What to see in it stands with its experiment.
    let plot = Plot {
        id: format!("{}/at-a-glance", reproduction.paper),
        title: format!("{authors}, {}", plot.title),
        note: String::new(),
        ..Plot::clone(plot)
    };
    let tally = Tally::of(&reproduction.judged);
    let claims = counted(tally.claims, "claim");
    let words = format!("{claims} on {subject}: {tally}.");
    Some(vec![Block::Plot(plot), Block::Text(words)])
}

fn heading(level: u8, text: &str) -> Block {
    Block::Heading {
        level,
        text: text.into(),
    }
}

fn section(reproduction: &Reproduction) -> Vec<Block> {
    let mut blocks = vec![
        heading(2, reproduction.title),
        Block::Verdicts(reproduction.judged.iter().map(Judged::row).collect()),
        Block::Fold {
            summary: "Every measured number".into(),
            blocks: vec![Block::Table(backwater_papers::document::numbers(
                reproduction,
            ))],
        },
    ];
    for section in &reproduction.sections {
        blocks.push(heading(3, section.title));
        blocks.extend(section.blocks.iter().cloned());
    }
    blocks
}
