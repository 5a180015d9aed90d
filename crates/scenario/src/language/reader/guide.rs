//! The way on for who writes a word that is not of the language here.

use crate::language::suggest;
use crate::language::table::Section;

/// What the reader asks beyond the file that it reads.
pub(crate) struct Guide {
    /// What files may hold, by the word for their engine.
    pub files: &'static [(&'static str, &'static Section)],
    /// What the field means by a word that stands in a section of a file with this root.
    pub meant: fn(&str, &'static Section, &'static Section) -> Option<Meant>,
}

/// What a word that is none of ours means to the field.
pub(crate) struct Meant {
    /// A line of help.
    pub help: String,
    /// Whether files for this engine have something for it.
    pub is_here: bool,
    /// The keys of the section at hand that stand for it.
    pub keys: Vec<&'static str>,
}

/// What is told of a key that is unknown.
#[derive(Default)]
pub(super) struct WayOn {
    /// Keys of the same table that may be meant.
    pub keys: Vec<&'static str>,
    pub help: Vec<String>,
}

impl Guide {
    /// Nobody to ask: for tables that a program writes.
    pub(crate) const NONE: &Guide = &Guide {
        files: &[],
        meant: |_, _, _| None,
    };

    /// What may be meant: a key of like letters, the place of this key, or what the field calls so.
    pub(super) fn way_on(
        &self,
        root: &'static Section,
        here: &'static Section,
        name: &str,
    ) -> WayOn {
        let word = (self.meant)(name, root, here);
        let ours = || here.keys.iter().map(|key| key.name);
        let begins = |key: &&str| {
            let rest = key.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with('_'))
        };
        let nearest = suggest::nearest(name, ours()).or_else(|| ours().find(begins));
        let named = word.as_ref().map(|word| word.keys.clone());
        let mut keys = named.unwrap_or_default();
        let mut help = Vec::new();
        if let Some(key) = nearest
            && (keys.is_empty() || keys.contains(&key))
        {
            keys = vec![key];
            help.push(format!("did you mean `{key}`?"));
            if word.as_ref().is_some_and(|word| word.keys.contains(&key)) {
                return WayOn { keys, help };
            }
        }
        let homes = homes(root, here, name);
        if !homes.is_empty() {
            let (top, below): (Vec<&str>, Vec<&str>) =
                homes.iter().partition(|home| **home == root.name);
            let top = top.first().map(|_| "at the top of the file".to_owned());
            let below = (!below.is_empty()).then(|| format!("in {}", suggest::one_of(below)));
            let places: Vec<String> = top.into_iter().chain(below).collect();
            help.push(format!("`{name}` belongs {}", places.join(" or ")));
            return WayOn { keys, help };
        }
        match word {
            Some(word) if word.is_here => help.push(word.help),
            word => {
                let abroad = self.abroad(root, here, name);
                help.extend(abroad.or(word.map(|word| word.help)));
            }
        }
        WayOn { keys, help }
    }

    /// The engine whose files have this word for the same key of a table of this name, and the keys
    /// that it brings there.
    pub(crate) fn choice_abroad(
        &self,
        own: &'static Section,
        here: &Section,
        (key, word): (&str, &str),
    ) -> Option<(&'static str, Vec<&'static str>)> {
        let others = self.files.iter();
        let mut others = others.filter(|(_, root)| !std::ptr::eq(*root, own));
        others.find_map(|(engine, root)| {
            let below = root.below().into_iter();
            let mut like = below.filter(|section| section.name == here.name);
            like.find_map(|section| {
                let choices = section.key(key)?.kind.choices()?;
                choices.iter().find(|choice| choice.name == word)?;
                let keys = section.keys.iter();
                let keys = keys.filter(|key| key.only.contains(&word));
                Some((*engine, keys.map(|key| key.name).collect()))
            })
        })
    }

    /// Where files for another engine have this key.
    fn abroad(&self, own: &'static Section, here: &Section, name: &str) -> Option<String> {
        let mut others = self
            .files
            .iter()
            .filter(|(_, root)| !std::ptr::eq(*root, own));
        others.find_map(|(engine, root)| {
            let homes = homes(root, here, name);
            let place = match homes.contains(&root.name) {
                true => String::new(),
                false => format!(", in {}", suggest::one_of(homes.iter().copied())),
            };
            (!homes.is_empty()).then(|| format!("`{name}` is for `engine = \"{engine}\"`{place}"))
        })
    }
}

/// Names of the sections that have a key of this name.
fn homes(root: &'static Section, here: &Section, name: &str) -> Vec<&'static str> {
    root.below()
        .into_iter()
        .filter(|section| !std::ptr::eq(*section, here))
        .filter(|section| section.key(name).is_some_and(|key| !key.repeats()))
        .map(|section| section.name)
        .take(3)
        .collect()
}
