//! The scenario language: TOML text in, a checked network out.
//!
//! [`parse`] reports every mistake of a file at once, each with its place, what is allowed there
//! and how to go on. One set of tables (`keys`) describes the language; reader, [`explain`],
//! [`json_schema`], [`reference_markdown`] and the resolved scenario all work from it.
//!
//! Times, rates and sizes are read in integers: a decimal is taken exactly as written and rounded
//! half up to 1 ps, 1 bit/s or 1 byte. The unit `cells` is the time that `unit.bytes` take at
//! `link.rate`, itself rounded half up to 1 ps.

mod build;
mod checks;
mod control;
mod diagnostics;
mod explain;
mod flows;
mod generated;
mod keys;
mod kinds;
mod law;
mod leg_checks;
mod overrides;
mod patterns;
mod reader;
mod record;
mod reference;
mod resolved;
mod route;
mod schema;
mod source;
mod suggest;
mod sweep;
mod table;
mod topology;
mod traffic;
mod tree;
mod units;

use kernel::{Duration, Rate};
use packet::spec::{NetworkSpec, SeriesSpec};

pub use control::n3_for;
pub use diagnostics::{Diagnostic, Diagnostics, Severity};
pub use explain::{WordGroup, explain, list};
pub use reference::reference_markdown;
pub use schema::json_schema;
pub use source::{At, LARGEST_BYTES, Set, Source};
pub use suggest::nearest;
pub use sweep::{Axis, AxisValue, MOST_POINTS, Sweep};

use reader::Reader;
use record::Record;
use suggest::Budget;
use tree::Node;

/// A scenario that can run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Title of the report; may be empty.
    pub title: String,
    /// What it shows; may be empty.
    pub about: String,
    /// The engine that runs it.
    pub engine: &'static str,
    /// Root of every random stream (also in `network`).
    pub seed: u64,
    /// What to simulate.
    pub network: NetworkSpec,
    /// What to record.
    pub series: Vec<SeriesSpec>,
    /// The cell time, for reports.
    pub cell: Duration,
    /// The scenario as TOML with every default and every `--set` written out.
    pub resolved: String,
    /// What its author may not have meant.
    pub warnings: Diagnostics,
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
    if source.text.len() > LARGEST_BYTES {
        return Err(source::too_large(&source.name, source.text.len()));
    }
    let mut sources = vec![source.clone()];
    sources.extend(sets.iter().map(Set::source));
    let mut mistakes = Diagnostics::new(sources.clone());
    let mut node = tree::read_file(&source.text, &mut mistakes);
    if mistakes.errors() > 0 {
        let mut rest = Diagnostics::new(sources);
        overrides::apply(&mut node, sets, &mut rest);
        check(&node, &mut rest);
        mistakes.add_beyond_syntax(&rest);
        return Err(mistakes);
    }
    overrides::apply(&mut node, sets, &mut mistakes);
    sweep::check(&node, &mut mistakes);
    finish(&node, limits, mistakes)
}

/// From a whole tree to a scenario that can run.
fn finish(
    node: &Node,
    limits: &Limits,
    mut mistakes: Diagnostics,
) -> Result<Scenario, Diagnostics> {
    let (root, cell) = check(node, &mut mistakes);
    let built = build::build(&root, limits, &mut mistakes);
    if mistakes.errors() > 0 {
        return Err(mistakes);
    }
    Ok(Scenario {
        title: root.text("title").into(),
        about: root.text("about").into(),
        engine: root.word("engine"),
        seed: built.network.seed,
        network: built.network,
        series: built.series,
        cell,
        resolved: resolved::write(&root),
        warnings: mistakes,
    })
}

/// Checks the tree against the key tables.
fn check(node: &Node, mistakes: &mut Diagnostics) -> (Record, Duration) {
    let cell = cell_time(node);
    let root = Reader {
        mistakes,
        cell_ps: cell.0,
        suggestions: Budget::default(),
    }
    .section(&keys::ROOT, node);
    (root, cell)
}

/// The cell time, needed to read every other time; mistakes in it are found again later.
fn cell_time(node: &Node) -> Duration {
    let mut unheard = Diagnostics::default();
    let mut reader = Reader {
        mistakes: &mut unheard,
        cell_ps: 1,
        suggestions: Budget::default(),
    };
    let mut record = |name: &str| match keys::ROOT.key(name).map(|key| key.kind) {
        Some(table::Kind::Table(section)) => {
            node.get(name).map(|table| reader.section(section, table))
        }
        _ => None,
    };
    let bytes = record("unit")
        .and_then(|unit| unit.whole("bytes"))
        .unwrap_or(53);
    let rate = record("link")
        .and_then(|link| link.rate("rate"))
        .unwrap_or(Rate(1_000_000));
    rate.serialization(bytes)
}
