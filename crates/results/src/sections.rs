//! Sections that the page of every run has.

use crate::info::RunInfo;
use crate::model::{Block, Report, Table};
use crate::table_of::TableOf;

/// A section starts.
pub fn heading(text: &str) -> Block {
    Block::Heading {
        level: 2,
        text: text.into(),
    }
}

/// The page of a run around blocks.
pub fn page_of(info: &RunInfo, blocks: Vec<Block>) -> Report {
    Report {
        title: info.name.clone(),
        subtitle: info.description.clone(),
        command: String::new(),
        version: info.version.clone(),
        blocks,
    }
}

/// What every page of a run ends with: checks, command and scenario.
pub fn closing_blocks(info: &RunInfo, seed: u64, trace_hash: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !info.checks.is_empty() {
        blocks.push(heading("Checks"));
        blocks.push(Block::Table(checks(info)));
    }
    blocks.push(heading("How to reproduce"));
    blocks.push(Block::Text(format!(
        "The same scenario, seed ({seed}) and version give the same trace hash, `{trace_hash}`, \
         on any machine."
    )));
    if !info.command.is_empty() {
        blocks.push(code("shell", &info.command));
    }
    for (summary, text) in [
        ("The scenario as given", &info.scenario),
        ("The scenario with every default filled in", &info.resolved),
    ] {
        if !text.is_empty() {
            blocks.push(Block::Fold {
                summary: summary.into(),
                blocks: vec![code("toml", text)],
            });
        }
    }
    blocks
}

fn checks(info: &RunInfo) -> Table {
    TableOf::new("checks", "Checked in this run.", &info.checks)
        .text("check", "", |check| check.what.clone())
        .text(
            "result",
            "",
            |check| if check.holds { "holds" } else { "broken" },
        )
        .text("detail", "", |check| check.detail.clone())
        .done()
}

fn code(lang: &str, text: &str) -> Block {
    Block::Code {
        lang: lang.into(),
        text: text.into(),
    }
}
