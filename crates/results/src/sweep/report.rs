//! The page of a sweep.

use super::{Role, SweepInfo, SweepResult, sweep_plots, sweep_tables};
use crate::model::{Block, Fact, Report, Table, Tone};
use crate::number::grouped;
use crate::sections::{again, page_of};
use crate::table_of::TableOf;
use backwater_kernel::words::{capital, counted};

/// A page with the curves, the points and how to do it again.
pub fn sweep_report(info: &SweepInfo, result: &SweepResult) -> Report {
    let mut blocks = vec![Block::Facts(facts(result))];
    blocks.extend(warnings(result));
    let same = result.without_chance();
    blocks.extend(same.map(|text| Block::note(Tone::Plain, capital(&text) + ".")));
    let why = result.without_p99(0..result.measures.len());
    blocks.extend(why.map(|text| Block::note(Tone::Plain, capital(&text) + ".")));
    let plots = sweep_plots(result);
    if plots.is_empty() {
        let text = "No axis has several numbers to draw curves over; the tables have all points.";
        blocks.push(Block::note(Tone::Plain, text));
    } else {
        blocks.push(Block::heading("Curves"));
        blocks.push(Block::Text(how_drawn(result)));
        blocks.extend(plots.into_iter().map(Block::Plot));
    }
    blocks.push(Block::heading("Tables"));
    blocks.push(Block::Table(axes(result)));
    ended(info, result, blocks)
}

/// A page with these blocks and, below them, all points, the command and the scenario.
pub(super) fn ended(info: &SweepInfo, result: &SweepResult, mut blocks: Vec<Block>) -> Report {
    let tables = sweep_tables(result).into_iter().rev();
    blocks.extend(tables.map(Block::Table));
    let how = "The same scenario, seeds and version give the same numbers on any machine, with \
               any number of jobs and after any interruption.";
    let given = ("The scenario as given", &*info.scenario);
    blocks.extend(again(how.into(), &info.command, given));
    page_of([&info.name, &info.description, &info.version], blocks)
}

fn how_drawn(result: &SweepResult) -> String {
    match result.seeds.len() {
        0 | 1 => "Each point is one run: no interval is drawn.".into(),
        seeds => format!(
            "Each point is the mean over {}; the band is its 95 % interval, by Student's t.",
            counted(seeds, "seed")
        ),
    }
}

fn facts(result: &SweepResult) -> Vec<Fact> {
    let product = result.axes.iter().map(|axis| axis.values.len().to_string());
    let product: Vec<String> = product.collect();
    let saturated = result.count(Role::Saturated);
    vec![
        Fact::new(
            "Runs",
            grouped(result.rows.len() as u64),
            format!("of {} planned", grouped(result.planned)),
        ),
        Fact::new("Axes", result.axes.len().to_string(), product.join(" x ")),
        Fact::new("Seeds", result.seeds.len().to_string(), ""),
        Fact::new("Saturated", counted(saturated, "run"), ""),
    ]
}

/// What must not be missed.
pub(super) fn warnings(result: &SweepResult) -> Vec<Block> {
    let broken = result.count(Role::Broken);
    let broken = (broken > 0).then(|| {
        let runs = counted(broken, "run");
        Block::problem(format!(
            "{runs} broke a promise; the table of points says which."
        ))
    });
    let stuck = result
        .standstills()
        .map(|told| Block::problem(sentence(&told)));
    let partial = result
        .partial
        .then(|| Block::warning("It was interrupted: only completed points are shown."));
    broken.into_iter().chain(stuck).chain(partial).collect()
}

/// Words that begin a sentence and end it.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

fn axes(result: &SweepResult) -> Table {
    TableOf::of(&result.axes)
        .called("axes: Axes of the sweep.")
        .text("axis: heading of its column")
        .of(|axis| axis.name.as_str())
        .text("key: path in the scenario")
        .of(|axis| axis.path.as_str())
        .number("values: how many")
        .of(|axis| axis.values.len() as u64)
        .text("from first to last: as written")
        .of(|axis| listed(&axis.values))
        .done()
}

fn listed(values: &[String]) -> String {
    const SHOWN: usize = 10;
    match values {
        [first @ .., last] if values.len() > SHOWN => {
            format!("{}, .., {last}", first[..SHOWN - 2].join(", "))
        }
        _ => values.join(", "),
    }
}
