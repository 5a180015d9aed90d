//! How grave mistakes are.

use backwater_kernel::words::counted;

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

/// How many of each there are; only so many are shown.
pub(super) fn closing_line(counts: &[u64; 3], shown: u64) -> String {
    let told: u64 = counts.iter().sum();
    let each = counts.iter().zip(Severity::ALL);
    let each = each.filter(|(count, _)| **count > 0);
    let each = each.map(|(count, severity)| counted(*count, severity.word()));
    let mut line = each.collect::<Vec<_>>().join(", ");
    if line.is_empty() {
        line.push_str("no mistakes");
    }
    if told > shown {
        line.push_str(&format!(": {shown} shown, and {} more", told - shown));
    }
    line
}
