//! What the tables say about a key, a word or a group of words.

use crate::compare::{Circuits, Control, Gate, Scheme};
use crate::given::circuits::{control, explicit_rate, flows, policing, service, source, traffic};
use crate::given::flits::{network as fabric, router, traffic as fabric_traffic};
use crate::given::frames::flows as frame_flows;
use crate::given::frames::{flow_control, rate_control, scheduler, traffic as frame_traffic};
use crate::given::{self, tcp, topology};
use crate::language::kinds::Form;
use crate::language::suggest;
use crate::language::table::{Choice, Default, Key, Section};
use crate::language::typed::Word;
use crate::reference::{glossary, profiles};

/// Parts of a name that are offered in its place.
const KNOWN_PARTS: usize = 3;
/// No longer name is taken apart.
const LONGEST_PHRASE: usize = 64;

/// A group of words and what each means.
pub type WordGroup = (&'static str, Vec<(&'static str, &'static str)>);

/// Explains a key (`n2`, `link.delay`), a section (`[link]`) or a word (`n23`, `poisson`): what
/// it means, its unit, range and default, where it comes from. Then what the field means by the
/// word, and what we have for that.
///
/// The error says that there is no such thing, and what may have been meant.
pub fn explain(name: &str) -> Result<String, String> {
    let wanted = name.trim();
    let lower = wanted.to_lowercase();
    let sections = [given::sections(), given::COMPARISON.below()];
    // Words of several words are written with one kind of dash or the other.
    let [dashed, underscored, whole] = ["-", "_", ""].map(|dash| joined_by(&lower, dash));
    let mut tries = [wanted, &lower, &dashed, &underscored, &whole]
        .into_iter()
        .flat_map(|name| sections.iter().map(move |sections| told_by(sections, name)))
        .chain(
            sections
                .iter()
                .map(|sections| told_of_overrides(sections, &lower)),
        );
    let parts = tries.find(|parts| !parts.is_empty()).unwrap_or_default();
    // What the field means by it comes first: of several keys of one name each is only a part.
    let mut unique: Vec<String> = glossary::explain(wanted).into_iter().collect();
    let more = scheme_text(&lower).into_iter().chain(profiles_text(&lower));
    for part in parts.into_iter().chain(more) {
        if !unique.contains(&part) {
            unique.push(part);
        }
    }
    if unique.is_empty() {
        Err(unknown(wanted))
    } else {
        Ok(unique.join("\n"))
    }
}

/// Sets of values that a scheme is known by.
fn profiles_text(wanted: &str) -> Option<String> {
    (wanted == "dcqcn").then(profiles::dcqcn_text)
}

/// What these sections say of it.
fn told_by(sections: &[&'static Section], wanted: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for &section in sections {
        if is_section(section, wanted) {
            parts.push(section_text(section));
        }
        for key in section.keys {
            if key_matches(section, key, wanted) && !given::is_told(section, key) {
                parts.push(key_text(section, key));
            }
            if let Some(choices) = key.kind.choices()
                && !key.repeats()
                && !given::is_told(section, key)
            {
                let named = choices.iter().find(|choice| choice.name == wanted);
                parts.extend(named.map(|choice| choice_text(section, key, choice)));
            }
        }
    }
    parts
}

/// The same of keys that stand only in tables that override another.
fn told_of_overrides(sections: &[&'static Section], wanted: &str) -> Vec<String> {
    let keys = sections.iter().filter_map(|section| {
        let key = section.key(wanted)?;
        Some(key_text(section, key))
    });
    keys.collect()
}

/// Words of schemes of `backwater compare`.
fn scheme_words() -> impl Iterator<Item = &'static Choice> {
    let frames = Control::WORDS.iter().chain(Gate::WORDS);
    Circuits::WORDS.iter().chain(frames)
}

/// A scheme of `backwater compare`, whatever else the word means.
fn scheme_text(wanted: &str) -> Option<String> {
    let choice = scheme_words().find(|choice| choice.name == wanted);
    let meaning = match choice {
        Some(choice) => choice.meaning.to_string(),
        None => Scheme::of_name(wanted)?.note(),
    };
    Some(format!(
        "{wanted} (scheme of `backwater compare`)\n  {meaning}\n\n  compare it   --only {wanted}\n",
    ))
}

/// All words of the language, by group; the group says for which engine.
pub fn list() -> Vec<WordGroup> {
    let group = |name, choices: &'static [Choice]| {
        (
            name,
            choices
                .iter()
                .map(|choice| (choice.name, choice.meaning))
                .collect(),
        )
    };
    vec![
        group("circuits of compare", Circuits::WORDS),
        group("controls of compare", Control::WORDS),
        group("gates of compare", Gate::WORDS),
        group("packet flow control", control::ControlKind::WORDS),
        group("packet traffic", traffic::Traffic::WORDS),
        group("packet source controls", source::SourceControl::WORDS),
        group("packet use-it-or-lose-it policies", source::Uili::WORDS),
        group("packet explicit rates", explicit_rate::ExplicitRate::WORDS),
        group("packet sinks", traffic::Sink::WORDS),
        group("packet schedulers", service::Scheduler::WORDS),
        group("packet envelopes", policing::Conformance::WORDS),
        group("packet answers to alarms", policing::OnAlarm::WORDS),
        group("packet measures", flows::SeriesMeasure::WORDS),
        group(
            "packet and ethernet topologies",
            topology::TopologyKind::WORDS,
        ),
        group(
            "packet and ethernet patterns",
            topology::PatternsKind::WORDS,
        ),
        group("flit topologies", fabric::TopologyKind::WORDS),
        group("flit routing", fabric::RoutingKind::WORDS),
        group("flit switches", router::RouterKind::WORDS),
        group("flit allocators", router::Allocator::WORDS),
        group("flit arbiters", router::Arbiter::WORDS),
        group("flit sources", fabric_traffic::Sources::WORDS),
        group("flit patterns", fabric_traffic::Pattern::WORDS),
        group("flit injections", fabric_traffic::Injection::WORDS),
        group("flit packet sizes", fabric_traffic::Flits::WORDS),
        group("ethernet flow control", flow_control::FlowControl::WORDS),
        group("ethernet schedulers", scheduler::Scheduler::WORDS),
        group("ethernet notification", flow_control::Notify::WORDS),
        group("ethernet protocols", frame_flows::Transport::WORDS),
        group("ethernet rate controls", rate_control::RateControl::WORDS),
        group("ethernet traffic", frame_traffic::TrafficKind::WORDS),
        group("ethernet measures", frame_flows::SeriesKind::WORDS),
        group("packet and ethernet tcp presets", tcp::Preset::WORDS),
    ]
}

fn bare(section: &Section) -> &'static str {
    section.name.trim_matches(['[', ']'])
}

fn is_section(section: &Section, wanted: &str) -> bool {
    bare(section) == wanted.trim_matches(['[', ']'])
}

/// A bare name means every key so called that says something of its own; overrides repeat others.
fn key_matches(section: &Section, key: &Key, wanted: &str) -> bool {
    if let Some((table, name)) = wanted.rsplit_once('.') {
        return key.name == name && bare(section) == table.trim_matches(['[', ']']);
    }
    let section_too = given::sections()
        .iter()
        .any(|section| is_section(section, wanted));
    key.name == wanted && !section_too && !key.repeats()
}

/// The section's name, with its engine where that matters to the key.
fn place(section: &Section, key: &Key) -> String {
    let all = given::sections();
    let mut others = all
        .iter()
        .filter(|other| other.name == section.name && !std::ptr::eq(**other, section));
    let shared = others.any(|other| {
        let same = other.key(key.name);
        same.is_some_and(|same| same.is_same(key))
    });
    if shared {
        section.name.into()
    } else {
        given::title(section)
    }
}

fn section_text(section: &Section) -> String {
    let mut text = format!("{}\n  {}\n\n", given::title(section), section.about);
    text.push_str(&meanings(section.keys.iter().map(of_key)));
    text
}

fn of_key(key: &Key) -> (&str, &str) {
    (key.name, key.meaning)
}

/// A line for each name, with what it means, in columns.
fn meanings<'a>(all: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let width = all.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = all.map(|(name, meaning)| format!("  {name:width$}  {meaning}\n"));
    lines.collect()
}

fn key_text(section: &Section, key: &Key) -> String {
    let mut text = format!(
        "{} in {}\n  {}\n\n",
        key.name,
        place(section, key),
        key.meaning
    );
    for (what, value) in facts(section, key) {
        text.push_str(&format!("  {what:9}  {value}\n"));
    }
    if let Some(choices) = key.kind.choices() {
        let all = choices.iter().map(|choice| (choice.name, choice.meaning));
        text.push('\n');
        text.push_str(&meanings(all));
    }
    text
}

/// Everything else the tables know of a key.
pub(crate) fn facts(section: &Section, key: &Key) -> Vec<(&'static str, String)> {
    let told = key.kind.facts();
    let mut facts = vec![
        ("kind", told.noun),
        ("allowed", told.allowed),
        ("default", default_text(key)),
        ("example", key.example()),
    ];
    if key.kind.choices().is_some() {
        facts[0].1 = "a word".into();
    }
    if key.kind.short_key().is_some() {
        facts[1].1 = told.summary;
    }
    if key.kind.form() != Form::Value {
        facts.retain(|(what, _)| *what != "example");
    }
    if let (Some(selector), false) = (section.selector, key.only.is_empty()) {
        facts.push((
            "only with",
            format!("{} {}", selector.key, key.only.join(", ")),
        ));
    }
    if !key.cite.is_empty() {
        facts.push(("source", key.cite.into()));
    }
    facts
}

/// The default in words.
pub(crate) fn default_text(key: &Key) -> String {
    match key.default {
        Default::Required => "none: it must be given".into(),
        Default::Is(toml) => toml.into(),
        Default::Derived(words) => words.into(),
    }
}

fn choice_text(section: &Section, key: &Key, choice: &Choice) -> String {
    let mut text = format!(
        "{} ({} in {})\n  {}\n\n  write it   {} = \"{}\"\n",
        choice.name,
        key.name,
        place(section, key),
        choice.meaning,
        key.name,
        choice.name
    );
    if !choice.cite.is_empty() {
        text.push_str(&format!("  source     {}\n", choice.cite));
    }
    let own = section.keys.iter();
    let own = meanings(
        own.filter(|key| key.only.contains(&choice.name))
            .map(of_key),
    );
    if !own.is_empty() {
        text.push_str("\n  its keys\n");
        text.push_str(&own);
    }
    text
}

/// The words of a name with this between them, in place of spaces and dashes.
fn joined_by(name: &str, dash: &str) -> String {
    let words = name.split([' ', '-', '_']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(dash)
}

/// Of a name of several words, the parts that are known by themselves, the longest first.
fn known_parts(wanted: &str, known: &[&str]) -> Vec<String> {
    let words: Vec<&str> = wanted.split([' ', '-', '_', '/']).collect();
    let mut parts: Vec<String> = Vec::new();
    for length in (1..words.len()).rev() {
        for run in words.windows(length) {
            let part = run.join(" ").to_lowercase();
            let is_known = known.contains(&part.as_str()) || glossary::find(&part).is_some();
            let is_new = !parts.iter().any(|longer| longer.contains(&part));
            if part.len() > 2 && is_known && is_new {
                parts.push(part);
            }
        }
    }
    parts.truncate(KNOWN_PARTS);
    parts
}

fn unknown(wanted: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    for section in [given::sections(), given::COMPARISON.below()].concat() {
        known.push(bare(section));
        for key in section.keys {
            known.push(key.name);
            if let Some(choices) = key.kind.choices() {
                known.extend(choices.iter().map(|choice| choice.name));
            }
        }
    }
    known.extend(scheme_words().map(|choice| choice.name));
    known.extend(glossary::known());
    let parts = match wanted.len() <= LONGEST_PHRASE {
        true => known_parts(wanted, &known),
        false => Vec::new(),
    };
    let hint = match suggest::nearest(wanted, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if !parts.is_empty() => format!("there is {}", suggest::all_of(parts)),
        None => "`list` shows the words, and a section such as `link` shows its keys".into(),
    };
    format!(
        "there is no key or word `{}`: {hint}",
        crate::language::reader::clip(wanted)
    )
}
