//! The language as types: every table and key, once.
//!
//! A struct or an enum with doc comments is a table; what derives from it describes the language
//! (`TABLE`) and holds what a file gives (`read`).
//!
//! A line here says what a file may hold and turns words into settings of an engine; it may touch
//! `language`. The next key is a field with a doc comment, the next table a type: `circuits`,
//! `frames`, `flits` for one kind, a file beside them for what several have.

pub(crate) mod circuits;
pub(crate) mod compare;
pub(crate) mod flits;
pub(crate) mod frames;
pub(crate) mod outages;
pub(crate) mod sweep;
pub(crate) mod tcp;
pub(crate) mod topology;
pub(crate) mod usual;

use backwater_derive::{table, word};

use crate::language::source::At;
use crate::language::suggest;
use crate::language::table::{Choice, Key, Section};
use crate::language::tree::{Node, Value};
use crate::language::typed::{Table, Word};

use self::circuits::PacketFile;
use self::compare::ComparisonFile;
use self::flits::FlitFile;
use self::frames::EthernetFile;

/// A name and where it stands.
pub(crate) type Named = (String, At);

/// The whole file, for the packet engine.
pub(crate) const PACKET: &Section = PacketFile::TABLE;
/// The whole file, for the flit engine.
pub(crate) const FLIT: &Section = FlitFile::TABLE;
/// The whole file, for the Ethernet engine.
pub(crate) const ETHERNET: &Section = EthernetFile::TABLE;
/// The whole file of a comparison.
pub(crate) const COMPARISON: &Section = ComparisonFile::TABLE;

/// What a file says of itself, whatever runs it.
#[table(part)]
pub(crate) struct Heading {
    /// Title of the report.
    #[key(default = "\"\"")]
    pub title: String,
    /// What the scenario shows, in a sentence or two.
    #[key(default = "\"\"")]
    pub about: String,
}

/// The engines.
#[word]
pub(crate) enum Engine {
    /// Event-driven, integer picoseconds; cells, frames and packets on links with delay.
    Packet,
    /// Cycle by cycle; wormhole networks with virtual channels, flit by flit.
    Flit,
    /// Event-driven, integer picoseconds; switched Ethernet with PAUSE, PFC, TCP and UDP.
    Ethernet,
}

/// The engines, with the one to show as an example first.
const FLIT_FIRST: &[Choice] = &[Engine::WORDS[1], Engine::WORDS[0], Engine::WORDS[2]];
const ETHERNET_FIRST: &[Choice] = &[Engine::WORDS[2], Engine::WORDS[0], Engine::WORDS[1]];

/// What a file may hold for each of the engines.
pub(crate) const ROOTS: [(&str, &Section); 3] =
    [("packet", PACKET), ("flit", FLIT), ("ethernet", ETHERNET)];

/// Is the engine none that a word of ours is near to? Then nobody knows what the file may hold.
pub(crate) fn is_of_no_engine(file: &Node) -> bool {
    let engine = file.get("engine").map(|node| &node.value);
    let near = |word: &str| suggest::nearest(word, ROOTS.iter().map(|(word, _)| *word));
    match engine {
        Some(Value::Text(word)) => near(word).is_none(),
        engine => engine.is_some(),
    }
}

/// Does the file neither name an engine nor hold the tables that every file of circuits has? Then
/// nobody knows for which engine it is begun.
pub(crate) fn is_of_unknown_engine(file: &Node) -> bool {
    let lacks = |key| file.get(key).is_none();
    lacks("engine") && (lacks("run") || lacks("link")) && std::ptr::eq(root_of(file), PACKET)
}

/// What this file may hold: the engine says, or the keys that only files for one engine have.
pub(crate) fn root_of(file: &Node) -> &'static Section {
    let word = match file.get("engine").map(|node| &node.value) {
        Some(Value::Text(word)) => suggest::nearest(word, ROOTS.iter().map(|(word, _)| *word)),
        _ => None,
    };
    if let Some((_, root)) = ROOTS.iter().find(|(engine, _)| Some(*engine) == word) {
        return root;
    }
    let fewest = ROOTS.iter().min_by_key(|(_, root)| unknown(root, file));
    fewest.map_or(PACKET, |(_, root)| *root)
}

/// How many keys of a table, and of the tables in it, this section has not; lists left out.
fn unknown(section: &Section, table: &Node) -> usize {
    let entries = table.table().iter();
    let each = entries.map(|entry| match section.key(&entry.key) {
        None => 1,
        Some(key) => key
            .kind
            .section()
            .map_or(0, |below| unknown(below, &entry.node)),
    });
    each.sum()
}

/// Every section, in the order of the reference.
pub(crate) fn sections() -> Vec<&'static Section> {
    let mut all = Vec::new();
    for (_, root) in ROOTS {
        root.add_below(&mut all);
    }
    all
}

/// Is it in comparisons, and in no scenario?
pub(crate) fn is_of_comparisons(section: &Section) -> bool {
    let mut all = COMPARISON.below().into_iter();
    all.any(|known| std::ptr::eq(known, section))
}

/// The engine whose files have this section; `None` if those of all.
pub(crate) fn engine_of(section: &Section) -> Option<&'static str> {
    let has = |root: &'static Section| {
        let mut below = root.below().into_iter();
        below.any(|known| std::ptr::eq(known, section))
    };
    let mut engines = ROOTS.iter().filter(|(_, root)| has(root));
    match (engines.next(), engines.next()) {
        (Some((engine, _)), None) => Some(engine),
        _ => None,
    }
}

/// Is it the file itself, not a table in it?
pub(crate) fn is_root(section: &Section) -> bool {
    let mut roots = ROOTS.iter().map(|(_, root)| *root);
    std::ptr::eq(section, COMPARISON) || roots.any(|root| std::ptr::eq(root, section))
}

/// Its name, with the engine where another engine has a different section of that name.
pub(crate) fn title(section: &Section) -> String {
    if is_of_comparisons(section) {
        return format!("{} (comparison)", section.name);
    }
    let mut named = sections().into_iter().filter(|s| s.name == section.name);
    match engine_of(section) {
        Some(engine) if named.nth(1).is_some() => format!("{} ({engine} engine)", section.name),
        _ => section.name.into(),
    }
}

/// Does a section of this name, of an engine before, have the same key?
pub(crate) fn is_told(section: &Section, key: &Key) -> bool {
    let before = sections();
    let mut before = before
        .iter()
        .take_while(|known| !std::ptr::eq(**known, section))
        .filter(|known| known.name == section.name);
    before.any(|known| {
        let same = known.key(key.name);
        same.is_some_and(|same| same.is_same(key))
    })
}
