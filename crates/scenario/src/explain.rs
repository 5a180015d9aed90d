//! What the tables say about a key, a word or a group of words.

use crate::glossary;
use crate::keys::control::SCHEMES;
use crate::keys::{
    self, abr, ethernet, ethernet_flows, ethernet_pressure, ethernet_tcp, explicit_rate, fabric,
    fabric_traffic, flows, network, router, service, traffic,
};
use crate::suggest;
use crate::table::{Choice, Default, Key, Kind, Section};

/// A group of words and what each means.
pub type WordGroup = (&'static str, Vec<(&'static str, &'static str)>);

/// Explains a key (`n2`, `link.delay`), a section (`[link]`) or a word (`n23`, `poisson`): what
/// it means, its unit, range and default, where it comes from. Then what the field means by the
/// word, and what we have for that.
///
/// The error says that there is no such thing, and what may have been meant.
pub fn explain(name: &str) -> Result<String, String> {
    let wanted = name.trim();
    let mut parts = told_by(&keys::sections(), wanted);
    if parts.is_empty() {
        parts = told_by(&keys::sections_of_comparisons(), wanted);
    }
    let mut unique: Vec<String> = Vec::new();
    for part in parts {
        if !unique.contains(&part) {
            unique.push(part);
        }
    }
    // What the field means by it may be more, or another thing.
    unique.extend(glossary::explain(wanted));
    if unique.is_empty() {
        Err(unknown(wanted))
    } else {
        Ok(unique.join("\n"))
    }
}

/// What these sections say of it.
fn told_by(sections: &[&'static Section], wanted: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for &section in sections {
        if is_section(section, wanted) {
            parts.push(section_text(section));
        }
        for key in section.keys {
            if key_matches(section, key, wanted) && !keys::is_told(section, key) {
                parts.push(key_text(section, key));
            }
            if let Kind::Choice(choices) = key.kind
                && !key.repeats()
                && !keys::is_told(section, key)
            {
                let named = choices.iter().find(|choice| choice.name == wanted);
                parts.extend(named.map(|choice| choice_text(section, key, choice)));
            }
        }
    }
    parts
}

/// All words of the language, by group.
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
        group("schemes", SCHEMES),
        group("traffic", traffic::TRAFFICS),
        group("source controls", traffic::SOURCE_CONTROLS),
        group("use-it-or-lose-it policies", abr::UILIS),
        group("explicit rates", explicit_rate::EXPLICIT_RATES),
        group("sinks", traffic::SINKS),
        group("schedulers", service::SCHEDULERS),
        group("envelopes", service::ENVELOPES),
        group("answers to alarms", service::ALARMS),
        group("topologies", network::TOPOLOGIES),
        group("patterns", flows::PATTERN_KINDS),
        group("measures", flows::MEASURES),
        group("flit topologies", fabric::TOPOLOGIES),
        group("flit routing", fabric::ROUTINGS),
        group("flit switches", router::SWITCHES),
        group("flit allocators", router::ALLOCATORS),
        group("flit arbiters", router::ARBITERS),
        group("flit sources", fabric_traffic::SOURCES),
        group("flit patterns", fabric_traffic::PATTERNS),
        group("flit injections", fabric_traffic::INJECTIONS),
        group("flit packet sizes", fabric_traffic::SIZES),
        group("ethernet topologies", ethernet::TOPOLOGIES),
        group("ethernet back-pressure", ethernet_pressure::SCHEMES),
        group("ethernet notification", ethernet_pressure::NOTIFIES),
        group("ethernet protocols", ethernet_flows::TRANSPORTS),
        group("ethernet traffic", ethernet_flows::TRAFFICS),
        group("ethernet patterns", ethernet_flows::PATTERN_KINDS),
        group("ethernet measures", ethernet_flows::MEASURES),
        group("tcp presets", ethernet_tcp::PRESETS),
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
    let section_too = keys::sections()
        .iter()
        .any(|section| is_section(section, wanted));
    key.name == wanted && !section_too && !key.repeats()
}

/// The section's name, with its engine where that matters to the key.
fn place(section: &Section, key: &Key) -> String {
    let all = keys::sections();
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
        keys::title(section)
    }
}

fn section_text(section: &Section) -> String {
    let mut text = format!("{}\n  {}\n\n", keys::title(section), section.about);
    let width = section
        .keys
        .iter()
        .map(|key| key.name.len())
        .max()
        .unwrap_or(0);
    for key in section.keys {
        text.push_str(&format!("  {:width$}  {}\n", key.name, key.meaning));
    }
    text
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
    if let Kind::Choice(choices) = key.kind {
        let width = choices
            .iter()
            .map(|choice| choice.name.len())
            .max()
            .unwrap_or(0);
        text.push('\n');
        for choice in choices {
            text.push_str(&format!("  {:width$}  {}\n", choice.name, choice.meaning));
        }
    }
    text
}

/// Everything else the tables know of a key.
pub(crate) fn facts(section: &Section, key: &Key) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("kind", key.kind.noun()),
        ("allowed", key.kind.allowed()),
        ("default", default_text(key)),
        ("example", key.example()),
    ];
    match key.kind {
        Kind::Choice(_) => facts[0].1 = "a word".into(),
        Kind::Short(..) => facts[1].1 = short(key),
        Kind::Table(_) | Kind::Tables(_) => facts.retain(|(what, _)| *what != "example"),
        _ => {}
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

/// What may stand for a table that may be written short.
pub(crate) fn short(key: &Key) -> String {
    let alone = match key.kind.short_key().map(|key| key.kind) {
        Some(Kind::Choice(_)) => "a word".into(),
        Some(kind) => kind.allowed(),
        None => String::new(),
    };
    let table = key.kind.section().map_or("", |section| section.name);
    format!("{alone}, or a table: see `{table}`")
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
    let own: Vec<&Key> = section
        .keys
        .iter()
        .filter(|other| other.only.contains(&choice.name))
        .collect();
    if !own.is_empty() {
        let width = own.iter().map(|key| key.name.len()).max().unwrap_or(0);
        text.push_str("\n  its keys\n");
        for key in own {
            text.push_str(&format!("  {:width$}  {}\n", key.name, key.meaning));
        }
    }
    text
}

fn unknown(wanted: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    for section in [keys::sections(), keys::sections_of_comparisons()].concat() {
        known.push(bare(section));
        for key in section.keys {
            known.push(key.name);
            if let Kind::Choice(choices) = key.kind {
                known.extend(choices.iter().map(|choice| choice.name));
            }
        }
    }
    known.extend(glossary::known());
    let hint = match suggest::nearest(wanted, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`list` shows the words, and a section such as `link` shows its keys".into(),
    };
    format!(
        "there is no key or word `{}`: {hint}",
        crate::reader::clip(wanted)
    )
}
