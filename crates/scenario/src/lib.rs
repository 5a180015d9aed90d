//! The scenario language: TOML text in, a checked network out.
//!
//! [`parse`] reports every mistake of a file at once, each with its place, what is allowed there
//! and how to go on. One set of types (`given`) describes the language; reader, [`explain`],
//! [`json_schema`], [`reference_pages`] and the resolved scenario all work from it.
//!
//! Times, rates and sizes are read in integers: a decimal is taken exactly as written and rounded
//! half up to 1 ps, 1 bit/s or 1 byte. The unit `cells` is the time that `unit.bytes` take at
//! `link.rate`, itself rounded half up to 1 ps.
//!
//! ```
//! use backwater_scenario::{Set, Source, parse, value_at};
//!
//! let text = include_str!("doc.toml");
//! let source = Source::new("two.toml", text);
//! let set = Set::new("flow_control.n3=32").expect("it sets a key");
//! let scenario = parse(&source, &[set]).expect("no mistakes");
//! assert_eq!(scenario.packet().map(|cells| cells.network.flows.len()), Some(1));
//! assert_eq!(value_at(&source, &[], "duration").ok().flatten().as_deref(), Some("\"10 ms\""));
//!
//! let wrong = Source::new("two.toml", text.replace("n3 =", "n33 ="));
//! let mistakes = parse(&wrong, &[]).expect_err("no such key");
//! assert!(mistakes.render(false).contains("did you mean `n3`?"));
//! ```

mod circuits;
pub mod compare;
mod engine_check;
mod flits;
mod frames;
mod given;
pub mod language;
mod network;
mod prelude;
pub mod reference;
pub mod sizing;
mod sweep;

use backwater_flit::spec::FabricSpec;
use backwater_kernel::Duration;
use backwater_net::spec::{NetworkSpec, SeriesSpec};

pub use circuits::control::n3_for;
pub use frames::exported::{Exported, ExportedFlow};
pub use frames::{EthernetScenario, GivenUp, headroom};
pub use language::diagnostics::{Diagnostic, Diagnostics, Severity};
pub use language::errors::{error_codes, errors_markdown, explain_error};
pub use language::files::{LARGEST_FILE_BYTES, Load, Loader, Reopen, text_of};
pub use language::instant::instant;
pub use language::source::{At, LARGEST_BYTES, Set, Source};
pub use language::suggest::nearest;
pub use network::memory::{circuits_bytes, fabric_bytes, frames_bytes, needed_bytes};
pub use reference::explain::{WordGroup, explain, list};
pub use reference::glossary::glossary_markdown;
pub use reference::pages::{reference_page, reference_pages};
pub use reference::schema::json_schema;
pub use sweep::settings::{Setting, settings};
pub use sweep::value_at::value_at;
pub use sweep::{Axis, AxisValue, Grid, GridEnd, MOST_POINTS, Sweep};

use given::Heading;
use given::circuits::Unit;
use given::circuits::network::Link;
use language::files::{self, Files};
use language::reader::Reader;
use language::record::{Datum, Field, Record};
use language::resolved;
use language::table::Section;
use language::tree::{self, Node};
use language::typed::Table;
use reference::glossary;
use sweep::overrides;

/// A scenario that can run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Title of the report; may be empty.
    pub title: String,
    /// What it shows; may be empty.
    pub about: String,
    /// Root of every random stream (also in what to simulate).
    pub seed: u64,
    /// The engine that runs it, and what to simulate.
    pub engine: Engine,
    /// What the flit engine is to record; empty for the others, which hold theirs.
    pub cycle_series: Vec<backwater_flit::series::SeriesSpec>,
    /// The files it names, under the names it gives them, in the order they were read.
    pub files: Vec<Source>,
    /// Those that are read as a run goes on, and a fingerprint of what they hold.
    pub reopened: Vec<(String, u64)>,
    /// The scenario as TOML with every default and every `--set` written out.
    pub resolved: String,
    /// What its author may not have meant.
    pub warnings: Diagnostics,
}

/// The engine that runs a scenario, and what to simulate.
#[derive(Clone, Debug)]
pub enum Engine {
    /// Events, in picoseconds.
    Packet(PacketScenario),
    /// Cycle by cycle.
    Flit(Box<FabricSpec>),
    /// Frames between hosts and switches, in picoseconds.
    Ethernet(Box<EthernetScenario>),
}

/// What the packet engine simulates.
#[derive(Clone, Debug)]
pub struct PacketScenario {
    /// What to simulate.
    pub network: NetworkSpec,
    /// What to record.
    pub series: Vec<SeriesSpec>,
    /// The cell time, for reports.
    pub cell: Duration,
    /// What to measure besides.
    pub measure: MeasureSpec,
}

/// What to measure besides flows and series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeasureSpec {
    /// Queues, waiting and utilization at ports. Left to itself, it is on where the scenario has
    /// a scheduler or a pool.
    pub ports: bool,
    /// Windows over which the utilization of ports is averaged; at least 1 ps.
    pub window: Duration,
}

impl Scenario {
    /// What the packet engine simulates, if it runs this scenario.
    pub fn packet(&self) -> Option<&PacketScenario> {
        match &self.engine {
            Engine::Packet(packet) => Some(packet),
            Engine::Flit(_) | Engine::Ethernet(_) => None,
        }
    }

    /// What the flit engine simulates, if it runs this scenario.
    pub fn fabric(&self) -> Option<&FabricSpec> {
        match &self.engine {
            Engine::Packet(_) | Engine::Ethernet(_) => None,
            Engine::Flit(fabric) => Some(fabric),
        }
    }

    /// What the Ethernet engine simulates, if it runs this scenario.
    pub fn ethernet(&self) -> Option<&EthernetScenario> {
        match &self.engine {
            Engine::Packet(_) | Engine::Flit(_) => None,
            Engine::Ethernet(ethernet) => Some(ethernet),
        }
    }
}

impl Engine {
    /// The word for it in a scenario.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Packet(_) => "packet",
            Self::Flit(_) => "flit",
            Self::Ethernet(_) => "ethernet",
        }
    }

    /// Root of every random stream.
    fn seed(&self) -> u64 {
        match self {
            Self::Packet(packet) => packet.network.seed,
            Self::Flit(fabric) => fabric.seed,
            Self::Ethernet(found) => found.network.seed,
        }
    }
}

/// What the machine can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Memory that a run may use, in bytes; `None` does not check.
    pub memory_bytes: Option<u64>,
}

/// Reads and checks a scenario. An error holds all mistakes, warnings included.
pub fn parse(source: &Source, sets: &[Set]) -> Result<Scenario, Diagnostics> {
    parse_within(source, sets, &Limits::default())
}

/// The same, and refuses what needs more than the machine has.
pub fn parse_within(
    source: &Source,
    sets: &[Set],
    limits: &Limits,
) -> Result<Scenario, Diagnostics> {
    parse_with(source, sets, limits, &files::none)
}

/// The same, and reads the files that the scenario names through `load`, whose paths start at the
/// folder in the name of `source`.
pub fn parse_with(
    source: &Source,
    sets: &[Set],
    limits: &Limits,
    load: &Loader<'_>,
) -> Result<Scenario, Diagnostics> {
    let (mut node, mut mistakes) = tree::read_source(source, sets.iter().map(Set::source))?;
    if mistakes.errors() > 0 {
        let mut rest = Diagnostics::new(mistakes.sources());
        overrides::apply(&mut node, sets, &mut rest);
        check(&node, &mut rest);
        mistakes.add_beyond_syntax(&rest);
        return Err(mistakes);
    }
    overrides::apply(&mut node, sets, &mut mistakes);
    if given::is_of_no_engine(&node) {
        tell_engine(&node, &mut mistakes);
        return Err(mistakes);
    }
    if given::is_of_unknown_engine(&node) {
        ask_engine(&node, &mut mistakes);
        return Err(mistakes);
    }
    sweep::check(&node, sets, &mut mistakes);
    finish(&node, limits, Files::beside(&source.name, load), mistakes)
}

/// Of a scenario of frames that [`parse_with`] refuses, what was built nonetheless: not to be run,
/// but its account of headroom says what is missing where.
pub fn refused(
    source: &Source,
    sets: &[Set],
    limits: &Limits,
    load: &Loader<'_>,
) -> Option<EthernetScenario> {
    let mut mistakes = Diagnostics::default();
    let (mut node, _) = tree::read_source(source, sets.iter().map(Set::source)).ok()?;
    overrides::apply(&mut node, sets, &mut mistakes);
    let (root, _) = check(&node, &mut mistakes);
    let mut files = Files::beside(&source.name, load);
    let is_of_frames = std::ptr::eq(root.section, given::ETHERNET);
    let built = is_of_frames.then(|| frames::build(&root, limits, &mut files, &mut mistakes));
    built.flatten()
}

/// Is this text a scenario of frames? As far as can be told, right or wrong.
pub fn is_of_frames(source: &Source) -> bool {
    let root = tree::read_file(&source.text, &mut Diagnostics::default());
    std::ptr::eq(given::root_of(&root), given::ETHERNET)
}

/// From a whole tree to a scenario that can run.
fn finish(
    node: &Node,
    limits: &Limits,
    mut files: Files<'_>,
    mut mistakes: Diagnostics,
) -> Result<Scenario, Diagnostics> {
    let (root, cell) = check(node, &mut mistakes);
    let mut cycle_series = Vec::new();
    let engine = if std::ptr::eq(root.section, given::FLIT) {
        let built = flits::build(&root, limits, &mut files, &mut mistakes);
        built.map(|(spec, series)| {
            cycle_series = series;
            Engine::Flit(Box::new(spec))
        })
    } else if std::ptr::eq(root.section, given::ETHERNET) {
        let built = frames::build(&root, limits, &mut files, &mut mistakes);
        built.map(|built| Engine::Ethernet(Box::new(built)))
    } else {
        let built = circuits::build::build(&root, limits, &mut files, &mut mistakes);
        Some(Engine::Packet(PacketScenario {
            network: built.network,
            series: built.series,
            measure: built.measure,
            cell,
        }))
    };
    if let Some(engine) = engine.as_ref().filter(|_| mistakes.errors() == 0) {
        let at = &node.get("run").unwrap_or(node).at;
        engine_check::check(at, engine, &mut mistakes);
    }
    let Some(engine) = engine.filter(|_| mistakes.errors() == 0) else {
        return Err(mistakes);
    };
    let heading = Heading::read(&root);
    Ok(Scenario {
        title: heading.title,
        about: heading.about,
        seed: engine.seed(),
        engine,
        cycle_series,
        files: files.read,
        reopened: files.reopened,
        resolved: resolved::write(&root),
        warnings: mistakes,
    })
}

/// Only that the engine is none of ours: all else would be held against the keys of another.
fn tell_engine(node: &Node, mistakes: &mut Diagnostics) {
    let root = given::root_of(node);
    let mut reader = Reader {
        guide: &glossary::GUIDE,
        ..Reader::of(root, mistakes)
    };
    if let (Some(key), Some(engine)) = (root.key("engine"), node.get("engine")) {
        key.kind.read(&mut reader, key, engine);
    }
}

/// Only that the engine is missing: what else is missing depends on it.
fn ask_engine(node: &Node, mistakes: &mut Diagnostics) {
    Diagnostic::error("missing-key", "the file does not say what it simulates")
        .at(&node.at, "no `engine` here")
        .help("switched Ethernet, with PAUSE, PFC, TCP and UDP: add `engine = \"ethernet\"`")
        .help("a network on chip, flit by flit: add `engine = \"flit\"`")
        .help("circuits of cells or packets, with credits or rates: add `engine = \"packet\"`")
        .help("or start from a scenario that runs: `backwater example --list` has them")
        .tell(mistakes);
}

/// Checks the tree against the tables of the language.
fn check(node: &Node, mistakes: &mut Diagnostics) -> (Record, Duration) {
    let root = given::root_of(node);
    let (cell, cell_bits) = cell_time(root, node);
    let root = Reader {
        cell_ps: cell.0,
        cell_bits,
        guide: &glossary::GUIDE,
        ..Reader::of(root, mistakes)
    }
    .section(root, node);
    leave_out_what_follows(&root, mistakes);
    (root, cell)
}

/// Where the tables that make the nodes are wrong, nobody knows which nodes there are.
pub(crate) fn leave_out_what_follows(root: &Record, mistakes: &mut Diagnostics) {
    let makers = ["network", "topology"].into_iter();
    let makers = makers.filter(|key| root.section.key(key).is_some());
    let tables: Vec<&Record> = makers.filter_map(|key| root.record(key)).collect();
    if tables.iter().any(|table| !table.faulty.is_empty()) {
        mistakes.leave_out("unknown-node");
        mistakes.leave_out("unknown-name");
    }
    let mut keys = tables.iter().flat_map(|table| &table.fields);
    let is_chosen = |key: &&Field| key.at.is_outside() && !matches!(key.datum, Datum::Record(_));
    if let Some(chosen) = keys.find(|key| key.given && is_chosen(key)) {
        mistakes.gather_names(chosen.at.clone());
    }
}

/// The cell time and the bits of a cell, needed to read every other time and rate; mistakes in
/// them are found again later.
fn cell_time(root: &'static Section, node: &Node) -> (Duration, u64) {
    let bytes = early::<Unit>(root, node.get("unit")).bytes();
    let rate = early::<Link>(root, node.get("link")).rate;
    let rate = rate.unwrap_or(circuits::topology::placeholder().rate);
    (rate.serialization(u64::from(bytes)), 8 * u64::from(bytes))
}

/// A table, before the length of a cell is known.
fn early<T: Table>(root: &'static Section, node: Option<&Node>) -> T {
    let absent = Node::empty(At::default());
    let mut unheard = Diagnostics::default();
    T::read(&Reader::of(root, &mut unheard).section(T::TABLE, node.unwrap_or(&absent)))
}
