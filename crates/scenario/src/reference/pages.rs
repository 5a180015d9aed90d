//! The reference page of the language.

use crate::given;
use crate::language::suggest;
use crate::language::table::{Choice, Key, Section};
use crate::reference::explain::{default_text, list};

/// Files of the language that have a page: name of the page, its title, what marks such a file.
const PAGES: [(&str, &str, &str); 4] = [
    ("circuits", "Circuits", "packet"),
    ("ethernet", "Switched Ethernet", "ethernet"),
    ("flits", "Networks of flits", "flit"),
    ("comparison", "Comparisons", given::compare::MARK),
];

/// The pages of the reference, by path below `docs/`: the front page, and one for each engine and
/// for comparisons, with every section, key and word of such files.
pub fn reference_pages() -> Vec<(String, String)> {
    let own = PAGES.map(|page| (format!("reference/{}.md", page.0), page_of(page)));
    let mut pages = vec![("reference.md".to_owned(), front())];
    pages.extend(own);
    pages
}

/// The page of this name: `keys` for the front page, else one of [`PAGES`].
pub fn reference_page(name: &str) -> Option<String> {
    match PAGES.iter().find(|(page, ..)| *page == name) {
        Some(page) => Some(page_of(*page)),
        None => (name == "keys").then(front),
    }
}

fn front() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("\n| What is simulated | Written in the file | Keys |\n|---|---|---|\n");
    for (name, title, mark) in PAGES {
        let key = mark_key(mark);
        page.push_str(&format!(
            "| {title} | `{key} = \"{mark}\"` | [all of them](reference/{name}.md) |\n"
        ));
    }
    page.push_str("\n## Words by group\n\n");
    for (group, words) in list() {
        let words = suggest::in_code(words.iter().map(|(word, _)| word), ", ");
        page.push_str(&format!("- **{group}**: {words}\n"));
    }
    page
}

fn page_of((_, title, mark): (&str, &str, &str)) -> String {
    let engine = given::ROOTS.iter().find(|(engine, _)| *engine == mark);
    let root = engine.map_or(given::COMPARISON, |(_, root)| *root);
    let key = mark_key(mark);
    let mut page = format!(
        "# {title}: all keys\n\n{GENERATED}\n\nFiles with `{key} = \"{mark}\"`. How values are \
         written is on the [front page](../reference.md).\n"
    );
    for section in root.below() {
        page.push_str(&section_part(section));
    }
    page
}

fn mark_key(mark: &str) -> &'static str {
    match mark {
        given::compare::MARK => "kind",
        _ => "engine",
    }
}

const GENERATED: &str =
    "<!-- Generated from the key tables of the scenario crate; do not edit. -->";

const INTRODUCTION: &str = "\
# Scenario reference

<!-- Generated from the key tables of the scenario crate; do not edit. -->

A scenario is a TOML file. Quantities are strings with a unit: `\"622 Mbps\"`, `\"50 us\"`,
`\"77.5 cells\"`, `\"6 kB\"`, `\"33 %\"`. They are read exactly as written and rounded half up to
1 ps, 1 bit/s or 1 byte. One cell is the time that `unit.bytes` take at `link.rate`, itself rounded
half up to 1 ps. Unknown keys are errors.

With `engine = \"flit\"` time is counted in cycles: `\"4000 cycles\"`, or the number alone.
Loads are in flits per cycle and terminal. Paths of files start at the folder of the scenario.

With `engine = \"ethernet\"` sizes are bytes of frames, header and FCS included; a threshold in
`%` is a share of the limit of its queue. `S{1..5}` stands for `S1` to `S5`. What a queue has is
said in `[buffer]` and `[flow_control]`, for a class in `[[classes]]`, for a link in `[[links]]`,
for one direction in `forward` and `backward`: the last of these that says something holds.

On the command line, `--set` changes one value: `--set run.seed=2`,
`--set flows.VC1.priority=1`, `--set links.A-S1.delay=\"1 ms\"`, `--set traffic.load=0.4`; `*`
stands for all items of a list, `--set flows.*.priority=1`.
";

fn section_part(section: &Section) -> String {
    let title = match given::is_root(section) {
        true => "The file".into(),
        false => format!("`{}`", section.name),
    };
    let mut text = format!("\n## {title}\n\n{}\n\n", section.about);
    let (repeated, own): (Vec<&Key>, Vec<&Key>) =
        section.keys.iter().partition(|key| key.repeats());
    if !own.is_empty() {
        text.push_str("| key | meaning | allowed | default |\n|---|---|---|---|\n");
        own.iter().for_each(|key| text.push_str(&row(section, key)));
    }
    if !repeated.is_empty() {
        let names = suggest::in_code(repeated.iter().map(|key| key.name), ", ");
        text.push_str(&format!("\nOverrides, where given: {names}.\n"));
    }
    for group in section.groups {
        let keys = suggest::in_code(group.keys, ", ");
        let rule = if group.required {
            "Exactly one"
        } else {
            "At most one"
        };
        let place = match (section.selector, group.only) {
            (Some(selector), [_, ..]) => {
                format!(" (with {} {})", selector.key, group.only.join(", "))
            }
            _ => String::new(),
        };
        text.push_str(&format!("\n{rule} of {keys} may be given{place}.\n"));
    }
    for key in own {
        if let Some(choices) = key.kind.choices() {
            text.push_str(&words(key, choices));
        }
    }
    text
}

fn row(section: &Section, key: &Key) -> String {
    let mut meaning = key.meaning.to_string();
    if let (Some(selector), false) = (section.selector, key.only.is_empty()) {
        meaning.push_str(&format!(
            " Only with {} {}.",
            selector.key,
            key.only.join(", ")
        ));
    }
    if !key.cite.is_empty() {
        meaning.push_str(&format!(" ({})", key.cite));
    }
    let default = match key.default {
        crate::language::table::Default::Is(toml) => format!("`{toml}`"),
        _ => default_text(key),
    };
    let cell = |text: String| text.replace('|', "\\|");
    format!(
        "| `{}` | {} | {} | {} |\n",
        key.name,
        cell(meaning),
        cell(key.kind.facts().summary),
        cell(default)
    )
}

fn words(key: &Key, choices: &[Choice]) -> String {
    let mut text = format!("\n`{}`:\n\n", key.name);
    for choice in choices {
        let cite = if choice.cite.is_empty() {
            String::new()
        } else {
            format!(" ({})", choice.cite)
        };
        text.push_str(&format!("- `{}`: {}{cite}\n", choice.name, choice.meaning));
    }
    text
}
