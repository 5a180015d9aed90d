//! Commands, files and outputs in Markdown.

/// What a document has for us, in its order.
#[derive(PartialEq, Eq, Debug)]
pub enum Part {
    /// A file to be saved, of this name.
    File(String, String),
    /// A command, and what it prints if the document shows it.
    Command(Told),
    /// A line of a block without a kind that begins like a command of ours.
    Unmarked(usize),
}

/// A command of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Its line in the document.
    pub line: usize,
    /// As it is typed.
    pub command: String,
    /// With which status it ends: `# exits with 1` behind it, else 0.
    pub status: i32,
    /// Lines it prints; `...` stands for any lines, or any text within a line.
    pub output: Option<Vec<String>>,
}

/// All parts of a document.
pub fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut before = Vec::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((_, line)) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            before.push(line);
            continue;
        };
        let inside = lines.by_ref().take_while(|(_, line)| *line != "```");
        let block: Vec<(usize, &str)> = inside.collect();
        match kind.split_whitespace().next() {
            Some("toml") => parts.extend(file(&before, &block)),
            Some("sh") => parts.extend(commands(&block).into_iter().map(Part::Command)),
            Some("console") => parts.extend(sessions(&block).into_iter().map(Part::Command)),
            None => {
                for (number, line) in block {
                    let session = line
                        .strip_prefix("$ ")
                        .and_then(|typed| told(number, typed));
                    parts.extend(session.map(Part::Command));
                    parts.extend(is_ours(line).then_some(Part::Unmarked(number)));
                }
            }
            Some(_) => {}
        }
        before.clear();
    }
    parts
}

/// A command of the program.
pub fn is_ours(command: &str) -> bool {
    command.starts_with("backwater ") || command.starts_with("target/release/backwater ")
}

/// Commands between backticks in running text, each with the first line of its paragraph.
pub fn inline(text: &str) -> Vec<(usize, String)> {
    let mut paragraphs = vec![(1, String::new())];
    let mut is_block = false;
    for (number, line) in (1..).zip(text.lines()) {
        let is_fence = line.starts_with("```");
        is_block ^= is_fence;
        match paragraphs.last_mut() {
            Some((_, words)) if !is_block && !is_fence && !line.is_empty() => {
                words.push_str(line.trim());
                words.push(' ');
            }
            _ => paragraphs.push((number + 1, String::new())),
        }
    }
    let mut found = Vec::new();
    for (number, words) in &paragraphs {
        let pieces = words.split('`').skip(1).step_by(2);
        let ours = pieces.filter(|piece| is_ours(piece));
        found.extend(ours.map(|piece| (*number, piece.to_owned())));
    }
    found
}

/// The block, if the paragraph before it says under which name to save it.
fn file(before: &[&str], block: &[(usize, &str)]) -> Option<Part> {
    let last = before.iter().rposition(|line| !line.is_empty())?;
    let first = before[..last].iter().rposition(|line| line.is_empty());
    let paragraph = before[first.map_or(0, |empty| empty + 1)..=last].join(" ");
    let (_, rest) = paragraph.split_once("ave this as `")?;
    let (name, _) = rest.split_once('`')?;
    let text: String = block.iter().map(|(_, line)| format!("{line}\n")).collect();
    Some(Part::File(name.into(), text))
}

/// The commands of a block of nothing else; `\` at the end of a line joins the next.
fn commands(block: &[(usize, &str)]) -> Vec<Told> {
    let mut found = Vec::new();
    let mut lines = block.iter();
    while let Some((number, line)) = lines.next() {
        let mut command = (*line).to_owned();
        while command.ends_with('\\') {
            command.pop();
            command += lines.next().map_or("", |(_, next)| next.trim_start());
        }
        found.extend(told(*number, &command));
    }
    found
}

/// The commands of a block after `$ `, each with what it prints.
fn sessions(block: &[(usize, &str)]) -> Vec<Told> {
    let mut found: Vec<Told> = Vec::new();
    for (number, line) in block {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => {
                let told = told(*number, command).expect("a command behind `$ `");
                let output = Some(Vec::new());
                found.push(Told { output, ..told });
            }
            (None, Some(last)) => {
                let output = last.output.get_or_insert_default();
                output.push(line.trim_end().to_owned());
            }
            (None, None) => panic!("line {number}: a console begins with `$ `"),
        }
    }
    found
}

/// A line without its comment; nothing where there is no more.
fn told(line: usize, text: &str) -> Option<Told> {
    let (command, comment) = match text.find("# ") {
        Some(0) => ("", text),
        Some(at) if text[..at].ends_with(' ') => text.split_at(at),
        _ => (text, ""),
    };
    let command = command.trim();
    let status = comment.split_once("exits with ").map(|(_, rest)| rest);
    let status = status.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    (!command.is_empty()).then(|| Told {
        line,
        command: command.into(),
        status: status.unwrap_or(0),
        output: None,
    })
}

/// Are these the lines wanted?
pub fn is_like(wanted: &[String], found: &[&str]) -> bool {
    match wanted.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=found.len()).any(|skipped| is_like(rest, &found[skipped..]))
        }
        Some((first, rest)) => match found.split_first() {
            Some((line, others)) => is_line(first, line) && is_like(rest, others),
            None => false,
        },
    }
}

/// Is it the line wanted? What stands between `...` must be there, in this order.
fn is_line(wanted: &str, found: &str) -> bool {
    let pieces: Vec<&str> = wanted.split("...").collect();
    let [first, middle @ .., last] = pieces.as_slice() else {
        return wanted == found;
    };
    let inside = found
        .strip_prefix(first)
        .and_then(|rest| rest.strip_suffix(last));
    let Some(mut inside) = inside else {
        return false;
    };
    middle.iter().all(|piece| match inside.split_once(piece) {
        Some((_, rest)) => {
            inside = rest;
            true
        }
        None => false,
    })
}

#[test]
fn files_commands_and_outputs_are_found() {
    let text = "Save this as `a.toml`, or\nnot:\n\n```toml\nx = 1\n```\n\n```toml\ny = 1\n```\n\
        ```sh\n# only words\nmake x\nbackwater run a.toml \\\n    --out b   # exits with 1\n```\n\
        ```console\n$ backwater list\na\n...\n$ backwater schema\n```\n\
        ```\nbackwater run NAME\n$ backwater x\nother\n```\nSee `backwater list\nall` and `x`.\n";
    let told = |line, command: &str, status, output: Option<&[&str]>| {
        Part::Command(Told {
            line,
            command: command.into(),
            status,
            output: output.map(|lines| lines.iter().map(|line| (*line).into()).collect()),
        })
    };
    let wanted = [
        Part::File("a.toml".into(), "x = 1\n".into()),
        told(13, "make x", 0, None),
        told(14, "backwater run a.toml --out b", 1, None),
        told(18, "backwater list", 0, Some(&["a", "..."])),
        told(21, "backwater schema", 0, Some(&[])),
        Part::Unmarked(24),
        told(25, "backwater x", 0, None),
    ];
    assert_eq!(parts(text), wanted);
    assert_eq!(inline(text), [(28, "backwater list all".to_owned())]);
}

#[test]
fn dots_stand_for_what_changes() {
    let like = |wanted: &str, found: &str| {
        let wanted: Vec<String> = wanted.lines().map(String::from).collect();
        is_like(&wanted, &found.lines().collect::<Vec<_>>())
    };
    assert!(like("a\n...\nd", "a\nb\nc\nd") && like("a\n...", "a") && like("a", "a"));
    assert!(like("in ... s (... M/s); 5", "in 0.1 s (3 M/s); 5"));
    assert!(!like("a\n...\nd", "a\nb") && !like("a", "a\nb") && !like("a\nb", "a"));
    assert!(!like("in ... s (... M/s); 5", "in 0.1 s (3 M/s); 6"));
    assert!(!like("x", "y"));
}
