//! The page of a comparison.

use backwater_kernel::Series;
use backwater_kernel::words::{capital, counted};

use super::conditions::{own, shared};
use super::measures::{Measure, measures};
use super::tables::compare_tables;
use super::terminal::has_too_few_seeds;
use super::{SchemeRuns, Workload, plots, without_chance};
use crate::charts::TOO_FEW_SEEDS;
use crate::model::{Block, Column, Fact, Report, Table, Tone};
use crate::number::grouped;
use crate::sections;
use crate::table_of::TableOf;

/// What the runs don't say.
#[derive(Clone, Debug, Default)]
pub struct CompareInfo {
    /// Title of the comparison.
    pub title: String,
    /// What it shows.
    pub about: String,
    /// The command that does the same.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The file as given.
    pub source: String,
    /// It was interrupted.
    pub partial: bool,
}

/// A page with the table, the bars, what happened over time, and how to do it again.
pub fn compare_report(info: &CompareInfo, workload: &Workload, schemes: &[SchemeRuns]) -> Report {
    let mut blocks = vec![Block::Facts(facts(workload, schemes))];
    blocks.extend(warnings(info, schemes));
    blocks.push(Block::heading("All numbers"));
    blocks.push(Block::Table(overview(workload, schemes)));
    blocks.push(Block::Table(notes(schemes)));
    blocks.push(Block::heading("Scheme by scheme"));
    blocks.extend(side_by_side(plots::bars(workload, schemes)));
    blocks.push(Block::heading("Time series"));
    blocks.push(Block::Plot(plots::memory(workload, schemes)));
    blocks.extend(side_by_side(plots::rates(workload, schemes)));
    blocks.push(Block::heading("Delay"));
    blocks.push(Block::Plot(plots::spread(schemes)));
    blocks.push(Block::heading("Tables"));
    blocks.extend(
        compare_tables(workload, schemes)
            .into_iter()
            .skip(1)
            .map(Block::Table),
    );
    blocks.extend(again(info));
    Report {
        title: info.title.clone(),
        subtitle: info.about.clone(),
        command: info.command.clone(),
        version: info.version.clone(),
        blocks,
    }
}

/// Throughput of each flow and memory over time, for CSV: first seed of each scheme.
pub fn compare_series(workload: &Workload, schemes: &[SchemeRuns]) -> Vec<Series> {
    let window = workload.window_ps;
    let middles = |count: usize| (0..count as u64).map(|index| index * window + window / 2);
    let mut all = Vec::new();
    for scheme in schemes {
        let Some(run) = scheme.runs.first() else {
            continue;
        };
        let stored = &run.seen.stored;
        all.push(Series {
            name: format!("{} memory", scheme.name),
            unit: "bytes",
            x: middles(stored.len()).collect(),
            y: stored.clone(),
            ..Series::default()
        });
        for (flow, seen) in workload.flows.iter().zip(&run.seen.flows) {
            let bps = |bytes: &u64| *bytes as f64 * 8.0 / (window as f64 * 1e-12);
            all.push(Series {
                name: format!("{} {}", scheme.name, flow.name),
                unit: "bps",
                x: middles(seen.windows.len()).collect(),
                y: seen.windows.iter().map(bps).collect(),
                ..Series::default()
            });
        }
    }
    all
}

fn side_by_side(plots: Vec<crate::model::Plot>) -> Vec<Block> {
    let mut columns = [Vec::new(), Vec::new()];
    for (index, plot) in plots.into_iter().enumerate() {
        columns[index % 2].push(Block::Plot(plot));
    }
    vec![Block::Columns(columns.into())]
}

fn facts(workload: &Workload, schemes: &[SchemeRuns]) -> Vec<Fact> {
    let seeds = schemes.iter().map(|scheme| scheme.runs.len()).max();
    let runs = schemes.iter().flat_map(|scheme| &scheme.runs);
    vec![
        Fact::new("Schemes", schemes.len().to_string(), "one workload"),
        Fact::new("Flows", grouped(workload.flows.len() as u64), ""),
        Fact::new("Seeds", seeds.unwrap_or(0).to_string(), ""),
        Fact::new(
            "Events",
            grouped(runs.map(|run| run.events).sum()),
            "in all runs",
        ),
    ]
}

fn warnings(info: &CompareInfo, schemes: &[SchemeRuns]) -> Vec<Block> {
    let mut notes = Vec::new();
    if info.partial {
        let text = "It was interrupted: schemes that were not completed are left out.";
        notes.push(Block::warning(text));
    }
    notes
        .extend(without_chance(schemes).map(|text| Block::note(Tone::Plain, capital(&text) + ".")));
    for scheme in schemes {
        let name = &scheme.name;
        let broken: u64 = scheme.runs.iter().map(|run| run.broken).sum();
        if broken > 0 {
            let broken = counted(broken, "promise");
            notes.push(Block::problem(format!("`{name}` broke {broken}.")));
        }
        if scheme.runs.iter().any(|run| run.standstill) {
            let text = format!("`{name}` came to a standstill before its time.");
            notes.push(Block::problem(text));
        }
    }
    notes
}

/// A row for each number, a column for each scheme.
fn overview(workload: &Workload, schemes: &[SchemeRuns]) -> Table {
    let seeds = schemes.iter().any(|scheme| scheme.runs.len() > 1);
    let caption = match seeds {
        true if has_too_few_seeds(schemes) => format!("Means over the seeds; {TOO_FEW_SEEDS}."),
        true => "Means over the seeds; ± is half the width of the 95 % interval.".into(),
        false => String::from("Rates count payload, without headers."),
    };
    let measures = measures(workload).into_iter();
    let rows = measures.map(|measure| measure.legible(workload, schemes));
    let mut table = TableOf::of(rows)
        .called(format!(
            "overview: {caption} ★ is the best of a row that has one."
        ))
        .text("measure: what is measured")
        .of(Measure::label);
    for (index, scheme) in schemes.iter().enumerate() {
        table = table
            .column(Column::number(&scheme.name, "", ""))
            .of(|measure| {
                let mut words = measure.words(workload, scheme);
                if let Some(width) = measure.half_width(workload, scheme) {
                    words += &format!(" ±{width}");
                }
                match measure.best(workload, schemes)[index] {
                    true => format!("★ {words}"),
                    false => words,
                }
            });
    }
    table.done()
}

/// What each scheme does, and what it ran on that is not the same under all.
fn notes(schemes: &[SchemeRuns]) -> Table {
    let mut lines = own(schemes).into_iter();
    let heading = lines.next().unwrap_or_default();
    let rows = schemes
        .iter()
        .map(|scheme| (scheme, lines.next().unwrap_or_default()));
    let caption = format!(
        "What differs between the schemes. All: {}.",
        shared(schemes)
    );
    let mut table = TableOf::of(rows)
        .called(format!("what differs: {caption}"))
        .text("scheme")
        .of(|(scheme, _)| scheme.name.as_str())
        .text("what it does")
        .of(|(scheme, _)| scheme.note.as_str());
    for (index, name) in heading.iter().enumerate() {
        table = table
            .text(format!("{name}: not the same under all"))
            .of(|(_, own)| own[index].clone());
    }
    table.done()
}

fn again(info: &CompareInfo) -> Vec<Block> {
    let how = "The same file, seeds and version give the same numbers on any machine and any \
               number of threads. `scenarios/` beside this page has an ordinary scenario for each \
               scheme, for `backwater run`.";
    let given = ("The comparison as given", &*info.source);
    sections::again(how.into(), &info.command, given)
}
