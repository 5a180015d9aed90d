//! The report of a reproduction, its tables and its JSON.

use backwater_papers::{Judged, Reproduction, Tally};
use backwater_results::{Block, Fact, Report, Table, Tone};
use serde_json::{Value, json};

use crate::command_line;

/// What `--json` writes.
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
    for reproduction in found {
        blocks.extend(section(reproduction, seconds));
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

fn section(reproduction: &Reproduction, seconds: f64) -> Vec<Block> {
    let tally = Tally::of(&reproduction.judged);
    let of_all = format!("of {} claims", tally.claims);
    let fact = |label: &str, count: usize, detail: &str| Fact {
        label: label.into(),
        value: count.to_string(),
        detail: detail.into(),
    };
    let under = match tally.under_a_reading {
        0 => of_all.clone(),
        some => format!("{of_all}; {some} under a reading"),
    };
    let mut blocks = vec![
        Block::Heading {
            level: 2,
            text: reproduction.title.into(),
        },
        Block::Facts(vec![
            fact("agree", tally.agree, &under),
            fact("differ, reason known", tally.differ, &of_all),
            fact("failed", tally.failed, &of_all),
            Fact {
                label: "time".into(),
                value: format!("{seconds:.1} s"),
                detail: String::new(),
            },
        ]),
        Block::Verdicts(reproduction.judged.iter().map(Judged::row).collect()),
        Block::Fold {
            summary: "Every measured number".into(),
            blocks: vec![Block::Table(backwater_papers::document::numbers(
                reproduction,
            ))],
        },
    ];
    for section in &reproduction.sections {
        blocks.push(Block::Heading {
            level: 3,
            text: section.title.into(),
        });
        blocks.extend(section.blocks.iter().cloned());
    }
    blocks
}
