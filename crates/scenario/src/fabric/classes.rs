//! Classes of packets.

use flit::spec::{ClassSpec, Injection, Pattern, Size};

use super::demand;
use crate::control::Layers;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::files::Files;
use crate::record::Record;
use crate::suggest;

/// Name of the only class where the scenario names none.
const ONLY: &str = "packets";
/// Most classes.
const MOST: usize = 255;
/// A millionth is the finest share of long packets.
const MILLION: u128 = 1_000_000;

/// A class while it is read.
pub(crate) struct Draft<'a> {
    pub name: &'a str,
    /// `[traffic]`, then its own table if it has one.
    pub layers: Layers<'a>,
}

impl Draft<'_> {
    /// The table that `key` (`pattern`, `injection`, `flits`) holds.
    pub(crate) fn table(&self, key: &str) -> Option<&Record> {
        self.layers.layer(key)?.record(key)
    }

    /// Flits per cycle and terminal: its own load, its share of the common one, or that.
    fn load(&self) -> Option<f64> {
        let [traffic, rest @ ..] = self.layers.0.as_slice() else {
            return None;
        };
        let common = traffic.decimal("load");
        match rest.first() {
            Some(own) if own.field("load").is_some() => own.decimal("load"),
            Some(own) => match own.decimal("share") {
                Some(share) => Some(share * common?),
                None => common,
            },
            None => common,
        }
    }
}

/// Reads the classes; `None` if something is missing, which is told.
pub(crate) fn classes(
    root: &Record,
    terminals: Option<u64>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Vec<ClassSpec>> {
    let traffic = root.record("traffic")?;
    let tables = root.records("classes");
    if root.faulty.contains(&"classes") || !few_enough(tables, mistakes) {
        return None;
    }
    let mut drafts: Vec<Draft<'_>> = tables
        .iter()
        .map(|own| Draft {
            name: own.text("name"),
            layers: Layers(vec![traffic, own]),
        })
        .collect();
    if drafts.is_empty() {
        drafts.push(Draft {
            name: ONLY,
            layers: Layers(vec![traffic]),
        });
    }
    names_differ(tables, mistakes);
    let mut reader = Classes {
        drafts: &drafts,
        terminals,
        files,
        mistakes,
    };
    let specs: Vec<Option<ClassSpec>> = (0..drafts.len()).map(|i| reader.class(i)).collect();
    let specs = specs.into_iter().collect::<Option<Vec<ClassSpec>>>();
    unanswered(&drafts, mistakes);
    unused_load(&drafts, mistakes);
    lane_groups(tables, mistakes);
    specs
}

struct Classes<'a, 'f> {
    drafts: &'a [Draft<'a>],
    terminals: Option<u64>,
    files: &'a mut Files<'f>,
    mistakes: &'a mut Diagnostics,
}

impl Classes<'_, '_> {
    fn class(&mut self, index: usize) -> Option<ClassSpec> {
        let draft = &self.drafts[index];
        let injection = self.injection(draft);
        let pattern = self.pattern(draft, injection.as_ref());
        let size = self.size(draft);
        let own = draft.layers.0.get(1);
        let whole = |key: &str| own.and_then(|own| own.whole(key));
        Some(ClassSpec {
            name: draft.name.into(),
            pattern: pattern?,
            injection: injection?,
            size: size?,
            priority: whole("priority").unwrap_or(0) as u8,
            deadline: whole("deadline").map(|cycles| cycles as u32),
            lane_group: whole("lane_group").unwrap_or(0) as u8,
        })
    }

    fn injection(&mut self, draft: &Draft<'_>) -> Option<Injection> {
        let table = draft.table("injection")?;
        Some(match table.word("kind") {
            "bernoulli" => Injection::Bernoulli {
                load: self.needed_load(draft, table)?,
            },
            "constant" => Injection::Constant {
                load: self.needed_load(draft, table)?,
            },
            "on-off" => self.on_off(draft, table)?,
            "saturation" => Injection::Saturation,
            "request-reply" => Injection::RequestReply {
                outstanding: table.count("outstanding")?,
                think: table.count("think")?,
                reply_class: self.reply_class(table)?,
            },
            "replies" => Injection::Replies,
            "trace" => {
                let file = self.files.read(table, "file", self.mistakes)?;
                let list = demand::trace(&file, self.terminals);
                Injection::Trace(list.map_err(|wrong| self.mistakes.push(*wrong)).ok()?)
            }
            _ => return None,
        })
    }

    fn needed_load(&mut self, draft: &Draft<'_>, injection: &Record) -> Option<f64> {
        let load = draft.load();
        let layers = draft.layers.0.iter();
        let told = layers
            .clone()
            .any(|l| l.faulty.iter().any(|k| ["load", "share"].contains(k)));
        if load.is_none() && !told {
            let word = injection.word("kind");
            let place = draft.layers.0.last()?;
            self.mistakes.push(
                Diagnostic::error(
                    "missing-key",
                    format!("`load` is missing: `{word}` needs it"),
                )
                .at(place.at.clone(), "no load here")
                .note("it is in flits per cycle and terminal, 0 to 1")
                .help("add `load = 0.3`, or choose the injection `saturation`"),
            );
        }
        load
    }

    fn on_off(&mut self, draft: &Draft<'_>, table: &Record) -> Option<Injection> {
        let load = self.needed_load(draft, table)?;
        let (peak, burst) = (table.decimal("peak")?, table.whole("burst")? as f64);
        if peak < load {
            self.mistakes.push(
                Diagnostic::error("bad-load", "bursts are below the mean load")
                    .at(
                        table.at("peak"),
                        format!("the load during bursts is {peak}"),
                    )
                    .note(format!("the mean load is {load}"))
                    .help(format!("make `peak` at least {load}")),
            );
        }
        Some(Injection::OnOff { load, peak, burst })
    }

    /// Index of the class that answers.
    fn reply_class(&mut self, table: &Record) -> Option<u8> {
        let (name, at) = (table.text("replies"), table.at("replies"));
        let known = || self.drafts.iter().map(|draft| draft.name);
        let Some(index) = known().position(|known| known == name) else {
            let help = suggest::did_you_mean(name, known()).unwrap_or_else(|| {
                format!("add `[[classes]]` with `name = \"{name}\"` and `injection = \"replies\"`")
            });
            self.mistakes.push(
                Diagnostic::error("unknown-class", format!("there is no class `{name}`"))
                    .at(at, "not a class of `[[classes]]`")
                    .help(help),
            );
            return None;
        };
        let injection = self.drafts[index].table("injection")?;
        if injection.word("kind") != "replies" {
            self.mistakes.push(
                Diagnostic::error("bad-class", format!("`{name}` has packets of its own"))
                    .at(at, "a class of replies only answers")
                    .at(
                        injection.at("kind"),
                        format!("it is `{}`", injection.word("kind")),
                    )
                    .help(format!("give `{name}` the injection `replies`")),
            );
            return None;
        }
        u8::try_from(index).ok()
    }

    fn pattern(&mut self, draft: &Draft<'_>, injection: Option<&Injection>) -> Option<Pattern> {
        let table = draft.table("pattern")?;
        if matches!(injection, Some(Injection::Replies | Injection::Trace(_))) {
            // Where these go is known; a pattern of the class itself would be for nothing.
            if let Some(own) = draft.layers.0.get(1).filter(|own| own.given("pattern")) {
                let word = draft
                    .table("injection")
                    .map_or("", |table| table.word("kind"));
                self.mistakes.push(
                    Diagnostic::error(
                        "no-meaning",
                        format!("`pattern` has no meaning with injection `{word}`"),
                    )
                    .at(own.at("pattern"), "these packets know where to go")
                    .help("leave it out"),
                );
            }
            return Some(Pattern::Uniform { include_self: true });
        }
        demand::pattern(table, self.terminals, self.files, self.mistakes)
    }

    fn size(&mut self, draft: &Draft<'_>) -> Option<Size> {
        let table = draft.table("flits")?;
        let flits = |key: &str| table.whole(key).map(|flits| flits as u16);
        Some(match table.word("kind") {
            "fixed" => Size::Fixed(flits("length")?),
            "bimodal" => Size::Bimodal {
                short: flits("short")?,
                long: flits("long")?,
                long_per_million: (table.decimal("long_share")? * MILLION as f64).round() as u32,
            },
            "weighted" => {
                let (lengths, weights) = (table.wholes("lengths"), table.wholes("weights"));
                let lists = demand::Weighted {
                    table,
                    what: "lengths",
                    items: lengths,
                    weights,
                };
                Size::Weighted(lists.pairs(self.mistakes)?)
            }
            _ => return None,
        })
    }
}

fn few_enough(tables: &[Record], mistakes: &mut Diagnostics) -> bool {
    let Some(first) = tables.get(MOST) else {
        return true;
    };
    mistakes.push(
        Diagnostic::error("too-large", format!("{} classes of packets", tables.len()))
            .at(first.at.clone(), "one too many")
            .note(format!("at most {MOST} are allowed")),
    );
    false
}

fn names_differ(tables: &[Record], mistakes: &mut Diagnostics) {
    for (index, table) in tables.iter().enumerate() {
        let name = table.text("name");
        let first = tables[..index]
            .iter()
            .find(|other| other.text("name") == name);
        if let Some(first) = first.filter(|_| !name.is_empty()) {
            mistakes.push(
                Diagnostic::error("duplicate-name", format!("two classes are called `{name}`"))
                    .at(table.at("name"), "the second")
                    .at(first.at("name"), "the first")
                    .help("give each class a name of its own"),
            );
        }
    }
}

/// Every class of replies answers the requests of one class.
fn unanswered(drafts: &[Draft<'_>], mistakes: &mut Diagnostics) {
    for draft in drafts {
        let Some(own) = draft
            .table("injection")
            .filter(|t| t.word("kind") == "replies")
        else {
            continue;
        };
        let mut asking = drafts
            .iter()
            .filter_map(|other| other.table("injection"))
            .filter(|table| table.word("kind") == "request-reply")
            .filter(|table| table.text("replies") == draft.name);
        let (first, second) = (asking.next(), asking.next());
        let wrong = match (first, second) {
            (Some(_), None) => continue,
            (None, _) => Diagnostic::error("bad-class", format!("`{}` answers nobody", draft.name))
                .at(own.at("kind"), "no class has its replies here")
                .help("add a class with `injection = { kind = \"request-reply\", replies = .. }`"),
            (Some(first), Some(second)) => {
                let what = format!("`{}` answers two classes", draft.name);
                Diagnostic::error("bad-class", what)
                    .at(second.at("replies"), "the second")
                    .at(first.at("replies"), "the first")
                    .help("give each class of requests a class of replies of its own")
            }
        };
        mistakes.push(wrong);
    }
}

/// Loads that no injection uses.
fn unused_load(drafts: &[Draft<'_>], mistakes: &mut Diagnostics) {
    let uses = |draft: &Draft<'_>| {
        let table = draft.table("injection");
        table.is_none_or(|t| matches!(t.word("kind"), "" | "bernoulli" | "constant" | "on-off"))
    };
    let mut warn = |table: &Record, key: &str, word: &str| {
        mistakes.push(
            Diagnostic::warning("unused", format!("`{key}` has no effect with `{word}`"))
                .at(table.at(key), "not used")
                .help("leave it out, or choose the injection `bernoulli`"),
        );
    };
    let word = |draft: &Draft<'_>| draft.table("injection").map_or("", |t| t.word("kind"));
    for draft in drafts.iter().filter(|draft| !uses(draft)) {
        if let Some(own) = draft.layers.0.get(1) {
            let key = ["load", "share"].into_iter().find(|key| own.given(key));
            key.into_iter().for_each(|key| warn(own, key, word(draft)));
        }
    }
    if let Some(first) = drafts.first().filter(|_| !drafts.iter().any(uses))
        && let Some(traffic) = first
            .layers
            .0
            .first()
            .filter(|traffic| traffic.given("load"))
    {
        warn(traffic, "load", word(first));
    }
}

/// Groups of lanes are numbered from 0 without gaps.
fn lane_groups(tables: &[Record], mistakes: &mut Diagnostics) {
    let group = |table: &Record| table.whole("lane_group").unwrap_or(0);
    let Some(last) = tables.iter().max_by_key(|table| group(table)) else {
        return;
    };
    if let Some(gap) = (0..group(last)).find(|n| !tables.iter().any(|t| group(t) == *n)) {
        mistakes.push(
            Diagnostic::error("bad-group", format!("no class is in group {gap} of lanes"))
                .at(last.at("lane_group"), "groups below this one are missing")
                .note("groups are numbered from 0 without gaps, and each gets a part of the lanes")
                .help(format!("write `lane_group = {gap}`")),
        );
    }
}
