//! `backwater import`: a scenario out of files that other simulators and libraries read, or that
//! switches are configured by.

mod hpcc;
mod switches;
mod written;

use std::path::{Path, PathBuf};

use backwater_formats::hpcc::config::{self, Config};
use backwater_formats::{FileError, Flows, Form, StartUnit, Topology};
use backwater_kernel::words::{counted, printable};
use backwater_run::memory::Memory;
use backwater_scenario::{Limits, Source, parse_with};

use crate::{BAD_INPUT, SUCCESS, complain, fail, files};

/// What to import.
#[derive(clap::Args)]
pub struct Options {
    /// Files, at most one of them with nodes and links: HPCC's `config.txt` with the files that it
    /// names, or `topology.txt` and `flow.txt`, htsim's `.topo` and `.cm`, graphs as node-link JSON
    /// or GraphML; or of switches that run SONiC, `config_db.json` and `pg_profile_lookup.ini`.
    /// Their form is told by what they hold
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write the scenario to FILE, not to standard output; paths in it start at its folder
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// What starts of a connection matrix count: picoseconds (uet-htsim) or microseconds
    /// (csg-htsim)
    #[arg(long, value_name = "UNIT", help_heading = "Scenario")]
    start_unit: Option<Unit>,
    /// Put so many hosts on each switch; nodes of which the file does not say what they are, are
    /// switches then
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Scenario")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1000))]
    hosts_per_node: u32,
    /// Check the files, and write no scenario: of switches that their buffers, classes and ends of
    /// links fit together
    #[arg(long, help_heading = "Output", conflicts_with = "out")]
    check: bool,
    #[command(flatten)]
    switches: switches::Unsaid,
    #[command(flatten)]
    memory: Memory,
}

/// Units of starts.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Unit {
    /// Picoseconds
    Ps,
    /// Microseconds
    Us,
}

/// A file that was read.
struct Imported<T> {
    /// As the scenario names it.
    path: String,
    form: Form,
    data: T,
}

/// All that was read.
#[derive(Default)]
struct All {
    topology: Option<Imported<Topology>>,
    flows: Vec<Imported<Flows>>,
    unit: Option<StartUnit>,
    hosts_per_node: u32,
    /// Of a `config.txt`.
    hpcc: Option<hpcc::Parts>,
}

/// What was made of the files.
struct Made {
    /// The scenario, where one is wanted.
    text: Option<String>,
    /// In a line.
    summary: String,
    /// What files say and the scenario does not, and what it assumes.
    notes: Vec<String>,
    status: u8,
}

/// Reads the files and writes the scenario.
pub fn import(options: &Options) -> u8 {
    let inputs = options.files.iter().map(PathBuf::as_path);
    let can_be_written = files::is_place(options.out.as_ref())
        .and_then(|()| files::spares(options.out.as_ref(), inputs));
    if let Err(message) = can_be_written {
        return fail(message);
    }
    match make(options) {
        Ok(made) => put(options, &made),
        Err(message) => fail(message),
    }
}

fn make(options: &Options) -> Result<Made, String> {
    let mut texts: Vec<(&Path, String)> = Vec::new();
    for path in &options.files {
        texts.push((path, text_of(path)?));
    }
    let is_switch = |(path, text): &(&Path, String)| switches::is_one(text, &files::shown(path));
    if texts.iter().any(is_switch) {
        if let Some((path, _)) = texts.iter().find(|file| !is_switch(file)) {
            return Err(format!(
                "`{}` is no configuration of a switch, and others are: import it alone",
                files::shown(path)
            ));
        }
        let name = |(path, text): (&Path, String)| (path.display().to_string(), text);
        let named: Vec<switches::Named> = texts.into_iter().map(name).collect();
        return switches::import(&named, &options.switches, options.check);
    }
    let all = read_all(options, &texts)?;
    let left_out = all.left_out();
    Ok(Made {
        text: Some(written::scenario(&all)),
        summary: all.summary(),
        notes: left_out
            .map(|(path, what)| format!("`{path}`: not in the scenario: {what}"))
            .collect(),
        status: SUCCESS,
    })
}

/// Writes it, if it is a scenario.
fn put(options: &Options, made: &Made) -> u8 {
    for what in &made.notes {
        eprintln!("note: {}", printable(what));
    }
    let Some(text) = &made.text else {
        println!("{}", made.summary);
        return made.status;
    };
    let name = options.out.clone().unwrap_or("scenario.toml".into());
    let source = Source::new(name.display().to_string(), text.clone());
    let limits: Limits = options.memory.limits(1);
    match parse_with(&source, &[], &limits, &files::Disk) {
        Ok(scenario) if scenario.warnings.is_empty() => {}
        Ok(scenario) => eprintln!("{}", files::rendered(&scenario.warnings)),
        Err(mistakes) => {
            complain(&files::rendered(&mistakes));
            return BAD_INPUT;
        }
    }
    let Some(out) = options.out.as_ref().filter(|_| !options.check) else {
        match options.check {
            true => println!("{}", made.summary),
            false => print!("{text}"),
        }
        return made.status;
    };
    if let Err(error) = std::fs::write(out, text) {
        return fail(format!("can't write `{}`: {error}", files::shown(out)));
    }
    println!("{}: {}", files::shown(out), made.summary);
    made.status
}

fn text_of(path: &Path) -> Result<String, String> {
    let text = files::read_named(path);
    text.map_err(|error| format!("can't read `{}`: {error}", files::shown(path)))
}

fn read_all(options: &Options, texts: &[(&Path, String)]) -> Result<All, String> {
    let mut all = All {
        unit: options.start_unit.map(|unit| match unit {
            Unit::Ps => StartUnit::Ps,
            Unit::Us => StartUnit::Us,
        }),
        hosts_per_node: options.hosts_per_node,
        ..All::default()
    };
    let mut config: Option<(&Path, Config)> = None;
    for (path, text) in texts {
        if !config::is_one(text) {
            add(options, &mut all, (path, text))?;
            continue;
        }
        let read = config::read(text).map_err(|error| not_as(path, &error))?;
        for key in ["TOPOLOGY_FILE", "FLOW_FILE"] {
            let file = hpcc::named_file(&read, key, path)?;
            if let Some(file) = file {
                add(options, &mut all, (&file, &text_of(&file)?))?;
            }
        }
        if config.replace((path, read)).is_some() {
            return Err(format!(
                "`{}` is a second configuration of a run: a scenario is one",
                files::shown(path)
            ));
        }
    }
    if let Some((path, config)) = config {
        let topology = all.topology.as_ref().map(|imported| &imported.data);
        let parts = hpcc::parts(&config, &path.display().to_string(), topology);
        all.hpcc = Some(parts.map_err(|error| not_as(path, &error))?);
    }
    Ok(all)
}

fn not_as(path: &Path, error: &FileError) -> String {
    format!("`{}` is not as it should be: {error}", files::shown(path))
}

/// Adds a file with nodes and links, or with flows.
fn add(options: &Options, all: &mut All, (path, text): (&Path, &str)) -> Result<(), String> {
    let shown = files::shown(path);
    let form = Form::of(text).ok_or_else(|| unknown(&shown))?;
    let wrong = |error: FileError| not_as(path, &error);
    let path = named(path, options.out.as_deref());
    if form.is_topology() {
        let mut topology = backwater_formats::topology(form, text).map_err(wrong)?;
        topology.give_hosts(all.hosts_per_node);
        let imported = Imported {
            path,
            form,
            data: topology,
        };
        if let Some(first) = all.topology.replace(imported) {
            let first = printable(&first.path);
            return Err(format!(
                "`{first}` and `{shown}` both have nodes and links: a scenario is one network"
            ));
        }
    } else {
        let data = backwater_formats::flows(form, text, all.unit).map_err(wrong)?;
        all.flows.push(Imported { path, form, data });
    }
    Ok(())
}

fn unknown(shown: &str) -> String {
    let forms: Vec<&str> = Form::ALL.iter().map(|form| form.name()).collect();
    format!(
        "`{shown}` has none of the forms that are read: {}; a configuration of SONiC, or its table \
         of headroom",
        forms.join("; ")
    )
}

/// A path as the scenario names it: from its folder, if the file lies below that.
fn named(path: &Path, out: Option<&Path>) -> String {
    let Some(out) = out else {
        return path.display().to_string();
    };
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    let (Ok(folder), Ok(whole)) = (folder, path.canonicalize()) else {
        return path.display().to_string();
    };
    whole
        .strip_prefix(folder)
        .unwrap_or(&whole)
        .display()
        .to_string()
}

impl All {
    /// What files say and the scenario does not.
    fn left_out(&self) -> impl Iterator<Item = (&str, &str)> {
        let topology = self.topology.iter();
        let topology = topology.map(|own| (&own.path, &own.data.left_out));
        let flows = self.flows.iter().map(|own| (&own.path, &own.data.left_out));
        let settings = self.hpcc.iter().map(|parts| (&parts.path, &parts.left_out));
        let all = topology.chain(flows).chain(settings);
        all.flat_map(|(path, said)| said.iter().map(|what| (path.as_str(), what.as_str())))
    }

    /// "320 hosts, 56 switches, 480 links; 2 flows".
    fn summary(&self) -> String {
        let flows = self
            .flows
            .iter()
            .map(|own| own.data.entries.len())
            .sum::<usize>();
        let flows = counted(flows, "flow");
        match &self.topology {
            Some(own) => format!("{}; {flows}", written::size(&own.data)),
            None => flows,
        }
    }
}
