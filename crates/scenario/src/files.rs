//! Files that a scenario names: read through the caller, since this crate opens none itself.

use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::source::{At, Source};

/// Largest file read that a scenario names, in bytes.
pub const LARGEST_FILE_BYTES: usize = 64 << 20;

/// Reads the text of a file; may refuse one larger than [`LARGEST_FILE_BYTES`] before reading it.
pub type Loader<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

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
            None => (self.load)(&self.folder.join(name)),
        };
        let refused = match text {
            Ok(text) if text.len() <= LARGEST_FILE_BYTES => {
                if known.is_none() {
                    self.read.push(Source::new(name, text.clone()));
                }
                let name = name.into();
                let at = at.clone();
                return Some(Named { name, text, at });
            }
            Ok(_) => format!("it has more than {} MiB", LARGEST_FILE_BYTES >> 20),
            Err(error) => error.to_string(),
        };
        Diagnostic::error(
            "no-file",
            format!("can't read `{}`", crate::reader::clip(name)),
        )
        .at(at, refused)
        .note("paths start at the folder of the scenario")
        .tell(mistakes);
        None
    }
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
        let shown = self.text.lines().nth(line.saturating_sub(1) as usize);
        let shown = shown.map_or_else(String::new, |text| {
            format!(": `{}`", crate::reader::clip(text.trim()))
        });
        Diagnostic::error(
            "bad-file",
            format!("`{}` is not as it should be", self.name),
        )
        .at(&self.at, format!("{what}, in line {line}"))
        .note(format!("line {line}{shown}"))
    }
}
