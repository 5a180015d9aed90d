//! Where a scenario's text comes from, and how to point into it.

use std::ops::Range;

use crate::language::diagnostics::{Diagnostic, Diagnostics};

/// Largest scenario file read, in bytes.
pub const LARGEST_BYTES: usize = 8 << 20;

/// A text to read, with the name that messages give it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// File name, as the user wrote it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// One `--set key=value`: replaces, or adds, a value of the scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    /// Dotted path, such as `run.seed`, `flows.VC1.priority` or `links.A-S1.delay`.
    pub key: String,
    /// A TOML value; text that is none is taken as a string (`622 Mbps`).
    pub value: String,
}

/// A stretch of one of the sources of a scenario.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct At {
    /// 0 is the file, `k` the `k`-th `--set`; then come axes, those of the file last.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// First byte after it.
    pub end: usize,
}

impl Source {
    /// A source from a name and its text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// A source from the bytes of a file; refuses what is too large or not UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Diagnostics> {
        let name = name.into();
        if bytes.len() > LARGEST_BYTES {
            return Err(too_large(&name, bytes.len()));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => Err(not_utf8(&name, error)),
        }
    }
}

impl Set {
    /// Splits `key=value`.
    pub fn new(text: &str) -> Result<Self, Diagnostics> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(Self {
                key: key.trim().into(),
                value: value.trim().into(),
            }),
            _ => Err(Diagnostics::single(
                Source::new("--set", text),
                Diagnostic::error("bad-set", format!("`{text}` sets nothing"))
                    .at(&At::range(0, 0..text.len()), "no `key=value` here")
                    .help("write a key, `=` and a value: `--set run.seed=2`"),
            )),
        }
    }

    /// As a source, so that messages can point into it.
    pub(crate) fn source(&self) -> Source {
        Source::new("--set", format!("{}={}", self.key, self.value))
    }
}

impl At {
    /// Is it of the command line or of an axis, and not of the scenario itself?
    pub(crate) fn is_outside(&self) -> bool {
        self.source > 0
    }

    pub(crate) fn range(source: usize, range: Range<usize>) -> Self {
        Self {
            source,
            start: range.start,
            end: range.end.max(range.start),
        }
    }
}

pub(crate) fn too_large(name: &str, bytes: usize) -> Diagnostics {
    let limit = LARGEST_BYTES >> 20;
    Diagnostics::single(
        Source::new(name, ""),
        Diagnostic::error(
            "too-large",
            format!(
                "a scenario of {} MiB is more than is read ({limit} MiB)",
                bytes >> 20
            ),
        )
        .at(&At::default(), "")
        .help("generate large networks with `[topology]`, flows with `count` or `[[patterns]]`"),
    )
}

fn not_utf8(name: &str, error: std::string::FromUtf8Error) -> Diagnostics {
    let start = error.utf8_error().valid_up_to();
    let byte = error.as_bytes()[start];
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    // Up to the first wrong byte the lossy text equals the file, so `start` points to the mark
    // that replaces it.
    Diagnostics::single(
        Source::new(name, text),
        Diagnostic::error("not-utf8", "the file is not UTF-8 text")
            .at(
                &At::range(0, start..start + 3),
                format!("byte 0x{byte:02x} is not UTF-8"),
            )
            .help("save the file as UTF-8; outside quotes, TOML needs ASCII only"),
    )
}
