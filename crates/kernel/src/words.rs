//! Counts in words.

use alloc::format;
use alloc::string::{String, ToString};

/// A count with commas: `1,234,567`.
pub fn grouped(count: u64) -> String {
    grouped_digits(&count.to_string())
}

/// Digits with a comma before every three that follow.
pub fn grouped_digits(digits: &str) -> String {
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// So many of a thing: `1 seed`, `2 switches`, `1,024 entries`. The last word of `noun` takes the
/// plural.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{} {}", grouped(count), plural(noun)),
    }
}

/// The form of a verb behind so many of a thing: `1 flit waits`, `2 flits wait`.
pub fn agreed<'a>(count: impl TryInto<u64>, one: &'a str, many: &'a str) -> &'a str {
    match count.try_into() {
        Ok(1) => one,
        _ => many,
    }
}

/// More than one of a thing: `seeds`, `switches`, `entries`, `series`.
pub fn plural(noun: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    match noun.strip_suffix('y') {
        Some(stem) if !ends(&["ay", "ey", "oy", "uy"]) => format!("{stem}ies"),
        _ if ends(&["series"]) => noun.into(),
        _ if ends(&["s", "x", "ch", "sh"]) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// With a capital letter in front.
pub fn capital(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// `words` behind `a` or `an`, as they are spoken: `an 8 x 8 mesh`, `a 4-ary 2-fly`.
pub fn with_article(words: &str) -> String {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let is_vowel = match words.as_bytes() {
        // Eight, eighty, eight hundred; eleven and eighteen, with thousands behind them or not.
        [b'8', ..] => true,
        [b'1', b'1' | b'8', ..] => digits % 3 == 2,
        [first, ..] => b"aeiouAEIOU".contains(first),
        [] => false,
    };
    format!("{} {words}", if is_vowel { "an" } else { "a" })
}

/// Text of others, such as names of files, made fit for a terminal: what would move its cursor,
/// turn the direction of writing or hide letters is shown by its number, as `\u{1b}`.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_unprintable(letter) {
            true => shown.extend(letter.escape_unicode()),
            false => shown.push(letter),
        }
    }
    shown
}

/// Is it a control character, or one that changes how its neighbours look?
pub fn is_unprintable(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Marks, embeddings, overrides and isolates of bidirectional writing.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Ends of lines and paragraphs.
            | '\u{2028}' | '\u{2029}'
            // No letter at all, and the mark of byte order.
            | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_does_nothing_to_a_terminal() {
        for (text, shown) in [
            ("plain Ünïcode 文字", "plain Ünïcode 文字"),
            ("a\u{1b}[2Jb\nc\td", "a\\u{1b}[2Jb\\u{a}c\\u{9}d"),
            ("\u{7f}\u{9b}", "\\u{7f}\\u{9b}"),
            ("\u{202e}gpj", "\\u{202e}gpj"),
            ("\u{2066}\u{2069}\u{200f}", "\\u{2066}\\u{2069}\\u{200f}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn counts_are_grouped_by_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn one_of_a_thing_is_no_plural() {
        let one = ["seed", "switch", "class", "more entry", "series", "flow"];
        for noun in one {
            assert_eq!(counted(1, noun), format!("1 {noun}"));
        }
        let many = [
            "seeds",
            "switches",
            "classes",
            "more entries",
            "series",
            "flows",
        ];
        for (noun, many) in one.iter().zip(many) {
            assert_eq!(counted(1_234_usize, noun), format!("1,234 {many}"));
            assert_eq!(counted(0_u32, noun), format!("0 {many}"));
        }
        assert_eq!(plural("way"), "ways");
        let waits = |count: u64| agreed(count, "waits", "wait");
        assert_eq!([0, 1, 2].map(waits), ["wait", "waits", "wait"]);
    }

    #[test]
    fn articles_follow_the_sound() {
        for words in [
            "8 x 8 mesh",
            "11-ary 2-fly",
            "18 ports",
            "80 hosts",
            "11000 cells",
            "input",
        ] {
            assert_eq!(with_article(words), format!("an {words}"));
        }
        for words in [
            "4 x 4 mesh",
            "16-ary 2-tree",
            "110 ports",
            "1100 cells",
            "torus",
            "",
        ] {
            assert_eq!(with_article(words), format!("a {words}"));
        }
        assert_eq!(capital(&with_article("8 x 8 mesh")), "An 8 x 8 mesh");
        assert_eq!(capital(""), "");
    }
}
