//! Configurations of switches that run SONiC: checked as one fabric, and written as a scenario.
//!
//! | File | What stands there |
//! |---|---|
//! | `tables` | texts with their places, references, numbers |
//! | `model`, `read`, `added` | a switch, out of its tables and the table of headroom |
//! | `fabric` | links, by what ports say of their neighbours |
//! | `checks` | what is wrong, one file a kind |
//! | `text` | the scenario |
//! | `unused` | what files say and nothing here reads |
//!
//! Meaning of fields: YANG models of `sonic-buildimage`, `buffermgr` of `sonic-swss`; docs/files.md
//! has the readings where vendors differ.

mod added;
mod checks;
mod fabric;
mod model;
mod read;
mod tables;
mod text;
mod unused;

use backwater_formats::FileError;
use backwater_formats::sonic::{Kind, config, lookup};
use backwater_kernel::words::{counted, printable};
use backwater_scenario::sizing::{Chip, bytes};
use backwater_scenario::{At, Diagnostics, Source};

use super::Made;
use crate::{FAILED, SUCCESS, complain, files};

use added::Lookup;
use checks::Assumed;
use fabric::Fabric;
use model::Switch;
use tables::Tables;

/// What the files of switches do not say.
#[derive(clap::Args)]
pub struct Unsaid {
    /// Memory of each switch, where its pools have no size, as 64MB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Switches")]
    switch_memory: Option<u64>,
    /// Where the shared headroom of a pool lies; by default inside its size, if both together
    /// exceed the largest pool
    #[arg(long, value_name = "WHERE", help_heading = "Switches")]
    pool_headroom: Option<Where>,
    /// Largest packet of lossless classes [default: of the file, else the mtu of the port]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(64..=9216))]
    #[arg(help_heading = "Switches")]
    lossless_mtu: Option<u64>,
    /// Generation of the switch chip, 1 to 6: headroom is held against what SONiC publishes, too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=6))]
    #[arg(help_heading = "Switches")]
    chip: Option<u32>,
}

/// Of the size of a pool.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Where {
    /// A part of it
    Inside,
    /// Beside it
    Outside,
}

/// A file: how the scenario names it, and its text.
pub type Named = (String, String);

/// Is this a file of a switch?
pub fn is_one(text: &str, name: &str) -> bool {
    Kind::of(text).is_some() || (is_empty(text) && name.ends_with(".ini"))
}

fn is_empty(text: &str) -> bool {
    let is_said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    !text.lines().any(is_said)
}

/// Checks the switches of these files, tells what is wrong, and makes a scenario unless `is_check`.
///
/// # Errors
/// If a file can't be read: what to tell people.
pub fn import(files: &[Named], options: &Unsaid, is_check: bool) -> Result<Made, String> {
    let sources = files
        .iter()
        .map(|(name, text)| Source::new(name.clone(), text.clone()));
    let mut mistakes = Diagnostics::new(sources.collect());
    let (groups, lookup) = gather(files, &mut mistakes)?;
    let mut left_out: Vec<String> = Vec::new();
    let mut switches: Vec<Switch> = Vec::new();
    for group in &groups {
        let place = (group.name.clone(), group.at.clone());
        let mut switch = read::switch(place, &group.tables, lookup.as_ref(), &mut mistakes);
        switch.memory = options.switch_memory;
        switch.is_inside = options.pool_headroom.map(|place| place == Where::Inside);
        let of = |what: String| format!("{what} ({})", switch.name);
        left_out.extend(unused::of(&group.tables).into_iter().map(of));
        left_out.append(&mut switch.gaps);
        switches.push(switch);
    }
    let assumed = options.assumed();
    let fabric = Fabric::new(switches, &mut mistakes);
    match (&lookup, fabric.switches.is_empty()) {
        (Some(lookup), true) => checks::rows(lookup, &assumed, &mut mistakes),
        _ => checks::all(&fabric, &assumed, &mut mistakes),
    }
    let may_lose = mistakes.errors() > 0;
    let status = if may_lose { FAILED } else { SUCCESS };
    let rendered = files::rendered(&mistakes);
    match may_lose {
        _ if mistakes.is_empty() => {}
        true => {
            complain(&rendered);
        }
        false => eprint!("{rendered}"),
    }
    let summary = summary(&fabric, lookup.as_ref(), &mistakes);
    if is_check || fabric.switches.is_empty() {
        return Ok(Made {
            text: None,
            summary,
            notes: left_out
                .iter()
                .map(|what| format!("not read: {what}"))
                .collect(),
            status,
        });
    }
    let written = text::Written {
        fabric: &fabric,
        files: &files
            .iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>(),
        left_out: left_out.clone(),
        may_lose,
    };
    let (text, gaps) = text::scenario(&written);
    let not_here = |what: &String| format!("not in the scenario: {what}");
    let mut notes: Vec<String> = left_out.iter().chain(&gaps).map(not_here).collect();
    let assumed = fabric.assumed.iter();
    notes.extend(assumed.map(|what| format!("assumed: {what}")));
    Ok(Made {
        text: Some(text),
        summary,
        notes,
        status,
    })
}

impl Unsaid {
    fn assumed(&self) -> Assumed {
        /// Of generations 1 to 6, bytes.
        const CELLS: [u32; 6] = [96, 144, 144, 192, 192, 256];
        Assumed {
            lossless_mtu: self.lossless_mtu,
            chip: self.chip.map(|generation| Chip {
                generation,
                cell: CELLS[generation as usize - 1],
                small: 1.0,
            }),
        }
    }
}

/// The files of a switch.
struct Group {
    name: String,
    /// Where its name stands.
    at: At,
    tables: Tables,
}

/// Which files are of one switch: those that give the same name, and behind each those that give
/// none. Files without a name before all others are of the first.
fn gather(
    files: &[Named],
    mistakes: &mut Diagnostics,
) -> Result<(Vec<Group>, Option<Lookup>), String> {
    let mut groups: Vec<Group> = Vec::new();
    let mut lookup: Option<Lookup> = None;
    let mut nameless: Vec<(usize, Vec<config::Entry>)> = Vec::new();
    for (source, (name, text)) in files.iter().enumerate() {
        let wrong =
            |error: FileError| format!("`{}` is not as it should be: {error}", printable(name));
        if Kind::of(text) != Some(Kind::Config) {
            let rows = lookup::read(text).map_err(wrong)?;
            if lookup.replace(Lookup { source, rows }).is_some() {
                return Err(format!(
                    "`{}` is a second table of headroom: one is for all switches of a call",
                    printable(name)
                ));
            }
            continue;
        }
        let entries = config::read(text).map_err(wrong)?;
        match (host_name(&entries, source), groups.last_mut()) {
            (None, None) => nameless.push((source, entries)),
            (None, Some(group)) => group.tables.add(source, entries, mistakes),
            (Some((name, at)), _) => {
                let known = groups.iter().position(|group| group.name == name);
                let place = known.unwrap_or_else(|| {
                    groups.push(Group {
                        name,
                        at,
                        tables: Tables::default(),
                    });
                    groups.len() - 1
                });
                for (source, entries) in nameless.drain(..) {
                    groups[place].tables.add(source, entries, mistakes);
                }
                groups[place].tables.add(source, entries, mistakes);
            }
        }
    }
    if let Some((first, _)) = nameless.first() {
        let mut tables = Tables::default();
        let at = At {
            source: *first,
            ..At::default()
        };
        for (source, entries) in nameless {
            tables.add(source, entries, mistakes);
        }
        groups.push(Group {
            name: "switch".into(),
            at,
            tables,
        });
    }
    Ok((groups, lookup))
}

/// The name of a switch, with that of its part where it has several.
fn host_name(entries: &[config::Entry], source: usize) -> Option<(String, At)> {
    let mut metadata = entries
        .iter()
        .filter(|entry| entry.table == "DEVICE_METADATA");
    let fields = &metadata.find(|entry| entry.key == "localhost")?.fields;
    let field = |name: &str| {
        fields
            .iter()
            .find(|field| field.name == name && !field.value.is_empty())
    };
    let host = field("hostname")?;
    let part = field("asic_name").map_or(String::new(), |part| format!("-{}", part.value));
    let at = At {
        source,
        start: host.at.start,
        end: host.at.end,
    };
    Some((format!("{}{part}", host.value), at))
}

/// "2 switches, 7 hosts, 8 links; no errors, 1 warning".
fn summary(fabric: &Fabric, lookup: Option<&Lookup>, mistakes: &Diagnostics) -> String {
    let size = match lookup.filter(|_| fabric.switches.is_empty()) {
        Some(lookup) => counted(lookup.rows.len(), "row"),
        None => format!(
            "{}, {}, {}",
            counted(fabric.switches.len(), "switch"),
            counted(fabric.hosts().len(), "host"),
            counted(fabric.links.len(), "link")
        ),
    };
    let (errors, warnings) = (mistakes.errors(), mistakes.warnings());
    format!(
        "{size}; {}, {}",
        counted(errors, "error"),
        counted(warnings, "warning")
    )
}
