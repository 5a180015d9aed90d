//! Classes of packets.

use backwater_flit::spec::{self, ClassSpec, Size};

use super::demand;
use crate::given::flits::FlitFile;
use crate::given::flits::traffic::{Class, Demand, Flits, Injection};
use crate::language::files::Files;
use crate::language::suggest;
use crate::prelude::*;

/// Name of the only class where the scenario names none.
const ONLY: &str = "packets";
/// Most classes.
const MOST: usize = 255;
/// A millionth is the finest share of long packets.
const MILLION: u128 = 1_000_000;

/// A class while it is read.
struct Draft<'a> {
    name: &'a str,
    /// Its table, or `[traffic]`.
    place: &'a At,
    /// What its own table says, if it has one.
    own: Option<&'a Class>,
    /// What `[traffic]` says.
    common: &'a Demand,
    /// Its own demands, the common ones where it says nothing.
    demand: Demand,
}

impl<'a> Draft<'a> {
    /// The class of all packets.
    fn only(common: &'a Demand, place: &'a At) -> Self {
        Self {
            name: ONLY,
            place,
            own: None,
            common,
            demand: common.clone(),
        }
    }

    fn of(own: &'a Placed<Class>, common: &'a Demand) -> Self {
        Self {
            name: &own.name,
            place: &own.at,
            own: Some(own),
            common,
            demand: own.demand.over(common),
        }
    }

    /// When its packets are born, if that is known.
    fn injection(&self) -> Option<&Injection> {
        self.demand.injection.as_ref()?.sure()
    }

    /// Flits per cycle and terminal: its own load, its share of the common one, or that.
    fn load(&self) -> Option<f64> {
        let own = self.own.filter(|own| own.demand.load.is_none());
        match own.and_then(|own| *own.share) {
            Some(share) => Some(share * (*self.common.load)?),
            None => *self.demand.load,
        }
    }

    /// Has a mistake in its load been reported?
    fn has_bad_load(&self) -> bool {
        let own = |own: &Class| own.demand.load.is_faulty || own.share.is_faulty;
        self.common.load.is_faulty || self.own.is_some_and(own)
    }
}

/// Reads the classes; `None` if something is missing, which is reported.
pub(crate) fn classes(
    file: &FlitFile,
    terminals: Option<u64>,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Option<Vec<ClassSpec>> {
    let (common, place) = (&file.traffic.sure()?.demand, &file.traffic.at);
    let tables = file.classes.sure()?.as_deref().unwrap_or_default();
    if !few_enough(tables, mistakes) {
        return None;
    }
    let mut drafts: Vec<Draft<'_>> = tables.iter().map(|own| Draft::of(own, common)).collect();
    if drafts.is_empty() {
        drafts.push(Draft::only(common, place));
    }
    names_differ(tables, mistakes);
    let mut reader = Classes {
        drafts: &drafts,
        terminals,
        files,
        mistakes,
    };
    let specs: Vec<Option<ClassSpec>> = drafts.iter().map(|draft| reader.class(draft)).collect();
    let specs = specs.into_iter().collect::<Option<Vec<ClassSpec>>>();
    unanswered(&drafts, mistakes);
    unused_load(&drafts, &file.traffic.demand.load, mistakes);
    vc_groups(tables, mistakes);
    specs
}

struct Classes<'a, 'f> {
    drafts: &'a [Draft<'a>],
    terminals: Option<u64>,
    files: &'a mut Files<'f>,
    mistakes: &'a mut Diagnostics,
}

impl Classes<'_, '_> {
    fn class(&mut self, draft: &Draft<'_>) -> Option<ClassSpec> {
        let injection = self.injection(draft);
        let pattern = self.pattern(draft);
        let size = self.size(draft);
        Some(ClassSpec {
            name: draft.name.into(),
            pattern: pattern?,
            injection: injection?,
            size: size?,
            priority: draft.own.map_or(0, |own| own.priority),
            deadline: draft.own.and_then(|own| own.deadline),
            lane_group: draft.own.map_or(0, |own| *own.vc_group),
        })
    }

    fn injection(&mut self, draft: &Draft<'_>) -> Option<spec::Injection> {
        let word = draft.demand.injection.as_ref()?.word;
        Some(match draft.injection()? {
            Injection::Bernoulli => spec::Injection::Bernoulli {
                load: self.needed_load(draft, word)?,
            },
            Injection::Constant => spec::Injection::Constant {
                load: self.needed_load(draft, word)?,
            },
            Injection::OnOff { peak, burst } => {
                let load = self.needed_load(draft, word)?;
                self.peak(peak, load);
                spec::Injection::OnOff {
                    load,
                    peak: **peak,
                    burst: *burst as f64,
                }
            }
            Injection::Greedy => spec::Injection::Saturation,
            Injection::Requests {
                outstanding,
                think,
                responses,
            } => spec::Injection::RequestReply {
                outstanding: *outstanding,
                think: *think,
                reply_class: self.response_class(responses.sure()?, &responses.at)?,
            },
            Injection::Responses => spec::Injection::Replies,
            Injection::Trace { file } => {
                let file = self.files.read(file.sure()?, &file.at, self.mistakes)?;
                let list = demand::trace(&file, self.terminals);
                spec::Injection::Trace(self.mistakes.kept(list)?)
            }
        })
    }

    fn needed_load(&mut self, draft: &Draft<'_>, word: &str) -> Option<f64> {
        let load = draft.load();
        if load.is_none() && !draft.has_bad_load() {
            Diagnostic::error(
                "missing-key",
                format!("`load` is missing: `{word}` needs it"),
            )
            .at(draft.place, "no load here")
            .note("it is in flits per cycle and terminal, 0 to 1")
            .help("add `load = 0.3`, or choose the injection `greedy`")
            .tell(self.mistakes);
        }
        load
    }

    /// Bursts have at least the mean load.
    fn peak(&mut self, peak: &Placed<f64>, load: f64) {
        if peak.sure().is_none_or(|peak| *peak >= load) {
            return;
        }
        Diagnostic::error("bad-load", "bursts are below the mean load")
            .at(
                &peak.at,
                format!("the load during bursts is {}", peak.value),
            )
            .note(format!("the mean load is {load}"))
            .help(format!("make `peak` at least {load}"))
            .tell(self.mistakes);
    }

    /// Index of the class that answers.
    fn response_class(&mut self, name: &str, at: &At) -> Option<u8> {
        let known = || self.drafts.iter().map(|draft| draft.name);
        let Some(index) = known().position(|known| known == name) else {
            let help = suggest::did_you_mean(name, known()).unwrap_or_else(|| {
                format!(
                    "add `[[classes]]` with `name = \"{name}\"` and `injection = \"responses\"`"
                )
            });
            Diagnostic::error("unknown-class", format!("there is no class `{name}`"))
                .at(at, "not a class of `[[classes]]`")
                .help(help)
                .tell(self.mistakes);
            return None;
        };
        let injection = self.drafts[index].demand.injection.as_ref()?;
        if !matches!(injection.sure()?, Injection::Responses) {
            Diagnostic::error("bad-class", format!("`{name}` has packets of its own"))
                .at(at, "a class of responses only answers")
                .at(&injection.at, format!("it is `{}`", injection.word))
                .help(format!("give `{name}` the injection `responses`"))
                .tell(self.mistakes);
            return None;
        }
        u8::try_from(index).ok()
    }

    fn pattern(&mut self, draft: &Draft<'_>) -> Option<spec::Pattern> {
        let pattern = draft.demand.pattern.as_ref()?;
        let injection = draft.demand.injection.as_ref();
        let knows = |rule: &&Chosen<Injection>| {
            matches!(rule.value, Injection::Responses | Injection::Trace { .. })
        };
        let Some(injection) = injection.filter(knows) else {
            return demand::pattern(pattern, self.terminals, self.files, self.mistakes);
        };
        // Where these go is known; a pattern of the class itself would be for nothing.
        if let Some(own) = draft.own.filter(|own| own.demand.pattern.is_given) {
            let with = format!("with injection `{}`", injection.word);
            Diagnostic::no_meaning("pattern", with)
                .at(&own.demand.pattern.at, "these packets know where to go")
                .help("leave it out")
                .tell(self.mistakes);
        }
        Some(spec::Pattern::Uniform { include_self: true })
    }

    fn size(&mut self, draft: &Draft<'_>) -> Option<Size> {
        Some(match draft.demand.flits.as_ref()?.sure()? {
            Flits::Fixed { length } => Size::Fixed(*length),
            Flits::Bimodal {
                short,
                long,
                long_share,
            } => Size::Bimodal {
                short: *short,
                long: *long,
                long_per_million: (long_share * MILLION as f64).round() as u32,
            },
            Flits::Weighted { lengths, weights } => {
                let given = (weights.sure()?.as_slice(), &weights.at);
                Size::Weighted(demand::pairs("lengths", lengths, given, self.mistakes)?)
            }
        })
    }
}

fn few_enough(tables: &[Placed<Class>], mistakes: &mut Diagnostics) -> bool {
    let Some(first) = tables.get(MOST) else {
        return true;
    };
    Diagnostic::error("too-large", format!("{} classes of packets", tables.len()))
        .at(&first.at, "one too many")
        .note(format!("at most {MOST} are allowed"))
        .tell(mistakes);
    false
}

fn names_differ(tables: &[Placed<Class>], mistakes: &mut Diagnostics) {
    for (index, table) in tables.iter().enumerate() {
        let Some(name) = table.name.sure() else {
            continue;
        };
        let mut before = tables[..index].iter();
        if let Some(first) = before.find(|other| other.name.sure() == Some(name)) {
            Diagnostic::error("duplicate-name", format!("two classes are called `{name}`"))
                .twice(&table.name.at, &first.name.at)
                .help("give each class a name of its own")
                .tell(mistakes);
        }
    }
}

/// Every class of responses answers the requests of one class.
fn unanswered(drafts: &[Draft<'_>], mistakes: &mut Diagnostics) {
    for draft in drafts {
        let injection = draft.demand.injection.as_ref();
        let Some(own) = injection.filter(|rule| matches!(rule.value, Injection::Responses)) else {
            continue;
        };
        let asked = drafts
            .iter()
            .filter_map(|other| other.injection()?.responses());
        let mut asking = asked.filter(|responses| *responses.value == *draft.name);
        let wrong = match (asking.next(), asking.next()) {
            (Some(_), None) => continue,
            (None, _) => Diagnostic::error("bad-class", format!("`{}` answers nobody", draft.name))
                .at(&own.at, "no class has its responses here")
                .help("add a class with `injection = { kind = \"requests\", responses = .. }`"),
            (Some(first), Some(second)) => {
                let what = format!("`{}` answers two classes", draft.name);
                Diagnostic::error("bad-class", what)
                    .twice(&second.at, &first.at)
                    .help("give each class of requests a class of responses of its own")
            }
        };
        mistakes.push(wrong);
    }
}

/// Loads that no injection uses.
fn unused_load(drafts: &[Draft<'_>], common: &Placed<Option<f64>>, mistakes: &mut Diagnostics) {
    let uses = |draft: &Draft<'_>| match draft.injection() {
        None | Some(Injection::Bernoulli | Injection::Constant | Injection::OnOff { .. }) => true,
        Some(
            Injection::Greedy
            | Injection::Requests { .. }
            | Injection::Responses
            | Injection::Trace { .. },
        ) => false,
    };
    let mut warn = |load: &Placed<Option<f64>>, key: &str, draft: &Draft<'_>| {
        let word = draft.demand.injection.as_ref().map_or("", |rule| rule.word);
        Diagnostic::warning("unused", format!("`{key}` has no effect with `{word}`"))
            .at(&load.at, "not used")
            .help("leave it out, or choose the injection `bernoulli`")
            .tell(mistakes);
    };
    for draft in drafts.iter().filter(|draft| !uses(draft)) {
        match draft.own {
            Some(own) if own.demand.load.is_given => warn(&own.demand.load, "load", draft),
            Some(own) if own.share.is_given => warn(&own.share, "share", draft),
            Some(_) | None => {}
        }
    }
    if let Some(first) = drafts.first()
        && !drafts.iter().any(uses)
        && common.is_given
    {
        warn(common, "load", first);
    }
}

/// Groups of VCs are numbered from 0 without gaps.
fn vc_groups(tables: &[Placed<Class>], mistakes: &mut Diagnostics) {
    let group = |table: &Placed<Class>| *table.vc_group;
    let Some(last) = tables.iter().max_by_key(|table| group(table)) else {
        return;
    };
    if let Some(gap) = (0..group(last)).find(|n| !tables.iter().any(|t| group(t) == *n)) {
        Diagnostic::error("bad-group", format!("no class is in group {gap} of VCs"))
            .at(&last.vc_group.at, "groups below this one are missing")
            .note("groups are numbered from 0 without gaps, and each gets a part of the VCs")
            .help(format!("write `vc_group = {gap}`"))
            .tell(mistakes);
    }
}
