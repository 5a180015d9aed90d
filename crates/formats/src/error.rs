//! What is wrong with a file.

use std::fmt;

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// Its line, counted from 1.
    pub line: u32,
    /// What was found there.
    pub found: String,
    /// What may stand there.
    pub allowed: Option<String>,
    /// How to go on.
    pub hint: Option<String>,
}

impl FileError {
    /// Found in this line.
    pub fn new(line: u32, found: impl Into<String>) -> Self {
        Self {
            line,
            found: found.into(),
            allowed: None,
            hint: None,
        }
    }

    /// What may stand there.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// How to go on.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.found)?;
        let more = [("allowed", &self.allowed), ("help", &self.hint)];
        for (word, said) in more {
            if let Some(said) = said {
                write!(f, "\n  {word}: {said}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for FileError {}
