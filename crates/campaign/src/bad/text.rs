//! Ways to spoil a file as text: lines, characters, bytes.

use crate::random::Random;

const PIECES: &[&str] = &[
    "\u{0}",
    "\u{1b}[2J",
    "\u{feff}",
    "\u{202e}",
    "\u{2028}",
    "é",
    "𝄞",
    "\r",
    "\t",
    "\"\"\"",
    "'''",
    "[",
    "]",
    "{",
    "}",
    "=",
    "#",
    ",",
    ".",
    "\\",
    "\"",
    "'",
    "\\u0000",
    "\\x",
    "1979-05-27",
    "[[",
    "]]",
    "[a.b.c]\n",
    "= =\n",
    "a = 1\na = 2\n",
    "[run]\n",
    "[[flows]]\n",
    "nan",
    "-inf",
    "0o7",
    "99999999999999999999999999",
];

/// Does something to the bytes and says what.
pub fn spoil(bytes: &mut Vec<u8>, donor: &str, random: &mut Random) -> &'static str {
    match random.below(14) {
        0 => lines(bytes, random, "a line gone", |lines, at, _| {
            lines.remove(at);
        }),
        1 => lines(bytes, random, "a line twice", |lines, at, _| {
            lines.insert(at, lines[at].clone());
        }),
        2 => lines(bytes, random, "lines swapped", |lines, at, random| {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }),
        3 => lines(
            bytes,
            random,
            "a line of another file",
            |lines, at, random| {
                let donor: Vec<&[u8]> = donor.as_bytes().split(|byte| *byte == b'\n').collect();
                lines.insert(at, donor[random.below(donor.len())].to_vec());
            },
        ),
        4 => {
            bytes.truncate(random.below(bytes.len()));
            "cut short"
        }
        5 => {
            let piece = random.word(PIECES).as_bytes();
            splice(bytes, random, 0, piece, "a piece put in")
        }
        6 => splice(bytes, random, 1, b"", "a byte gone"),
        7 => {
            let byte = [random.next() as u8];
            splice(bytes, random, 1, &byte, "another byte")
        }
        8 => {
            let many = 1 + random.below(3_000);
            let piece = random.word(&["[", "{ a = ", ".a", "[[", "9", "\"", "# ", "\n"]);
            splice(
                bytes,
                random,
                0,
                piece.repeat(many).as_bytes(),
                "a piece many times",
            )
        }
        9 => {
            bytes.extend(donor.as_bytes());
            "another file behind it"
        }
        10 => line_ends(bytes, random),
        11 => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            *bytes = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            "UTF-16"
        }
        12 => {
            let length = 1 + random.below(200);
            splice(bytes, random, length, b"", "a stretch gone")
        }
        _ => {
            let noise: Vec<u8> = (0..random.below(200))
                .map(|_| random.next() as u8)
                .collect();
            splice(bytes, random, 0, &noise, "noise")
        }
    }
}

fn line_ends(bytes: &mut Vec<u8>, random: &mut Random) -> &'static str {
    let end = random.word(&["\r\n", "\r", ""]);
    *bytes = String::from_utf8_lossy(bytes)
        .replace('\n', end)
        .into_bytes();
    "other ends of lines"
}

fn lines(
    bytes: &mut Vec<u8>,
    random: &mut Random,
    what: &'static str,
    change: impl FnOnce(&mut Vec<Vec<u8>>, usize, &mut Random),
) -> &'static str {
    let split = bytes.split(|byte| *byte == b'\n');
    let mut all: Vec<Vec<u8>> = split.map(<[u8]>::to_vec).collect();
    let at = random.below(all.len());
    change(&mut all, at, random);
    *bytes = all.join(&b'\n');
    what
}

/// Replaces a stretch somewhere.
fn splice(
    bytes: &mut Vec<u8>,
    random: &mut Random,
    length: usize,
    with: &[u8],
    what: &'static str,
) -> &'static str {
    let from = random.below(bytes.len() + 1);
    let to = (from + length).min(bytes.len());
    bytes.splice(from..to, with.iter().copied());
    what
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operator_works_on_what_is_left() {
        let mut random = Random::of(1, "text", 0);
        let mut names = BTreeSet::new();
        for _ in 0..500 {
            let mut bytes = b"a = 1\n[b]\nc = \"d\"\n".to_vec();
            for _ in 0..6 {
                names.insert(spoil(&mut bytes, "x = 1\n", &mut random));
            }
        }
        assert_eq!(names.len(), 14);
    }
}
