//! How grave mistakes are.

/// How grave a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The scenario can't run.
    Error,
    /// It can run, but probably does not do what its author wants.
    Warning,
    /// It can run; what was done with what its author wrote.
    Note,
}

impl Severity {
    pub(super) const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// As programs are told.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}
