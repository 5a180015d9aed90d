//! Rust source with everything but code blanked, and where its functions begin and end.

/// Where a function stands.
#[derive(Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to its closing brace.
    pub lines: usize,
}

/// Comments, strings and character literals become blanks; lines stay where they are.
pub fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_blank(&chars, at);
        if end == at {
            code.push(chars[at]);
            at += 1;
            continue;
        }
        let kept = |c: &char| if *c == '\n' { '\n' } else { ' ' };
        code.extend(chars[at..end].iter().map(kept));
        at = end;
    }
    code
}

/// The end of what is no code, if it begins at `at`; else `at`.
fn end_of_blank(chars: &[char], at: usize) -> usize {
    let next = |ahead: usize| chars.get(at + ahead).copied().unwrap_or('\0');
    let in_word = at > 0 && is_word(chars[at - 1]);
    match chars[at] {
        '/' if next(1) == '/' => find(chars, at, |c| c == '\n'),
        '/' if next(1) == '*' => end_of_comment(chars, at),
        '"' => end_of_quote(chars, at, '"'),
        'r' if !in_word && (next(1) == '"' || next(1) == '#') => end_of_raw(chars, at, at + 1),
        'b' if !in_word && next(1) == 'r' => end_of_raw(chars, at, at + 2),
        '\'' if next(1) == '\\' || next(2) == '\'' => end_of_quote(chars, at, '\''),
        _ => at,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn find(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    let found = chars[from..].iter().position(|c| wanted(*c));
    found.map_or(chars.len(), |ahead| from + ahead)
}

fn end_of_comment(chars: &[char], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (at, depth) = (at + 2, depth + 1),
            ('*', '/') if depth == 1 => return at + 2,
            ('*', '/') => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    chars.len()
}

fn end_of_quote(chars: &[char], from: usize, quote: char) -> usize {
    let mut at = from + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// A raw string whose `#`s begin at `marks`; `from` where there is none (as in `r#type`).
fn end_of_raw(chars: &[char], from: usize, marks: usize) -> usize {
    let open = find(chars, marks, |c| c != '#');
    if chars.get(open) != Some(&'"') {
        return from;
    }
    let count = open - marks;
    let mut at = open + 1;
    while at < chars.len() {
        let close = find(chars, at, |c| c == '"');
        let after = find(chars, (close + 1).min(chars.len()), |c| c != '#');
        if after.saturating_sub(close + 1) >= count {
            return (close + 1 + count).min(chars.len());
        }
        at = close + 1;
    }
    chars.len()
}

/// Words of blanked code with their lines, from 1.
pub fn words(code: &str) -> Vec<(usize, &str)> {
    code.lines()
        .enumerate()
        .flat_map(|(line, text)| {
            let words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
            words.map(move |word| (line + 1, word))
        })
        .collect()
}

/// Every function of blanked code that has a body.
pub fn functions(code: &str) -> Vec<Function> {
    let chars: Vec<char> = code.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 < chars.len() {
        let starts = chars[at] == 'f' && chars[at + 1] == 'n' && chars[at + 2].is_whitespace();
        if !starts || (at > 0 && is_word(chars[at - 1])) {
            at += 1;
            continue;
        }
        if let Some(end) = end_of_body(&chars, at) {
            let line_of = |at: usize| chars[..at].iter().filter(|c| **c == '\n').count() + 1;
            let name = chars[at + 2..].iter().skip_while(|c| c.is_whitespace());
            found.push(Function {
                name: name.take_while(|c| is_word(**c)).collect(),
                line: line_of(at),
                lines: line_of(end) - line_of(at) + 1,
            });
        }
        at += 2;
    }
    found
}

/// The closing brace of the function whose `fn` is at `from`; none if it has no body.
fn end_of_body(chars: &[char], from: usize) -> Option<usize> {
    let (mut brackets, mut braces) = (0, 0);
    for (at, c) in chars.iter().enumerate().skip(from) {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if brackets == 0 && braces == 0 => return None,
            '{' => braces += 1,
            '}' if braces == 1 && brackets == 0 => return Some(at),
            // A function type in a macro or a field, not a function.
            '}' if braces == 0 => return None,
            '}' => braces -= 1,
            _ => {}
        }
    }
    None
}

#[test]
fn only_code_is_left() {
    let text = "a /* x /* y */ \" */ b // c\n'\"' d \"e \\\" } f\" r#\"g\"h\"# i<'k> '\\'' r#type";
    let code = blanked(text);
    let left: Vec<&str> = code.split_whitespace().collect();
    assert_eq!(left, ["a", "b", "d", "i<'k>", "r#type"]);
    assert_eq!(code.chars().count(), text.chars().count());
    let words: Vec<(usize, &str)> = words(&code);
    assert_eq!(words[..3], [(1, "a"), (1, "b"), (2, "d")]);
}

#[test]
fn functions_are_measured() {
    let text = "trait T { fn a(x: [u8; 3]) -> u8; }\nfn b<'a>(f: fn(u8)) {\n  '{'; \"}\";\n}\n\
                impl X {\n    fn c() { if x { y } }\n}\nstruct S { f: fn (u8) }\n";
    let of = |name: &str, line, lines| Function {
        name: name.into(),
        line,
        lines,
    };
    assert_eq!(functions(&blanked(text)), [of("b", 2, 3), of("c", 6, 1)]);
}

#[test]
fn broken_source_ends_too() {
    for text in [
        "\"", "'\\", "r#\"", "/*", "/* /* */", "fn", "fn x(", "fn x() {", "b", "r#", "'",
    ] {
        let code = blanked(text);
        assert!(functions(&code).is_empty(), "{text}");
    }
}
