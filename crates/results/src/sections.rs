//! Sections that the page of every run has.

use backwater_kernel::words::counted;

use crate::info::RunInfo;
use crate::model::{Block, Report, Table};
use crate::table_of::TableOf;

/// What is said of a run that was interrupted.
pub const INTERRUPTED: &str =
    "The run was interrupted: everything here covers only the time until then.";

/// A page around blocks, with its title, what stands below it and the version.
pub fn page_of([title, subtitle, version]: [&str; 3], blocks: Vec<Block>) -> Report {
    Report {
        title: title.into(),
        subtitle: subtitle.into(),
        command: String::new(),
        version: version.into(),
        blocks,
    }
}

/// A table in which something is looked up.
pub fn folded(name: &str, table: Block) -> Block {
    let what = match name {
        "tcp" => "TCP",
        "fairness" => "fair shares",
        "map" => "loads by place",
        "course" => "the course of the run",
        "latency-histogram" => "latencies, cycle by cycle",
        name => name,
    };
    Block::fold(format!("Table of {what}"), table)
}

/// What broke: so many promises, told of in the table of violations.
pub fn broken(promises: u64) -> Option<Block> {
    (promises > 0).then(|| {
        let count = counted(promises, "promise");
        Block::problem(format!(
            "{count} broken; the table of violations says which, when and where."
        ))
    })
}

/// What every page of a run ends with: checks, command and scenario.
pub fn closing_blocks(info: &RunInfo, seed: u64, trace_hash: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !info.checks.is_empty() {
        blocks.push(Block::heading("Checks"));
        blocks.push(Block::Table(checks(info)));
    }
    let how = format!(
        "The same scenario, seed ({seed}) and version give the same trace hash, `{trace_hash}`, \
         on any machine."
    );
    let given = ("The scenario as given", &*info.scenario);
    blocks.extend(again(how, &info.command, given));
    blocks.extend(resolved(info));
    blocks
}

/// How to do it again, by a command and what was `given`, with what that is.
pub fn again(how: String, command: &str, (what, given): (&str, &str)) -> Vec<Block> {
    let mut blocks = vec![Block::heading("How to reproduce"), Block::Text(how)];
    if !command.is_empty() {
        blocks.push(Block::code("shell", command));
    }
    if !given.is_empty() {
        blocks.push(Block::fold(what, Block::code("toml", given)));
    }
    blocks
}

fn resolved(info: &RunInfo) -> Option<Block> {
    let code = Block::code("toml", &info.resolved);
    let fold = Block::fold("The scenario with every default filled in", code);
    (!info.resolved.is_empty()).then_some(fold)
}

fn checks(info: &RunInfo) -> Table {
    TableOf::of(&info.checks)
        .called("checks: Checked in this run.")
        .text("check")
        .of(|check| check.what.clone())
        .text("result")
        .of(|check| if check.holds { "holds" } else { "broken" })
        .text("detail")
        .of(|check| check.detail.clone())
        .done()
}
