//! `backwater plot`: runs, sweeps and searches in one report.

use std::path::{Path, PathBuf};

use backwater_kernel::words::counted;
use backwater_results::directory::read_file;
use backwater_results::overlay::{Overlay, Results, overlay, told_apart};
use backwater_results::{Block, Cell, Column, Report, RunDirectory, Table};
use backwater_results::{NoColumn, listed};
use backwater_scenario::{LARGEST_FILE_BYTES, text_of};
use serde_json::{Value, json};

use crate::output::Page;
use crate::{SUCCESS, command_line, fail, files, holder};

/// Directories named in the title.
const NAMED: usize = 4;
/// Keys of a scenario that are looked at.
const KEYS: usize = 100_000;

/// What to draw.
#[derive(clap::Args)]
pub struct Options {
    /// Directories of runs, or of sweeps and searches
    #[arg(required = true, value_name = "DIR")]
    results: Vec<PathBuf>,
    /// Column to draw, as `delay_p99_us` or `victim.goodput`, or `series.NAME`
    #[arg(long, value_name = "COLUMN", help_heading = "Curves")]
    y: Option<String>,
    /// Axis of sweeps to draw it over, or a key in which runs differ, as `load` or `n3`
    #[arg(long, value_name = "KEY", help_heading = "Curves")]
    over: Option<String>,
    /// Directory for the report, figures and tables
    #[arg(
        long,
        value_name = "DIR",
        default_value = "runs/plot",
        help_heading = "Output"
    )]
    out: PathBuf,
    #[command(flatten)]
    pub page: Page,
}

/// Reads the directories and writes a report with their curves in common plots.
pub fn plot(options: &Options) -> u8 {
    draw(options).unwrap_or_else(fail)
}

fn draw(options: &Options) -> Result<u8, String> {
    let names = names(&options.results);
    let (mut all, mut manifests) = (Vec::new(), Vec::new());
    for (path, name) in options.results.iter().zip(names) {
        let (results, manifest) = results(path, name)?;
        all.push(results);
        manifests.push(manifest);
    }
    stands_apart(&options.out, &options.results)?;
    let differences = told_apart(&mut all);
    let drawn = overlay(&all, options.y.as_deref(), options.over.as_deref()).map_err(told)?;
    let mut directory =
        RunDirectory::create(&options.out, &holder()).map_err(|error| error.to_string())?;
    let write = |directory: &mut RunDirectory| {
        let tables: Vec<Table> = differences.iter().chain(&drawn.tables).cloned().collect();
        directory.write_tables(&tables)?;
        directory.write_report(&report((&all, &manifests), differences.as_ref(), &drawn))?;
        let inputs: Vec<String> = options
            .results
            .iter()
            .map(|path| files::shown(path))
            .collect();
        directory.save_manifest(&json!({
            "kind": "plot",
            "version": env!("CARGO_PKG_VERSION"),
            "command": command_line(),
            "results": inputs,
        }))
    };
    write(&mut directory).map_err(|error| error.to_string())?;
    let curves: usize = drawn.plots.iter().map(|plot| plot.curves.len()).sum();
    println!(
        "{} of {} in {}",
        counted(curves, "curve"),
        counted(all.len(), "directory"),
        counted(drawn.plots.len(), "plot")
    );
    options.page.tell(&options.out);
    Ok(SUCCESS)
}

/// Refuses to write where something is read: what a directory holds goes when another command
/// takes it.
fn stands_apart(out: &Path, results: &[PathBuf]) -> Result<(), String> {
    let place = real(out);
    for path in results {
        let read = real(path);
        if read.starts_with(&place) || place.starts_with(&read) {
            return Err(format!(
                "--out {} would overwrite `{}`, which is to be drawn; choose another directory",
                files::shown(out),
                files::shown(path)
            ));
        }
    }
    Ok(())
}

/// Where a path leads, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut ancestors = whole.ancestors();
    let there = ancestors.find_map(|part| Some((part, part.canonicalize().ok()?)));
    match there {
        Some((part, real)) => real.join(whole.strip_prefix(part).unwrap_or(Path::new(""))),
        None => whole,
    }
}

/// What is wrong, and what there is instead.
fn told(wrong: NoColumn) -> String {
    const SHOWN: usize = 60;
    let NoColumn { what, known } = wrong;
    match known.len() {
        0 => what,
        1..=SHOWN => format!("{what}; there is {}", known.join(", ")),
        many => format!(
            "{what}; there is {} and {} more, see columns.json",
            known[..SHOWN].join(", "),
            many - SHOWN
        ),
    }
}

/// The last part of each path; the path as given where two have the same.
pub fn names(paths: &[PathBuf]) -> Vec<String> {
    let last = |path: &PathBuf| {
        let name = path.file_name().map(|name| files::shown(Path::new(name)));
        name.unwrap_or_else(|| files::shown(path))
    };
    let short: Vec<String> = paths.iter().map(last).collect();
    let names = short.iter().zip(paths).map(|(name, path)| {
        match short.iter().filter(|other| *other == name).nth(1) {
            Some(_) => files::shown(path),
            None => name.clone(),
        }
    });
    names.collect()
}

/// What a directory holds, and its manifest.
fn results(path: &Path, name: String) -> Result<(Results, Value), String> {
    let text = |file: &str| {
        let bytes = read_file(&path.join(file), LARGEST_FILE_BYTES as u64)?;
        text_of(bytes)
    };
    let json = |file: &str| {
        let wrong = |error: &dyn std::fmt::Display| {
            format!(
                "`{}` is no directory of results: {file}: {error}; give one that `run`, `sweep` or \
                 `saturate` wrote, as runs/NAME",
                files::shown(path)
            )
        };
        let text = text(file).map_err(|error| wrong(&error))?;
        serde_json::from_str::<Value>(&text).map_err(|error| wrong(&error))
    };
    let manifest = json("manifest.json")?;
    let kind = manifest["kind"].as_str();
    let mut results = Results {
        name,
        is_sweep: matches!(kind, Some("sweep" | "saturate")),
        ..Results::default()
    };
    let tables = results.read_tables(&json("columns.json")?, |file| text(file).ok());
    tables.map_err(|what| format!("`{}`: {what}", files::shown(path)))?;
    for series in manifest["series"].as_array().into_iter().flatten() {
        let [name, file] = ["name", "file"].map(|key| series[key].as_str().unwrap_or(""));
        let short = file
            .strip_prefix("series/")
            .and_then(|name| name.strip_suffix(".csv"));
        if let Some(short) = short
            && let Ok(text) = text(file)
        {
            results.read_series((name, short), &text);
        }
    }
    if let Some(scenario) = manifest["scenario"].as_str()
        && let Ok(table) = scenario.parse::<toml::Table>()
    {
        keys("", &toml::Value::Table(table), &mut results.keys);
    }
    Ok((results, manifest))
}

/// Keys with their values; items of lists by their name, or their number.
fn keys(path: &str, value: &toml::Value, into: &mut Vec<(String, String)>) {
    let join = |key: &str| match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    };
    match value {
        _ if into.len() >= KEYS => {}
        toml::Value::Table(table) => table
            .iter()
            .for_each(|(key, value)| keys(&join(key), value, into)),
        toml::Value::Array(items) => {
            for (number, item) in (1..).zip(items) {
                let name = item.get("name").and_then(toml::Value::as_str);
                let key = name.map_or_else(|| number.to_string(), String::from);
                keys(&join(&key), item, into);
            }
        }
        toml::Value::String(text) => into.push((path.into(), text.clone())),
        toml::Value::Integer(number) => into.push((path.into(), number.to_string())),
        toml::Value::Float(number) => into.push((path.into(), number.to_string())),
        toml::Value::Boolean(truth) => into.push((path.into(), truth.to_string())),
        toml::Value::Datetime(_) => {}
    }
}

fn report(
    (all, manifests): (&[Results], &[Value]),
    differences: Option<&Table>,
    drawn: &Overlay,
) -> Report {
    let mut blocks: Vec<Block> = differences.cloned().map(Block::Table).into_iter().collect();
    blocks.extend(drawn.plots.iter().cloned().map(Block::Plot));
    let heading = |text: &str| Block::Heading {
        level: 2,
        text: text.into(),
    };
    blocks.push(heading("Tables"));
    blocks.extend(drawn.tables.iter().cloned().map(Block::Table));
    blocks.push(Block::Table(sources(all, manifests)));
    blocks.push(heading("How to reproduce"));
    blocks.push(Block::Code {
        lang: "shell".into(),
        text: command_line(),
    });
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let names = listed(&names, NAMED, [", ", " and "], "directory");
    let scenario = |one: &Results| {
        let name = one.keys.iter().find(|(key, _)| key == "name");
        name.map(|(_, name)| name.clone())
    };
    let mut scenarios = all.iter().map(scenario);
    let first = scenarios.next().flatten();
    let is_one = scenarios.all(|other| other == first);
    let kind = match all.iter().all(|one| one.is_sweep) {
        true => "sweep",
        false => "run",
    };
    Report {
        title: match first.filter(|_| is_one) {
            Some(scenario) => format!("{scenario}: {names}"),
            None => names,
        },
        subtitle: format!("{} in common plots.", counted(all.len(), kind)),
        command: String::new(),
        version: env!("CARGO_PKG_VERSION").into(),
        blocks,
    }
}

/// Where the numbers come from.
fn sources(all: &[Results], manifests: &[Value]) -> Table {
    let mut table = Table::new(
        "sources",
        "What was drawn, and how it was made.",
        vec![
            Column::text("name", "in legends"),
            Column::text("command", "that made it"),
            Column::text("version", "of the program"),
            Column::text("trace hash", "fingerprint"),
        ],
    );
    for (one, manifest) in all.iter().zip(manifests) {
        let word = |field: &str| manifest[field].as_str().unwrap_or("").to_owned();
        let cells = [
            one.name.clone(),
            word("command"),
            word("version"),
            word("trace_hash"),
        ];
        table.rows.push(cells.map(Cell::from).to_vec());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_where_they_differ() {
        let paths = ["runs/a", "runs/b", "old/a"].map(PathBuf::from);
        assert_eq!(names(&paths), ["runs/a", "b", "old/a"]);
    }

    #[test]
    fn keys_have_paths_through_names() {
        let text =
            "[run]\nseed = 3\n[[flows]]\nname = \"VC1\"\npriority = 1\n[[series]]\nx = \"5 ms\"";
        let mut found = Vec::new();
        let table: toml::Table = text.parse().expect("TOML");
        keys("", &toml::Value::Table(table), &mut found);
        let has = |key: &str, value: &str| found.contains(&(key.into(), value.into()));
        assert!(
            has("run.seed", "3") && has("flows.VC1.priority", "1"),
            "{found:?}"
        );
        assert!(has("series.1.x", "5 ms"), "{found:?}");
    }
}
