//! Configurations of switches that run SONiC: `config_db.json` in all of its forms, and
//! `pg_profile_lookup.ini`. As plain entries; what they mean is not decided here.

pub mod config;
pub mod lookup;

use crate::text::lines;

/// Which of the two a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Tables of a configuration: all of them, or those of buffers or of queues apart.
    Config,
    /// Headroom by rate and length of cable.
    Lookup,
}

/// Beginnings of templates that make a configuration.
const TEMPLATE: [&str; 3] = ["{%", "{{", "{#"];

impl Kind {
    /// By what stands at its beginning; `None` if it is neither.
    pub fn of(text: &str) -> Option<Self> {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if TEMPLATE.iter().any(|mark| start.starts_with(mark)) {
            return Some(Self::Config);
        }
        if start.starts_with(['{', '[']) {
            let name = start.split('"').nth(1)?;
            let table = name.split(['|', ':']).next()?;
            let is_table = table.len() > 1 && is_table(table);
            return is_table.then_some(Self::Config);
        }
        let (_, first) = lines(text).next()?;
        let words: Vec<&str> = first.split_whitespace().collect();
        let is_length = |word: &str| word.strip_suffix('m').is_some_and(is_number);
        let is_row = words.len() > 4 && is_number(words[0]) && is_length(words[1]);
        is_row.then_some(Self::Lookup)
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit())
}

/// Names of tables have no small letters.
fn is_table(name: &str) -> bool {
    let fits = |c: u8| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_';
    name.bytes().all(fits) && name.bytes().any(|c| c.is_ascii_uppercase())
}

/// Where a part of a text stands in it, bytes.
fn span_of(text: &str, part: &str) -> std::ops::Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_told_by_the_beginning() {
        let kinds = [
            ("{\"PORT\": {}}", Some(Kind::Config)),
            ("{\"PORT|Ethernet0\": {}}", Some(Kind::Config)),
            (
                "[{\"PORT_TABLE:Ethernet0\": {}, \"OP\": \"SET\"}]",
                Some(Kind::Config),
            ),
            ("{%- set x = 1 %}", Some(Kind::Config)),
            ("# speed cable\n\n100000 5m 1 2 3 -2\n", Some(Kind::Lookup)),
            ("{\"nodes\": []}", None),
            ("{}", None),
            ("2 1 1\n1\n0 1 1Gbps 1us 0\n", None),
            ("5 m 1 2 3 4", None),
            ("", None),
        ];
        for (text, kind) in kinds {
            assert_eq!(Kind::of(text), kind, "{text}");
        }
    }
}
