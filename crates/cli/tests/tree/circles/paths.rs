//! The paths that a source file names, tests apart.

use crate::code;

/// What one source file says of modules.
#[derive(Debug, Default)]
pub struct Source {
    /// Every path of a `use` or of code with at least two words.
    pub paths: Vec<Named>,
    /// Modules that it declares for tests alone.
    pub test_modules: Vec<String>,
}

/// A path in a file.
#[derive(Debug, PartialEq)]
pub struct Named {
    /// `crate::a::B` is `["crate", "a", "B"]`.
    pub words: Vec<String>,
    /// The name by which a `use` makes it known here.
    pub known_as: Option<String>,
    /// Line, from 1.
    pub line: usize,
}

struct Token {
    text: String,
    line: usize,
}

impl Token {
    fn is(&self, text: &str) -> bool {
        self.text == text
    }

    fn is_word(&self) -> bool {
        self.text
            .starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// Reads one file.
pub fn read(text: &str) -> Source {
    let mut source = Source::default();
    let tokens = without_tests(tokens(&code::blanked(text)), &mut source.test_modules);
    let mut at = 0;
    while at < tokens.len() {
        at = if is_at(&tokens, at, &["use"]) && !is_at(&tokens, at + 1, &["<"]) {
            read_use(&tokens, at + 1, &[], &mut source.paths)
        } else {
            read_inline(&tokens, at, &mut source.paths)
        };
    }
    source
}

/// The words and signs of a file, tests apart.
pub fn signs(text: &str) -> Vec<String> {
    let all = without_tests(tokens(&code::blanked(text)), &mut Vec::new());
    all.into_iter().map(|token| token.text).collect()
}

fn tokens(code: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    for (number, text) in code.lines().enumerate() {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let other = |c: char| !c.is_alphanumeric() && c != '_';
            let length = match rest.find(other) {
                Some(0) if rest.starts_with("::") => 2,
                Some(0) => first.len_utf8(),
                Some(length) => length,
                None => rest.len(),
            };
            found.push(Token {
                text: rest[..length].to_owned(),
                line: number + 1,
            });
            rest = rest[length..].trim_start();
        }
    }
    found
}

fn is_at(tokens: &[Token], at: usize, wanted: &[&str]) -> bool {
    let found = tokens.get(at..at + wanted.len());
    found.is_some_and(|found| found.iter().zip(wanted).all(|(one, other)| one.is(other)))
}

/// Without the items below `#[cfg(test)]`; modules among them that are files of their own are
/// noted.
fn without_tests(tokens: Vec<Token>, modules: &mut Vec<String>) -> Vec<Token> {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut dropped = vec![false; tokens.len()];
    let mut at = 0;
    while at < tokens.len() {
        if !is_at(&tokens, at, &attribute) {
            at += 1;
            continue;
        }
        let end = end_of_item(&tokens, at + attribute.len());
        let item = &tokens[at..end];
        let name = item.iter().position(|token| token.is("mod"));
        if let (Some(name), true) = (name, item.last().is_some_and(|last| last.is(";"))) {
            modules.push(item[name + 1].text.clone());
        }
        dropped[at..end].fill(true);
        at = end;
    }
    let kept = tokens
        .into_iter()
        .zip(dropped)
        .filter(|(_, dropped)| !dropped);
    kept.map(|(token, _)| token).collect()
}

/// After the `;` or the closing brace of an item.
fn end_of_item(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut is_use = false;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.text.as_str() {
            "use" if depth == 0 => is_use = true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.is("}") && !is_use {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// One branch of a `use`, with what stands before it; returns where it ends.
fn read_use(tokens: &[Token], from: usize, before: &[String], paths: &mut Vec<Named>) -> usize {
    let mut words = before.to_vec();
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        if token.is("{") {
            at += 1;
            while at < tokens.len() && !tokens[at].is("}") {
                at = read_use(tokens, at, &words, paths);
                at += usize::from(is_at(tokens, at, &[","]));
            }
            return at + 1;
        }
        let is_whole = token.is("self") && !words.is_empty();
        if token.is_word() && !is_whole {
            words.push(token.text.clone());
        }
        let is_all = token.is("*");
        at += 1;
        if is_at(tokens, at, &["::"]) {
            at += 1;
            continue;
        }
        let mut known_as = words.last().filter(|_| !is_all).cloned();
        if is_at(tokens, at, &["as"]) {
            known_as = tokens.get(at + 1).map(|name| name.text.clone());
            at += 2;
        }
        paths.push(Named {
            words,
            known_as,
            line: token.line,
        });
        break;
    }
    at
}

/// A path in code, if one begins here; returns where to read on.
fn read_inline(tokens: &[Token], from: usize, paths: &mut Vec<Named>) -> usize {
    let before = |back: usize| from.checked_sub(back).map(|at| &tokens[at]);
    let is_after = |text: &str| before(1).is_some_and(|token| token.is(text));
    let begins = tokens[from].is_word() && is_at(tokens, from + 1, &["::"]);
    // `pub(in crate::a)` says who may see.
    let sight = is_after("in") && before(2).is_some_and(|token| token.is("("));
    if !begins || is_after("::") || is_after(".") {
        return from + 1;
    }
    let mut words = vec![tokens[from].text.clone()];
    let mut at = from + 1;
    while is_at(tokens, at, &["::"]) && tokens.get(at + 1).is_some_and(Token::is_word) {
        words.push(tokens[at + 1].text.clone());
        at += 2;
    }
    if words.len() > 1 && !sight {
        paths.push(Named {
            words,
            known_as: None,
            line: tokens[from].line,
        });
    }
    at
}

#[test]
fn paths_are_found() {
    let text = "use a::{b, c::{self, D as E}, f::*};\n// use g::h;\nfn x(i: super::I) -> u8 {\n\
                    let y = crate::j::K::new(\"l::m\").n::<o::P>();\n}\npub(in crate::q) struct R;";
    let found: Vec<(String, Option<String>, usize)> = read(text)
        .paths
        .into_iter()
        .map(|path| (path.words.join("::"), path.known_as, path.line))
        .collect();
    let of = |path: &str, name: &str, line| {
        let name = (!name.is_empty()).then(|| name.to_owned());
        (path.to_owned(), name, line)
    };
    let expected = [
        of("a::b", "b", 1),
        of("a::c", "c", 1),
        of("a::c::D", "E", 1),
        of("a::f", "", 1),
        of("super::I", "", 3),
        of("crate::j::K::new", "", 4),
        of("o::P", "", 4),
    ];
    assert_eq!(found, expected);
}

#[test]
fn tests_are_left_out() {
    let text = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nuse a::{b, c};\n\
                #[cfg(test)]\n#[allow(x)]\nmod more { use d::e; fn f() { g::h(); } }\nuse i::J;";
    let source = read(text);
    assert_eq!(source.test_modules, ["tests"]);
    let paths: Vec<String> = source
        .paths
        .iter()
        .map(|path| path.words.join("::"))
        .collect();
    assert_eq!(paths, ["i::J"]);
}

#[test]
fn broken_source_ends_too() {
    for text in [
        "use",
        "use a::",
        "use {",
        "use a::{b",
        "a::",
        "#[cfg(test)]",
        "::",
    ] {
        assert!(read(text).test_modules.is_empty(), "{text}");
    }
}
