//! `[sweep]`: one scenario, many points.
//!
//! An axis changes a key, as `--set` does; a point is one value of every axis and a seed. Points
//! are numbered: the first axis changes slowest, the seed fastest.
//!
//! Here stand the other ways to say another value than the file's, too: `--set` (`overrides`), and
//! what it sets aside. A line here may touch `given`, `language` and the glossary, and changes the
//! tree before it is checked; the next way to write an axis goes to `axes` or `values`.

mod axes;
mod claims;
pub(crate) mod overrides;
pub(crate) mod paths;
mod range;
pub(crate) mod set_aside;
mod sets;
pub(crate) mod settings;
pub(crate) mod value_at;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::overrides::Segment;
use crate::given;
use crate::given::sweep::Sweep as Given;
use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::files::Files;
use crate::language::kinds::MOST_SEEDS;
use crate::language::reader::Reader;
use crate::language::source::{At, Set, Source};
use crate::language::table::Default;
use crate::language::tree::{self, Node, Value};
use crate::language::typed::Table;
use crate::reference::glossary::GUIDE;
use crate::{Limits, Loader, Scenario};

/// Most points of a sweep.
pub const MOST_POINTS: u64 = 1_000_000;
/// Values that are tried when a scenario is checked without sweeping, if it is not too large.
const TRIED: usize = 200;
/// Values of the file that are read again for that, at most.
const READ_AGAIN: usize = 1_000_000;

/// A scenario file and what varies in it.
#[derive(Clone, Debug)]
pub struct Sweep {
    axes: Vec<Axis>,
    seeds: Vec<u64>,
    /// They are listed, and not counted from `run.seed` on.
    has_listed_seeds: bool,
    columns: Vec<(String, At)>,
    /// Where the seeds or the axes stand.
    at: At,
    /// The file without `[sweep]`, `--set` applied; what belongs to another kind than a `--set`
    /// or an axis chooses is still there.
    base: Node,
    sets: Vec<Set>,
    sources: Vec<Source>,
}

/// A key that varies.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its path, as `--set` takes it; its name where it changes several keys together.
    pub path: String,
    /// The last name of the path, or all of it where that is not enough to tell axes apart.
    pub name: String,
    /// Unit that all values share; empty for none.
    pub unit: String,
    /// In the order given, all different.
    pub values: Vec<AxisValue>,
    at: At,
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub struct AxisValue {
    /// Its name, or else as written, without quotes.
    pub text: String,
    /// In [`Axis::unit`]; `None` for all values of an axis where one is no number, or where the
    /// units differ.
    pub number: Option<f64>,
    changes: Vec<Change>,
}

/// A key and what is put there.
#[derive(Clone, Debug)]
struct Change {
    path: Arc<[(String, At)]>,
    node: Node,
}

impl Sweep {
    /// Reads a scenario file with its `[sweep]`. `sets` change the file; `axes` add axes or take
    /// the place of those in the file (`load=0.1,0.2` or `load={ from = 0.1, .. }`).
    ///
    /// # Errors
    /// All mistakes in `[sweep]` and `axes`. What a value does to the scenario is found by
    /// [`Sweep::scenario`].
    pub fn read(source: &Source, sets: &[Set], axes: &[Set]) -> Result<Sweep, Diagnostics> {
        Sweep::read_with_grid(source, sets, axes, None)
    }

    /// The same with one more axis, which the options of a search stand for.
    ///
    /// # Errors
    /// As [`Sweep::read`].
    pub fn read_with_grid(
        source: &Source,
        sets: &[Set],
        axes: &[Set],
        grid: Option<&Set>,
    ) -> Result<Sweep, Diagnostics> {
        let named = |axis: &Set, name: &str| Source {
            name: name.into(),
            ..axis.source()
        };
        let of_axes = axes.iter().map(|axis| named(axis, "--axis"));
        let of_grid = grid.map(|axis| named(axis, "--over, --low, --high, --precision"));
        let axes = &[axes, &Vec::from_iter(grid.cloned())].concat();
        let others = sets.iter().map(Set::source).chain(of_axes).chain(of_grid);
        let (mut base, mut mistakes) = tree::read_source(source, others)?;
        if mistakes.errors() > 0 {
            // The reader of a single scenario tells what else is wrong beside the syntax.
            return Err(crate::parse(source, sets).err().unwrap_or(mistakes));
        }
        overrides::put_all(&mut base, given::root_of, sets, &mut mistakes);
        let section = take(&mut base);
        let at = section.as_ref().unwrap_or(&base).at.clone();
        if let Some(node) = section
            .as_ref()
            .filter(|node| !matches!(node.value, Value::Table(_)))
        {
            Diagnostic::error("wrong-type", "`sweep` must be a table")
                .at(&node.at, format!("this is {}", node.kind()))
                .help("write `[sweep]`, and the axes below `[sweep.axes]`")
                .tell(&mut mistakes);
        }
        let given = section.map(|node| section_of(&base, &node, &mut mistakes));
        let sweep = Sweep::of((given, at), base, (sets, axes), &mut mistakes);
        sets::undone(&sweep, &mut mistakes);
        match mistakes.errors() {
            0 => Ok(sweep),
            _ => Err(mistakes),
        }
    }

    /// What `[sweep]` says, which stands at this place, and axes of the command line.
    fn of(
        (given, at): (Option<Given>, At),
        base: Node,
        (sets, axes): (&[Set], &[Set]),
        mistakes: &mut Diagnostics,
    ) -> Sweep {
        let mut drafts = Vec::new();
        if let Some(axes) = given.as_ref().and_then(|given| given.axes.as_ref()) {
            // What axes of the file put in place does not stand in the scenario itself.
            let axes = axes.clone().moved(mistakes.file_again());
            axes::of_file(&axes, &base, &mut drafts, mistakes);
        }
        for (axis, source) in axes.iter().zip(1 + sets.len()..) {
            axes::of_command_line(axis, source, &base, &mut drafts, mistakes);
        }
        Sweep {
            seeds: seeds(given.as_ref(), &base, mistakes),
            has_listed_seeds: has_listed_seeds(given.as_ref()),
            axes: axes::finish(drafts, &base, mistakes),
            columns: given.map(|given| given.columns).unwrap_or_default(),
            at,
            base,
            sets: sets.to_vec(),
            sources: mistakes.sources(),
        }
    }

    /// What varies.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The axis that changes this key (its path, or a short name for it).
    pub fn axis(&self, key: &str) -> Option<usize> {
        let path = paths::resolve(
            overrides::owned(key, 0),
            &self.base,
            given::root_of(&self.base),
        );
        let path = axes::joined(&path.ok()?);
        self.axes.iter().position(|axis| axis.path == path)
    }

    /// The seeds, all different.
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// Columns of flows and groups that are asked for, as `victim.goodput`.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(column, _)| column.as_str())
    }

    /// A mistake in one of the columns: what is wrong, and what there is.
    pub fn wrong_column(&self, column: usize, what: &str, known: &[String]) -> Diagnostics {
        let mut mistakes = Diagnostics::new(self.sources.clone());
        let at = self.columns.get(column).map_or(&self.at, |(_, at)| at);
        Diagnostic::error("unknown-column", "no such column of a flow or a group")
            .at(at, what)
            .note_if((!known.is_empty()).then(|| format!("there is {}", known.join(", "))))
            .help("write a flow or group, a dot and a column: `victim.goodput`")
            .tell(&mut mistakes);
        mistakes
    }

    /// Points in all: combinations of values, times the seeds.
    ///
    /// # Errors
    /// If that is more than [`MOST_POINTS`].
    pub fn points(&self) -> Result<u64, Diagnostics> {
        let lengths = self.axes.iter().map(|axis| axis.values.len() as u64);
        let product = |product: u64, length: u64| product.saturating_mul(length);
        let points = lengths.fold(self.seeds.len() as u64, product);
        if points <= MOST_POINTS {
            return Ok(points);
        }
        let mut mistakes = Diagnostics::new(self.sources.clone());
        mistakes.push(self.too_many());
        Err(mistakes)
    }

    fn too_many(&self) -> Diagnostic {
        let lengths = self.axes.iter().map(|axis| axis.values.len());
        let factors: Vec<String> = lengths
            .chain([self.seeds.len()])
            .map(|length| length.to_string())
            .collect();
        let at = self.axes.first().map_or(&self.at, |axis| &axis.at);
        Diagnostic::error("too-many-points", "the sweep has too many points")
            .at(at, format!("{} points", factors.join(" x ")))
            .note(format!("at most {MOST_POINTS} points, seeds included"))
            .help("take fewer values, or several sweeps into directories of their own")
    }

    /// Which value of each axis a point has, and which seed (both by index).
    pub fn choice(&self, point: u64) -> (Vec<usize>, usize) {
        let split = |rest: &mut u64, length: usize| {
            let length = length.max(1) as u64;
            let index = (*rest % length) as usize;
            *rest /= length;
            index
        };
        let mut rest = point;
        let seed = split(&mut rest, self.seeds.len());
        let backward = self.axes.iter().rev();
        let mut values: Vec<usize> = backward
            .map(|axis| split(&mut rest, axis.values.len()))
            .collect();
        values.reverse();
        (values, seed)
    }

    /// The point with these values and this seed (by index).
    pub fn point(&self, values: &[usize], seed: usize) -> u64 {
        let axes = self.axes.iter().zip(values);
        let combination = axes.fold(0, |sum: u64, (axis, value)| {
            sum * axis.values.len() as u64 + *value as u64
        });
        combination * self.seeds.len() as u64 + seed as u64
    }

    /// The point in words: `load = 0.1, vcs = 2, seed = 1`.
    pub fn describe(&self, point: u64) -> String {
        let (values, seed) = self.choice(point);
        let axes = self.axes.iter().zip(values);
        let mut parts: Vec<String> = axes
            .map(|(axis, value)| format!("{} = {}", axis.name, axis.values[value].text))
            .collect();
        parts.push(format!("seed = {}", self.seeds[seed]));
        parts.join(", ")
    }

    /// The scenario of a point; the files it names are read through `load`.
    ///
    /// # Errors
    /// All mistakes of the scenario with these values.
    pub fn scenario(
        &self,
        point: u64,
        limits: &Limits,
        load: &Loader<'_>,
    ) -> Result<Scenario, Diagnostics> {
        let (values, seed) = self.choice(point);
        let mut mistakes = Diagnostics::new(self.sources.clone());
        let axes = self.axes.iter().zip(values);
        let values: Vec<&AxisValue> = axes.map(|(axis, value)| &axis.values[value]).collect();
        let mut node = self.with(&values, &mut mistakes);
        let seed = Node {
            value: Value::Integer(self.seeds[seed].to_string(), 10),
            at: self.at.clone(),
        };
        let path = [("run", self.at.clone()), ("seed", self.at.clone())];
        mistakes.kept(overrides::put(&mut node, &path, seed));
        let file = self.sources.first().map_or("", |file| &file.name);
        crate::finish(&node, limits, Files::beside(file, load), mistakes)
    }

    /// The file with these values; what belongs to another kind than they choose is set aside.
    fn with(&self, values: &[&AxisValue], mistakes: &mut Diagnostics) -> Node {
        let mut node = self.base.clone();
        let changes = || values.iter().flat_map(|value| &value.changes);
        for change in changes() {
            let put = overrides::put(&mut node, &change.segments(), change.node.clone());
            mistakes.kept(put);
        }
        let root = given::root_of(&node);
        set_aside::after_sets(&mut node, root, &self.sets, mistakes);
        for change in changes() {
            set_aside::after(&mut node, root, &change.segments(), mistakes);
        }
        node
    }
}

impl Change {
    fn segments(&self) -> Vec<Segment<'_>> {
        overrides::borrowed(&self.path)
    }
}

/// Checks `[sweep]` of a scenario that runs alone: its keys, and that each value may stand where
/// its axis puts it.
pub(crate) fn check(root: &Node, sets: &[Set], mistakes: &mut Diagnostics) {
    if root.get("sweep").is_none() {
        return;
    }
    let mut base = root.clone();
    let Some(section) = take(&mut base) else {
        return;
    };
    let mut unheard = Diagnostics::default();
    crate::check(&base, &mut unheard);
    let is_sound = unheard.errors() == 0;
    let given = section_of(&base, &section, &mut unheard);
    let sweep = Sweep::of((Some(given), section.at), base, (sets, &[]), mistakes);
    if sweep.points().is_err() {
        mistakes.push(sweep.too_many());
    }
    let tried = (READ_AGAIN / size(&sweep.base)).min(TRIED);
    let values = sweep.axes.iter().flat_map(|axis| &axis.values);
    for value in values.take(tried) {
        let mut unheard = Diagnostics::default();
        let node = sweep.with(&[value], &mut unheard);
        if unheard.errors() > 0 {
            sweep.with(&[value], mistakes);
        } else if is_sound {
            crate::check(&node, mistakes);
        }
    }
}

/// Values in a tree.
fn size(node: &Node) -> usize {
    1 + match &node.value {
        Value::List(items) => items.iter().map(size).sum::<usize>(),
        Value::Table(entries) => entries.iter().map(|entry| size(&entry.node)).sum(),
        _ => 0,
    }
}

/// Takes `[sweep]` out of the file.
fn take(root: &mut Node) -> Option<Node> {
    let Value::Table(entries) = &mut root.value else {
        return None;
    };
    let index = entries.iter().position(|entry| entry.key == "sweep")?;
    Some(entries.remove(index).node)
}

fn section_of(base: &Node, node: &Node, mistakes: &mut Diagnostics) -> Given {
    let record = Reader {
        guide: &GUIDE,
        ..Reader::of(given::root_of(base), mistakes)
    }
    .section(Given::TABLE, node);
    Given::read(&record)
}

/// The seed of a scenario that gives none.
fn usual_seed(base: &Node) -> u64 {
    let run = given::root_of(base)
        .key("run")
        .and_then(|run| run.kind.section());
    match run.and_then(|run| run.key("seed")).map(|seed| seed.default) {
        Some(Default::Is(toml)) => toml.parse().unwrap_or_default(),
        Some(Default::Required | Default::Derived(_)) | None => 0,
    }
}

fn has_listed_seeds(given: Option<&Given>) -> bool {
    let seeds = given.and_then(|given| given.seeds.sure());
    seeds.is_some_and(|seeds| matches!(seeds.value, Value::List(_)))
}

/// The seeds: so many from the scenario's own on, or those of a list.
fn seeds(given: Option<&Given>, base: &Node, mistakes: &mut Diagnostics) -> Vec<u64> {
    let whole = |node: &Node| match &node.value {
        Value::Integer(..) => node.number().and_then(|number| number.parse::<u64>().ok()),
        _ => None,
    };
    let run = base.get("run").and_then(|run| run.get("seed"));
    let first = run.and_then(whole).unwrap_or_else(|| usual_seed(base));
    let Some(node) = given.and_then(|given| given.seeds.sure()) else {
        return vec![first];
    };
    let mut wrong = |at: &At, found: &str| {
        Diagnostic::error("out-of-range", format!("no seeds for a sweep: {found}"))
            .at(at, found)
            .help(format!(
                "write a whole number from 1 to {MOST_SEEDS}, `seeds = 5`"
            ))
            .help("or a list of different whole numbers, `seeds = [1, 2, 7]`")
            .tell(mistakes);
        Vec::new()
    };
    match (&node.value, whole(node)) {
        (Value::List(items), _) => {
            let (mut seeds, mut seen) = (Vec::new(), BTreeSet::new());
            for item in items {
                match whole(item) {
                    None => return wrong(&item.at, "not a whole number from 0 on"),
                    Some(seed) if !seen.insert(seed) => return wrong(&item.at, "given twice"),
                    Some(seed) => seeds.push(seed),
                }
            }
            match seeds.len() as u64 {
                0 => wrong(&node.at, "none"),
                1..=MOST_SEEDS => seeds,
                _ => wrong(&node.at, "too many"),
            }
        }
        (_, Some(count @ 1..=MOST_SEEDS)) => match first.checked_add(count - 1) {
            Some(last) => (first..=last).collect(),
            None => wrong(&node.at, "there are not so many above `run.seed`"),
        },
        (_, Some(_)) => wrong(&node.at, "none or too many"),
        (_, None) => wrong(&node.at, "neither a number nor a list"),
    }
}
