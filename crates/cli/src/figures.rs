//! `backwater figures`: the figures of directories of results as files for documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use backwater_kernel::words::{counted, printable};
use backwater_results::directory::{is_plain, read_file};
use backwater_results::page_plots::plots_of;
use backwater_results::{for_paper, pdf};
use backwater_scenario::LARGEST_FILE_BYTES;
use serde_json::Value;

use crate::{SUCCESS, fail, files, plot};

/// Widths of a column that are drawn.
const WIDTHS: std::ops::RangeInclusive<f64> = 40.0..=1000.0;

/// What to draw, and for what.
#[derive(clap::Args)]
pub struct Options {
    /// Directories of results, of any command
    #[arg(required = true, value_name = "DIR")]
    results: Vec<PathBuf>,
    /// Width in millimetres: 85 is one column of a paper, 178 are two
    #[arg(long, value_name = "MM", default_value = "85", value_parser = width)]
    #[arg(help_heading = "Figures")]
    width: f64,
    /// PDF for LaTeX, or SVG
    #[arg(
        long = "as",
        value_enum,
        default_value = "pdf",
        help_heading = "Figures"
    )]
    form: Form,
    /// Only figures of these names, as `throughput,map`
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        help_heading = "Figures"
    )]
    only: Vec<String>,
    /// Folder for the files, each called by its directory and its figure
    #[arg(
        long,
        value_name = "DIR",
        default_value = "figures",
        help_heading = "Output"
    )]
    out: PathBuf,
}

/// How a figure is written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// One page of vectors and letters.
    Pdf,
    /// As on the page.
    Svg,
}

fn width(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches("mm").trim().parse();
    let number = number.map_err(|_| "give millimetres, as 85".to_owned())?;
    match WIDTHS.contains(&number) {
        true => Ok(number),
        false => Err(format!("give {} to {} mm", WIDTHS.start(), WIDTHS.end())),
    }
}

/// A figure: its name and its drawing.
type Figure = (String, String);

/// Writes each figure of each directory, and says where.
pub fn figures(options: &Options) -> u8 {
    write(options).unwrap_or_else(fail)
}

fn write(options: &Options) -> Result<u8, String> {
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    // A directory that is named twice is drawn once.
    let mut results = options.results.clone();
    let mut seen = BTreeSet::new();
    results.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    for (path, name) in results.iter().zip(plot::names(&results)) {
        for (figure, drawing) in of_directory(path, options.width)? {
            if options.only.is_empty() || options.only.contains(&figure) {
                all.push((format!("{}-{figure}", file_name(&name)), drawing));
            }
            known.insert(figure);
        }
    }
    if let Some(missing) = options.only.iter().find(|name| !known.contains(*name)) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return Err(format!(
            "there is no figure `{missing}`; there are: {}",
            known.join(", ")
        ));
    }
    let wrong = |error: std::io::Error| format!("`{}`: {error}", files::shown(&options.out));
    fs::create_dir_all(&options.out).map_err(wrong)?;
    let mut absent = BTreeSet::new();
    for (name, drawing) in &all {
        let (ending, bytes) = match options.form {
            Form::Svg => ("svg", drawing.clone().into_bytes()),
            Form::Pdf => {
                absent.extend(pdf::absent(drawing)?);
                ("pdf", pdf::pdf(drawing, options.width)?)
            }
        };
        let path = options.out.join(format!("{name}.{ending}"));
        fs::write(&path, bytes).map_err(wrong)?;
        println!("{}", files::shown(&path));
    }
    if !absent.is_empty() {
        let absent: String = absent.into_iter().collect();
        eprintln!(
            "note: PDF's own fonts lack `{}`: each is written as `?`; `--as svg` keeps them",
            printable(&absent)
        );
    }
    eprintln!("{}", counted(all.len(), "figure"));
    Ok(SUCCESS)
}

/// Its plots, drawn anew for the width, and what else it has drawn, as it is.
fn of_directory(path: &Path, width: f64) -> Result<Vec<Figure>, String> {
    let text = |file: &str| {
        let wrong = |error: &dyn std::fmt::Display| {
            format!(
                "`{}` is no directory of results: {file}: {error}; give one that `run`, `sweep` or \
                 another command wrote, as runs/NAME",
                files::shown(path)
            )
        };
        let bytes = read_file(&path.join(file), LARGEST_FILE_BYTES as u64);
        let bytes = bytes.map_err(|error| wrong(&error))?;
        String::from_utf8(bytes).map_err(|error| wrong(&error))
    };
    let manifest: Value =
        serde_json::from_str(&text("manifest.json")?).map_err(|error| error.to_string())?;
    let plots = plots_of(&text("report.html")?)?;
    let plots = plots
        .iter()
        .map(|plot| (file_name(&plot.id), for_paper(plot, width)));
    let mut figures: Vec<Figure> = plots.collect();
    let written = manifest["files"].as_array().into_iter().flatten();
    for file in written.filter_map(Value::as_str) {
        let name = file
            .strip_prefix("figures/")
            .and_then(|name| name.strip_suffix(".svg"));
        if let Some(name) = name
            && is_plain(file)
            && !figures.iter().any(|(own, _)| *own == file_name(name))
        {
            figures.push((file_name(name), text(file)?));
        }
    }
    Ok(figures)
}

/// A name without what paths or shells have a meaning for.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || ".,=_+-".contains(c);
    let all = name.chars();
    all.map(|c| if plain(c) { c } else { '-' }).collect()
}
