//! The report of a reproduction, its tables and its JSON.

use backwater_kernel::words::counted;
use backwater_papers::{Judged, Reproduction, Tally};
use backwater_results::{Block, Fact, Link, Plot, Report, Table, Tone};
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

/// The page of all papers; of a single one with everything on it.
pub fn report(found: &[Reproduction], seconds: f64) -> Report {
    let mut blocks = warning(found);
    blocks.extend(at_a_glance(found, seconds));
    match found {
        [only] => blocks.extend(section(only)),
        several => {
            blocks.push(heading(2, "A page for each paper"));
            let link = |one: &Reproduction| Link {
                file: format!("{}.html", one.paper),
                title: one.title.into(),
                detail: claims(one),
            };
            blocks.push(Block::Links(several.iter().map(link).collect()));
        }
    }
    page("Papers, claim by claim".into(), blocks)
}

/// A page for each of several papers, by the name of its file.
pub fn pages(found: &[Reproduction]) -> Vec<(&str, Report)> {
    let of_one = |one: &Reproduction| {
        let mut blocks = warning(std::slice::from_ref(one));
        blocks.push(Block::Links(vec![Link {
            file: "report.html".into(),
            title: "All papers".into(),
            detail: String::new(),
        }]));
        blocks.extend(section(one));
        page(one.title.into(), blocks)
    };
    match found {
        [_] => Vec::new(),
        several => several.iter().map(|one| (one.paper, of_one(one))).collect(),
    }
}

fn page(title: String, blocks: Vec<Block>) -> Report {
    Report {
        title,
        subtitle: "Every number comes from a simulation of a scenario shipped with backwater."
            .into(),
        command: command_line(),
        version: env!("CARGO_PKG_VERSION").into(),
        blocks,
    }
}

fn warning(found: &[Reproduction]) -> Vec<Block> {
    let mut judged = found.iter().flat_map(|one| &one.judged);
    let text = "Quick: fewer seeds and shorter runs. The verdicts of a full reproduction count.";
    let note = judged.any(|one| one.quick).then(|| Block::Note {
        tone: Tone::Warning,
        text: text.into(),
    });
    note.into_iter().collect()
}

/// How many claims, and how they fared.
fn claims(reproduction: &Reproduction) -> String {
    let tally = Tally::of(&reproduction.judged);
    format!("{}: {tally}", counted(tally.claims, "claim"))
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
    let verdicts = Block::Verdicts(reproduction.judged.iter().map(Judged::row).collect());
    let tally = Tally::of(&reproduction.judged);
    let mut blocks = vec![
        heading(2, reproduction.title),
        // What failed must not be missed.
        match tally.failed {
            0 => Block::Fold {
                summary: claims(reproduction),
                blocks: vec![verdicts],
            },
            _ => verdicts,
        },
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
