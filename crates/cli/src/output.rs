//! How a command tells what it found: options that commands share.

use std::path::Path;

use backwater_kernel::words::counted;
use backwater_run::memory::bytes;

use crate::{browser, document, files, out};

/// Files of one folder that are named one by one.
const NAMED: usize = 40;

/// How much a command says, and in which form.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Output {
    /// Say nothing but what goes wrong
    #[arg(short, long, help_heading = "Output", conflicts_with = "verbose")]
    quiet: bool,
    /// Say more: numbers, reasons, names; every file that was written
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// What standard output holds: lines for people, or one JSON document
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        default_value_t,
        help_heading = "Output"
    )]
    format: Form,
}

/// What standard output holds.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// Lines for people
    #[default]
    Text,
    /// JSON, errors too
    Json,
}

/// How a command that writes a report tells what it found.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Page {
    #[command(flatten)]
    pub output: Output,
    /// Open the report in a browser
    #[arg(long, help_heading = "Output")]
    open: bool,
}

impl Output {
    /// As much as usual, in this form.
    pub fn in_form(format: Form) -> Output {
        Output {
            format,
            ..Output::default()
        }
    }

    /// From here on all is said as asked.
    pub fn begin(self) {
        out::be_quiet(self.quiet);
        document::begin(self.format == Form::Json);
    }
}

impl Page {
    /// Names the report in this directory, and opens it if asked.
    pub fn tell(self, directory: &Path) {
        let report = directory.join("report.html");
        let shown = files::shown(&report);
        println!("report: {shown}");
        document::put("directory", directory.display().to_string());
        document::put("report", report.display().to_string());
        if self.output.verbose {
            println!("files:");
            name_files(directory, 1);
        }
        if self.open && !browser::opens(&report) {
            eprintln!("note: no browser could be started; the report is {shown}");
        }
    }
}

/// Names what is in a folder, with sizes.
fn name_files(folder: &Path, depth: usize) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.map(|entry| entry.path()).collect();
    entries.sort();
    let indent = "  ".repeat(depth);
    if entries.len() > NAMED {
        return println!("{indent}{}", counted(entries.len(), "file"));
    }
    for path in entries {
        let name = path.file_name().map(Path::new).map(files::shown);
        let name = name.unwrap_or_default();
        if path.is_dir() {
            println!("{indent}{name}/");
            name_files(&path, depth + 1);
        } else {
            let size = path.metadata().map_or(0, |data| data.len());
            println!("{indent}{name:<32} {}", bytes(size));
        }
    }
}
