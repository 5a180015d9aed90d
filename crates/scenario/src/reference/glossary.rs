//! The field's words, and what we have for each: `glossary.toml`, read once.
//!
//! `explain`, the help of diagnostics and `docs/glossary.md` come from it. What its texts name in
//! backticks is held against the language by the tests of `names`, so that no key can be renamed
//! behind its back.

mod names;
mod page;

use std::sync::OnceLock;

use serde::Deserialize;

use crate::given;
use crate::language::reader::{Guide, Meant, clip};
use crate::language::suggest::joined;
use crate::language::table::Section;

pub use page::glossary_markdown;

/// The groups, in the order of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    networks_on_chip: Vec<Word>,
    lossless_ethernet: Vec<Word>,
    quality_of_service: Vec<Word>,
    transport: Vec<Word>,
    atm: Vec<Word>,
    the_tool: Vec<Word>,
}

/// A word of the field.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Word {
    /// What it is called; the first is its title.
    names: Vec<String>,
    /// What it is.
    is: String,
    /// What all engines have.
    any: Option<String>,
    packet: Option<String>,
    ethernet: Option<String>,
    flit: Option<String>,
    compare: Option<String>,
    /// What there is not, and what comes nearest.
    missing: Option<String>,
    /// Its page, below `docs/`.
    page: Option<String>,
}

/// The file's words by group.
fn groups() -> &'static [(&'static str, Vec<Word>)] {
    static GROUPS: OnceLock<Vec<(&str, Vec<Word>)>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        // A test reads it, so at run time it can be read.
        let Ok(file) = read() else {
            return Vec::new();
        };
        vec![
            ("Networks on chip and interconnects", file.networks_on_chip),
            ("Ethernet, RoCE and data centres", file.lossless_ethernet),
            ("Quality of service and TSN", file.quality_of_service),
            ("Transport and traffic", file.transport),
            ("ATM", file.atm),
            ("Runs and results", file.the_tool),
        ]
    })
}

fn read() -> Result<File, toml::de::Error> {
    toml::from_str(include_str!("glossary.toml"))
}

/// All of them.
fn words() -> impl Iterator<Item = &'static Word> {
    groups().iter().flat_map(|(_, words)| words)
}

/// All their names.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    words().flat_map(|word| word.names.iter().map(String::as_str))
}

/// The word of this name; case, dashes, dots, spaces and a plural's s do not count.
pub(crate) fn find(name: &str) -> Option<&'static Word> {
    if name.len() > LONGEST {
        return None;
    }
    let wanted = folded(name);
    let singular = wanted.strip_suffix('s').filter(|rest| rest.len() > 2);
    let called = |wanted: &str| words().find(|word| word.is_called(wanted));
    called(&wanted).or_else(|| called(singular?))
}

/// No name is longer than this, in bytes.
const LONGEST: usize = 64;

fn folded(name: &str) -> String {
    let letters = name.chars().filter(|c| !"-_. ".contains(*c));
    letters.flat_map(char::to_lowercase).collect()
}

impl Word {
    fn is_called(&self, folded_name: &str) -> bool {
        self.names.iter().any(|name| folded(name) == folded_name)
    }

    fn title(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// What files for this engine have for it.
    fn have(&self, engine: &str) -> Option<String> {
        let own = match engine {
            "packet" => &self.packet,
            "ethernet" => &self.ethernet,
            "flit" => &self.flit,
            "compare" => &self.compare,
            _ => &None,
        };
        own.as_deref().map(joined)
    }

    /// What there is for it, each with the files that have it: the engine's word, `all` or `no`.
    fn answers(&self) -> Vec<(&'static str, String)> {
        let mut answers: Vec<(&'static str, String)> = Vec::new();
        answers.extend(self.any.as_deref().map(|text| ("all", joined(text))));
        for engine in ["packet", "ethernet", "flit", "compare"] {
            answers.extend(self.have(engine).map(|text| (engine, text)));
        }
        answers.extend(self.missing.as_deref().map(|text| ("no", joined(text))));
        answers
    }

    /// A line of help for a file of this engine whose author wrote `name`.
    fn help(&self, name: &str, engine: &str) -> String {
        let here = self.have(engine);
        let here = here.or_else(|| self.any.as_deref().map(joined));
        let missing = self.missing.as_deref().map(joined);
        let answer = match (here, missing) {
            (Some(here), None) => here,
            (Some(here), Some(missing)) => format!("{here} Not here: {missing}"),
            (None, Some(missing)) => return ended(format!("`{name}` is not here: {missing}")),
            (None, None) => {
                let others = self.answers();
                let others = others.iter().map(|(engine, text)| match *engine {
                    "compare" => format!("in a comparison {text}"),
                    engine => format!("with `engine = \"{engine}\"` {text}"),
                });
                others.collect::<Vec<_>>().join(" ")
            }
        };
        ended(format!("`{name}` in our words: {answer}"))
    }

    /// Keys of this section that the text for this engine names: what its author means.
    fn keys_in(&self, engine: &str, section: &'static Section) -> Vec<&'static str> {
        let text = self.have(engine).unwrap_or_default();
        let named = names::quoted(&text).into_iter();
        let paths = named.filter_map(|name| names::key_of(name, engine));
        paths
            .filter(|(home, _)| std::ptr::eq(*home, section))
            .map(|(_, key)| key.name)
            .collect()
    }
}

/// Lines of help end without a full stop.
fn ended(text: String) -> String {
    text.trim_end_matches('.').to_string()
}

/// What the reader of files asks.
pub(crate) const GUIDE: Guide = Guide {
    files: &given::ROOTS,
    meant,
};

/// What the field means by a word that stands in a section of a file with this root.
pub(crate) fn meant(
    name: &str,
    root: &'static Section,
    section: &'static Section,
) -> Option<Meant> {
    let word = find(name)?;
    let mut roots = given::ROOTS.iter();
    let engine = roots.find(|(_, known)| std::ptr::eq(*known, root));
    let engine = engine.map_or("compare", |(engine, _)| engine);
    Some(Meant {
        help: word.help(&clip(name), engine),
        is_here: word.have(engine).is_some(),
        keys: word.keys_in(engine, section),
    })
}

/// What `explain` says of it.
pub(crate) fn explain(name: &str) -> Option<String> {
    let word = find(name)?;
    let (title, others) = word.names.split_first()?;
    let mut text = format!("{title} (in the field)\n  {}\n\n", joined(&word.is));
    for (engine, answer) in word.answers() {
        let label = match engine {
            "compare" => "comparison",
            "no" => "not here",
            other => other,
        };
        text.push_str(&format!("  {label:10}  {answer}\n"));
    }
    if !others.is_empty() {
        text.push_str(&format!("  {:10}  {}\n", "also", others.join(", ")));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_file_can_be_read() {
        if let Err(error) = read() {
            panic!("glossary.toml: {error}");
        }
        assert!(words().count() > 100);
    }

    #[test]
    fn no_name_means_two_things() {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for word in words() {
            for name in &word.names {
                assert!(name.len() <= LONGEST, "{name} is too long to be found");
                let before = seen.insert(folded(name), word.title());
                assert_eq!(before, None, "{name} stands twice, for {}", word.title());
            }
        }
    }

    #[test]
    fn every_word_has_an_answer_and_every_answer_a_name() {
        for word in words() {
            let title = word.title();
            assert!(!title.is_empty() && word.is.len() >= 16, "{title}");
            assert!(!word.answers().is_empty(), "{title} has no answer");
            for (engine, text) in word.answers() {
                let ends = text.ends_with(['.', ')', ':']);
                assert!(ends, "{title}, {engine}: no sentence: {text}");
            }
        }
    }

    #[test]
    fn words_are_found_however_they_are_written() {
        let title = |name: &str| find(name).map(Word::title);
        assert_eq!(title("VC"), Some("virtual channel"));
        assert_eq!(title("num_vcs"), Some("virtual channel"));
        assert_eq!(title("Virtual-Channels"), Some("virtual channel"));
        assert_eq!(title("802.1Qbb"), Some("pfc"));
        assert_eq!(title("leafspine"), Some("leaf-spine"));
        assert_eq!(title("nonsense"), None);
        assert_eq!(title(&"vc".repeat(1000)), None);
    }

    #[test]
    fn what_people_type_first_is_there() {
        let typed = "vc,virtual channel,num_vcs,vc_buf_size,lane,xoff,xon,pfc,pause,cbfc,\
            injection_rate,packet_size,cmesh,leaf-spine,clos,incast,fct,slowdown,roce,rdma,dcqcn,\
            tsn,qbv,cbs,priority,station,terminal,nic,buffer,headroom,ecmp,red,wred,wormhole,\
            credit,deadlock,livelock,escape,dateline,valiant,dragonfly,fat-tree,torus,arbiter,\
            crossbar,speedup,hol blocking,backpressure,802.3x,802.1Qbb,802.1Qau,qcn,ets,dwrr,wfq,\
            ats,tas,frer,gptp,hpcc,timely,swift,ecn,ce,cnp,int,mtu,mss,rto,sack,cubic,reno,bbr,\
            abr,er,efci,rm cell,gcra,vbr,cbr,web search,queue length,queue depth,queue size,\
            packet loss,loss,loss rate,retransmission,hops,hop count,window size,watermark,radix,\
            hop-by-hop,end-to-end,backwater,compare,plot,check,map,link.speed,inside,acked,ratio,\
            offered,kept,trace hash,n23-class";
        for name in typed.split(',') {
            assert!(crate::explain(name.trim()).is_ok(), "nothing on {name}");
        }
    }
}
