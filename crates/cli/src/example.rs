//! `backwater example`: the shipped scenarios, out of the program itself.

use std::path::{Path, PathBuf};

use backwater_kernel::words::counted;

use crate::{SUCCESS, fail, files};

/// What to print.
#[derive(clap::Args)]
pub struct Options {
    /// Name of the scenario, as `kung1993/fig17-two-switches` or `fig17-two-switches`
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// List all names
    #[arg(long, conflicts_with_all = ["name", "out"], help_heading = "Output")]
    list: bool,
    /// Write it to FILE, with the files it reads in the same folder
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
}

/// A shipped scenario, or a file that one reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Example {
    /// Where it stands below `scenarios/`.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
}

/// Prints one, or lists all.
pub fn example(options: &Options) -> u8 {
    let Some(name) = &options.name else {
        print_all();
        return SUCCESS;
    };
    let shipped = match find(name) {
        Ok(found) => found,
        Err(message) => return fail(message),
    };
    let beside = shipped.beside();
    let Some(out) = &options.out else {
        for file in beside {
            eprintln!(
                "note: it reads `{}`, which must be in the same folder: backwater example {} > \
                 {0}",
                file.file_name(),
                file.path
            );
        }
        print!("{}", shipped.text);
        return SUCCESS;
    };
    match write(&shipped, &beside, out) {
        Ok(()) => SUCCESS,
        Err(message) => fail(message),
    }
}

/// Names and titles, by folder.
pub fn print_all() {
    let mut folder = "";
    for example in all() {
        let (own, _) = example.path.split_once('/').unwrap_or(("", ""));
        if own != folder {
            println!("{own}:");
            folder = own;
        }
        println!("  {:<42} {}", example.name(), example.title());
    }
    println!("\nPrint one: backwater example NAME; write it: backwater example NAME --out FILE");
}

/// What to try instead of a file that can't be read.
pub fn instead_of(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy());
    match stem.and_then(|stem| find(&stem).ok()) {
        Some(found) => format!(
            "try: backwater example {} --out {}",
            found.name(),
            found.file_name()
        ),
        None => "try: backwater example --list".into(),
    }
}

/// All of them, by path.
pub fn all() -> impl Iterator<Item = Example> {
    backwater_shipped::SCENARIOS
        .iter()
        .map(|(path, text)| Example { path, text })
}

/// The one of this whole name, `FOLDER/NAME` without ending, which no file has.
pub fn of_name(path: &Path) -> Option<Example> {
    all().find(|one| path == Path::new(one.name()))
}

/// The one of this name: its path, with or without its ending, or the last part of it.
///
/// # Errors
/// If there is none, or several.
pub fn find(name: &str) -> Result<Example, String> {
    let wanted = name.trim_start_matches("./");
    let wanted = wanted.strip_prefix("scenarios/").unwrap_or(wanted);
    let matching = |is_it: &dyn Fn(&Example) -> bool| all().filter(is_it).collect::<Vec<_>>();
    let is_path = |one: &Example| one.path == wanted || one.name() == wanted;
    if let [found] = matching(&is_path)[..] {
        return Ok(found);
    }
    let is_last = |one: &Example| one.file_name() == wanted || one.last() == wanted;
    match &matching(&is_last)[..] {
        [found] => Ok(*found),
        [] => Err(unknown(wanted)),
        several => {
            let names: Vec<&str> = several.iter().map(Example::name).collect();
            let count = counted(several.len(), "example");
            Err(format!("{count} have this name: {}", names.join(", ")))
        }
    }
}

fn unknown(wanted: &str) -> String {
    let whole = all().map(|one| one.name());
    let last = all().map(|one| one.last());
    let begins = all().filter(|one| !wanted.is_empty() && one.last().starts_with(wanted));
    let meant = begins.map(|one| one.last()).next();
    let meant = meant.or_else(|| backwater_scenario::nearest(wanted, whole.chain(last)));
    let hint = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`backwater example --list` shows all".into(),
    };
    format!("there is no example `{wanted}`; {hint}")
}

fn write(found: &Example, beside: &[Example], out: &Path) -> Result<(), String> {
    let folder = out.parent().unwrap_or(Path::new(""));
    let others = beside
        .iter()
        .map(|file| (folder.join(file.file_name()), file));
    for (path, file) in [(out.to_path_buf(), found)].into_iter().chain(others) {
        std::fs::write(&path, file.text)
            .map_err(|error| format!("can't write `{}`: {error}", files::shown(&path)))?;
        println!("{}", files::shown(&path));
    }
    Ok(())
}

impl Example {
    /// Its path without the ending of scenarios.
    pub fn name(&self) -> &'static str {
        self.path.strip_suffix(".toml").unwrap_or(self.path)
    }

    /// The last part of its path.
    pub fn file_name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// The last part of its name.
    fn last(&self) -> &'static str {
        self.name().rsplit('/').next().unwrap_or(self.path)
    }

    /// As the scenario gives it; for other files, that they are read by one.
    pub fn title(&self) -> &'static str {
        let title = self
            .text
            .lines()
            .find_map(|line| line.strip_prefix("title = \""));
        let title = title.and_then(|rest| rest.rsplit_once('"'));
        match title {
            Some((title, _)) => title,
            None if self.path == self.name() => "(a file that a scenario reads)",
            None => "",
        }
    }

    /// The other files that it reads: those of its folder that it names.
    pub fn beside(&self) -> Vec<Example> {
        let folder = self.path.rsplit_once('/').map(|(folder, _)| folder);
        let is_read = |one: &Example| {
            one.path == one.name()
                && one.path.rsplit_once('/').map(|(folder, _)| folder) == folder
                && self.text.contains(&format!("\"{}\"", one.file_name()))
        };
        match self.path == self.name() {
            true => Vec::new(),
            false => all().filter(is_read).collect(),
        }
    }
}
