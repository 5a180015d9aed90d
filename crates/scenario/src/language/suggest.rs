//! "Did you mean": the known word nearest to an unknown one.

use std::cell::Cell;
use std::collections::BTreeSet;

/// Words longer than this are not compared: the distance costs the product of the lengths.
const LONGEST: usize = 64;

/// How many more suggestions may be looked for: a file of nothing but mistakes must end soon, too.
pub(crate) struct Budget(Cell<u32>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(100))
    }
}

impl Budget {
    /// For so many.
    pub(crate) fn of(many: u32) -> Self {
        Self(Cell::new(many))
    }

    /// Spends one, if there is one left.
    pub(crate) fn spend(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

/// The candidate nearest to `word`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let folded = fold(word);
    let allowed = word.chars().count() / 3;
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| {
            let known = fold(candidate);
            let distance = strsim::osa_distance(&folded, &known);
            // A letter left out is a likelier slip than a wrong one: `lod` is `load`, not `low`.
            (distance, !stands_in(&folded, &known), candidate)
        })
        .filter(|(distance, ..)| *distance <= allowed)
        .min_by_key(|(distance, has_others, _)| (*distance, *has_others))
        .map(|(.., candidate)| candidate)
}

/// All letters of `word` stand in `other`, in this order.
fn stands_in(word: &str, other: &str) -> bool {
    let mut rest = other.chars();
    word.chars().all(|letter| rest.any(|other| other == letter))
}

/// The same as a line of help.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|meant| format!("did you mean `{meant}`?"))
}

/// Case and the kind of dash are slips that should cost nothing.
fn fold(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

/// A text on one line: lines of a text in a table are only lines of its file.
pub(crate) fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words as code, with this between them.
pub(crate) fn in_code(words: impl IntoIterator<Item = impl AsRef<str>>, between: &str) -> String {
    let words = words.into_iter().map(|word| format!("`{}`", word.as_ref()));
    words.collect::<Vec<_>>().join(between)
}

/// "a, b or c", shortened after some.
pub(crate) fn one_of(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    listed(words, "or")
}

/// "a, b and c", shortened after some.
pub(crate) fn all_of(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    listed(words, "and")
}

fn listed(words: impl IntoIterator<Item = impl AsRef<str>>, before_last: &str) -> String {
    const SHOWN: usize = 12;
    let mut known = BTreeSet::new();
    let words = words.into_iter().map(|word| format!("`{}`", word.as_ref()));
    let words: Vec<String> = words.filter(|word| known.insert(word.clone())).collect();
    let shown: Vec<String> = words.iter().take(SHOWN).cloned().collect();
    if words.len() > SHOWN {
        return format!("{} and {} more", shown.join(", "), words.len() - SHOWN);
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {before_last} {last}", rest.join(", ")),
        None => "none".into(),
    }
}

/// "a, b and c": the first of them as they are; `more` says that there are so many more.
pub(crate) fn first<T>(
    all: &[T],
    shown: usize,
    name: impl Fn(&T) -> String,
    more: impl Fn(usize) -> String,
) -> String {
    let names: Vec<String> = all.iter().take(shown).map(name).collect();
    let rest = match all.len().saturating_sub(shown) {
        0 => String::new(),
        rest => more(rest),
    };
    format!("{}{rest}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let keys = ["rate", "delay", "handling", "data_loss"];
        assert_eq!(nearest("dealy", keys), Some("delay"));
        assert_eq!(nearest("Data-Loss", keys), Some("data_loss"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), keys), None);
    }

    #[test]
    fn lists_read_like_a_sentence() {
        assert_eq!(one_of(["a"]), "`a`");
        assert_eq!(one_of(["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(all_of(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
