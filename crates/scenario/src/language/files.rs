//! Files that a scenario names: read through the caller, since this crate opens none itself.

use std::io::{self, BufRead, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backwater_formats::FileError;

use crate::language::diagnostics::{Diagnostic, Diagnostics};
use crate::language::source::{At, Source};

/// Largest file read that a scenario names, in bytes.
pub const LARGEST_FILE_BYTES: usize = 64 << 20;

/// Some editors and spreadsheets begin a file with it; it says nothing.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads the text of a file; may refuse one larger than [`LARGEST_FILE_BYTES`] before reading it.
pub type Loader<'a> = dyn Load + 'a;

/// Reads files; a function that reads the text of one is enough.
pub trait Load {
    /// The text of a file.
    ///
    /// # Errors
    /// If it can't be read, or is too large.
    fn text(&self, path: &Path) -> io::Result<String>;

    /// How a file is read from its start, as often as that is asked, however large it is.
    ///
    /// # Errors
    /// If it can't be read.
    fn reopen(&self, path: &Path) -> io::Result<Reopen> {
        let text: Arc<[u8]> = self.text(path)?.into_bytes().into();
        Ok(Arc::new(move || Ok(Box::new(Cursor::new(text.clone())))))
    }
}

impl<F: Fn(&Path) -> io::Result<String>> Load for F {
    fn text(&self, path: &Path) -> io::Result<String> {
        self(path)
    }
}

/// Begins to read a file.
pub type Reopen = Arc<dyn Fn() -> io::Result<Box<dyn BufRead + Send>> + Send + Sync>;

/// The text of a file that a scenario names.
///
/// # Errors
/// If it is not UTF-8: which byte, and in which line.
pub fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|wrong| {
        let start = wrong.utf8_error().valid_up_to();
        let (before, rest) = wrong.as_bytes().split_at(start);
        let byte = rest.first().copied().unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let line_start = before.iter().rposition(|byte| *byte == b'\n');
        let column = start - line_start.map_or(0, |at| at + 1) + 1;
        let what = format!(
            "byte 0x{byte:02x}, the {column}. of line {line}, is not UTF-8: save the file as UTF-8"
        );
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}

/// Reads no file at all.
pub(crate) fn none(_: &Path) -> io::Result<String> {
    Err(io::Error::other("files can't be read here"))
}

/// The files of one scenario.
pub(crate) struct Files<'a> {
    folder: PathBuf,
    load: &'a Loader<'a>,
    /// Those read so far, under the names that the scenario gives them.
    pub read: Vec<Source>,
    /// Those that are read again as a run goes on, and a fingerprint of what they hold.
    pub reopened: Vec<(String, u64)>,
}

/// A file and the key that names it.
pub(crate) struct Named {
    /// As the scenario names it.
    pub name: String,
    /// What it holds.
    pub text: String,
    at: At,
}

impl<'a> Files<'a> {
    /// Paths start at the folder of the scenario file.
    pub(crate) fn beside(scenario: &str, load: &'a Loader<'a>) -> Self {
        let folder = Path::new(scenario).parent();
        Self {
            folder: folder.unwrap_or(Path::new("")).into(),
            load,
            read: Vec::new(),
            reopened: Vec::new(),
        }
    }

    /// Reads the file of this name; `at` is where it is named.
    pub(crate) fn read(
        &mut self,
        name: &str,
        at: &At,
        mistakes: &mut Diagnostics,
    ) -> Option<Named> {
        let known = self.read.iter().find(|file| file.name == name);
        let text = match known {
            Some(file) => Ok(file.text.clone()),
            None => self.load.text(&self.folder.join(name)),
        };
        let refused = match text {
            Ok(text) if text.len() <= LARGEST_FILE_BYTES => {
                if known.is_none() {
                    self.read.push(Source::new(name, text.clone()));
                }
                return Some(Named {
                    name: name.into(),
                    text: text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).into(),
                    at: at.clone(),
                });
            }
            Ok(_) => format!("it has more than {} MiB", LARGEST_FILE_BYTES >> 20),
            Err(error) => error.to_string(),
        };
        unread(name, at, &refused).tell(mistakes);
        None
    }

    /// Looks for the file of this name, which is read as often as that is asked.
    pub(crate) fn reopen(
        &mut self,
        name: &str,
        at: &At,
        mistakes: &mut Diagnostics,
    ) -> Option<Reopen> {
        let reopen = self.load.reopen(&self.folder.join(name));
        if let Err(error) = &reopen {
            unread(name, at, &error.to_string()).tell(mistakes);
        }
        reopen.ok()
    }
}

/// Says that a file can't be read, and why.
pub(crate) fn unread(name: &str, at: &At, why: &str) -> Diagnostic {
    let name = crate::language::reader::clip(name);
    Diagnostic::error("no-file", format!("can't read `{name}`"))
        .at(at, why)
        .note("paths start at the folder of the scenario")
}

impl Named {
    /// Lines that hold something, with their numbers from 1; `#` starts a comment.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let numbered = (1_u32..).zip(self.text.lines());
        numbered
            .map(|(number, line)| (number, line.split('#').next().unwrap_or("").trim()))
            .filter(|(_, line)| !line.is_empty())
    }

    /// A mistake in a line of the file, counted from 1; the text of the line is shown.
    pub(crate) fn mistake(&self, line: u32, what: &str) -> Diagnostic {
        let message = format!("`{}` is not as it should be", self.name);
        self.of_line(line, what, Diagnostic::error("bad-file", message))
    }

    /// What a reader of its form found wrong.
    pub(crate) fn wrong(&self, wrong: &FileError) -> Diagnostic {
        let mistake = self.mistake(wrong.line, &wrong.found);
        let allowed = wrong
            .allowed
            .as_ref()
            .map(|what| format!("allowed: {what}"));
        mistake.note_if(allowed).help_if(wrong.hint.clone())
    }

    /// What looks wrong in a line of the file, and is read all the same.
    pub(crate) fn doubt(&self, line: u32, what: &str) -> Diagnostic {
        let message = format!("`{}` does not say what it has", self.name);
        self.of_line(line, what, Diagnostic::warning("bad-file", message))
    }

    /// Says with what is wrong in which line of the file, counted from 1; its text is shown.
    pub(crate) fn of_line(&self, line: u32, what: &str, diagnostic: Diagnostic) -> Diagnostic {
        let shown = self.text.lines().nth(line.saturating_sub(1) as usize);
        let shown = shown.map_or_else(String::new, |text| {
            format!(": `{}`", crate::language::reader::clip(text.trim()))
        });
        diagnostic
            .at(&self.at, format!("{what}, in line {line}"))
            .note(format!("line {line}{shown}"))
    }
}

/// Is a line the heading of a table: does it begin with a word?
pub(crate) fn is_heading(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic() || c == '"')
}

/// The cells of a line, which commas part.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    let cells = line.split(',');
    cells
        .map(|cell| cell.trim().trim_matches('"').trim())
        .collect()
}

/// Where each of the columns stands in a heading.
pub(crate) fn heading<const N: usize>(
    line: &str,
    columns: [&str; N],
) -> Result<[usize; N], String> {
    Ok(heading_with(line, columns, [])?.0)
}

/// Where each of the columns stands in a heading, and each of those that it may have beside them.
pub(crate) fn heading_with<const N: usize, const M: usize>(
    line: &str,
    columns: [&str; N],
    more: [&str; M],
) -> Result<([usize; N], [Option<usize>; M]), String> {
    let names = cells(line);
    let is = |name: &str, column: &str| name.eq_ignore_ascii_case(column);
    let known = columns.iter().chain(&more);
    let unknown = |name: &&&str| !known.clone().any(|column| is(name, column));
    if let Some(name) = names.iter().find(unknown) {
        return Err(format!(
            "no column is called `{}`",
            crate::language::reader::clip(name)
        ));
    }
    let place = |column: &str| {
        let places = names.iter().enumerate();
        let mut places = places.filter(|(_, name)| is(name, column));
        match (places.next(), places.next()) {
            (first, None) => Ok(first.map(|(at, _)| at)),
            _ => Err(format!("two columns are called `{column}`")),
        }
    };
    let (mut order, mut beside) = ([0; N], [None; M]);
    for (own, column) in order.iter_mut().zip(columns) {
        *own = place(column)?.ok_or_else(|| format!("the column `{column}` is missing"))?;
    }
    for (own, column) in beside.iter_mut().zip(more) {
        *own = place(column)?;
    }
    Ok((order, beside))
}

/// What helps where a heading is wrong.
pub(crate) fn columns_help<const N: usize>(columns: [&str; N]) -> String {
    format!(
        "the columns are `{}`, in any order; without a heading, in this one",
        columns.join("`, `")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_told_by_their_place() {
        let told = text_of(b"1 2\n3 \xb5 4\n".to_vec()).expect_err("no text");
        let wanted = "byte 0xb5, the 3. of line 2, is not UTF-8: save the file as UTF-8";
        assert_eq!(told.to_string(), wanted);
        assert_eq!(text_of(b"1\xc2\xb5s".to_vec()).expect("text"), "1µs");
    }
}
